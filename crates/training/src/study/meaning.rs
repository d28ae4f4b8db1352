//! Whether two programs mean the same, judged by running both on many variations of one table.
//!
//! Two programs that agree on the table of a question may agree by chance: "the last row" and "the row with
//! the largest number" are the same in one table and not in another. So each is run on tables made from the
//! real one, and what both give is compared as WikiTableQuestions' evaluator compares answers, so that the
//! text `2004` and the number 2004 are the same answer. Nothing and nothing are the same too.
//!
//! The judgement can err both ways. Two programs that differ only on tables that none of the variations is
//! like pass for the same: a condition that holds in no row of any of them cannot be told from another such.
//! And two ways to say what the question meant in *this* table differ if they agree only because of its
//! order: the last row of a table that is sorted by year, and the row with the largest year.
//! [`Likeness::InOrder`] names the latter.

use mapo_core::example_rng;
use mapo_datasets::Example;
use mapo_datasets::scoring::wtq;
use mapo_language::{Context, Denotation, Interpreter, Program};
use mapo_tables::Constant;
use mapo_tables::Table;
use rand_xoshiro::rand_core::Rng;
use serde::Serialize;
use std::sync::Arc;

/// How alike two programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// They differ on the real table or on one with fewer rows in the same order.
    Different,
    /// They agree on the real table and wherever rows were only left out, but not on all variations.
    InOrder,
    /// They agree on all variations.
    Same,
}

/// What became of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variation {
    /// Nothing.
    Real,
    /// About half of them were left out.
    Fewer,
    /// As many were drawn from them, some twice and some never, in any order.
    Drawn,
    /// The cells of each column were shuffled, apart from the other columns.
    Shuffled,
}

/// What a program gives on one table.
#[derive(Clone, Debug)]
enum Outcome {
    /// It cannot be run.
    Refused,
    /// Rows.
    Rows(Vec<usize>),
    /// An answer.
    Values(Vec<wtq::Value>),
}

impl Outcome {
    fn is_same_as(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::Refused, Outcome::Refused) => true,
            (Outcome::Rows(one), Outcome::Rows(other)) => one == other,
            (Outcome::Values(one), Outcome::Values(other)) => {
                wtq::check(one, other) && wtq::check(other, one)
            }
            _ => false,
        }
    }
}

/// What a program gives on each variation of a table.
#[derive(Clone, Debug)]
pub struct Meaning(Vec<Outcome>);

impl Meaning {
    /// The same text for programs that give the same on all variations, up to how a number is written.
    /// Amounts that only the evaluator's tolerance makes equal are told apart.
    pub fn key(&self) -> String {
        let outcome = |outcome: &Outcome| match outcome {
            Outcome::Refused => "!".to_owned(),
            Outcome::Rows(rows) => format!("{rows:?}"),
            Outcome::Values(values) => {
                let value = |value: &wtq::Value| match value.reading() {
                    wtq::Reading::Number(amount) => format!("{:.6}", amount.to_f64()),
                    wtq::Reading::Date(date) => date.to_string(),
                    wtq::Reading::String => value.normal().to_owned(),
                };
                let mut values: Vec<String> = values.iter().map(value).collect();
                values.sort_unstable();
                values.dedup();
                values.join("\u{1}")
            }
        };
        let outcomes: Vec<String> = self.0.iter().map(outcome).collect();
        outcomes.join("\u{2}")
    }
}

/// The variations of the table of one question.
pub struct Variations(Vec<(Variation, Interpreter)>);

impl Variations {
    /// The real table and `count` variations of it, which the seed decides; `foreign` are constants beyond
    /// those of the question that programs may mention.
    pub fn new(
        example: &Example,
        foreign: impl IntoIterator<Item = Constant>,
        count: usize,
        seed: u64,
    ) -> Self {
        let foreign: Vec<Constant> = foreign.into_iter().collect();
        let interpreter = |table: Arc<Table>| {
            let mentions = example.question.mentions.iter();
            let constants = mentions.map(|mention| mention.constant.clone());
            let context = Context::with_foreign(table, constants, foreign.clone(), example.language);
            Interpreter::new(Arc::new(context))
        };
        let real = (Variation::Real, interpreter(Arc::clone(&example.table)));
        let kinds = [Variation::Fewer, Variation::Drawn, Variation::Shuffled];
        let varied = (0..count).map(|number| {
            let variation = kinds[number % kinds.len()];
            let mut rng = example_rng(seed, number as u64);
            let table = vary(&example.table, variation, &mut rng);
            (variation, interpreter(Arc::new(table)))
        });
        Variations(std::iter::once(real).chain(varied).collect())
    }

    /// What a program gives on each of them.
    pub fn meaning(&mut self, program: &Program) -> Meaning {
        Meaning(
            self.0
                .iter_mut()
                .map(|(_, interpreter)| run(interpreter, program))
                .collect(),
        )
    }

    /// How alike a program and a meaning are.
    pub fn compare(&mut self, program: &Program, meaning: &Meaning) -> Likeness {
        let mut likeness = Likeness::Same;
        for ((variation, interpreter), outcome) in self.0.iter_mut().zip(&meaning.0) {
            let ordered = matches!(variation, Variation::Real | Variation::Fewer);
            if (ordered || likeness == Likeness::Same) && !run(interpreter, program).is_same_as(outcome) {
                if ordered {
                    return Likeness::Different;
                }
                likeness = Likeness::InOrder;
            }
        }
        likeness
    }
}

