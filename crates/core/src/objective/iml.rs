//! Iterative maximum likelihood.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{ByReward, Estimator, FromMemory, FromPolicy, Needs, Unusable};

/// The likelihood of all programs in memory, all of them alike:
///
/// ```text
/// O = Σ log π(a) over B / |B|
/// ```
///
/// Where rewards are graded, only the programs with the highest of them count, as in the paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Iml {
    /// n_b, uniform draws per example. None: all of B.
    pub draws: Option<usize>,
}

impl Estimator for Iml {
    fn needs(&self, _: usize) -> Needs {
        Needs {
            memory: self.draws.map_or(FromMemory::All, FromMemory::UniformDraws),
            policy: FromPolicy::Nothing,
            scores: false,
            by_reward: ByReward::Highest,
        }
    }

    fn weigh(&self, _: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        let n_b = visit.inside.len();
        let numbers = match self.draws {
            // They were drawn by what is believed of them.
            Some(_) => vec![n_b as f64; n_b],
            None => visit.inside_numbers(),
        };
        for (a, number) in visit.inside.iter().zip(numbers) {
            keep(a, 1.0 / number);
        }
        None
    }

    fn check(&self) -> Result<(), Unusable> {
        Unusable::unless(self.draws != Some(0), "draws", "must be at least 1")
    }
}
