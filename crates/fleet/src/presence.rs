//! What those who take part say of themselves.

use serde::{Deserialize, Serialize};

use crate::assistants::Assistance;
use crate::policies::Version;

/// What an actor's process says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Its name.
    pub name: String,
    /// Actors in it.
    pub threads: usize,
    /// Shards that it has.
    pub shards: usize,
    /// Batches a second, lately.
    pub speed: f64,
    /// Batches delivered since it began.
    pub batches: u64,
    /// The policy that acts.
    pub policy: Option<Version>,
    /// What it does, or waits for.
    pub doing: String,
}

/// What the learner says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leading {
    /// Its name.
    pub name: String,
    /// Its epoch.
    pub epoch: u64,
    /// Its step.
    pub step: u64,
    /// The last step of the run.
    pub steps: u64,
    /// Steps a second, lately.
    pub speed: f64,
    /// What has come of assistants; nothing if it takes none.
    #[serde(default)]
    pub assistance: Option<Assistance>,
}
