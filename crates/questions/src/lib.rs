//! Questions beside their tables. A question is read in a pipeline of small stages, each a module:
//!
//! 1. `annotation`: tokens, comparatives and superlatives, numbers and dates, from our own reader or a
//!    dataset's;
//! 2. `link`: which strings of the question occur in cells, searched for in the `haystack` of the table's
//!    texts: `exact`ly; with `wide` linking also in other forms, found among the `words` of the table and the
//!    names of `nations`; with `everyday` linking as people mean them. `lists` joins what belongs together;
//! 3. `question`: what was found becomes the [`Mention`]s that programs may use, and features say which
//!    tokens and columns the question mentions, by the `header_words`, `abbreviations` spelt out.
//!
//! ```
//! use mapo_questions::{Linking, Question};
//! use mapo_tables::TableBuilder;
//! let mut builder = TableBuilder::new("people", ["Name", "Hometown"]);
//! builder.push_row(["William Stuart Price", "Tulsa"]);
//! let asked = "Was William Stuart Price born in Tulsa?";
//! let question = Question::read(asked, &builder.finish(), Linking::Wide);
//! let mentions: Vec<_> = question.mentions.iter().map(|mention| mention.constant.to_string()).collect();
//! assert_eq!(mentions, ["['william stuart price']", "['tulsa']"]);
//! ```

#![forbid(unsafe_code)]

pub mod abbreviations;
mod annotation;
mod everyday;
mod exact;
mod haystack;
mod header_words;
mod link;
mod linking;
mod lists;
mod mention;
mod nations;
mod question;
mod stop_words;
mod wide;
mod words;

pub use annotation::{Annotation, CoreNlp};
pub use haystack::prepare;
pub use header_words::{column_words, cut, spelt_out_word};
pub use linking::Linking;
pub use mention::Mention;
pub use nations::of_country;
pub use question::Question;
pub use stop_words::is_stop_word;
