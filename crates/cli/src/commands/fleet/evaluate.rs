//! `mapo fleet evaluate`: measures models while the run goes on.

use super::{ServerArgs, tell};
use crate::threads::threads;
use crate::watching::Stopper;
use crate::{Outcome, print};
use clap::Args;
use std::sync::Arc;

/// Measure the models of a run on its dev split, while its learner goes on.
///
/// For a run whose learner was begun with --evaluate-elsewhere. There may be several; each model is measured once. Ends
/// when the run is over.
#[derive(Args)]
pub struct Evaluate {
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
}

impl Evaluate {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        let server = self.server.connect(Arc::clone(&stopper.stop))?;
        let (data, threads) = (self.data.as_deref(), threads(self.threads));
        let models = mapo_fleet::evaluate(&server, &self.run, data, threads, &tell)?;
        print(format_args!("models    {models} measured"))
    }
}
