//! What scoring a prediction file gives.

use std::path::PathBuf;

/// A prediction file with two predictions for one example.
#[derive(Debug, thiserror::Error)]
#[error("{}, line {line}: {id} already has a prediction on line {first}; keep one of the two", file.display())]
pub struct Twice {
    /// The file.
    pub file: PathBuf,
    /// The second line.
    pub line: usize,
    /// The first.
    pub first: usize,
    /// The example's id.
    pub id: String,
}

/// The judgement on one example of the gold set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The example's id.
    pub id: String,
    /// Whether the file has a prediction for it.
    pub predicted: bool,
    /// Whether the prediction is right; never without a prediction.
    pub correct: bool,
}

/// The judgement on a prediction file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One verdict for each gold example, in the gold set's order.
    pub verdicts: Vec<Verdict>,
    /// Ids in the file that no gold example has, with their lines. They do not count.
    pub unknown: Vec<(usize, String)>,
}

impl Report {
    /// How many gold examples have a right prediction.
    pub fn correct(&self) -> usize {
        self.verdicts.iter().filter(|v| v.correct).count()
    }

    /// How many gold examples have a prediction.
    pub fn predicted(&self) -> usize {
        self.verdicts.iter().filter(|v| v.predicted).count()
    }

    /// The share of all gold examples that are right; an example without a prediction is wrong. Zero for no
    /// examples.
    pub fn accuracy(&self) -> f64 {
        self.correct() as f64 / self.verdicts.len().max(1) as f64
    }
}
