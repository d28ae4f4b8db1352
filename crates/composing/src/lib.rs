//! Questions made from tables, each with the program that answers it.
//!
//! A table is looked at as people see it (`profile`): which column names the rows, which put them into
//! groups, which measure something. What columns mean beyond their headers, and the words that people use for
//! it (oldest, cheapest, busiest), are data (`meanings`). Each kind of question (`intents`) draws what it is
//! about, says it in one of many wordings (`phrase`, `slips`) and sketches the program that is meant. The question is
//! then read by the reader that will read it later (`sketch`): it is kept if its program can be written with
//! what the reader offers and the answer changes when a condition is left out (`composer`).
//!
//! There are enough tables in the world, but not of all that people keep: `inventing` makes more, and
//! `restyling` gives a table the headers of another file.

#![forbid(unsafe_code)]

mod choices;
mod composer;
mod conditions;
mod headers;
mod intents;
mod inventing;
pub mod meanings;
mod names;
mod phrase;
mod profile;
mod restyling;
mod sketch;
mod slips;

pub use choices::Choices;
pub use composer::{Composed, Wishes, compose, compose_neatly};
pub use inventing::{Invented, invent};
pub use names::{Names, overlap};
pub use restyling::{plain, restyle};
