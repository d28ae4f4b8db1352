//! A plain reader of questions.

use super::data::TaggedQuestion;
use super::quirk::{Quirk, Quirks};
use super::tables::{self, Kind, Table, Value};
use mapo_questions::Annotation;
use mapo_questions::CoreNlp;
use mapo_text::Date;
use mapo_text::{normalize, unescape};
use std::cmp::Ordering;
use std::ops::Range;

/// The quirks that reading a question depends on, beside those of its table.
pub const QUIRKS: Quirks = Quirks::of(&[
    Quirk::PublishedTokens,
    Quirk::InsideWords,
    Quirk::DatesAreText,
    Quirk::NothingIsEverywhere,
    Quirk::NormalFormOnly,
    Quirk::OneOr,
    Quirk::Duplicates,
    Quirk::YearsAreNoValues,
    Quirk::YearRangesAreNoValues,
    Quirk::OnlyPlainNumbers,
    Quirk::FirstDigits,
    Quirk::NumbersByToken,
    Quirk::FeaturesBeforeGrowth,
    Quirk::FeaturesOfStringsOnly,
    Quirk::CaseOfQuestion,
]);

/// Of those, the ones that constants depend on.
pub const OF_CONSTANTS: Quirks = Quirks::of(&[
    Quirk::PublishedTokens,
    Quirk::InsideWords,
    Quirk::DatesAreText,
    Quirk::NothingIsEverywhere,
    Quirk::NormalFormOnly,
    Quirk::OneOr,
    Quirk::Duplicates,
    Quirk::YearsAreNoValues,
    Quirk::YearRangesAreNoValues,
    Quirk::OnlyPlainNumbers,
    Quirk::FirstDigits,
    Quirk::NumbersByToken,
]);

