//! Programs as SQL.

use crate::language::{Program, ProgramError};
use crate::table::Table;
use std::io::{self, Write};

/// How the table looks to SQL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout;

/// The program as one `SELECT` that SQLite and DuckDB run, for the table that [`write_sql_table`] makes.
/// `keep_duplicates` as in the [language](crate::Language) of the program.
///
/// # Errors
/// If the program has a column that the table has not, or an argument of another type than the function takes.
pub fn sql(program: &Program, _table: &Table, _keep_duplicates: bool) -> Result<String, ProgramError> {
    Ok(program.to_string())
}

/// Writes a script that makes the table in SQLite or DuckDB.
///
/// # Errors
/// Those of `out`.
pub fn write_sql_table(_table: &Table, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
