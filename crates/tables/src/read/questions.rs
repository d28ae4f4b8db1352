//! Questions: tokens, their tags, and the numbers and dates among them.

use std::ops::Range;

use super::dates::date_at;
use super::lexemes::{Kind, Lexeme, Lexemes};
use super::numbers::{Number, Sort, end_of_years, in_digits, in_words};
use super::tags::{Tag, tag};
use super::tokens::{Token, tokenize};
use super::words::{is_one_of, month};
use crate::Date;

/// A value found in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number: a count, an ordinal, an amount, a percentage, a duration, a year.
    Number(f64),
    /// A date of which some part is known.
    Date(Date),
}

/// A value and the tokens that express it.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The tokens, as indices into [`QuestionReading::tokens`].
    pub span: Range<usize>,
    /// What they say.
    pub value: Value,
}

/// What the reader finds in a question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionReading {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The tag of each token.
    pub tags: Vec<Tag>,
    /// The numbers and dates, left to right. A year is two of them, a number and a date, with the same span; a range
    /// such as `2004-05` is both its ends.
    pub quantities: Vec<Quantity>,
}

/// Reads a question.
///
/// ```
/// use mapo_tables::read::{Value, read_question};
/// let reading = read_question("who won at least two hundred and five games before July 1990?");
/// let said: Vec<(String, Value)> = reading
///     .quantities
///     .iter()
///     .map(|q| (reading.tokens[q.span.clone()].iter().map(|t| t.text.as_str()).collect::<Vec<_>>().join(" "), q.value))
///     .collect();
/// assert_eq!(said[0], ("two hundred and five".to_string(), Value::Number(205.0)));
/// assert_eq!(said[1], ("july 1990".to_string(), Value::Date("1990-07-xx".parse().unwrap())));
/// assert_eq!(said.len(), 2);
/// ```
pub fn read_question(text: &str) -> QuestionReading {
    let tokens = tokenize(text);
    let tags = tag(&tokens);
    let lexemes: Vec<Lexeme> = Lexemes::new(text, false).collect();
    let mut quantities = Vec::new();
    let mut at = 0;
    while at < lexemes.len() {
        let start = at;
        let mut add = |first: usize, next: usize, value: Value| {
            let span = token_span(&tokens, lexemes[first].start, lexemes[next - 1].end);
            if !span.is_empty() {
                quantities.push(Quantity { span, value });
            }
        };
        if let Some(dated) = date_at(&lexemes, at).filter(|dated| is_meant(&lexemes, at, dated.next)) {
            add(at, dated.next, Value::Date(dated.date));
            if let Some(until) = dated.until {
                add(at, dated.next, Value::Date(until));
            }
            if let Date {
                year: Some(year),
                month: None,
                ..
            } = dated.date
            {
                add(at, dated.next, Value::Number(f64::from(year.abs())));
            }
            at = dated.next;
        } else if is_in_name(&lexemes, at) {
            // Passed over.
        } else if let Some(number) = in_digits(&lexemes, at).or_else(|| in_words(&lexemes, at)) {
            let mut next = Some(number);
            while let Some(number) = next {
                add(number.first, number.next, Value::Number(number.value));
                if number.sort == Sort::Year && !is_counted(&lexemes, number) {
                    add(
                        number.first,
                        number.next,
                        Value::Date(Date::of_year(number.value as i32)),
                    );
                }
                at = number.next;
                next = end_of_years(&lexemes, number);
            }
        }
        at = at.max(start + 1);
    }
    QuestionReading {
        tokens,
        tags,
        quantities,
    }
}

/// The tokens that overlap the bytes `start..end`.
fn token_span(tokens: &[Token], start: usize, end: usize) -> Range<usize> {
    let first = tokens.partition_point(|token| token.end <= start);
    let last = tokens.partition_point(|token| token.start < end);
    first..last.max(first)
}

/// Whether what reads as a date is meant as one: `may` and `march` alone are more often verbs.
fn is_meant(lexemes: &[Lexeme], at: usize, next: usize) -> bool {
    const BEFORE: [&str; 17] = [
        "in", "of", "during", "since", "until", "till", "by", "before", "after", "and", "or", "from",
        "through", "for", "late", "early", "mid",
    ];
    let Some(word) = lexemes[at].word() else {
        return true;
    };
    if next > at + 1
        || month(word).is_none()
        || !is_one_of(word, &["may", "march", "jan", "mar", "dec", "sep"])
    {
        return true;
    }
    let before = at.checked_sub(1).and_then(|i| lexemes[i].word());
    let listed = lexemes
        .get(next)
        .and_then(Lexeme::word)
        .is_some_and(|w| is_one_of(w, &["and", "or", "to"]))
        && lexemes
            .get(next + 1)
            .and_then(Lexeme::word)
            .is_some_and(|w| month(w).is_some());
    listed || before.is_some_and(|w| is_one_of(w, &BEFORE) || month(w).is_some())
}

/// Whether the digits at `at` belong to a name (`g718`, `usa-1`) or a character reference (`&#269;`).
fn is_in_name(lexemes: &[Lexeme], at: usize) -> bool {
    // What stands before a number with a hyphen and leaves it a number: `mid-1990s`, `top-10`.
    const PREFIXES: [&str; 8] = ["mid", "pre", "post", "top", "under", "over", "late", "early"];
    let back = |n: usize| at.checked_sub(n).and_then(|i| lexemes.get(i));
    let digits = lexemes[at].number().is_some() || lexemes[at].mark() == Some('-');
    if !digits || lexemes[at].spaced {
        return false;
    }
    let dash = usize::from(
        lexemes[at].mark().is_none() && back(1).is_some_and(|l| l.mark() == Some('-') && !l.spaced),
    );
    match (back(1 + dash).map(|l| l.kind), dash) {
        (Some(Kind::Word(word)), 1) => !is_one_of(word, &PREFIXES),
        (Some(Kind::Word(_)), _) => lexemes[at].number().is_some(),
        (Some(Kind::Mark('#')), 0) => back(2).is_some_and(|l| l.mark() == Some('&')),
        _ => false,
    }
}

/// Whether four digits count something rather than name a year: `1500 people`.
fn is_counted(lexemes: &[Lexeme], number: Number) -> bool {
    const UNITS: [&str; 56] = [
        "people",
        "persons",
        "inhabitants",
        "residents",
        "votes",
        "points",
        "pts",
        "fans",
        "spectators",
        "attendees",
        "seats",
        "students",
        "employees",
        "members",
        "copies",
        "units",
        "dollars",
        "pounds",
        "euros",
        "meters",
        "metres",
        "meter",
        "metre",
        "m",
        "km",
        "kilometers",
        "kilometres",
        "mile",
        "miles",
        "mi",
        "feet",
        "foot",
        "ft",
        "yards",
        "yard",
        "tons",
        "tonnes",
        "kg",
        "lbs",
        "grams",
        "kw",
        "hp",
        "mhz",
        "khz",
        "mph",
        "acres",
        "square",
        "sq",
        "days",
        "hours",
        "minutes",
        "seconds",
        "years",
        "times",
        "runs",
        "goals",
    ];
    let after = lexemes.get(number.next).and_then(Lexeme::word);
    let before = number
        .first
        .checked_sub(1)
        .and_then(|i| lexemes.get(i))
        .and_then(Lexeme::mark);
    after.is_some_and(|w| is_one_of(w, &UNITS)) || before == Some('#')
}
