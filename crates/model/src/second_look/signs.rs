//! The signs by which an answer is judged a second time.
//!
//! Each is a number that follows from the question, the program and the answer. None is about a table or a wording
//! of its own. Only differences between the answers to one question count, so a sign that all of them share says
//! nothing. To add one, give it a line in [`SIGNS`]; models that were fitted before do not weigh it.

use super::asked::Asked;
use super::told::{Condition, Kind, Told};
use std::collections::BTreeSet;

/// Something that is seen of an answer.
pub struct Sign {
    /// What it is called in a model's card.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// The number.
    pub(super) of: fn(&Beside<'_>) -> f64,
}

impl std::fmt::Debug for Sign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What all signs of an answer say, in the order of [`SIGNS`].
pub type Values = [f64; SIGNS.len()];

/// An answer beside the question and the other answers.
pub struct Beside<'a> {
    pub asked: &'a Asked<'a>,
    pub told: &'a Told,
    pub all: &'a [Told],
}

/// The sign that is the network's own.
pub const BELIEF: &str = "belief";

/// Less probable answers are not told apart.
const LEAST: f64 = 1e-9;
/// What is counted is counted up to here.
const MOST: usize = 4;

/// All signs.
pub const SIGNS: [Sign; 33] = [
    Sign {
        name: BELIEF,
        about: "the logarithm of the probability that the network gives to the programs with this answer",
        of: |it| it.told.probability.max(LEAST).ln(),
    },
    Sign {
        name: "agreement",
        about: "the logarithm of how many programs of the beam give it",
        of: |it| (it.told.programs.max(1) as f64).ln(),
    },
    Sign {
        name: "said_otherwise",
        about: "what other answers that read the same have of the probability, as the number 7 and the text 7",
        of: |it| {
            let same = |other: &&Told| !other.text.is_empty() && other.text == it.told.text;
            let all: f64 = it.all.iter().filter(same).map(|other| other.probability).sum();
            (all - it.told.probability).max(0.0)
        },
    },
    Sign {
        name: "named",
        about: "the share of what the question names, values in the table and words of headers, that the program uses",
        of: |it| it.told.relevance,
    },
    Sign {
        name: "values_left_out",
        about: "values in the table that the question names and the program does not use",
        of: |it| counted(values_left_out(it)),
    },
    Sign {
        name: "columns_not_named",
        about: "columns that the program uses and the question does not name",
        of: |it| {
            let is_unnamed = |column: &&mapo_tables::ColumnId| {
                let named = it.asked.question.column_features.get(column.0 as usize);
                named.is_none_or(|words| *words == 0)
            };
            counted(it.told.columns.iter().filter(is_unnamed).count())
        },
    },
    Sign {
        name: "expressions",
        about: "the number of expressions",
        of: |it| it.told.functions.len() as f64,
    },
    Sign {
        name: "idle",
        about: "the result of an expression is used by nothing",
        of: |it| so(it.told.idle),
    },
    Sign {
        name: "unsuggested",
        about: "functions of the program that need a word of the question to suggest them and have none",
        of: |it| {
            let is_unsuggested = |function: &&mapo_language::Function| {
                let suggested = it
                    .asked
                    .suggestions
                    .iter()
                    .flatten()
                    .any(|other| other == *function);
                !function.definition().triggers.is_empty() && !suggested
            };
            counted(it.told.functions.iter().filter(is_unsuggested).count())
        },
    },
    Sign {
        name: "unheeded",
        about: "words of the question that suggest functions none of which is in the program",
        of: |it| {
            let is_unheeded = |suggested: &&Vec<mapo_language::Function>| {
                !suggested
                    .iter()
                    .any(|function| it.told.functions.contains(function))
            };
            counted(it.asked.suggestions.iter().filter(is_unheeded).count())
        },
    },
    Sign {
        name: "amount_is_a_number",
        about: "how many or how much is asked, and the answer is a number",
        of: |it| so(it.asked.amount && it.told.kind == Kind::Number),
    },
    Sign {
        name: "number_unasked",
        about: "neither an amount nor a time is asked for, and the answer is a calculated number",
        of: |it| {
            let calculated = it.told.kind == Kind::Number && it.told.read_from.is_none();
            so(!it.asked.amount && !it.asked.time && calculated)
        },
    },
    Sign {
        name: "amount_is_calculated",
        about: "how many or how much is asked, and the number stands in no cell",
        of: |it| so(it.asked.amount && it.told.kind == Kind::Number && it.told.read_from.is_none()),
    },
    Sign {
        name: "time_is_a_time",
        about: "a time is asked for, and the answer has a year or is a date",
        of: |it| so(it.asked.time && (it.told.is_time || it.told.kind == Kind::Date)),
    },
    Sign {
        name: "time_unasked",
        about: "no time is asked for, and the answer has a year or is a date",
        of: |it| so(!it.asked.time && (it.told.is_time || it.told.kind == Kind::Date)),
    },
    Sign {
        name: "yes_or_no_asked",
        about: "yes or no is asked for, and is the answer",
        of: |it| so(it.asked.yes_no && it.told.kind == Kind::Truth),
    },
    Sign {
        name: "yes_or_no_unasked",
        about: "something else is asked for, and the answer is yes or no",
        of: |it| so(!it.asked.yes_no && it.told.kind == Kind::Truth),
    },
    Sign {
        name: "items",
        about: "the logarithm of one more than the number of items",
        of: |it| (1.0 + it.told.items as f64).ln(),
    },
    Sign {
        name: "several_for_one",
        about: "one thing is asked for, and the answer has several items",
        of: |it| so(it.asked.one && it.told.items > 1),
    },
    Sign {
        name: "one_for_several",
        about: "several things are asked for, and the answer has one item",
        of: |it| so(it.asked.several && it.told.items == 1),
    },
    Sign {
        name: "said_already",
        about: "the question says the answer itself, and does not let one choose",
        of: |it| so(!it.asked.one_of && it.told.said),
    },
    Sign {
        name: "one_of_those_named",
        about: "the question lets one choose, and says the answer",
        of: |it| so(it.asked.one_of && it.told.said),
    },
    Sign {
        name: "column_asked_for",
        about: "the answer is read from a column whose name comes after what or which",
        of: |it| {
            so(it
                .told
                .read_from
                .is_some_and(|column| it.asked.columns.contains(&column)))
        },
    },
    Sign {
        name: "column_of_a_condition",
        about: "the answer is read from a column that a condition is put on",
        of: |it| {
            so(it
                .told
                .read_from
                .is_some_and(|column| it.told.conditions.iter().any(|one| one.column == column)))
        },
    },
    Sign {
        name: "nothing",
        about: "the answer has no item, or is zero",
        of: |it| so(it.told.items == 0 || it.told.number == Some(0.0)),
    },
    Sign {
        name: "rows",
        about: "the answer is rows, which answer nothing",
        of: |it| so(it.told.is_rows),
    },
    Sign {
        name: "name_of_the_row",
        about: "no column is asked for, and the answer is read from the column that names the rows",
        of: |it| {
            so(it.asked.columns.is_empty() && source(it).is_some_and(|read| it.asked.names == Some(read)))
        },
    },
    Sign {
        name: "place_of_the_column",
        about: "the logarithm of the place, from the left, of the column that the answer is read from",
        of: |it| source(it).map_or(0.0, |read| (1.0 + read as f64).ln()),
    },
    Sign {
        name: "beside_its_column",
        about: "conditions whose value stands beside a word of their column's header",
        of: |it| counted(beside(it, true)),
    },
    Sign {
        name: "beside_another_column",
        about: "conditions whose value stands beside words of other columns' headers only",
        of: |it| counted(beside(it, false)),
    },
    Sign {
        name: "said_twice",
        about: "values that more than one condition names",
        of: |it| {
            let all: Vec<usize> = it
                .told
                .conditions
                .iter()
                .flat_map(|one| one.mentions.iter().copied())
                .collect();
            let distinct: BTreeSet<&usize> = all.iter().collect();
            counted(all.len() - distinct.len())
        },
    },
    Sign {
        name: "part_of_a_cell",
        about: "conditions whose value is only a part of cells of their column, and a whole cell elsewhere",
        of: |it| {
            let is_whole = |place: &usize| it.asked.is_whole[*place];
            let conditions = it.told.conditions.iter();
            counted(
                conditions
                    .filter(|one| one.is_part && one.mentions.iter().any(is_whole))
                    .count(),
            )
        },
    },
    Sign {
        name: "figure_for_a_name",
        about: "a person or a place is asked for, and the answer is a figure",
        of: |it| so(it.asked.who_or_where && it.told.is_figure),
    },
];

