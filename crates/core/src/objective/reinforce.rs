//! REINFORCE: no memory.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{ByReward, Estimator, FromMemory, FromPolicy, Needs, Unusable};

/// Expected return, estimated from programs that the policy draws (equation 2 of the paper):
///
/// ```text
/// ∇O = E over π of (R(a) − b)·∇log π(a)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reinforce {
    /// n_o, draws per example.
    pub draws: usize,
    /// b.
    pub baseline: f64,
}

impl Default for Reinforce {
    fn default() -> Self {
        Self {
            draws: 1,
            baseline: 0.0,
        }
    }
}

impl Estimator for Reinforce {
    fn needs(&self, _: usize) -> Needs {
        Needs {
            memory: FromMemory::Nothing,
            policy: FromPolicy::Draws(self.draws),
            scores: false,
            by_reward: ByReward::Aside,
        }
    }

    fn weigh(&self, _: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        let n_o = visit.outside.len() as f64;
        for a in &visit.outside {
            keep(a, (f64::from(a.reward) - self.baseline) / n_o);
        }
        None
    }

    fn uses_memory(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), Unusable> {
        Unusable::unless(self.draws > 0, "draws", "must be at least 1")?;
        Unusable::unless(self.baseline.is_finite(), "baseline", "must be finite")
    }
}
