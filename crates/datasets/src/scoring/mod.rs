//! Is an answer right? Exactly as the benchmarks' official evaluators judge, in two forms: over the text of
//! prediction files, and over the results of programs, many times a second.
//!
//! [`wtq`] holds the rules of WikiTableQuestions, [`wikisql`] those of WikiSQL. Each has a `Target`, the
//! right answer of one question made ready for comparison, and a `predictions` module for files.

mod report;
pub mod wikisql;
pub mod wtq;

pub use report::{Report, Twice, Verdict};

/// One item of a program's answer: a value, as programs compute it.
///
/// Its `Display` form is its text in a prediction file of WikiTableQuestions, whose evaluator judges
/// that text as it judges the item. WikiSQL's tells numbers from text, so there an item must keep its
/// type.
pub use mapo_tables::Value as Item;
