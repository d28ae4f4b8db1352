//! How far the programs of a memory can be believed to mean what their question means.
//!
//! Most programs that give the right answer give it by chance. Two things tell them apart. Programs that mean
//! the same agree on other tables too, so each is run on variations of its table ([`Variations`]), and those
//! that agree on all of them are one class: the right meaning can be written in several short ways, an
//! accident seldom. And what a question names, its program uses ([`Relevance`]). Where models are trained
//! already, what they make of the programs ([`teachers`]) says more.

pub mod teachers;

use mapo_datasets::{Example, Relevance};
use mapo_language::{Atom, Program, Token};
use mapo_tables::Table;
use std::collections::{BTreeMap, HashMap};

use crate::study::meaning::Variations;

/// How many variations of its table a program is run on.
pub const VARIATIONS: usize = 12;

/// How programs are weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// How many variations of its table a program is run on.
    pub variations: usize,
    /// What is left of a program's voice with each token that it is longer than the shortest.
    pub brevity: f64,
    /// How much the share of what the question names counts: the exponent of its factor.
    pub relevance: f64,
    /// How much the voices for a class count: the exponent of its factor.
    pub support: f64,
    /// The least weight.
    pub least: f64,
}

impl Default for Belief {
    fn default() -> Self {
        Self {
            variations: VARIATIONS,
            brevity: 0.5,
            relevance: 2.0,
            support: 2.0,
            least: 0.01,
        }
    }
}

/// What a program that uses nothing of what the question names is worth beside one that uses all.
const UNNAMED: f64 = 0.05;

/// What is known of a program that gives the right answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signs {
    /// Programs with the same number agree on all variations of the table.
    pub class: usize,
    /// Those with the same number differ only in how they read a column: as text, as a number, as a date.
    /// They have one voice.
    pub wording: usize,
    /// The share of what the question names that it uses.
    pub relevance: f64,
    /// Its length.
    pub tokens: usize,
}

impl Belief {
    /// What is known of the programs for a question; nothing of a text that is no program for it. The seed
    /// decides the variations.
    pub fn signs(&self, example: &Example, programs: &[String], seed: u64) -> Vec<Option<Signs>> {
        let context = example.context();
        let relevance = Relevance::new(&example.question, &context);
        let mut variations = Variations::new(example, [], self.variations, seed);
        let (mut classes, mut wordings) = (HashMap::new(), HashMap::new());
        let number = |known: &mut HashMap<String, usize>, key: String| {
            let next = known.len();
            *known.entry(key).or_insert(next)
        };
        let signs = programs.iter().map(|text| {
            let program: Program = text.parse().ok()?;
            let tokens: Vec<Token> = context.encode(&program).ok()?;
            Some(Signs {
                class: number(&mut classes, variations.meaning(&program).key()),
                wording: number(&mut wordings, wording(&program, &example.table)),
                relevance: relevance.of(&context, &tokens),
                tokens: tokens.len(),
            })
        });
        signs.collect()
    }

    /// The weights of programs of which this is known: above 0 and at most 1, the largest of them 1.
    pub fn weights(&self, signs: &[Option<Signs>]) -> Vec<f32> {
        let known = || signs.iter().flatten();
        let shortest = known().map(|signs| signs.tokens).min().unwrap_or(0);
        let voice = |signs: &Signs| {
            let longer = (signs.tokens - shortest) as f64;
            self.brevity.powf(longer) * (UNNAMED + signs.relevance).powf(self.relevance)
        };
        let mut loudest: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for signs in known() {
            let heard = loudest.entry((signs.class, signs.wording)).or_default();
            *heard = heard.max(voice(signs));
        }
        let mut support: HashMap<usize, f64> = HashMap::new();
        for ((class, _), voice) in loudest {
            *support.entry(class).or_default() += voice;
        }
        let belief = |signs: &Signs| voice(signs) * support[&signs.class].powf(self.support);
        let largest = known().map(belief).fold(0.0, f64::max);
        self.beside(largest, signs.iter().map(|signs| signs.as_ref().map(belief)))
    }

    /// The weights of programs by the [shares](teachers::shares) that trained models give them: a program is believed
    /// as much as all that mean the same together, so that how it is written stays the choice of who learns.
    pub fn taught(&self, signs: &[Option<Signs>], shares: &[f64]) -> Vec<f32> {
        let mut classes: BTreeMap<usize, f64> = BTreeMap::new();
        for (signs, share) in signs.iter().zip(shares) {
            if let Some(signs) = signs {
                *classes.entry(signs.class).or_default() += share;
            }
        }
        let largest = classes.values().copied().fold(0.0, f64::max);
        let class = |signs: &Signs| classes[&signs.class];
        self.beside(largest, signs.iter().map(|signs| signs.as_ref().map(class)))
    }

    /// Weights beside that of what is believed most; of nonsense nothing is believed.
    fn beside(&self, largest: f64, beliefs: impl Iterator<Item = Option<f64>>) -> Vec<f32> {
        let weight = |belief| match belief {
            Some(belief) if largest > 0.0 => f64::max(belief / largest, self.least),
            _ => self.least,
        };
        beliefs.map(|belief| weight(belief) as f32).collect()
    }
}

