//! The training loop: acting, learning and evaluating, on one thread or several.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use super::{Best, Event, Observer, Trainer};
use crate::eval;
use crate::run::acting::{Acting, ActorLife, Board};
use crate::run::exchange::{Acted, Exchange, Taken};
use crate::run::metrics::Window;
use crate::{Error, Result};
use mapo_model::inputs::encode::Input;

/// Batches that may wait for the learner, for each actor.
const ROOM: usize = 2;

impl Trainer<'_> {
    /// Trains to the last step, or until `stop` says so: the steps up to the actors' next parameters are finished, so
    /// that what is saved then needs no parameters but the learner's. `observe` hears of every step and every
    /// evaluation.
    ///
    /// With one thread the run depends on nothing but its settings, its seed and its data.
    ///
    /// # Errors
    /// Those of the network, a number that is not finite, and those of `observe`.
    pub fn run(&mut self, stop: &AtomicBool, observe: &mut Observer<'_>) -> Result<()> {
        self.window = Window::new(self.threads());
        if self.threads() == 1 {
            self.run_alone(stop, observe)
        } else {
            self.run_together(stop, observe)
        }
    }

    fn threads(&self) -> usize {
        self.learner.runner().threads()
    }

    fn is_over(&self, stop: &AtomicBool) -> bool {
        let is_stopped = stop.load(Relaxed) && self.step.is_multiple_of(self.settings.refresh);
        is_stopped || self.step >= self.settings.steps
    }

    /// One thread acts and learns by turns.
    fn run_alone(&mut self, stop: &AtomicBool, observe: &mut Observer<'_>) -> Result<()> {
        let (settings, seed) = (self.settings, self.seed);
        let published = (self.step, self.learner.publish()?);
        let mut acting = Acting::new(settings, seed, self.tasks.len(), seed, published)?;
        while !self.is_over(stop) {
            if self.step.is_multiple_of(settings.refresh) {
                acting.refresh((self.step, self.learner.publish()?));
            }
            let began = Instant::now();
            let acted = acting.act(self.step, self.step, self.step, &mut self.tasks)?;
            let made_in = began.elapsed().as_secs_f64();
            self.learn(acted, 0, 1)?;
            self.window.waited += made_in;
            self.window.times += acting.take_times();
            observe(self, &Event::Step { step: self.step })?;
            self.measure(observe)?;
        }
        Ok(())
    }

    /// As many actors as threads, each with its share of the examples, and the learner. They meet in an [`Exchange`],
    /// which never lets more of them work than there are threads. Actors rest while the model is evaluated, so that
    /// whoever hears of it finds the memories in place; evaluation has all threads meanwhile, and what is in the queue
    /// stays there.
    fn run_together(&mut self, stop: &AtomicBool, observe: &mut Observer<'_>) -> Result<()> {
        let (settings, seed, threads) = (self.settings, self.seed, self.threads());
        let share = self.tasks.len().div_ceil(threads);
        // Without a note of it, they have made about one batch for each step together.
        let made = self.step.div_ceil(threads as u64);
        self.rounds.resize(threads, made);
        while !self.is_over(stop) {
            let mut tasks = std::mem::take(&mut self.tasks);
            let mut rounds = std::mem::take(&mut self.rounds);
            let board = Board::new(self.step, self.learner.publish()?);
            let exchange = Exchange::new(threads, ROOM * threads, std::mem::take(&mut self.queued));
            let ran = std::thread::scope(|scope| {
                let shards = tasks.chunks_mut(share).zip(&mut rounds).enumerate();
                let actors: Vec<_> = shards
                    .map(|(number, (tasks, round))| {
                        let life = ActorLife {
                            number: number as u64,
                            actors: threads as u64,
                            round,
                            tasks,
                            settings,
                            seed,
                        };
                        let (place, board) = (exchange.place(), &board);
                        scope.spawn(move || life.live(board, place))
                    })
                    .collect();
                let learnt = self.learn_from(&exchange, &board, stop, observe);
                exchange.close();
                let acted = actors
                    .into_iter()
                    .map(|actor| actor.join().unwrap_or(Err(Error::Thread)));
                let acted = acted.collect::<Result<Vec<()>>>();
                learnt.and(acted.map(|_| ()))
            });
            self.tasks = tasks;
            self.rounds = rounds;
            let (queued, times) = exchange.into_parts();
            self.queued = queued;
            self.window.times += times;
            ran?;
            self.measure(observe)?;
        }
        Ok(())
    }

    /// Learns until the model is to be evaluated.
    fn learn_from(
        &mut self,
        exchange: &Exchange,
        board: &Board,
        stop: &AtomicBool,
        observe: &mut Observer<'_>,
    ) -> Result<()> {
        loop {
            let began = Instant::now();
            let Some(Taken { acted, depth, cores }) = exchange.take() else {
                // All actors have ended: what they say of it is the error.
                return Ok(());
            };
            let waited = began.elapsed().as_secs_f64();
            self.window.waited += waited;
            self.window.times.learner_waited += waited;
            let learnt = self.learn(acted, depth, cores);
            exchange.give_back(cores);
            learnt?;
            board.step.store(self.step, Relaxed);
            if self.step.is_multiple_of(self.settings.refresh) {
                board.publish(self.step, self.learner.publish()?);
            }
            observe(self, &Event::Step { step: self.step })?;
            if self.is_over(stop) || self.step.is_multiple_of(self.settings.evaluate) {
                return Ok(());
            }
        }
    }

    /// One step, on so many of the threads.
    fn learn(&mut self, acted: Acted, depth: usize, threads: usize) -> Result<()> {
        let began = Instant::now();
        let Acted {
            batch,
            policy,
            is_warm_up,
        } = acted;
        let batch = self.last_batch.insert(batch);
        let contexts: Vec<&Input> = batch
            .examples
            .iter()
            .map(|&place| &self.inputs[place as usize])
            .collect();
        let objective = self.settings.objective_of(is_warm_up);
        self.learner.use_threads(threads);
        let learnt = batch.teach(
            objective,
            self.step,
            &contexts,
            &mut self.learner,
            self.settings.samples,
        )?;
        self.window
            .add(batch.statistics, learnt, depth, self.step - policy);
        self.window.times.learning += began.elapsed().as_secs_f64() * threads as f64;
        self.step += 1;
        Ok(())
    }

    /// Evaluates the model if its time has come.
    fn measure(&mut self, observe: &mut Observer<'_>) -> Result<()> {
        let is_last = self.step == self.settings.steps;
        if !self.step.is_multiple_of(self.settings.evaluate) && !is_last {
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
                step: self.step,
                accuracy: dev_accuracy,
                network: model,
            });
        }
        self.window.times.evaluating += began.elapsed().as_secs_f64() * threads;
        let seconds = self.began.elapsed().as_secs_f64();
        let metrics = self.window.metrics(self.step, seconds, dev_accuracy);
        let began = Instant::now();
        self.past.add(&self.window);
        self.window = Window::new(self.threads());
        let event = Event::Measured {
            metrics: &metrics,
            is_best,
        };
        let observed = observe(self, &event);
        self.window.times.saving += began.elapsed().as_secs_f64() * threads;
        observed
    }
}
