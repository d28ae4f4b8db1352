//! What a server knows of a run: its names there, and what whoever takes part must have in common.

use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use serde::{Deserialize, Serialize};

use crate::digest::Digests;
use crate::message::Seal;
use crate::server::{Bucket, Server};
use crate::{Error, Result};

/// The bucket with the runs of a server.
const RUNS: &str = "mapo-runs";

/// What a server knows of a run from its first moment on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number; no two runs ever have the same.
    pub id: u64,
    /// Its configuration, as in `config.toml`.
    pub config: String,
    /// What is compared before anyone takes part.
    pub digests: Digests,
    /// Into how many shards the examples are divided.
    pub shards: usize,
    /// What the learner said.
    pub terms: Terms,
}

/// What the learner of a run decides for all who take part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Batches that may wait for the learner.
    pub room: usize,
    /// Whoever is not heard of for so many seconds has lost what it held.
    pub lease: f64,
    /// The most steps that a policy may be behind when something is learnt from what it did.
    pub max_age: u64,
    /// So many seconds lie between two policies; 0 for each that is due.
    pub pace: f64,
    /// Whether parameters travel in 16 bits.
    pub half: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            room: 16,
            lease: 15.0,
            max_age: 500,
            pace: 1.0,
            half: false,
        }
    }
}

impl Terms {
    /// One actor and the learner by turns: what comes of it is what comes of a run on one thread.
    pub fn lock_step() -> Self {
        Self {
            room: 1,
            pace: 0.0,
            ..Self::default()
        }
    }

    /// How long a lease is.
    pub fn lease(&self) -> Duration {
        Duration::from_secs_f64(self.lease.clamp(0.5, 86_400.0))
    }

    /// How long lies between two policies.
    pub fn pace(&self) -> Duration {
        Duration::from_secs_f64(self.pace.clamp(0.0, 3_600.0))
    }
}

impl Record {
    /// What all messages of the run have in common.
    pub fn seal(&self) -> Seal {
        Seal {
            run: self.id,
            digest: self.digests.all(),
        }
    }

    /// Where things of the run are on the server.
    pub(crate) fn names(&self) -> Names {
        Names::of(self.id)
    }

    /// The run of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(server: &Server, name: &str) -> Result<Self> {
        check_name(name)?;
        if let Some(found) = Self::get(server, name)? {
            return Ok(found);
        }
        let names = list(server)?;
        let known = match names.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", names.join(", ")),
        };
        let name = name.to_owned();
        Err(Error::NoRun { name, known })
    }

    /// The run of a name, if there is one.
    pub(crate) fn get(server: &Server, name: &str) -> Result<Option<Self>> {
        let Some(runs) = server.known_bucket(RUNS)? else {
            return Ok(None);
        };
        let read = |entry: crate::server::Entry| {
            serde_json::from_slice(&entry.value).map_err(|error| Error::Damaged {
                what: "the record of the run",
                problem: format!("{error}; use the same version of mapo everywhere"),
            })
        };
        runs.get(name)?.map(read).transpose()
    }

    /// Makes the run known under a name that is free.
    pub(crate) fn announce(&self, server: &Server, name: &str) -> Result<()> {
        let text = serde_json::to_vec(self).map_err(|error| Error::Damaged {
            what: "the record of the run",
            problem: error.to_string(),
        })?;
        match server.bucket(RUNS, None)?.create(name, &text)? {
            Some(_) => Ok(()),
            None => Err(Error::NameTaken {
                name: name.to_owned(),
            }),
        }
    }
}

/// The names of all runs of a server.
///
/// # Errors
/// If the server cannot be reached.
pub fn list(server: &Server) -> Result<Vec<String>> {
    let Some(runs) = server.known_bucket(RUNS)? else {
        return Ok(Vec::new());
    };
    let mut names: Vec<String> = runs.all()?.into_iter().map(|entry| entry.key).collect();
    names.sort();
    Ok(names)
}

/// Takes a run away from a server, with everything that belongs to it there.
///
/// # Errors
/// If there is none.
pub fn forget(server: &Server, name: &str) -> Result<()> {
    let record = Record::find(server, name)?;
    let names = record.names();
    let jetstream = server.jetstream();
    for stream in [names.batches(), names.memories(), names.models()] {
        // What is gone already does no harm.
        let _ = server.wait(jetstream.delete_stream(stream));
    }
    for bucket in [names.keys(), names.leases()] {
        let _ = server.wait(jetstream.delete_key_value(bucket));
    }
    let _ = server.wait(jetstream.delete_object_store(names.objects()));
    let runs = server.bucket(RUNS, None)?;
    match runs.get(name)? {
        Some(entry) => runs.remove(name, entry.revision),
        None => Ok(()),
    }
}

