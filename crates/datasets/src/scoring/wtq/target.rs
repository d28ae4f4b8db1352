//! The right answer of one question, made ready to be compared with many programs' results.

use std::fmt::Write;
use std::ops::Range;

use super::number::{Amount, Integer, is_close};
use super::value::{Reading, Value, check, to_values};
use crate::scoring::Item;
use mapo_text::Date;
use mapo_text::append_normalized;

/// The right answer of one question, made ready for comparison.
///
/// ```
/// use mapo_datasets::scoring::Item;
/// use mapo_datasets::scoring::wtq::{Scratch, Target};
/// let target = Target::new(&["2004".to_owned()], &["2004.0".to_owned()]);
/// let mut scratch = Scratch::default();
/// assert!(target.matches([Item::Number(2004.0)], &mut scratch));
/// assert!(target.matches([Item::Date("2004-xx-xx".parse().unwrap())], &mut scratch));
/// assert!(!target.matches([Item::Text("2004"), Item::Text("tulsa")], &mut scratch));
/// ```
#[derive(Clone, Debug)]
pub struct Target {
    values: Vec<Value>,
    /// What the values are, in a form that is cheap to compare; `None` if one of them is beyond it.
    kinds: Option<Vec<Kind>>,
    /// Whether a number's printed form can match where its amount does not, so that it must be printed.
    texts_of_numbers: bool,
    /// The same for dates.
    texts_of_dates: bool,
}

/// The memory that comparing needs. Keep one for each thread and pass it to every call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    text: String,
    printed: String,
    seen: Vec<Seen>,
}

/// What an item is, as in [`Reading`], with integers and years in a machine word.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    String,
    Integer(i64),
    Fraction(f64),
    Date(Option<i64>, Option<u8>, Option<u8>),
}

/// A distinct item of the prediction.
#[derive(Clone, Debug)]
struct Seen {
    kind: Kind,
    /// Where its normal form is in the scratch text; `None` when it was not needed.
    normal: Option<Range<usize>>,
}

impl Target {
    /// Makes a target from the dataset's `targetValue` and `targetCanon` lists, split and unescaped.
    pub fn new(target: &[String], canon: &[String]) -> Self {
        Target::from_values(to_values(target, canon))
    }

    /// Makes a target from distinct values.
    pub fn from_values(values: Vec<Value>) -> Self {
        let differs = |value: &Value| *value.reading() != Reading::of(value.normal());
        Target {
            kinds: values.iter().map(|value| Kind::of(value.reading())).collect(),
            texts_of_numbers: values
                .iter()
                .any(|v| looks_printed(v.normal(), "-.") && differs(v)),
            texts_of_dates: values
                .iter()
                .any(|v| looks_printed(v.normal(), "-x") && differs(v)),
            values,
        }
    }

    /// The distinct values of the right answer.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Whether an answer is right.
    ///
    /// The verdict is the official evaluator's on the items' printed forms. Numbers keep their full
    /// precision.
    pub fn matches<'a, I>(&self, predictions: I, scratch: &mut Scratch) -> bool
    where
        I: IntoIterator<Item = Item<'a>>,
        I::IntoIter: Clone,
    {
        let predictions = predictions.into_iter();
        if predictions
            .size_hint()
            .1
            .is_some_and(|most| most < self.values.len())
        {
            return false;
        }
        let verdict = self
            .kinds
            .as_deref()
            .and_then(|kinds| self.matches_in_words(kinds, predictions.clone(), scratch));
        verdict.unwrap_or_else(|| self.matches_in_full(predictions))
    }

