//! A process whose actors work for a learner elsewhere.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mapo_core::{ActorLife, ActorTimes, Memory, RunError, Shards, Task};
use mapo_datasets::{Example, TableEnv};
use mapo_model::inputs::encode::encode_all;
use mapo_model::{Input, NeuralPolicy};
use mapo_programmer::{Checkpoint, Network};
use mapo_training::{RunConfig, task};

use crate::digest::Digests;
use crate::holding::Holding;
use crate::lease::{Leases, Rate, own_name};
use crate::memories::Memories;
use crate::message::Kind;
use crate::parcel::Parameters;
use crate::policies::{Shelf, View};
use crate::presence::Presence;
use crate::queue::{BatchPlace, Doing, Gate};
use crate::record::{self, Names, Record, keys};
use crate::server::Server;
use crate::{Error, Result};

/// What an actor's process needs to know.
#[derive(Clone, Debug)]
pub struct Acting {
    /// The run's name.
    pub run: String,
    /// Where the data is here, if not where the learner has it.
    pub data: Option<String>,
    /// Actors in this process.
    pub threads: usize,
}

/// What an actor's process did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acted {
    /// Batches that it delivered.
    pub batches: u64,
    /// Whether the run came to its end.
    pub is_over: bool,
}

/// The memory with which an example began, and how far its programs were believed, if that was said.
type Begun = (Memory, Option<Vec<f32>>);

/// What a run is made of, as whoever takes part has it.
pub(crate) struct Parts {
    pub record: Record,
    pub config: RunConfig,
    pub questions: mapo_training::Questions,
    pub start: Arc<Network>,
}

/// Fetches what a run is made of, and checks that the data here is the run's.
pub(crate) fn join(
    server: &Server,
    run: &str,
    data: Option<&str>,
    threads: usize,
    with_dev: bool,
) -> Result<Parts> {
    let record = Record::find(server, run)?;
    let mut config: RunConfig = toml::from_str(&record.config).map_err(|error| Error::Mismatch {
        what: "configuration",
        problem: format!("{}; use the same version of mapo everywhere", error.message()),
    })?;
    config.run.threads = threads;
    if let Some(data) = data {
        let [part] = &mut config.run.parts[..] else {
            return Err(Error::Mismatch {
                what: "data",
                problem: "the run has several datasets; bring them to where the learner has them".to_owned(),
            });
        };
        part.data = data.to_owned();
    }
    if !with_dev {
        config.run.parts.iter_mut().for_each(|part| part.dev_split = None);
    }
    let questions = config.run.questions()?;
    Digests::new(&config, &questions.train)?.check(&record.digests)?;
    let objects = server.objects(&record.names().objects())?;
    let start = objects.get(Names::START)?.ok_or_else(|| Error::Damaged {
        what: "the store of objects",
        problem: "the model with which the run began is missing".to_owned(),
    })?;
    let (_, start) = record.seal().unwrap(Kind::File, &start)?;
    let start = Checkpoint::from_bytes(start, Path::new("start.safetensors"), false)?;
    Ok(Parts {
        record,
        config,
        questions,
        start: Arc::new(start.network),
    })
}

