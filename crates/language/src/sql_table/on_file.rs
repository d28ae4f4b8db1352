//! The columns of the SQL table as expressions over the columns of the file itself, where its cells allow that: where
//! DuckDB reads in every cell what we read.

use super::script::{Made, columns};
use super::{Layout, quote};
use mapo_tables::{Column, ColumnKind, Table, Value};
use mapo_text::Date;

/// The most digits of a number that every reader reads alike.
const MOST_DIGITS: usize = 15;

/// How a column of the SQL table follows from the file's own, by its name in SQL as it is quoted there. None if the table
/// has no such column.
///
/// # Errors
/// One sentence that says why it does not follow.
pub(crate) fn expression(table: &Table, layout: &Layout, name: &str) -> Option<Result<String, String>> {
    if name == layout.row {
        return Some(Ok("row_number() OVER () - 1".to_owned()));
    }
    let made = columns(table, layout)
        .into_iter()
        .find(|made| made.name(layout) == name)?;
    let header = &table.headers()[made.source()];
    let cell = quote::name(header);
    let because = |why: &str| Err(format!("{header}: {why}"));
    Some(match made {
        Made::Cells(source) => match cells(table, source) {
            None => because("a cell is not shown as it stands in the file"),
            Some(true) => Ok(format!("coalesce({cell}, '')")),
            Some(false) => Ok(cell),
        },
        Made::Text(..) => because("texts are compared by a form that SQL cannot make of them"),
        Made::Number(column, _, whole) => match (plain_numbers(table, column), whole) {
            (None, _) => because("a cell is not just a number"),
            (Some(Points::None), true) => Ok(format!("TRY_CAST({cell} AS BIGINT)")),
            // Whole numbers that are written as 24.00.
            (Some(Points::Some), true) => Ok(format!("CAST(TRY_CAST({cell} AS DOUBLE) AS BIGINT)")),
            (Some(_), false) => Ok(format!("TRY_CAST({cell} AS DOUBLE)")),
        },
        Made::Date(column, _) => match dates(table, column) {
            Some(Dates::Days) => Ok(format!("CAST(TRY_CAST({cell} AS DATE) AS VARCHAR)")),
            Some(Dates::Years) => Ok(format!("CAST(TRY_CAST({cell} AS BIGINT) AS VARCHAR) || '-xx-xx'")),
            None => because("a cell is not a date as yyyy-mm-dd"),
        },
        Made::Part(column, _, part) => match (dates(table, column), part) {
            (Some(Dates::Days), part) => {
                let part = ["year", "month", "day"][part];
                Ok(format!("{part}(TRY_CAST({cell} AS DATE))"))
            }
            (Some(Dates::Years), 0) => Ok(format!("TRY_CAST({cell} AS BIGINT)")),
            (Some(Dates::Years), _) => Ok("CAST(NULL AS BIGINT)".to_owned()),
            (None, _) => because("a cell is not a date as yyyy-mm-dd"),
        },
    })
}

/// Whether some cell of a column is empty; none if a cell answers a question with another text than its own.
fn cells(table: &Table, source: usize) -> Option<bool> {
    let mut empty = false;
    for (text, answer) in table.raw_texts(source).iter().zip(table.answers(source).iter()) {
        if text != answer || text.contains('\0') {
            return None;
        }
        empty |= text.is_empty();
    }
    Some(empty)
}

/// Calls `fits` with the text of each row and its value; whether it says yes to all.
fn all_cells<'a>(
    table: &'a Table,
    column: &'a Column,
    mut fits: impl FnMut(&'a str, Option<Value<'a>>) -> bool,
) -> bool {
    let mut seen = vec![false; table.raw_texts(column.source()).len()];
    (0..table.rows()).all(|row| {
        let known = std::mem::replace(&mut seen[column.text(row) as usize], true);
        known || fits(table.cell(row, column.source()), column.value(row))
    })
}

/// Whether a text can be neither a number nor a date to anyone.
fn says_nothing(text: &str) -> bool {
    const WORDS: [&str; 6] = ["inf", "nan", "epoch", "now", "to", "yesterday"];
    let text = text.trim().trim_start_matches(['-', '+']).to_lowercase();
    !text.contains(|c: char| c.is_numeric()) && !WORDS.iter().any(|word| text.starts_with(word))
}

/// Whether numbers are written with a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Points {
    None,
    Some,
}

/// How the numbers of a column are written; none if a cell is more than a number, or another one to us.
fn plain_numbers(table: &Table, column: &Column) -> Option<Points> {
    let mut points = Points::None;
    let plain = all_cells(table, column, |text, value| match value {
        None => says_nothing(text),
        Some(Value::Number(number)) => {
            if text.contains('.') {
                points = Points::Some;
            }
            is_number(text) && text.parse() == Ok(number)
        }
        Some(_) => false,
    });
    (plain && column.kind() == ColumnKind::Number).then_some(points)
}

/// Digits, with a sign before them and a point within them where there may be one.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, behind) = match digits.split_once('.') {
        Some((before, behind)) => (before, Some(behind)),
        None => (digits, None),
    };
    digits.len() <= MOST_DIGITS && is_digits(before) && behind.is_none_or(is_digits)
}

/// How the dates of a column are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dates {
    /// All as `2004-09-30`.
    Days,
    /// All as `2004`.
    Years,
}

fn dates(table: &Table, column: &Column) -> Option<Dates> {
    let all = |how: Dates| {
        all_cells(table, column, |text, value| match value {
            None => says_nothing(text),
            Some(Value::Date(date)) => is_date(text, date, how),
            Some(_) => false,
        })
    };
    [Dates::Days, Dates::Years].into_iter().find(|how| all(*how))
}

fn is_date(text: &str, date: Date, how: Dates) -> bool {
    match (how, date.year, date.month, date.day) {
        (Dates::Days, Some(year), Some(month), Some(day)) => {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = match month {
                2 if leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (1000..=9999).contains(&year) && day <= days && text == date.to_string()
        }
        (Dates::Years, Some(year), None, None) => (1000..=9999).contains(&year) && text == year.to_string(),
        _ => false,
    }
}
