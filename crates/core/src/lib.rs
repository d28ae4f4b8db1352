//! The algorithm: systematic exploration, memory, objectives, actors and learner. Knows neither tables nor networks.
//!
//! Whatever is deterministic, acts in discrete steps and is rewarded only at the end implements [`Env`] and can be
//! explored here.

mod batch;
mod chance;
mod env;
mod explore;
mod explore_all;
mod explored;
mod memory;
mod policy;
mod prefix;
mod walk;

pub use batch::{Batch, Drawn, Met};
pub use chance::example_rng;
pub use env::{Action, Env};
pub use explore::{Exploration, Explorer, Milestone, Plan};
pub use explore_all::{Ending, Progress, explore_all};
pub use explored::ExploredSet;
pub use memory::Memory;
pub use policy::{Policy, Uniform};
pub use prefix::PrefixHash;
pub use walk::{Draw, Turn, Walk};
