//! The algorithm: systematic exploration, memory, objectives, actors and learner. Knows neither tables nor networks.
//!
//! Whatever is deterministic, acts in discrete steps and is rewarded only at the end implements [`Env`] and can be
//! explored here.

mod env;
mod policy;

pub use env::{Action, Env};
pub use policy::{Policy, Uniform};
