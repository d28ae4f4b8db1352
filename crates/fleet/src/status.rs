//! Who takes part in a run, and how it goes.

use std::path::Path;

use mapo_core::MemoryStore;
use serde::Serialize;

use crate::Result;
use crate::memories::Memories;
use crate::policies::Version;
use crate::presence::{Leading, Presence};
use crate::queue::Dropped;
use crate::record::{self, Record, keys};
use crate::server::{Failure, Server, reasons};

/// The file of a run's directory with how it goes, for whoever shows the run and knows no server.
const KEPT: &str = "fleet-status.json";

/// How a run goes.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Its name.
    pub name: String,
    /// Whether it has come to its end.
    pub is_over: bool,
    /// Whether a learner is there.
    pub has_learner: bool,
    /// What the learner last said.
    pub learner: Option<Leading>,
    /// How far it has come.
    pub reached: Option<Version>,
    /// The newest policy.
    pub policy: Option<Version>,
    /// The actors.
    pub actors: Vec<Presence>,
    /// The assistants of the learner.
    pub assistants: Vec<Presence>,
    /// Shards, and those of them that an actor has.
    pub shards: usize,
    /// Shards that an actor has.
    pub shards_held: usize,
    /// Batches that wait for the learner.
    pub queued: u64,
    /// Room for them.
    pub room: usize,
    /// Batches that were not learnt from.
    pub dropped: Dropped,
    /// Messages in the logs of memories.
    pub log_messages: u64,
    /// Their bytes.
    pub log_bytes: u64,
}

/// Asks a server how a run goes.
///
/// # Errors
/// If it has no such run.
pub fn status(server: &Server, name: &str) -> Result<Status> {
    let record = Record::find(server, name)?;
    let names = record.names();
    let keys = server.bucket(&names.keys(), None)?;
    let leases = server.bucket(&names.leases(), Some(record.terms.lease()))?;
    let entries = leases.all()?;
    let presence = |entry: &crate::server::Entry| serde_json::from_slice::<Presence>(&entry.value).ok();
    let all = |prefix: &str| {
        let found = entries.iter().filter(|entry| entry.key.starts_with(prefix));
        let mut found: Vec<Presence> = found.filter_map(presence).collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    };
    let size = |config: async_nats::jetstream::stream::Config| {
        let stream = server.stream(&config)?;
        server.retry("a stream", || async {
            let info = stream.get_info().await;
            info.map(|info| (info.state.messages, info.state.bytes))
                .map_err(|error| Failure::Again(reasons(&error)))
        })
    };
    let (queued, _) = size(names.batch_stream(&record.terms))?;
    let (log_messages, log_bytes) = size(names.memory_stream())?;
    let first = |read: Option<(Version, u64)>| read.map(|(version, _)| version);
    Ok(Status {
        name: name.to_owned(),
        is_over: record::read::<bool>(&keys, keys::OVER)?.is_some_and(|(over, _)| over),
        has_learner: entries.iter().any(|entry| entry.key == keys::LEARNER),
        learner: record::read(&keys, keys::LEADING)?.map(|(leading, _)| leading),
        reached: first(record::read(&keys, keys::REACHED)?),
        policy: first(record::read(&keys, keys::POLICY)?),
        actors: all("actor."),
        assistants: all("assistant."),
        shards: record.shards,
        shards_held: entries
            .iter()
            .filter(|entry| entry.key.starts_with("shard."))
            .count(),
        queued,
        room: record.terms.room,
        dropped: record::read(&keys, keys::DROPPED)?.map_or_else(Dropped::default, |(dropped, _)| dropped),
        log_messages,
        log_bytes,
    })
}

/// Writes down in a run's directory how it goes.
pub(crate) fn keep_status(server: &Server, name: &str, folder: &Path) -> Result<()> {
    let status = record::write(&status(server, name)?)?;
    mapo_files::write(&folder.join(KEPT), status.as_ref())?;
    Ok(())
}

/// Everything that a run's actors have found and a server has acknowledged, by shard, in its order.
///
/// # Errors
/// If the server has no such run, or a message of the logs is damaged.
pub fn found(server: &Server, name: &str) -> Result<Vec<mapo_core::Finding>> {
    let record = Record::find(server, name)?;
    let logs = Memories::open(server, &record, "reader")?;
    let mut found = Vec::new();
    for shard in 0..record.shards as u32 {
        found.extend(logs.read(shard, 0)?);
    }
    Ok(found)
}
