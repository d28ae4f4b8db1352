//! Wrong answers, by why they are wrong and by what is wrong with them.

use super::StudiedQuestion;
use crate::eval::Prediction;
use mapo_datasets::Example;
use mapo_datasets::scoring::wtq;
use mapo_text as text;
use serde::Serialize;
use std::collections::BTreeMap;

/// Why an answer is wrong. The first that fits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The right answer is in the beams, but another is more probable.
    Ranked,
    /// Exploration finds a right program, but it is not in the beams.
    NotInBeam,
    /// No program was found; the right answer is yes, no or the like.
    NoneFoundYesNo,
    /// No program was found; every item of the right answer is a cell of the table. Some constant or step is
    /// missing.
    NoneFoundCell,
    /// No program was found; the right answer is a number that is no cell: counted or computed.
    NoneFoundNumber,
    /// No program was found; the right answer is a text that is no cell.
    NoneFoundText,
    /// It was not looked for.
    Unexplored,
}

impl Cause {
    /// All, in the order in which they are tried.
    pub const ALL: [Cause; 7] = [
        Cause::Ranked,
        Cause::NotInBeam,
        Cause::NoneFoundYesNo,
        Cause::NoneFoundCell,
        Cause::NoneFoundNumber,
        Cause::NoneFoundText,
        Cause::Unexplored,
    ];

    /// Why a prediction is wrong; nothing if it is right. `solvable` says whether exploration found a right
    /// program, if it was asked.
    pub fn of(prediction: &Prediction, example: &Example, solvable: Option<bool>) -> Option<Cause> {
        if prediction.right {
            return None;
        }
        Some(match solvable {
            _ if prediction.right_in_beam => Cause::Ranked,
            Some(true) => Cause::NotInBeam,
            None => Cause::Unexplored,
            Some(false) => Cause::without_program(example),
        })
    }

    fn without_program(example: &Example) -> Cause {
        let expected = example.answer.texts();
        let is_word = |item: &String| {
            ["yes", "no", "true", "false", "more", "less", "same"].contains(&text::normalize(item).as_str())
        };
        if expected.iter().all(is_word) {
            return Cause::NoneFoundYesNo;
        }
        let table = &example.table;
        let expected = right_values(example);
        let is_cell = |value: &wtq::Value| {
            let mut sources = 0..table.headers().len();
            let is_here = |row, source| value.matches(&wtq::Value::of(table.cell(row, source)));
            sources.any(|source| (0..table.rows()).any(|row| is_here(row, source)))
        };
        if expected.iter().all(is_cell) {
            return Cause::NoneFoundCell;
        }
        match expected.iter().all(is_number) {
            true => Cause::NoneFoundNumber,
            false => Cause::NoneFoundText,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Ranked => "right answer in the beam, another first",
            Cause::NotInBeam => "a program exists, but is not in the beam",
            Cause::NoneFoundYesNo => "no program found: yes or no",
            Cause::NoneFoundCell => "no program found: the answer is a cell",
            Cause::NoneFoundNumber => "no program found: a number that is no cell",
            Cause::NoneFoundText => "no program found: a text that is no cell",
            Cause::Unexplored => "not in the beam, not explored",
        }
    }
}

/// The right answer as the evaluator reads it: where the dataset says that `26 years` is the number 26, it
/// is.
pub(super) fn right_values(example: &Example) -> Vec<wtq::Value> {
    match example.answer.wtq_values() {
        Some(values) => values.to_vec(),
        None => wtq::to_values(example.answer.texts(), &NONE),
    }
}

const NONE: [&str; 0] = [];

fn is_number(value: &wtq::Value) -> bool {
    matches!(value.reading(), wtq::Reading::Number(_))
}

/// In what a wrong answer differs from the right one. The first that fits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// There is no answer.
    Nothing,
    /// Only in form: the same letters and digits, or one is only a number and the other has just this number
    /// in it.
    Form,
    /// All the right items, and more.
    TooMuch,
    /// Some of the right items, and no others.
    TooLittle,
    /// One item, whose words are part of the right one's or the other way round.
    Part,
    /// A number that is off by one.
    OffByOne,
    /// Numbers where text is right, or the other way round.
    OtherType,
    /// Another answer of the same type.
    Other,
}

impl Difference {
    /// All, in the order in which they are tried.
    pub const ALL: [Difference; 8] = [
        Difference::Nothing,
        Difference::Form,
        Difference::TooMuch,
        Difference::TooLittle,
        Difference::Part,
        Difference::OffByOne,
        Difference::OtherType,
        Difference::Other,
    ];

