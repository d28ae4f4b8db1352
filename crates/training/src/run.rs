//! The training loop: actors, the queue and the learner.

use mapo_core::{Actor, Estimator, Memory, Objective, Task, TrainingBatch};
use mapo_programmer::{Network, Words};
use mapo_tables::{Assistance, Example, Pruning, TableEnv};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::encode::{Input, encode_all};
use crate::eval;
use crate::folder::Saved;
use crate::metrics::{Metrics, Window};
use crate::order::Order;
use crate::policy::{NeuralLearner, NeuralPolicy};
use crate::settings::Settings;
use crate::{Error, Result};

/// An example with its memory, as actors hold it.
pub type TableTask = Task<TableEnv, Input>;

/// Error rate of the explored sets.
const ERROR_RATE: f64 = 1e-8;
/// Batches that may wait for the learner, for each actor.
const WAITING: usize = 2;

/// What a run has come to, told while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step was made.
    Step {
        /// Steps so far.
        step: u64,
    },
    /// The model was evaluated.
    Measured {
        /// What was measured.
        metrics: &'a Metrics,
        /// Whether no earlier model was better.
        is_best: bool,
    },
}

/// The best model of a run.
#[derive(Clone, Debug)]
pub struct Best {
    /// Its step.
    pub step: u64,
    /// Its share of right answers on the dev split.
    pub accuracy: f64,
    /// The model.
    pub network: Arc<Network>,
}

/// A run.
pub struct Trainer<'a> {
    settings: &'a Settings,
    seed: u64,
    inputs: Vec<Input>,
    tasks: Vec<TableTask>,
    dev: &'a [Example],
    learner: NeuralLearner,
    step: u64,
    best: Option<Best>,
    last_batch: Option<TrainingBatch>,
    began: Instant,
}

/// What an actor sends to the learner.
struct Acted {
    batch: TrainingBatch,
    /// The step of the policy that acted.
    policy: u64,
}

impl<'a> Trainer<'a> {
    /// A run from the beginning: `memories` are those of `train`, the vocabulary is `words`.
    ///
    /// # Errors
    /// If settings make no sense or a memory does not fit its example.
    pub fn new(
        settings: &'a Settings,
        seed: u64,
        threads: usize,
        words: &Arc<Words>,
        train: &[Example],
        memories: Vec<Memory>,
        dev: &'a [Example],
    ) -> Result<Self> {
        settings.check()?;
        let network = Network::new(settings.config(words.dimensions()), Arc::clone(words), seed)?;
        let learner = NeuralLearner::new(network, settings.learning, settings.steps, seed, threads)?;
        Self::with_learner(settings, seed, learner, train, memories, dev)
    }

    /// A run that goes on from what an earlier process left.
    ///
    /// # Errors
    /// If settings make no sense, the checkpoint lacks its optimiser or a memory does not fit its example.
    pub fn resume(
        settings: &'a Settings,
        seed: u64,
        threads: usize,
        saved: Saved,
        train: &[Example],
        dev: &'a [Example],
    ) -> Result<Self> {
        settings.check()?;
        let Saved {
            checkpoint,
            memories,
            explored,
            best,
        } = saved;
        let adam = checkpoint.adam.ok_or_else(|| {
            Error::Settings("the checkpoint holds no optimiser, so training cannot go on".to_owned())
        })?;
        let (network, average) = (checkpoint.network, checkpoint.average);
        let learner = NeuralLearner::resume(
            network,
            adam,
            average,
            settings.learning,
            settings.steps,
            seed,
            threads,
        )?;
        let mut trainer = Self::with_learner(settings, seed, learner, train, memories, dev)?;
        for (task, explored) in trainer.tasks.iter_mut().zip(explored) {
            task.explored = explored;
        }
        trainer.step = checkpoint.step;
        trainer.best = best;
        Ok(trainer)
    }

    fn with_learner(
        settings: &'a Settings,
        seed: u64,
        learner: NeuralLearner,
        train: &[Example],
        memories: Vec<Memory>,
        dev: &'a [Example],
    ) -> Result<Self> {
        if train.is_empty() {
            return Err(Error::Settings("there is no example to train on".to_owned()));
        }
        let network = learner.network();
        let inputs = encode_all(network.config(), network.words(), train);
        let tasks = train.iter().zip(&inputs).zip(memories).enumerate();
        let tasks = tasks.map(|(place, ((example, input), memory))| {
            // A program that ends with rows or does extra work earns nothing in training but may be written, as in
            // evaluation; what the policy may not write it would not learn to avoid.
            let env = TableEnv::new(example, Pruning::None, Assistance::All);
            Ok(Task::new(
                place as u64,
                Arc::clone(input),
                env,
                memory,
                ERROR_RATE,
            )?)
        });
        Ok(Self {
            tasks: tasks.collect::<Result<_>>()?,
            inputs,
            settings,
            seed,
            dev,
            learner,
            step: 0,
            best: None,
            last_batch: None,
            began: Instant::now(),
        })
    }

