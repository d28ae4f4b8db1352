//! The queue of batches: a bounded stream that refuses when it is full.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{ErrorCode, Message};
use bytes::Bytes;
use futures_util::StreamExt;
use mapo_core::{DoorError, Place, Queue, Taken, TrainingBatch, WrongBatch};
use serde::{Deserialize, Serialize};

use crate::error::at;
use crate::learnt::LearntFrom;
use crate::log::BatchLog;
use crate::message::{Kind, Seal};
use crate::record::{Names, Record};
use crate::server::{Failure, Server, reasons};
use crate::{Error, Result};

const DOOR: &str = "the queue of batches";
/// How long a learner waits before it looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(500);

/// Batches that were not learnt from, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Damaged, of another run, of other data.
    pub unreadable: u64,
    /// Made for a learner that is no more.
    pub other_epoch: u64,
    /// Made by a policy that is too old.
    pub too_old: u64,
    /// Come in before, or wrong otherwise.
    pub wrong: u64,
}

/// The same, counted by one thread and read by others.
#[derive(Debug, Default)]
pub(crate) struct DropCounts {
    unreadable: AtomicU64,
    other_epoch: AtomicU64,
    too_old: AtomicU64,
    wrong: AtomicU64,
}

impl DropCounts {
    pub fn get(&self) -> Dropped {
        Dropped {
            unreadable: self.unreadable.load(Relaxed),
            other_epoch: self.other_epoch.load(Relaxed),
            too_old: self.too_old.load(Relaxed),
            wrong: self.wrong.load(Relaxed),
        }
    }

    pub fn begin_with(&self, before: Dropped) {
        self.unreadable.store(before.unreadable, Relaxed);
        self.other_epoch.store(before.other_epoch, Relaxed);
        self.too_old.store(before.too_old, Relaxed);
        self.wrong.store(before.wrong, Relaxed);
    }
}

/// Who takes batches out of the queue: the learner and its assistants.
pub(crate) fn consumer(server: &Server, record: &Record, stream: &Stream) -> Result<Consumer<pull::Config>> {
    server.retry("the queue of batches", || async {
        let config = pull::Config {
            durable_name: Some("learner".to_owned()),
            ack_wait: record.terms.lease(),
            ..pull::Config::default()
        };
        let consumer = stream.get_or_create_consumer("learner", config).await;
        consumer.map_err(|error| Failure::Again(reasons(&error)))
    })
}

/// The learner's side.
pub struct Batches<'s> {
    server: &'s Server,
    consumer: Consumer<pull::Config>,
    seal: Seal,
    epoch: u64,
    max_age: u64,
    threads: usize,
    /// The learner's step.
    step: Arc<AtomicU64>,
    /// Whether another learner has come.
    is_taken_over: Arc<AtomicBool>,
    dropped: Arc<DropCounts>,
    /// What was taken last and is not acknowledged.
    held: Option<Message>,
    /// What was learnt from already.
    known: Arc<LearntFrom>,
    /// Where batches are kept that were learnt from, if they are.
    log: Option<BatchLog>,
}

impl<'s> Batches<'s> {
    /// Opens the queue for a new epoch: what is in it was made for another.
    pub(crate) fn open(
        server: &'s Server,
        record: &Record,
        (epoch, step): (u64, Arc<AtomicU64>),
        threads: usize,
        is_taken_over: Arc<AtomicBool>,
        (dropped, known): (Arc<DropCounts>, Arc<LearntFrom>),
        log: Option<BatchLog>,
    ) -> Result<Self> {
        let stream = server.stream(&record.names().batch_stream(&record.terms))?;
        let purged = server.retry("the queue of batches", || async {
            let purged = stream.purge().await;
            purged.map_err(|error| Failure::Again(reasons(&error)))
        })?;
        dropped.other_epoch.fetch_add(purged.purged, Relaxed);
        Ok(Self {
            server,
            consumer: consumer(server, record, &stream)?,
            seal: record.seal(),
            epoch,
            max_age: record.terms.max_age,
            threads,
            step,
            is_taken_over,
            dropped,
            held: None,
            known,
            log,
        })
    }

