//! Memory Augmented Policy Optimization.

use serde::{Deserialize, Serialize};

use crate::batch::{MemoryWeight, Sample, Stratum, Visit};
use crate::roles::{ByReward, Estimator, FromMemory, FromPolicy, Needs, Unusable};

/// The paper's objective: expected return, split into what is inside the memory and what is outside.
///
/// ```text
/// O = π(B) · E over π⁺ of R(a)  +  (1 − π(B)) · E over π⁻ of R(a)                             (equation 5)
/// ```
///
/// All settings have defaults: one draw inside, one outside by rejection, α = 0.1, no baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mapo {
    /// How the expectation inside B is taken.
    pub inside: Inside,
    /// How the expectation outside B is taken.
    pub outside: Outside,
    /// n_o, draws per example for the expectation outside B.
    pub outside_draws: usize,
    /// α: the memory weighs at least this much as soon as there is something in it. 0 is no clipping.
    pub alpha: f64,
    /// How α changes over time. None: it stays.
    pub alpha_decay: Option<AlphaDecay>,
    /// What is subtracted from every reward.
    pub baseline: Baseline,
    /// How draws are shared between inside and outside.
    pub allocation: Allocation,
    /// Whose probabilities make π(B) and π⁺.
    pub weights_from: WeightsFrom,
    /// Whether draws inside are from π⁺ with 10⁻⁸ added to every share, as in the published code.
    pub smoothed: bool,
}

impl Default for Mapo {
    fn default() -> Self {
        Self {
            inside: Inside::Sampled(1),
            outside: Outside::Rejection,
            outside_draws: 1,
            alpha: 0.1,
            alpha_decay: None,
            baseline: Baseline::None,
            allocation: Allocation::AsGiven,
            weights_from: WeightsFrom::Actor,
            smoothed: false,
        }
    }
}

/// How the expectation inside B is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inside {
    /// This many draws from π⁺: n_b.
    Sampled(usize),
    /// Exactly, over all programs of B.
    Enumerated,
    /// Exactly, over this many of the most probable programs of B. For the exact kinds of [`Outside`] they
    /// alone are B then, so that nothing is lost: a less probable one is outside, and may be drawn there.
    Top(usize),
}

/// How the expectation outside B is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outside {
    /// Draws from π, kept if not in B, and weighted for being kept. Without bias.
    Rejection,
    /// Draws from π⁻ itself, none of them in vain. Without bias.
    Exact,
    /// As in the paper's Algorithm 2: draws from π, kept if not in B, but weighted as if they had been drawn
    /// from π⁻. What is outside then counts 1 − π(B) times what it should.
    Paper,
}

/// α goes down in a straight line, and then stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlphaDecay {
    /// Where it stays.
    pub to: f64,
    /// After how many steps.
    pub steps: u64,
}

/// What is subtracted from every reward.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// Nothing.
    None,
    /// b = π(B): the expected return, if B is complete and rewards are 0 and 1.
    MemoryWeight,
    /// The same number everywhere.
    Constant(f64),
}

/// How the draws of an example are shared between inside and outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocation {
    /// As the settings say.
    AsGiven,
    /// As the paper's appendix derives it for a complete B, of as many as there are in all: without a
    /// baseline all inside, with one half of them each. While B is empty, all outside.
    Appendix,
}

/// Whose probabilities make π(B) and π⁺.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightsFrom {
    /// Those of the policy that the actors hold.
    Actor,
    /// Those of the learner, at the step that uses them. B must be enumerated, wholly or at the top.
    Learner,
}

impl Mapo {
    /// α at a step.
    pub fn alpha_at(&self, step: u64) -> f64 {
        match self.alpha_decay {
            Some(AlphaDecay { to, steps }) if step >= steps => to,
            Some(AlphaDecay { to, steps }) => self.alpha + (to - self.alpha) * (step as f64 / steps as f64),
            None => self.alpha,
        }
    }

    /// Draws inside and outside: n_b and n_o.
    fn draws(&self, n_b: usize, is_empty: bool) -> (usize, usize) {
        let n_o = self.outside_draws;
        match (self.allocation, self.baseline) {
            (Allocation::AsGiven, _) => (n_b, n_o),
            (Allocation::Appendix, _) if is_empty => (0, n_b + n_o),
            (Allocation::Appendix, Baseline::None) => (n_b + n_o, 0),
            (Allocation::Appendix, _) => ((n_b + n_o).div_ceil(2), (n_b + n_o) / 2),
        }
    }
}

