//! What an actor saw of an example, and what it makes of it.

use serde::{Deserialize, Serialize};

use crate::program::Steps;

/// What an actor saw of one example, on one snapshot of its memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// The example's place in the batch.
    pub example: usize,
    /// |B|.
    pub memory: usize,
    /// Programs of B that were scored.
    pub scored: usize,
    /// π(B), if the memory was scored; an estimate without bias, which may lie above 1, if only a part of it
    /// was.
    pub memory_weight: Option<f64>,
    /// What was taken from B.
    pub inside: Vec<Sample>,
    /// What was drawn from the policy, in B or not.
    pub outside: Vec<Sample>,
    /// An estimate of the policy's expected return without bias, if programs were drawn from it.
    pub expected_return: Option<f64>,
}

/// A program and what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The program, with what was valid at each step.
    pub steps: Steps,
    /// R(a).
    pub reward: f32,
    /// log π(a), if the memory was scored and this comes from there.
    pub log_probability: Option<f64>,
    /// Whether it is in B.
    pub is_in_memory: bool,
    /// How far it is believed to mean the right thing, if that is said of the programs of B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<f32>,
}

/// A weighted program: the learner adds c·∇log π(a).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The example's place in the batch.
    pub example: usize,
    /// The program, with what was valid at each step.
    pub steps: Steps,
    /// R(a).
    pub reward: f32,
    /// c. It is 0 for a program that was drawn and earned nothing, if there is no baseline: such a one adds
    /// nothing but its entropy.
    pub weight: f64,
}

/// How much the memory weighed in an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryWeight {
    /// π(B).
    pub exact: f64,
    /// What was used for it: max(π(B), α).
    pub used: f64,
}

impl MemoryWeight {
    /// Whether π(B) < α.
    pub fn is_clipped(self) -> bool {
        self.used > self.exact
    }
}

impl Visit {
    /// The log-probabilities of the programs that were taken from B.
    pub(crate) fn inside_scores(&self) -> impl Iterator<Item = f64> {
        self.inside
            .iter()
            .map(|sample| sample.log_probability.unwrap_or(f64::NEG_INFINITY))
    }

    /// π of what was taken from B, and the share of each program in it: π⁺, or where beliefs are held
    /// π·prior, renormalised.
    pub(crate) fn inside_stratum(&self) -> Stratum {
        let stratum = Stratum::new(self.inside_scores());
        match self.inside.iter().any(|sample| sample.prior.is_some()) {
            false => stratum,
            true => {
                let priors = self.inside.iter().map(|sample| sample.prior.unwrap_or(1.0));
                let believed = self.inside_scores().zip(priors);
                let believed = believed.map(|(log, prior)| log + f64::from(prior).ln());
                Stratum {
                    shares: Stratum::new(believed).shares,
                    ..stratum
                }
            }
        }
    }

    /// Of how many like it each program that was taken from B is one, where the policy has no say: of all
    /// that were taken, or fewer the more it is believed.
    pub(crate) fn inside_numbers(&self) -> Vec<f64> {
        let priors = self
            .inside
            .iter()
            .map(|sample| f64::from(sample.prior.unwrap_or(1.0)));
        let all: f64 = priors.clone().sum();
        priors.map(|prior| all / prior).collect()
    }

    /// Whether a program is among those that were taken from B.
    pub(crate) fn has_inside(&self, sample: &Sample) -> bool {
        let program = sample.steps.actions();
        self.inside.iter().any(|inside| inside.steps.actions() == program)
    }
}

/// The policy inside a set of programs: one of the two strata.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stratum {
    /// π of the set; never above 1, whatever rounding does, unless it is an estimate.
    pub weight: f64,
    /// π⁺(a) of each program: π(a) divided by the above.
    pub shares: Vec<f64>,
}

impl Stratum {
    /// From the log-probabilities of the programs. Programs so unlikely that the weight is no number above
    /// zero still have their shares; if nothing at all is known of them, equal ones.
    pub fn new(log_probabilities: impl Iterator<Item = f64>) -> Self {
        let stratum = Self::estimated(log_probabilities);
        Self {
            weight: stratum.weight.min(1.0),
            ..stratum
        }
    }

    /// The same from a sample of the set, each log-probability with the logarithm of how much it counts: the
    /// weight is an estimate, which may lie above 1.
    pub fn estimated(log_probabilities: impl Iterator<Item = f64>) -> Self {
        let mut shares: Vec<f64> = log_probabilities.collect();
        let largest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !largest.is_finite() {
            let share = 1.0 / shares.len() as f64;
            shares.fill(share);
            return Self { weight: 0.0, shares };
        }
        shares.iter_mut().for_each(|log| *log = (*log - largest).exp());
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        Self {
            weight: total * largest.exp(),
            shares,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shares_are_a_distribution(
            logs in prop::collection::vec(prop_oneof![Just(f64::NEG_INFINITY), -2000.0..0.0], 1..30),
        ) {
            let stratum = Stratum::new(logs.iter().copied());
            prop_assert!((stratum.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(stratum.shares.iter().all(|share| (0.0..=1.0).contains(share)));
            prop_assert!((0.0..=1.0).contains(&stratum.weight));
            let sum: f64 = logs.iter().map(|log| log.exp()).sum();
            prop_assert!((stratum.weight - sum.min(1.0)).abs() < 1e-9);
        }
    }
}
