//! The network as core's algorithms want it, and neural MAPO for whatever is deterministic, acts in discrete steps
//! and is rewarded at the end.
//!
//! * [`NeuralPolicy`] is a network that acts, [`NeuralLearner`] one that learns: a [`mapo_core::Policy`] and a
//!   [`mapo_core::Learner`] over what the network sees of an example. Questions about tables use them too.
//! * [`Observed`] is an environment that tells its task as tokens, [`ByPrefix`] one that is a single function.
//!   [`train()`] explores its tasks and trains a policy on them, with MAPO or any objective of core; it comes back
//!   as [`Trained`], which can be measured on other tasks, asked for programs, saved and loaded.
//!
//! Nobody has to write a network: the context is read by an LSTM in both directions, and the policy is an LSTM over the
//! actions taken so far that attends to it.

#![forbid(unsafe_code)]

mod by_prefix;
mod contexts;
mod error;
mod learner;
mod observed;
mod policy;
mod search;
mod settings;
mod trained;
mod training;

pub use by_prefix::{ByPrefix, Look};
pub use error::{Error, Result};
pub use learner::{EncoderLearning, Learning, NeuralLearner};
pub use observed::{Observed, Observing};
pub use policy::{Input, NeuralPolicy, Plain, Wording, program};
pub use search::{Breadth, Candidate, Found, Walk, beam_search, best_programs};
pub use settings::Settings;
pub use trained::{Evaluation, Report, Trained};
pub use training::{Progress, train};
