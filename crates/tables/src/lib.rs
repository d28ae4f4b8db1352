//! The symbolic side of `mapo`: tables with typed columns, the language and its incremental interpreter, the
//! reading of questions, the datasets and the scoring of answers.

mod date;
pub mod read;

pub use date::{Date, NotADate};
