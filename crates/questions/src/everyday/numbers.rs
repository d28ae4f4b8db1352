//! Numbers that people say without digits, and digits that are no numbers.

use crate::header_words::words_of_header;
use crate::mention::Mention;
use crate::stop_words::is_stop_word;
use crate::words::words;
use mapo_tables::{ColumnKind, Dictionary, Table};
use mapo_text::read::Value;
use mapo_text::word_forms::{are_related, stem};
use mapo_text::{Date, fold};
use std::ops::Range;

/// The numbers and dates of a question about a table: those that the reader found, without those that are part
/// of a name, and those that are meant.
pub(crate) fn numbers(
    tokens: &[String],
    read: Vec<(Value, Range<usize>)>,
    strings: &[Mention],
    table: &Table,
) -> Vec<(Value, Range<usize>)> {
    let has_dates = table
        .columns()
        .iter()
        .any(|column| column.kind() == ColumnKind::Date);
    let mut all: Vec<(Value, Range<usize>)> = Vec::new();
    for (value, span) in read {
        if is_in_name(tokens, &span, strings, table) || is_pronoun(tokens, &span) {
            continue;
        }
        match value {
            Value::Number(number) => {
                let as_meant = scaled(tokens, &span, number);
                all.extend(
                    as_meant
                        .into_iter()
                        .map(|number| (Value::Number(number), span.clone())),
                );
                let year = short_year(tokens, &span, number);
                all.extend(year.map(|year| (Value::Number(f64::from(year)), span.clone())));
                let year = year.filter(|_| has_dates).map(Date::of_year);
                all.extend(year.map(|year| (Value::Date(year), span)));
            }
            Value::Date(date) => {
                // Without a column of dates, and where the day is not asked for, its parts are columns.
                if has_dates {
                    all.push((value, span.clone()));
                }
                if !has_dates || date.day.is_none() {
                    all.extend(parts_of_date(date, table).map(|number| (number, span.clone())));
                }
            }
        }
    }
    for (at, token) in tokens.iter().enumerate() {
        let number = match token.as_str() {
            "twice" => Some(2.0),
            "thrice" => Some(3.0),
            // "Once" alone is a time of the past.
            "once" if at > 0 && COUNTING.contains(&tokens[at - 1].as_str()) => Some(1.0),
            "couple" if at > 0 && tokens[at - 1] == "a" => Some(2.0),
            word if is_stop_word(word) => None,
            word if asks_for_some(tokens, at) && can_be_none(word, table) => Some(0.0),
            _ => None,
        };
        all.extend(number.map(|number| (Value::Number(number), at..at + 1)));
    }
    all
}

/// Whether a "one" counts nothing: "which one", "the one of Florida".
fn is_pronoun(tokens: &[String], span: &Range<usize>) -> bool {
    let before = span.start.checked_sub(1).map(|at| tokens[at].as_str());
    let after = tokens.get(span.end);
    let points = |word: &str| ["the", "this", "that", "which", "each", "every", "any"].contains(&word);
    let ends = |word: &String| !word.contains(char::is_alphanumeric) || is_stop_word(word);
    tokens[span.clone()] == ["one"]
        && (before.is_some_and(points) || before.is_some() && after.is_none_or(ends))
}

/// A number with the letter behind it and the sign before it: `100k`, "minus 5". An `m` or `b` may be metres or
/// the name of something, so that both readings stay.
fn scaled(tokens: &[String], span: &Range<usize>, number: f64) -> Vec<f64> {
    let before = span.start.checked_sub(1).map(|at| tokens[at].as_str());
    if before == Some("minus") {
        return vec![-number];
    }
    let last = &tokens[span.end - 1];
    let is_digits = |text: &str| !text.is_empty() && !text.contains(char::is_alphabetic);
    let glued = last.trim_start_matches(|c: char| !c.is_alphabetic());
    let letters = match tokens.get(span.end) {
        _ if !is_digits(last) && is_digits(last.strip_suffix(glued).unwrap_or(last)) => glued,
        Some(next) if is_digits(last) => next,
        _ => "",
    };
    match letters {
        "k" => vec![number * 1e3],
        "mn" | "mio" => vec![number * 1e6],
        "bn" => vec![number * 1e9],
        "m" => vec![number, number * 1e6],
        "b" => vec![number, number * 1e9],
        _ => vec![number],
    }
}

