//! A run: examples with their memories, the learner, and what it has come to. How it goes on is in `loops`.

mod acting;
pub mod events;
pub mod exchange;
pub mod exploring;
pub mod folder;
mod loops;
pub mod memories;
pub mod metrics;
mod order;
pub mod session;
pub mod times;

use mapo_core::{Estimator, LastScores, Memory, Task, TrainingBatch};
use mapo_datasets::{Example, Pruning, TableEnv};
use mapo_language::{Assistance, Token};
use mapo_programmer::{Network, Words};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

use crate::learner::NeuralLearner;
use crate::run::exchange::Acted;
use crate::run::folder::Saved;
use crate::run::metrics::{Metrics, Totals, Window};
use crate::settings::Settings;
use crate::{Error, Result};
use mapo_model::inputs::encode::{Input, encode_all};

/// An example with its memory, as actors hold it.
pub type TableTask = Task<TableEnv, Input>;

/// Error rate of the explored sets.
const ERROR_RATE: f64 = 1e-8;

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

/// The best model of a run; without a dev split, the newest.
#[derive(Clone, Debug)]
pub struct Best {
    /// Its step.
    pub step: u64,
    /// Its share of right answers on the dev split, where there is one.
    pub accuracy: Option<f64>,
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
    /// What actors made and the learner has not come to, where there are several threads.
    queued: Vec<Acted>,
    /// Each actor's batches so far, where there are several threads.
    rounds: Vec<u64>,
    began: Instant,
    window: Window,
    /// What was counted before the window.
    past: Totals,
}

/// What actors know, beside the memories and explored sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Actors {
    /// Each actor's batches so far.
    pub rounds: Vec<u64>,
    /// What they made and the learner has not come to.
    pub queued: Vec<Acted>,
    /// How likely the programs of large memories were when they were last scored, by the places of the examples.
    pub last_scores: Vec<(usize, LastScores)>,
}

/// Whoever wants to hear what a run has come to.
pub type Observer<'o> = dyn FnMut(&Trainer<'_>, &Event<'_>) -> Result<()> + 'o;

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
        let network = Network::new(settings.config(words.dimensions()), Arc::clone(words), seed)?;
        Self::with_network(settings, seed, threads, network, train, memories, dev)
    }

    /// A run that begins with a network that has learnt something already.
    ///
    /// # Errors
    /// If settings make no sense or a memory does not fit its example.
    pub fn with_network(
        settings: &'a Settings,
        seed: u64,
        threads: usize,
        network: Network,
        train: &[Example],
        memories: Vec<Memory>,
        dev: &'a [Example],
    ) -> Result<Self> {
        settings.check()?;
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
            actors,
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
        let Actors {
            rounds,
            queued,
            last_scores,
        } = actors;
        for (place, scores) in last_scores {
            if let Some(task) = trainer.tasks.get_mut(place) {
                task.last_scores = scores;
            }
        }
        trainer.rounds = rounds;
        trainer.queued = queued;
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
        let tasks = train.par_iter().zip(&inputs).zip(memories).enumerate();
        let tasks = tasks.map(|(place, ((example, input), memory))| {
            // A program that ends with rows or does extra work earns nothing in training but may be written, as in
            // evaluation; what the policy may not write it would not learn to avoid.
            let env = TableEnv::new(example, Pruning::None, Assistance::All);
            let env = env.discounting(example, settings.unexplained);
            let memory = rewarded(memory, &env);
            Ok(Task::new(
                place as u64,
                Arc::clone(input),
                env,
                memory,
                ERROR_RATE,
            )?)
        });
        // Each memory is walked through once, which takes a while where they are large.
        let tasks = learner.runner().pool().install(|| tasks.collect::<Result<_>>())?;
        Ok(Self {
            tasks,
            inputs,
            settings,
            seed,
            dev,
            learner,
            step: 0,
            best: None,
            last_batch: None,
            queued: Vec::new(),
            rounds: Vec::new(),
            began: Instant::now(),
            window: Window::new(1),
            past: Totals::default(),
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

    /// What the actors need to go on, beside the memories and explored sets.
    pub fn actors(&self) -> Actors {
        let scored = self.tasks.iter().enumerate();
        let scored = scored.filter(|(_, task)| !task.last_scores.is_empty());
        Actors {
            rounds: self.rounds.clone(),
            queued: self.queued.clone(),
            last_scores: scored
                .map(|(place, task)| (place, task.last_scores.clone()))
                .collect(),
        }
    }

    /// The batch that the last step learnt from, or failed to.
    pub fn last_batch(&self) -> Option<&TrainingBatch> {
        self.last_batch.as_ref()
    }

    /// Where the time of this process went, and what was in the memories that it visited.
    pub fn totals(&self) -> Totals {
        let mut totals = self.past;
        totals.add(&self.window);
        totals
    }
}

/// Whether an objective has any use for memories, and so for exploration before training.
pub fn needs_memories(settings: &Settings) -> bool {
    let warm_up = settings.warm_up.as_ref();
    settings.objective.uses_memory() || warm_up.is_some_and(|warm_up| warm_up.objective.uses_memory())
}

/// The same programs with what they earn in `env`; stores keep programs, not rewards.
fn rewarded(memory: Memory, env: &TableEnv) -> Memory {
    let mut rewarded = Memory::default();
    for (program, _) in memory.iter() {
        let tokens: Vec<Token> = program.iter().map(|action| Token(action.0)).collect();
        rewarded.insert(program, env.reward_of(&tokens) as f32);
    }
    rewarded
}
