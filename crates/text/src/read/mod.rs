//! Reading English text: questions and the cells of tables.
//!
//! A text goes through small stages, each in a file of its own:
//!
//! 1. [`tokenize`] cuts it into tokens, as annotated datasets do;
//! 2. a finer cut into *lexemes* (numerals, words and marks that point into the text) feeds two grammars, of
//!    numbers and of dates;
//! 3. [`read_question`] runs the grammars over a whole question and maps what they find to spans of tokens,
//!    and tags the comparatives and superlatives;
//! 4. [`read_cell`] runs them over a cell and keeps what the typed columns of a table are made of.
//!
//! Nothing here fails: text that says no number says no number. Cells are read without
//! allocating, but for the rare number with an exponent.

mod cells;
pub mod columns;
mod dates;
mod lexemes;
mod numbers;
mod numerals;
mod questions;
mod tags;
mod tokens;
pub mod words;

pub use cells::{CellReading, MANY_TOKENS, read_cell, says_nothing};
pub use questions::{Quantity, QuestionReading, Value, read_question};
pub use tags::{Tag, tag};
pub use tokens::{Token, tokenize};
