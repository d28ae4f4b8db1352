//! Hard expectation–maximisation.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Visit};
use crate::roles::{ByReward, Estimator, FromMemory, FromPolicy, Needs};

/// The likelihood of the program in memory that the policy likes best:
///
/// ```text
/// O = max log π(a) over B
/// ```
///
/// Where rewards are graded, it is the program with the largest R(a)·π(a).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HardEm {}

impl Estimator for HardEm {
    fn needs(&self, _: usize) -> Needs {
        Needs {
            memory: FromMemory::Best(1),
            policy: FromPolicy::Nothing,
            scores: true,
            by_reward: ByReward::Share,
        }
    }

    fn weigh(&self, _: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        for a in &visit.inside {
            keep(a, 1.0);
        }
        None
    }
}
