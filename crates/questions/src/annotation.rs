//! What is known of a question before its table is seen: tokens, tags, numbers and dates.

use mapo_text::Date;
use mapo_text::read;
use mapo_text::read::{Tag, Value};
use std::ops::Range;

/// A question's tokens, its comparatives and superlatives, and the numbers and dates in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// The tokens, lower-cased.
    pub tokens: Vec<String>,
    /// One tag for each token.
    pub tags: Vec<Tag>,
    /// The numbers and dates, each with its tokens. A year is both.
    pub quantities: Vec<(Value, Range<usize>)>,
}

impl Annotation {
    /// What our own reader finds.
    pub fn read(text: &str) -> Annotation {
        let reading = read::read_question(text);
        Annotation {
            tokens: reading.tokens.into_iter().map(|token| token.text).collect(),
            tags: reading.tags,
            quantities: reading
                .quantities
                .into_iter()
                .map(|quantity| (quantity.value, quantity.span))
                .collect(),
        }
    }
}

/// CoreNLP's annotation of a question: lists of equal length.
#[derive(Clone, Copy, Debug)]
pub struct CoreNlp<'a> {
    /// The tokens.
    pub tokens: &'a [String],
    /// Part-of-speech tags.
    pub tags: &'a [String],
    /// What kind of entity each token is part of: `NUMBER`, `DATE`, `O` for none…
    pub entities: &'a [String],
    /// The entity's value where it has one.
    pub values: &'a [String],
}

impl From<CoreNlp<'_>> for Annotation {
    fn from(nlp: CoreNlp<'_>) -> Self {
        let tokens: Vec<String> = nlp.tokens.iter().map(|token| plain(token)).collect();
        let mut quantities = Vec::new();
        let mut start = 0;
        while start < nlp.tokens.len() {
            let same = |index: &usize| {
                nlp.entities.get(*index) == nlp.entities.get(start)
                    && nlp.values.get(*index) == nlp.values.get(start)
            };
            let end = (start..nlp.tokens.len()).take_while(same).count() + start;
            let (entity, value) = (nlp.entities.get(start), nlp.values.get(start));
            if let (Some(entity), Some(value)) = (entity, value) {
                let found = entity_values(entity, value, &tokens[start..end]);
                quantities.extend(found.into_iter().map(|value| (value, start..end)));
            }
            start = end;
        }
        Annotation {
            tokens,
            tags: nlp.tags.iter().map(|tag| Tag::from_name(tag)).collect(),
            quantities,
        }
    }
}

/// CoreNLP writes some characters its own way; we write the character.
fn plain(token: &str) -> String {
    match token {
        "-lrb-" => "(".to_owned(),
        "-rrb-" => ")".to_owned(),
        "-lsb-" => "[".to_owned(),
        "-rsb-" => "]".to_owned(),
        "-lcb-" => "{".to_owned(),
        "-rcb-" => "}".to_owned(),
        "``" | "''" => "\"".to_owned(),
        _ => token.replace("\\/", "/").replace("\\*", "*"),
    }
}

fn entity_values(entity: &str, value: &str, tokens: &[String]) -> Vec<Value> {
    match entity {
        "NUMBER" | "ORDINAL" | "MONEY" | "PERCENT" | "DURATION" => match numbers(value) {
            // Some have no value there, but their words say it: "1/8", "1995/96", "first and second", "three
            // years".
            none if none.is_empty() => {
                let read = Annotation::read(&tokens.join(" ")).quantities.into_iter();
                let mut read = read.map(|(value, _)| value);
                if entity == "DURATION" {
                    // How long it is, not the dates of its words.
                    let number = read.find(|value| matches!(value, Value::Number(_)));
                    number.into_iter().collect()
                } else {
                    read.collect()
                }
            }
            found => found,
        },
        "DATE" => dates(value),
        _ => Vec::new(),
    }
}

