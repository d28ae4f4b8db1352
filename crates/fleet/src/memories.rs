//! The store of memories: for each shard a log that only grows.
//!
//! Each round of a shard is one message, also if nothing was found, so that the log says how many rounds there
//! were. Whoever owns the shard writes with the number of the last message that it knows of. If another has
//! written meanwhile, the server refuses: no clock decides who owns a shard.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use mapo_core::{DoorError, Finding, MemoryStore};
use serde::{Deserialize, Serialize};

use crate::error::at;
use crate::message::{Kind, Seal};
use crate::record::{Names, Record};
use crate::server::{Failure, Server, reasons};
use crate::{Error, Result};

const DOOR: &str = "the store of memories";

/// The logs of the shards of a run.
pub struct Memories<'s> {
    server: &'s Server,
    stream: Stream,
    names: Names,
    seal: Seal,
    writer: String,
    shards: usize,
    known: Mutex<HashMap<u32, Log>>,
}

/// What is known of a shard's log.
#[derive(Clone, Debug, Default)]
struct Log {
    /// The number of the last message.
    sequence: u64,
    rounds: u64,
    found: Vec<Finding>,
    /// Whether the run is over.
    is_closed: bool,
}

/// A message of a log: a round of a shard.
#[derive(Debug, Serialize, Deserialize)]
pub struct Round {
    /// Who wrote it.
    pub writer: String,
    /// Rounds of the shard so far, this one among them.
    pub rounds: u64,
    /// What was found.
    pub found: Vec<Finding>,
    /// Whether the learner has ended the run with it: nobody takes the shard over any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_closed: bool,
}

impl<'s> Memories<'s> {
    pub(crate) fn open(server: &'s Server, record: &Record, writer: &str) -> Result<Self> {
        let names = record.names();
        Ok(Self {
            server,
            stream: server.stream(&names.memory_stream())?,
            names,
            seal: record.seal(),
            writer: writer.to_owned(),
            shards: record.shards,
            known: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Log>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what a shard's log has beyond what is known of it.
    fn follow(&self, shard: u32, log: &mut Log) -> Result<()> {
        if shard as usize >= self.shards {
            return Err(Error::Damaged {
                what: "the log of memories",
                problem: format!("there is no shard {shard} of {}", self.shards),
            });
        }
        let subject = self.names.memory_subject(shard);
        for message in self.server.read(&self.stream, &subject, log.sequence + 1)? {
            let (_, round): (_, Round) = self.seal.unpack(Kind::Found, &message.payload)?;
            log.sequence = message.sequence;
            log.rounds = round.rounds;
            log.found.extend(round.found);
            log.is_closed = round.is_closed;
        }
        Ok(())
    }

    /// Takes a shard over: whoever owned it is refused from now on. Its rounds, and all that was found in
    /// it.
    pub(crate) fn take_over(&self, shard: u32) -> Result<(u64, Vec<Finding>)> {
        let mut log = Log::default();
        self.fence(shard, &mut log, false)?;
        let found = std::mem::take(&mut log.found);
        let rounds = log.rounds;
        self.lock().insert(shard, log);
        Ok((rounds, found))
    }

    /// The rounds that each shard has made.
    pub(crate) fn rounds(&self) -> Result<Vec<u64>> {
        let mut known = self.lock();
        let rounds = (0..self.shards as u32).map(|shard| {
            let log = known.entry(shard).or_default();
            self.follow(shard, log)?;
            Ok(log.rounds)
        });
        rounds.collect()
    }

    /// Ends all logs: whoever owns a shard is refused from now on.
    pub(crate) fn close(&self) -> Result<()> {
        let mut known = self.lock();
        (0..self.shards as u32).try_for_each(|shard| {
            let log = known.entry(shard).or_default();
            match self.fence(shard, log, true) {
                Err(Error::Over) => Ok(()),
                fenced => fenced,
            }
        })
    }

    /// Lets a run go on whose logs were ended, but whose learner died before it was done.
    pub(crate) fn reopen(&self) -> Result<()> {
        let mut known = self.lock();
        for shard in 0..self.shards as u32 {
            let log = known.entry(shard).or_default();
            self.follow(shard, log)?;
            if log.is_closed {
                log.sequence = self.write(shard, log.sequence, log.rounds, Vec::new(), false)?;
                log.is_closed = false;
            }
        }
        Ok(())
    }

    /// Writes to a log as its newest owner.
    fn fence(&self, shard: u32, log: &mut Log, is_closed: bool) -> Result<()> {
        loop {
            self.follow(shard, log)?;
            if log.is_closed {
                return Err(Error::Over);
            }
            match self.write(shard, log.sequence, log.rounds, Vec::new(), is_closed) {
                Ok(sequence) => {
                    log.sequence = sequence;
                    log.is_closed = is_closed;
                    return Ok(());
                }
                // Someone was still at work.
                Err(Error::LostShard(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Adds a message to a log, if the last one is still the last.
    fn write(&self, shard: u32, last: u64, rounds: u64, found: Vec<Finding>, is_closed: bool) -> Result<u64> {
        let round = Round {
            writer: self.writer.clone(),
            rounds,
            found,
            is_closed,
        };
        let message = self.seal.pack(Kind::Found, 0, &round)?;
        if message.len() > self.server.max_payload() {
            let bytes = message.len();
            let what = "what was found for a batch";
            return Err(Error::TooLarge { what, bytes });
        }
        let subject = self.names.memory_subject(shard);
        let message = bytes::Bytes::from(message);
        let jetstream = self.server.jetstream();
        self.server.retry("the log of memories", || async {
            let publish = PublishMessage::build()
                .payload(message.clone())
                .expected_last_subject_sequence(last);
            let sent = jetstream.send_publish(subject.clone(), publish).await;
            let sent = match sent {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            let error = match sent {
                Ok(acknowledged) => return Ok(acknowledged.sequence),
                Err(error) => error,
            };
            if error.kind() != PublishErrorKind::WrongLastSequence {
                return Err(Failure::Again(reasons(&error)));
            }
            // The answer to an earlier attempt may have been lost: then it is there, behind what we knew.
            let after = self
                .stream
                .direct_get_next_for_subject(subject.clone(), Some(last + 1));
            let after = after.await.map_err(|error| Failure::Again(reasons(&error)))?;
            match after.payload == message {
                true => Ok(after.sequence),
                false => Err(Failure::Final(Error::LostShard(shard))),
            }
        })
    }
}

impl MemoryStore for Memories<'_> {
    fn append(&self, shard: u32, found: Vec<Finding>) -> Result<(), DoorError> {
        let owned = self.lock().get(&shard).map(|log| (log.sequence, log.rounds + 1));
        // Nobody writes to the log of a shard that it has not taken over.
        let written = owned.ok_or(Error::LostShard(shard)).and_then(|(last, rounds)| {
            let sequence = self.write(shard, last, rounds, found, false)?;
            Ok((sequence, rounds))
        });
        let (sequence, rounds) = written.map_err(at(DOOR))?;
        // What was found is with the actor already.
        let log = Log {
            sequence,
            rounds,
            ..Log::default()
        };
        self.lock().insert(shard, log);
        Ok(())
    }

    fn read(&self, shard: u32, from: usize) -> Result<Vec<Finding>, DoorError> {
        let mut known = self.lock();
        let log = known.entry(shard).or_default();
        self.follow(shard, log).map_err(at(DOOR))?;
        Ok(log.found.iter().skip(from).cloned().collect())
    }
}
