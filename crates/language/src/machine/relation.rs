//! How the values of a column stand to given values.

use mapo_tables::{Column, Dictionary, Next, Value};
use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

/// A relation between a row's value and given values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Below all of them.
    Less,
    /// Not above any of them.
    AtMost,
    /// The same as the one value that they are.
    Equal,
    /// That, or a date that cannot be compared with it: what is left are the values known to be others.
    NotDifferent,
    /// Not below any of them.
    AtLeast,
    /// Above all of them.
    Greater,
    /// Its text contains one of them.
    Contains,
    /// Its text is one of them; for one that no text of the column is, it has that as whole words.
    Is,
}

impl Relation {
    /// How many relations there are.
    pub const COUNT: usize = 8;

    /// Whether it is one of texts.
    pub fn is_of_texts(self) -> bool {
        matches!(self, Relation::Contains | Relation::Is)
    }

    /// Whether a comparison with one value satisfies the relation.
    fn accepts(self, order: Option<Ordering>) -> bool {
        let Some(order) = order else {
            return self == Relation::NotDifferent;
        };
        match self {
            Relation::Less => order.is_lt(),
            Relation::AtMost => order.is_le(),
            Relation::Equal | Relation::NotDifferent => order.is_eq(),
            Relation::AtLeast => order.is_ge(),
            Relation::Greater => order.is_gt(),
            Relation::Contains | Relation::Is => false,
        }
    }
}

/// Given values, that can be gone through again and again.
pub(crate) trait Given<'a>: Iterator<Item = Value<'a>> + Clone {}

impl<'a, I: Iterator<Item = Value<'a>> + Clone> Given<'a> for I {}

/// Whether one value of a column compares so with the given values.
pub(crate) fn holds<'a>(value: Value<'_>, relation: Relation, mut given: impl Given<'a>) -> bool {
    // An equality is with a set of values, and a row has only one.
    if matches!(relation, Relation::Equal | Relation::NotDifferent) && !all_equal(given.clone()) {
        return false;
    }
    let mut one = false;
    let all = given.all(|other| {
        one = true;
        relation.accepts(compare(value, other))
    });
    one && all
}

/// Whether the values are one value, however often.
pub(crate) fn all_equal<'a>(mut given: impl Given<'a>) -> bool {
    let first = given.next();
    first.is_some_and(|first| given.all(|other| other == first))
}

fn compare(a: Value<'_>, b: Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(&b),
        (Value::Date(a), Value::Date(b)) => a.compare(b),
        _ => None,
    }
}

fn contains(text: &str, needle: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), needle.as_bytes()).is_some()
}

/// Calls `mark` with the code of every value of the column that stands in the relation to the given values.
pub(crate) fn mark_codes<'a>(
    column: &Column,
    relation: Relation,
    given: impl Given<'a>,
    mut mark: impl FnMut(Range<u32>),
) {
    match column.dictionary() {
        Dictionary::Numbers(numbers) if given.clone().all(|value| matches!(value, Value::Number(_))) => {
            mark(number_range(numbers, relation, given))
        }
        Dictionary::Numbers(_) | Dictionary::Dates(_) => {
            let related = (0..)
                .zip(column.values())
                .filter(|(_, value)| holds(*value, relation, given.clone()));
            related.for_each(|(code, _)| mark(code..code + 1));
        }
        Dictionary::Text(_) => {
            if relation.is_of_texts() {
                mark_texts(column, relation, given, mark);
            }
        }
    }
}

