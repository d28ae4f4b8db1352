//! Where examples come from: one module for each kind of dataset.

pub mod jsonl;
mod lines;
pub mod toy;
pub mod wikisql;
pub mod wtq;
