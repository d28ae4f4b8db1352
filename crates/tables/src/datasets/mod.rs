//! The datasets: questions about tables, with their answers.

pub mod toy;
