//! `mapo fleet replay`: learning again from what was logged.

use crate::{Outcome, print};
use clap::Args;
use mapo_fleet::replay;
use serde_json::json;
use std::path::PathBuf;

/// Learn again from the batches that `mapo fleet learn --log` kept, and compare the parameters with the run's.
///
/// Needs the run's data and no server. Ends with an error if a parameter differs in any bit.
#[derive(Args)]
pub struct Replay {
    /// The run's directory.
    #[arg(value_name = "DIR")]
    run: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub fn execute(self) -> Outcome {
        let replayed = replay(&self.run)?;
        let (batches, of, different) = (replayed.batches, replayed.parameters, replayed.different);
        if self.json {
            print(json!({ "batches": batches, "parameters": of, "different": different }))?;
        }
        match different {
            0 if self.json => Ok(()),
            0 => print(format_args!(
                "batches   {batches} learnt from again: all {of} parameters are the run's, bit for bit"
            )),
            _ => Err(format!(
                "after {batches} batches {different} of {of} parameters differ from those of the last checkpoint"
            )
            .into()),
        }
    }
}
