//! The training loop: acting and learning, and evaluating now and then.

use mapo_core::{ActorTimes, RunError, Step};
use mapo_datasets::Example;
use mapo_model::inputs::encode::{Input, encode_all};
use mapo_programmer::Network;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::{Awaited, Best, DevAccuracy, Elsewhere, Event, Observer, Trainer};
use crate::NeuralLearner;
use crate::eval;
use crate::run::metrics::{Metrics, Window};
use crate::run::parts::Questions;
use crate::settings::Settings;
use crate::{Error, Result};

impl Trainer<'_> {
    /// Trains to the last step, or until `stop` says so: the steps up to the actors' next parameters are
    /// finished, so that what is saved then needs no parameters but the learner's. `observe` hears of every
    /// step and every evaluation.
    ///
    /// With one thread the run depends on nothing but its settings, its seed and its data. With several,
    /// actors rest while the model is evaluated, so that whoever hears of it finds the memories in place;
    /// evaluation has all threads meanwhile, and what is in the queue stays there.
    ///
    /// # Errors
    /// Those of the network, a number that is not finite, and those of `observe`.
    pub fn run(&mut self, stop: &AtomicBool, observe: &mut Observer<'_>) -> Result<()> {
        self.window = Window::new(self.threads());
        while !is_over(self.settings, self.step(), stop, self.elsewhere.is_some()) {
            self.go(stop, observe)?;
            self.measure(observe)?;
        }
        let is_done = self.step() >= self.settings.steps;
        // Nobody knows the best model before the last result is there.
        while is_done && !self.awaited.is_empty() && !stop.load(Relaxed) {
            self.collect(observe)?;
            std::thread::sleep(Duration::from_millis(20));
        }
        if let Some(Elsewhere { doors, .. }) = self.elsewhere.as_mut().filter(|_| is_done) {
            doors.close()?;
            self.hear()?;
        }
        Ok(())
    }

    fn threads(&self) -> usize {
        self.learner.runner().threads()
    }

    /// Acts and learns until the model is to be evaluated.
    fn go(&mut self, stop: &AtomicBool, observe: &mut Observer<'_>) -> Result<()> {
        let (settings, window) = (self.settings, &mut self.window);
        let is_elsewhere = self.elsewhere.is_some();
        let mut told = Ok(());
        let observe = |made: &Step<'_, NeuralLearner>| {
            window.add(made);
            told = observe(&Event::Step { step: made.step });
            let is_due = made.step.is_multiple_of(settings.evaluate);
            if told.is_err() || is_due || is_over(settings, made.step, stop, is_elsewhere) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let went = match &mut self.elsewhere {
            None => self.run.go(&mut self.learner, observe),
            Some(Elsewhere { doors, rounds }) => {
                let went = self.run.go_with(&mut self.learner, &mut **doors, rounds, observe);
                match went {
                    // Who was asked to stop does not wait for actors.
                    Err(RunError::Idle) if stop.load(Relaxed) => Ok(ActorTimes::default()),
                    went => went.map(|()| ActorTimes::default()),
                }
            }
        };
        let times = went.map_err(|error| self.failed(error))?;
        self.window.times.acting += times;
        told
    }

    /// Takes over what actors elsewhere have found since it last looked.
    fn hear(&mut self) -> Result<()> {
        let Some(Elsewhere { doors, .. }) = &mut self.elsewhere else {
            return Ok(());
        };
        let (_, _, memories) = doors.open();
        let heard = self.run.hear(memories);
        heard.map_err(|error| self.failed(error))
    }

    /// What is said of a run that cannot go on.
    fn failed(&mut self, error: RunError<mapo_neural::Error>) -> Error {
        match error {
            RunError::Policy(error) => error.into(),
            RunError::Learner { source, batch } => {
                self.broken_batch = Some(*batch);
                source.into()
            }
            RunError::Batch(wrong) => wrong.into(),
            RunError::Memory(wrong) => wrong.into(),
            RunError::Settings(wrong) => wrong.into(),
            RunError::Door(error) => error.into(),
            RunError::Idle | RunError::Thread => Error::Thread,
        }
    }

    /// Evaluates the model if its time has come.
    fn measure(&mut self, observe: &mut Observer<'_>) -> Result<()> {
        let step = self.step();
        if !step.is_multiple_of(self.settings.evaluate) && step != self.settings.steps {
            return Ok(());
        }
        let threads = self.threads() as f64;
        self.window.end();
        let began = Instant::now();
        let model = self.learner.model()?;
        let measured = match &mut self.examiner {
            Some(examiner) => examiner.submit(step, &model).map(|()| None)?,
            None => Some(self.dev_accuracy(&model)?),
        };
        self.window.times.evaluating += began.elapsed().as_secs_f64() * threads;
        let seconds = self.began.elapsed().as_secs_f64();
        let metrics = self.window.metrics(step, seconds, None);
        let began = Instant::now();
        self.past.add(&self.window);
        self.window = Window::new(self.threads());
        let observed = match measured {
            Some(measured) => self.measured(Awaited { metrics, model }, measured, observe),
            None => {
                self.awaited.insert(step, Awaited { metrics, model });
                self.collect(observe)
                    .and_then(|()| observe(&Event::Submitted { trainer: self }))
            }
        };
        self.window.times.saving += began.elapsed().as_secs_f64() * threads;
        observed
    }

    /// Tells of the models that were measured elsewhere meanwhile, in the order of their steps.
    fn collect(&mut self, observe: &mut Observer<'_>) -> Result<()> {
        while let (Some(examiner), Some((&step, _))) = (&mut self.examiner, self.awaited.first_key_value()) {
            let Some(measured) = examiner.result(step)? else {
                break;
            };
            if let Some(awaited) = self.awaited.remove(&step) {
                self.measured(awaited, measured, observe)?;
            }
        }
        Ok(())
    }

    /// Tells what a model came to, and keeps it if no earlier one was better.
    fn measured(
        &mut self,
        awaited: Awaited,
        measured: DevAccuracy,
        observe: &mut Observer<'_>,
    ) -> Result<()> {
        let Awaited { metrics, model } = awaited;
        let DevAccuracy { accuracy, each } = measured;
        // Where nothing chooses, the newest model is kept.
        let is_best = accuracy.is_none() || self.best.as_ref().is_none_or(|best| accuracy > best.accuracy);
        if is_best {
            self.best = Some(Best {
                step: metrics.step,
                accuracy,
                each: each.clone(),
                network: model,
            });
        }
        let metrics = Metrics {
            dev_accuracy: accuracy,
            dev: each,
            ..metrics
        };
        observe(&Event::Measured {
            trainer: self,
            metrics: &metrics,
            is_best,
        })
    }
}

