//! Questions about any table, answered by a trained model: an [`Answerer`] holds the model, [`Answerer::ask`]
//! gives a [`Reply`] with the answer, how sure the model is, the program behind it in several languages, the
//! cells it used and the runners-up.
//!
//! ```
//! use mapo_answering::Answerer;
//! use mapo_tables::TableBuilder;
//! use std::sync::Arc;
//!
//! let mut builder = TableBuilder::new("people", ["Name", "Hometown"]);
//! builder.push_row(["Anne", "Tulsa"]);
//! builder.push_row(["Bob", "Omaha"]);
//! let table = Arc::new(builder.finish());
//!
//! let model = Answerer::boxed()?;
//! let reply = model.ask(&table, "who is from Omaha?")?;
//! assert_eq!(reply.answer, ["Bob"]);
//! assert_eq!(reply.english, "rows where Hometown is 'omaha' → Name");
//! # Ok::<(), mapo_answering::Error>(())
//! ```

#![forbid(unsafe_code)]

mod answerer;
mod duckdb;
mod error;
mod fitting;
mod proven;
mod reply;
mod suggestions;
mod understanding;

pub use answerer::{Answerer, LONGEST_QUESTION, check_question, check_table};
pub use duckdb::{FileQuery, NOT_PLAIN, NoFileQuery, file_query, plain_file};
pub use error::{Error, Result};
pub use fitting::{Fitting, fitting};
pub use mapo_language::explain::{CellRef, Step};
pub use reply::{Alternative, Reply};
pub use suggestions::suggestions;