/// A question before it is read.
pub enum Source<'a> {
    Wtq(&'a TaggedQuestion),
    WikiSql {
        text: &'a str,
        /// The published tokens.
        tokens: &'a [String],
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub tokens: Vec<String>,
    pub constants: Vec<Constant>,
    pub features: Vec<u8>,
    /// For each column of the table.
    pub column_features: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub kind: Kind,
    pub values: Vec<Value>,
    pub span: Range<usize>,
}

impl Constant {
    /// As it is written in programs.
    pub fn text(&self) -> String {
        let value = |value: &Value| match value {
            Value::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            Value::Number(number) => number.to_string(),
            Value::Date(date) => date.clone(),
        };
        let values: Vec<String> = self.values.iter().map(value).collect();
        format!("[{}]", values.join(", "))
    }
}

/// Reads a question beside its table.
pub fn read(source: &Source<'_>, table: &Table, quirks: Quirks) -> Question {
    let tokens = tokens(source, quirks);
    let texts = Texts::new(table, quirks);
    let found: Vec<bool> = tokens.iter().map(|token| starts(token, &texts)).collect();
    let mut strings = grow_all(&tokens, &found, &texts);
    join_around_or(source, &tokens, &mut strings, quirks);
    let quantities = quantities(source, &tokens, quirks);

    let mut features = vec![0; tokens.len()];
    if quirks.has(Quirk::FeaturesBeforeGrowth) {
        features = found.iter().map(|found| u8::from(*found)).collect();
    } else {
        strings
            .iter()
            .for_each(|string| features[string.span.clone()].fill(1));
        // What is found and starts nothing sets its feature all the same.
        let nothing = |(token, found): (&String, &bool)| *found && normalize(token).is_empty();
        let nothing: Vec<bool> = tokens.iter().zip(&found).map(nothing).collect();
        if quirks.has(Quirk::NothingIsEverywhere) {
            features
                .iter_mut()
                .zip(nothing)
                .for_each(|(feature, nothing)| *feature |= u8::from(nothing));
        }
    }
    if !quirks.has(Quirk::FeaturesOfStringsOnly) {
        for quantity in quantities
            .iter()
            .filter(|quantity| is_in(table, &quantity.values[0]))
        {
            let inside = quantity.span.start.min(tokens.len())..quantity.span.end.min(tokens.len());
            features[inside].fill(1);
        }
    }

    let mut constants: Vec<Constant> = Vec::new();
    for constant in strings.into_iter().chain(quantities) {
        let known = constants.iter().any(|known| known.values == constant.values);
        if !known || quirks.has(Quirk::Duplicates) {
            constants.push(constant);
        }
    }
    let asked = match source {
        Source::Wtq(question) => question.utterance.clone(),
        Source::WikiSql { text, .. } => (*text).to_owned(),
    };
    let asked = if quirks.has(Quirk::CaseOfQuestion) {
        asked
    } else {
        tables::lower(&asked)
    };
    let column_feature = |column: &tables::Column| {
        let name = column.name.strip_prefix("r.").unwrap();
        let (words, _) = name.rsplit_once('-').unwrap();
        let said = |word: &&str| !is_stop_word(word) && asked.contains(*word);
        words.split('_').filter(said).count() as u32
    };
    Question {
        column_features: table.columns.iter().map(column_feature).collect(),
        tokens,
        constants,
        features,
    }
}

fn tokens(source: &Source<'_>, quirks: Quirks) -> Vec<String> {
    let published = quirks.has(Quirk::PublishedTokens);
    match source {
        Source::Wtq(question) if published => question.tokens.clone(),
        Source::Wtq(question) => question.tokens.iter().map(|token| plain_token(token)).collect(),
        Source::WikiSql { tokens, .. } if published => tokens.to_vec(),
        Source::WikiSql { text, .. } => Annotation::read(text).tokens,
    }
}

/// A token as a person would write it.
fn plain_token(token: &str) -> String {
    let brackets = [
        ("-lrb-", "("),
        ("-rrb-", ")"),
        ("-lsb-", "["),
        ("-rsb-", "]"),
        ("-lcb-", "{"),
        ("-rcb-", "}"),
        ("``", "\""),
        ("''", "\""),
    ];
    match brackets.iter().find(|(theirs, _)| *theirs == token) {
        Some((_, plain)) => (*plain).to_owned(),
        None => unescape(token).replace("\\/", "/").replace("\\*", "*"),
    }
}

/// The texts of a table, in which strings are found.
struct Texts {
    /// All in one, apart by a character that none has.
    joined: String,
    quirks: Quirks,
}

const APART: char = '\0';

impl Texts {
    fn new(table: &Table, quirks: Quirks) -> Texts {
        let mut joined = String::from(APART);
        for value in table
            .columns
            .iter()
            .flat_map(|column| column.values.iter().flatten())
        {
            match value {
                Value::Date(_) if !quirks.has(Quirk::DatesAreText) => {}
                Value::Text(text) | Value::Date(text) => {
                    joined.push_str(text);
                    joined.push(APART);
                }
                Value::Number(_) => {}
            }
        }
        Texts { joined, quirks }
    }

    fn has(&self, string: &str) -> bool {
        if string.is_empty() {
            return self.quirks.has(Quirk::NothingIsEverywhere);
        }
        let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let splits_no_word = |at: usize| {
            let (before, after) = self.joined.split_at(at);
            !(in_word(before.chars().next_back()) && in_word(after.chars().next()))
        };
        memchr::memmem::find_iter(self.joined.as_bytes(), string).any(|at| {
            self.quirks.has(Quirk::InsideWords) || splits_no_word(at) && splits_no_word(at + string.len())
        })
    }

    /// The form of a string that is found: the normal form, or the string itself.
    fn form(&self, string: &str) -> Option<String> {
        let normal = normalize(string);
        if self.has(&normal) {
            return Some(normal);
        }
        (!self.quirks.has(Quirk::NormalFormOnly) && self.has(string)).then(|| string.to_owned())
    }
}

fn starts(token: &str, texts: &Texts) -> bool {
    !is_stop_word(token) && texts.form(token).is_some()
}

/// The strings that start at the found tokens, from left to right, none overlapping, each as long as it can
/// be.
fn grow_all(tokens: &[String], found: &[bool], texts: &Texts) -> Vec<Constant> {
    let mut strings: Vec<Constant> = Vec::new();
    for start in (0..tokens.len()).filter(|start| found[*start]) {
        let last_end = strings.last().map_or(0, |last| last.span.end);
        // A token without a normal form starts nothing, unless it is found as it is.
        let nothing = texts.form(&tokens[start]).is_some_and(|form| form.is_empty());
        if start < last_end || nothing {
            continue;
        }
        let (mut string, mut end) = (tokens[start].clone(), start + 1);
        while let Some(longer) = tokens.get(end).and_then(|next| join(&string, next, texts)) {
            string = longer;
            end += 1;
        }
        let form = if texts.quirks.has(Quirk::NormalFormOnly) {
            Some(normalize(&string))
        } else {
            texts.form(&string)
        };
        strings.extend(form.map(|form| Constant {
            kind: Kind::Text,
            values: vec![Value::Text(form)],
            span: start..end,
        }));
    }
    strings
}

/// The first of twelve ways to join a string and a token that is found.
fn join(string: &str, token: &str, texts: &Texts) -> Option<String> {
    let forms = |text: &str| [text.to_owned(), normalize(text)];
    let pairs = forms(string)
        .into_iter()
        .flat_map(|a| forms(token).map(|b| (a.clone(), b)));
    let nothing = |(a, b): &(String, String)| a.is_empty() || b.is_empty();
    let pairs = pairs.filter(|pair| !nothing(pair) || texts.quirks.has(Quirk::NothingIsEverywhere));
    let mut joins = pairs.flat_map(|(a, b)| [" ", "-", ""].map(|between| format!("{a}{between}{b}")));
    joins.find(|joined| texts.has(joined))
}

fn join_around_or(source: &Source<'_>, tokens: &[String], strings: &mut Vec<Constant>, quirks: Quirks) {
    let all = tokens.iter().filter(|token| *token == "or").count();
    let most = match (quirks.has(Quirk::OneOr), source) {
        (false, _) => all,
        (true, Source::Wtq(_)) => all.min(1),
        (true, Source::WikiSql { .. }) => 0,
    };
    for or in (0..tokens.len())
        .filter(|index| tokens[*index] == "or")
        .take(most)
    {
        let before = strings.iter().rposition(|string| string.span.end <= or);
        let before = before.filter(|index| or - strings[*index].span.end <= 2);
        let after = strings.iter().position(|string| string.span.start > or);
        let after = after.filter(|index| strings[*index].span.start - or <= 2);
        if let (Some(before), Some(after)) = (before, after) {
            let second = strings.remove(after);
            strings[before].values.extend(second.values);
            strings[before].span.end = second.span.end;
        }
    }
}

/// The numbers and dates.
fn quantities(source: &Source<'_>, tokens: &[String], quirks: Quirks) -> Vec<Constant> {
    match source {
        Source::Wtq(question) => wtq_quantities(question, quirks),
        Source::WikiSql { .. } if quirks.has(Quirk::NumbersByToken) => {
            let number = |(index, token): (usize, &String)| {
                Some(quantity(Value::Number(tables::decimal(token)?), index..index + 1))
            };
            tokens.iter().enumerate().filter_map(number).collect()
        }
        Source::WikiSql { text, .. } => our_quantities(&Annotation::read(text)),
    }
}

fn quantity(value: Value, span: Range<usize>) -> Constant {
    let kind = match value {
        Value::Number(_) => Kind::Number,
        _ => Kind::Date,
    };
    Constant {
        kind,
        values: vec![value],
        span,
    }
}

fn our_quantities(annotation: &Annotation) -> Vec<Constant> {
    use mapo_text::read::Value as Read;
    let constant = |(value, span): &(Read, Range<usize>)| {
        let value = match value {
            Read::Number(number) => Value::Number(*number),
            Read::Date(date) => Value::Date(date.to_string()),
        };
        quantity(value, span.clone())
    };
    annotation.quantities.iter().map(constant).collect()
}

/// Run by run of tokens with the same tag and value: the published values where a quirk says so, else ours.
fn wtq_quantities(question: &TaggedQuestion, quirks: Quirks) -> Vec<Constant> {
    let list =
        |list: &[String]| -> Vec<String> { list.iter().map(|item| unescape(item).into_owned()).collect() };
    let (tokens, entities, values) = (
        list(&question.tokens),
        list(&question.entities),
        list(&question.values),
    );
    let mut constants = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let same = |index: &usize| (&entities[*index], &values[*index]) == (&entities[start], &values[start]);
        let end = start + (start..tokens.len()).take_while(same).count();
        let (entity, value) = (entities[start].as_str(), values[start].as_str());
        let year = value.strip_suffix("-XX-XX").unwrap_or(value);
        let is_year = |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let is_range = value
            .split_once('/')
            .is_some_and(|(from, to)| is_year(from) && is_year(to));
        let quirk = match entity {
            "DATE" if is_year(year) => Quirk::YearsAreNoValues,
            "DATE" if is_range => Quirk::YearRangesAreNoValues,
            "NUMBER" => Quirk::FirstDigits,
            _ => Quirk::OnlyPlainNumbers,
        };
        // Other dates are read alike, so both ways stay in force for them whatever the quirk.
        let found: Vec<Value> = if quirks.has(quirk) || entity == "DATE" && quirk == Quirk::OnlyPlainNumbers {
            published_quantity(entity, value).into_iter().collect()
        } else {
            let nlp = CoreNlp {
                tokens: &tokens[start..end],
                tags: &[],
                entities: &entities[start..end],
                values: &values[start..end],
            };
            let ours = our_quantities(&nlp.into());
            ours.into_iter().flat_map(|constant| constant.values).collect()
        };
        // One constant for each token, or one for all.
        let step = if quirks.has(Quirk::Duplicates) {
            1
        } else {
            end - start
        };
        for first in (start..end).step_by(step) {
            let constant = |value: &Value| quantity(value.clone(), first..first + step);
            constants.extend(found.iter().map(constant));
        }
        start = end;
    }
    constants
}