/// The year of `'94` and of `90s`.
fn short_year(tokens: &[String], span: &Range<usize>, number: f64) -> Option<i32> {
    let before = span.start.checked_sub(1).map(|at| tokens[at].as_str());
    let token = tokens[span.clone()].concat();
    let is_short = before == Some("'") || token.starts_with('\'') || token.ends_with("0s");
    let is_two_digits = (0.0..100.0).contains(&number) && number.fract() == 0.0;
    let century = if number > 30.0 { 1900 } else { 2000 };
    (is_short && is_two_digits).then(|| century + number as i32)
}

/// What stands before "once" where it counts.
const COUNTING: [&str; 6] = ["than", "least", "most", "only", "exactly", "just"];

/// Whether digits are part of a longer name of a value or of a column: the 1860 of `TSV 1860 Munich`, the 9 of
/// a column `Post-9/11 bill`.
fn is_in_name(tokens: &[String], span: &Range<usize>, strings: &[Mention], table: &Table) -> bool {
    let has_letters = |token: &String| token.contains(char::is_alphabetic) && !is_stop_word(token);
    let is_value = strings.iter().any(|mention| {
        let rest = mention.span.clone().filter(|at| !span.contains(at));
        let is_within = mention.span.start <= span.start && span.end <= mention.span.end;
        is_within && rest.clone().any(|at| has_letters(&tokens[at]))
    });
    let beside = [span.start.checked_sub(1), Some(span.end)];
    let beside = || beside.into_iter().flatten().filter_map(|at| tokens.get(at));
    is_value
        || table.headers().iter().any(|header| {
            if !header.contains(|c: char| c.is_ascii_digit()) {
                return false;
            }
            let header = fold(header);
            let has = |token: &String| {
                let mut parts = words(token).peekable();
                // `11` begins `11th`, and the `11GI` of a blank that was forgotten.
                let same = |word: &str, part: &str| match word.strip_prefix(part) {
                    Some(rest) => rest.is_empty() || is_number(part) && rest.starts_with(char::is_alphabetic),
                    None => false,
                };
                parts.peek().is_some()
                    && parts.all(|(_, part)| words(&header).any(|(_, word)| same(word, part)))
            };
            tokens[span.clone()].iter().all(has) && beside().any(|token| has_letters(token) && has(token))
        })
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The month and the year of a date as numbers, where the table has a column for them.
fn parts_of_date(date: Date, table: &Table) -> impl Iterator<Item = Value> + use<> {
    let month = date.month.filter(|_| has_number_column(table, "month"));
    // A year alone has been read as a number too.
    let year = date
        .year
        .filter(|_| date.month.is_some() && has_number_column(table, "year"));
    let month = month.map(f64::from);
    let year = year.map(f64::from);
    [month, year].into_iter().flatten().map(Value::Number)
}

fn has_number_column(table: &Table, word: &str) -> bool {
    table.columns().iter().any(|column| {
        let names = words_of_header(table, column.source());
        column.kind() == ColumnKind::Number && names.iter().any(|name| name == word)
    })
}

/// Whether a token comes after one that asks for none or for some: "no sugar", "any goals", "a gold medal". "A
/// score of" and "a score above" are followed by what is asked for.
fn asks_for_some(tokens: &[String], at: usize) -> bool {
    const ASKS: [&str; 6] = ["no", "without", "any", "a", "an", "some"];
    const COMPARES: [&str; 12] = [
        "of", "above", "below", "over", "under", "between", "at", "greater", "less", "more", "higher",
        "lower",
    ];
    let is_one_of = |at: Option<usize>, list: &[&str]| {
        let token = at.and_then(|at| tokens.get(at));
        token.is_some_and(|token| list.contains(&token.as_str()))
    };
    let (last, first) = (at.checked_sub(1), at.checked_sub(2));
    // At most one word stands between, and that is no stop word.
    let is_free = last.is_some_and(|last| !is_stop_word(&tokens[last]));
    (is_one_of(last, &ASKS) || is_free && is_one_of(first, &ASKS)) && !is_one_of(Some(at + 1), &COMPARES)
}

/// Whether a word names a column of numbers in which some are 0: a count of which there may be none.
fn can_be_none(word: &str, table: &Table) -> bool {
    table.columns().iter().any(|column| {
        let names = words_of_header(table, column.source());
        let is_named = || {
            let mut names = names.iter();
            names.any(|name| stem(name) == stem(word) || are_related(name, word))
        };
        let has_none = || match column.dictionary() {
            Dictionary::Numbers(numbers) => {
                numbers.first() == Some(&0.0) && numbers.iter().all(|number| number.fract() == 0.0)
            }
            _ => false,
        };
        column.kind() == ColumnKind::Number && is_named() && has_none()
    })
}
