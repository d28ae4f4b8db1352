//! A process that finds gradients of further batches for a learner elsewhere.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use async_nats::{Client, Subscriber};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use mapo_core::{Course, Ledger, TrainingBatch, settle};
use mapo_model::Input;
use mapo_model::inputs::encode::encode_all;
use mapo_programmer::Network;
use mapo_training::NeuralLearner;

use crate::act::{Parts, join};
use crate::assistants::Applied;
use crate::lease::{Rate, own_name, random_number};
use crate::message::{Kind, Seal};
use crate::pieces::{About, Assembly, Portion};
use crate::policies::Version;
use crate::presence::{Leading, Presence};
use crate::queue::consumer;
use crate::record::{self, Names, Record, keys};
use crate::server::{Bucket, Failure, Server, reasons};
use crate::{Error, Result};

/// How long an assistant waits for parameters before it looks after other things.
const LOOK: Duration = Duration::from_millis(50);
/// How often it says to the learner that it is there.
const HELLO: Duration = Duration::from_millis(500);

/// What an assistant needs to know.
#[derive(Clone, Debug)]
pub struct Assisting {
    /// The run's name.
    pub run: String,
    /// Where the data is here, if not where the learner has it.
    pub data: Option<String>,
    /// Threads on which gradients are found.
    pub threads: usize,
}

/// What an assistant did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assisted {
    /// Batches whose gradients were learnt from.
    pub batches: u64,
    /// Gradients that were found; more than batches where some came too late and were found again.
    pub gradients: u64,
    /// Batches that were too old or wrong.
    pub dropped: u64,
    /// Whether the run came to its end.
    pub is_over: bool,
}

/// Finds gradients for the learner of a run until it is over or the user stops it.
///
/// # Errors
/// If the server has no such run, its learner takes no assistants, the data here is not the run's, or the server goes
/// away for good.
pub fn assist(server: &Server, assisting: &Assisting, tell: &(dyn Fn(&str) + Sync)) -> Result<Assisted> {
    let threads = assisting.threads.max(1);
    let data = assisting.data.as_deref();
    let Parts {
        record,
        config,
        questions,
        start,
    } = join(server, &assisting.run, data, threads, false)?;
    let names = record.names();
    let keys = server.bucket(&names.keys(), None)?;
    check_learner(&keys, &assisting.run)?;
    let (settings, seed) = (&config.settings, config.run.seed);
    let values = start.values().to_vec();
    let network = Network::with_values(start.config().clone(), start.shared_words(), values, true)?;
    let learner = NeuralLearner::new(network, settings.learning, settings.steps, seed, threads)?;
    let learner = learner.with_encoder(settings.encoder.unwrap_or_default());
    let contexts = learner.runner().pool().install(|| {
        let network = learner.network();
        encode_all(network.config(), network.words(), &questions.train)
    });
    let stream = server.stream(&names.batch_stream(&record.terms))?;
    let name = own_name();
    tell(&format!("{name}: assists the learner of {}", assisting.run));
    let assistant = Assistant {
        server,
        client: server.client(),
        incoming: server.subscribe(&names.parameter_subject())?,
        consumer: consumer(server, &record, &stream)?,
        leases: server.bucket(&names.leases(), Some(record.terms.lease()))?,
        keys,
        seal: record.seal(),
        names,
        sender: random_number(),
        run: assisting.run.clone(),
        name,
        threads,
        seed,
        course: config.course(&questions),
        ledger: Ledger::new(contexts.len() as u64, &vec![0; record.shards], &[]),
        record,
        contexts,
        learner,
        arriving: None,
        now: None,
        held: None,
        epoch_of_held: 0,
        did: Assisted::default(),
        speed: Rate::default(),
    };
    assistant.live()
}

