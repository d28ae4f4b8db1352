//! Text as people write it, in questions and in the cells of tables. Nothing here knows what a table is.
//!
//! * [`normalize`] and its siblings bring texts into the forms by which they are compared;
//! * [`Date`] is a date of which some parts may be unknown, [`digits`] are numerals of any script;
//! * [`plainly`] writes an item of an answer as people do;
//! * [`read`] cuts text into tokens and finds the numbers and dates in it;
//! * [`word_forms`] knows plurals, roots and misspellings.
//!
//! ```
//! use mapo_text::{normalize, read::read_cell};
//! assert_eq!(normalize("Łódź (city)"), "łodz");
//! assert_eq!(read_cell("about 3,500 people").number, Some(3500.0));
//! ```

#![forbid(unsafe_code)]

mod date;
pub mod digits;
mod normal;
mod plainly;
pub mod read;
pub mod word_forms;

pub use date::{Date, MONTHS, NotADate};
pub use normal::{
    append_in_one_line, append_normalized, ends_a_line, fold, has_bounded, is_whitespace, lower, normalize,
    split_list, trim, unescape,
};
pub use plainly::plainly;