/// What the published code makes of a tag and its value.
fn published_quantity(entity: &str, value: &str) -> Option<Value> {
    match entity {
        "DATE" => {
            let value = value.to_lowercase();
            let full = if value.matches('-').count() == 1 {
                format!("{value}-xx")
            } else {
                value
            };
            let date: Date = full.parse().ok()?;
            // A year alone is a number to the evaluator, and only dates are kept.
            (date.month.is_some() || date.day.is_some()).then_some(Value::Date(full))
        }
        "NUMBER" => {
            let digits = &value[value.find(|c: char| c.is_ascii_digit())?..];
            let end = digits
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(digits.len());
            digits[..end]
                .trim_end_matches('.')
                .parse()
                .ok()
                .map(Value::Number)
        }
        _ => None,
    }
}

/// Whether a number or date is a value of some column.
fn is_in(table: &Table, value: &Value) -> bool {
    let same = |other: &Value| match (value, other) {
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::Date(a), Value::Date(b)) => compare_known_parts(a, b) == Some(Ordering::Equal),
        _ => false,
    };
    table
        .columns
        .iter()
        .any(|column| column.values.iter().flatten().any(same))
}

/// Compares dates by the parts that both know, year first.
pub fn compare_known_parts(a: &str, b: &str) -> Option<Ordering> {
    let known = parts(a).into_iter().zip(parts(b));
    let orders = known.filter_map(|(a, b)| Some(a?.cmp(&b?)));
    orders.reduce(Ordering::then)
}

/// Year, month and day of a date, where they are known.
pub fn parts(date: &str) -> [Option<i64>; 3] {
    let mut parts = date.rsplitn(3, '-').map(|part| part.parse().ok());
    let (day, month) = (parts.next().flatten(), parts.next().flatten());
    [parts.next().flatten(), month, day]
}

fn is_stop_word(word: &str) -> bool {
    word.is_empty() || STOP_WORDS.split_whitespace().any(|stop| stop == word)
}

const STOP_WORDS: &str = "! 'd 'll 'm 're 's 't 've , - . : ; ? a about above after again against all am an and any are \
    aren as at be because been before being below between both but by can cannot could couldn did didn do does doesn \
    doing don down during each few for from further had hadn has hasn have haven having he her here hers herself him \
    himself his how i if in into is isn it its itself let many me more most mustn my myself no nor not of off on once \
    only or other ought our ours ourselves out over own same shan she should shouldn so some such than that the their \
    theirs them themselves then there these they this those through to too under until up very was wasn we were weren \
    what when where which while who whom why with would wouldn you your yours yourself yourselves";