    /// The next message; nothing if there is none for a moment.
    fn next(&self) -> Result<Option<Message>> {
        self.server.retry("the queue of batches", || async {
            let batch = self.consumer.batch().max_messages(1).expires(LOOK).messages();
            let mut batch = batch.await.map_err(|error| Failure::Again(reasons(&error)))?;
            // A server that dies meanwhile must not be waited for for ever.
            let next = tokio::time::timeout(4 * LOOK, batch.next()).await;
            match next {
                Ok(Some(Ok(message))) => Ok(Some(message)),
                Ok(Some(Err(error))) => Err(Failure::again(error)),
                Ok(None) | Err(_) => Ok(None),
            }
        })
    }

    /// The batch of a message, if it is to be learnt from.
    fn batch(&self, message: &Message) -> Result<TrainingBatch, &AtomicU64> {
        let read = self.seal.unpack::<TrainingBatch>(Kind::Batch, &message.payload);
        let (epoch, batch) = read.map_err(|_| &self.dropped.unreadable)?;
        if epoch != self.epoch {
            return Err(&self.dropped.other_epoch);
        }
        if batch.version.saturating_add(self.max_age) < self.step.load(Relaxed) {
            return Err(&self.dropped.too_old);
        }
        Ok(batch)
    }

    /// Takes a message out of the queue. If that fails it comes again, and is known then.
    fn acknowledge(&self, message: &Message) {
        let _ = self.server.wait(message.double_ack());
    }
}

impl Queue for Batches<'_> {
    fn take(&mut self) -> Result<Option<Taken>, DoorError> {
        loop {
            if self.is_taken_over.load(Relaxed) {
                return Err(at(DOOR)(Error::TakenOver));
            }
            if self.server.is_stopped() {
                return Ok(None);
            }
            let Some(message) = self.next().map_err(at(DOOR))? else {
                continue;
            };
            let batch = match self.batch(&message) {
                Ok(batch) if self.known.enter(batch.shard, batch.round) => batch,
                came => {
                    let count = came.err().unwrap_or(&self.dropped.wrong);
                    count.fetch_add(1, Relaxed);
                    self.acknowledge(&message);
                    continue;
                }
            };
            let depth = message.info().map_or(1, |info| info.pending as usize + 1);
            self.held = Some(message);
            return Ok(Some(Taken {
                batch,
                depth,
                threads: self.threads,
            }));
        }
    }

    fn learnt(&mut self) -> Result<(), DoorError> {
        if let Some(message) = self.held.take() {
            if let Some(log) = &mut self.log {
                let packed = self.seal.unwrap(Kind::Batch, &message.payload);
                let (_, packed) = packed.map_err(Error::from).map_err(at(DOOR))?;
                log.add(packed).map_err(at(DOOR))?;
            }
            self.acknowledge(&message);
        }
        Ok(())
    }

    fn refused(&mut self, _: WrongBatch) -> Result<(), WrongBatch> {
        self.dropped.wrong.fetch_add(1, Relaxed);
        if let Some(message) = self.held.take() {
            self.acknowledge(&message);
        }
        Ok(())
    }
}

/// What an actor may have to wait for before it begins a batch.
pub(crate) trait Gate: Sync {
    /// Whether there is something to act on and to act with.
    fn is_open(&self) -> Result<bool>;

    /// Whether nothing is wanted any more.
    fn is_over(&self) -> bool;

    /// Hears what the actor does.
    fn tell(&self, doing: Doing);
}

/// What an actor does, or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Acting,
    WaitingForShard,
    WaitingForRoom,
    Delivered,
}

/// An actor's place in the queue.
pub(crate) struct BatchPlace<'g, 's> {
    server: &'s Server,
    stream: Stream,
    names: Names,
    seal: Seal,
    room: usize,
    writer: String,
    /// The epoch of the policy that acts.
    epoch: Arc<AtomicU64>,
    gate: &'g dyn Gate,
}

