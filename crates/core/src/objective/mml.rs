//! Maximum marginal likelihood.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{ByReward, Estimator, FromMemory, FromPolicy, Needs, Unusable};

/// The likelihood of writing any program of the memory:
///
/// ```text
/// O = log Σ π(a) over B,  ∇O = E over π⁺ of ∇log π(a)
/// ```
///
/// Where rewards are graded, R(a)·π(a) stands for π(a).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mml {
    /// n_b, draws from π⁺ per example. None: all of B, each by its share.
    pub draws: Option<usize>,
    /// Whether draws are from π⁺ with 10⁻⁸ added to every share, as in the published code.
    pub smoothed: bool,
}

impl Estimator for Mml {
    fn needs(&self, _: usize) -> Needs {
        Needs {
            memory: match self.draws {
                None => FromMemory::All,
                Some(draws) if self.smoothed => FromMemory::SmoothedDraws(draws),
                Some(draws) => FromMemory::Draws(draws),
            },
            policy: FromPolicy::Nothing,
            scores: true,
            by_reward: ByReward::Share,
        }
    }

    fn weigh(&self, _: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        let n_b = visit.inside.len();
        let pi_plus = match self.draws {
            Some(_) => vec![1.0 / n_b as f64; n_b],
            None => visit.inside_stratum().shares,
        };
        for (a, pi_plus) in visit.inside.iter().zip(pi_plus) {
            keep(a, pi_plus);
        }
        None
    }

    fn check(&self) -> Result<(), Unusable> {
        Unusable::unless(self.draws != Some(0), "draws", "must be at least 1")
    }
}
