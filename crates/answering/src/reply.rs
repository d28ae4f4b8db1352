//! What an asker is told.

use serde::Serialize;

/// The answer to a question, with the reasons.
#[derive(Clone, Debug, Serialize)]
pub struct Reply {
    /// The question.
    pub question: String,
    /// The items of the answer as text; none if no program was found.
    pub answer: Vec<String>,
    /// How many items the answer has; more than are listed if it is long.
    pub answer_total: usize,
    /// How probable it is that the answer is right: calibrated where the model has a calibration.
    pub probability: f64,
    /// What the programs of the beam with this answer have together, before calibration.
    pub raw_probability: f64,
    /// Whether the probability is above the model's threshold. If not, the answer is a guess.
    pub sure: bool,
    /// What else there is to say, as that no program was found.
    pub note: Option<String>,
    /// The program behind the answer; empty if none was found.
    pub program: String,
    /// The program in plain English.
    pub english: String,
    /// The program as SQL; empty if it has none.
    pub sql: String,
    /// The program step by step.
    pub steps: Vec<Step>,
    /// The table's name.
    pub table: String,
    /// The cells behind the answer.
    pub cells: Vec<CellRef>,
    /// Other answers that were found, the most probable first.
    pub alternatives: Vec<Alternative>,
    /// How long it took.
    pub milliseconds: f64,
}

/// One expression of the program, run.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The expression.
    pub program: String,
    /// What it does, in plain English.
    pub english: String,
    /// The rows that it gives, numbered from 0: the first of them, or nothing if it gives values.
    pub rows: Option<Vec<usize>>,
    /// How many rows it gives.
    pub rows_total: usize,
    /// The values that it gives, as they answer a question: the first of them.
    pub values: Vec<String>,
    /// How many values it gives.
    pub values_total: usize,
    /// The cells that it looked at and that matter: the first of them.
    pub cells: Vec<CellRef>,
    /// How many there are.
    pub cells_total: usize,
}

/// A cell of the table: row and column as in the file, from 0, the header not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CellRef {
    /// The row.
    pub row: usize,
    /// The column's number in the file.
    pub column: usize,
}

/// A runner-up.
#[derive(Clone, Debug, Serialize)]
pub struct Alternative {
    /// The items of its answer.
    pub answer: Vec<String>,
    /// How many items there are.
    pub answer_total: usize,
    /// How probable it is that this answer is right.
    pub probability: f64,
    /// The most probable program with this answer.
    pub program: String,
    /// The program in plain English.
    pub english: String,
    /// The program as SQL; empty if it has none.
    pub sql: String,
}
