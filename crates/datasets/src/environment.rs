//! Programs about a table as the environment of an example: what exploration and training act in.

use crate::Relevance;
use crate::scoring::wtq::Scratch;
use crate::{Answer, Example};
use mapo_core::{Action, Env};
use mapo_language::{Assistance, Context, Interpreter, Language, Token};
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

impl Pruning {
    /// The language of an example with the functions that may be used.
    fn language(self, example: &Example) -> Language {
        match self {
            Pruning::None => example.language,
            Pruning::Paper => example.suggested(false),
            Pruning::Wide => example.suggested(true),
        }
    }
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

/// The programs for one example. Actions are tokens; a finished program earns 1 if its answer is right and
/// it did no extra work, or less if less is paid for programs that leave out what the question names.
pub struct TableEnv {
    interpreter: Interpreter,
    answer: Answer,
    discount: Option<Discount>,
    scratch: Scratch,
    offered: Vec<Token>,
}

/// What is paid for a right program that uses none of what the question names.
struct Discount {
    unexplained: f64,
    relevance: Relevance,
}

impl TableEnv {
    /// At the beginning of a program for an example.
    pub fn new(example: &Example, pruning: Pruning, assistance: Assistance) -> Self {
        TableEnv::in_language(example, pruning.language(example), assistance)
    }

    /// The same for random exploration: frugal, and no longer than what can be found by chance.
    pub fn exploring(example: &Example, pruning: Pruning) -> Self {
        let language = pruning.language(example).explored();
        TableEnv::in_language(example, language, Assistance::Frugal)
    }

    fn in_language(example: &Example, language: Language, assistance: Assistance) -> Self {
        let context = example.context_in(language);
        TableEnv {
            interpreter: Interpreter::with_assistance(Arc::new(context), assistance),
            answer: example.answer.clone(),
            discount: None,
            scratch: Scratch::default(),
            offered: Vec::new(),
        }
    }

    /// The same, but a right program earns `unexplained` if it uses none of the values and columns that the
    /// question names, 1 if it uses all, and between them in proportion.
    pub fn discounting(mut self, example: &Example, unexplained: f64) -> Self {
        self.discount = (unexplained < 1.0).then(|| Discount {
            unexplained,
            relevance: Relevance::new(&example.question, self.context()),
        });
        self
    }

    /// What a right program earns.
    pub fn reward_of(&self, program: &[Token]) -> f64 {
        match &self.discount {
            Some(Discount {
                unexplained,
                relevance,
            }) => unexplained + (1.0 - unexplained) * relevance.of(self.context(), program),
            None => 1.0,
        }
    }

    /// Whether a program, from its first token on, is one of the example and earns a reward. What was begun in
    /// the environment is forgotten.
    pub fn rewards(&mut self, program: &[Action]) -> bool {
        self.interpreter.rewind(0);
        let mut tokens = program.iter().map(|action| Token(action.0));
        let is_program = tokens.all(|token| self.interpreter.step(token).is_ok());
        is_program && self.interpreter.is_done() && Env::reward(self) > 0.0
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
        let right = self.answer.reward(&self.interpreter, &mut self.scratch);
        if right > 0.0 {
            (right * self.reward_of(self.interpreter.tokens())) as f32
        } else {
            0.0
        }
    }

    fn worthwhile(&mut self, offered: &mut Vec<Action>) {
        self.interpreter.frugally_into(&mut self.offered);
        let worthwhile = &self.offered;
        offered.retain(|action| worthwhile.contains(&Token(action.0)));
    }
}
