//! Programs about a table as the environment of an example: what exploration and training act in.

use crate::datasets::{Answer, Example};
use crate::language::{Assistance, Context, Interpreter, Token};
use crate::scoring::wtq::Scratch;
use mapo_core::{Action, Env};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Which functions random exploration may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// All that the dataset's language has.
    None,
    /// Those for which a trigger word of the paper is in the question.
    Paper,
    /// Those for which a trigger word or one that says the same is in the question.
    Wide,
}

impl FromStr for Pruning {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "none" => Ok(Pruning::None),
            "paper" => Ok(Pruning::Paper),
            "wide" => Ok(Pruning::Wide),
            _ => Err(format!("there is no pruning '{name}'; it is none, paper or wide")),
        }
    }
}

impl fmt::Display for Pruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pruning::None => "none",
            Pruning::Paper => "paper",
            Pruning::Wide => "wide",
        })
    }
}

/// The programs for one example. Actions are tokens; a finished program earns 1 if its answer is right and it did
/// no extra work.
pub struct TableEnv {
    interpreter: Interpreter,
    answer: Answer,
    scratch: Scratch,
    offered: Vec<Token>,
}

impl TableEnv {
    /// At the beginning of a program for an example.
    pub fn new(example: &Example, pruning: Pruning, assistance: Assistance) -> Self {
        let context = match pruning {
            Pruning::None => example.context(),
            Pruning::Paper => example.context_in(example.suggested(false)),
            Pruning::Wide => example.context_in(example.suggested(true)),
        };
        TableEnv {
            interpreter: Interpreter::with_assistance(Arc::new(context), assistance),
            answer: example.answer.clone(),
            scratch: Scratch::default(),
            offered: Vec::new(),
        }
    }

    /// What the programs can talk about.
    pub fn context(&self) -> &Arc<Context> {
        self.interpreter.context()
    }
}

impl Env for TableEnv {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        self.interpreter.offered_into(&mut self.offered);
        valid.extend(self.offered.iter().map(|token| Action(token.0)));
    }

    fn step(&mut self, action: Action) {
        // Only offered tokens come here, and those can always be taken.
        let taken = self.interpreter.step(Token(action.0));
        debug_assert!(taken.is_ok(), "{taken:?}");
    }

    fn rewind(&mut self, len: usize) {
        self.interpreter.rewind(len);
    }

    fn is_finished(&self) -> bool {
        self.interpreter.is_done()
    }

    fn reward(&mut self) -> f32 {
        self.answer.reward(&self.interpreter, &mut self.scratch) as f32
    }
}
