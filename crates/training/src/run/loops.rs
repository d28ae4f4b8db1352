//! The training loop: acting and learning, and evaluating now and then.

use mapo_core::RunError;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use super::{Best, Event, Observer, Trainer};
use crate::eval;
use crate::run::metrics::Window;
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
        while !is_over(self.settings, self.step(), stop) {
            self.go(stop, observe)?;
            self.measure(observe)?;
        }
        Ok(())
    }

    fn threads(&self) -> usize {
        self.learner.runner().threads()
    }

    /// Acts and learns until the model is to be evaluated.
    fn go(&mut self, stop: &AtomicBool, observe: &mut Observer<'_>) -> Result<()> {
        let (settings, window) = (self.settings, &mut self.window);
        let mut told = Ok(());
        let went = self.run.go(&mut self.learner, |made| {
            window.add(made);
            told = observe(&Event::Step { step: made.step });
            let is_due = made.step.is_multiple_of(settings.evaluate);
            if told.is_err() || is_due || is_over(settings, made.step, stop) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let times = went.map_err(|error| self.failed(error))?;
        self.window.times.acting += times;
        told
    }

    /// What is said of a run that cannot go on.
    fn failed(&mut self, error: RunError<Error>) -> Error {
        match error {
            RunError::Policy(error) => error,
            RunError::Learner { source, batch } => {
                self.broken_batch = Some(*batch);
                source
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
        let mut dev_accuracy = None;
        if !self.dev.is_empty() {
            let pool = self.learner.runner().pool();
            let models = [Arc::clone(&model)];
            let predictions = pool.install(|| eval::answer(&models, self.dev, self.settings.beam))?;
            dev_accuracy = Some(eval::accuracy(&predictions));
        }
        // Where nothing chooses, the newest model is kept.
        let is_best =
            self.dev.is_empty() || self.best.as_ref().is_none_or(|best| dev_accuracy > best.accuracy);
        if is_best {
            self.best = Some(Best {
                step,
                accuracy: dev_accuracy,
                network: model,
            });
        }
        self.window.times.evaluating += began.elapsed().as_secs_f64() * threads;
        let seconds = self.began.elapsed().as_secs_f64();
        let metrics = self.window.metrics(step, seconds, dev_accuracy);
        let began = Instant::now();
        self.past.add(&self.window);
        self.window = Window::new(self.threads());
        let observed = observe(&Event::Measured {
            trainer: self,
            metrics: &metrics,
            is_best,
        });
        self.window.times.saving += began.elapsed().as_secs_f64() * threads;
        observed
    }
}

fn is_over(settings: &Settings, step: u64, stop: &AtomicBool) -> bool {
    let is_stopped = stop.load(Relaxed) && step.is_multiple_of(settings.refresh);
    is_stopped || step >= settings.steps
}
