//! `mapo fleet act`: actors.

use super::{ServerArgs, tell};
use crate::threads::threads;
use crate::watching::Stopper;
use crate::{Outcome, print};
use clap::Args;
use mapo_fleet::{Acting, act};
use serde_json::json;
use std::sync::Arc;

/// Act for a learner on another machine.
///
/// Example:
///   mapo fleet act --server nats://host --run toy
///
/// The run's settings, its first model and its memories come from the server; its data must be here, at the same place
/// or where --data says. Ctrl-C hands its shards back at once. Ends when the run is over.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Act {
    #[command(flatten)]
    server: ServerArgs,
    /// The run's name on the server.
    #[arg(long, value_name = "NAME")]
    run: String,
    /// Where the run's dataset is on this machine, as in `mapo train --data`.
    #[arg(long, value_name = "DATASET")]
    data: Option<String>,
    /// How many actors; one for each core when not given.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Act {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        let server = self.server.connect(Arc::clone(&stopper.stop))?;
        let acting = Acting {
            run: self.run,
            data: self.data,
            threads: threads(self.threads),
        };
        let acted = act(&server, &acting, &tell)?;
        if self.json {
            return print(json!({ "batches": acted.batches, "is_over": acted.is_over }));
        }
        let why = if acted.is_over {
            "the run is over"
        } else {
            "stopped"
        };
        print(format_args!("batches   {}; {why}", acted.batches))
    }
}
