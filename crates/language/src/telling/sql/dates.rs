//! Comparing dates of which any part may be unknown.
//!
//! The order of two dates is that of the first part that both know and that differs. With the months'
//! differences below 12 and the days' below 31 it is the sign of `400 · years + 32 · months + days`, parts
//! that are not known to both left out.

use crate::order::Comparison;
use crate::sql_table::{DateColumns, parts};
use mapo_tables::{Column, Dictionary};
use mapo_text::Date;

const WEIGHTS: [&str; 3] = [" * 400", " * 32", ""];

/// The parts that every date of a column knows and no other: then their order is total.
pub(crate) fn common_parts(column: &Column) -> Option<[bool; 3]> {
    match column.dictionary() {
        Dictionary::Dates(dates) if column.codes_are_ordered() => {
            let first = dates.first()?;
            Some(parts(*first).map(|part| part.is_some()))
        }
        _ => None,
    }
}

/// Whether every date of a column that knows a part knows all larger ones too. Then a date that beats another
/// is above it in the order of years, months and days, whatever the unknown parts are: dates cannot beat each
/// other in a circle.
pub(crate) fn are_nested(column: &Column) -> bool {
    match column.dictionary() {
        Dictionary::Dates(dates) => dates
            .iter()
            .all(|date| matches!(date.known(), 0b100 | 0b110 | 0b111)),
        _ => true,
    }
}

pub(crate) fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
    }
}

/// The condition that a column's date compares so with one date. It is NULL or false where there is none.
pub(crate) fn with_date(
    names: &DateColumns,
    known: Option<[bool; 3]>,
    comparison: Comparison,
    date: Date,
) -> String {
    let given: Vec<(usize, &str, i64)> = (0..3)
        .filter_map(|at| Some((at, names.parts[at].as_str(), parts(date)[at]?)))
        .filter(|(at, ..)| known.is_none_or(|known| known[*at]))
        .collect();
    let operator = operator(comparison);
    match (given.as_slice(), known, comparison) {
        // Known to be another, or not known at all.
        (_, _, Comparison::NotEqual) => {
            let other = given
                .iter()
                .map(|(_, name, part)| format!(" OR {name} <> {part}"));
            format!("({} IS NULL{})", names.written, other.collect::<String>())
        }
        ([], ..) => "FALSE".to_owned(),
        ([(_, name, part)], ..) => format!("{name} {operator} {part}"),
        (_, Some(_), Comparison::Equal) => {
            let equal = given.iter().map(|(_, name, part)| format!("{name} = {part}"));
            equal.collect::<Vec<_>>().join(" AND ")
        }
        (_, Some(_), _) => {
            let terms = given
                .iter()
                .map(|(at, name, part)| format!("({name} - {part}){}", WEIGHTS[*at]));
            format!("{} {operator} 0", terms.collect::<Vec<_>>().join(" + "))
        }
        (_, None, _) => {
            let terms = given
                .iter()
                .map(|(at, name, part)| format!("COALESCE({name} - {part}, 0){}", WEIGHTS[*at]));
            let some = given.iter().map(|(_, name, _)| format!("{name} IS NOT NULL"));
            let (terms, some) = (
                terms.collect::<Vec<_>>().join(" + "),
                some.collect::<Vec<_>>().join(" OR "),
            );
            format!("{terms} {operator} 0 AND ({some})")
        }
    }
}

/// The order of two dates, given by the names of their parts: above, below or at zero. Zero too where they
/// have no part in common.
pub(crate) fn order(one: &[String; 3], other: &[String; 3]) -> String {
    let terms = (0..3).map(|at| format!("COALESCE({} - {}, 0){}", one[at], other[at], WEIGHTS[at]));
    terms.collect::<Vec<_>>().join(" + ")
}

/// Whether two dates have a part in common.
pub(crate) fn comparable(one: &[String; 3], other: &[String; 3]) -> String {
    let terms = (0..3).map(|at| format!("{} - {} IS NOT NULL", one[at], other[at]));
    format!("({})", terms.collect::<Vec<_>>().join(" OR "))
}

/// The parts of a date, each with the name of its table.
pub(crate) fn parts_of(table: &str, date: &DateColumns) -> [String; 3] {
    date.parts.each_ref().map(|part| format!("{table}.{part}"))
}
