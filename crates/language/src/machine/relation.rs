//! How the values of a column stand to given values.

use arrayvec::ArrayVec;
use mapo_tables::{Column, Dictionary, Next, Texts, Value};
use mapo_text::Date;
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

/// Those of many given values that decide how another stands to all of them: the smallest and the largest of
/// the dates that know the same parts, by each of the parts that another date may know. They are few, however
/// many there were.
pub(crate) struct Deciding<'a, G> {
    relation: Relation,
    values: Result<G, ArrayVec<Value<'a>, MOST_EXTREMES>>,
}

/// Two of other kinds, and two for each set of parts of each set that dates may know.
const MOST_EXTREMES: usize = 2 + 2 * 27;

impl<'a, G: Given<'a>> Deciding<'a, G> {
    /// So few are gone through again for each value.
    const FEW: usize = 16;

    pub fn of(relation: Relation, given: G) -> Self {
        let is_one = matches!(relation, Relation::Equal | Relation::NotDifferent);
        let values = match given.clone().nth(Self::FEW) {
            None => Ok(given),
            Some(_) if !is_one => Err(extremes(given)),
            Some(_) if all_equal(given.clone()) => Err(given.take(1).collect()),
            Some(_) => Err(ArrayVec::new()),
        };
        Deciding { relation, values }
    }

    /// Whether a value stands in the relation to all.
    pub fn holds(&self, value: Value<'_>) -> bool {
        match &self.values {
            Ok(given) => holds(value, self.relation, given.clone()),
            Err(few) => holds(value, self.relation, few.iter().copied()),
        }
    }
}

fn extremes<'a>(given: impl Given<'a>) -> ArrayVec<Value<'a>, MOST_EXTREMES> {
    /// Subsets of the three parts of a date.
    const SUBSETS: usize = 8;
    let mut dates: [[Option<(Date, Date)>; SUBSETS]; SUBSETS] = [[None; SUBSETS]; SUBSETS];
    let mut others = ArrayVec::new();
    for (place, value) in given.enumerate() {
        if place.is_multiple_of(MANY) {
            mapo_stopping::check();
        }
        let Value::Date(date) = value else {
            // Numbers are decided by their range, and nothing else is compared.
            if others.len() < 2 {
                others.push(value);
            } else if compare(value, others[0]).is_none_or(Ordering::is_lt) {
                others[0] = value;
            } else if compare(value, others[1]).is_none_or(Ordering::is_gt) {
                others[1] = value;
            }
            if let [low, high] = &mut others[..]
                && compare(*low, *high).is_some_and(Ordering::is_gt)
            {
                std::mem::swap(low, high);
            }
            continue;
        };
        let known = date.known();
        for parts in (0..SUBSETS as u8).filter(|parts| parts & !known == 0) {
            let by = |date: Date| date.only(parts).key();
            let kept = &mut dates[known as usize][parts as usize];
            *kept = Some(match *kept {
                None => (date, date),
                Some((low, high)) => (
                    if by(date) < by(low) { date } else { low },
                    if by(date) > by(high) { date } else { high },
                ),
            });
        }
    }
    let dates = dates.into_iter().flatten().flatten();
    others.extend(dates.flat_map(|(low, high)| [Value::Date(low), Value::Date(high)]));
    others
}

/// Values after which it is looked whether there is still time.
const MANY: usize = 1 << 12;

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
            let deciding = Deciding::of(relation, given);
            let related = (0..).zip(column.values()).filter(|(_, value)| {
                mapo_stopping::glance();
                deciding.holds(*value)
            });
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
    // With more it is better to look at every text once.
    const FEW: usize = 256;
    let forms = column.forms();
    let are_many = given.clone().nth(FEW).is_some();
    match relation {
        Relation::Is if are_many => {
            let needles = distinct(given);
            let (_, are_texts) = mark_equal(forms, &needles, &mut mark);
            let strange = needles.iter().zip(are_texts).filter(|(_, is_text)| !is_text);
            return strange.for_each(|(needle, _)| mark_whole(column, needle, &mut mark));
        }
        Relation::Is => return texts(given).for_each(|needle| mark_whole(column, needle, &mut mark)),
        _ if are_many => return mark_containing(forms, distinct(given), mark),
        _ => {}
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

/// Very many strings, each once, in order.
fn distinct<'a>(given: impl Given<'a>) -> Vec<&'a str> {
    let mut strings: Vec<&str> = texts(given).collect();
    strings.sort_unstable_by(|a, b| {
        mapo_stopping::glance();
        a.cmp(b)
    });
    strings.dedup();
    strings
}

