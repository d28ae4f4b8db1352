//! How a table is laid out for SQL: what its columns are called there, and which of them there are.
//!
//! A table of ours is in SQL a row number from 0, the cells as text under their headers, and a further column
//! for each reading: numbers, second numbers, dates with their parts, and the normal form of texts where it
//! is not plain lower case. `docs/sql.md` has the whole.

mod looks;
mod on_file;
pub(crate) mod quote;
mod script;

pub(crate) use looks::Form;
pub(crate) use on_file::expression;
pub(crate) use script::is_whole;
pub use script::write_sql_table;

use looks::TextLook;
use mapo_tables::{Column, ColumnId, ColumnKind, Table};
use mapo_text::Date;
use std::collections::HashSet;
use std::sync::OnceLock;

/// The names of a table and its columns in SQL, each quoted and ready to be written.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The table.
    pub(crate) table: String,
    /// The column of row numbers.
    pub(crate) row: String,
    /// The columns of the file, as text.
    pub(crate) sources: Vec<String>,
    /// The typed columns.
    pub(crate) readings: Vec<Reading>,
    looks: Vec<OnceLock<TextLook>>,
    plain: Vec<OnceLock<bool>>,
}

/// What a typed column is in SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A column of normal forms, which is there only where they do not follow from the texts.
    Text(String),
    /// A column of numbers.
    Number(String),
    /// A column of dates as they are written, `2004-09-xx`, and three of their parts.
    Date(DateColumns),
}

/// The columns of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateColumns {
    pub written: String,
    /// Year, month and day.
    pub parts: [String; 3],
}

impl Layout {
    /// The layout of a table, kept beside it.
    pub fn of(table: &Table) -> &Layout {
        table.derived(Layout::new)
    }

    fn new(table: &Table) -> Layout {
        let mut names = Names::default();
        // Headers keep their names as long as they differ; what we add makes way.
        let headers: Vec<String> = table.headers().iter().map(|header| names.add(header)).collect();
        let row = names.add("row");
        let mut reading = |column: &Column| {
            let header = &headers[column.source()];
            let mut name = |what: &str| quote::name(&names.add(&format!("{header} ({what})")));
            match column.kind() {
                ColumnKind::Text => Reading::Text(name("text")),
                ColumnKind::Number => Reading::Number(name("number")),
                ColumnKind::SecondNumber => Reading::Number(name("second number")),
                ColumnKind::Date => Reading::Date(DateColumns {
                    written: name("date"),
                    parts: ["year", "month", "day"].map(name),
                }),
            }
        };
        Layout {
            readings: table.columns().iter().map(&mut reading).collect(),
            table: quote::name(&table_name(table.name())),
            row: quote::name(&row),
            sources: headers.iter().map(|header| quote::name(header)).collect(),
            looks: vec![OnceLock::new(); table.columns().len()],
            plain: vec![OnceLock::new(); table.columns().len()],
        }
    }

    pub(crate) fn reading(&self, column: ColumnId) -> &Reading {
        &self.readings[column.0 as usize]
    }

    /// How a text column's normal forms follow from its texts.
    pub(crate) fn look(&self, table: &Table, column: ColumnId) -> TextLook {
        *self.looks[column.0 as usize].get_or_init(|| TextLook::of(table, table.column(column)))
    }

    /// Whether a header alone says what a number or date column reads.
    pub(crate) fn is_plain(&self, table: &Table, column: ColumnId) -> bool {
        *self.plain[column.0 as usize].get_or_init(|| looks::is_plain(table, table.column(column)))
    }
}

/// Year, month and day of a date, where they are known.
pub(crate) fn parts(date: Date) -> [Option<i64>; 3] {
    [
        date.year.map(i64::from),
        date.month.map(i64::from),
        date.day.map(i64::from),
    ]
}

/// Names that differ by more than case, which SQL does not look at.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn add(&mut self, wanted: &str) -> String {
        let wanted = quote::without_nul(if wanted.is_empty() { "column" } else { wanted });
        let numbered = (2..).map(|number| format!("{wanted} {number}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
        let free = candidates.find(|name| self.0.insert(name.to_lowercase()));
        free.unwrap_or(wanted)
    }
}

/// A table is called as its file, without folder and ending. Names that the engine keeps to itself or that
/// our queries give to their steps are set apart.
fn table_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = if stem.is_empty() { "table" } else { stem };
    let lower = stem.to_lowercase();
    let step = lower
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    match step || lower.starts_with("sqlite_") {
        true => format!("table {stem}"),
        false => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    #[test]
    fn names_differ_whatever_the_headers_are() {
        let headers = ["Row", "row", "", "A", "a", "A (number)", "q\"t", "nul\0"];
        let mut builder = TableBuilder::new("data/v0.csv", headers);
        builder.push_row(["1"; 8]);
        let layout = Layout::new(&builder.finish());
        assert_eq!(layout.table, "\"table v0\"");
        assert_eq!(layout.row, "\"row 3\"");
        assert_eq!(
            layout.sources,
            [
                "\"Row\"",
                "\"row 2\"",
                "\"column\"",
                "\"A\"",
                "\"a 2\"",
                "\"A (number)\"",
                "\"q\"\"t\"",
                "\"nul␀\""
            ]
        );
        assert!(
            layout
                .readings
                .contains(&Reading::Number("\"A (number) 2\"".to_owned()))
        );
        assert!(
            layout
                .readings
                .contains(&Reading::Number("\"A (number) (number)\"".to_owned()))
        );
    }
}
