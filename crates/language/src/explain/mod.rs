//! What a program means, for people and for SQL engines.
//!
//! - [`english`] says it in plain English;
//! - [`explain`] runs it and records what each step gives and which cells it rests on;
//! - [`sql`] writes it as one `SELECT` that SQLite and DuckDB run with the same answer, on the table that
//!   [`write_sql_table`] makes;
//! - [`duckdb`] writes it for DuckDB on the file itself, where its cells allow that.

mod agreement;
mod calls;
mod duckdb;
mod english;
mod sql;
mod steps;

pub use crate::sql_table::write_sql_table;
pub use crate::telling::cells::{CellRef, MOST_CELLS};
pub use agreement::{Agreement, SqlValue};
pub use duckdb::{NotPlain, duckdb};
pub use english::{describe, english};
pub use sql::sql;
pub(crate) use steps::explain_program;
pub use steps::{Explanation, MOST_ROWS, MOST_VALUES, Step, explain};
