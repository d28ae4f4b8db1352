//! A learner whose actors are elsewhere.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use mapo_core::{DoorError, Doors, MemoryStore, PolicyStore, Queue, shard_count_for};
use mapo_model::NeuralPolicy;
use mapo_training::{Questions, RunConfig, Session, Trainer};
use serde::{Deserialize, Serialize};

use crate::assistants::{AssistanceCounts, Distant};
use crate::digest::Digests;
use crate::error::at;
use crate::evaluate::Elsewhere;
use crate::learnt::LearntFrom;
use crate::lease::{Held, Leases, Rate, own_name};
use crate::log::BatchLog;
use crate::memories::Memories;
use crate::message::Kind;
use crate::parcel::Parameters;
use crate::place::place;
use crate::policies::Publisher;
use crate::presence::Leading;
use crate::queue::{Batches, DropCounts, Dropped};
use crate::record::{self, Names, Record, Terms, check_name, keys};
use crate::server::{Bucket, Server};
use crate::status::keep_status;
use crate::{Error, Result};

const START: &str = "start.safetensors";

/// How a run is led.
#[derive(Clone, Debug)]
pub struct Learning {
    /// Its name on the server.
    pub name: String,
    /// What it asks of those who take part. A run that goes on keeps what it began with.
    pub terms: Terms,
    /// Whether its models are measured elsewhere, by [`evaluate`](crate::evaluate()).
    pub is_measured_elsewhere: bool,
    /// Whether the batches that are learnt from are kept, for [`replay`](crate::replay()).
    pub is_logged: bool,
    /// Whether actor and learner work by turns, so that the same comes of it as on one thread.
    pub is_lock_step: bool,
}

/// Lets actors elsewhere act for a session, and does `work` with it: trains.
///
/// # Errors
/// If the server's run of that name is another one, someone else is its learner, or the server goes away for
/// good; and those of `work`.
pub fn lead<T>(
    server: &Server,
    learning: &Learning,
    folder: &Path,
    (config, questions): (&RunConfig, &Questions),
    session: Session<'_>,
    tell: &(dyn Fn(&str) + Sync),
    work: impl FnOnce(Session<'_>) -> T,
) -> Result<T> {
    check_name(&learning.name)?;
    let record = known(server, learning, folder, config, questions, &session.trainer)?;
    let names = record.names();
    let name = own_name();
    let leases = Leases {
        bucket: server.bucket(&names.leases(), Some(record.terms.lease()))?,
        holder: name.clone(),
    };
    let keys = server.bucket(&names.keys(), None)?;
    let held = become_learner(server, &leases, record.terms.lease(), tell)?;
    let epoch = next_epoch(&keys)?;
    let step = Arc::new(AtomicU64::new(session.trainer.step()));
    let (is_taken_over, dropped) = (Arc::new(AtomicBool::new(false)), Arc::new(DropCounts::default()));
    if let Some((before, _)) = record::read::<Dropped>(&keys, keys::DROPPED)? {
        dropped.begin_with(before);
    }
    let learnt = Arc::new(LearntFrom::default());
    // What assistants add is in no log and in no single thread.
    let takes_assistants = !learning.is_lock_step && !learning.is_logged;
    let assistance = takes_assistants.then(|| Arc::new(AssistanceCounts::default()));
    let memories = Memories::open(server, &record, &name)?;
    if let Some(over) = keys.get(keys::OVER)? {
        keys.remove(keys::OVER, over.revision)?;
    }
    memories.reopen()?;
    let rounds = memories.rounds()?;
    let threads = session.trainer.learner().runner().threads();
    let parcel = Parameters {
        start: session.trainer.learner().model()?,
        half: record.terms.half,
    };
    let log = learning
        .is_logged
        .then(|| BatchLog::open(folder, session.trainer.step()));
    let log = log.transpose()?;
    let doors = LearnerDoors {
        queue: Batches::open(
            server,
            &record,
            (epoch, Arc::clone(&step)),
            threads,
            Arc::clone(&is_taken_over),
            (Arc::clone(&dropped), Arc::clone(&learnt)),
            log,
        )?,
        policies: Publisher::open(server, &record, parcel, epoch, Arc::clone(&step))?,
        memories,
        keys: keys.clone(),
    };
    tell(&format!(
        "{name}: learns {}, epoch {epoch}, {} shards",
        learning.name, record.shards
    ));
    let keeping = Keeping {
        server,
        leases: &leases,
        keys: &keys,
        lease: record.terms.lease(),
        leading: Leading {
            name,
            epoch,
            step: 0,
            steps: config.settings.steps,
            speed: 0.0,
            assistance: None,
        },
        assistance: assistance.as_deref(),
        step: &step,
        is_taken_over: &is_taken_over,
        dropped: &dropped,
        run: (&learning.name, folder),
    };
    let start = session.trainer.learner().model()?;
    let mut session = session.with_actors(Box::new(doors), rounds);
    if let Some(counts) = &assistance {
        let (numbers, counts) = (start.values().len(), Arc::clone(counts));
        let now = (epoch, Arc::clone(&step));
        let assistants = Distant::open(server, &record, now, numbers, learnt, counts)?;
        session = session.with_assistants(Box::new(assistants));
    }
    if learning.is_measured_elsewhere {
        session = session.with_examiner(Box::new(Elsewhere::open(server, &record, start, epoch)?));
    }
    let is_done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let keeper = scope.spawn(move || keeping.keep(held, is_done));
        let worked = work(session);
        is_done.store(true, Relaxed);
        let kept = keeper.join().unwrap_or(Err(Error::Thread));
        kept.map(|()| worked)
    })
}

