//! Numbers of a table, and as people write them.

use crate::choices::Choices;
use crate::profile::{Facet, Profile};
use mapo_tables::{ColumnKind, Value};

/// The number or year of each row that has one.
pub(crate) fn numbers_of(profile: &Profile<'_>, facet: &Facet) -> Vec<(usize, f64)> {
    let Some(column) = facet.ordered.map(|id| profile.table.column(id)) else {
        return Vec::new();
    };
    let number = |row: usize| match column.value(row)? {
        Value::Number(number) => Some((row, number)),
        Value::Date(date) if column.kind() == ColumnKind::Date => Some((row, f64::from(date.year?))),
        _ => None,
    };
    (0..profile.table.rows()).filter_map(number).collect()
}

/// A number near this one with few digits.
pub(super) fn round(number: f64, choices: &mut Choices, is_time: bool) -> f64 {
    if is_time || number.abs() < 10.0 && number.fract() == 0.0 {
        return number;
    }
    let digits = 1 + choices.below(2) as i32;
    let scale = 10f64.powi(digits - 1 - number.abs().max(1e-9).log10().floor() as i32);
    let rounded = (number * scale).round() / scale;
    // What was 0.3 stays 0.3.
    (rounded * 1e6).round() / 1e6
}

/// A number as people write it.
pub(crate) fn written(number: f64, is_time: bool, choices: &mut Choices) -> String {
    let plain = number.to_string();
    if is_time || number.abs() < 1000.0 || number.fract() != 0.0 {
        return plain;
    }
    let (millions, thousands) = (number / 1e6, number / 1e3);
    match choices.below(4) {
        0 if millions >= 1.0 && (millions * 10.0).fract() == 0.0 => format!("{millions} million"),
        1 if number.abs() < 1e6 && thousands.fract() == 0.0 && choices.one_in(4) => format!("{thousands}k"),
        1 | 2 => with_commas(&plain),
        _ => plain,
    }
}

/// Digits in groups of three.
pub(crate) fn with_commas(plain: &str) -> String {
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain),
    };
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{sign}{text}")
}
