//! Reading English text.
mod tokens;
pub use tokens::{Token, tokenize};
