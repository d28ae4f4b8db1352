//! The network as a policy that writes programs of our language.

use mapo_core::{Action, Steps};
use mapo_language::Token;
use mapo_neural::Wording;
use mapo_programmer::Program;

/// Actions are the tokens of the language.
#[derive(Debug)]
pub enum Lisp {}

impl Wording for Lisp {
    fn defines(action: Action) -> bool {
        Token(action.0) == Token::CLOSE
    }
}

/// A network that acts: the actors' stale copy, or a model to be evaluated.
pub type NeuralPolicy = mapo_neural::NeuralPolicy<Lisp>;

/// A program as the network takes it.
pub fn program(steps: &Steps) -> Program {
    mapo_neural::program::<Lisp>(steps)
}