    /// Steps made so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The best model so far.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// The learner.
    pub fn learner(&self) -> &NeuralLearner {
        &self.learner
    }

    /// The examples with their memories.
    pub fn tasks(&self) -> &[TableTask] {
        &self.tasks
    }

    /// The batch that the last step learnt from, or failed to.
    pub fn last_batch(&self) -> Option<&TrainingBatch> {
        self.last_batch.as_ref()
    }

    /// Trains to the last step, or until `stop` says so: the steps up to the actors' next parameters are finished, so
    /// that what is saved then needs no parameters but the learner's. `observe` hears of every step and every
    /// evaluation.
    ///
    /// With one thread the run depends on nothing but its settings, its seed and its data.
    ///
    /// # Errors
    /// Those of the network, a number that is not finite, and those of `observe`.
    pub fn run(
        &mut self,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Self, &Event<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.learner.runner().threads() == 1 {
            self.run_alone(stop, observe)
        } else {
            self.run_together(stop, observe)
        }
    }

    fn is_over(&self, stop: &AtomicBool) -> bool {
        let is_stopped = stop.load(Relaxed) && self.step.is_multiple_of(self.settings.refresh);
        is_stopped || self.step >= self.settings.steps
    }

    /// One thread acts and learns by turns.
    fn run_alone(
        &mut self,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Self, &Event<'_>) -> Result<()>,
    ) -> Result<()> {
        let settings = self.settings;
        let mut actor = Actor::new(settings.objective.clone(), settings.exploring, self.seed)?;
        let mut policy = NeuralPolicy::new(self.learner.publish()?);
        let order = Order::new(self.tasks.len(), settings.batch, self.seed);
        let mut window = Window::default();
        while !self.is_over(stop) {
            if self.step.is_multiple_of(settings.refresh) {
                policy.set_network(self.learner.publish()?);
            }
            let began = Instant::now();
            let mut tasks = pick(&mut self.tasks, &order.batch(self.step));
            let batch = actor.act(self.step, self.step, &mut tasks, &mut policy)?;
            let acted = Acted {
                batch,
                policy: self.step - self.step % settings.refresh,
            };
            let waited = began.elapsed().as_secs_f64();
            self.learn(acted, &mut window, 0, waited)?;
            observe(self, &Event::Step { step: self.step })?;
            self.measure(&mut window, observe)?;
        }
        Ok(())
    }

    /// As many actors as threads, each with its share of the examples, and the learner. They share the cores; the
    /// bounded queue lets neither side run ahead. Actors rest while the model is evaluated, so that whoever hears of
    /// it finds the memories in place.
    fn run_together(
        &mut self,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Self, &Event<'_>) -> Result<()>,
    ) -> Result<()> {
        let settings = self.settings;
        let threads = self.learner.runner().threads();
        let share = self.tasks.len().div_ceil(threads);
        // Each actor's batches so far; together they have made about one for each step.
        let mut rounds = vec![self.step.div_ceil(threads as u64); threads];
        let mut window = Window::default();
        while !self.is_over(stop) {
            let mut tasks = std::mem::take(&mut self.tasks);
            let board = Board {
                published: Mutex::new((self.step, self.learner.publish()?)),
                step: AtomicU64::new(self.step),
                queued: AtomicUsize::new(0),
            };
            let (sender, receiver) = sync_channel(WAITING * threads);
            let ran = std::thread::scope(|scope| {
                let shards = tasks.chunks_mut(share).zip(&mut rounds).enumerate();
                let actors: Vec<_> = shards
                    .map(|(number, (tasks, round))| {
                        let mut life = ActorLife {
                            number: number as u64,
                            actors: threads as u64,
                            round,
                            tasks,
                            settings,
                            seed: self.seed,
                        };
                        let (sender, board) = (sender.clone(), &board);
                        scope.spawn(move || life.act(board, &sender))
                    })
                    .collect();
                // The queue ends with its last actor.
                drop(sender);
                let learnt = self.learn_from(&receiver, &board, stop, &mut window, observe);
                // An actor that waits to send learns that nobody will read.
                drop(receiver);
                let acted = actors
                    .into_iter()
                    .map(|actor| actor.join().unwrap_or(Err(Error::Thread)));
                let acted = acted.collect::<Result<Vec<()>>>();
                learnt.and(acted.map(|_| ()))
            });
            self.tasks = tasks;
            ran?;
            self.measure(&mut window, observe)?;
        }
        Ok(())
    }