/// The run as the server knows it; a new one is made known.
fn known(
    server: &Server,
    learning: &Learning,
    folder: &Path,
    config: &RunConfig,
    questions: &Questions,
    trainer: &Trainer<'_>,
) -> Result<Record> {
    let digests = Digests::new(config, &questions.train)?;
    let place = place(folder, &learning.name)?;
    if let Some(record) = Record::get(server, &place.name)? {
        if record.id != place.id {
            return Err(Error::NameTaken { name: place.name });
        }
        digests.check(&record.digests)?;
        return Ok(record);
    }
    let shards = match learning.is_lock_step {
        true => 1,
        false => shard_count_for(trainer.course(), questions.train.len()),
    };
    let record = Record {
        id: place.id,
        config: toml::to_string(config).map_err(|error| Error::Damaged {
            what: "the configuration",
            problem: error.to_string(),
        })?,
        digests,
        shards,
        terms: learning.terms,
    };
    let (names, seal) = (record.names(), record.seal());
    server.stream(&names.batch_stream(&record.terms))?;
    server.stream(&names.memory_stream())?;
    server.bucket(&names.keys(), None)?;
    server.bucket(&names.leases(), Some(record.terms.lease()))?;
    let objects = server.objects(&names.objects())?;
    let file = folder.join(START);
    let start = std::fs::read(&file).map_err(|source| Error::File { file, source })?;
    objects.put(Names::START, &seal.wrap(Kind::File, 0, &start))?;
    let memories: Vec<_> = trainer
        .tasks()
        .map(|task| (&task.memory, task.memory.priors()))
        .collect();
    objects.put(Names::MEMORIES, &seal.pack(Kind::Memories, 0, &memories)?)?;
    // Only what is complete is known to others.
    record.announce(server, &place.name)?;
    Ok(record)
}

