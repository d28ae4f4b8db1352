//! What goes from the actors to the learner: what was seen of some examples, and what was made of it.

mod check;
mod statistics;
mod visit;

pub use check::{Ledger, WrongBatch};
pub use statistics::{Mean, Statistics};
pub(crate) use visit::Stratum;
pub use visit::{MemoryWeight, Sample, Trajectory, Visit};

use serde::{Deserialize, Serialize};

/// What a learner learns from. It says where it comes from, and a [`Ledger`] checks it when it comes in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingBatch {
    /// The shard whose examples were visited.
    #[serde(default)]
    pub shard: u32,
    /// How many batches of the shard there were before.
    #[serde(default)]
    pub round: u64,
    /// The version of the policy that acted.
    #[serde(default)]
    pub version: u64,
    /// Whether it was made for the objective of the warm-up.
    #[serde(default)]
    pub is_warm_up: bool,
    /// The numbers of the examples; trajectories and visits refer to their places here.
    pub examples: Vec<u64>,
    /// Weighted programs.
    pub trajectories: Vec<Trajectory>,
    /// Visits that the learner has to weigh, because the objective wants its probabilities.
    pub unweighted: Vec<Visit>,
    /// What happened.
    pub statistics: Statistics,
}
