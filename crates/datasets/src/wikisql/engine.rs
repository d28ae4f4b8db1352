//! Executes WikiSQL's queries as the official engine, SQLite over lower-cased text, does.
//!
//! A cell of a `real` column is a number only if it is written as a plain number; otherwise it stays text,
//! and text is greater than any number. A `text` column compares whole lower-cased texts, byte by byte.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::files::{Aggregate, ColumnType, Comparison, Condition, Query, Scalar, Table};
use mapo_text::digits;
use mapo_text::trim;

/// One item of a query's result.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// No value: the greatest, least, sum or mean of nothing.
    Null,
    /// A number.
    Number(f64),
    /// Lower-cased text.
    Text(String),
}

/// Why a query cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A column that the table does not have.
    #[error(
        "the query names column {column}, but table {table} has columns 0 to {last} only; correct its index"
    )]
    NoSuchColumn {
        /// The index in the query.
        column: usize,
        /// The table's id.
        table: String,
        /// The table's last index; -1 if it has no columns.
        last: isize,
    },
    /// A condition on a column of numbers whose value has no number in it.
    #[error(
        "the condition on column {column}, which holds numbers, has no number in its value {value:?}; give one"
    )]
    NoNumber {
        /// The column.
        column: usize,
        /// The condition's value.
        value: String,
    },
}

/// A stored value, as SQLite compares it. Text may stay in the table if it is in lower case already.
#[derive(Clone, Debug, PartialEq)]
enum Stored<'a> {
    Null,
    Number(f64),
    Text(Cow<'a, str>),
}

/// A condition made ready for its column.
struct Ready<'a> {
    column: usize,
    kind: ColumnType,
    comparison: Comparison,
    value: Stored<'a>,
}

/// Executes a query on its table. The cells come in the order of the rows; an aggregate gives one item.
pub fn execute(table: &Table, query: &Query) -> Result<Vec<Answer>, Error> {
    let kind = column_type(table, query.sel)?;
    let conditions: Vec<Ready<'_>> = query
        .conds
        .iter()
        .map(|condition| ready(table, condition))
        .collect::<Result<_, _>>()?;
    let meets_all = |row: &&Vec<Scalar>| {
        conditions.iter().all(|c| {
            let order = compare(&stored(&row[c.column], c.kind), &c.value);
            match c.comparison {
                Comparison::Equal => order == Some(Ordering::Equal),
                Comparison::Greater => order == Some(Ordering::Greater),
                Comparison::Less => order == Some(Ordering::Less),
            }
        })
    };
    let selected = table
        .rows
        .iter()
        .filter(meets_all)
        .map(|row| stored(&row[query.sel], kind));
    Ok(match query.agg {
        Aggregate::None => selected.map(Answer::from).collect(),
        aggregate => vec![combine(
            aggregate,
            selected.filter(|value| *value != Stored::Null),
        )],
    })
}

fn column_type(table: &Table, column: usize) -> Result<ColumnType, Error> {
    table
        .types
        .get(column)
        .copied()
        .ok_or_else(|| Error::NoSuchColumn {
            column,
            table: table.id.clone(),
            last: table.types.len() as isize - 1,
        })
}

/// A cell as the engine stores it.
fn stored(cell: &Scalar, kind: ColumnType) -> Stored<'_> {
    match (kind, cell) {
        (_, Scalar::Null) => Stored::Null,
        (ColumnType::Text, cell) => Stored::Text(written(cell)),
        (ColumnType::Real, Scalar::Integer(number)) => Stored::Number(*number as f64),
        (ColumnType::Real, Scalar::Float(number)) => Stored::Number(*number),
        (ColumnType::Real, Scalar::Text(text)) => match plain_number(text) {
            Some(number) => Stored::Number(number),
            None => Stored::Text(lower(text)),
        },
    }
}