/// A program without how it reads its columns.
fn wording(program: &Program, table: &Table) -> String {
    let mut text = String::new();
    for expression in &program.expressions {
        text.push('(');
        text.push_str(expression.function.name());
        for argument in &expression.arguments {
            text.push(' ');
            match argument {
                Atom::Column(name) => match table.find(name) {
                    Some(column) => text.push_str(&table.column(column).source().to_string()),
                    None => text.push_str(name),
                },
                other => text.push_str(&other.to_string()),
            }
        }
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::Answer;
    use mapo_language::Language;
    use mapo_questions::{Linking, Question};
    use mapo_tables::TableBuilder;
    use std::sync::Arc;

    fn example(question: &str) -> Example {
        let mut builder = TableBuilder::new("games", ["Year", "Team", "Points"]);
        for (year, team, points) in [
            ("2001", "Anne", "3"),
            ("2002", "Bob", "5"),
            ("2003", "Anne", "9"),
            ("2004", "Carl", "11"),
            ("2005", "Dora", "20"),
        ] {
            builder.push_row([year, team, points]);
        }
        let table = Arc::new(builder.finish());
        Example {
            id: "games".to_owned(),
            question: Question::read(question, &table, Linking::Paper),
            table,
            answer: Answer::own(vec!["20".to_owned()]),
            language: Language::WIKITABLEQUESTIONS,
            known: None,
        }
    }

    const DORA: &str = "(filter_in all_rows ['dora'] r.team-str) (hop v0 r.points-num)";
    const DORA_AS_TEXT: &str = "(filter_in all_rows ['dora'] r.team-str) (hop v0 r.points-str)";
    const DORA_THE_LONG_WAY: &str = "(filter_in all_rows ['dora'] r.team-str) (max v0 r.points-num)";
    const LAST: &str = "(last all_rows) (hop v0 r.points-num)";
    const MOST: &str = "(max all_rows r.points-num)";

    fn signs(question: &str, programs: &[&str]) -> Vec<Signs> {
        let programs: Vec<String> = programs.iter().map(|text| (*text).to_owned()).collect();
        let signs = Belief::default().signs(&example(question), &programs, 3);
        signs.into_iter().map(|signs| signs.expect("a program")).collect()
    }

    #[test]
    fn programs_that_agree_on_other_tables_are_a_class() {
        let all = [DORA, DORA_AS_TEXT, DORA_THE_LONG_WAY, LAST, MOST];
        let signs = signs("how many points did dora have?", &all);
        // Where two rows are Dora's, the larger number is not both.
        let [dora, text, long, last, most] = &signs[..] else {
            panic!("{signs:?}")
        };
        assert_eq!(dora.class, text.class);
        assert_eq!(dora.wording, text.wording);
        assert_ne!(dora.wording, long.wording);
        let classes = [dora.class, last.class, most.class];
        assert!(classes[0] != classes[1] && classes[1] != classes[2] && classes[0] != classes[2]);
        assert!(dora.relevance > last.relevance, "dora is named");
    }

    #[test]
    fn what_uses_the_question_is_believed_most_and_nothing_is_impossible() {
        let belief = Belief::default();
        let known = |programs: &[&str]| -> Vec<Option<Signs>> {
            let signs = signs("how many points did dora have?", programs);
            signs.into_iter().map(Some).collect()
        };
        let same = known(&[DORA, DORA_THE_LONG_WAY, LAST]);
        let weights = belief.weights(&same);
        assert_eq!(weights[0], 1.0, "{weights:?}");
        assert!(weights[2] < 0.6 * weights[0], "{weights:?}");
        assert!(weights.iter().all(|weight| *weight >= belief.least as f32));
        // The limit of it: an accident that is much shorter is believed more.
        let weights = belief.weights(&known(&[DORA, MOST]));
        assert!(weights[0] < weights[1], "{weights:?}");
        // What cannot be read is believed least, and nobody has no weight.
        let with_nonsense = belief.weights(&[same[0], None]);
        assert_eq!(with_nonsense, [1.0, belief.least as f32]);
        assert_eq!(belief.weights(&[]), [0.0_f32; 0]);
        assert_eq!(belief.weights(&[None]), [belief.least as f32]);
    }

    #[test]
    fn voices_for_a_meaning_count_and_readings_of_a_column_do_not() {
        let sign = |class, wording| {
            Some(Signs {
                class,
                wording,
                relevance: 0.5,
                tokens: 10,
            })
        };
        let weights =
            Belief::default().weights(&[sign(0, 0), sign(0, 1), sign(1, 2), sign(1, 2), sign(1, 2)]);
        assert_eq!(weights[..2], [1.0, 1.0]);
        assert!(weights[2..].iter().all(|weight| *weight == 0.25), "{weights:?}");
    }

    #[test]
    fn what_models_agree_on_is_believed_however_it_is_written() {
        let sign = |class, wording| {
            Some(Signs {
                class,
                wording,
                relevance: 0.5,
                tokens: 10,
            })
        };
        let belief = Belief::default();
        let signs = [sign(0, 0), sign(0, 1), sign(1, 2), None, sign(2, 3)];
        let weights = belief.taught(&signs, &[0.5, 0.1, 0.3, 0.0, 0.0]);
        let least = belief.least as f32;
        assert_eq!(weights, [1.0, 1.0, 0.5, least, least]);
        assert_eq!(belief.taught(&[None], &[0.0]), [least]);
        assert_eq!(belief.taught(&[], &[]), [0.0_f32; 0]);
    }

    #[test]
    fn the_seed_decides() {
        let programs: Vec<String> = [DORA, LAST, MOST].map(str::to_owned).to_vec();
        let example = example("how many points did dora have?");
        let belief = Belief::default();
        assert_eq!(
            belief.signs(&example, &programs, 5),
            belief.signs(&example, &programs, 5)
        );
    }
}
