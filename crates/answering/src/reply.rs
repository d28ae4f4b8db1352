//! What an asker is told.

use mapo_language::explain::{CellRef, Step};
use serde::Serialize;

/// The answer to a question, with the reasons.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Reply {
    /// The question.
    pub question: String,
    /// The items of the answer as text; none if no program was found.
    pub answer: Vec<String>,
    /// The same items as people write them: dates by what is known of them, calculated numbers rounded.
    pub shown: Vec<String>,
    /// How many items the answer has; more than are listed if it is long.
    pub answer_total: usize,
    /// How probable it is that the answer is right; see [`calibrated`](Self::calibrated).
    pub probability: f64,
    /// Whether that is the share of such answers that were right on questions kept apart (the model's
    /// calibration). If not, it is only what the model believes, which is usually too much.
    pub calibrated: bool,
    /// What the model believes before the calibration: the probability of all programs of the beam with this answer,
    /// as its second look, where it has one, shares it.
    pub raw_probability: f64,
    /// Whether the probability reaches the model's threshold. If not, the answer is a guess.
    pub sure: bool,
    /// What else there is to say, as that no program was found.
    pub note: Option<String>,
    /// Names in the question that the table lacks. An answer is then a guess.
    pub unknown: Vec<String>,
    /// Where there is no answer: questions that one may ask about this table.
    pub suggestions: Vec<String>,
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
    /// What was left out of the table, as a row of totals.
    pub left_out: Option<String>,
    /// What to know about the columns of numbers and dates behind the answer: cells that do not fit, and what may have
    /// been misread. Where something may, the answer is never [`sure`](Self::sure).
    pub column_notes: Vec<String>,
    /// The cells behind the answer: the first of them.
    pub cells: Vec<CellRef>,
    /// How many there are.
    pub cells_total: usize,
    /// Other answers that were found, the most probable first.
    pub alternatives: Vec<Alternative>,
    /// How long it took.
    pub milliseconds: f64,
}

/// A runner-up.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Alternative {
    /// The items of its answer.
    pub answer: Vec<String>,
    /// The same items as people write them.
    pub shown: Vec<String>,
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