/// A scalar as lower-cased text; a float always shows its point.
fn written(scalar: &Scalar) -> Cow<'_, str> {
    match scalar {
        Scalar::Text(text) => lower(text),
        Scalar::Integer(number) => Cow::Owned(number.to_string()),
        Scalar::Float(number) => Cow::Owned(format!("{number:?}")),
        Scalar::Null => Cow::Borrowed(""),
    }
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|b| b.is_ascii_uppercase() || !b.is_ascii()) {
        Cow::Owned(text.to_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

fn ready<'a>(table: &Table, condition: &'a Condition) -> Result<Ready<'a>, Error> {
    let kind = column_type(table, condition.column)?;
    let value = match (kind, &condition.value) {
        (ColumnType::Real, Scalar::Text(text)) => {
            let number = number_in(text).ok_or_else(|| Error::NoNumber {
                column: condition.column,
                value: text.clone(),
            })?;
            // The engine stores what is not a number at all as no value, to which nothing compares.
            if number.is_nan() {
                Stored::Null
            } else {
                Stored::Number(number)
            }
        }
        (kind, value) => stored(value, kind),
    };
    Ok(Ready {
        column: condition.column,
        kind,
        comparison: condition.comparison,
        value,
    })
}

/// The order of two stored values: numbers, then text; `None` if one is missing.
fn compare(a: &Stored<'_>, b: &Stored<'_>) -> Option<Ordering> {
    match (a, b) {
        (Stored::Null, _) | (_, Stored::Null) => None,
        (Stored::Number(a), Stored::Number(b)) => a.partial_cmp(b),
        (Stored::Number(_), Stored::Text(_)) => Some(Ordering::Less),
        (Stored::Text(_), Stored::Number(_)) => Some(Ordering::Greater),
        (Stored::Text(a), Stored::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
    }
}

fn combine<'a>(aggregate: Aggregate, values: impl Iterator<Item = Stored<'a>>) -> Answer {
    let extreme = |wanted: Ordering| {
        move |best: Stored<'a>, next: Stored<'a>| {
            if compare(&next, &best) == Some(wanted) {
                next
            } else {
                best
            }
        }
    };
    match aggregate {
        Aggregate::None | Aggregate::Count => Answer::Number(values.count() as f64),
        Aggregate::Max => values
            .reduce(extreme(Ordering::Greater))
            .map_or(Answer::Null, Answer::from),
        Aggregate::Min => values
            .reduce(extreme(Ordering::Less))
            .map_or(Answer::Null, Answer::from),
        Aggregate::Sum | Aggregate::Average => {
            let (mut sum, mut count) = (0.0, 0u32);
            for value in values {
                sum += value.amount();
                count += 1;
            }
            match (count, aggregate) {
                (0, _) => Answer::Null,
                (count, Aggregate::Average) => Answer::Number(sum / f64::from(count)),
                _ => Answer::Number(sum),
            }
        }
    }
}

impl Stored<'_> {
    /// What the value adds to a sum: the number that a text begins with, else nothing.
    fn amount(&self) -> f64 {
        match self {
            Stored::Null => 0.0,
            Stored::Number(number) => *number,
            Stored::Text(text) => {
                leading_number(text.trim_start_matches(is_blank)).map_or(0.0, |(number, _)| number)
            }
        }
    }
}

impl From<Stored<'_>> for Answer {
    fn from(value: Stored<'_>) -> Self {
        match value {
            Stored::Null => Answer::Null,
            Stored::Number(number) => Answer::Number(number),
            Stored::Text(text) => Answer::Text(text.into_owned()),
        }
    }
}

/// White space in SQLite's sense.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// The number that a text is as a whole, as a column of numbers stores it.
fn plain_number(text: &str) -> Option<f64> {
    let (number, rest) = leading_number(text.trim_matches(is_blank))?;
    rest.is_empty().then_some(number)
}

/// The number that a text begins with, and the rest: sign, digits with at most one point, exponent.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = run(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = run(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = run((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}

/// The number that a condition's text stands for: the whole text without its commas, else the first number in
/// it.
fn number_in(text: &str) -> Option<f64> {
    let plain = text.replace(',', "");
    let whole = trim(&plain);
    if let Some(number) = digits::parse_f64(whole).or_else(|| digits::parse_special(whole)) {
        return Some(number);
    }
    (0..text.len())
        .filter(|&at| text.is_char_boundary(at))
        .find_map(|at| number_at(&text[at..]))
}

