//! A second look at the answers of a beam: which of them the question asks for.
//!
//! The network writes programs word by word, and sees neither a whole program beside the whole question nor what
//! the program answers. A [`SecondLook`] does: it weighs [signs](SIGNS) of an answer, each a number that follows
//! from question, program and answer alone, and shares the probability of the beam anew,
//!
//! > new ∝ exp(Σ weight · sign),
//!
//! where one of the signs is the logarithm of what the network gave the answer. The weights are
//! [learnt](SecondLook::fit) from beams on tables that the model was not trained on, and are part of its card.
//! Those of [`SecondLook::nothing`] change nothing.
//!
//! * `asked` is what the words of a question ask for, `told` what a program and its answer are;
//! * `signs` compares the two, a line for each sign;
//! * `fit` learns the weights.

mod asked;
mod fit;
mod signs;
mod told;

pub use fit::{LookedAt, Seen};
pub use signs::{SIGNS, Sign, Values};

use mapo_language::Interpreter;
use mapo_questions::Question;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::choice::{Choice, most_probable_first};
use crate::search::{Breadth, visit};
use crate::{Error, Result};
use asked::Asked;
use told::Told;

/// Weights of signs, as a model's card keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondLook {
    /// What each sign counts, by its name; those that are not named count nothing.
    pub weights: BTreeMap<String, f64>,
    /// The beams that it was learnt from, and so those that it looks at.
    #[serde(default)]
    pub breadth: Breadth,
    /// What they were fitted to: the kinds of the datasets and their splits.
    pub fitted_to: String,
    /// How many questions had right and wrong answers in their beams, from which alone there is something to learn.
    pub questions: usize,
}

impl SecondLook {
    /// Weights that leave everything as the network has it.
    pub fn nothing() -> Self {
        Self::of(no_change(), String::new(), 0)
    }

    fn of(weights: Values, fitted_to: String, questions: usize) -> Self {
        let names = SIGNS.iter().map(|sign| sign.name.to_owned());
        Self {
            weights: names.zip(weights).collect(),
            breadth: Breadth::default(),
            fitted_to,
            questions,
        }
    }

    /// Checks that all of its signs are known.
    ///
    /// # Errors
    /// If one is not, as in a model of a later version.
    pub fn check(&self) -> Result<()> {
        let is_known = |name: &&String| SIGNS.iter().any(|sign| sign.name == name.as_str());
        match self.weights.keys().find(|name| !is_known(name)) {
            Some(name) => Err(Error::UnknownSign(name.clone())),
            None => Ok(()),
        }
    }

    /// What the signs add up to.
    pub fn score(&self, signs: &Values) -> f64 {
        let weight = |sign: &Sign| self.weights.get(sign.name).copied().unwrap_or(0.0);
        SIGNS
            .iter()
            .zip(signs)
            .map(|(sign, value)| weight(sign) * value)
            .sum()
    }

