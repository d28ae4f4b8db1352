//! `mapo fleet learn`: the learner.

use super::{ServerArgs, tell};
use crate::Outcome;
use crate::commands::train::Train;
use crate::watching::Stopper;
use clap::Args;
use mapo_fleet::{Learning, Terms, lead};
use std::sync::Arc;

/// Learn from what actors on other machines do.
///
/// Example:
///   mapo fleet learn --server nats://host --data toy --run runs/toy
///
/// Takes what `mapo train` takes, and keeps the same directory; --resume goes on after the learner was stopped or
/// killed, and the actors, who waited, with it. The directory's name is the run's on the server.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Learn {
    #[command(flatten)]
    server: ServerArgs,
    /// The run's name on the server; that of its directory when not given.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// One actor and the learner by turns: with --threads 1 the same comes of it as of `mapo train --threads 1`.
    #[arg(long)]
    lock_step: bool,
    /// Batches that may wait for the learner.
    #[arg(long, value_name = "N", default_value_t = Terms::default().room, value_parser = at_least_one, conflicts_with = "lock_step")]
    room: usize,
    /// Whoever is not heard of for so many seconds has lost its shards, or being the learner.
    #[arg(long, value_name = "S", default_value_t = Terms::default().lease)]
    lease: f64,
    /// Batches that were made by a policy older than so many steps are dropped.
    #[arg(long, value_name = "STEPS", default_value_t = Terms::default().max_age)]
    max_age: u64,
    /// Send parameters in 16 bits: half as much to send; what actors do is not the same to the last bit any more.
    #[arg(long, conflicts_with = "lock_step")]
    half: bool,
    /// Leave the evaluation to `mapo fleet evaluate`, and go on learning meanwhile. The run ends when all is measured.
    #[arg(long)]
    evaluate_elsewhere: bool,
    /// Keep every batch that is learnt from in the run's directory, so that `mapo fleet replay` can learn from them again.
    #[arg(long)]
    log: bool,
    #[command(flatten)]
    train: Train,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

impl Learn {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        // Whoever waits for a server that is not there need not explore before.
        let server = self.server.connect(Arc::clone(&stopper.stop))?;
        let terms = Terms {
            lease: self.lease,
            max_age: self.max_age,
            half: self.half,
            ..match self.lock_step {
                true => Terms::lock_step(),
                false => Terms {
                    room: self.room,
                    ..Terms::default()
                },
            }
        };
        let (name, is_lock_step) = (self.name, self.lock_step);
        let (is_measured_elsewhere, is_logged) = (self.evaluate_elsewhere, self.log);
        self.train.execute_with(stopper, |begun, session| {
            let directory = begun
                .path
                .canonicalize()
                .unwrap_or_else(|_| begun.path.to_owned());
            let directory = directory
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let learning = Learning {
                name: name.or(directory).unwrap_or_default(),
                terms,
                is_measured_elsewhere,
                is_logged,
                is_lock_step,
            };
            let made_of = (begun.config, begun.questions);
            lead(
                &server,
                &learning,
                begun.path,
                made_of,
                session,
                &tell,
                |session| begun.train(session),
            )?
        })
    }
}
