//! The choice among the answers that the programs of beams give.

use mapo_language::Interpreter;
use mapo_questions::Question;

use crate::Result;
use crate::confidence::Signs;
use crate::search::{Candidate, visit};

/// An answer that some program of the beams gives.
#[derive(Clone, Debug)]
pub struct Choice<'a> {
    /// The same for equal answers; nothing if the program has none.
    pub key: Option<u64>,
    /// Whether it is rows, which answer nothing.
    pub is_rows: bool,
    /// What all programs with this answer have together; with several beams, the mean over them. After a
    /// [second look](crate::second_look), its share of what all answers have together.
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

/// The answers that the programs of the beams give, the most probable first. Different programs often say the
/// same in other words, so what counts is the sum over all that give an answer, not the best of them. Rows
/// answer nothing: they come last.
///
/// # Errors
/// If a candidate is no program of the interpreter's.
pub fn choices<'a>(interpreter: &mut Interpreter, beams: &'a [Vec<Candidate>]) -> Result<Vec<Choice<'a>>> {
    let mut choices: Vec<Choice<'_>> = Vec::new();
    for candidate in beams.iter().flatten() {
        visit(interpreter, &candidate.tokens)?;
        // In normal form: answers that differ only in how a cell is written are one.
        let key = interpreter.value_key();
        // A network whose numbers are broken has no belief.
        let probability = candidate.log_probability.exp() / beams.len() as f64;
        let probability = if probability.is_nan() { 0.0 } else { probability };
        match choices.iter_mut().find(|known| known.key == key) {
            Some(known) => {
                known.probability += probability;
                known.programs += 1;
                if candidate.log_probability > known.best.log_probability {
                    known.best = candidate;
                }
            }
            None => choices.push(Choice {
                key,
                is_rows: interpreter.answers_rows(),
                probability,
                programs: 1,
                best: candidate,
            }),
        }
    }
    most_probable_first(&mut choices);
    Ok(choices)
}

/// Puts the most probable answer first, and rows last. The sort is stable: of equal ones the first found stays
/// ahead.
pub(crate) fn most_probable_first(choices: &mut [Choice<'_>]) {
    choices.sort_by(|one, other| {
        let rows_last = one.is_rows.cmp(&other.is_rows);
        rows_last.then(other.probability.total_cmp(&one.probability))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_language::{Context, Language, Program, Token};
    use mapo_tables::TableBuilder;
    use std::sync::Arc;

    /// Programs over one table, with their tokens, and an interpreter for them.
    fn setting(programs: &[&str]) -> (Interpreter, Vec<Vec<Token>>) {
        let mut builder = TableBuilder::new("people", ["Name", "Hometown", "Points", "Born"]);
        builder.push_row(["Anne", "Tulsa", "2", "1990-05-01"]);
        builder.push_row(["Bob", "Omaha", "37", "1984"]);
        builder.push_row(["Carol", "Tulsa", "2", "1990-05-01"]);
        builder.push_row(["anne", "Reno", "0", "2001-02-03"]);
        let programs: Vec<Program> = programs.iter().map(|text| text.parse().unwrap()).collect();
        let constants: Vec<_> = programs
            .iter()
            .flat_map(|program| program.constants().cloned())
            .collect();
        let context = Arc::new(Context::new(
            Arc::new(builder.finish()),
            constants,
            Language::WIKITABLEQUESTIONS,
        ));
        let tokens = programs.iter().map(|program| context.encode(program).unwrap());
        let tokens = tokens.collect();
        (Interpreter::new(context), tokens)
    }

    const PROGRAMS: [&str; 14] = [
        "(hop all_rows r.name-str)",
        "(hop all_rows r.hometown-str)",
        "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)",
        "(filter_in all_rows ['tulsa'] r.hometown-str) (count v0)",
        "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.points-num)",
        "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.points-str)",
        "(filter_in all_rows ['tulsa'] r.hometown-str)",
        "(filter_!in all_rows ['omaha', 'reno'] r.hometown-str)",
        "(filter_in all_rows ['omaha'] r.hometown-str)",
        "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.born-date)",
        "(filter_in all_rows ['omaha'] r.hometown-str) (hop v0 r.born-date)",
        "(mode all_rows r.name-str)",
        "(first all_rows) (hop v0 r.name-str)",
        "(last all_rows) (hop v0 r.name-str)",
    ];

    #[test]
    fn keys_are_equal_where_values_are() {
        let (mut interpreter, tokens) = setting(&PROGRAMS);
        let mut seen = Vec::new();
        for tokens in &tokens {
            visit(&mut interpreter, tokens).unwrap();
            let last = interpreter.variables() - 1;
            seen.push((interpreter.value(last).unwrap(), interpreter.value_key()));
        }
        let mut equal = 0;
        for (one, one_key) in &seen {
            for (other, other_key) in &seen {
                assert_eq!(one == other, one_key == other_key, "{one:?} {other:?}");
                equal += usize::from(one == other);
            }
        }
        assert!(equal > seen.len(), "some of the programs have the same value");
    }

    #[test]
    fn the_answer_with_the_largest_sum_comes_first_and_rows_last() {
        let (mut interpreter, tokens) = setting(&PROGRAMS);
        let candidate = |program: usize, probability: f64| Candidate {
            tokens: tokens[program].clone(),
            log_probability: probability.ln(),
        };
        // Two programs say 2, and together more than the one that is ahead of both.
        let beam = vec![
            candidate(6, 0.4),
            candidate(0, 0.25),
            candidate(3, 0.2),
            candidate(4, 0.1),
        ];
        let beams = [beam];
        let found = choices(&mut interpreter, &beams).unwrap();
        let told: Vec<(usize, bool)> = found
            .iter()
            .map(|choice| (choice.programs, choice.is_rows))
            .collect();
        assert_eq!(told, [(2, false), (1, false), (1, true)]);
        assert!((found[0].probability - 0.3).abs() < 1e-12);
        assert_eq!(found[0].best.tokens, tokens[3]);
    }
}