/// A number that begins exactly here: with a sign only if it has a point too.
fn number_at(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = run(sign);
    let point = sign + whole;
    if bytes.get(point) == Some(&b'.') {
        let fraction = run(point + 1);
        if fraction > 0 {
            return text[..point + 1 + fraction].parse().ok();
        }
    }
    if sign == 0 && whole > 0 {
        text[..whole].parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = [
            ("Alpha", "1.5", "x"),
            ("beta", "69,807", "X"),
            ("GAMMA", "-3", "y"),
            ("Ärger", "10%", "y"),
        ];
        let text = |text: &str| Scalar::Text(text.to_owned());
        Table {
            id: "t".to_owned(),
            header: ["name", "number", "kind"].map(str::to_owned).to_vec(),
            types: vec![ColumnType::Text, ColumnType::Real, ColumnType::Text],
            rows: rows
                .iter()
                .map(|(a, b, c)| vec![text(a), text(b), text(c)])
                .collect(),
        }
    }

    fn run(sel: usize, agg: Aggregate, conds: &[(usize, Comparison, Scalar)]) -> Vec<Answer> {
        let conds = conds.iter().cloned().map(Condition::from).collect();
        execute(&table(), &Query { sel, agg, conds }).unwrap()
    }

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.to_owned())
    }

    fn texts(texts: &[&str]) -> Vec<Answer> {
        texts.iter().map(|&t| Answer::Text(t.to_owned())).collect()
    }

    use Aggregate::{Average, Count, Max, Min, None as Cells, Sum};
    use Comparison::{Equal, Greater, Less};

    #[test]
    fn compares_lower_cased_whole_texts() {
        assert_eq!(run(0, Cells, &[(2, Equal, text("X"))]), texts(&["alpha", "beta"]));
        assert_eq!(run(0, Cells, &[(0, Equal, text("alph"))]), []);
        assert_eq!(
            run(0, Cells, &[(0, Greater, text("Beta"))]),
            texts(&["gamma", "ärger"])
        );
        assert_eq!(
            run(0, Cells, &[(2, Equal, text("y")), (0, Less, text("z"))]),
            texts(&["gamma"])
        );
    }

    #[test]
    fn text_in_a_column_of_numbers_is_greater_than_any_number() {
        assert_eq!(
            run(0, Cells, &[(1, Greater, Scalar::Integer(1))]),
            texts(&["alpha", "beta", "ärger"])
        );
        assert_eq!(
            run(0, Cells, &[(1, Less, Scalar::Float(1e9))]),
            texts(&["alpha", "gamma"])
        );
        assert_eq!(run(0, Cells, &[(1, Equal, Scalar::Integer(69807))]), []);
        assert_eq!(run(1, Max, &[]), texts(&["69,807"]));
        assert_eq!(run(1, Min, &[]), [Answer::Number(-3.0)]);
    }

    #[test]
    fn sums_the_numbers_that_texts_begin_with() {
        assert_eq!(run(1, Sum, &[]), [Answer::Number(1.5 + 69.0 - 3.0 + 10.0)]);
        assert_eq!(run(1, Average, &[(2, Equal, text("y"))]), [Answer::Number(3.5)]);
        assert_eq!(run(0, Sum, &[]), [Answer::Number(0.0)]);
    }

    #[test]
    fn aggregates_of_nothing_are_null_but_a_count_is_zero() {
        let nothing = [(0, Equal, text("nobody"))];
        for aggregate in [Max, Min, Sum, Average] {
            assert_eq!(run(1, aggregate, &nothing), [Answer::Null], "{aggregate:?}");
        }
        assert_eq!(run(1, Count, &nothing), [Answer::Number(0.0)]);
        assert_eq!(run(1, Cells, &nothing), []);
        assert_eq!(run(1, Count, &[]), [Answer::Number(4.0)]);
    }

    #[test]
    fn reads_the_number_of_a_condition() {
        for (value, number) in [
            ("1,234", 1234.0),
            (" 5 ", 5.0),
            ("-3", -3.0),
            ("1e3", 1000.0),
            ("about -2.5 or 7", -2.5),
            ("week -7", 7.0),
            ("12.", 12.0),
            ("3rd of 5", 3.0),
            ("v.5x", 0.5),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(number_in(value), Some(number), "{value}");
        }
        assert_eq!(number_in("none"), None);
        assert!(number_in("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn says_what_is_wrong_with_a_query() {
        let query = |sel, column, value| Query {
            sel,
            agg: Cells,
            conds: vec![Condition {
                column,
                comparison: Equal,
                value,
            }],
        };
        let error = execute(&table(), &query(3, 0, text("a"))).unwrap_err();
        assert!(error.to_string().contains("columns 0 to 2"), "{error}");
        let error = execute(&table(), &query(0, 1, text("many"))).unwrap_err();
        assert!(error.to_string().contains("\"many\""), "{error}");
    }
}
