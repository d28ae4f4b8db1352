//! Values as JSON.

use mapo_language::Denotation;
use mapo_tables::Constant;
use serde_json::{Value, json};

/// A number, without a decimal point where it is whole.
pub fn number(number: f64) -> Value {
    json!(mapo_tables::Value::Number(number))
}

/// The items of an expression's value; rows as numbers from 0.
pub fn denotation(value: &Denotation) -> Value {
    match value {
        Denotation::Rows(rows) => rows.iter().collect(),
        Denotation::Strings(strings) => json!(strings),
        Denotation::Numbers(numbers) => numbers.iter().map(|n| number(*n)).collect(),
        Denotation::Groups(groups) => groups
            .iter()
            .flat_map(|(label, n)| [json!(label), number(*n)])
            .collect(),
        Denotation::Dates(dates) => dates.iter().map(|date| date.to_string()).collect(),
    }
}

/// The type of a constant and its items.
pub fn constant(constant: &Constant) -> (&'static str, Value) {
    match constant {
        Constant::Strings(strings) => ("strings", json!(strings)),
        Constant::Numbers(numbers) => ("numbers", numbers.iter().map(|n| number(*n)).collect()),
        Constant::Dates(dates) => ("dates", dates.iter().map(|date| date.to_string()).collect()),
    }
}
