//! Which of several tables a question is about.

use crate::understanding::Names;
use mapo_questions::{Linking, Question, is_stop_word};
use mapo_tables::{Constant, Table};
use std::sync::Arc;

/// How well a table fits a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitting {
    /// Which table, from 0.
    pub table: usize,
    /// How much of the question is found in it: words of few tables count more than those of many.
    pub found: f64,
}

/// The tables by how well they fit a question, the best first; of equals, the first.
///
/// ```
/// use mapo_answering::fitting;
/// use mapo_tables::TableBuilder;
/// use std::sync::Arc;
/// let mut people = TableBuilder::new("people.csv", ["Name", "Hometown"]);
/// people.push_row(["Anne", "Tulsa"]);
/// let mut films = TableBuilder::new("films.csv", ["Title", "Director"]);
/// films.push_row(["Barry Lyndon", "Kubrick"]);
/// let tables = [Arc::new(people.finish()), Arc::new(films.finish())];
/// assert_eq!(fitting(&tables, "which films are by Kubrick?")[0].table, 1);
/// assert_eq!(fitting(&tables, "who is from Tulsa?")[0].table, 0);
/// ```
pub fn fitting(tables: &[Arc<Table>], question: &str) -> Vec<Fitting> {
    let found: Vec<Vec<bool>> = tables.iter().map(|table| found_words(table, question)).collect();
    let words = found.iter().map(Vec::len).max().unwrap_or(0);
    let has = |found: &[bool], word: usize| found.get(word).copied().unwrap_or(false);
    // As words are weighed when documents are looked for.
    let weights: Vec<f64> = (0..words)
        .map(|word| {
            let holders = found.iter().filter(|found| has(found, word)).count();
            (1.0 + tables.len() as f64 / (holders.max(1)) as f64).ln()
        })
        .collect();
    let sum = |found: &Vec<bool>| -> f64 {
        let words = weights.iter().enumerate();
        words
            .filter(|(word, _)| has(found, *word))
            .map(|(_, weight)| weight)
            .sum()
    };
    let mut ranked: Vec<Fitting> = (0..)
        .zip(&found)
        .map(|(table, found)| Fitting {
            table,
            found: sum(found),
        })
        .collect();
    ranked.sort_by(|a, b| b.found.total_cmp(&a.found).then(a.table.cmp(&b.table)));
    ranked
}

/// For each word of a question whether it is in the table: in a cell, or in the name of a column or of the table.
fn found_words(table: &Table, question: &str) -> Vec<bool> {
    let question = Question::read(question, table, Linking::Everyday);
    let names = Names::of(table);
    let in_cells = |word: usize| {
        let mut strings =
            (question.mentions.iter()).filter(|mention| matches!(mention.constant, Constant::Strings(_)));
        strings.any(|mention| mention.span.contains(&word))
    };
    let tells = |token: &str| !is_stop_word(token) && token.contains(char::is_alphabetic);
    let tokens = question.tokens.iter().enumerate();
    tokens
        .map(|(word, token)| tells(token) && (in_cells(word) || names.have(token)))
        .collect()
}
