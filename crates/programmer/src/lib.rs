//! The neural side: a key-variable sequence-to-sequence network with its gradients, optimiser and
//! checkpoints.
//!
//! Nothing here knows what a table is. A [`Network`] is a [`Config`], the [`Words`] that it knows and its
//! parameters. It sees a question and its columns as an [`Example`] of word ids, features and spans, and a
//! program as a [`Program`]: at each step the slots that are valid and the one that is chosen. The encoder
//! reads examples into slots, and the decoder points at slots. Two things run it, and share every layer:
//!
//! - [`Stepper`] takes partial programs one token further at a time and gives the distribution of the next
//!   token: for drawing programs, for beam search, and for scoring memories prefix by prefix;
//! - [`Runner::train`] takes a [`Batch`] of examples with weighted programs, and gives the loss and its
//!   gradient.
//!
//! [`Adam`] changes a network by a gradient and [`Average`] keeps a moving average of its parameters.
//! [`Checkpoint`] is a file and [`Summary`] what the file says of itself; [`Vectors`] are word vectors as
//! other programs' files give them.
//!
//! Inside, `parameters` says where each trained number lies; `layers` are its matrices with their own forward
//! and backward steps; `passes` leads examples and programs through the layers; `kernels` are the hot loops.
//!
//! ```
//! use mapo_programmer::{
//!     Adam, AdamOptions, Batch, Config, Example, LossTerms, Network, Precision, Program, Runner, Stepper, Vectors,
//!     WeightedProgram, Words,
//! };
//!
//! # fn main() -> mapo_programmer::Result<()> {
//! // A vocabulary of three words with trained vectors, and a language with the two fixed tokens `(` and `)`.
//! let vectors = Vectors { dimensions: 4, ..Vectors::default() };
//! let words = Words::new(&["which", "city", "year"].map(String::from), &vectors, Precision::Half)?;
//! let config = Config { vector: 4, hidden: 8, attention: 8, ..Config::paper(2) };
//! let mut network = Network::new(config, words.into(), 1)?;
//!
//! // The question "which city" beside the columns city and year, whose slots are 2 and 3.
//! let mut example = Example { tokens: vec![0, 1], token_features: vec![0.0, 1.0], ..Example::default() };
//! example.columns.push(&[1], 1, &[1.0], &[]);
//! example.columns.push(&[2], 2, &[0.0], &[]);
//!
//! // The program `( city`: what is valid at each step, and what is chosen.
//! let mut program = Program::default();
//! program.push(0, &[0, 1], false);
//! program.push(2, &[2, 3], false);
//!
//! let mut first = |network: &Network| -> mapo_programmer::Result<f32> {
//!     let (mut stepper, mut logs) = (Stepper::new(), Vec::new());
//!     stepper.read(network, &[&example])?;
//!     stepper.start(network, &[0])?;
//!     stepper.log_probabilities(0, &[0, 1], &mut logs)?;
//!     Ok(logs[0].exp())
//! };
//! let before = first(&network)?;
//!
//! // One step of training makes it more likely.
//! let mut runner = Runner::new(1)?;
//! let mut adam = Adam::new(&network, AdamOptions::default());
//! let mut gradient = vec![0.0; network.values().len()];
//! let batch = Batch {
//!     examples: &[&example],
//!     weighted: &[WeightedProgram { example: 0, weight: 1.0, steps: &program }],
//! };
//! let terms = LossTerms { divisor: 1.0, entropy: 0.0, dropout: None };
//! runner.train(&network, &batch, &terms, &mut gradient)?;
//! adam.step(&runner, &mut network, &gradient)?;
//! assert!(first(&network)? > before);
//! # Ok(())
//! # }
//! ```

// Where there is `unsafe`, in kernels and matrices, its reason stands beside it.
#![deny(unsafe_code)]

mod batch;
mod checkpoint;
mod config;
mod dropout;
mod error;
mod file;
#[allow(unsafe_code)]
pub mod kernels;
mod layers;
#[allow(unsafe_code)]
pub mod matrix;
mod network;
mod optimiser;
mod pack;
mod parameters;
mod passes;
mod pieces;
mod published;
mod random;
#[cfg(test)]
mod reference;
mod run;
mod seal;
mod shape;
mod step;
mod stored;
pub mod transformer;
mod vectors;
mod weights;
mod words;

pub use batch::{Batch, Columns, Example, Program, Reading, Span, WeightedProgram};
pub use checkpoint::{Checkpoint, Summary};
pub use config::{Config, EncoderConfig};
pub use dropout::Dropout;
pub use error::{Error, Result};
pub use network::Network;
pub use optimiser::{Adam, AdamOptions, Average, Group};
pub use pack::Packed;
pub use parameters::{Entry, Layout};
pub use pieces::Pieces;
pub use published::Published;
pub use run::{LossTerms, Outcome, Runner};
pub use step::{NextToken, Stepper};
pub use stored::Precision;
pub use vectors::Vectors;
pub use words::Words;
