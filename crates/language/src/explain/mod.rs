//! What a program means, for people and for SQL engines.
//!
//! - [`english`] says it in plain English;
//! - [`explain`] runs it and records what each step gives and which cells it rests on;
//! - [`sql`] writes it as one `SELECT` that SQLite and DuckDB run with the same answer, on the table that
//!   [`write_sql_table`] makes.

mod english;
mod layout;
mod looks;
mod operation;
mod sql;
mod steps;

pub use english::{describe, english};
pub use sql::{Agreement, SqlValue, sql, write_sql_table};
pub use steps::{CellRef, Explanation, MOST_CELLS, MOST_ROWS, MOST_VALUES, Step, explain};
