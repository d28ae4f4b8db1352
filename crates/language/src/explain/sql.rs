//! Programs as SQL: a common table expression for each step that the last one needs, and the last one.

use super::calls::calls;
use crate::functions::{Function, Gives};
use crate::program::{Program, ProgramError};
use crate::sql_table::Layout;
use crate::telling::Call;
use crate::telling::sql::{For, Select};
use mapo_tables::Table;

/// The program as one `SELECT` that SQLite and DuckDB run, for the table that
/// [`write_sql_table`](super::write_sql_table) makes. It gives the items of the answer in their order, one in
/// a row; a program that ends with rows gives their numbers. Nothing, or a single NULL, is an answer without
/// items. `like_sql` as in the program's [language](crate::Language).
///
/// ```
/// use mapo_language::explain::sql;
/// use mapo_tables::TableBuilder;
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
/// If the program has a column that the table has not, or an argument of another type than the function
/// takes.
pub fn sql(program: &Program, table: &Table, like_sql: bool) -> Result<String, ProgramError> {
    let calls = calls(program, table)?;
    let Some(last) = calls.len().checked_sub(1) else {
        return Ok("SELECT NULL WHERE FALSE".to_owned());
    };
    // Later steps use earlier ones only, so one pass from the back finds all that are needed.
    let mut needed = vec![false; calls.len()];
    needed[last] = true;
    for (_, call) in calls.iter().rev() {
        if needed[call.step] {
            call.uses().for_each(|used| needed[used] = true);
        }
    }
    let mut tables: Vec<String> = Vec::new();
    for call in calls[..last].iter().filter(|(_, call)| needed[call.step]) {
        let query = select(call, For::Steps, table, like_sql, &mut tables);
        // What is computed has no name of its own.
        let column = match call.0.definition().gives {
            Gives::Scalar => "(value)",
            _ => "",
        };
        tables.push(format!("v{}{column} AS (\n  {query}\n)", call.1.step));
    }
    let mut query = select(&calls[last], For::Answer, table, like_sql, &mut tables);
    if calls[last].0.definition().gives == Gives::Rows {
        query += &format!(" ORDER BY {}", Layout::of(table).row);
    }
    Ok(match tables.is_empty() {
        true => query,
        false => format!("WITH {}\n{query}", tables.join(",\n")),
    })
}

/// The query of one expression; the tables that it needs beside those of earlier steps are added to the
/// others.
fn select(
    (function, call): &(Function, Call<'_>),
    purpose: For,
    table: &Table,
    like_sql: bool,
    tables: &mut Vec<String>,
) -> String {
    let mut select = Select {
        call,
        table,
        layout: Layout::of(table),
        like_sql,
        purpose,
        before: Vec::new(),
    };
    let query = (function.definition().sql)(&mut select);
    tables.append(&mut select.before);
    query
}
