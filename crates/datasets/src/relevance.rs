//! How much of what a question names a program uses. A program that is right by accident often leaves out a
//! value or a column that the question speaks of.

use mapo_language::{Context, Symbol, Token};
use mapo_questions::{Question, column_words, is_stop_word, spelt_out_word};

/// Tokens of a question, as bits; tokens behind the 128th are left out.
type Tokens = u128;

/// Which tokens of a question each value and each column stands for.
#[derive(Clone, Debug)]
pub struct Relevance {
    constants: Vec<Tokens>,
    columns: Vec<Tokens>,
    /// All tokens that are part of a value in the table or name a column.
    named: Tokens,
}

impl Relevance {
    /// Of a question about the table of `context`, for programs in it.
    pub fn new(question: &Question, context: &Context) -> Self {
        let table = context.table();
        let bit = |place: usize| 1_u128.checked_shl(place as u32).unwrap_or(0);
        let constants = context.constants().iter().map(|constant| {
            let mentions = question.mentions.iter();
            let of_constant = mentions.filter(|mention| mention.constant == *constant);
            of_constant
                .flat_map(|mention| mention.span.clone())
                .map(bit)
                .sum()
        });
        let constants: Vec<Tokens> = constants.collect();
        let columns = table.columns().iter().map(|column| {
            let names = |token: &str| {
                let mut words = column_words(table, column, question.linking);
                !is_stop_word(token)
                    && words.any(|word| word == token || spelt_out_word(token).contains(&word))
            };
            let tokens = question.tokens.iter().enumerate();
            tokens
                .filter(|(_, token)| names(token))
                .map(|(place, _)| bit(place))
                .sum()
        });
        let columns: Vec<Tokens> = columns.collect();
        // A number may be no value at all, as the three of "the first three"; what is in the table is.
        let in_table = question.features.iter().enumerate();
        let in_table = in_table.filter(|(_, feature)| **feature == 1);
        let in_table: Tokens = in_table.map(|(place, _)| bit(place)).sum();
        let named = columns.iter().fold(in_table, |named, column| named | column);
        Relevance {
            constants,
            columns,
            named,
        }
    }

    /// The share of the named tokens that a program's values and columns stand for; 1 if the question names
    /// nothing.
    pub fn of(&self, context: &Context, program: &[Token]) -> f64 {
        if self.named == 0 {
            return 1.0;
        }
        let used = program.iter().fold(0, |used, token| {
            used | match context.symbol(*token) {
                Some(Symbol::Constant(constant)) => self.constants[constant.0 as usize],
                Some(Symbol::Column(column)) => self.columns[column.0 as usize],
                _ => 0,
            }
        });
        f64::from((used & self.named).count_ones()) / f64::from(self.named.count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Example};
    use mapo_language::{Language, Program};
    use mapo_questions::Linking;
    use mapo_tables::TableBuilder;
    use std::sync::Arc;

    fn relevance(question: &str, program: &str) -> f64 {
        let mut builder = TableBuilder::new("people", ["Name", "Hometown", "Born"]);
        builder.push_row(["Anne", "Tulsa", "1950"]);
        builder.push_row(["Bert", "Omaha", "1960"]);
        let table = builder.finish();
        let example = Example {
            id: "people".to_owned(),
            question: Question::read(question, &table, Linking::Paper),
            table: Arc::new(table),
            answer: Answer::own(vec!["Anne".to_owned()]),
            language: Language::WIKITABLEQUESTIONS,
            known: None,
        };
        let context = example.context();
        let program: Program = program.parse().expect("a program");
        let tokens = context.encode(&program).expect("a program about people");
        Relevance::new(&example.question, &context).of(&context, &tokens)
    }

    #[test]
    fn what_the_question_names_counts() {
        let asked = "whose hometown is tulsa by name?";
        let all = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)";
        assert_eq!(relevance(asked, all), 1.0);
        // Neither "hometown" nor "tulsa" is used.
        let by_chance = "(first all_rows) (hop v0 r.name-str)";
        assert!((relevance(asked, by_chance) - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_question_that_names_nothing_asks_for_nothing() {
        assert_eq!(relevance("who?", "(first all_rows) (hop v0 r.name-str)"), 1.0);
    }

    #[test]
    fn long_questions_are_cut_and_do_no_harm() {
        let asked = format!("{} tulsa", "who ".repeat(300));
        assert_eq!(relevance(&asked, "(first all_rows) (hop v0 r.name-str)"), 1.0);
    }
}
