//! What can go wrong.

use std::path::PathBuf;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The network, its files or its vectors.
    #[error(transparent)]
    Network(#[from] mapo_programmer::Error),
    /// A file that is no model, or none of this language.
    #[error("{}: {problem}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A program that the interpreter refuses.
    #[error(transparent)]
    Program(#[from] mapo_language::StepError),
    /// A model that knows a function that there is none of.
    #[error(transparent)]
    Function(#[from] mapo_language::UnknownFunction),
    /// Models or questions that do not go together.
    #[error("{0}")]
    OtherFunctions(&'static str),
    /// A card that cannot be written.
    #[error("the model's card cannot be written: {0}")]
    Card(#[from] serde_json::Error),
    /// A note that a card cannot take.
    #[error("{0}")]
    Note(String),
    /// A model whose second look weighs a sign that there is none of.
    #[error(
        "its second look weighs '{0}', which this version cannot see; use a newer one, or learn it again with mapo rank"
    )]
    UnknownSign(String),
    /// Beams that no second look can be learnt from.
    #[error(
        "a second look needs {needed} questions with right and wrong answers in their beams; here are {questions}"
    )]
    TooFewQuestions {
        /// How many are needed.
        needed: usize,
        /// How many there are.
        questions: usize,
    },
    /// Answers that no calibration can be fitted to.
    #[error(
        "a calibration needs {needed} answers, right and wrong ones; here are {answers}, {right} of them right"
    )]
    TooFewAnswers {
        /// How many are needed.
        needed: usize,
        /// How many there are.
        answers: usize,
        /// How many of them are right.
        right: usize,
    },
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
