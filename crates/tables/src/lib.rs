//! The symbolic side of `mapo`: tables with typed columns, the language and its incremental interpreter, the
//! reading of questions, the datasets and the scoring of answers.

pub mod datasets;
mod date;
mod digits;
pub mod scoring;
pub mod text;

pub use date::{Date, NotADate};
