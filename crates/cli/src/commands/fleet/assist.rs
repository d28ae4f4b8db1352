//! `mapo fleet assist`: further learners.

use super::{ServerArgs, tell};
use crate::threads::threads;
use crate::watching::Stopper;
use crate::{Outcome, print};
use clap::Args;
use mapo_fleet::{Assisting, assist};
use serde_json::json;
use std::sync::Arc;

/// Find gradients of further batches for a learner on another machine.
///
/// Example:
///   mapo fleet assist --server nats://host --run toy
///
/// Each step of the learner then goes along the mean of its own gradient and those of its assistants, who have batches of
/// their own: as if a batch were as many times as large. They come and go as actors do, and what is not done in time is
/// left out. The run's data must be here, at the same place or where --data says. Ends when the run is over.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Assist {
    #[command(flatten)]
    server: ServerArgs,
    /// The run's name on the server.
    #[arg(long, value_name = "NAME")]
    run: String,
    /// Where the run's dataset is on this machine, as in `mapo train --data`.
    #[arg(long, value_name = "DATASET")]
    data: Option<String>,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Assist {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        let server = self.server.connect(Arc::clone(&stopper.stop))?;
        let assisting = Assisting {
            run: self.run,
            data: self.data,
            threads: threads(self.threads),
        };
        let did = assist(&server, &assisting, &tell)?;
        if self.json {
            return print(json!({
                "batches": did.batches,
                "gradients": did.gradients,
                "dropped": did.dropped,
                "is_over": did.is_over,
            }));
        }
        let why = if did.is_over { "the run is over" } else { "stopped" };
        print(format_args!(
            "batches   {} of {} gradients, {} dropped; {why}",
            did.batches, did.gradients, did.dropped
        ))
    }
}
