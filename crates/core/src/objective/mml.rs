//! Maximum marginal likelihood.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{Estimator, FromMemory, FromPolicy, Needs, Unusable};

/// The likelihood of writing any program of the memory:
///
/// ```text
/// O = log Σ π(a) over B,  ∇O = E over π⁺ of ∇log π(a)
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mml {
    /// n_b, draws from π⁺ per example. None: all of B, each by its share.
    pub draws: Option<usize>,
}

impl Estimator for Mml {
    fn needs(&self, _: usize) -> Needs {
        Needs {
            memory: self.draws.map_or(FromMemory::All, FromMemory::Draws),
            policy: FromPolicy::Nothing,
            scores: true,
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
