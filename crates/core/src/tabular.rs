//! A policy that is a table of numbers, for environments small enough.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Serialize};

use crate::batch::Trajectory;
use crate::chance::mix;
use crate::program::prefix::AlreadyHashed;
use crate::program::{Action, PrefixHash, Steps};
use crate::roles::{Learner, Learnt, Move, Policy};

/// A softmax policy with one number, a logit, for every action after every prefix of every context. All are 0
/// to begin with: every valid action is equally likely.
///
/// It cannot generalise, and so is good for two things: to see an objective at work without a network, and to
/// compare an estimate of a gradient with the gradient itself. The context of an example is a number;
/// examples with the same number share their logits.
///
/// ```
/// use mapo_core::{Action, Ascent, Learner, Steps, Tabular, Trajectory};
///
/// let mut policy = Tabular::new(Ascent::Plain { rate: 1.0 });
/// let mut steps = Steps::default();
/// steps.push(Action(1), &[Action(0), Action(1)]);
/// assert_eq!(policy.log_probability(7, &steps), 0.5_f64.ln());
///
/// // Learning from a program makes it more likely.
/// let trajectory = Trajectory { example: 0, steps: steps.clone(), reward: 1.0, weight: 1.0 };
/// policy.learn(&[&7], &[trajectory], 1.0)?;
/// assert!(policy.log_probability(7, &steps) > 0.7_f64.ln());
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tabular {
    ascent: Ascent,
    /// The place of the logit of an action after a prefix, by the hash of both together.
    places: HashMap<u64, usize, BuildHasherDefault<AlreadyHashed>>,
    logits: Vec<f64>,
    /// What Adam remembers of each logit: means of the gradient and of its square.
    moments: Vec<(f64, f64)>,
    steps: i32,
    contexts: Vec<u64>,
    rows: Vec<PrefixHash>,
}

/// How a policy climbs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ascent {
    /// θ += rate · gradient.
    Plain {
        /// How far a step goes.
        rate: f64,
    },
    /// Adam, with its usual constants.
    Adam {
        /// How far a step goes, about.
        rate: f64,
    },
}

