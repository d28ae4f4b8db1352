//! Beam search: the most probable programs of a question.

use mapo_core::{Action, Move, Policy, shared_prefix};
use mapo_language::{Interpreter, Token};
use serde::{Deserialize, Serialize};
use std::borrow::BorrowMut;

use crate::error::Result;
use crate::inputs::encode::Input;
use crate::policy::NeuralPolicy;

/// A whole program with its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The program's tokens.
    pub tokens: Vec<Token>,
    /// log π of the program.
    pub log_probability: f64,
}

/// A program that is not finished.
struct Partial {
    example: usize,
    tokens: Vec<Token>,
    log_probability: f64,
}

/// How far beam search looks to both sides of the most probable program.
///
/// ```
/// use mapo_model::search::Breadth;
/// // Twenty programs, but none that is less than a four-hundredth as probable as the best.
/// let wide = Breadth { width: 20, reach: Some(6.0) };
/// assert!(wide.reaches(-7.9, -2.0) && !wide.reaches(-8.1, -2.0));
/// assert!(Breadth::from(5).reaches(-100.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breadth {
    /// Partial programs of each length that go on.
    pub width: usize,
    /// By how much the logarithm of a program's probability may be below the best one's; any amount when not given.
    /// Where the network is certain little else is looked at, so that a wide beam costs hardly more than a
    /// narrow one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
}

impl Breadth {
    /// Whether a program is worth going on with beside the most probable one.
    pub fn reaches(&self, log_probability: f64, most: f64) -> bool {
        self.reach.is_none_or(|reach| log_probability >= most - reach)
    }
}

/// Looks at this many, however improbable.
impl From<usize> for Breadth {
    fn from(width: usize) -> Self {
        Self { width, reach: None }
    }
}

/// As in training and in the paper.
impl Default for Breadth {
    fn default() -> Self {
        Self::from(5)
    }
}

/// For each question its most probable programs, the best first: at each length as many partial programs as the
/// beam is broad go on, and those that end are kept. The interpreters stand anywhere and are moved about.
///
/// # Errors
/// Those of the network.
pub fn beam_search<I: BorrowMut<Interpreter>>(
    policy: &mut NeuralPolicy,
    inputs: &[&Input],
    interpreters: &mut [I],
    breadth: impl Into<Breadth>,
) -> Result<Vec<Vec<Candidate>>> {
    let breadth = breadth.into();
    let width = breadth.width.max(1);
    let mut done: Vec<Vec<Candidate>> = vec![Vec::new(); inputs.len()];
    policy.read(inputs)?;
    let places: Vec<usize> = (0..inputs.len()).collect();
    policy.start(&places)?;
    let start = |example| Partial {
        example,
        tokens: Vec::new(),
        log_probability: 0.0,
    };
    let mut rows: Vec<Partial> = places.into_iter().map(start).collect();
    let mut buffers = Buffers::default();
    while !rows.is_empty() {
        mapo_stopping::check();
        let mut next: Vec<(usize, Partial)> = Vec::new();
        let mut from = 0;
        // The rows of an example stand together.
        for beam in rows.chunk_by(|one, other| one.example == other.example) {
            let example = beam[0].example;
            let mut best = expand(
                policy,
                from,
                beam,
                interpreters[example].borrow_mut(),
                &mut buffers,
            )?;
            from += beam.len();
            best.sort_by(|one, other| other.2.total_cmp(&one.2));
            best.truncate(width);
            let finished = done[example].iter().map(|candidate| candidate.log_probability);
            let most = finished
                .chain(best.first().map(|one| one.2))
                .fold(f64::NEG_INFINITY, f64::max);
            best.retain(|one| breadth.reaches(one.2, most));
            for (row, token, log_probability) in best {
                let parent = &rows[row];
                let mut tokens = parent.tokens.clone();
                tokens.push(token);
                if visit(interpreters[example].borrow_mut(), &tokens)? {
                    done[example].push(Candidate {
                        tokens,
                        log_probability,
                    });
                } else if can_still_win(&done[example], width, log_probability) {
                    next.push((
                        row,
                        Partial {
                            example,
                            tokens,
                            log_probability,
                        },
                    ));
                }
            }
        }
        let moves: Vec<Move> = next
            .iter()
            .map(|(row, partial)| Move {
                row: *row,
                action: Action(partial.tokens.last().map_or(0, |token| token.0)),
            })
            .collect();
        if !moves.is_empty() {
            policy.advance(&moves)?;
        }
        rows = next.into_iter().map(|(_, partial)| partial).collect();
    }
    for candidates in &mut done {
        candidates.sort_by(|one, other| other.log_probability.total_cmp(&one.log_probability));
        candidates.truncate(width);
    }
    Ok(done)
}

#[derive(Default)]
struct Buffers {
    offered: Vec<Token>,
    valid: Vec<Action>,
    logs: Vec<f32>,
}

/// All continuations of the programs of one example, whose rows start at `from`: row, token, log-probability.
/// A program that cannot be continued has none.
fn expand(
    policy: &mut NeuralPolicy,
    from: usize,
    beam: &[Partial],
    interpreter: &mut Interpreter,
    buffers: &mut Buffers,
) -> Result<Vec<(usize, Token, f64)>> {
    let mut all = Vec::new();
    for (row, partial) in (from..).zip(beam) {
        visit(interpreter, &partial.tokens)?;
        interpreter.offered_into(&mut buffers.offered);
        if buffers.offered.is_empty() {
            continue;
        }
        buffers.valid.clear();
        buffers
            .valid
            .extend(buffers.offered.iter().map(|token| Action(token.0)));
        buffers.logs.clear();
        policy.log_probabilities(row, &buffers.valid, &mut buffers.logs)?;
        let continued = buffers.offered.iter().zip(&buffers.logs);
        all.extend(continued.map(|(&token, &log)| (row, token, partial.log_probability + f64::from(log))));
    }
    Ok(all)
}

/// Longer programs are less probable, so one that is behind `width` finished ones stays behind.
fn can_still_win(done: &[Candidate], width: usize, log_probability: f64) -> bool {
    let ahead = done
        .iter()
        .filter(|candidate| candidate.log_probability >= log_probability);
    ahead.count() < width
}

/// Moves an interpreter to a prefix, from what it shares with where it stands; says whether that is a whole
/// program.
pub fn visit(interpreter: &mut Interpreter, tokens: &[Token]) -> Result<bool> {
    let shared = shared_prefix(interpreter.tokens(), tokens);
    interpreter.rewind(shared);
    for &token in &tokens[shared..] {
        interpreter.step(token)?;
    }
    Ok(interpreter.is_done())
}
