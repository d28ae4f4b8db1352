//! Joins the rooms: tables and programmer meet through core.
//!
//! * `inputs`: [`vocabulary`] and [`encode`] show a question and its table to the network;
//! * `policy`: [`NeuralPolicy`] and [`NeuralLearner`] are the network as core's algorithms want it;
//! * `run`: [`exploring`] fills a store with programs, [`memories`] are what training begins with, [`Trainer`] is a run:
//!   actors, queue and learner; [`Folder`] keeps what it needs to go on, its metrics and its best model; [`session`]
//!   trains in it;
//! * [`model`]: models from files, each with its [`Card`];
//! * `answers`: [`search`] finds the most probable programs, [`choice`] is among their answers, [`confidence`] says how
//!   far one can be trusted, [`eval`] answers the questions of a split with one model or several;
//! * [`compare`] trains variants of the settings with several seeds and reports how they differ;
//! * [`study`] says what a model knows and where it is wrong;
//! * `settings`: [`Settings`] holds everything that can be set, a [`Preset`] what goes together.

mod answers;
pub mod compare;
mod error;
mod files;
mod inputs;
pub mod model;
mod policy;
mod run;
mod settings;
pub mod study;

pub use answers::{choice, confidence, eval, search};
pub use error::{Error, Result};
pub use files::write_whole;
pub use inputs::encode::{self, Input};
pub use inputs::vocabulary;
pub use model::Card;
pub use policy::{Learning, NeuralLearner, NeuralPolicy, steps};
pub use run::events::Events;
pub use run::exchange::Acted;
pub use run::folder::{Folder, Origin, RunConfig, Saved};
pub use run::metrics::{Metrics, Totals};
pub use run::times::{Shares, Times};
pub use run::{Actors, Best, Event, Observer, TableTask, Trainer, needs_memories};
pub use run::{exploring, memories, session};
pub use settings::presets::Preset;
pub use settings::{Exploration, NetworkSettings, Settings, WarmUp};
