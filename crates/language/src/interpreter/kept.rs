//! What expressions about a large table gave: search goes back and forth between programs.

use crate::context::Token;
use crate::machine::Outcome;
use std::collections::HashMap;
use std::sync::Arc;

/// The results of expressions, by their tokens and, if they use variables, all tokens before.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    outcomes: HashMap<Box<[Token]>, Arc<Outcome>>,
    /// How many bytes they take.
    size: usize,
}

impl Kept {
    /// When they take more bytes than this all are forgotten.
    const LARGEST: usize = 1 << 28;

    pub fn get(&self, tokens: &[Token]) -> Option<&Outcome> {
        self.outcomes.get(tokens).map(Arc::as_ref)
    }

    pub fn insert(&mut self, tokens: &[Token], outcome: Outcome) {
        let size = outcome.size();
        if self.size + size > Kept::LARGEST {
            *self = Kept::default();
        }
        if size <= Kept::LARGEST / 4 {
            self.size += size;
            self.outcomes.insert(tokens.into(), Arc::new(outcome));
        }
    }
}