impl<'g, 's> BatchPlace<'g, 's> {
    pub fn open(
        server: &'s Server,
        record: &Record,
        writer: &str,
        epoch: Arc<AtomicU64>,
        gate: &'g dyn Gate,
    ) -> Result<Self> {
        let names = record.names();
        Ok(Self {
            server,
            stream: server.stream(&names.batch_stream(&record.terms))?,
            names,
            seal: record.seal(),
            room: record.terms.room,
            writer: writer.to_owned(),
            epoch,
            gate,
        })
    }

    fn has_room(&self) -> Result<bool> {
        let waiting = self.server.retry("the queue of batches", || async {
            let info = self.stream.get_info().await;
            info.map(|info| info.state.messages)
                .map_err(|error| Failure::Again(reasons(&error)))
        })?;
        Ok(waiting < self.room as u64)
    }

    /// Whether the batch is in the queue; false if that is full.
    fn publish(&self, message: &Bytes, id: &str) -> Result<bool> {
        let jetstream = self.server.jetstream();
        self.server.retry("the queue of batches", || async {
            let publish = PublishMessage::build().payload(message.clone()).message_id(id);
            let sent = jetstream.send_publish(self.names.batch_subject(), publish).await;
            let sent = match sent {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            match sent {
                Ok(_) => Ok(true),
                Err(error) if is_full(&error) => Ok(false),
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    let bytes = message.len();
                    Err(Failure::Final(Error::TooLarge {
                        what: "a batch",
                        bytes,
                    }))
                }
                Err(error) => Err(Failure::Again(reasons(&error))),
            }
        })
    }
}

fn is_full(error: &async_nats::jetstream::context::PublishError) -> bool {
    let source = std::error::Error::source(error);
    let refusal = source.and_then(|source| source.downcast_ref::<async_nats::jetstream::Error>());
    refusal.is_some_and(|refusal| refusal.error_code() == ErrorCode::STREAM_STORE_FAILED)
}

/// Pauses that grow, so that many who wait do not wear the server out.
struct Pauses(Duration);

impl Pauses {
    fn new() -> Self {
        Self(Duration::from_millis(2))
    }

    fn pause(&mut self) {
        std::thread::sleep(self.0);
        self.0 = (self.0 * 3 / 2).min(Duration::from_millis(100));
    }
}

impl Place for BatchPlace<'_, '_> {
    fn begin(&mut self) -> Result<bool, DoorError> {
        let mut pauses = Pauses::new();
        loop {
            if self.server.is_stopped() || self.gate.is_over() {
                return Ok(false);
            }
            let doing = if !self.gate.is_open().map_err(at(DOOR))? {
                Doing::WaitingForShard
            } else if self.has_room().map_err(at(DOOR))? {
                self.gate.tell(Doing::Acting);
                return Ok(true);
            } else {
                Doing::WaitingForRoom
            };
            self.gate.tell(doing);
            pauses.pause();
        }
    }

    fn deliver(&mut self, batch: TrainingBatch) -> Result<(), DoorError> {
        let epoch = self.epoch.load(Relaxed);
        let message = self.seal.pack(Kind::Batch, epoch, &batch);
        let message = Bytes::from(message.map_err(Error::from).map_err(at(DOOR))?);
        let id = format!("{}-{}-{}", batch.shard, batch.round, self.writer);
        let (mut pauses, began) = (Pauses::new(), Instant::now());
        while !self.publish(&message, &id).map_err(at(DOOR))? {
            self.gate.tell(Doing::WaitingForRoom);
            // What was found is kept already; the batch itself can be done without.
            let is_late = self.server.is_stopped() && began.elapsed() > Duration::from_secs(1);
            if is_late || self.gate.is_over() {
                return Ok(());
            }
            pauses.pause();
        }
        self.gate.tell(Doing::Delivered);
        Ok(())
    }
}