/// Lets actors work for a run until it is over or the user stops them.
///
/// # Errors
/// If the server has no such run, the data here is not the run's, or the server goes away for good.
pub fn act(server: &Server, acting: &Acting, tell: &(dyn Fn(&str) + Sync)) -> Result<Acted> {
    let threads = acting.threads.max(1);
    let parts = join(server, &acting.run, acting.data.as_deref(), threads, false)?;
    let Parts {
        record,
        config,
        questions,
        start,
    } = &parts;
    let names = record.names();
    let memories = server.objects(&names.objects())?.get(Names::MEMORIES)?;
    let memories = memories.ok_or_else(|| Error::Damaged {
        what: "the store of objects",
        problem: "the memories with which the run began are missing".to_owned(),
    })?;
    let (_, begun) = record.seal().unpack::<Vec<Begun>>(Kind::Memories, &memories)?;
    if begun.len() != questions.train.len() {
        return Err(Error::Damaged {
            what: "the store of objects",
            problem: format!(
                "it has {} memories for {} questions",
                begun.len(),
                questions.train.len()
            ),
        });
    }
    let make = |shard: u32| -> Result<Vec<Task<TableEnv, Input>>> {
        let places: Vec<usize> = (shard as usize..questions.train.len())
            .step_by(record.shards)
            .collect();
        let examples: Vec<Example> = places
            .iter()
            .map(|&place| questions.train[place].clone())
            .collect();
        let inputs = encode_all(start.config(), start.words(), &examples);
        let tasks = places
            .into_iter()
            .zip(&examples)
            .zip(inputs)
            .map(|((place, example), input)| {
                let (memory, priors) = &begun[place];
                let mut memory = memory.clone();
                if let Some(priors) = priors.as_ref().filter(|priors| priors.len() == memory.len()) {
                    memory.believe(priors.clone());
                }
                Ok(task(place, example, input, memory, config.settings.unexplained)?)
            });
        tasks.collect()
    };
    let name = own_name();
    let log = Memories::open(server, record, &name)?;
    let shards = Shards::new(Vec::new());
    let parcel = Parameters {
        start: Arc::clone(start),
        half: record.terms.half,
    };
    let shelf = Shelf::open(server, record, parcel)?;
    let holding = Holding {
        leases: Leases {
            bucket: server.bucket(&names.leases(), Some(record.terms.lease()))?,
            holder: name.clone(),
        },
        memories: &log,
        shards: &shards,
        of: record.shards as u32,
        make: &make,
        state: Mutex::default(),
    };
    let bench = Bench {
        shards: &shards,
        shelf: &shelf,
        is_over: AtomicBool::new(false),
        has_failed: AtomicBool::new(false),
        doing: AtomicU8::new(0),
        batches: AtomicU64::new(0),
        speed: Rate::default(),
    };
    tell(&format!(
        "{name}: acting for {} with {threads} actors",
        acting.run
    ));
    let course = config.course(questions);
    let keeping = Keeping {
        server,
        record,
        name: &name,
        threads,
        holding: &holding,
        bench: &bench,
        tell,
    };
    let is_done = &AtomicBool::new(false);
    let lived = std::thread::scope(|scope| {
        let keeper = scope.spawn(move || keeping.keep(is_done));
        let actors: Vec<_> = (0..threads)
            .map(|_| {
                let (bench, course, holding, log, shelf, name) =
                    (&bench, &course, &holding, &log, &shelf, &name);
                scope.spawn(move || {
                    let epoch = Arc::new(AtomicU64::new(0));
                    let view = View::new(shelf, Arc::clone(&epoch));
                    let lived = BatchPlace::open(server, record, name, epoch, bench).and_then(|mut place| {
                        loop {
                            let life = ActorLife::new(course, bench.shards)?;
                            match after(life.live(&mut place, &view, log)) {
                                Ok(Some(shard)) => holding.lose(shard),
                                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                                Err(ended) => return ended,
                            }
                            if bench.is_over() || server.is_stopped() {
                                return Ok(());
                            }
                        }
                    });
                    if lived.is_err() {
                        bench.has_failed.store(true, Relaxed);
                    }
                    lived
                })
            })
            .collect();
        let lived: Vec<Result<()>> = actors
            .into_iter()
            .map(|actor| actor.join().unwrap_or(Err(Error::Thread)))
            .collect();
        is_done.store(true, Relaxed);
        let kept = keeper.join().unwrap_or(Err(Error::Thread));
        lived.into_iter().collect::<Result<()>>().and(kept)
    });
    match lived {
        Ok(()) | Err(Error::Stopped) => Ok(Acted {
            batches: bench.batches.load(Relaxed),
            is_over: bench.is_over.load(Relaxed),
        }),
        Err(error) => Err(error),
    }
}

/// What to do after an actor's life: go on, with a shard that was lost or none, or end.
fn after(lived: Result<ActorTimes, RunError<mapo_programmer::Error>>) -> Result<Option<u32>, Result<()>> {
    match lived {
        // Nobody wants batches any more.
        Ok(_) => Err(Ok(())),
        // Others have all shards at this moment.
        Err(RunError::Idle) => Ok(None),
        Err(RunError::Door(error)) => match error.source.downcast::<Error>() {
            Ok(error) => match *error {
                Error::LostShard(shard) => Ok(Some(shard)),
                Error::Stopped => Err(Ok(())),
                error => Err(Err(error)),
            },
            Err(source) => Err(Err(Error::Door(mapo_core::DoorError {
                door: error.door,
                source,
            }))),
        },
        Err(RunError::Policy(error)) => Err(Err(error.into())),
        Err(RunError::Memory(error)) => Err(Err(error.into())),
        Err(RunError::Settings(error)) => Err(Err(error.into())),
        Err(RunError::Learner { .. } | RunError::Batch(_) | RunError::Thread) => Err(Err(Error::Thread)),
    }
}