impl Tabular {
    /// A policy for which every valid action is equally likely.
    pub fn new(ascent: Ascent) -> Self {
        Self {
            ascent,
            places: HashMap::default(),
            logits: Vec::new(),
            moments: Vec::new(),
            steps: 0,
            contexts: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The empty prefix of a context.
    fn root(context: u64) -> PrefixHash {
        PrefixHash(mix(context))
    }

    fn logit(&self, prefix: PrefixHash, action: Action) -> f64 {
        let place = self.places.get(&prefix.extend(action).get());
        place.map_or(0.0, |&place| self.logits[place])
    }

    /// The place of a logit, made if need be.
    fn place(&mut self, prefix: PrefixHash, action: Action) -> usize {
        let new = self.logits.len();
        let place = *self.places.entry(prefix.extend(action).get()).or_insert(new);
        if place == new {
            self.logits.push(0.0);
            self.moments.push((0.0, 0.0));
        }
        place
    }

    /// Sets the logit of an action after a prefix.
    pub fn set(&mut self, context: u64, prefix: &[Action], action: Action, logit: f64) {
        let prefix = prefix
            .iter()
            .fold(Self::root(context), |hash, &action| hash.extend(action));
        let place = self.place(prefix, action);
        self.logits[place] = logit;
    }

    /// Log-probabilities of the valid actions after a prefix.
    fn log_softmax(&self, prefix: PrefixHash, valid: &[Action]) -> impl Iterator<Item = f64> + use<> {
        let logits: Vec<f64> = valid.iter().map(|&action| self.logit(prefix, action)).collect();
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logits.iter().map(|logit| (logit - largest).exp()).sum();
        let shift = largest + total.ln();
        logits.into_iter().map(move |logit| logit - shift)
    }

    /// log π(a) of a program.
    pub fn log_probability(&self, context: u64, steps: &Steps) -> f64 {
        let mut prefix = Self::root(context);
        let mut sum = 0.0;
        for (action, valid) in steps.iter() {
            let logs = valid.iter().zip(self.log_softmax(prefix, valid));
            sum += logs
                .filter_map(|(&other, log)| (other == action).then_some(log))
                .sum::<f64>();
            prefix = prefix.extend(action);
        }
        sum
    }

    /// Σ c·∇log π(a), by the places of the logits. It gets longer as new prefixes are met.
    pub fn gradient(&mut self, contexts: &[&u64], trajectories: &[Trajectory]) -> Vec<f64> {
        let mut gradient = vec![0.0; self.logits.len()];
        for trajectory in trajectories {
            let mut prefix = Self::root(*contexts[trajectory.example]);
            for (action, valid) in trajectory.steps.iter() {
                for (&other, log) in valid.iter().zip(self.log_softmax(prefix, valid)) {
                    let place = self.place(prefix, other);
                    gradient.resize(self.logits.len(), 0.0);
                    let is_taken = f64::from(u8::from(other == action));
                    gradient[place] += trajectory.weight * (is_taken - log.exp());
                }
                prefix = prefix.extend(action);
            }
        }
        gradient
    }

    /// Mean entropy of the steps of some programs.
    fn entropy(&self, contexts: &[&u64], trajectories: &[Trajectory]) -> f64 {
        let (mut sum, mut count) = (0.0, 0_u64);
        for trajectory in trajectories {
            let mut prefix = Self::root(*contexts[trajectory.example]);
            for (action, valid) in trajectory.steps.iter() {
                sum -= self
                    .log_softmax(prefix, valid)
                    .map(|log| log * log.exp())
                    .sum::<f64>();
                count += 1;
                prefix = prefix.extend(action);
            }
        }
        sum / count.max(1) as f64
    }

    fn climb(&mut self, gradient: &[f64]) {
        self.steps = self.steps.saturating_add(1);
        match self.ascent {
            Ascent::Plain { rate } => {
                for (logit, slope) in self.logits.iter_mut().zip(gradient) {
                    *logit += rate * slope;
                }
            }
            Ascent::Adam { rate } => {
                let (keep, keep_square, tiny) = (0.9_f64, 0.999_f64, 1e-8);
                let (seen, seen_square) = (1.0 - keep.powi(self.steps), 1.0 - keep_square.powi(self.steps));
                for ((logit, (mean, square)), slope) in
                    self.logits.iter_mut().zip(&mut self.moments).zip(gradient)
                {
                    *mean = keep * *mean + (1.0 - keep) * slope;
                    *square = keep_square * *square + (1.0 - keep_square) * slope * slope;
                    *logit += rate * (*mean / seen) / ((*square / seen_square).sqrt() + tiny);
                }
            }
        }
    }
}

impl Policy<u64> for Tabular {
    type Error = Infallible;

    fn read(&mut self, contexts: &[&u64]) -> Result<(), Infallible> {
        self.contexts.clear();
        self.contexts.extend(contexts.iter().copied());
        Ok(())
    }

    fn start(&mut self, examples: &[usize]) -> Result<(), Infallible> {
        let roots = examples.iter().map(|&example| Self::root(self.contexts[example]));
        self.rows = roots.collect();
        Ok(())
    }

    fn advance(&mut self, moves: &[Move]) -> Result<(), Infallible> {
        let rows = moves.iter().map(|next| self.rows[next.row].extend(next.action));
        self.rows = rows.collect();
        Ok(())
    }

    fn log_probabilities(
        &mut self,
        row: usize,
        valid: &[Action],
        out: &mut Vec<f32>,
    ) -> Result<(), Infallible> {
        out.extend(self.log_softmax(self.rows[row], valid).map(|log| log as f32));
        Ok(())
    }
}

impl Learner<u64> for Tabular {
    type Published = Self;

    fn publish(&self) -> Result<Self, Infallible> {
        Ok(self.clone())
    }

    fn learn(
        &mut self,
        contexts: &[&u64],
        trajectories: &[Trajectory],
        divisor: f64,
    ) -> Result<Learnt, Infallible> {
        let loss: f64 = trajectories
            .iter()
            .map(|trajectory| {
                let log = self.log_probability(*contexts[trajectory.example], &trajectory.steps);
                -trajectory.weight * log
            })
            .sum();
        let entropy = self.entropy(contexts, trajectories);
        let mut gradient = self.gradient(contexts, trajectories);
        gradient.iter_mut().for_each(|slope| *slope /= divisor);
        self.climb(&gradient);
        Ok(Learnt {
            loss: loss / divisor,
            gradient_norm: gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt(),
            entropy,
        })
    }
}