    /// The verdict, or `None` if a number does not fit a machine word.
    fn matches_in_words<'a>(
        &self,
        kinds: &[Kind],
        predictions: impl Iterator<Item = Item<'a>>,
        scratch: &mut Scratch,
    ) -> Option<bool> {
        let Scratch { text, printed, seen } = scratch;
        text.clear();
        seen.clear();
        for item in predictions {
            let item = self.read(item, text, printed)?;
            if seen.iter().any(|other| other.is_same_as(&item, text)) {
                continue;
            }
            if seen.len() == kinds.len() {
                return Some(false); // more distinct items than the target has
            }
            let alone = kinds.len() == 1;
            if alone && !item.meets(kinds[0], &self.values[0], text) {
                return Some(false);
            }
            seen.push(item);
        }
        let right = seen.len() == kinds.len()
            && kinds
                .iter()
                .zip(&self.values)
                .all(|(&kind, value)| seen.iter().any(|item| item.meets(kind, value, text)));
        Some(right)
    }

    /// Reads one item, adding its normal form to `text` if it can matter; `None` if it does not fit a machine
    /// word.
    fn read(&self, item: Item<'_>, text: &mut String, printed: &mut String) -> Option<Seen> {
        let (kind, print) = match item {
            Item::Text(raw) => {
                let kind = Kind::of(&Reading::of(raw))?;
                return Some(Seen {
                    kind,
                    normal: Some(append(raw, text)),
                });
            }
            Item::Number(number) => (Kind::of_number(number), self.texts_of_numbers),
            Item::Date(date) => (Kind::of_date(date), self.texts_of_dates),
        };
        match kind {
            Some(kind) if !print => Some(Seen { kind, normal: None }),
            _ => {
                printed.clear();
                // Writing into a string cannot fail.
                let _ = write!(printed, "{item}");
                let kind = match kind {
                    Some(kind) => kind,
                    None => Kind::of(&Reading::of(printed))?,
                };
                Some(Seen {
                    kind,
                    normal: Some(append(printed, text)),
                })
            }
        }
    }

    /// The plain way, by the text of every item.
    fn matches_in_full<'a>(&self, predictions: impl Iterator<Item = Item<'a>>) -> bool {
        let texts: Vec<String> = predictions.map(|item| item.to_string()).collect();
        check(&self.values, &to_values(&texts, &[""; 0]))
    }
}

/// Whether a text consists of digits and `others`, as printed numbers and dates do.
fn looks_printed(text: &str, others: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || others.contains(c))
}

fn append(raw: &str, text: &mut String) -> Range<usize> {
    let start = text.len();
    append_normalized(raw, text);
    start..text.len()
}

impl Kind {
    fn of(reading: &Reading) -> Option<Self> {
        Some(match reading {
            Reading::String => Kind::String,
            Reading::Number(Amount::Integer(Integer::Small(integer))) => Kind::Integer(*integer),
            Reading::Number(Amount::Fraction(fraction)) => Kind::Fraction(*fraction),
            Reading::Date(date) => match date.year {
                None => Kind::Date(None, date.month, date.day),
                Some(Integer::Small(year)) => Kind::Date(Some(year), date.month, date.day),
                Some(Integer::Large { .. }) => return None,
            },
            Reading::Number(Amount::Integer(Integer::Large { .. })) => return None,
        })
    }

    /// What a number is, `None` where that is best read from its printed form.
    fn of_number(number: f64) -> Option<Self> {
        // From here on the shortest printed form of a double may be another integer than the double.
        const LAST: f64 = 9_007_199_254_740_992.0;
        if number.is_nan() || number.abs() >= LAST {
            return None;
        }
        // Most numbers are integers, and this test is cheaper than rounding.
        let whole = number as i64;
        if whole as f64 == number {
            return Some(Kind::Integer(whole));
        }
        Kind::of(&Reading::Number(Amount::of(number)?))
    }

    /// What a date is, `None` where that is best read from its printed form.
    fn of_date(date: Date) -> Option<Self> {
        match (date.year, date.month, date.day) {
            (Some(..0), ..) | (None, None, None) => None,
            (Some(year), None, None) => Some(Kind::Integer(year.into())),
            (year, month, day) => Some(Kind::Date(year.map(i64::from), month, day)),
        }
    }

    fn is_close_to(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::String, _) | (_, Kind::String) => false,
            (Kind::Fraction(a), Kind::Fraction(b)) => is_close(a, b),
            (Kind::Fraction(a), Kind::Integer(b)) | (Kind::Integer(b), Kind::Fraction(a)) => {
                is_close(a, b as f64)
            }
            (a, b) => a == b,
        }
    }
}

impl Seen {
    fn is_same_as(&self, other: &Seen, text: &str) -> bool {
        self.kind == other.kind && (self.kind != Kind::String || self.normal(text) == other.normal(text))
    }

    fn meets(&self, kind: Kind, value: &Value, text: &str) -> bool {
        kind.is_close_to(self.kind) || self.normal(text) == Some(value.normal())
    }

