//! The most probable programs of a question.

use mapo_core::{Action, shared_prefix};
use mapo_language::{Interpreter, Token};
pub use mapo_neural::Breadth;
use mapo_neural::Walk;
use std::borrow::BorrowMut;

use crate::error::{Error, Result};
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

/// An interpreter that beam search walks about with.
struct Walker<'a> {
    interpreter: &'a mut Interpreter,
    offered: Vec<Token>,
}

impl Walk<Error> for Walker<'_> {
    fn visit(&mut self, program: &[Action]) -> Result<bool> {
        mapo_stopping::check();
        let tokens = program.iter().map(|action| Token(action.0));
        let here = self.interpreter.tokens();
        let shared = here.iter().copied().zip(tokens.clone());
        let shared = shared.take_while(|(one, other)| one == other).count();
        go(self.interpreter, shared, tokens.skip(shared))
    }

    fn offered(&mut self, valid: &mut Vec<Action>) {
        self.interpreter.offered_into(&mut self.offered);
        valid.extend(self.offered.iter().map(|token| Action(token.0)));
    }
}

/// For each question its most probable programs, the best first, found by [`mapo_neural::beam_search`]. The
/// interpreters stand anywhere and are moved about.
///
/// # Errors
/// Those of the network.
pub fn beam_search<I: BorrowMut<Interpreter>>(
    policy: &mut NeuralPolicy,
    inputs: &[&Input],
    interpreters: &mut [I],
    breadth: impl Into<Breadth>,
) -> Result<Vec<Vec<Candidate>>> {
    let walker = |interpreter| Walker {
        interpreter: I::borrow_mut(interpreter),
        offered: Vec::new(),
    };
    let mut walkers: Vec<Walker<'_>> = interpreters.iter_mut().map(walker).collect();
    let found = mapo_neural::beam_search(policy, inputs, &mut walkers, breadth.into())?;
    let candidate = |(program, log_probability): (Vec<Action>, f64)| Candidate {
        tokens: program.into_iter().map(|action| Token(action.0)).collect(),
        log_probability,
    };
    let beams = found.into_iter();
    Ok(beams
        .map(|beam| beam.into_iter().map(candidate).collect())
        .collect())
}

/// Moves an interpreter to a prefix, from what it shares with where it stands; says whether that is a whole
/// program.
///
/// # Errors
/// If a token is not offered where it is taken.
pub fn visit(interpreter: &mut Interpreter, tokens: &[Token]) -> Result<bool> {
    let shared = shared_prefix(interpreter.tokens(), tokens);
    go(interpreter, shared, tokens[shared..].iter().copied())
}

/// Goes back to the first `shared` tokens and on by others.
fn go(interpreter: &mut Interpreter, shared: usize, others: impl Iterator<Item = Token>) -> Result<bool> {
    interpreter.rewind(shared);
    for token in others {
        interpreter.step(token)?;
    }
    Ok(interpreter.is_done())
}