fn run(interpreter: &mut Interpreter, program: &Program) -> Outcome {
    let Ok(tokens) = interpreter.context().encode(program) else {
        return Outcome::Refused;
    };
    interpreter.rewind(0);
    for token in tokens {
        if interpreter.step(token).is_err() {
            return Outcome::Refused;
        }
    }
    match interpreter.answer() {
        Some(Denotation::Rows(rows)) => Outcome::Rows(rows.iter().collect()),
        Some(answer) => Outcome::Values(wtq::to_values(&answer.to_strings(), &[] as &[&str])),
        None => Outcome::Refused,
    }
}

fn vary(table: &Table, variation: Variation, rng: &mut impl Rng) -> Table {
    let rows = table.rows();
    let columns = table.headers().len();
    let all: Vec<usize> = (0..rows).collect();
    let picks: Vec<Vec<usize>> = match variation {
        Variation::Real => vec![all; columns],
        Variation::Fewer => {
            let mut kept: Vec<usize> = all.into_iter().filter(|_| below(rng, 2) == 0).collect();
            if kept.is_empty() && rows > 0 {
                kept.push(below(rng, rows));
            }
            vec![kept; columns]
        }
        Variation::Drawn => {
            let drawn: Vec<usize> = all.iter().map(|_| below(rng, rows)).collect();
            vec![drawn; columns]
        }
        Variation::Shuffled => (0..columns).map(|_| shuffled(all.clone(), rng)).collect(),
    };
    table.with_rows(&picks)
}

fn shuffled(mut items: Vec<usize>, rng: &mut impl Rng) -> Vec<usize> {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last + 1));
    }
    items
}

/// A whole number below `end`, all as likely as makes no difference.
fn below(rng: &mut impl Rng, end: usize) -> usize {
    (rng.next_u64() % end.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::Answer;
    use mapo_datasets::toy::{SEED, Split, generate};
    use mapo_language::Language;
    use mapo_questions::{Linking, Question};
    use mapo_tables::TableBuilder;

    fn example() -> Example {
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
            id: "q".to_owned(),
            question: Question::read("when did anne play last?", &table, Linking::Paper),
            table,
            answer: Answer::own(vec!["2003".to_owned()]),
            language: Language::WIKITABLEQUESTIONS,
            known: None,
        }
    }

    fn likeness(one: &str, other: &str) -> Likeness {
        let mut variations = Variations::new(&example(), [], 30, 1);
        let meaning = variations.meaning(&one.parse().unwrap());
        variations.compare(&other.parse().unwrap(), &meaning)
    }

    #[test]
    fn words_may_differ_where_the_meaning_does_not() {
        let last = "(filter_in all_rows ['anne'] r.team-str) (last v0) (hop v1 r.year-num)";
        let cases = [
            (last, Likeness::Same),
            // The text 2003 and the number are one answer.
            (
                "(filter_in all_rows ['anne'] r.team-str) (last v0) (hop v1 r.year-str)",
                Likeness::Same,
            ),
            // The years and the points ascend, but only in this table.
            (
                "(filter_in all_rows ['anne'] r.team-str) (argmax v0 r.points-num) (hop v1 r.year-num)",
                Likeness::InOrder,
            ),
            (
                "(filter_in all_rows ['anne'] r.team-str) (max v0 r.year-num)",
                Likeness::InOrder,
            ),
            // Right on the real table, by chance.
            (
                "(filter_in all_rows ['anne'] r.team-str) (argmin v0 r.points-num) (hop v1 r.year-num)",
                Likeness::Different,
            ),
            ("(hop all_rows r.nonsense-str)", Likeness::Different),
        ];
        for (program, expected) in cases {
            assert_eq!(likeness(last, program), expected, "{program}");
        }
        // Neither can be run: there is nothing to tell them apart by.
        assert_eq!(
            likeness("(hop all_rows r.nonsense-str)", "(hop all_rows r.rubbish-str)"),
            Likeness::Same
        );
    }

    #[test]
    fn a_program_means_what_it_means_and_likeness_has_no_direction() {
        for (number, toy) in generate(Split::Train, SEED, 40).into_iter().enumerate() {
            let example = Example::from(toy);
            let mut variations = Variations::new(&example, [], 30, number as u64);
            let columns = example
                .table
                .columns()
                .iter()
                .map(|column| column.name().to_owned());
            let programs: Vec<Program> = columns
                .flat_map(|column| {
                    [
                        format!("(hop all_rows {column})"),
                        format!("(first all_rows) (hop v0 {column})"),
                        format!("(mode all_rows {column})"),
                    ]
                })
                .map(|text| text.parse().unwrap())
                .collect();
            let meanings: Vec<Meaning> = programs
                .iter()
                .map(|program| variations.meaning(program))
                .collect();
            for (one, meaning) in programs.iter().zip(&meanings) {
                assert_eq!(variations.compare(one, meaning), Likeness::Same, "{one}");
                for (other, its) in programs.iter().zip(&meanings) {
                    let there = variations.compare(other, meaning);
                    assert_eq!(there, variations.compare(one, its), "{one} and {other}");
                }
            }
        }
    }

    #[test]
    fn the_seed_decides_the_variations() {
        let tables = |seed| -> Vec<String> {
            let variations = Variations::new(&example(), [], 6, seed);
            let tables = variations.0.iter().map(|(_, interpreter)| {
                let table = interpreter.context().table();
                let rows = 0..table.rows();
                rows.map(|row| {
                    (0..3)
                        .map(|source| table.cell(row, source))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect::<Vec<_>>()
                .join("\n")
            });
            tables.collect()
        };
        assert_eq!(tables(1), tables(1));
        assert_ne!(tables(1), tables(2));
    }
}
