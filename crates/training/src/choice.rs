//! The choice among the answers that the programs of beams give.

use mapo_tables::{Denotation, Interpreter, Question};

use crate::Result;
use crate::confidence::Signs;
use crate::search::{Candidate, visit};

/// An answer that some program of the beams gives.
#[derive(Clone, Debug)]
pub struct Choice<'a> {
    /// The answer in normal form; nothing if the program has none.
    pub value: Option<Denotation>,
    /// Whether it is rows, which answer nothing.
    pub is_rows: bool,
    /// What all programs with this answer have together; with several beams, the mean over them.
    pub probability: f64,
    /// How many programs of the beams have it.
    pub programs: usize,
    /// The most probable of these programs.
    pub best: &'a Candidate,
}

impl Choice<'_> {
    /// What a calibration looks at; `place` is 0 for the first answer of all.
    pub fn signs(&self, place: usize, question: &Question) -> Signs {
        Signs {
            probability: self.probability,
            programs: self.programs,
            words: question.tokens.len(),
            is_runner_up: place > 0,
        }
    }
}

/// The answers that the programs of the beams give, the most probable first. Different programs often say the same in
/// other words, so what counts is the sum over all that give an answer, not the best of them. Rows answer nothing:
/// they come last.
///
/// # Errors
/// If a candidate is no program of the interpreter's.
pub fn choices<'a>(interpreter: &mut Interpreter, beams: &'a [Vec<Candidate>]) -> Result<Vec<Choice<'a>>> {
    let mut choices: Vec<Choice<'_>> = Vec::new();
    for candidate in beams.iter().flatten() {
        visit(interpreter, &candidate.tokens)?;
        // In normal form: answers that differ only in how a cell is written are one.
        let last = interpreter.variables().checked_sub(1);
        let value = last.and_then(|last| interpreter.value(last));
        let probability = candidate.log_probability.exp() / beams.len() as f64;
        match choices.iter_mut().find(|known| known.value == value) {
            Some(known) => {
                known.probability += probability;
                known.programs += 1;
                if candidate.log_probability > known.best.log_probability {
                    known.best = candidate;
                }
            }
            None => choices.push(Choice {
                value,
                is_rows: interpreter.answers_rows(),
                probability,
                programs: 1,
                best: candidate,
            }),
        }
    }
    // The sort is stable: of equal sums the first found stays ahead.
    choices.sort_by(|one, other| {
        let rows_last = one.is_rows.cmp(&other.is_rows);
        rows_last.then(other.probability.total_cmp(&one.probability))
    });
    Ok(choices)
}
