//! The algorithm: systematic exploration, memory, objectives, actors and learner. Knows neither tables nor
//! networks.
//!
//! Whatever is deterministic, acts in discrete steps and is rewarded only at the end implements [`Env`]. It
//! can then be explored without ever trying the same program twice, and be learnt by any [`Learner`], with
//! MAPO or one of the objectives that it is compared with.
//!
//! | module | what is there |
//! |---|---|
//! | `chance` | random choices, and the seeds that they start from |
//! | `program` | [`Action`], [`Steps`], [`PrefixTree`]: programs, not yet executed |
//! | `memory` | [`Memory`], the rewarded programs of an example (the paper's B) |
//! | `batch` | [`Visit`], [`TrainingBatch`]: what the actors saw; [`Ledger`] checks it when it comes in |
//! | `roles` | [`Env`], [`Policy`], [`Estimator`], [`Learner`] and the three doors, on one page |
//! | `exploration` | [`ExploredSet`], [`Walk`], [`Sweep`], [`Explorer`], [`explore_all()`] |
//! | `objective` | [`Objective`]: [`Mapo`] and its siblings, each an [`Estimator`] |
//! | `tabular` | [`Tabular`], a small learner |
//! | `actor` | [`Actor`] visits examples, each a [`Task`], and makes a [`TrainingBatch`] |
//! | `run` | [`ActorLife`] and [`LearnerLife`], which meet at the doors; [`Run`], on threads |
//!
//! A module uses only those above it.
//!
//! ```
//! use mapo_core::{Action, Ascent, Course, Env, Memory, Run, Tabular, Task};
//! use std::ops::ControlFlow;
//!
//! /// Eight coins to be laid. What is wanted is known to nobody but the environment.
//! struct Coins {
//!     wanted: u16,
//!     laid: Vec<Action>,
//! }
//!
//! impl Env for Coins {
//!     fn actions(&mut self, valid: &mut Vec<Action>) {
//!         if !self.is_finished() {
//!             valid.extend([Action(0), Action(1)]);
//!         }
//!     }
//!     fn step(&mut self, action: Action) {
//!         self.laid.push(action);
//!     }
//!     fn rewind(&mut self, len: usize) {
//!         self.laid.truncate(len);
//!     }
//!     fn is_finished(&self) -> bool {
//!         self.laid.len() == 8
//!     }
//!     fn reward(&mut self) -> f32 {
//!         let number = self.laid.iter().fold(0, |number, coin| 2 * number + coin.0);
//!         f32::from(u8::from(number == self.wanted))
//!     }
//! }
//!
//! // Sixteen examples. What the policy sees of an example is its number.
//! let task = |example| {
//!     let coins = Coins { wanted: 15 * example as u16, laid: Vec::new() };
//!     Task::new(example, example, coins, Memory::default(), 1e-8)
//! };
//! let tasks = (0..16).map(task).collect::<Result<Vec<_>, _>>()?;
//!
//! // Two actors and a learner. Each visit of an example tries one program that was never tried before.
//! let course = Course { steps: 1_500, ..Course::default() };
//! let mut learner = Tabular::new(Ascent::Plain { rate: 8.0 });
//! let mut run = Run::new(course, 2, tasks)?;
//! let mut weight = None;
//! run.go(&mut learner, |made| {
//!     weight = made.batch.statistics.memory_weight.get();
//!     ControlFlow::Continue(())
//! })?;
//!
//! // Each memory has found its program, and the policy has learnt it.
//! assert!(run.tasks().all(|task| task.memory.len() == 1));
//! assert!(weight > Some(0.9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod actor;
mod batch;
mod chance;
mod exploration;
mod memory;
mod objective;
mod program;
mod roles;
mod run;
mod tabular;

pub use actor::{Actor, ActorError, ActorTimes, LastScores, MemoryScoring, NewPrograms, NotAProgram, Task};
pub use batch::{
    Ledger, Mean, MemoryWeight, Sample, Statistics, TrainingBatch, Trajectory, Visit, WrongBatch,
};
pub use chance::example_rng;
pub use exploration::{
    Draw, Drawn, Ending, Exploration, ExploredSet, Explorer, Met, Milestone, Plan, Progress, Sweep, Turn,
    Uniform, Walk, Weighing, explore_all,
};
pub use memory::{Finding, Memory};
pub use objective::{
    Allocation, AlphaDecay, Augmented, Baseline, HardEm, Iml, Inside, Mapo, Mml, Objective, Outside,
    Reinforce, WeightsFrom,
};
pub use program::{Action, PrefixHash, PrefixTree, Steps, shared_prefix};
pub use roles::{
    Alone, Assistants, ByReward, DoorError, Doors, Env, Estimator, FromMemory, FromPolicy, Learner, Learnt,
    MemoryStore, Move, Needs, Place, Policy, PolicyStore, Queue, Scores, Taken, Unusable, average,
    score_by_level, settle,
};
pub use run::{
    ActorLife, Course, Exchange, ExchangePlace, ExchangeQueue, Group, LearnerLife, Lease, Run, RunError,
    Shard, Shards, SharedMemories, SharedPolicies, Step, WarmUp, shard_count, shard_count_for,
};
pub use tabular::{Ascent, Tabular};
