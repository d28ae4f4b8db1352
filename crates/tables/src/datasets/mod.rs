//! The benchmarks' files.

pub mod wikisql;