/// Waits until nobody else is the learner.
fn become_learner(
    server: &Server,
    leases: &Leases<'_>,
    lease: Duration,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Held> {
    let (mut seen, began) = (None, Instant::now());
    loop {
        if let Some(held) = leases.take(keys::LEARNER)? {
            return Ok(held);
        }
        let there = leases.bucket.get(keys::LEARNER)?;
        let Some(there) = there else {
            continue;
        };
        let holder = String::from_utf8_lossy(&there.value).into_owned();
        let is_alive = seen.is_some_and(|revision| revision != there.revision);
        if is_alive || began.elapsed() > 3 * lease {
            return Err(Error::LearnerThere { holder });
        }
        if seen.is_none() {
            tell(&format!(
                "{holder} was the learner; waiting until its lease is over"
            ));
        }
        seen = Some(there.revision);
        if server.is_stopped() {
            return Err(Error::Stopped);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A number that is higher than that of every learner before.
fn next_epoch(keys: &Bucket<'_>) -> Result<u64> {
    loop {
        let there: Option<(Epoch, u64)> = record::read(keys, keys::EPOCH)?;
        let epoch = there.as_ref().map_or(0, |(there, _)| there.epoch) + 1;
        let text = record::write(&Epoch {
            epoch,
            learner: own_name(),
        })?;
        let set = match there {
            Some((_, revision)) => keys.set(keys::EPOCH, &text, revision)?,
            None => keys.create(keys::EPOCH, &text)?,
        };
        if set.is_some() {
            return Ok(epoch);
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Epoch {
    epoch: u64,
    /// So that no two write the same.
    learner: String,
}

/// The doors as a learner has them.
struct LearnerDoors<'s> {
    queue: Batches<'s>,
    policies: Publisher<'s, Parameters>,
    memories: Memories<'s>,
    keys: Bucket<'s>,
}

impl Doors<NeuralPolicy> for LearnerDoors<'_> {
    fn open(&mut self) -> (&mut dyn Queue, &dyn PolicyStore<NeuralPolicy>, &dyn MemoryStore) {
        (&mut self.queue, &self.policies, &self.memories)
    }

    fn close(&mut self) -> Result<(), DoorError> {
        let over = record::write(&true).and_then(|text| self.keys.put(keys::OVER, &text));
        over.and_then(|_| self.memories.close())
            .map_err(at("the end of the run"))
    }
}

/// Who keeps the lease on being the learner while it learns.
struct Keeping<'k, 's> {
    server: &'s Server,
    leases: &'k Leases<'s>,
    keys: &'k Bucket<'s>,
    lease: Duration,
    leading: Leading,
    step: &'k AtomicU64,
    is_taken_over: &'k AtomicBool,
    dropped: &'k DropCounts,
    assistance: Option<&'k AssistanceCounts>,
    /// The run's name and directory.
    run: (&'k str, &'k Path),
}

impl Keeping<'_, '_> {
    fn keep(mut self, mut held: Held, is_done: &AtomicBool) -> Result<()> {
        let (speed, mut last) = (Rate::default(), self.step.load(Relaxed));
        let mut kept = Ok(());
        let often = (self.lease / 3).min(Duration::from_secs(2));
        while !is_done.load(Relaxed) {
            let step = self.step.load(Relaxed);
            (last..step).for_each(|_| speed.count());
            last = step;
            self.leading.step = step;
            self.leading.speed = speed.take();
            self.leading.assistance = self.assistance.map(AssistanceCounts::get);
            kept = self.tell().and_then(|()| self.renew(&mut held));
            if kept.is_err() {
                self.is_taken_over.store(true, Relaxed);
                break;
            }
            self.note();
            let began = Instant::now();
            while began.elapsed() < often && !is_done.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        while !is_done.load(Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if kept.is_ok() {
            self.leading.step = self.step.load(Relaxed);
            self.leading.assistance = self.assistance.map(AssistanceCounts::get);
            self.tell()?;
            self.leases.give_back(&held)?;
            self.note();
        }
        match kept {
            // The learner says it, with what it did until then.
            Err(Error::TakenOver | Error::Stopped) => Ok(()),
            kept => kept,
        }
    }

    /// Writes down how the run goes, for the dashboard; learning does not depend on it.
    fn note(&self) {
        let (name, folder) = self.run;
        let _ = keep_status(self.server, name, folder);
    }

    fn tell(&self) -> Result<()> {
        self.keys.put(keys::LEADING, &record::write(&self.leading)?)?;
        self.keys
            .put(keys::DROPPED, &record::write(&self.dropped.get())?)?;
        Ok(())
    }

    /// Says that we still learn. Who was silent for too long goes on if nobody has come meanwhile.
    fn renew(&self, held: &mut Held) -> Result<()> {
        if self.leases.renew(held)? {
            return Ok(());
        }
        let epoch: Option<(Epoch, u64)> = record::read(self.keys, keys::EPOCH)?;
        let is_ours = epoch.is_some_and(|(there, _)| there.epoch == self.leading.epoch);
        match self.leases.take(keys::LEARNER)?.filter(|_| is_ours) {
            Some(again) => {
                *held = again;
                Ok(())
            }
            None if self.server.is_stopped() => Err(Error::Stopped),
            None => Err(Error::TakenOver),
        }
    }
}
