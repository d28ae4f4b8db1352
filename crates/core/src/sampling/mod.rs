//! What a policy must be able to do for training, and what follows from it: scoring memories, drawing
//! programs from the policy, and drawing them from outside the memory.

mod draw;
mod score;
mod tree;

pub(crate) use draw::{Locksteps, Request};
pub use score::{Scores, score_by_level};
pub use tree::PrefixTree;

use crate::{Action, Trajectory};

/// A policy π that advances many partial programs of many examples together.
///
/// `X` is what it sees of an example (the paper's context x: a question with its table's columns, say). A
/// policy with a network reads the contexts of a batch once and then takes one decoder step for all rows at a
/// time; one with a table of numbers may do it row by row. Nobody but the policy itself draws dropout masks,
/// and it does so only in [`Learner::learn`].
///
/// A *row* is a partial program. The rows are numbered from 0 in the order in which [`start`](Self::start) or
/// [`advance`](Self::advance) made them, and those made before are gone.
pub trait BatchPolicy<X: ?Sized> {
    /// What can go wrong.
    type Error;

    /// Reads the contexts of a batch. From here on an example is its place in `contexts`.
    ///
    /// # Errors
    /// If a context cannot be read.
    fn read(&mut self, contexts: &[&X]) -> Result<(), Self::Error>;

    /// Makes one row, the empty program, for each of `examples`, which holds none twice. May be called many
    /// times for contexts that were read once.
    ///
    /// # Errors
    /// If the policy cannot be run.
    fn start(&mut self, examples: &[usize]) -> Result<(), Self::Error>;

    /// Makes one row for each move, in their order. Several moves may continue one row, and rows that no move
    /// continues are dropped.
    ///
    /// # Errors
    /// If the policy cannot be run, or a move not made.
    fn advance(&mut self, moves: &[Move]) -> Result<(), Self::Error>;

    /// Appends to `out` the log-probabilities of `valid` (never empty, not always all that the environment
    /// offers) as the next action of a row: those of a softmax over them.
    ///
    /// # Errors
    /// If the policy knows nothing of one of the actions.
    fn log_probabilities(
        &mut self,
        row: usize,
        valid: &[Action],
        out: &mut Vec<f32>,
    ) -> Result<(), Self::Error>;

    /// log π(a) of every program of some trees, each with the example that it belongs to; no example twice.
    /// The rows are lost.
    ///
    /// As it is given here, it takes one step for each distinct prefix, all examples together, level by level
    /// ([`score_by_level`]). A policy that has a faster way has its own.
    ///
    /// # Errors
    /// Those of the other methods.
    fn score(&mut self, trees: &[(usize, &PrefixTree)]) -> Result<Vec<Vec<f64>>, Self::Error> {
        let scored = score_by_level(self, trees)?;
        let programs = trees
            .iter()
            .zip(scored)
            .map(|((_, tree), scores)| scores.programs(tree));
        Ok(programs.collect())
    }
}

/// The next action of a partial program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The row that is continued.
    pub row: usize,
    /// How.
    pub action: Action,
}

/// A policy that learns. It can be asked for its own probabilities too: an objective may want those of the
/// parameters that are about to change.
pub trait Learner<X: ?Sized>: BatchPolicy<X> {
    /// Climbs along Σ c·∇log π(a) / `divisor`, one step, with what else the learner has been told to do
    /// (entropy, dropout, clipping). `contexts` are those of the batch; trajectories refer to them by place.
    ///
    /// # Errors
    /// If the policy cannot be run, or a number is not finite.
    fn learn(
        &mut self,
        contexts: &[&X],
        trajectories: &[Trajectory],
        divisor: f64,
    ) -> Result<Learnt, Self::Error>;
}

/// What a step of learning came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learnt {
    /// −Σ c·log π(a) / divisor, before the step.
    pub loss: f64,
    /// Length of the gradient, before it was clipped.
    pub gradient_norm: f64,
    /// Mean entropy of the steps of all trajectories, in nats.
    pub entropy: f64,
}
