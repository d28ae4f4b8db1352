//! A run: examples with their memories, the learner, and what it has come to. How it goes on is in `loops`.

pub mod actors;
pub mod beginning;
pub mod config;
pub mod events;
pub mod filling;
pub mod folder;
mod loops;
pub mod memories;
pub mod metrics;
mod mix_file;
pub mod parts;
pub mod session;
pub mod times;

use mapo_core::{Action, Assistants, Course, Doors, Memory, Run, SharedMemories, Task, TrainingBatch};
use mapo_datasets::{Example, Pruning, TableEnv};
use mapo_language::{Assistance, Lexicon, Token};
use mapo_programmer::{EncoderConfig, Network, Words};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::NeuralLearner;
use crate::run::actors::Actors;
use crate::run::folder::Saved;
use crate::run::metrics::{Metrics, Totals, Window};
use crate::run::parts::Questions;
use crate::settings::Settings;
use crate::{Error, Result};
pub use loops::dev_accuracy;
use mapo_model::NeuralPolicy;
use mapo_model::file::check_functions;
use mapo_model::inputs::encode::{Input, encode_all};

/// An example with its memory, as actors hold it.
pub type TableTask = Task<TableEnv, Input>;

/// Error rate of the explored sets.
const ERROR_RATE: f64 = 1e-8;

/// What a run has come to, told while it goes on.
pub enum Event<'a> {
    /// A step was made.
    Step {
        /// Steps so far.
        step: u64,
    },
    /// The model was evaluated. Nobody acts or learns meanwhile.
    Measured {
        /// The run.
        trainer: &'a Trainer<'a>,
        /// What was measured.
        metrics: &'a Metrics,
        /// Whether no earlier model was better.
        is_best: bool,
    },
    /// A model was handed to whoever measures elsewhere. Nobody learns meanwhile.
    Submitted {
        /// The run.
        trainer: &'a Trainer<'a>,
    },
}

/// Whoever measures the models of a run elsewhere, while the run goes on.
pub trait Examiner {
    /// Hands over the model of a step.
    ///
    /// # Errors
    /// If it cannot be handed over.
    fn submit(&mut self, step: u64, model: &Arc<Network>) -> Result<()>;

    /// What a model came to, if that is known by now.
    ///
    /// # Errors
    /// If the examiner cannot be reached.
    fn result(&mut self, step: u64) -> Result<Option<DevAccuracy>>;
}

/// What a model came to on the dev split.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevAccuracy {
    /// The share of right answers by which a model is chosen; of several datasets the mean of theirs, by
    /// their weights. Nothing without a dev split.
    pub accuracy: Option<f64>,
    /// The share on each dev split, where there are several datasets.
    pub each: BTreeMap<String, f64>,
}

/// A model whose result is awaited, with what else was measured then.
struct Awaited {
    metrics: Metrics,
    model: Arc<Network>,
}

/// The best model of a run; without a dev split, the newest.
#[derive(Clone, Debug)]
pub struct Best {
    /// Its step.
    pub step: u64,
    /// Its share of right answers on the dev split, where there is one; of several, the mean by which it was
    /// chosen.
    pub accuracy: Option<f64>,
    /// The share on each dev split, by the name of the dataset, where there are several datasets.
    pub each: BTreeMap<String, f64>,
    /// The model.
    pub network: Arc<Network>,
}

/// A run.
pub struct Trainer<'a> {
    settings: &'a Settings,
    questions: &'a Questions,
    run: Run<TableEnv, Input, NeuralPolicy>,
    learner: NeuralLearner,
    best: Option<Best>,
    broken_batch: Option<TrainingBatch>,
    /// The questions to choose by as the network sees them, if what an encoder reads of them is worth keeping.
    dev_inputs: OnceLock<Vec<Input>>,
    began: Instant,
    window: Window,
    /// What was counted before the window.
    past: Totals,
    /// Where the actors are, if not in this process.
    elsewhere: Option<Elsewhere<'a>>,
    /// Who measures, if not this process.
    examiner: Option<Box<dyn Examiner + 'a>>,
    /// What it has not answered, by step.
    awaited: BTreeMap<u64, Awaited>,
}

