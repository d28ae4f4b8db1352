//! What joins table, question and network into answers. Nothing here knows how a model was trained.
//!
//! * [`inputs`] show a question and its table to the network;
//! * [`NeuralPolicy`] is the network as core's algorithms want it;
//! * [`search`] finds the most probable programs, [`choice`] is among their answers, a [`second_look`] says which
//!   of these the question asks for, [`confidence`] how far one can be trusted;
//! * [`file`](mod@file) reads models, each with its [`Card`].

#![forbid(unsafe_code)]

pub mod choice;
pub mod confidence;
mod equations;
mod error;
pub mod file;
pub mod inputs;
mod policy;
pub mod search;
pub mod second_look;

pub use error::{Error, Result};
pub use file::Card;
pub use inputs::encode::Input;
pub use policy::{Lisp, NeuralPolicy, program};
