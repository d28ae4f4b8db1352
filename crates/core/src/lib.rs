//! The algorithm: systematic exploration, memory, objectives, actors and learner. Knows neither tables nor
//! networks.
//!
//! Whatever is deterministic, acts in discrete steps and is rewarded only at the end implements [`Env`] and
//! can be explored here, without ever trying the same program twice:
//!
//! * [`explore_all()`] explores many examples on all cores and delivers what each of them gave, in their
//!   order;
//! * [`Explorer`] explores one example as a [`Plan`] says: batches of growing size, until the budget or the
//!   space is used up;
//! * [`Batch`] draws many new programs in one walk over the tree of prefixes, [`Walk`] draws one (Algorithm 1
//!   of the paper), both by the probabilities of a [`Policy`];
//! * [`ExploredSet`] knows the prefixes below which nothing is left to try; [`Memory`] keeps the programs
//!   that earned a reward.
//!
//! And it can be learnt, by any policy that advances partial programs of a batch of examples together:
//!
//! * [`BatchPolicy`] is what a policy must be able to do, [`Learner`] one that learns; [`Tabular`] is a small
//!   one of both kinds;
//! * [`Actor`] visits the examples of a batch, each a [`Task`], and makes a [`TrainingBatch`] of weighted
//!   programs;
//! * [`Objective`] says what it takes and how it is weighted: [`Mapo`], or one of those that it is compared
//!   with.

mod actor;
mod batch;
mod chance;
mod env;
mod explore;
mod explore_all;
mod explored;
mod memory;
mod objective;
mod policy;
mod prefix;
mod sampling;
mod statistics;
mod steps;
mod tabular;
mod task;
mod training_batch;
mod walk;

pub use actor::{Actor, ActorTimes, Exploring, LastScores, MemoryScoring};
pub use batch::{Batch, Drawn, Met};
pub use chance::example_rng;
pub use env::{Action, Env};
pub use explore::{Exploration, Explorer, Milestone, Plan};
pub use explore_all::{Ending, Progress, explore_all};
pub use explored::ExploredSet;
pub use memory::Memory;
pub(crate) use objective::Stratum;
pub use objective::{
    Allocation, AlphaDecay, Augmented, Baseline, Estimator, FromMemory, FromPolicy, HardEm, Iml, Inside,
    Mapo, MemoryWeight, Mml, Needs, Objective, Outside, Reinforce, Sample, Trajectory, Unusable, Visit,
    WeightsFrom,
};
pub use policy::{Policy, Uniform};
pub use prefix::PrefixHash;
pub use sampling::{BatchPolicy, Learner, Learnt, Move, PrefixTree, Scores, score_by_level};
pub use statistics::{Mean, Statistics};
pub use steps::Steps;
pub use tabular::{Ascent, Tabular};
pub use task::{NotAProgram, Task};
pub use training_batch::TrainingBatch;
pub use walk::{Draw, Turn, Walk};
