//! Verdicts on WikiSQL answers.
//!
//! An answer is an ordered list, compared item by item, duplicates and all, without tolerance; missing values
//! are left out on both sides. Text that is a decimal number counts as that exact number, so the text `1.1`,
//! eleven tenths, is not the double 1.1, which is a little more.

mod decimal;
pub mod predictions;

use crate::scoring::Item;
use crate::wikisql::engine::Answer;
use decimal::Number;
use mapo_text::lower;

/// What a verdict is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A reward in training. No answer is right where the right one is missing: else any program that finds
    /// nothing would be rewarded.
    Training,
    /// A measurement. Where the right answer is missing an empty one is right, as in the published figures.
    Evaluation,
}

/// The right answer of one question, made ready for comparison.
///
/// ```
/// use mapo_datasets::wikisql::engine::Answer;
/// use mapo_datasets::scoring::Item;
/// use mapo_datasets::scoring::wikisql::{Purpose, Target};
/// let target = Target::new(&[Answer::Text("1,996".to_owned()), Answer::Number(2.0)]);
/// assert!(target.matches([Item::Number(1996.0), Item::Text("2.0")], Purpose::Training));
/// assert!(!target.matches([Item::Text("2.0"), Item::Number(1996.0)], Purpose::Training));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    items: Vec<Expected>,
}

/// An item of the right answer.
#[derive(Clone, Debug, PartialEq)]
enum Expected {
    Number(Number),
    /// In lower case.
    Text(String),
}

impl Target {
    /// Makes a target from a query's answer.
    pub fn new(answer: &[Answer]) -> Self {
        let items = answer.iter().filter_map(|item| match item {
            Answer::Null => None,
            Answer::Number(number) => Some(Expected::Number(Number::Double(*number))),
            Answer::Text(text) => Some(match Number::parse(text) {
                Some(number) => Expected::Number(number),
                None => Expected::Text(text.chars().map(lower).collect()),
            }),
        });
        Target {
            items: items.collect(),
        }
    }

    /// Whether the right answer holds nothing, as when the gold query's answer is NULL.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether an answer is right.
    pub fn matches<'a>(&self, predictions: impl IntoIterator<Item = Item<'a>>, purpose: Purpose) -> bool {
        if self.is_empty() && purpose == Purpose::Training {
            return false;
        }
        let mut predictions = predictions.into_iter();
        let (least, most) = predictions.size_hint();
        if least > self.items.len() || most.is_some_and(|most| most < self.items.len()) {
            return false;
        }
        self.items
            .iter()
            .all(|expected| predictions.next().is_some_and(|item| expected.is(item)))
            && predictions.next().is_none()
    }
}

impl Expected {
    fn is(&self, item: Item<'_>) -> bool {
        match (self, item) {
            (Expected::Number(expected), Item::Number(number)) => *expected == Number::Double(number),
            (Expected::Text(_), Item::Number(_)) => false,
            (Expected::Number(expected), Item::Text(text)) => Number::parse(text).as_ref() == Some(expected),
            // Decimals are read whatever their case, so what equals this text in lower case is no decimal
            // either.
            (Expected::Text(expected), Item::Text(text)) => text.chars().map(lower).eq(expected.chars()),
            (expected, Item::Date(date)) => expected.is(Item::Text(&date.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Answer {
        Answer::Text(text.to_owned())
    }

    fn right(answer: &[Answer], items: &[Item<'_>]) -> bool {
        Target::new(answer).matches(items.iter().copied(), Purpose::Evaluation)
    }

    #[test]
    fn order_and_duplicates_count() {
        assert!(right(
            &[text("a"), text("a"), text("b")],
            &[Item::Text("A"), Item::Text("a"), Item::Text("B")]
        ));
        assert!(!right(
            &[text("a"), text("b")],
            &[Item::Text("b"), Item::Text("a")]
        ));
        assert!(!right(&[text("a")], &[Item::Text("a"), Item::Text("a")]));
        assert!(!right(&[text("a"), text("a")], &[Item::Text("a")]));
    }

    #[test]
    fn text_that_is_a_decimal_is_that_exact_number() {
        assert!(right(&[text("1,234")], &[Item::Number(1234.0)]));
        assert!(right(&[text("1.50")], &[Item::Text("1.5")]));
        assert!(right(&[text("1.5")], &[Item::Number(1.5)]));
        assert!(right(&[text("1e5")], &[Item::Text("100,000")]));
        assert!(!right(&[text("1.1")], &[Item::Number(1.1)]));
        assert!(right(&[text("1.1")], &[Item::Text("1.10")]));
        assert!(!right(&[Answer::Number(1.1)], &[Item::Text("1.1")]));
        assert!(right(&[Answer::Number(1.1)], &[Item::Number(1.1)]));
        assert!(!right(&[Answer::Number(0.3)], &[Item::Number(0.1 + 0.2)]));
        assert!(!right(&[text("nan")], &[Item::Text("nan")]));
    }

    #[test]
    fn missing_values_are_left_out_and_never_rewarded_in_training() {
        let null = Target::new(&[Answer::Null]);
        assert!(null.is_empty());
        assert!(null.matches([], Purpose::Evaluation));
        assert!(!null.matches([], Purpose::Training));
        assert!(!null.matches([Item::Number(0.0)], Purpose::Evaluation));
        assert!(right(&[Answer::Null, text("a")], &[Item::Text("a")]));
    }

    #[test]
    fn a_date_counts_as_its_text() {
        assert!(right(
            &[text("2004-09-xx")],
            &[Item::Date("2004-09-xx".parse().unwrap())]
        ));
    }
}
