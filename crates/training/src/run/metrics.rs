//! What is measured while a run goes on.

use mapo_core::{Mean, Statistics, Step};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Instant;

use crate::run::times::{Shares, Times};

/// The mean of everything since the last line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Steps of the learner so far.
    pub step: u64,
    /// Seconds of this process so far.
    pub seconds: f64,
    /// The share of right answers on the dev split; of several, the mean by which the model is chosen.
    pub dev_accuracy: Option<f64>,
    /// The share on each dev split, by the name of the dataset, where there are several datasets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dev: BTreeMap<String, f64>,
    /// What the policy is expected to earn on the training examples, estimated without bias.
    pub training_return: Option<f64>,
    /// π(B), where the memory is not empty.
    pub memory_weight: Option<f64>,
    /// The share of examples with π(B) < α, where the memory is not empty.
    pub clip_fraction: Option<f64>,
    /// Entropy of a step of a program, in nats.
    pub entropy: Option<f64>,
    /// Length of the gradient before clipping.
    pub gradient_norm: Option<f64>,
    /// The loss.
    pub loss: Option<f64>,
    /// The share of visited examples with something in memory.
    pub share_solved: f64,
    /// Programs in memory for each visited example.
    pub memory_size: f64,
    /// Programs in the largest memory of a visited example.
    pub largest_memory: u64,
    /// Programs in memory that were scored, for each visited example.
    pub memory_scored: f64,
    /// Programs that joined a memory.
    pub found: u64,
    /// Examples visited in a second.
    pub examples_per_second: f64,
    /// Steps of the learner in a second.
    pub steps_per_second: f64,
    /// The share of the learner's time in which it waited for a batch, or made one itself.
    pub waiting: f64,
    /// Batches in the queue when the learner took one.
    pub queue_depth: f64,
    /// How many steps old the policy was that made a batch.
    pub policy_age: f64,
    /// Where the time went.
    pub time: Shares,
}

/// The names of the shares of time in TensorBoard, in the order of [`Shares::named`].
const TIME_TAGS: [&str; 10] = [
    "time/scoring",
    "time/exploring",
    "time/drawing",
    "time/reading",
    "time/learning",
    "time/evaluating",
    "time/saving",
    "time/rest",
    "time/learner_waiting",
    "time/actors_waiting",
];

impl Metrics {
    /// The numbers with their names in TensorBoard.
    pub fn scalars(&self) -> impl Iterator<Item = (Cow<'static, str>, f64)> {
        let scalars = [
            ("accuracy/dev", self.dev_accuracy),
            ("training/return", self.training_return),
            ("training/loss", self.loss),
            ("training/entropy", self.entropy),
            ("training/gradient_norm", self.gradient_norm),
            ("memory/weight", self.memory_weight),
            ("memory/clip_fraction", self.clip_fraction),
            ("memory/share_solved", Some(self.share_solved)),
            ("memory/size", Some(self.memory_size)),
            ("memory/largest", Some(self.largest_memory as f64)),
            ("memory/scored", Some(self.memory_scored)),
            ("speed/examples_per_second", Some(self.examples_per_second)),
            ("speed/steps_per_second", Some(self.steps_per_second)),
            ("speed/waiting", Some(self.waiting)),
            ("actors/queue_depth", Some(self.queue_depth)),
            ("actors/policy_age", Some(self.policy_age)),
        ];
        let times = TIME_TAGS.into_iter().zip(self.time.named());
        let times = times.map(|(tag, (_, share))| (tag, share));
        let scalars = scalars
            .into_iter()
            .filter_map(|(name, number)| Some((name, number?)))
            .chain(times);
        let each = self.dev.iter();
        let each = each.map(|(name, share)| (Cow::from(format!("accuracy/dev/{name}")), *share));
        scalars
            .map(|(name, number)| (Cow::from(name), number))
            .chain(each)
    }
}

