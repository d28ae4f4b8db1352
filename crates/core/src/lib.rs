//! The algorithm: systematic exploration, memory, objectives, actors and learner. Knows neither tables nor
//! networks.

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
pub use program::{Action, PrefixHash, PrefixTree, Steps};
pub use roles::{
    DoorError, Env, Estimator, FromMemory, FromPolicy, Learner, Learnt, MemoryStore, Move, Needs, Place,
    Policy, PolicyStore, Queue, Scores, Taken, Unusable, score_by_level, settle,
};
pub use run::{
    ActorLife, Course, Exchange, ExchangePlace, ExchangeQueue, LearnerLife, Lease, Run, RunError, Shard,
    Shards, SharedMemories, SharedPolicies, Step, WarmUp, shard_count,
};
pub use tabular::{Ascent, Tabular};
