//! A question beside its table.

use crate::annotation::Annotation;
use crate::everyday;
use crate::haystack::prepare;
use crate::header_words::{column_words, spelt_out_word};
use crate::link::link;
use crate::linking::Linking;
use crate::mention::Mention;
use crate::stop_words::is_stop_word;
use mapo_tables::{Column, Constant, Held, Table};
use mapo_text::read::{Tag, Value as Quantity};
use mapo_text::word_forms::stem;
use std::ops::Range;

/// A question beside its table: what a program may mention, and what the network sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question as it was asked.
    pub text: String,
    /// Its tokens, lower-cased.
    pub tokens: Vec<String>,
    /// Which tokens are comparatives or superlatives.
    pub tags: Vec<Tag>,
    /// How its strings were found in the cells.
    pub linking: Linking,
    /// The constants for programs, each value once: strings first, then numbers and dates.
    pub mentions: Vec<Mention>,
    /// For each token 1 if it is part of a constant that is found in the table, else 0.
    pub features: Vec<u8>,
    /// For each typed column how many words of its name are in the question.
    pub column_features: Vec<u32>,
}

impl Question {
    /// Reads a question with our own reader.
    ///
    /// ```
    /// use mapo_questions::{Linking, Question};
    /// use mapo_tables::TableBuilder;
    /// let mut builder = TableBuilder::new("people", ["Name", "Hometown"]);
    /// builder.push_row(["William Stuart Price", "Tulsa"]);
    /// let asked = "Was William Stuart Price born in Tulsa?";
    /// let question = Question::read(asked, &builder.finish(), Linking::Wide);
    /// let mentions: Vec<_> = question.mentions.iter().map(|mention| mention.constant.to_string()).collect();
    /// assert_eq!(mentions, ["['william stuart price']", "['tulsa']"]);
    /// ```
    pub fn read(text: &str, table: &Table, linking: Linking) -> Question {
        Question::new(text, Annotation::read(text), table, linking)
    }

    /// Joins a question's annotation with its table.
    pub fn new(text: &str, annotation: Annotation, table: &Table, linking: Linking) -> Question {
        let Annotation {
            tokens,
            tags,
            quantities,
        } = annotation;
        prepare(table);
        let mut features = vec![0; tokens.len()];
        let mut found: Vec<Mention> = Vec::new();
        for mention in link(text, &tokens, table, linking) {
            features[mention.span.clone()].fill(1);
            found.push(mention);
        }
        let quantities = as_the_table_writes(&tokens, quantities, table);
        let quantities = match linking {
            Linking::Everyday => everyday::numbers(&tokens, quantities, &found, table),
            Linking::Paper | Linking::Wide => quantities,
        };
        for (value, span) in quantities {
            let constant = match value {
                Quantity::Number(number) => Constant::number(number + 0.0),
                Quantity::Date(date) => Constant::date(date),
            };
            if is_in(table, &constant) {
                features[span.clone()].fill(1);
            }
            found.push(Mention { constant, span });
        }
        let mut mentions: Vec<Mention> = Vec::new();
        for mention in found {
            if mentions.iter().all(|known| known.constant != mention.constant) {
                mentions.push(mention);
            }
        }
        let lower = text.to_lowercase();
        let column_features = table
            .columns()
            .iter()
            .map(|column| match linking {
                Linking::Everyday => spelt_out_feature(table, column, &tokens),
                Linking::Paper | Linking::Wide => column_feature(column, &lower),
            })
            .collect();
        Question {
            text: text.to_owned(),
            tokens,
            tags,
            linking,
            mentions,
            features,
            column_features,
        }
    }

    /// The tokens and part-of-speech tags: what triggers the functions that random exploration tries.
    pub fn trigger_words(&self) -> impl Iterator<Item = &str> + Clone {
        // The name of no tag at all, `other`, is itself a word that suggests something.
        let tags = self.tags.iter().filter(|tag| **tag != Tag::Other);
        self.tokens
            .iter()
            .map(String::as_str)
            .chain(tags.map(|tag| tag.name()))
    }
}

/// The same with days in numbers read as the table's columns write them: `12/01/2004` is in January beside
/// `13/01/2004`. Where columns differ, all that it may be is offered.
fn as_the_table_writes(
    tokens: &[String],
    quantities: Vec<(Quantity, Range<usize>)>,
    table: &Table,
) -> Vec<(Quantity, Range<usize>)> {
    let as_written = |(value, span): (Quantity, Range<usize>)| {
        let days = match value {
            Quantity::Date(date) if date.day.is_some() => {
                table.days_as_written(&tokens[span.clone()].concat())
            }
            _ => Vec::new(),
        };
        match days.is_empty() {
            true => vec![(value, span)],
            false => (days.into_iter())
                .map(|day| (Quantity::Date(day), span.clone()))
                .collect(),
        }
    };
    quantities.into_iter().flat_map(as_written).collect()
}

/// Whether some column has the number or date.
fn is_in(table: &Table, constant: &Constant) -> bool {
    table
        .columns()
        .iter()
        .any(|column| column.holds(constant) != Held::No)
}

/// How many words of a header, spelt out, the question has in some form.
fn spelt_out_feature(table: &Table, column: &Column, tokens: &[String]) -> u32 {
    let has = |word: &str| {
        tokens
            .iter()
            .any(|token| token == word || stem(token) == stem(word) || spelt_out_word(token).contains(&word))
    };
    column_words(table, column, Linking::Everyday)
        .filter(|word| !is_stop_word(word) && has(word))
        .count() as u32
}

fn column_feature(column: &Column, question: &str) -> u32 {
    column
        .words()
        .filter(|word| !is_stop_word(word) && question.contains(word))
        .count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn dates(columns: &[&[&str]], question: &str) -> Vec<String> {
        let headers = (0..columns.len()).map(|column| format!("C{column}"));
        let mut builder = TableBuilder::new("t", headers);
        for row in 0..columns[0].len() {
            builder.push_row(columns.iter().map(|column| column[row]));
        }
        let read = Question::read(question, &builder.finish(), Linking::Everyday);
        let dates = (read.mentions.iter()).filter(|mention| matches!(mention.constant, Constant::Dates(_)));
        dates.map(|mention| mention.constant.to_string()).collect()
    }

    #[test]
    fn a_day_is_read_as_the_table_writes_days() {
        let (days, months) = (["13/01/2004", "12/01/2004", ""], ["01/13/2004", "12/01/2004", ""]);
        let asked = "what happened on 12/01/2004?";
        assert_eq!(dates(&[&days], asked), ["[2004-01-12]"]);
        assert_eq!(dates(&[&months], asked), ["[2004-12-01]"]);
        assert_eq!(dates(&[&days, &months], asked), ["[2004-01-12]", "[2004-12-01]"]);
        // Whatever the column is: there is one way to read these.
        assert_eq!(dates(&[&days], "and on 12/25/2004?"), ["[2004-12-25]"]);
        assert_eq!(dates(&[&days], "and on 1 February 2004?"), ["[2004-02-01]"]);
        // Nothing is known of how this table would write it.
        assert_eq!(
            dates(&[&["2004-01-13", "2004-12-01", ""]], asked),
            ["[2004-12-01]"]
        );
    }
}
