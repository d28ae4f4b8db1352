//! The values an answer's items are read as, and when they match.

use std::fmt;

use super::number::{Amount, Integer};
use mapo_text::normalize;

/// One item of an answer: what it is read as, and its text's normal form.
#[derive(Clone, Debug)]
pub struct Value {
    reading: Reading,
    normal: String,
}

/// What an item is read as.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Text that is neither number nor date.
    String,
    /// A number; a date of which only the year is known is one too.
    Number(Amount),
    /// A date with more than a year.
    Date(PartialDate),
}

/// A date as the evaluator reads it: no calendar, any year that is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialDate {
    /// The year.
    pub year: Option<Integer>,
    /// The month, 1 to 12.
    pub month: Option<u8>,
    /// The day, 1 to 31.
    pub day: Option<u8>,
}

impl Value {
    /// The value of an item of a prediction.
    pub fn of(original: &str) -> Self {
        Value::with_canon(original, "")
    }

    /// The value of an item of a target. It is read from `canon`, the dataset's canonical form, unless that
    /// is empty; its normal form comes from `original`.
    pub fn with_canon(original: &str, canon: &str) -> Self {
        let reading = Reading::of(if canon.is_empty() { original } else { canon });
        let normal = match &reading {
            Reading::Number(amount) if original.is_empty() => amount.to_string(),
            Reading::Date(date) if original.is_empty() => date.to_string(),
            _ => normalize(original),
        };
        Value { reading, normal }
    }

    /// What the item is read as.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The normal form of the item's text.
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Whether two values are one when an answer's items are counted: strings by normal form, numbers by
    /// amount without tolerance, dates by their parts.
    pub fn is_same_as(&self, other: &Value) -> bool {
        self.reading == other.reading && (self.reading != Reading::String || self.normal == other.normal)
    }

    /// Whether a value of the target is met by one of the prediction: equal normal forms, or close numbers,
    /// or equal dates.
    pub fn matches(&self, other: &Value) -> bool {
        self.normal == other.normal
            || match (&self.reading, &other.reading) {
                (Reading::Number(a), Reading::Number(b)) => a.is_close_to(b),
                (Reading::Date(a), Reading::Date(b)) => a == b,
                _ => false,
            }
    }
}

impl Reading {
    /// Reads a text as the evaluator does: a number if it can be, else a date, else a string.
    pub fn of(text: &str) -> Self {
        if let Some(amount) = Amount::parse(text) {
            return Reading::Number(amount);
        }
        match PartialDate::parse(text) {
            Some(PartialDate {
                year: Some(year),
                month: None,
                day: None,
            }) => Reading::Number(Amount::Integer(year)),
            Some(date) => Reading::Date(date),
            None => Reading::String,
        }
    }
}

impl PartialDate {
    /// Reads `year-month-day` with `x` for what is unknown, `None` if the text is no such date.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let date = PartialDate {
            year: if year.eq_ignore_ascii_case("xxxx") {
                None
            } else {
                part(year)?
            },
            month: small_part(month, 12)?,
            day: small_part(day, 31)?,
        };
        (date.year.is_some() || date.month.is_some() || date.day.is_some()).then_some(date)
    }
}

/// An integer, or `xx` for unknown; `None` for anything else.
fn part(text: &str) -> Option<Option<Integer>> {
    if text.eq_ignore_ascii_case("xx") {
        return Some(None);
    }
    Integer::parse(text).map(Some)
}

fn small_part(text: &str, last: u8) -> Option<Option<u8>> {
    match part(text)? {
        None => Some(None),
        Some(Integer::Small(value)) => match u8::try_from(value) {
            Ok(value) if (1..=last).contains(&value) => Some(Some(value)),
            _ => None,
        },
        Some(Integer::Large { .. }) => None,
    }
}

/// As the evaluator prints dates: without padding, and an unknown day as `-1`.
impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.year {
            Some(year) => write!(f, "{year}-")?,
            None => f.write_str("xx-")?,
        }
        match self.month {
            Some(month) => write!(f, "{month}-")?,
            None => f.write_str("xx-")?,
        }
        match self.day {
            Some(day) => day.fmt(f),
            None => f.write_str("-1"),
        }
    }
}