fn so(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

fn counted(count: usize) -> f64 {
    count.min(MOST) as f64
}

/// The column of the file that the answer is read from.
fn source(it: &Beside<'_>) -> Option<usize> {
    it.told.read_from.map(|column| it.asked.source(column))
}

/// How many tokens may stand between a value and a word of the header that it belongs to.
const REACH: usize = 2;

/// Conditions whose value stands beside a word of their own column's header, or of other columns' only.
fn beside(it: &Beside<'_>, own: bool) -> usize {
    let stands = |condition: &&Condition| {
        let column = it.asked.source(condition.column);
        let mut beside = condition
            .mentions
            .iter()
            .flat_map(|place| it.asked.headers_beside(*place, REACH))
            .peekable();
        let any = beside.peek().is_some();
        let is_own = beside.any(|header| header == column);
        if own { is_own } else { any && !is_own }
    };
    it.told.conditions.iter().filter(stands).count()
}

/// Values of the question that are in the table and whose words no used value has.
fn values_left_out(it: &Beside<'_>) -> usize {
    let question = it.asked.question;
    let in_table = |place: &usize| {
        let span = question.mentions[*place].span.clone();
        question.features[span].contains(&1)
    };
    let is_used = |place: &usize| {
        let span = &question.mentions[*place].span;
        let shares = |used: &usize| {
            let other = &question.mentions[*used].span;
            span.start < other.end && other.start < span.end
        };
        it.told.mentions.iter().any(shares)
    };
    let mut left: Vec<usize> = Vec::new();
    for place in (0..question.mentions.len()).filter(in_table) {
        let start = question.mentions[place].span.start;
        // What overlaps is one thing in several readings.
        if !is_used(&place) && !left.contains(&start) {
            left.push(start);
        }
    }
    left.len()
}
