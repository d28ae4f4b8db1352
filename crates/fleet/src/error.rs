//! What can go wrong.

use std::time::Duration;

use crate::message::WrongMessage;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No server.
    #[error("no NATS server with JetStream answers at {url}: {reason}; {}", advice(.reason))]
    Connect {
        /// Where it was looked for.
        url: String,
        /// What came back.
        reason: String,
    },
    /// A server that went away and did not come back.
    #[error(
        "{what}: the NATS server did not answer for {} s: {reason}; it is silent too where a key may not do what was asked",
        .waited.as_secs()
    )]
    Unreachable {
        /// What was wanted.
        what: &'static str,
        /// How long.
        waited: Duration,
        /// What came back last.
        reason: String,
    },
    /// Something that the server does not do.
    #[error("{what}: the NATS server refuses: {reason}")]
    Refused {
        /// What was wanted.
        what: &'static str,
        /// What it said.
        reason: String,
    },
    /// A message that is none of ours.
    #[error(transparent)]
    Message(#[from] WrongMessage),
    /// A message that is too large.
    #[error(
        "{what} has {bytes} bytes, more than the NATS server takes; raise max_payload in its configuration"
    )]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// How long it is.
        bytes: usize,
    },
    /// Somebody else has a shard.
    #[error("another actor has shard {0} now; what was found here after that is not kept")]
    LostShard(u32),
    /// Somebody else has a task.
    #[error("another worker has {0} now; what was done here since its last checkpoint is not kept")]
    LostTask(String),
    /// A task that cannot go on.
    #[error("{name} cannot go on: {problem}")]
    Task {
        /// The task.
        name: String,
        /// Why.
        problem: String,
    },
    /// Somebody else learns.
    #[error("another learner has taken this run over; this one ends, and nothing that it did since counts")]
    TakenOver,
    /// Somebody else learns, and is alive.
    #[error("{holder} is the learner of this run; end it first, or wait until its lease is over")]
    LearnerThere {
        /// Who.
        holder: String,
    },
    /// A learner that works alone.
    #[error(
        "the learner of '{run}' takes no assistants: it works in lock step, or keeps a log of its batches"
    )]
    NoAssistants {
        /// The run.
        run: String,
    },
    /// The run has come to its end.
    #[error("the run is over")]
    Over,
    /// A door that does not open.
    #[error(transparent)]
    Door(#[from] mapo_core::DoorError),
    /// The user wants no more.
    #[error("stopped")]
    Stopped,
    /// A run of which the server knows nothing.
    #[error("the NATS server has no run '{name}'; {known}. Begin one with mapo fleet learn")]
    NoRun {
        /// The name.
        name: String,
        /// Which there are.
        known: String,
    },
    /// A name that is taken.
    #[error(
        "the NATS server has another run '{name}', which was begun in another directory; choose another --name, or take it away with mapo fleet forget"
    )]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A name that cannot be one.
    #[error("'{0}' cannot be the name of a run on a server: letters, digits, - and _ only, at most 64")]
    BadName(String),
    /// Another program, other data, another language.
    #[error("the {what} here is not that of the run: {problem}")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// How, and what to do.
        problem: String,
    },
    /// Something on the server that does not hold what it should.
    #[error("{what} on the NATS server does not hold what it should: {problem}")]
    Damaged {
        /// What.
        what: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Training.
    #[error(transparent)]
    Training(#[from] mapo_training::Error),
    /// A model or what it sees.
    #[error(transparent)]
    Model(#[from] mapo_model::Error),
    /// A network or its file.
    #[error(transparent)]
    Network(#[from] mapo_programmer::Error),
    /// A run or its log with which batches cannot be learnt again.
    #[error("{} {problem}", .file.display())]
    Log {
        /// The file, or the directory.
        file: std::path::PathBuf,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A file.
    #[error("{}: {source}", .file.display())]
    File {
        /// The file.
        file: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that cannot be written whole.
    #[error(transparent)]
    Write(#[from] mapo_files::Error),
    /// Core's settings.
    #[error(transparent)]
    Settings(#[from] mapo_core::Unusable),
    /// A finding that does not fit.
    #[error(transparent)]
    Memory(#[from] mapo_core::NotAProgram),
    /// A thread that ended without a word.
    #[error("a thread of this process died")]
    Thread,
}

/// What to do where a server does not let us in.
fn advice(reason: &str) -> &'static str {
    match reason {
        _ if reason.contains("authorization") => {
            "name the key that it knows with --nkey or --creds, or write user:password@ into the URL"
        }
        _ if reason.contains("certificate") => {
            "name the certificate of the authority that vouches for it with --ca"
        }
        _ => "start one with `nats-server -js`, or name another with --server",
    }
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error at one of core's doors.
pub(crate) fn at(door: &'static str) -> impl Fn(Error) -> mapo_core::DoorError {
    move |error| mapo_core::DoorError {
        door,
        source: Box::new(error),
    }
}

impl From<mapo_neural::Error> for Error {
    fn from(error: mapo_neural::Error) -> Self {
        Self::Training(error.into())
    }
}
