//! The neural side: a key-variable sequence-to-sequence network with its gradients, optimiser and
//! checkpoints.
//!
//! Nothing here knows what a table is. The network sees word ids, features, spans, memory slots and lists of
//! valid slots ([`Example`], [`Steps`], [`Batch`]); it is run in three ways that share every layer:
//!
//! - [`Runner::train`]: weighted programs in, loss and gradient out;
//! - [`Runner::score`]: log-probabilities of many programs of many examples, equal prefixes decoded once;
//! - [`Stepper`]: next-token distributions for partial programs, for sampling and beam search.
//!
//! [`Adam`] changes a [`Network`] by a gradient, [`Average`] keeps a moving average of its parameters,
//! [`Checkpoint`] is a file and [`Summary`] what the file says of itself. [`Words`] is the vocabulary with the word
//! vectors that a model carries, [`Vectors`] are word vectors as files give them.

mod batch;
mod checkpoint;
mod config;
mod error;
mod file;
mod forest;
pub mod kernels;
mod layers;
pub mod matrix;
mod network;
mod optimiser;
mod pack;
mod parameters;
mod random;
#[cfg(test)]
mod reference;
mod run;
mod step;
mod vectors;
mod words;

pub use batch::{Batch, Columns, Example, Span, Steps, Trajectory};
pub use checkpoint::{Checkpoint, Summary};
pub use config::Config;
pub use error::{Error, Result};
pub use layers::encoder::Dropout;
pub use network::Network;
pub use optimiser::{Adam, AdamOptions, Average};
pub use pack::Packed;
pub use parameters::{Entry, Layout};
pub use run::{Objective, Outcome, Runner, ScoreWork};
pub use step::{Move, Stepper};
pub use vectors::Vectors;
pub use words::{Precision, Words};
