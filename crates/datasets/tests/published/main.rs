//! Us against the published code, on the vectors made by running it.
//!
//! Beside our implementation stands a plain one ([`tables`], [`questions`], [`programs`]) in which everything
//! that the published code does otherwise than we do is a named [`Quirk`](quirk::Quirk) that can be switched
//! on and off by itself. With all quirks on it must say what the vectors say, with none what we say. So every
//! difference between the two has its causes: the quirks that cannot be left out if the published answer is
//! to come out. They are found and counted, and printed as tables:
//!
//! ```text
//! cargo test -p mapo-datasets --test published -- --nocapture --test-threads 1
//! ```

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod answers;
mod compare_columns;
mod compare_programs;
mod compare_questions;
mod data;
mod ours;
mod programs;
mod questions;
mod quirk;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod tally;
mod worlds;