/// Marks the texts that are one of such strings; gives the others, and which strings are a text.
fn mark_equal(forms: &Texts, needles: &[&str], mut mark: impl FnMut(Range<u32>)) -> (Vec<u32>, Vec<bool>) {
    let mut are_texts = vec![false; needles.len()];
    let mut left: Vec<u32> = Vec::new();
    for (text, form) in (0..).zip(forms.iter()) {
        mapo_stopping::glance();
        match needles.binary_search(&form) {
            Ok(place) => {
                are_texts[place] = true;
                mark(text..text + 1);
            }
            Err(_) => left.push(text),
        }
    }
    (left, are_texts)
}

/// Marks the texts that contain one of such strings. Those that are one are found at once; for the others the
/// strings are looked for some at a time, so that it takes little memory and can be stopped.
fn mark_containing(forms: &Texts, mut needles: Vec<&str>, mut mark: impl FnMut(Range<u32>)) {
    const AT_ONCE: usize = 10_000;
    let (mut left, _) = mark_equal(forms, &needles, &mut mark);
    // The shortest are contained most often.
    needles.sort_by_key(|needle| {
        mapo_stopping::glance();
        needle.len()
    });
    for some in needles.chunks(AT_ONCE) {
        if left.is_empty() {
            return;
        }
        let Ok(automaton) = aho_corasick::AhoCorasick::new(some) else {
            continue;
        };
        let mut place = 0_usize;
        left.retain(|text| {
            place += 1;
            if place.is_multiple_of(MANY) {
                mapo_stopping::check();
            }
            let contains = automaton.is_match(forms.get(*text));
            if contains {
                mark(*text..*text + 1);
            }
            !contains
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date() -> impl Strategy<Value = Date> {
        let part = |most: u8| proptest::option::of(1..=most);
        (proptest::option::of(1999..2003), part(3), part(3)).prop_map(|(year, month, day)| Date {
            year,
            month,
            day,
        })
    }

    proptest! {
        /// Few of many dates decide as all of them do, whatever parts they know.
        #[test]
        fn a_few_dates_decide_for_all(
            given in proptest::collection::vec(date(), 17..60),
            values in proptest::collection::vec(date(), 1..20),
        ) {
            let given = given.iter().map(|date| Value::Date(*date));
            let relations = [
                Relation::Less,
                Relation::AtMost,
                Relation::Equal,
                Relation::NotDifferent,
                Relation::AtLeast,
                Relation::Greater,
            ];
            for relation in relations {
                let deciding = Deciding::of(relation, given.clone());
                for value in values.iter().map(|date| Value::Date(*date)) {
                    prop_assert_eq!(deciding.holds(value), holds(value, relation, given.clone()), "{:?}", relation);
                }
            }
        }

        #[test]
        fn many_strings_are_found_as_few_are(
            given in proptest::collection::vec("[ab]{0,3}", 1..30),
            cells in proptest::collection::vec("[abc]{0,4}", 1..30),
        ) {
            let mut builder = mapo_tables::TableBuilder::new("t", ["A"]);
            cells.iter().for_each(|cell| builder.push_row([cell.as_str()]));
            let table = builder.finish();
            let forms = table.columns()[0].forms();
            let mut marked = vec![false; forms.len()];
            let needles = distinct(given.iter().map(|text| Value::Text(text)));
            mark_containing(forms, needles, |texts| {
                texts.for_each(|text| marked[text as usize] = true)
            });
            for (text, form) in forms.iter().enumerate() {
                prop_assert_eq!(marked[text], given.iter().any(|needle| form.contains(needle)), "{}", form);
            }
        }
    }
}
