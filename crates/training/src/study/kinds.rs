//! Accuracy by kind of question.

use super::StudiedQuestion;
use crate::study::QuestionKind;
use mapo_language::Program;
use serde::Serialize;
use std::collections::BTreeMap;

/// The questions of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindRow {
    /// The kind.
    pub kind: QuestionKind,
    /// How many questions.
    pub questions: usize,
    /// The share answered right.
    pub accuracy: f64,
    /// The share with a right answer in the beams.
    pub right_in_beam: f64,
    /// The share for which exploration had found a program, of those that the memory knows.
    pub in_memory: Option<f64>,
    /// The functions of the answering programs with the share of programs that use each, the commonest
    /// first.
    pub functions: Vec<(String, f64)>,
}

/// A row for each kind that has questions, in the order of the kinds.
pub(super) fn rows(each: &[StudiedQuestion]) -> Vec<KindRow> {
    let mut kinds: BTreeMap<QuestionKind, Vec<&StudiedQuestion>> = BTreeMap::new();
    for question in each {
        kinds.entry(question.kind).or_default().push(question);
    }
    kinds
        .into_iter()
        .map(|(kind, questions)| row(kind, &questions))
        .collect()
}

fn row(kind: QuestionKind, questions: &[&StudiedQuestion]) -> KindRow {
    let share = |count: usize| count as f64 / questions.len().max(1) as f64;
    let count = |test: &dyn Fn(&&&StudiedQuestion) -> bool| share(questions.iter().filter(test).count());
    let known: Vec<usize> = questions
        .iter()
        .filter_map(|question| question.in_memory)
        .collect();
    let solved = known.iter().filter(|programs| **programs > 0).count();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for question in questions {
        let program = question.prediction.program.as_ref();
        let program: Option<Program> = program.and_then(|program| program.parse().ok());
        let mut names: Vec<&str> = program
            .iter()
            .flat_map(|program| &program.expressions)
            .map(|expression| expression.function.name())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .for_each(|name| *uses.entry(name).or_default() += 1);
    }
    let mut functions: Vec<(String, f64)> = uses
        .into_iter()
        .map(|(name, uses)| (name.to_owned(), share(uses)))
        .collect();
    // The sort is stable: equals stay in the order of their names.
    functions.sort_by(|one, other| other.1.total_cmp(&one.1));
    KindRow {
        kind,
        questions: questions.len(),
        accuracy: count(&|question| question.prediction.right),
        right_in_beam: count(&|question| question.prediction.right_in_beam),
        in_memory: (!known.is_empty()).then(|| solved as f64 / known.len() as f64),
        functions,
    }
}