    /// Learns until the model is to be evaluated.
    fn learn_from(
        &mut self,
        queue: &Receiver<Acted>,
        board: &Board,
        stop: &AtomicBool,
        window: &mut Window,
        observe: &mut dyn FnMut(&Self, &Event<'_>) -> Result<()>,
    ) -> Result<()> {
        loop {
            let began = Instant::now();
            let Ok(acted) = queue.recv() else {
                // All actors have ended: what they say of it is the error.
                return Ok(());
            };
            let depth = board.queued.fetch_sub(1, Relaxed);
            self.learn(acted, window, depth, began.elapsed().as_secs_f64())?;
            board.step.store(self.step, Relaxed);
            if self.step.is_multiple_of(self.settings.refresh) {
                let network = self.learner.publish()?;
                *board.published.lock().unwrap_or_else(PoisonError::into_inner) = (self.step, network);
            }
            observe(self, &Event::Step { step: self.step })?;
            if self.is_over(stop) || self.step.is_multiple_of(self.settings.evaluate) {
                return Ok(());
            }
        }
    }

    fn learn(&mut self, acted: Acted, window: &mut Window, depth: usize, waited: f64) -> Result<()> {
        let Acted { batch, policy } = acted;
        let batch = self.last_batch.insert(batch);
        let contexts: Vec<&Input> = batch
            .examples
            .iter()
            .map(|&place| &self.inputs[place as usize])
            .collect();
        let objective: &Objective = &self.settings.objective;
        let learnt = batch.teach(
            objective,
            self.step,
            &contexts,
            &mut self.learner,
            self.settings.samples,
        )?;
        window.add(batch.statistics, learnt, depth, self.step - policy, waited);
        self.step += 1;
        Ok(())
    }

    /// Evaluates the model if its time has come.
    fn measure(
        &mut self,
        window: &mut Window,
        observe: &mut dyn FnMut(&Self, &Event<'_>) -> Result<()>,
    ) -> Result<()> {
        let is_last = self.step == self.settings.steps;
        if !self.step.is_multiple_of(self.settings.evaluate) && !is_last {
            return Ok(());
        }
        let mut metrics = window.metrics(self.step, self.began.elapsed().as_secs_f64(), None);
        let mut is_best = false;
        if !self.dev.is_empty() {
            let model = self.learner.model()?;
            let pool = self.learner.runner().pool();
            let models = [Arc::clone(&model)];
            let predictions = pool.install(|| eval::answer(&models, self.dev, self.settings.beam))?;
            let accuracy = eval::accuracy(&predictions);
            metrics.dev_accuracy = Some(accuracy);
            is_best = self.best.as_ref().is_none_or(|best| accuracy > best.accuracy);
            if is_best {
                self.best = Some(Best {
                    step: self.step,
                    accuracy,
                    network: model,
                });
            }
        }
        *window = Window::default();
        let event = Event::Measured {
            metrics: &metrics,
            is_best,
        };
        observe(self, &event)
    }
}

/// What actors and learner know of each other.
struct Board {
    /// The parameters that actors use, and their step.
    published: Mutex<(u64, Arc<Network>)>,
    /// The learner's step.
    step: AtomicU64,
    /// Batches in the queue.
    queued: AtomicUsize,
}

/// All that an actor's thread is born with.
struct ActorLife<'a> {
    number: u64,
    actors: u64,
    /// Its batches so far.
    round: &'a mut u64,
    tasks: &'a mut [TableTask],
    settings: &'a Settings,
    seed: u64,
}

impl ActorLife<'_> {
    /// Acts until nobody wants its batches.
    fn act(&mut self, board: &Board, queue: &SyncSender<Acted>) -> Result<()> {
        let settings = self.settings;
        let mut actor = Actor::new(settings.objective.clone(), settings.exploring, self.seed)?;
        let order = Order::new(
            self.tasks.len(),
            settings.batch,
            self.seed.wrapping_add(self.number),
        );
        let published = || {
            board
                .published
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        };
        let (mut step, network) = published();
        let mut policy = NeuralPolicy::new(network);
        loop {
            let (newest, network) = published();
            if newest != step {
                policy.set_network(network);
                step = newest;
            }
            let mut picked = pick(self.tasks, &order.batch(*self.round));
            // No two actors have a batch of the same number.
            let number = *self.round * self.actors + self.number;
            let batch = actor.act(number, board.step.load(Relaxed), &mut picked, &mut policy)?;
            *self.round += 1;
            board.queued.fetch_add(1, Relaxed);
            if queue.send(Acted { batch, policy: step }).is_err() {
                return Ok(());
            }
        }
    }
}

/// The tasks at some places, in the order of the places' numbers.
fn pick<'t>(tasks: &'t mut [TableTask], places: &[usize]) -> Vec<&'t mut TableTask> {
    let mut is_picked = vec![false; tasks.len()];
    places.iter().for_each(|&place| is_picked[place] = true);
    let picked = tasks
        .iter_mut()
        .zip(is_picked)
        .filter(|(_, is_picked)| *is_picked);
    picked.map(|(task, _)| task).collect()
}

/// Whether an objective has any use for memories, and so for exploration before training.
pub fn needs_memories(settings: &Settings) -> bool {
    settings.objective.uses_memory()
}
