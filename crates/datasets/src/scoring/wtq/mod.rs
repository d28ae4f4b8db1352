//! Verdicts of WikiTableQuestions' official evaluator.
//!
//! An answer is a list of items. Each is read as a number, a date or a string; equal items count once; an
//! answer is right if it has as many distinct items as the target and every item of the target matches one of
//! its.

mod number;
pub mod predictions;
mod target;
mod value;

pub use number::{Amount, Integer};
pub use target::{Scratch, Target};
pub use value::{PartialDate, Reading, Value, check, to_values};