/// Whether a name can stand in those of streams and keys.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    match (1..=64).contains(&name.len()) && name.chars().all(is_letter) {
        true => Ok(()),
        false => Err(Error::BadName(name.to_owned())),
    }
}

/// Names of streams, buckets and subjects of a run. Its number is in all of them: a stream that is made again
/// may go on with its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Names(String);

impl Names {
    /// Those of a number.
    pub fn of(id: u64) -> Self {
        Self(format!("mapo-{id:016x}"))
    }

    pub fn batches(&self) -> String {
        format!("{}-batches", self.0)
    }

    pub fn memories(&self) -> String {
        format!("{}-memories", self.0)
    }

    pub fn keys(&self) -> String {
        format!("{}-keys", self.0)
    }

    pub fn leases(&self) -> String {
        format!("{}-leases", self.0)
    }

    /// The object with the model with which the run began.
    pub const START: &str = "start";
    /// The object with the memories with which it began.
    pub const MEMORIES: &str = "memories";

    pub fn objects(&self) -> String {
        format!("{}-objects", self.0)
    }

    pub fn batch_subject(&self) -> String {
        format!("mapo.{}.batch", self.0)
    }

    /// Where the learner sends parameters to its assistants,
    pub fn parameter_subject(&self) -> String {
        format!("mapo.{}.parameters", self.0)
    }

    /// and they their gradients.
    pub fn gradient_subject(&self) -> String {
        format!("mapo.{}.gradients", self.0)
    }

    pub fn memory_subject(&self, shard: u32) -> String {
        format!("mapo.{}.memory.{shard}", self.0)
    }

    pub fn models(&self) -> String {
        format!("{}-models", self.0)
    }

    pub fn model_subject(&self) -> String {
        format!("mapo.{}.model", self.0)
    }

    /// The queue of models that wait to be measured.
    pub fn model_stream(&self) -> Config {
        Config {
            name: self.models(),
            subjects: vec![self.model_subject()],
            retention: RetentionPolicy::WorkQueue,
            ..Config::default()
        }
    }

    /// The queue of batches: bounded, and full is full.
    pub fn batch_stream(&self, terms: &Terms) -> Config {
        Config {
            name: self.batches(),
            subjects: vec![self.batch_subject()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages: terms.room.max(1) as i64,
            ..Config::default()
        }
    }

    /// The logs of the shards.
    pub fn memory_stream(&self) -> Config {
        Config {
            name: self.memories(),
            subjects: vec![format!("mapo.{}.memory.*", self.0)],
            deny_delete: true,
            deny_purge: true,
            allow_direct: true,
            ..Config::default()
        }
    }
}

/// Keys of a run.
pub(crate) mod keys {
    /// The learner's epoch.
    pub const EPOCH: &str = "epoch";
    /// Which policy is the newest.
    pub const POLICY: &str = "policy";
    /// How far the learner has come.
    pub const REACHED: &str = "reached";
    /// That the run is over.
    pub const OVER: &str = "over";
    /// What the learner does.
    pub const LEADING: &str = "leading";
    /// Batches that were dropped, and why.
    pub const DROPPED: &str = "dropped";
    /// The lease on being the learner.
    pub const LEARNER: &str = "learner";

    /// What a model came to.
    pub fn measured(epoch: u64, step: u64) -> String {
        format!("measured.{epoch}.{step}")
    }

    /// The lease on a shard.
    pub fn shard(shard: u32) -> String {
        format!("shard.{shard}")
    }

    /// An assistant of the learner.
    pub fn assistant(name: &str) -> String {
        format!("assistant.{name}")
    }

    /// An actor.
    pub fn actor(name: &str) -> String {
        format!("actor.{name}")
    }
}

/// A value of a key.
pub(crate) fn read<T: serde::de::DeserializeOwned>(
    bucket: &Bucket<'_>,
    key: &str,
) -> Result<Option<(T, u64)>> {
    let Some(entry) = bucket.get(key)? else {
        return Ok(None);
    };
    let value = serde_json::from_slice(&entry.value).map_err(|error| Error::Damaged {
        what: "a key of the run",
        problem: format!("{key}: {error}"),
    })?;
    Ok(Some((value, entry.revision)))
}

/// A value for a key.
pub(crate) fn write(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Damaged {
        what: "a key of the run",
        problem: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_servers_take_are_taken() {
        for name in ["toy", "WTQ-3_b"] {
            check_name(name).unwrap();
        }
        let long = "a".repeat(65);
        for name in ["", "a.b", "a b", "*", "é", &long] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