/// The distinct values of an answer, the first of equals surviving. `canons` holds the canonical forms of a
/// target's items; where it is shorter than `originals`, as for predictions, which have none, the originals
/// are read.
pub fn to_values(originals: &[impl AsRef<str>], canons: &[impl AsRef<str>]) -> Vec<Value> {
    let canons = canons.iter().map(AsRef::as_ref).chain(std::iter::repeat(""));
    let mut values: Vec<Value> = Vec::with_capacity(originals.len());
    for (original, canon) in originals.iter().zip(canons) {
        let value = Value::with_canon(original.as_ref(), canon);
        if !values.iter().any(|seen| seen.is_same_as(&value)) {
            values.push(value);
        }
    }
    values
}

/// Whether a prediction is right: as many values as the target, and each of the target's matched by some of
/// its. Both lists must hold distinct values, as [`to_values`] gives them.
pub fn check(targets: &[Value], predictions: &[Value]) -> bool {
    targets.len() == predictions.len()
        && targets
            .iter()
            .all(|target| predictions.iter().any(|prediction| target.matches(prediction)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NONE: [&str; 0] = [];

    fn right(target: &[&str], canon: &[&str], prediction: &[&str]) -> bool {
        check(&to_values(target, canon), &to_values(prediction, &NONE))
    }

    fn printed(canon: &str) -> String {
        Value::with_canon("", canon).normal().to_owned()
    }

    #[test]
    fn reads_dates() {
        let date = |text| match Reading::of(text) {
            Reading::Date(date) => date.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(date("2004-09-XX"), "2004-9--1");
        assert_eq!(date("xx-7-8"), "xx-7-8");
        assert_eq!(date("XXXX-07-08"), "xx-7-8");
        assert_eq!(date("2004-xx- 31 "), "2004-xx-31");
        assert_eq!(date("99999999999999999999-2-30"), "99999999999999999999-2-30");
        for text in [
            "xxxx-xx-xx",
            "2004-13-01",
            "2004-1-32",
            "2004-0-1",
            "2004- xx-1",
            "xxx-1-1",
            "1-2",
            "1-2-3-4",
        ] {
            assert_eq!(Reading::of(text), Reading::String, "{text}");
        }
    }

    #[test]
    fn reads_a_bare_year_as_a_number() {
        assert_eq!(Reading::of("2004-xx-xx"), Reading::of("2004"));
        assert!(right(&["2004"], &["2004.0"], &["2004-xx-xx"]));
        assert!(!right(&["2004-09-xx"], &[], &["2004"]));
    }

    #[test]
    fn prints_values_without_text() {
        assert_eq!(printed("5.0"), "5");
        assert_eq!(printed("2346079.588235294"), "2346079.58824");
        assert_eq!(printed("xx-07-xx"), "xx-7--1");
        assert_eq!(printed("tulsa"), "");
    }

    #[test]
    fn counts_equal_items_once_but_types_apart() {
        assert!(right(&["a", "b"], &[], &["B", "a", "A (x)"]));
        assert!(!right(&["a"], &[], &["a", "b"]));
        assert!(right(&["5"], &[], &["5", "5.0", "05"]));
        // The string "5" (from "5[1]") and the number 5 are two items.
        assert!(!right(&["5"], &[], &["5", "5[1]"]));
    }

    #[test]
    fn is_not_one_to_one() {
        assert!(right(&["2.5", "2.5000001"], &[], &["2.5", "other"]));
        assert!(right(&[], &[], &[]));
        assert!(!right(&[""], &[], &[]));
    }

    proptest! {
        #[test]
        fn an_answer_is_right_against_itself(items in prop::collection::vec("[0-9a-cx.\\-e ()+]{0,8}", 0..6)) {
            let values = to_values(&items, &NONE);
            prop_assert!(check(&values, &values));
        }

        #[test]
        fn any_text_has_a_value(text in any::<String>()) {
            let value = Value::of(&text);
            prop_assert!(value.matches(&value) && value.is_same_as(&value));
        }
    }
}