    /// Shares the probability that the answers of a beam have together anew, and puts the most probable first.
    ///
    /// # Errors
    /// If the answers are not those of the interpreter's programs.
    pub fn share(
        &self,
        interpreter: &mut Interpreter,
        question: &Question,
        choices: &mut [Choice<'_>],
    ) -> Result<()> {
        let signs = signs(interpreter, question, choices)?;
        let scores: Vec<f64> = signs.iter().map(|signs| self.score(signs)).collect();
        let whole: f64 = choices.iter().map(|choice| choice.probability).sum();
        for (choice, share) in choices.iter_mut().zip(shares(&scores)) {
            choice.probability = whole * share;
        }
        most_probable_first(choices);
        Ok(())
    }
}

/// The weights that leave everything as it is.
fn no_change() -> Values {
    SIGNS
        .each_ref()
        .map(|sign| f64::from(u8::from(sign.name == signs::BELIEF)))
}

/// The signs of all answers of a beam, in their order.
///
/// # Errors
/// If the answers are not those of the interpreter's programs.
pub fn signs(
    interpreter: &mut Interpreter,
    question: &Question,
    choices: &[Choice<'_>],
) -> Result<Vec<Values>> {
    let asked = Asked::new(question, interpreter.context());
    let mut told = Vec::with_capacity(choices.len());
    for choice in choices {
        visit(interpreter, &choice.best.tokens)?;
        told.push(Told::new(choice, interpreter, &asked));
    }
    let values = told.iter().map(|this| {
        let beside = signs::Beside {
            asked: &asked,
            told: this,
            all: &told,
        };
        SIGNS.each_ref().map(|sign| (sign.of)(&beside))
    });
    Ok(values.collect())
}

/// The shares that scores stand for: each e to its power, together 1.
fn shares(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let whole: f64 = parts.iter().sum();
    parts.iter().map(|part| part / whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::choices;
    use crate::search::Candidate;
    use mapo_language::{Context, Language, Program};
    use mapo_questions::Linking;
    use mapo_tables::{Table, TableBuilder};
    use proptest::prelude::*;
    use std::sync::Arc;

    const PROGRAMS: [&str; 6] = [
        "(filter_is all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)",
        "(filter_is all_rows ['tulsa'] r.hometown-str) (hop v0 r.hometown-str)",
        "(hop all_rows r.name-str)",
        "(filter_is all_rows ['tulsa'] r.hometown-str) (count v0)",
        "(filter_is all_rows ['tulsa'] r.hometown-str)",
        "(filter_is all_rows ['tulsa'] r.hometown-str) (any v0)",
    ];

    fn table() -> Arc<Table> {
        let mut builder = TableBuilder::new("people", ["Name", "Hometown", "Points"]);
        builder.push_row(["Anne", "Tulsa", "2"]);
        builder.push_row(["Bob", "Omaha", "37"]);
        builder.push_row(["Carol", "Tulsa", "5"]);
        Arc::new(builder.finish())
    }

    /// A question, an interpreter for it, and a beam of programs with these probabilities.
    fn setting(asked: &str, probabilities: &[f64]) -> (Question, Interpreter, Vec<Vec<Candidate>>) {
        let table = table();
        let question = Question::read(asked, &table, Linking::Everyday);
        let programs = PROGRAMS.map(|text| text.parse::<Program>().expect("a program"));
        let constants = programs.iter().flat_map(|program| program.constants().cloned());
        let context = Context::new(
            Arc::clone(&table),
            constants.collect::<Vec<_>>(),
            Language::PEOPLE,
        );
        let beam = programs
            .iter()
            .zip(probabilities)
            .map(|(program, probability)| Candidate {
                tokens: context.encode(program).expect("a program about people"),
                log_probability: probability.ln(),
            });
        let beam = beam.collect();
        (question, Interpreter::new(Arc::new(context)), vec![beam])
    }

    /// What each sign says of each program.
    fn seen(asked: &str) -> Vec<BTreeMap<&'static str, f64>> {
        let (question, mut interpreter, beams) = setting(asked, &[0.3, 0.2, 0.15, 0.1, 0.05, 0.01]);
        let choices = choices(&mut interpreter, &beams).unwrap();
        // In the order of the programs: their probabilities fall, but rows come last.
        let mut all = signs(&mut interpreter, &question, &choices).unwrap();
        let rows = all.pop().expect("rows");
        all.insert(4, rows);
        let named = |values: &Values| SIGNS.iter().map(|sign| sign.name).zip(*values).collect();
        all.iter().map(named).collect()
    }

    #[test]
    fn signs_compare_what_is_asked_with_what_is_told() {
        let who = seen("who is from tulsa?");
        let [names, towns, everybody, count, rows, truth] = &who[..] else {
            panic!("{who:?}")
        };
        assert!(names["named"] > everybody["named"]);
        assert_eq!(
            (names["values_left_out"], everybody["values_left_out"]),
            (0.0, 1.0)
        );
        assert_eq!((names["said_already"], towns["said_already"]), (0.0, 1.0));
        assert_eq!(
            (names["column_of_a_condition"], towns["column_of_a_condition"]),
            (0.0, 1.0)
        );
        assert_eq!((names["several_for_one"], towns["several_for_one"]), (1.0, 0.0));
        assert_eq!((names["number_unasked"], count["number_unasked"]), (0.0, 1.0));
        assert_eq!((rows["rows"], rows["nothing"]), (1.0, 1.0));
        assert_eq!((truth["yes_or_no_unasked"], truth["yes_or_no_asked"]), (1.0, 0.0));
        let how_many = seen("how many people are from tulsa?");
        assert_eq!(how_many[3]["amount_is_a_number"], 1.0);
        assert!(how_many[0]["unheeded"] > how_many[3]["unheeded"]);
        let town = seen("which hometown has anne?");
        assert_eq!(
            (town[0]["column_asked_for"], town[1]["column_asked_for"]),
            (0.0, 1.0)
        );
        assert_eq!((names["name_of_the_row"], towns["name_of_the_row"]), (1.0, 0.0));
        assert_eq!(town[0]["name_of_the_row"], 0.0, "a column is asked for");
        assert!(names["place_of_the_column"] < towns["place_of_the_column"]);
        assert_eq!(
            (count["figure_for_a_name"], names["figure_for_a_name"]),
            (1.0, 0.0)
        );
        let is = seen("is anyone from tulsa?");
        assert_eq!(is[5]["yes_or_no_asked"], 1.0);
    }

    #[test]
    fn values_belong_to_the_columns_that_are_named_beside_them() {
        let mut builder = TableBuilder::new("shops", ["Name", "City", "Twin city"]);
        builder.push_row(["Tulsa Toys", "Omaha", "Tulsa"]);
        builder.push_row(["Book Barn", "Tulsa", "Omaha"]);
        builder.push_row(["Tulsa Tools", "Reno", "Omaha"]);
        let table = Arc::new(builder.finish());
        let question = Question::read(
            "which names are there with tulsa as twin city",
            &table,
            Linking::Everyday,
        );
        let programs = ["twin_city", "city", "name"].map(|column| {
            format!("(filter_in all_rows ['tulsa'] r.{column}-str) (hop v0 r.name-str)")
                .parse::<Program>()
                .expect("a program")
        });
        let constants = programs.iter().flat_map(|program| program.constants().cloned());
        let context = Context::new(
            Arc::clone(&table),
            constants.collect::<Vec<_>>(),
            Language::WIKITABLEQUESTIONS,
        );
        let beam = programs
            .iter()
            .zip([0.3, 0.2, 0.1])
            .map(|(program, share)| Candidate {
                tokens: context.encode(program).expect("a program about shops"),
                log_probability: f64::ln(share),
            });
        let beams = vec![beam.collect::<Vec<_>>()];
        let mut interpreter = Interpreter::new(Arc::new(context));
        let choices = choices(&mut interpreter, &beams).unwrap();
        let all = signs(&mut interpreter, &question, &choices).unwrap();
        let sign = |name: &str| {
            let place = SIGNS.iter().position(|sign| sign.name == name).expect("a sign");
            all.iter().map(|values| values[place]).collect::<Vec<f64>>()
        };
        assert_eq!(sign("beside_another_column"), [0.0, 1.0, 1.0]);
        assert_eq!(sign("beside_its_column"), [1.0, 0.0, 0.0]);
        assert_eq!(sign("part_of_a_cell"), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn signs_have_names_and_one_of_them_is_the_networks() {
        let mut names: Vec<&str> = SIGNS.iter().map(|sign| sign.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SIGNS.len());
        assert_eq!(no_change().iter().sum::<f64>(), 1.0);
        let later = SecondLook {
            weights: BTreeMap::from([("smell".to_owned(), 1.0)]),
            ..SecondLook::nothing()
        };
        let said = later.check().unwrap_err().to_string();
        assert!(said.contains("'smell'") && said.contains("newer"), "{said}");
        assert!(SecondLook::nothing().check().is_ok());
    }

    #[test]
    fn a_weight_moves_an_answer_and_rows_stay_last() {
        let probabilities = [0.1, 0.2, 0.3, 0.05, 0.25, 0.01];
        let (question, mut interpreter, beams) = setting("who is from tulsa?", &probabilities);
        let mut found = choices(&mut interpreter, &beams).unwrap();
        let mut look = SecondLook::nothing();
        look.weights.insert("values_left_out".to_owned(), -3.0);
        look.weights.insert("said_already".to_owned(), -3.0);
        look.weights.insert("rows".to_owned(), 9.0);
        look.share(&mut interpreter, &question, &mut found).unwrap();
        assert_eq!(found[0].best.tokens, beams[0][0].tokens);
        assert!(found.last().is_some_and(|choice| choice.is_rows));
        let whole: f64 = found.iter().map(|choice| choice.probability).sum();
        assert!((whole - probabilities.iter().sum::<f64>()).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_order_of_the_beam_does_not_matter(
            weights in proptest::collection::vec(-2.0..2.0f64, SIGNS.len()),
            order in Just((0..PROGRAMS.len()).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let look = SecondLook::of(weights.try_into().unwrap(), String::new(), 0);
            let asked = "which people are from tulsa?";
            let (question, mut interpreter, beams) = setting(asked, &[0.3, 0.2, 0.15, 0.1, 0.05, 0.01]);
            let mut told = |beams: &[Vec<Candidate>]| {
                let mut found = choices(&mut interpreter, beams).unwrap();
                look.share(&mut interpreter, &question, &mut found).unwrap();
                found.iter().map(|choice| (choice.best.tokens.clone(), choice.probability)).collect::<Vec<_>>()
            };
            let shuffled = vec![order.iter().map(|place| beams[0][*place].clone()).collect::<Vec<_>>()];
            for ((one, p), (other, q)) in told(&beams).iter().zip(told(&shuffled)) {
                prop_assert_eq!(one, &other);
                prop_assert!((p - q).abs() < 1e-12);
            }
        }

        #[test]
        fn no_weights_leave_probabilities_as_they_are(raw in proptest::collection::vec(0.001..1.0f64, PROGRAMS.len())) {
            let sum: f64 = raw.iter().sum();
            let raw: Vec<f64> = raw.iter().map(|part| part / sum).collect();
            let (question, mut interpreter, beams) = setting("who is from tulsa?", &raw);
            let before = choices(&mut interpreter, &beams).unwrap();
            let mut after = before.clone();
            SecondLook::nothing().share(&mut interpreter, &question, &mut after).unwrap();
            for (one, other) in before.iter().zip(&after) {
                prop_assert_eq!(one.key, other.key);
                prop_assert!((one.probability - other.probability).abs() < 1e-9);
            }
        }
    }
}
