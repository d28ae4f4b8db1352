//! What programs answer, and whether it is right.

use super::data::PublishedProgram;
use super::programs::Held;
use super::quirk::{Quirk, Quirks};
use super::tables::{Kind, Value};
use mapo_datasets::scoring::wikisql::{Purpose, Target};
use mapo_datasets::scoring::{Item, wtq};
use mapo_language::Denotation;

/// A result that compares as results do: numbers within a billionth, and where order has no meaning without
/// it.
#[derive(Clone, Debug)]
pub struct Answer {
    kind: &'static str,
    items: Vec<Value>,
}

impl PartialEq for Answer {
    fn eq(&self, other: &Answer) -> bool {
        let same = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Number(a), Value::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => a == b,
        };
        self.kind == other.kind
            && self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(same)
    }
}

impl Answer {
    fn new(kind: &'static str, mut items: Vec<Value>, ordered: bool) -> Answer {
        if !ordered {
            items.sort_by(|a, b| match (a, b) {
                (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
                (Value::Text(a), Value::Text(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
                _ => panic!("{a:?} beside {b:?}"),
            });
        }
        Answer { kind, items }
    }

    pub fn of(held: &Held, ordered: bool) -> Answer {
        match held {
            Held::Rows(rows) => Answer::new(
                "rows",
                rows.iter().map(|row| Value::Number(*row as f64)).collect(),
                ordered,
            ),
            Held::Values(kind, values) => Answer::new(kind_name(*kind), values.clone(), ordered),
            Held::Scalar(number) => Answer::new(
                "numbers",
                number.map(Value::Number).into_iter().collect(),
                ordered,
            ),
        }
    }

    pub fn ours(denotation: &Denotation, ordered: bool) -> Answer {
        let items = match denotation {
            Denotation::Rows(rows) => rows.iter().map(|row| Value::Number(row as f64)).collect(),
            Denotation::Strings(strings) => strings.iter().cloned().map(Value::Text).collect(),
            Denotation::Numbers(numbers) => numbers.iter().copied().map(Value::Number).collect(),
            Denotation::Dates(dates) => dates.iter().map(|date| Value::Date(date.to_string())).collect(),
            Denotation::Groups(_) => panic!("the paper's language has no groups"),
        };
        Answer::new(denotation.kind(), items, ordered)
    }

    /// The vectors call the one value of max and min `ordered`, whichever it is.
    pub fn published(program: &PublishedProgram, ordered: bool) -> Answer {
        let text = program.result.first().is_some_and(serde_json::Value::is_string);
        let kind = match program.kind.as_str() {
            "rows" => "rows",
            "strings" => "strings",
            "dates" => "dates",
            "numbers" => "numbers",
            "ordered" if text => "dates",
            "ordered" => "numbers",
            other => panic!("a result of {other}"),
        };
        let item = |item: &serde_json::Value| match (item.as_f64(), item.as_str()) {
            (Some(number), _) => Value::Number(number),
            (_, Some(text)) if kind == "dates" => Value::Date(text.to_owned()),
            (_, Some(text)) => Value::Text(text.to_owned()),
            _ => panic!("{item} in a result"),
        };
        Answer::new(kind, program.result.iter().map(item).collect(), ordered)
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "strings",
        Kind::Number => "numbers",
        Kind::Date => "dates",
    }
}

/// The right answer. The published code prints numbers with twelve digits before it compares them; it makes
/// no difference to any reward of the vectors, so it is no quirk here.
pub enum Right {
    Wtq(Vec<wtq::Value>),
    WikiSql(Target),
}

impl Right {
    pub fn is_right(&self, held: &Held, quirks: Quirks) -> bool {
        let items: Vec<Value> = match held {
            Held::Rows(rows) => rows.iter().map(|row| Value::Text(format!("row_{row}"))).collect(),
            Held::Values(_, values) => values.clone(),
            Held::Scalar(number) => number.map(Value::Number).into_iter().collect(),
        };
        match self {
            Right::Wtq(target) => {
                let text = |item: &Value| match item {
                    Value::Text(text) | Value::Date(text) => text.clone(),
                    Value::Number(number) => Item::Number(*number).to_string(),
                };
                let texts: Vec<String> = items.iter().map(text).collect();
                wtq::check(target, &wtq::to_values(&texts, &[""; 0]))
            }
            Right::WikiSql(target) => {
                let purpose = if quirks.has(Quirk::NullIsRewarded) {
                    Purpose::Evaluation
                } else {
                    Purpose::Training
                };
                target.matches(items.iter().map(item), purpose)
            }
        }
    }
}

fn item(value: &Value) -> Item<'_> {
    match value {
        Value::Text(text) | Value::Date(text) => Item::Text(text),
        Value::Number(number) => Item::Number(*number),
    }
}
