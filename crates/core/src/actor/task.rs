//! An example as an actor holds it.

use super::LastScores;
use crate::exploration::{ExploredSet, Walk};
use crate::memory::Memory;
use crate::program::Action;
use crate::roles::Env;

/// An example as an actor holds it: what the policy sees, the environment, and what is known so far.
#[derive(Clone, Debug)]
pub struct Task<E, X> {
    /// The example's number.
    pub example: u64,
    /// What the policy sees of it (the paper's x).
    pub context: X,
    /// Where its programs are executed.
    pub env: E,
    /// The rewarded programs found so far (B).
    pub memory: Memory,
    /// The prefixes below which everything has been tried (Bᵉ).
    pub explored: ExploredSet,
    /// How likely the programs of a large memory were when they were last scored.
    pub last_scores: LastScores,
    /// Whether the memory is known to be the whole truth. Then it is learnt by its likelihood, whatever the
    /// objective: nothing is explored or drawn, and nothing joins it.
    pub is_known: bool,
}

/// Something in a memory that is no program of the environment, or is there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "program {program} in the memory of example {example} cannot be executed: was it found under other rules?"
)]
pub struct NotAProgram {
    /// The example's number.
    pub example: u64,
    /// The program's place in the memory.
    pub program: usize,
}

impl<E: Env, X> Task<E, X> {
    /// An example with the memory that it starts from. Its explored set starts as that memory: what random
    /// exploration tried in vain may have been tried under narrower rules. `error_rate` is that of the
    /// explored set.
    ///
    /// # Errors
    /// If the memory does not fit the environment.
    ///
    /// # Panics
    /// If `error_rate` is not between 0 and 1, both excluded.
    pub fn new(
        example: u64,
        context: X,
        mut env: E,
        memory: Memory,
        error_rate: f64,
    ) -> Result<Self, NotAProgram> {
        let mut explored = ExploredSet::new(error_rate);
        let mut walk = Walk::default();
        for (place, (program, _)) in memory.iter().enumerate() {
            if !walk.visit(&mut env, &mut explored, program) {
                return Err(NotAProgram {
                    example,
                    program: place,
                });
            }
        }
        Ok(Self {
            example,
            context,
            env,
            memory,
            explored,
            last_scores: LastScores::default(),
            is_known: false,
        })
    }

    /// Adds what another actor found: to the memory, and to what need not be tried any more. Says whether it
    /// was new.
    ///
    /// # Errors
    /// If it does not fit the environment.
    pub fn learn_of(&mut self, program: &[Action], reward: f32) -> Result<bool, NotAProgram> {
        if self.memory.contains(program) {
            return Ok(false);
        }
        let mut walk = Walk::default();
        // It may have been tried here too, before its finding was kept anywhere.
        let is_tried = !walk.visit(&mut self.env, &mut self.explored, program);
        if is_tried && !walk.visit(&mut self.env, &mut ExploredSet::new(1e-8), program) {
            return Err(NotAProgram {
                example: self.example,
                program: self.memory.len(),
            });
        }
        Ok(self.memory.insert(program, reward))
    }

    /// The same example, of which it is known that its memory holds all the programs that are meant.
    pub fn known(self) -> Self {
        Self {
            is_known: true,
            ..self
        }
    }
}
