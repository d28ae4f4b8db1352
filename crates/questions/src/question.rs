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