/// Sums since the last line.
#[derive(Debug)]
pub(crate) struct Window {
    statistics: Statistics,
    loss: Mean,
    entropy: Mean,
    norm: Mean,
    queue: Mean,
    age: Mean,
    /// Seconds that the learner spent without learning, since it had no batch.
    waited: f64,
    /// Where the time went.
    pub times: Times,
    threads: usize,
    steps: u64,
    began: Instant,
    /// Seconds of training, once it has ended and evaluation begins.
    trained: Option<f64>,
}

impl Window {
    /// A window that begins now, of a run on this many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            statistics: Statistics::default(),
            loss: Mean::default(),
            entropy: Mean::default(),
            norm: Mean::default(),
            queue: Mean::default(),
            age: Mean::default(),
            waited: 0.0,
            times: Times::default(),
            threads,
            steps: 0,
            began: Instant::now(),
            trained: None,
        }
    }

    /// Counts a step.
    pub fn add<L>(&mut self, made: &Step<'_, L>) {
        self.statistics += made.batch.statistics;
        self.loss.add(made.learnt.loss);
        self.entropy.add(made.learnt.entropy);
        self.norm.add(made.learnt.gradient_norm);
        self.queue.add(made.depth as f64);
        // The step itself makes nothing older.
        self.age
            .add((made.step - 1).saturating_sub(made.batch.version) as f64);
        self.steps += 1;
        self.waited += made.waited.as_secs_f64();
        if self.threads > 1 {
            self.times.learner_waited += made.waited.as_secs_f64();
        }
        self.times.learning += made.took.as_secs_f64() * made.threads as f64;
    }

    /// Training pauses, for evaluation.
    pub fn end(&mut self) {
        self.trained = Some(self.began.elapsed().as_secs_f64());
    }

    /// The times of the window so far.
    fn times(&self) -> Times {
        Times {
            all: self.began.elapsed().as_secs_f64() * self.threads as f64,
            threads: self.threads,
            ..self.times
        }
    }

    /// What was measured so far.
    pub fn metrics(&self, step: u64, seconds: f64, dev_accuracy: Option<f64>) -> Metrics {
        let passed = self.trained.unwrap_or_else(|| self.began.elapsed().as_secs_f64());
        let passed = passed.max(1e-9);
        let seen = self.statistics;
        Metrics {
            step,
            seconds,
            dev_accuracy,
            dev: BTreeMap::new(),
            training_return: seen.expected_return.get(),
            memory_weight: seen.memory_weight.get(),
            clip_fraction: seen.clip_fraction.get(),
            entropy: self.entropy.get(),
            gradient_norm: self.norm.get(),
            loss: self.loss.get(),
            share_solved: seen.solved as f64 / seen.examples.max(1) as f64,
            memory_size: seen.programs as f64 / seen.examples.max(1) as f64,
            largest_memory: seen.largest,
            memory_scored: seen.scored as f64 / seen.examples.max(1) as f64,
            found: seen.found_exploring + seen.found_drawing,
            examples_per_second: seen.examples as f64 / passed,
            steps_per_second: self.steps as f64 / passed,
            waiting: self.waited / passed,
            queue_depth: self.queue.get().unwrap_or(0.0),
            policy_age: self.age.get().unwrap_or(0.0),
            time: self.times().shares(),
        }
    }
}

/// Sums over all the steps of a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Where the time went.
    pub times: Times,
    statistics: Statistics,
}

impl Totals {
    pub(crate) fn add(&mut self, window: &Window) {
        self.times += window.times();
        self.statistics += window.statistics;
    }

    /// Programs in memory for each visited example.
    pub fn memory_size(&self) -> f64 {
        self.statistics.programs as f64 / self.statistics.examples.max(1) as f64
    }

    /// Programs in the largest memory of a visited example.
    pub fn largest_memory(&self) -> u64 {
        self.statistics.largest
    }

    /// Programs in memory that were scored, for each visited example.
    pub fn memory_scored(&self) -> f64 {
        self.statistics.scored as f64 / self.statistics.examples.max(1) as f64
    }
}
