//! What can go wrong.

use std::path::PathBuf;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration that describes no network.
    #[error("configuration: {0}")]
    Config(String),
    /// An example that breaks an invariant of [`Example`](crate::Example).
    #[error("example {example}: {reason}")]
    Example {
        /// Its position in the batch.
        example: usize,
        /// What is wrong.
        reason: String,
    },
    /// A program that breaks an invariant of [`Program`](crate::Program).
    #[error("program {program}, step {step}: {reason}")]
    Program {
        /// Its position in the batch.
        program: usize,
        /// The step, counted from 0.
        step: usize,
        /// What is wrong.
        reason: String,
    },
    /// A move of a partial program that cannot be made.
    #[error("move {index}: {reason}")]
    Move {
        /// Its position in the list of moves.
        index: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] mapo_files::Error),
    /// A file that cannot be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that can be read and does not hold what it should.
    #[error("{path}: {reason}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A model that is too large for the file that it should be packed into.
    #[error(
        "the network alone, without the words that could be left out, takes {needed} bytes and {allowed} are allowed; \
         allow at least {needed}, or train a smaller network"
    )]
    Size {
        /// The smallest size.
        needed: usize,
        /// The size that was allowed.
        allowed: usize,
    },
    /// A gradient with infinite or undefined numbers; nothing was changed.
    #[error("the gradient's norm is {0}")]
    Gradient(f64),
    /// The threads could not be started.
    #[error("thread pool: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