/// The doors to actors that are elsewhere, and the batches that each shard had made when they were opened.
struct Elsewhere<'a> {
    doors: Box<dyn Doors<NeuralPolicy> + 'a>,
    rounds: Vec<u64>,
}

/// Whoever wants to hear what a run has come to.
pub type Observer<'o> = dyn FnMut(&Event<'_>) -> Result<()> + 'o;

impl<'a> Trainer<'a> {
    /// A run from the beginning: `memories` are those of the questions to train on, the vocabulary is `words`.
    ///
    /// # Errors
    /// If settings make no sense or a memory does not fit its example.
    pub fn new(
        settings: &'a Settings,
        seed: u64,
        threads: usize,
        words: &Arc<Words>,
        questions: &'a Questions,
        memories: Vec<Memory>,
    ) -> Result<Self> {
        let first = questions.train.first();
        let lexicon = first.map_or(Lexicon::PAPER, |first| first.language.lexicon);
        let mut config = settings.config(words.dimensions(), lexicon.builtins());
        config.encoder = words.published().map(|published| EncoderConfig {
            shape: *published.weights.shape(),
            trained: settings.encoder.unwrap_or_default().trained,
        });
        let network = Network::new(config, Arc::clone(words), seed)?;
        Self::with_network(settings, seed, threads, network, questions, memories)
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
        questions: &'a Questions,
        memories: Vec<Memory>,
    ) -> Result<Self> {
        settings.check()?;
        let learner = NeuralLearner::new(network, settings.learning, settings.steps, seed, threads)?
            .with_encoder(settings.encoder.unwrap_or_default());
        Self::with_learner(settings, seed, learner, questions, memories)
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
        questions: &'a Questions,
    ) -> Result<Self> {
        settings.check()?;
        let Saved {
            checkpoint,
            memories,
            explored,
            actors,
            best,
        } = saved;
        let adam = checkpoint.adam.ok_or(Error::NoOptimiser)?;
        let (network, average) = (checkpoint.network, checkpoint.average);
        let learner = NeuralLearner::resume(
            network,
            adam,
            average,
            settings.learning,
            settings.steps,
            seed,
            threads,
        )?
        .with_encoder(settings.encoder.unwrap_or_default());
        let mut trainer = Self::with_learner(settings, seed, learner, questions, memories)?;
        for (example, explored) in explored.into_iter().enumerate() {
            if let Some(task) = trainer.run.task_mut(example) {
                task.explored = explored;
            }
        }
        for (example, scores) in &actors.last_scores {
            if let Some(task) = trainer.run.task_mut(*example) {
                task.last_scores = scores.clone();
            }
        }
        let (rounds, queued) = actors.dealt(trainer.run.rounds().len(), checkpoint.step);
        trainer.run = trainer.run.resumed(checkpoint.step, &rounds, queued);
        trainer.best = best;
        Ok(trainer)
    }

    fn with_learner(
        settings: &'a Settings,
        seed: u64,
        learner: NeuralLearner,
        questions: &'a Questions,
        memories: Vec<Memory>,
    ) -> Result<Self> {
        let Questions { train, dev, .. } = questions;
        if train.is_empty() {
            return Err(Error::NoExamples);
        }
        let network = learner.network();
        check_functions(network, train.iter().chain(dev))?;
        let pool = learner.runner().pool();
        let inputs = pool.install(|| encode_all(network.config(), network.words(), train));
        let tasks = train.par_iter().zip(&inputs).zip(memories).enumerate();
        let tasks = tasks.map(|(place, ((example, input), memory))| {
            task(place, example, Arc::clone(input), memory, settings.unexplained)
        });
        // Each memory is walked through once, which takes a while where they are large.
        let tasks = pool.install(|| tasks.collect::<Result<_>>())?;
        let course = Course {
            groups: questions.groups(),
            ..settings.course(seed)
        };
        Ok(Self {
            run: Run::new(course, learner.runner().threads(), tasks)?,
            settings,
            questions,
            learner,
            best: None,
            broken_batch: None,
            dev_inputs: OnceLock::new(),
            began: Instant::now(),
            window: Window::new(1),
            past: Totals::default(),
            elsewhere: None,
            examiner: None,
            awaited: BTreeMap::new(),
        })
    }

