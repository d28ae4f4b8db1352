//! Is an answer right? Exactly as the benchmarks' official evaluators judge, in two forms: over the text of
//! prediction files, and over the results of programs, many times a second.
//!
//! [`wtq`] holds the rules of WikiTableQuestions, [`wikisql`] those of WikiSQL. Each has a `Target`, the right answer
//! of one question made ready for comparison, and a `predictions` module for files.

mod report;
pub mod wikisql;
pub mod wtq;

use std::fmt;

use crate::Date;

pub use report::{Report, Verdict};

/// One item of a program's answer.
///
/// Its `Display` form is its text in a prediction file of WikiTableQuestions, whose evaluator judges that text as it
/// judges the item. WikiSQL's tells numbers from text, so there an item must keep its type.
///
/// ```
/// use mapo_tables::scoring::Item;
/// assert_eq!(Item::Number(3.0).to_string(), "3");
/// assert_eq!(Item::Number(2346079.588235294).to_string(), "2346079.588235294");
/// assert_eq!(Item::Text("tulsa").to_string(), "tulsa");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'a> {
    /// A number, in full precision.
    Number(f64),
    /// A date, parts of which may be unknown.
    Date(Date),
    /// Text, which the evaluators may read as a number or a date.
    Text(&'a str),
}

impl fmt::Display for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Number(0.0) => f.write_str("0"), // never "-0"
            Item::Number(number) => number.fmt(f),
            Item::Date(date) => date.fmt(f),
            Item::Text(text) => f.write_str(text),
        }
    }
}
