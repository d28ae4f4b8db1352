//! `mapo fleet work`: a worker.

use super::{ServerArgs, tell};
use crate::threads::threads;
use crate::watching::Stopper;
use crate::{Outcome, print};
use clap::Args;
use mapo_fleet::{Working, work};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Do the tasks of jobs: train runs for `mapo compare --fleet`, explore for `mapo explore --fleet`.
///
/// Example:
///   mapo fleet work --server nats://host
///
/// The dataset must be here, at the same place or where --data says; word vectors too, if the job has some. Everything
/// else comes from the server. Ctrl-C hands the task back at once, with what was done of it; after kill -9 another worker
/// goes on from the last checkpoint when the lease is over.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Work {
    #[command(flatten)]
    server: ServerArgs,
    /// Work for this job only.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Where the job's dataset is on this machine, as in `mapo train --data`.
    #[arg(long, value_name = "DATASET")]
    data: Option<String>,
    /// Where the job's word vectors are on this machine.
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// How many threads a task has, where the job does not say; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Where runs are kept while they are trained here; a folder for temporary files when not given.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// End when there is nothing left to do, instead of waiting for more.
    #[arg(long)]
    until_done: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Work {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        let server = self.server.connect(Arc::clone(&stopper.stop))?;
        let temporary = || std::env::temp_dir().join(format!("mapo-work-{}", std::process::id()));
        let scratch = self.scratch.clone().unwrap_or_else(temporary);
        let working = Working {
            job: self.job,
            data: self.data,
            vectors: self.vectors,
            threads: threads(self.threads),
            scratch: scratch.clone(),
            until_done: self.until_done,
        };
        let worked = work(&server, &working, &tell);
        if self.scratch.is_none() {
            // What is worth keeping is on the server.
            let _ = std::fs::remove_dir_all(&scratch);
        }
        let worked = worked?;
        match self.json {
            true => print(json!({ "tasks": worked.tasks })),
            false => print(format_args!("tasks     {} done", worked.tasks)),
        }
    }
}
