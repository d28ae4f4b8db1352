//! WikiSQL as it is published: its files, and the engine that executes its queries.

pub mod engine;
pub mod files;
