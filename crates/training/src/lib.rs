//! Training: settings, runs, evaluation, comparison, study. Tables, programmer and model meet here through
//! core.
//!
//! * `run`: a [`RunConfig`] says what a run is made of; [`filling`] fills a [`store`] with programs,
//!   [`memories`] and word vectors are its [`Beginning`]; [`Trainer`] is a run: actors, queue and learner;
//!   [`Folder`] keeps what it needs to go on, its metrics and its best model; a [`Session`] begins it or goes
//!   on with it there, and trains;
//! * [`NeuralLearner`] is the network as it learns;
//! * [`eval`] answers the questions of a split with one model or several;
//! * [`ranking`] learns a second look at beams, and says what it is worth;
//! * [`compare`] trains variants of the settings with several seeds and reports how they differ;
//! * [`study`] says what a model knows and where it is wrong;
//! * [`weighing`] says how far the programs of a memory can be believed;
//! * `settings`: [`Settings`] holds everything that can be set, a [`Preset`] what goes together.

#![forbid(unsafe_code)]

mod chain;
pub mod compare;
mod error;
pub mod eval;
pub mod ranking;
mod run;
mod settings;
pub mod store;
pub mod study;
pub mod weighing;

pub use error::{Error, Result};
pub use mapo_neural::{EncoderLearning, Learning};
pub use run::actors::Actors;
pub use run::beginning::{Beginning, Watch};
pub use run::config::{Origin, RunConfig};
pub use run::events::Events;
pub use run::folder::{Folder, Saved};
pub use run::metrics::{Metrics, Totals};
pub use run::parts::{Part, Portion, Questions};
pub use run::session::Session;
pub use run::times::{Shares, Times};
pub use run::{Best, DevAccuracy, Event, Examiner, Observer, TableTask, Trainer, dev_accuracy, task};
pub use run::{filling, memories};
pub use settings::network::NetworkSettings;
pub use settings::presets::Preset;
pub use settings::{ExploreFirst, Settings};

/// The network as it learns to write programs of our language.
pub type NeuralLearner = mapo_neural::NeuralLearner<mapo_model::Lisp>;