    /// Lets models be measured elsewhere from now on, while the run goes on.
    pub fn with_examiner(mut self, examiner: Box<dyn Examiner + 'a>) -> Self {
        self.examiner = Some(examiner);
        self
    }

    /// Lets others find the gradients of further batches for each step from now on.
    pub fn with_assistants(mut self, assistants: Box<dyn Assistants>) -> Self {
        self.learner.set_assistants(assistants);
        self
    }

    /// Lets actors elsewhere act for this run from now on, who have its examples in as many shards as there
    /// are `rounds`: the batches that each has made.
    pub fn with_actors(mut self, doors: Box<dyn Doors<NeuralPolicy> + 'a>, rounds: Vec<u64>) -> Self {
        self.run = self.run.in_shards(rounds.len());
        self.elsewhere = Some(Elsewhere { doors, rounds });
        self
    }

    /// What the run does.
    pub fn course(&self) -> &Course {
        self.run.course()
    }

    /// Steps made so far.
    pub fn step(&self) -> u64 {
        self.run.step()
    }

    /// The best model so far.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// The learner.
    pub fn learner(&self) -> &NeuralLearner {
        &self.learner
    }

    /// The examples with what is known of them.
    pub fn tasks(&self) -> impl Iterator<Item = &TableTask> {
        self.run.tasks()
    }

    /// What the actors have found since the run was begun or resumed.
    pub fn memories(&self) -> &SharedMemories {
        self.run.memories()
    }

    /// What the actors need to go on, beside the memories and explored sets.
    pub fn actors(&self) -> Actors {
        Actors::of(&self.run)
    }

    /// The batch that could not be learnt from, if there was one.
    pub fn broken_batch(&self) -> Option<&TrainingBatch> {
        self.broken_batch.as_ref()
    }

    /// Where the time of this process went, and what was in the memories that it visited.
    pub fn totals(&self) -> Totals {
        let mut totals = self.past;
        totals.add(&self.window);
        totals
    }
}

/// An example as actors hold it. Where its programs are known, they are its memory, whatever was found.
///
/// # Errors
/// If the memory does not fit the example.
pub fn task(
    place: usize,
    example: &Example,
    input: Input,
    memory: Memory,
    unexplained: f64,
) -> Result<TableTask> {
    // A program that ends with rows or does extra work earns nothing in training but may be written, as in
    // evaluation; what the policy may not write it would not learn to avoid.
    let env = TableEnv::new(example, Pruning::None, Assistance::All);
    let env = env.discounting(example, unexplained);
    let place = place as u64;
    let Some(known) = example.known_programs()? else {
        let memory = rewarded(memory, &env);
        return Ok(Task::new(place, input, env, memory, ERROR_RATE)?);
    };
    let mut memory = Memory::default();
    for tokens in known {
        let program: Vec<Action> = tokens.into_iter().map(|token| Action(token.0)).collect();
        memory.insert(&program, 1.0);
    }
    Ok(Task::new(place, input, env, memory, ERROR_RATE)?.known())
}

/// The same programs with what they earn in `env`; stores keep programs, not rewards.
fn rewarded(memory: Memory, env: &TableEnv) -> Memory {
    let mut rewarded = Memory::default();
    for (program, _) in memory.iter() {
        let tokens: Vec<Token> = program.iter().map(|action| Token(action.0)).collect();
        rewarded.insert(program, env.reward_of(&tokens) as f32);
    }
    if let Some(priors) = memory.priors() {
        rewarded.believe(priors.to_vec());
    }
    rewarded
}