    /// In what a wrong answer differs from the right one, `expected`, which the evaluator reads as `right`.
    pub fn of(answer: &[String], expected: &[String], right: &[wtq::Value]) -> Difference {
        let given = wtq::to_values(answer, &NONE);
        let within = |some: &[wtq::Value], all: &[wtq::Value]| {
            some.iter()
                .all(|item| all.iter().any(|other| item.matches(other)))
        };
        let one = (answer.len() == 1 && expected.len() == 1).then(|| (&answer[0], &expected[0]));
        let number = |item: &String| numbers(item).first().copied();
        if answer.is_empty() {
            Difference::Nothing
        } else if same_form(answer, expected) {
            Difference::Form
        } else if within(right, &given) && given.len() > right.len() {
            Difference::TooMuch
        } else if within(&given, right) && given.len() < right.len() {
            Difference::TooLittle
        } else if one.is_some_and(|(a, b)| !is_number(&given[0]) && !is_number(&right[0]) && is_part(a, b)) {
            Difference::Part
        } else if one.is_some_and(|(a, b)| {
            let pair = number(a)
                .zip(number(b))
                .filter(|_| is_number(&given[0]) && is_number(&right[0]));
            pair.is_some_and(|(a, b)| (a - b).abs() == 1.0)
        }) {
            Difference::OffByOne
        } else if given.iter().all(is_number) != right.iter().all(is_number) {
            Difference::OtherType
        } else {
            Difference::Other
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Difference::Nothing => "no answer",
            Difference::Form => "only the form",
            Difference::TooMuch => "right items and more",
            Difference::TooLittle => "some of the right items",
            Difference::Part => "part of the right item, or the other way round",
            Difference::OffByOne => "off by one",
            Difference::OtherType => "number for text or text for number",
            Difference::Other => "another answer",
        }
    }
}

fn same_form(answer: &[String], expected: &[String]) -> bool {
    let bare = |item: &String| -> String {
        let normal = text::normalize(item);
        normal.chars().filter(|c| c.is_alphanumeric()).collect()
    };
    let alike = |one: &String, other: &String| {
        let (a, b) = (bare(one), bare(other));
        let (x, y) = (numbers(one), numbers(other));
        let only_number = is_only_number(one) || is_only_number(other);
        (!a.is_empty() && a == b) || (only_number && x.len() == 1 && x == y)
    };
    answer.len() == expected.len()
        && expected
            .iter()
            .all(|item| answer.iter().any(|other| alike(item, other)))
        && answer
            .iter()
            .all(|item| expected.iter().any(|other| alike(item, other)))
}

fn is_only_number(item: &str) -> bool {
    item.trim()
        .replace(',', "")
        .parse::<f64>()
        .is_ok_and(f64::is_finite)
}

/// The numbers in a text, commas within them left out.
fn numbers(item: &str) -> Vec<f64> {
    let mut texts = vec![String::new()];
    for c in item.chars() {
        match c {
            '0'..='9' | '.' => texts.iter_mut().rev().take(1).for_each(|text| text.push(c)),
            ',' => {}
            '-' if texts.last().is_some_and(String::is_empty) => texts.push("-".to_owned()),
            _ => texts.push(String::new()),
        }
    }
    texts
        .iter()
        .filter_map(|text| text.trim_end_matches('.').parse().ok())
        .collect()
}

/// Whether the words of one are a run of the words of the other.
fn is_part(one: &str, other: &str) -> bool {
    let words = |item: &str| -> Vec<String> {
        let normal = text::normalize(item);
        let words = normal.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (a, b) = (words(one), words(other));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    !short.is_empty() && long.windows(short.len()).any(|window| window == short)
}

/// How many wrong answers there are of each sort.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ErrorCounts {
    /// All wrong answers.
    pub wrong: usize,
    /// By why.
    pub causes: BTreeMap<Cause, usize>,
    /// By what.
    pub differences: BTreeMap<Difference, usize>,
}

impl ErrorCounts {
    pub(super) fn new(each: &[StudiedQuestion]) -> Self {
        let mut counts = ErrorCounts::default();
        for question in each {
            if let (Some(cause), Some(difference)) = (question.cause, question.difference) {
                counts.wrong += 1;
                *counts.causes.entry(cause).or_default() += 1;
                *counts.differences.entry(difference).or_default() += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_follow_their_rules() {
        let cases: [(&[&str], &[&str], Difference); 15] = [
            (&[], &["a"], Difference::Nothing),
            (&["12467"], &["12,467 people"], Difference::Form),
            (&["$5"], &["5"], Difference::Form),
            (&["new-york"], &["New York"], Difference::Form),
            (&["a", "b"], &["a"], Difference::TooMuch),
            (&["a"], &["a", "b"], Difference::TooLittle),
            (&["bangkok"], &["Bangkok, Thailand"], Difference::Part),
            (&["bangkok, thailand"], &["Bangkok"], Difference::Part),
            (&["4"], &["5"], Difference::OffByOne),
            (&["-1"], &["0"], Difference::OffByOne),
            (&["4"], &["6"], Difference::Other),
            (&["4"], &["four score"], Difference::OtherType),
            (&["anne"], &["3"], Difference::OtherType),
            (&["anne"], &["annette"], Difference::Other),
            (&["a", "b"], &["c", "d"], Difference::Other),
        ];
        for (answer, expected, difference) in cases {
            let list =
                |items: &[&str]| -> Vec<String> { items.iter().map(|item| (*item).to_owned()).collect() };
            let expected = list(expected);
            let found = Difference::of(&list(answer), &expected, &wtq::to_values(&expected, &NONE));
            assert_eq!(found, difference, "{answer:?} for {expected:?}");
        }
    }
}
