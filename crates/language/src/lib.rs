//! The language: a small Lisp whose programs filter the rows of a table, move among them and read values off.
//!
//! - a [`Function`] and its [`Definition`] say everything about one function; each has a file in `functions`;
//! - a [`Program`] is the text form, parsed;
//! - a [`Context`] is what programs for one question can talk about, with its tokens;
//! - an [`Interpreter`] runs a program token by token and offers what may come next;
//! - [`explain`] says what a program means: in English, in SQL, step by step;
//! - a [`HandWritten`] program is one that somebody wrote, ready to run.
//!
//! ```
//! use mapo_language::HandWritten;
//! use mapo_tables::TableBuilder;
//! use std::sync::Arc;
//!
//! let mut builder = TableBuilder::new("films.csv", ["Title", "Year", "Director"]);
//! builder.push_row(["The Lighthouse", "1994", "Ida Berg"]);
//! builder.push_row(["Two Harbours", "2001", "Noor Haddad"]);
//! builder.push_row(["The Long Tide", "2008", "Ida Berg"]);
//! let table = Arc::new(builder.finish());
//!
//! let program = "(filter_in all_rows ['ida'] r.director-str) (argmax v0 r.year-num) (hop v1 r.title-str)";
//! let ran = HandWritten::read(program, &table)?.explain()?;
//! assert_eq!(ran.answer, ["The Long Tide"]);
//! assert_eq!(
//!     ran.english,
//!     "rows where Director contains 'ida' → keep those with the largest Year → Title"
//! );
//! assert!(ran.sql.starts_with("WITH v0 AS ("));
//! # Ok::<(), mapo_language::ProgramError>(())
//! ```
//!
//! The modules, from the bottom: `machine` holds the variables of a running program and makes them;
//! `sql_table` is a table laid out for SQL, `telling` the pieces of English, SQL and cells; on these stand
//! the `functions`; on the functions `program` and `context`, the `interpreter`, and [`explain`].

#![forbid(unsafe_code)]

mod by_hand;
mod context;
pub mod explain;
mod functions;
mod interpreter;
mod machine;
mod order;
mod program;
mod sql_table;
mod telling;

pub use by_hand::HandWritten;
pub use context::{Context, Dialect, Fit, Language, Symbol, Token};
pub use functions::{
    Argument, Definition, Function, FunctionSet, Gives, Lexicon, SAMPLE, UnknownFunction, reference,
};
pub use interpreter::{Assistance, Denotation, Interpreter, StepError};
pub use machine::ConstantId;
pub use order::Comparison;
pub use program::{Atom, Expression, Program, ProgramError};
