//! Programs as SQL, and the table that it runs on.
//!
//! A table of ours is in SQL a row number from 0, the cells as text under their headers, and a further column for each
//! reading: numbers, second numbers, dates with their parts, and the normal form of texts where it is not plain lower
//! case. `docs/sql.md` has the whole.

mod agreement;
mod dates;
mod query;
pub(super) mod quote;
mod script;

pub use agreement::{Agreement, SqlValue};
pub use script::write_sql_table;

use super::operation::Operation;
use crate::{Program, ProgramError};
use mapo_tables::Table;
use mapo_text::Date;

/// The program as one `SELECT` that SQLite and DuckDB run, for the table that [`write_sql_table`] makes. It gives the
/// items of the answer in their order, one in a row; a program that ends with rows gives their numbers. Nothing, or a
/// single NULL, is an answer without items. `like_sql` as in the program's [language](crate::Language).
///
/// ```
/// use mapo_tables::TableBuilder;
/// use mapo_language::explain::sql;
/// let mut builder = TableBuilder::new("people.csv", ["Name", "Hometown"]);
/// builder.push_row(["Anne", "Tulsa"]);
/// let program = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)".parse().unwrap();
/// assert_eq!(
///     sql(&program, &builder.finish(), false).unwrap(),
///     r#"WITH v0 AS (
///   SELECT * FROM "people" WHERE instr(lower("Hometown"), 'tulsa') > 0
/// )
/// SELECT "Name" FROM v0 GROUP BY "Name" ORDER BY min("row")"#
/// );
/// ```
///
/// # Errors
/// If the program has a column that the table has not, or an argument of another type than the function takes.
pub fn sql(program: &Program, table: &Table, like_sql: bool) -> Result<String, ProgramError> {
    let operations = Operation::all(program, table)?;
    Ok(query::Query::new(&operations, table, like_sql).write())
}

/// Year, month and day of a date, where they are known.
fn parts(date: Date) -> [Option<i64>; 3] {
    [
        date.year.map(i64::from),
        date.month.map(i64::from),
        date.day.map(i64::from),
    ]
}
