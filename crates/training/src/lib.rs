//! Joins the rooms: tables and programmer meet through core.
//!
//! * [`vocabulary`] and [`encode`] show a question and its table to the network;
//! * [`NeuralPolicy`] and [`NeuralLearner`] are the network as core's algorithms want it;
//! * [`memories`] are what training begins with, [`Trainer`] is a run: actors, queue and learner;
//! * [`Folder`] keeps what a run needs to go on, its metrics and its best model;
//! * [`search`] finds the most probable programs, [`eval`] answers the questions of a split with one model or several;
//! * [`study`] says what a model knows and where it is wrong;
//! * [`Settings`] holds everything that can be set.

pub mod encode;
mod error;
pub mod eval;
mod events;
mod folder;
pub mod memories;
mod metrics;
mod order;
mod policy;
mod run;
pub mod search;
mod settings;
pub mod study;
pub mod vocabulary;

pub use encode::Input;
pub use error::{Error, Result};
pub use events::Events;
pub use folder::{Folder, Origin, RunConfig, Saved};
pub use metrics::Metrics;
pub use policy::{Learning, NeuralLearner, NeuralPolicy, steps};
pub use run::{Best, Event, TableTask, Trainer, needs_memories};
pub use settings::{Exploration, NetworkSettings, Settings};