    fn normal<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.normal.clone().map(|range| &text[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn target(items: &[&str]) -> Target {
        Target::from_values(to_values(items, &[""; 0]))
    }

    fn matches(target: &Target, items: &[Item<'_>]) -> bool {
        target.matches(items.iter().copied(), &mut Scratch::default())
    }

    #[test]
    fn a_number_is_a_number_however_it_is_written() {
        for written in ["3", "3.0", "3e0", "٣"] {
            assert!(matches(&target(&[written]), &[Item::Number(3.0)]), "{written}");
        }
        assert!(matches(
            &target(&["2346079.588235294"]),
            &[Item::Number(2346079.588235294)]
        ));
        assert!(!matches(
            &target(&["2346079.588235294"]),
            &[Item::Number(2346079.58824)]
        ));
        assert!(!matches(&target(&["3"]), &[Item::Number(f64::NAN)]));
        assert!(matches(&target(&["0"]), &[Item::Number(-0.0)]));
    }

    #[test]
    fn a_date_of_a_year_is_a_number() {
        let year = Item::Date(Date::of_year(2004));
        assert!(matches(&target(&["2004"]), &[year]));
        assert!(matches(
            &target(&["2004"]),
            &[year, Item::Number(2004.0), Item::Text("2004")]
        ));
        assert!(matches(
            &target(&["2004-9-xx"]),
            &[Item::Date("2004-09-xx".parse().unwrap())]
        ));
    }

    #[test]
    fn the_printed_form_counts_where_the_target_is_read_otherwise() {
        // The target is a string whose normal form is "3".
        assert!(matches(&target(&["3 (x)"]), &[Item::Number(3.0)]));
        assert!(matches(
            &target(&["2004-09-xx[1]"]),
            &[Item::Date("2004-09-xx".parse().unwrap())]
        ));
    }

    #[test]
    fn numbers_beyond_a_machine_word_are_compared_too() {
        let huge = target(&["100000000000000000000000"]);
        assert!(matches(&huge, &[Item::Number(1e23)]));
        assert!(matches(&huge, &[Item::Text("1e23")]) == check(huge.values(), &[Value::of("1e23")]));
        assert!(!matches(&target(&["1"]), &[Item::Number(1e23)]));
    }

    #[test]
    fn the_empty_answer_is_right_for_the_empty_target_only() {
        assert!(matches(&target(&[]), &[]));
        assert!(!matches(&target(&[]), &[Item::Number(1.0)]));
        assert!(!matches(&target(&["a"]), &[]));
    }

    fn some_number() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-3i32..3).prop_map(f64::from),
            Just(2.5),
            Just(2.5000004),
            Just(1.9999999),
            Just(1e-7),
            Just(-0.0),
            Just(1e23),
            Just(9007199254740993.0),
            Just(f64::NAN),
            Just(f64::NEG_INFINITY),
        ]
    }

    fn some_date() -> impl Strategy<Value = Date> {
        let year = prop::option::of(prop_oneof![Just(2004), Just(-44), Just(2)]);
        (year, prop::option::of(1u8..3), prop::option::of(1u8..3)).prop_map(|(year, month, day)| Date {
            year,
            month,
            day,
        })
    }

    #[derive(Clone, Debug)]
    enum Owned {
        Number(f64),
        Date(Date),
        Text(String),
    }

    impl Owned {
        fn item(&self) -> Item<'_> {
            match self {
                Owned::Number(number) => Item::Number(*number),
                Owned::Date(date) => Item::Date(*date),
                Owned::Text(text) => Item::Text(text),
            }
        }
    }

    fn some_item() -> impl Strategy<Value = Owned> {
        let texts = prop_oneof![
            some_number().prop_map(|n| n.to_string()),
            some_date().prop_map(|d| d.to_string()),
            (some_number(), "( \\(x\\)|\\[1\\]|\\.| )").prop_map(|(n, tail)| format!("{n}{tail}")),
            "[abé]{0,2}( \\(x\\))?",
        ];
        prop_oneof![
            some_number().prop_map(Owned::Number),
            some_date().prop_map(Owned::Date),
            texts.prop_map(Owned::Text),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn agrees_with_the_evaluator_on_the_printed_items(
            target in prop::collection::vec(some_item(), 0..3),
            prediction in prop::collection::vec(some_item(), 0..4),
        ) {
            let texts = |items: &[Owned]| -> Vec<String> { items.iter().map(|i| i.item().to_string()).collect() };
            let values = to_values(&texts(&target), &[""; 0]);
            let expected = check(&values, &to_values(&texts(&prediction), &[""; 0]));
            let target = Target::from_values(values);
            let items = prediction.iter().map(Owned::item);
            prop_assert_eq!(target.matches(items, &mut Scratch::default()), expected);
        }
    }
}
