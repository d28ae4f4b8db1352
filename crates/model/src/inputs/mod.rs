//! What the network sees of a question and its table.

pub mod encode;
mod pairs;
mod reading;
pub mod vocabulary;
