//! A policy that has been trained.

use std::path::Path;
use std::sync::Arc;

use mapo_programmer::{Checkpoint, Network};
use serde::{Deserialize, Serialize};

use crate::contexts::encode;
use crate::error::{Error, Result};
use crate::observed::Observed;
use crate::policy::{Input, NeuralPolicy, Plain};
use crate::search::{Candidate, best_programs};

/// Tasks that are searched together.
const TOGETHER: usize = 32;

/// What a training came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Tasks that were trained on.
    pub tasks: usize,
    /// Those that random exploration solved before the first step.
    pub solved_first: usize,
    /// Those with something in memory at the end.
    pub solved: usize,
    /// Programs in all memories at the end.
    pub programs: usize,
    /// Steps made.
    pub steps: u64,
    /// How long it took.
    pub seconds: f64,
}

/// What a policy comes to on tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// How many tasks there were.
    pub tasks: usize,
    /// The share of them whose most probable program earned a reward.
    pub solved: f64,
    /// What the most probable programs earned, on average.
    pub reward: f64,
    /// The share of tasks for which some program of the beam earned a reward.
    pub in_beam: f64,
}

/// A policy that has been trained.
#[derive(Clone, Debug)]
pub struct Trained {
    network: Arc<Network>,
    report: Report,
}

impl Trained {
    pub(crate) fn new(network: Arc<Network>, report: Report) -> Self {
        Self { network, report }
    }

    /// What its training came to.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Its network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The policy itself, for core's algorithms.
    pub fn policy(&self) -> NeuralPolicy<Plain> {
        NeuralPolicy::new(Arc::clone(&self.network))
    }

    /// A task as the policy sees it; `place` is that of the task, for messages.
    ///
    /// # Errors
    /// If the task mentions tokens that are not there, or offers what the policy cannot know.
    pub fn input<E: Observed>(&self, place: usize, task: &mut E) -> Result<Input> {
        encode(self.network.words(), self.network.config().builtins, place, task)
    }

    /// For each task its most probable programs, the best first, found by a beam of this width; 1 is greedy.
    ///
    /// # Errors
    /// If a task cannot be read, or offers what the policy cannot know.
    pub fn programs<E: Observed>(&self, tasks: &mut [E], width: usize) -> Result<Vec<Vec<Candidate>>> {
        let mut policy = self.policy();
        let mut programs = Vec::with_capacity(tasks.len());
        for (block, some) in tasks.chunks_mut(TOGETHER).enumerate() {
            let inputs = some.iter_mut().zip(block * TOGETHER..);
            let inputs = inputs.map(|(task, place)| self.input(place, task));
            let inputs = inputs.collect::<Result<Vec<Input>>>()?;
            let contexts: Vec<&Input> = inputs.iter().collect();
            let found = best_programs(&mut policy, &contexts, some, width);
            programs.extend(found.map_err(|error| Error::from(error).of_environment())?);
        }
        Ok(programs)
    }

    /// What the policy comes to on tasks, those of training or others.
    ///
    /// # Errors
    /// Those of [`programs`](Self::programs).
    pub fn evaluate<E: Observed>(&self, tasks: &mut [E], width: usize) -> Result<Evaluation> {
        let programs = self.programs(tasks, width)?;
        let of = programs.len().max(1) as f64;
        let best = programs.iter().filter_map(|candidates| candidates.first());
        let best: Vec<f32> = best.map(|candidate| candidate.reward).collect();
        let earns = |candidates: &&Vec<Candidate>| candidates.iter().any(|candidate| candidate.reward > 0.0);
        Ok(Evaluation {
            tasks: programs.len(),
            solved: best.iter().filter(|&&reward| reward > 0.0).count() as f64 / of,
            reward: best.iter().map(|&reward| f64::from(reward)).sum::<f64>() / of,
            in_beam: programs.iter().filter(earns).count() as f64 / of,
        })
    }

    /// Writes it into a file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let notes = serde_json::json!({ "environment": self.report });
        Ok(Checkpoint::model((*self.network).clone(), notes).save(path)?)
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or holds something else.
    pub fn load(path: &Path) -> Result<Self> {
        let Checkpoint { network, notes, .. } = Checkpoint::load(path, false)?;
        let report = serde_json::from_value(notes["environment"].clone());
        let report = report.map_err(|_| mapo_programmer::Error::Format {
            path: path.to_owned(),
            reason: "holds a model for questions about tables, not a policy of an environment".to_owned(),
        })?;
        Ok(Self::new(Arc::new(network), report))
    }
}
