//! Models are measured elsewhere, while the run goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use mapo_model::NeuralPolicy;
use mapo_programmer::Network;
use mapo_training::{DevAccuracy, Examiner, dev_accuracy};
use serde::{Deserialize, Serialize};

use crate::act::{Parts, join};
use crate::message::{Kind, Seal};
use crate::parcel::Parameters;
use crate::policies::Parcel;
use crate::record::{self, Names, Record, keys};
use crate::server::{Bucket, Failure, Objects, Server, reasons};
use crate::{Error, Result};

/// A model that waits to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Exam {
    epoch: u64,
    step: u64,
}

impl Exam {
    fn object(self) -> String {
        format!("model-{}-{}", self.epoch, self.step)
    }
}

/// The learner's side.
pub(crate) struct Elsewhere<'s> {
    server: &'s Server,
    names: Names,
    objects: Objects<'s>,
    keys: Bucket<'s>,
    seal: Seal,
    parcel: Parameters,
    epoch: u64,
}

impl<'s> Elsewhere<'s> {
    pub fn open(server: &'s Server, record: &Record, start: Arc<Network>, epoch: u64) -> Result<Self> {
        let names = record.names();
        server.stream(&names.model_stream())?;
        Ok(Self {
            server,
            objects: server.objects(&names.objects())?,
            keys: server.bucket(&names.keys(), None)?,
            names,
            seal: record.seal(),
            parcel: Parameters { start, half: false },
            epoch,
        })
    }

    fn hand_over(&self, exam: Exam, model: &Arc<Network>) -> Result<()> {
        let content = self.parcel.pack(&NeuralPolicy::new(Arc::clone(model)))?;
        let message = self.seal.wrap(Kind::Policy, self.epoch, &content);
        self.objects.put(&exam.object(), &message)?;
        let message = bytes::Bytes::from(self.seal.pack(Kind::Exam, self.epoch, &exam)?);
        self.server.retry("the queue of models", || async {
            let publish = PublishMessage::build()
                .payload(message.clone())
                .message_id(exam.object());
            let sent = self
                .server
                .jetstream()
                .send_publish(self.names.model_subject(), publish);
            let sent = sent.await.map_err(|error| Failure::Again(reasons(&error)))?;
            sent.await
                .map(|_| ())
                .map_err(|error| Failure::Again(reasons(&error)))
        })
    }
}

/// An error for the training loop.
fn for_training(error: Error) -> mapo_training::Error {
    crate::error::at("measuring elsewhere")(error).into()
}

impl Examiner for Elsewhere<'_> {
    fn submit(&mut self, step: u64, model: &Arc<Network>) -> mapo_training::Result<()> {
        let epoch = self.epoch;
        self.hand_over(Exam { epoch, step }, model).map_err(for_training)
    }

    fn result(&mut self, step: u64) -> mapo_training::Result<Option<DevAccuracy>> {
        let result = record::read(&self.keys, &keys::measured(self.epoch, step));
        Ok(result.map_err(for_training)?.map(|(measured, _)| measured))
    }
}

/// Measures the models of a run on its dev split until it is over or the user stops it. How many there were.
///
/// # Errors
/// If the server has no such run, the data here is not the run's, or the server goes away for good.
pub fn evaluate(
    server: &Server,
    run: &str,
    data: Option<&str>,
    threads: usize,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<u64> {
    let Parts {
        record,
        config,
        questions,
        start,
    } = join(server, run, data, threads, true)?;
    let (names, seal) = (record.names(), record.seal());
    let (objects, keys) = (
        server.objects(&names.objects())?,
        server.bucket(&names.keys(), None)?,
    );
    let parcel = Parameters { start, half: false };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().map_err(mapo_training::Error::Pool)?;
    let stream = server.stream(&names.model_stream())?;
    let consumer: Consumer<pull::Config> = server.retry("the queue of models", || async {
        let consumer = pull::Config {
            durable_name: Some("examiner".to_owned()),
            ack_wait: record.terms.lease(),
            ..pull::Config::default()
        };
        let consumer = stream.get_or_create_consumer("examiner", consumer).await;
        consumer.map_err(|error| Failure::Again(reasons(&error)))
    })?;
    tell(&format!("measuring the models of {run}"));
    let mut measured = 0;
    while !server.is_stopped() {
        let Some(message) = next(server, &consumer)? else {
            let over: Option<(bool, u64)> = record::read(&keys, keys::OVER)?;
            if over.is_some_and(|(over, _)| over) {
                break;
            }
            continue;
        };
        let exam = seal
            .unpack::<Exam>(Kind::Exam, &message.payload)
            .map(|(_, exam)| exam);
        if let Ok(exam) = exam
            && let Some(content) = objects.get(&exam.object())?
        {
            let (_, content) = seal.unwrap(Kind::Policy, &content)?;
            let model = Arc::clone(parcel.unpack(content)?.network());
            let result = at_work(server, &message, || {
                pool.install(|| dev_accuracy(&model, &questions, config.settings.beam, None))
            })?;
            keys.put(&keys::measured(exam.epoch, exam.step), &record::write(&result)?)?;
            objects.remove(&exam.object());
            measured += 1;
            if let Some(accuracy) = result.accuracy {
                tell(&format!("step {}: {:.2} % on dev", exam.step, 100.0 * accuracy));
            }
        }
        // If that fails it comes again, and its model is gone then.
        let _ = server.wait(message.double_ack());
    }
    Ok(measured)
}

/// The next model to measure; nothing if there is none for a moment.
fn next(server: &Server, consumer: &Consumer<pull::Config>) -> Result<Option<Message>> {
    let moment = Duration::from_millis(500);
    server.retry("the queue of models", || async {
        let batch = consumer.batch().max_messages(1).expires(moment).messages();
        let mut batch = batch.await.map_err(|error| Failure::Again(reasons(&error)))?;
        match tokio::time::timeout(4 * moment, batch.next()).await {
            Ok(Some(Ok(message))) => Ok(Some(message)),
            Ok(Some(Err(error))) => Err(Failure::again(error)),
            Ok(None) | Err(_) => Ok(None),
        }
    })
}

/// Does something that takes long, while the server hears that it is being done.
fn at_work<T: Send>(
    server: &Server,
    message: &Message,
    work: impl FnOnce() -> mapo_training::Result<T> + Send,
) -> Result<T> {
    let is_done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut told = Instant::now();
            while !is_done.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
                if told.elapsed() > Duration::from_millis(200) {
                    // If it is not heard, another measures the model too.
                    let _ = server.wait(message.ack_with(AckKind::Progress));
                    told = Instant::now();
                }
            }
        });
        let worked = work();
        is_done.store(true, Relaxed);
        Ok(worked?)
    })
}