/// Calls `mark` with the number of every text of a text column that contains one of the given, or is one. A
/// text has the same number as its value, or as an equal text has.
pub(crate) fn mark_texts<'a>(
    column: &Column,
    relation: Relation,
    given: impl Given<'a>,
    mut mark: impl FnMut(Range<u32>),
) {
    if relation == Relation::Is {
        return texts(given).for_each(|needle| mark_whole(column, needle, &mut mark));
    }
    // With more it is better to look at every text once.
    const FEW: usize = 256;
    let forms = column.forms();
    if given.clone().nth(FEW).is_some() {
        let needles = Needles::new(given);
        let containing = (0..).zip(forms.iter()).filter(|(_, text)| needles.any_in(text));
        return containing.for_each(|(text, _)| mark(text..text + 1));
    }
    for needle in texts(given) {
        if needle.is_empty() {
            // Every text contains nothing.
            return mark(0..forms.len() as u32);
        }
        let none: Option<()> = column.index().search(forms, needle, false, |text, _| {
            mark(text..text + 1);
            ControlFlow::Continue(Next::NextText)
        });
        debug_assert!(none.is_none());
    }
}

/// Marks the texts that are the string as a whole or, where there is none, those that have it as whole words.
fn mark_whole(column: &Column, needle: &str, mut mark: impl FnMut(Range<u32>)) {
    let forms = column.forms();
    if needle.is_empty() {
        let empty = (0..).zip(forms.iter()).filter(|(_, text)| text.is_empty());
        return empty.for_each(|(text, _)| mark(text..text + 1));
    }
    let search = |wanted: &mut dyn FnMut(u32, bool) -> ControlFlow<(), Next>| {
        column.index().search(forms, needle, true, |text, place| {
            wanted(text, place.len() == forms.get(text).len())
        })
    };
    let is_whole = search(&mut |_, whole| match whole {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(Next::NextText),
    });
    search(&mut |text, whole| {
        if whole || is_whole.is_none() {
            mark(text..text + 1);
        }
        ControlFlow::Continue(Next::NextText)
    });
}

/// Ascending numbers that stand in a relation are neighbours: only the smallest and largest given value
/// matter.
fn number_range<'a>(numbers: &[f64], relation: Relation, given: impl Given<'a>) -> Range<u32> {
    let (mut least, mut most, mut any) = (f64::INFINITY, f64::NEG_INFINITY, false);
    for value in given {
        let Value::Number(number) = value else { continue };
        (least, most, any) = (least.min(number), most.max(number), true);
    }
    if !any {
        return 0..0;
    }
    let below = |bound: f64| numbers.partition_point(|number| *number < bound) as u32;
    let up_to = |bound: f64| numbers.partition_point(|number| *number <= bound) as u32;
    let end = numbers.len() as u32;
    match relation {
        Relation::Less => 0..below(least),
        Relation::AtMost => 0..up_to(least),
        Relation::Equal | Relation::NotDifferent if least == most => below(least)..up_to(least),
        Relation::AtLeast => below(most)..end,
        Relation::Greater => up_to(most)..end,
        Relation::Equal | Relation::NotDifferent | Relation::Contains | Relation::Is => 0..0,
    }
}

/// Strings to look for in many texts: few are looked for one by one, many all at once.
pub(crate) enum Needles<G> {
    Few(G),
    Many(Box<aho_corasick::AhoCorasick>),
}

impl<'a, G: Given<'a>> Needles<G> {
    const FEW: usize = 8;

    pub fn new(given: G) -> Self {
        let many = given.clone().nth(Self::FEW).is_some();
        match many.then(|| aho_corasick::AhoCorasick::new(texts(given.clone()))) {
            Some(Ok(automaton)) => Needles::Many(Box::new(automaton)),
            _ => Needles::Few(given),
        }
    }

    pub fn any_in(&self, text: &str) -> bool {
        match self {
            Needles::Few(given) => texts(given.clone()).any(|needle| contains(text, needle)),
            Needles::Many(automaton) => automaton.is_match(text),
        }
    }
}

fn texts<'a>(given: impl Given<'a>) -> impl Iterator<Item = &'a str> {
    given.filter_map(|value| {
        if let Value::Text(text) = value {
            Some(text)
        } else {
            None
        }
    })
}