/// A learner that works alone is not waited for.
fn check_learner(keys: &Bucket<'_>, run: &str) -> Result<()> {
    let leading: Option<(Leading, u64)> = record::read(keys, keys::LEADING)?;
    match leading {
        Some((leading, _)) if leading.assistance.is_none() => {
            Err(Error::NoAssistants { run: run.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Parameters of a learner.
struct Now {
    epoch: u64,
    about: About,
    parameters: Vec<f32>,
}

struct Assistant<'s> {
    server: &'s Server,
    client: Client,
    incoming: Subscriber,
    consumer: Consumer<pull::Config>,
    leases: Bucket<'s>,
    keys: Bucket<'s>,
    seal: Seal,
    names: Names,
    /// Its number, by which the learner knows it.
    sender: u64,
    run: String,
    name: String,
    threads: usize,
    seed: u64,
    course: Course,
    ledger: Ledger,
    record: Record,
    contexts: Vec<Input>,
    learner: NeuralLearner,
    /// Parameters of which pieces are still to come, with their epoch.
    arriving: Option<(u64, Assembly)>,
    /// The newest that were whole.
    now: Option<Now>,
    /// The batch that it has.
    held: Option<(Message, TrainingBatch)>,
    epoch_of_held: u64,
    did: Assisted,
    speed: Rate,
}

impl Assistant<'_> {
    fn live(mut self) -> Result<Assisted> {
        let lived = self.go_on();
        // Somebody else gets its batch at once, whatever ended this one.
        if let Some((message, _)) = self.held.take() {
            let _ = self.server.wait(message.ack_with(AckKind::Nak(None)));
        }
        lived?;
        if let Some(entry) = self.leases.get(&keys::assistant(&self.name))? {
            self.leases.remove(&entry.key, entry.revision)?;
        }
        Ok(self.did)
    }

    fn go_on(&mut self) -> Result<()> {
        let often = (self.record.terms.lease() / 3).min(Duration::from_secs(5));
        let (mut said, mut told, mut looked) = (None, None, Instant::now());
        while !self.server.is_stopped() {
            if is_due(&mut said, HELLO) {
                self.send(About::default(), &[], 0);
            }
            if is_due(&mut told, often) {
                // Another learner may have come, who works alone.
                check_learner(&self.keys, &self.run)?;
                self.tell()?;
            }
            if looked.elapsed() > HELLO {
                let over: Option<(bool, u64)> = record::read(&self.keys, keys::OVER)?;
                self.did.is_over = over.is_some_and(|(over, _)| over);
                looked = Instant::now();
            }
            if self.did.is_over {
                break;
            }
            if self.listen()? {
                self.find()?;
            }
        }
        Ok(())
    }

    /// Says on the server that it is there, and that it still has its batch.
    fn tell(&self) -> Result<()> {
        let presence = Presence {
            name: self.name.clone(),
            threads: self.threads,
            shards: 0,
            speed: self.speed.take(),
            batches: self.did.batches,
            policy: self.now.as_ref().map(|now| Version {
                epoch: now.epoch,
                step: now.about.reached,
            }),
            doing: match (&self.now, &self.held) {
                (None, _) => "waits for parameters",
                (_, None) => "waits for a batch",
                _ => "learns",
            }
            .to_owned(),
        };
        let key = keys::assistant(&self.name);
        self.leases.put(&key, &record::write(&presence)?)?;
        if let Some((message, _)) = &self.held {
            // If that fails somebody else gets it too, and only one of the gradients counts.
            let _ = self.server.wait(message.ack_with(AckKind::Progress));
        }
        Ok(())
    }

    /// Hears what the learner says. Whether there are new parameters, the newest of all that have come.
    fn listen(&mut self) -> Result<bool> {
        let first = {
            let incoming = &mut self.incoming;
            let waiting = async { tokio::time::timeout(LOOK, incoming.next()).await };
            self.server.wait(waiting).unwrap_or_default()
        };
        let (mut next, mut is_new) = (first, false);
        while let Some(message) = next {
            is_new |= self.hear(&message.payload);
            next = self.incoming.next().now_or_never().flatten();
        }
        Ok(is_new)
    }

    /// Takes in a message of the learner; whether parameters are whole with it. What cannot be read is passed over.
    fn hear(&mut self, message: &[u8]) -> bool {
        if let Ok((epoch, applied)) = self.seal.unpack::<Applied>(Kind::Applied, message) {
            self.applied(epoch, &applied);
            return false;
        }
        let read = self.seal.unwrap(Kind::Parameters, message);
        let read = read.and_then(|(epoch, content)| Ok((epoch, Portion::read(content)?)));
        let Ok((epoch, piece)) = read else {
            return false;
        };
        // A learner that was taken over may not know it yet.
        if self.now.as_ref().is_some_and(|now| now.epoch > epoch) {
            return false;
        }
        let numbers = self.learner.network().values().len();
        let (_, whole) = match &mut self.arriving {
            Some(arriving) if arriving.0 == epoch && arriving.1.about == piece.about && piece.from > 0 => {
                arriving
            }
            // The first piece begins anew: the same parameters are sent again where a step changed nothing.
            arriving => arriving.insert((epoch, Assembly::new(piece.about, numbers))),
        };
        whole.add(&piece);
        if !whole.is_whole() {
            return false;
        }
        let Some((_, whole)) = self.arriving.take() else {
            return false;
        };
        self.now = Some(Now {
            epoch,
            about: whole.about,
            parameters: whole.into_numbers(),
        });
        true
    }

    /// Lets go of its batch if it has been learnt from.
    fn applied(&mut self, epoch: u64, applied: &Applied) {
        let is_ours = self.now.as_ref().is_some_and(|now| now.epoch == epoch);
        let is_done = |held: &mut (Message, TrainingBatch)| {
            is_ours && applied.batches.contains(&(held.1.shard, held.1.round))
        };
        if let Some((message, _)) = self.held.take_if(is_done) {
            // If that fails it comes again, and the learner knows it then.
            let _ = self.server.wait(message.double_ack());
            self.did.batches += 1;
            self.speed.count();
        }
    }

    /// Finds a gradient at the newest parameters and sends it; or says that there is no batch for it.
    fn find(&mut self) -> Result<()> {
        let Some(now) = self.now.take() else {
            return Ok(());
        };
        // A new learner has emptied the queue.
        self.held.take_if(|_| self.epoch_of_held != now.epoch);
        if self.held.is_none() {
            self.held = self.next(&now)?;
            self.epoch_of_held = now.epoch;
        }
        let mut about = About {
            sender: self.sender,
            ..now.about
        };
        match &self.held {
            None => self.send(about, &[], now.epoch),
            Some((_, batch)) => {
                (about.shard, about.round) = (batch.shard, batch.round);
                let gradient = self.gradient(&now, batch.clone())?;
                self.send(about, &gradient, now.epoch);
                self.did.gradients += 1;
            }
        }
        self.now = Some(now);
        Ok(())
    }

    /// The gradient of a batch; nothing but zeros where no program counts.
    fn gradient(&mut self, now: &Now, mut batch: TrainingBatch) -> Result<Vec<f32>> {
        let contexts: Vec<&Input> = batch
            .examples
            .iter()
            .filter_map(|&example| self.contexts.get(example as usize))
            .collect();
        let place = (u64::from(batch.shard) << 40) ^ batch.round ^ now.about.step.rotate_left(20);
        let seed = self.seed ^ (place | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.learner.follow(&now.parameters, seed)?;
        let objective = self.course.objective_of(batch.is_warm_up);
        let (reached, divisor) = (now.about.reached, self.course.divisor);
        settle(&mut batch, objective, reached, &contexts, &mut self.learner)?;
        let gradient = self.learner.gradient(&contexts, &batch.trajectories, divisor)?;
        Ok(gradient.map_or_else(|| vec![0.0; now.parameters.len()], <[f32]>::to_vec))
    }

    /// The next batch of the queue, if there are two at this moment: the last is the learner's. Otherwise assistants
    /// could hold as many as there is room for, and the learner would wait for them as they for it.
    fn next(&mut self, now: &Now) -> Result<Option<(Message, TrainingBatch)>> {
        loop {
            let message = self.server.retry("the queue of batches", || async {
                let found = self.consumer.fetch().max_messages(1).messages();
                let mut found = found.await.map_err(|error| Failure::Again(reasons(&error)))?;
                match tokio::time::timeout(Duration::from_secs(2), found.next()).await {
                    Ok(Some(Ok(message))) => Ok(Some(message)),
                    Ok(Some(Err(error))) => Err(Failure::again(error)),
                    Ok(None) | Err(_) => Ok(None),
                }
            })?;
            let Some(message) = message else {
                return Ok(None);
            };
            if message.info().is_ok_and(|info| info.pending == 0) {
                let _ = self.server.wait(message.ack_with(AckKind::Nak(None)));
                return Ok(None);
            }
            let read = self.seal.unpack::<TrainingBatch>(Kind::Batch, &message.payload);
            let batch = read.ok().filter(|(epoch, _)| *epoch == now.epoch);
            let batch = batch.map(|(_, batch)| batch).filter(|batch| {
                let oldest = batch.version.saturating_add(self.record.terms.max_age);
                oldest >= now.about.reached && self.ledger.check(now.about.reached, batch).is_ok()
            });
            match batch {
                Some(batch) => return Ok(Some((message, batch))),
                None => {
                    self.did.dropped += 1;
                    let _ = self.server.wait(message.double_ack());
                }
            }
        }
    }

    /// Sends numbers, or none, to the learner. If that fails the learner goes on without them.
    fn send(&self, about: About, numbers: &[f32], epoch: u64) {
        let about = About {
            sender: self.sender,
            ..about
        };
        let most = self.server.max_payload().saturating_sub(Seal::LENGTH);
        for piece in Portion::cut(about, numbers, self.record.terms.half, most) {
            let message = Bytes::from(self.seal.wrap(Kind::Gradient, epoch, &piece));
            let sent = self.client.publish(self.names.gradient_subject(), message);
            let _ = self.server.wait(sent);
        }
    }
}

/// Whether something that is done every so often is due again.
fn is_due(last: &mut Option<Instant>, often: Duration) -> bool {
    let is_due = last.is_none_or(|last| last.elapsed() > often);
    if is_due {
        *last = Some(Instant::now());
    }
    is_due
}
