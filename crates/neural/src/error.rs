//! What can go wrong.

use mapo_core::{Action, DoorError, NotAProgram, RunError, Unusable, WrongBatch};

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The network or its file.
    #[error(transparent)]
    Network(#[from] mapo_programmer::Error),
    /// A loss that is not a number.
    #[error("the loss of step {step} is {loss}, which is not a finite number")]
    Loss {
        /// The step.
        step: u64,
        /// The loss.
        loss: f64,
    },
    /// Settings that make no sense.
    #[error(transparent)]
    Settings(#[from] Unusable),
    /// Nothing to learn from.
    #[error("there is no task to train on")]
    NoTasks,
    /// An action that the policy cannot know.
    #[error(
        "task {task} offers the action {}, but there are {known}: raise `actions`, or mention more of the context",
        .action.0
    )]
    UnknownAction {
        /// The task's place.
        task: usize,
        /// The action.
        action: Action,
        /// How many the policy knows for this task.
        known: usize,
    },
    /// The same, where it turned up later than at the start.
    #[error(
        "an action was offered of which the policy knows nothing ({0}): raise `actions`, or mention more of the context"
    )]
    UnknownLater(mapo_programmer::Error),
    /// A part of a context that is not there.
    #[error("task {task} mentions the tokens {first} to {last} of a context of {tokens}")]
    NoSuchTokens {
        /// The task's place.
        task: usize,
        /// The first that is mentioned.
        first: usize,
        /// The one behind the last.
        last: usize,
        /// How many there are.
        tokens: usize,
    },
    /// An environment that is not what it promises to be.
    #[error("{0}: is the environment deterministic?")]
    NotAProgram(#[from] NotAProgram),
    /// A batch that cannot be right.
    #[error(transparent)]
    Batch(#[from] WrongBatch),
    /// Actors and learner that cannot meet.
    #[error(transparent)]
    Door(#[from] DoorError),
    /// A thread that ended without a word.
    #[error("an actor's thread died")]
    Thread,
    /// Whoever watches wants no more.
    #[error("stopped while exploring")]
    Stopped,
}

impl Error {
    /// The same, said of environments: where the network is given what it does not know, an environment offered it.
    pub(crate) fn of_environment(self) -> Self {
        match self {
            Self::Network(
                error @ (mapo_programmer::Error::Move { .. } | mapo_programmer::Error::Program { .. }),
            ) => Self::UnknownLater(error),
            error => error,
        }
    }
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<RunError<Error>> for Error {
    fn from(error: RunError<Error>) -> Self {
        match error {
            RunError::Policy(error) | RunError::Learner { source: error, .. } => error.of_environment(),
            RunError::Batch(wrong) => wrong.into(),
            RunError::Memory(wrong) => wrong.into(),
            RunError::Settings(wrong) => wrong.into(),
            RunError::Door(error) => error.into(),
            RunError::Idle => Self::NoTasks,
            RunError::Thread => Self::Thread,
        }
    }
}
