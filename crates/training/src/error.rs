//! What can go wrong.

use std::path::PathBuf;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The network, its files or its vectors.
    #[error(transparent)]
    Network(#[from] mapo_programmer::Error),
    /// A model, its file or its vocabulary.
    #[error(transparent)]
    Model(#[from] mapo_model::Error),
    /// A dataset.
    #[error(transparent)]
    Data(#[from] mapo_datasets::DatasetError),
    /// A program store.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    /// A store that does not belong to the examples.
    #[error("{}: {problem}", .file.display())]
    Memory {
        /// The store.
        file: PathBuf,
        /// What does not fit.
        problem: String,
    },
    /// A program that exploration found but that cannot be written down.
    #[error("example {0}: a program that was found has a token that its language lacks")]
    Explored(String),
    /// A memory holds something that is no program of its example.
    #[error(transparent)]
    NotAProgram(#[from] mapo_core::NotAProgram),
    /// An objective's settings.
    #[error(transparent)]
    Objective(#[from] mapo_core::Unusable),
    /// A batch from which nobody should learn.
    #[error(transparent)]
    Batch(#[from] mapo_core::WrongBatch),
    /// Actors and learner that cannot meet.
    #[error(transparent)]
    Door(#[from] mapo_core::DoorError),
    /// A name of no dataset.
    #[error("{0}")]
    Dataset(String),
    /// A split without questions.
    #[error("{data}: the split '{split}' has no question; choose another")]
    EmptySplit {
        /// The dataset.
        data: String,
        /// The split.
        split: String,
    },
    /// A run without questions to learn from.
    #[error("there is no example to train on")]
    NoExamples,
    /// A comparison without questions to compare by.
    #[error("there is no question to compare by; choose another --dev-split")]
    NoQuestions,
    /// A comparison without seeds.
    #[error("there is no seed to compare")]
    NoSeeds,
    /// A variant to compare that cannot be.
    #[error("{0}")]
    Variant(String),
    /// A checkpoint that can be asked but not trained on.
    #[error("the checkpoint holds no optimiser, so training cannot go on")]
    NoOptimiser,
    /// Settings of an encoder without one.
    #[error(
        "the settings have a published encoder, but none is there to begin with; name its folder with --encoder"
    )]
    NoEncoder,
    /// Settings that make no sense.
    #[error("{0}")]
    Settings(String),
    /// A loss that is not a number.
    #[error("the loss of step {step} is {loss}, which is not a finite number")]
    Loss {
        /// The step.
        step: u64,
        /// The loss.
        loss: f64,
    },
    /// Training that broke down, with what it was doing.
    #[error(
        "{source}; the batch of step {step} is in {}, and a smaller learning.rate may help",
        .file.display()
    )]
    Broken {
        /// What went wrong.
        source: Box<Error>,
        /// The step.
        step: u64,
        /// Where the batch is.
        file: PathBuf,
    },
    /// A file that cannot be written whole.
    #[error(transparent)]
    Write(#[from] mapo_files::Error),
    /// A file that cannot be read, or written to.
    #[error("{}: {source}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of a run that does not hold what it should.
    #[error("{}: {problem}", .file.display())]
    Run {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A chart that cannot be drawn.
    #[error("the chart cannot be drawn: {0}")]
    Chart(String),
    /// A thread that ended without a word.
    #[error("an actor's thread died")]
    Thread,
    /// Threads that cannot be had.
    #[error("threads cannot be started: {0}")]
    Pool(rayon::ThreadPoolBuildError),
    /// The user stopped what comes before training.
    #[error("stopped while exploring, with {left} questions left")]
    StoppedExploring {
        /// The questions that are not explored.
        left: usize,
    },
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<mapo_neural::Error> for Error {
    fn from(error: mapo_neural::Error) -> Self {
        match error {
            mapo_neural::Error::Network(error) => Self::Network(error),
            mapo_neural::Error::Loss { step, loss } => Self::Loss { step, loss },
            error => Self::Settings(error.to_string()),
        }
    }
}
