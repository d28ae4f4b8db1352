//! Expected return and maximum likelihood, mixed.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{ByReward, Estimator, FromMemory, FromPolicy, Needs, Unusable};

/// What others did with a memory before the paper (its equation 3, with the likelihood as a mean):
///
/// ```text
/// O = λ · E over π of R(a)  +  (1 − λ) · Σ log π(a) over B / |B|
/// ```
///
/// Where rewards are graded, each program of B has its part of the second term by its reward.
///
/// Its second term draws the policy towards all of B, right for the right reason or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Augmented {
    /// λ.
    pub lambda: f64,
    /// n_o, draws per example for the expectation.
    pub draws: usize,
}

impl Default for Augmented {
    fn default() -> Self {
        Self {
            lambda: 0.5,
            draws: 1,
        }
    }
}

impl Estimator for Augmented {
    fn needs(&self, _: usize) -> Needs {
        Needs {
            memory: FromMemory::All,
            policy: FromPolicy::Draws(self.draws),
            scores: false,
            by_reward: ByReward::Share,
        }
    }

    fn weigh(&self, _: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        let n_o = visit.outside.len() as f64;
        for a in &visit.outside {
            keep(a, self.lambda * f64::from(a.reward) / n_o);
        }
        for (a, number) in visit.inside.iter().zip(visit.inside_numbers()) {
            keep(a, (1.0 - self.lambda) / number);
        }
        None
    }

    fn check(&self) -> Result<(), Unusable> {
        Unusable::unless_share(self.lambda, "lambda")?;
        Unusable::unless(self.draws > 0, "draws", "must be at least 1")
    }
}