impl Estimator for Mapo {
    fn needs(&self, memory: usize) -> Needs {
        let (inside, n_o) = match self.inside {
            Inside::Sampled(n_b) => {
                let (n_b, n_o) = self.draws(n_b, memory == 0);
                let draws = match self.smoothed {
                    true => FromMemory::SmoothedDraws(n_b),
                    false => FromMemory::Draws(n_b),
                };
                (draws, n_o)
            }
            Inside::Enumerated => (FromMemory::All, self.outside_draws),
            Inside::Top(k) => (FromMemory::Best(k), self.outside_draws),
        };
        Needs {
            memory: inside,
            policy: match self.outside {
                Outside::Rejection | Outside::Paper => FromPolicy::Draws(n_o),
                Outside::Exact => FromPolicy::OutsideDraws(n_o),
            },
            scores: true,
            by_reward: ByReward::Aside,
        }
    }

    fn weigh(&self, step: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight> {
        // π(B), and π⁺(a) of each program in it (equation 6). Where B is enumerated both follow from what is
        // there; draws are from π⁺ already, so each of them counts alike.
        let (pi_b, pi_plus) = match self.inside {
            Inside::Sampled(_) => {
                let n_b = visit.inside.len();
                // An estimate may lie above 1; π(B) does not.
                let pi_b = visit.memory_weight.unwrap_or(0.0).min(1.0);
                (pi_b, vec![1.0 / n_b as f64; n_b])
            }
            Inside::Enumerated | Inside::Top(_) => {
                let Stratum { weight, shares } = visit.inside_stratum();
                (weight, shares)
            }
        };
        // Memory weight clipping: π(B)ᶜ = max(π(B), α), but an empty memory weighs nothing.
        let is_empty = visit.memory == 0;
        let w = if is_empty {
            0.0
        } else {
            pi_b.max(self.alpha_at(step))
        };
        let b = match self.baseline {
            Baseline::None => 0.0,
            Baseline::MemoryWeight => pi_b,
            Baseline::Constant(b) => b,
        };

        // Equation 8 (with α = 0, equation 7), first term:
        //     π(B)ᶜ · E over π⁺ of R(a)·∇log π(a)
        for (a, pi_plus) in visit.inside.iter().zip(pi_plus) {
            keep(a, w * pi_plus * (f64::from(a.reward) - b));
        }

        // Second term:
        //     (1 − π(B)ᶜ) · E over π⁻ of R(a)·∇log π(a)
        // Of n_o draws from π only a part of 1 − π(B) is kept, so their sum divided by n_o is (1 − π(B))
        // times the expectation: exactly what is wanted where nothing is clipped.
        let n_o = visit.outside.len() as f64;
        let weight = match self.outside {
            Outside::Rejection if is_empty || w <= pi_b => 1.0,
            Outside::Rejection => (1.0 - w) / (1.0 - pi_b),
            Outside::Exact | Outside::Paper => 1.0 - w,
        };
        let is_inside = |a: &Sample| match (self.outside, self.inside) {
            (Outside::Rejection | Outside::Exact, Inside::Top(_)) => visit.has_inside(a),
            _ => a.is_in_memory,
        };
        for a in visit.outside.iter().filter(|a| !is_inside(a)) {
            keep(a, weight * (f64::from(a.reward) - b) / n_o);
        }
        (!is_empty).then_some(MemoryWeight { exact: pi_b, used: w })
    }

    fn asks_learner(&self) -> bool {
        self.weights_from == WeightsFrom::Learner
    }

    fn check(&self) -> Result<(), Unusable> {
        Unusable::unless_share(self.alpha, "alpha")?;
        if let Some(decay) = self.alpha_decay {
            Unusable::unless_share(decay.to, "alpha_decay.to")?;
        }
        if let Baseline::Constant(b) = self.baseline {
            Unusable::unless(b.is_finite(), "baseline", "must be finite")?;
        }
        let is_sampled = matches!(self.inside, Inside::Sampled(_));
        Unusable::unless(
            !matches!(self.inside, Inside::Sampled(0) | Inside::Top(0)),
            "inside",
            "takes at least one program",
        )?;
        Unusable::unless(
            self.baseline == Baseline::None || self.outside != Outside::Paper,
            "baseline",
            "needs an outside without bias, `rejection` or `exact`",
        )?;
        Unusable::unless(
            self.allocation == Allocation::AsGiven || is_sampled,
            "allocation",
            "is about draws, so the inside must be sampled",
        )?;
        Unusable::unless(
            self.weights_from == WeightsFrom::Actor || !is_sampled,
            "weights_from",
            "can be `learner` only if the inside is `enumerated` or `top`",
        )
    }
}
