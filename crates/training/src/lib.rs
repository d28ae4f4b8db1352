//! Joins the rooms: tables and programmer meet through core.
//!
//! * [`vocabulary`] and [`encode`] show a question and its table to the network;
//! * [`NeuralPolicy`] and [`NeuralLearner`] are the network as core's algorithms want it;
//! * [`exploring`] fills a store with programs, [`memories`] are what training begins with, [`Trainer`] is a run:
//!   actors, queue and learner;
//! * [`Folder`] keeps what a run needs to go on, its metrics and its best model with its [`Card`]; [`session`] trains in it;
//! * [`model`] reads models, [`search`] finds the most probable programs, [`choice`] is among their answers,
//!   [`confidence`] says how far one can be trusted, [`eval`] answers the questions of a split with one model or several;
//! * [`compare`] trains variants of the settings with several seeds and reports how they differ;
//! * [`study`] says what a model knows and where it is wrong;
//! * [`Settings`] holds everything that can be set.

mod acting;
mod card;
pub mod choice;
pub mod compare;
pub mod confidence;
pub mod encode;
mod error;
pub mod eval;
mod events;
mod exchange;
pub mod exploring;
mod files;
mod folder;
pub mod memories;
mod metrics;
pub mod model;
mod order;
mod pairs;
mod policy;
mod presets;
mod run;
pub mod search;
pub mod session;
mod settings;
pub mod study;
mod times;
pub mod vocabulary;

pub use card::Card;
pub use encode::Input;
pub use error::{Error, Result};
pub use events::Events;
pub use exchange::Acted;
pub use files::write_whole;
pub use folder::{Folder, Origin, RunConfig, Saved};
pub use metrics::{Metrics, Totals};
pub use policy::{Learning, NeuralLearner, NeuralPolicy, steps};
pub use presets::Preset;
pub use run::{Actors, Best, Event, Observer, TableTask, Trainer, needs_memories};
pub use settings::{Exploration, NetworkSettings, Settings, WarmUp};
pub use times::{Shares, Times};
