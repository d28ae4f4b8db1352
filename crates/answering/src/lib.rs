//! Questions about any table, answered by a trained model: an [`Answerer`] holds the model, [`Answerer::ask`] gives a
//! [`Reply`] with the answer, how sure the model is, the program behind it in several languages, the cells it used and
//! the runners-up.

mod answerer;
mod error;
mod reply;

pub use answerer::{Answerer, LONGEST_QUESTION, check_question, check_table};
pub use error::{Error, Result};
pub use mapo_language::explain::{CellRef, Step};
pub use reply::{Alternative, Reply};