impl Trainer<'_> {
    fn dev_accuracy(&self, model: &Arc<Network>) -> Result<DevAccuracy> {
        let pool = self.learner.runner().pool();
        let kept = model.config().encoder.map(|_| {
            let encode = || encode_all(model.config(), model.words(), &self.questions.dev);
            self.dev_inputs.get_or_init(|| pool.install(encode)).as_slice()
        });
        pool.install(|| dev_accuracy(model, self.questions, self.settings.beam, kept))
    }
}

/// What a model comes to on the dev splits of a run, on the current rayon pool. `kept` is what the network sees
/// of the questions, if that is known already.
///
/// # Errors
/// Those of the network.
pub fn dev_accuracy(
    model: &Arc<Network>,
    questions: &Questions,
    width: usize,
    kept: Option<&[Input]>,
) -> Result<DevAccuracy> {
    let mut from = 0;
    let mut accuracy = |examples: &[Example]| -> Result<Option<f64>> {
        let first = from;
        from += examples.len();
        let last = from;
        if examples.is_empty() {
            return Ok(None);
        }
        let predictions = match kept {
            Some(inputs) => eval::answer_encoded(model, examples, &inputs[first..last], width.into()),
            None => eval::answer(&[Arc::clone(model)], None, examples, width),
        }?;
        Ok(Some(eval::accuracy(&predictions)))
    };
    if questions.portions.is_empty() {
        let accuracy = accuracy(&questions.dev)?;
        let each = BTreeMap::new();
        return Ok(DevAccuracy { accuracy, each });
    }
    let (mut sum, mut weights, mut each) = (0.0, 0.0, BTreeMap::new());
    for (portion, examples) in questions.dev_of_each() {
        let Some(accuracy) = accuracy(examples)? else {
            continue;
        };
        each.insert(portion.name.clone(), accuracy);
        if portion.chooses {
            sum += portion.weight * accuracy;
            weights += portion.weight;
        }
    }
    let accuracy = (weights > 0.0).then(|| sum / weights);
    Ok(DevAccuracy { accuracy, each })
}

/// Actors elsewhere get the learner's own parameters when it goes on, so that it may stop at any step.
fn is_over(settings: &Settings, step: u64, stop: &AtomicBool, is_elsewhere: bool) -> bool {
    let is_stopped = stop.load(Relaxed) && (is_elsewhere || step.is_multiple_of(settings.refresh));
    is_stopped || step >= settings.steps
}