/// What the actors of a process share, beside the doors.
struct Bench<'b, 's> {
    shards: &'b Shards<TableEnv, Input>,
    shelf: &'b Shelf<'s, NeuralPolicy, Parameters>,
    is_over: AtomicBool,
    /// Whether one of them, or who keeps their shards, cannot go on.
    has_failed: AtomicBool,
    doing: AtomicU8,
    batches: AtomicU64,
    speed: Rate,
}

impl Gate for Bench<'_, '_> {
    fn is_open(&self) -> Result<bool> {
        Ok(self.shards.has_free() && self.shelf.is_ready()?)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Relaxed) || self.has_failed.load(Relaxed)
    }

    fn tell(&self, doing: Doing) {
        self.doing.store(doing as u8, Relaxed);
        if doing == Doing::Delivered {
            self.batches.fetch_add(1, Relaxed);
            self.speed.count();
        }
    }
}

impl Bench<'_, '_> {
    fn doing(&self) -> &'static str {
        match self.doing.load(Relaxed) {
            doing if doing == Doing::WaitingForRoom as u8 => "waits for room in the queue",
            doing if doing == Doing::WaitingForShard as u8 => match self.shelf.version() {
                Some(_) => "waits for a shard",
                None => "waits for a policy",
            },
            _ => "acts",
        }
    }
}

/// Who keeps the shards of a process while its actors act.
struct Keeping<'k, 's> {
    server: &'s Server,
    record: &'k Record,
    name: &'k str,
    threads: usize,
    holding: &'k Holding<'k, 's, TableEnv, Input>,
    bench: &'k Bench<'k, 's>,
    tell: &'k (dyn Fn(&str) + Sync),
}

impl Keeping<'_, '_> {
    fn keep(&self, is_done: &AtomicBool) -> Result<()> {
        let kept = self.tend(is_done);
        self.bench.has_failed.store(kept.is_err(), Relaxed);
        // Actors still have their batches; what they hold goes when they have done with it.
        while !is_done.load(Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.holding.leave(self.name)?;
        kept
    }

    fn tend(&self, is_done: &AtomicBool) -> Result<()> {
        let keys = self.server.bucket(&self.record.names().keys(), None)?;
        let often = (self.record.terms.lease() / 3).min(Duration::from_secs(5));
        let (mut tended, mut looked): (Option<Instant>, Option<Instant>) = (None, None);
        let mut shards = 0;
        while !is_done.load(Relaxed) && !self.server.is_stopped() && !self.bench.is_over() {
            if looked.is_none_or(|looked| looked.elapsed() > Duration::from_millis(500)) {
                let over: Option<(bool, u64)> = record::read(&keys, keys::OVER)?;
                self.bench
                    .is_over
                    .store(over.is_some_and(|(over, _)| over), Relaxed);
                looked = Some(Instant::now());
                continue;
            }
            let is_due = tended.is_none_or(|tended| tended.elapsed() > often);
            // Who has none looks more often.
            let is_bare = tended.is_none_or(|tended| tended.elapsed() > often / 5) && self.holding.len() == 0;
            if is_due || is_bare || self.holding.has_lost() {
                self.holding.tend(&self.presence())?;
                tended = Some(Instant::now());
                let has = self.holding.len();
                if has != std::mem::replace(&mut shards, has) {
                    (self.tell)(&format!("has {has} of {} shards", self.record.shards));
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn presence(&self) -> Presence {
        Presence {
            name: self.name.to_owned(),
            threads: self.threads,
            shards: self.holding.len(),
            speed: self.bench.speed.take(),
            batches: self.bench.batches.load(Relaxed),
            policy: self.bench.shelf.version(),
            doing: self.bench.doing().to_owned(),
        }
    }
}
