//! How a policy is trained.

use mapo_core::{Course, MemoryScoring, NewPrograms, Objective, Unusable, WarmUp};
use mapo_programmer::Config;
use serde::{Deserialize, Serialize};

use crate::learner::Learning;

/// How a policy is trained. All settings but the number of actions have defaults, for small tasks: thousands of
/// programs each, contexts of some dozen tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Actions that mean the same in every task: all of them are below this number. Those that stand for
    /// parts of a context come after them.
    pub actions: usize,
    /// Width of the network: of its word vectors, its LSTMs and its attention.
    pub width: usize,
    /// Layers of each LSTM.
    pub layers: usize,
    /// Programs tried at random for each task before training, to fill the memories.
    pub explore_first: u64,
    /// Steps of the learner.
    pub steps: u64,
    /// Tasks in a batch.
    pub batch: usize,
    /// Actors get the learner's policy every so many steps.
    pub refresh: u64,
    /// What is climbed.
    pub objective: Objective,
    /// Another objective for the first steps.
    pub warm_up: Option<WarmUp>,
    /// Systematic exploration at each visit of a task.
    pub new_programs: NewPrograms,
    /// How much of a large memory is scored at each visit.
    pub scoring: MemoryScoring,
    /// Adam's learning rate.
    pub rate: f32,
    /// The part of the learning rate that is left at the last step; it goes down in a straight line.
    pub final_rate: f32,
    /// A gradient with a larger norm is scaled down to it; 0 for none.
    pub clip_norm: f32,
    /// The share of numbers that dropout sets to zero.
    pub dropout: f32,
    /// Added to the loss, times the entropy of each step: a positive number penalises entropy.
    pub entropy: f32,
    /// Decay of the moving average of the parameters, which is what is kept; 0 for none.
    pub average: f32,
    /// Decides everything that is drawn.
    pub seed: u64,
    /// Threads. With one, the same settings and tasks give the same policy, bit for bit.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            actions: 0,
            width: 64,
            layers: 1,
            explore_first: 1_000,
            steps: 1_000,
            batch: 16,
            refresh: 10,
            objective: Objective::default(),
            warm_up: None,
            new_programs: NewPrograms::default(),
            scoring: MemoryScoring::WHOLE,
            rate: 2e-3,
            final_rate: 0.1,
            clip_norm: 5.0,
            dropout: 0.0,
            entropy: 0.0,
            average: 0.99,
            seed: 1,
            threads: 1,
        }
    }
}

impl Settings {
    /// The settings of a run of core.
    pub(crate) fn course(&self) -> Course {
        Course {
            steps: self.steps,
            batch: self.batch,
            divisor: self.batch as f64,
            refresh: self.refresh,
            seed: self.seed,
            objective: self.objective.clone(),
            warm_up: self.warm_up.clone(),
            new_programs: self.new_programs,
            scoring: self.scoring,
            groups: Vec::new(),
        }
    }

    /// How the learner learns.
    pub(crate) fn learning(&self) -> Learning {
        Learning {
            rate: self.rate,
            final_rate: self.final_rate,
            decay_from: 0.0,
            clip_norm: self.clip_norm,
            dropout: self.dropout,
            entropy: self.entropy,
            average: self.average,
        }
    }

    /// The shape of the network: a context and actions, neither columns nor features.
    pub(crate) fn network(&self) -> Config {
        Config {
            vector: self.width,
            hidden: self.width,
            attention: self.width,
            layers: self.layers,
            token_features: 0,
            column_features: 0,
            ..Config::paper(self.actions)
        }
    }

    /// Whether they make sense.
    ///
    /// # Errors
    /// Names what does not.
    pub fn check(&self) -> Result<(), Unusable> {
        self.course().check()?;
        for (setting, size) in [
            ("actions", self.actions),
            ("width", self.width),
            ("layers", self.layers),
        ] {
            unless(size > 0, setting, "must be at least 1")?;
        }
        // An action is 16 bits.
        unless(
            self.actions <= usize::from(u16::MAX),
            "actions",
            "must be at most 65535",
        )?;
        let is_share = |share: f32| (0.0..1.0).contains(&share);
        unless(
            self.rate.is_finite() && self.rate > 0.0,
            "rate",
            "must be above 0",
        )?;
        unless(
            (0.0..=1.0).contains(&self.final_rate),
            "final_rate",
            "lies between 0 and 1",
        )?;
        unless(
            is_share(self.dropout),
            "dropout",
            "lies between 0 and 1, 1 excluded",
        )?;
        unless(
            is_share(self.average),
            "average",
            "lies between 0 and 1, 1 excluded",
        )?;
        unless(self.entropy.is_finite(), "entropy", "must be finite")?;
        unless(
            self.clip_norm.is_finite() && self.clip_norm >= 0.0,
            "clip_norm",
            "must be 0 or more",
        )
    }
}

fn unless(is_usable: bool, setting: &'static str, reason: &str) -> Result<(), Unusable> {
    if is_usable {
        return Ok(());
    }
    Err(Unusable {
        setting,
        reason: reason.to_owned(),
    })
}
