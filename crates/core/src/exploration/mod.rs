//! Systematic exploration: no program is ever tried twice.
//!
//! [`ExploredSet`] knows the prefixes below which nothing is left to try. [`Walk`] draws one new program
//! (Algorithm 1 of the paper), [`Sweep`] many in one walk over the tree of prefixes, both by the
//! probabilities of a [`Weighing`]. [`Explorer`] explores one example as a [`Plan`] says, [`explore_all()`]
//! many on all cores.

mod explore_all;
mod explored;
mod explorer;
mod sweep;
mod walk;
mod weighing;

pub use explore_all::{Ending, Progress, explore_all};
pub use explored::ExploredSet;
pub use explorer::{Exploration, Explorer, Milestone, Plan};
pub use sweep::{Drawn, Met, Sweep};
pub use walk::{Draw, Turn, Walk};
pub use weighing::{Uniform, Weighing};
