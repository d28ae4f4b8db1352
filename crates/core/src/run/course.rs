//! What a run does, whoever does it.

use serde::{Deserialize, Serialize};

use crate::actor::{MemoryScoring, NewPrograms};
use crate::objective::Objective;
use crate::roles::{Estimator, Unusable};

/// What actors and learner must agree on.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Steps of the learner.
    pub steps: u64,
    /// Examples in a batch.
    pub batch: usize,
    /// The sum over the trajectories of a batch is divided by this: their nominal number.
    pub divisor: f64,
    /// The learner publishes its policy every so many steps.
    pub refresh: u64,
    /// Decides the order of the examples and everything that is drawn.
    pub seed: u64,
    /// What is climbed.
    pub objective: Objective,
    /// Another objective for the first steps.
    pub warm_up: Option<WarmUp>,
    /// Systematic exploration at each visit.
    pub new_programs: NewPrograms,
    /// How much of a large memory is scored at each visit.
    pub scoring: MemoryScoring,
    /// The groups that the examples are in, in the order of their numbers; none if all are alike.
    pub groups: Vec<Group>,
}

/// Examples that belong together: those of one dataset, say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// How many there are.
    pub examples: usize,
    /// Its part of the visits, beside the weights of the other groups, however many examples each has.
    pub weight: f64,
}

/// Another objective for the first steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// How many steps.
    pub steps: u64,
    /// What is climbed in them.
    pub objective: Objective,
}

impl Default for Course {
    fn default() -> Self {
        Self {
            steps: 1_000,
            batch: 8,
            divisor: 8.0,
            refresh: 10,
            seed: 0,
            objective: Objective::default(),
            warm_up: None,
            new_programs: NewPrograms::default(),
            scoring: MemoryScoring::WHOLE,
            groups: Vec::new(),
        }
    }
}

impl Course {
    /// Whether a step belongs to the warm-up.
    pub fn is_warm_up(&self, step: u64) -> bool {
        self.warm_up.as_ref().is_some_and(|warm_up| step < warm_up.steps)
    }

    /// What is climbed, in the warm-up or after it.
    pub fn objective_of(&self, is_warm_up: bool) -> &Objective {
        match &self.warm_up {
            Some(warm_up) if is_warm_up => &warm_up.objective,
            _ => &self.objective,
        }
    }

    /// Whether it makes sense.
    ///
    /// # Errors
    /// Names what does not.
    pub fn check(&self) -> Result<(), Unusable> {
        self.objective.check()?;
        if let Some(warm_up) = &self.warm_up {
            warm_up.objective.check()?;
        }
        self.scoring.check()?;
        Unusable::unless(self.batch > 0, "batch", "must be at least 1")?;
        let is_weight = |group: &Group| group.weight.is_finite() && group.weight > 0.0;
        Unusable::unless(self.groups.iter().all(is_weight), "weight", "must be above 0")?;
        let least = self.groups.len() * self.groups.len().saturating_sub(1);
        Unusable::unless(
            self.batch >= least,
            "batch",
            format!("must be at least {least} for {} datasets", self.groups.len()),
        )?;
        Unusable::unless(self.refresh > 0, "refresh", "must be at least 1")
    }
}