/// The numbers of a value such as `>=3.0`, `-7.0`, `$5.0E9`, `%12.0` or `31.0 - 14.0`.
fn numbers(value: &str) -> Vec<Value> {
    let value = value.trim_start_matches(['<', '>', '=', '~', '$', '£', '€', '¥', '%']);
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
    };
    if let Some(number) = number(value) {
        return vec![Value::Number(number)];
    }
    // A hyphen after a digit parts two numbers; one after an E belongs to an exponent.
    let parts = value
        .match_indices('-')
        .map(|(at, _)| (&value[..at], &value[at + 1..]));
    let both = parts
        .filter_map(|(first, second)| number(first).zip(number(second)))
        .next();
    both.map_or(Vec::new(), |(first, second)| {
        vec![Value::Number(first), Value::Number(second)]
    })
}

/// The date of a value such as `2004`, `2004-05`, `XXXX-07-08`; a year is a number too.
fn dates(value: &str) -> Vec<Value> {
    let digits = |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let year = value.strip_suffix("-XX-XX").unwrap_or(value);
    if digits(year)
        && let Ok(year) = year.parse::<i32>()
    {
        return vec![Value::Number(f64::from(year)), Value::Date(Date::of_year(year))];
    }
    if let Some((first, second)) = value.split_once('/')
        && digits(first)
        && digits(second)
    {
        return [first, second].into_iter().flat_map(dates).collect();
    }
    let full = if value.matches('-').count() == 1 {
        format!("{value}-XX")
    } else {
        value.to_owned()
    };
    full.parse::<Date>().map(Value::Date).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            Value::Date(date) => date.to_string(),
        }
    }

    fn written(entity: &str, value: &str) -> Vec<String> {
        entity_values(entity, value, &["three".to_owned(), "years".to_owned()])
            .into_iter()
            .map(shown)
            .collect()
    }

    #[test]
    fn words_without_a_value_are_read() {
        let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        for (entity, tokens, expected) in [
            ("ORDINAL", &["first", "and", "second"][..], &["1", "2"][..]),
            ("NUMBER", &["1\\/8"], &["0.125"]),
            (
                "NUMBER",
                &["1995\\/96"],
                &["1995", "1995-xx-xx", "1996", "1996-xx-xx"],
            ),
            ("DURATION", &["two", "years", "and", "three", "days"], &["2"]),
            ("DURATION", &["years"], &[]),
        ] {
            let (tokens, none) = (owned(tokens), vec![String::new(); tokens.len()]);
            let nlp = CoreNlp {
                tokens: &tokens,
                tags: &none,
                entities: &vec![entity.to_owned(); tokens.len()],
                values: &none,
            };
            let found = Annotation::from(nlp).quantities;
            assert!(
                found.iter().all(|(_, span)| *span == (0..tokens.len())),
                "{found:?}"
            );
            let found: Vec<String> = found.into_iter().map(|(value, _)| shown(value)).collect();
            assert_eq!(found, expected, "{tokens:?}");
        }
    }

    #[test]
    fn values_of_entities() {
        for (entity, value, expected) in [
            ("NUMBER", "3.0", &["3"][..]),
            ("NUMBER", ">=-7.5", &["-7.5"]),
            ("NUMBER", "5.0E9", &["5000000000"]),
            ("NUMBER", "31.0 - 14.0", &["31", "14"]),
            ("MONEY", ">$1.0E-2", &["0.01"]),
            ("PERCENT", "%12.0", &["12"]),
            ("DURATION", "", &["3"]),
            ("DATE", "2004", &["2004", "2004-xx-xx"]),
            ("DATE", "1990/1995", &["1990", "1990-xx-xx", "1995", "1995-xx-xx"]),
            ("DATE", "XXXX-07", &["xxxx-07-xx"]),
            ("DATE", "1974-07-19", &["1974-07-19"]),
            ("DATE", "THIS P1Y", &[]),
            ("PERSON", "", &[]),
        ] {
            assert_eq!(written(entity, value), expected, "{entity} {value}");
        }
    }
}
