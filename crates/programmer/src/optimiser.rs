//! Adam with clipping of the gradient's norm, and moving averages of the parameters.

use crate::error::{Error, Result};
use crate::kernels::adam::{AdamFactors, adam, move_towards};
use crate::kernels::vector::sum_of_squares;
use crate::network::Network;
use crate::run::Runner;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Parameters handled at once by a thread; sums over such blocks are added in order, so norms do not depend
/// on threads.
const BLOCK: usize = 1 << 15;

/// The settings of Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdamOptions {
    /// Learning rate.
    pub learning_rate: f32,
    /// Decay of the mean of gradients.
    pub beta1: f32,
    /// Decay of the mean of squared gradients.
    pub beta2: f32,
    /// Keeps the step finite where gradients vanish.
    pub epsilon: f32,
    /// A gradient with a larger norm is scaled down to it.
    pub clip_norm: Option<f32>,
}

impl Default for AdamOptions {
    /// The paper's settings.
    fn default() -> Self {
        Self {
            learning_rate: 1e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            clip_norm: Some(5.0),
        }
    }
}

/// Parameters that learn at a pace of their own, such as those of a layer that was trained before.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Which they are.
    pub parameters: Range<usize>,
    /// Their learning rate, as a part of the optimiser's, whose changes it follows.
    pub rate: f32,
    /// So many steps at the beginning leave them as they are; their gradients count for nothing then.
    pub frozen: u64,
    /// Over so many steps after these the rate rises in a straight line to what it is.
    pub warm_up: u64,
}

impl Group {
    /// The part of the optimiser's rate at a step, counted from 1.
    fn rate_at(&self, step: u64) -> f64 {
        let risen = step.saturating_sub(self.frozen) as f64 / (self.warm_up + 1) as f64;
        f64::from(self.rate) * risen.min(1.0)
    }
}

/// The optimiser and its state.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The settings; they may be changed between steps (a learning rate that decays).
    pub options: AdamOptions,
    /// Parameters with a pace of their own, in order and apart from each other. They belong to the settings, not to the
    /// state: files do not have them.
    pub groups: Vec<Group>,
    pub(crate) steps: u64,
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
}

impl Adam {
    /// A fresh optimiser for a network.
    pub fn new(network: &Network, options: AdamOptions) -> Self {
        let n = network.values().len();
        Self {
            options,
            groups: Vec::new(),
            steps: 0,
            first: vec![0.0; n],
            second: vec![0.0; n],
        }
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the network by a gradient; gives the gradient's norm before clipping.
    ///
    /// # Errors
    /// [`Error::Gradient`] if the norm is not finite; [`Error::Config`] if sizes differ. Nothing is changed
    /// then.
    pub fn step(&mut self, runner: &Runner, network: &mut Network, gradient: &[f32]) -> Result<f64> {
        let n = network.values().len();
        if gradient.len() != n || self.first.len() != n {
            return Err(Error::Config(format!(
                "a gradient of {} numbers, moments of {}, {n} parameters",
                gradient.len(),
                self.first.len()
            )));
        }
        let parts = self.parts(n)?;
        runner.pool().install(|| {
            let squares: Vec<f64> = parts
                .iter()
                .flat_map(|part| gradient[part.parameters.clone()].chunks(BLOCK))
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(sum_of_squares)
                .collect();
            let norm = squares.iter().sum::<f64>().sqrt();
            if !norm.is_finite() {
                return Err(Error::Gradient(norm));
            }
            self.steps += 1;
            let AdamOptions {
                learning_rate,
                beta1,
                beta2,
                epsilon,
                clip_norm,
            } = self.options;
            let clipping =
                clip_norm.map_or(1.0, |limit| (f64::from(limit) / norm.max(1e-12)).min(1.0) as f32);
            network.update(|values| {
                for part in parts {
                    let steps = self.steps - part.frozen;
                    let corrected = |beta: f32| 1.0 - f64::from(beta).powf(steps as f64);
                    let rate = f64::from(learning_rate) * part.rate_at(self.steps);
                    let factors = AdamFactors {
                        gradient: clipping,
                        beta1,
                        beta2,
                        rate: (rate / corrected(beta1)) as f32,
                        correction: (1.0 / corrected(beta2).sqrt()) as f32,
                        epsilon,
                    };
                    let range = part.parameters;
                    let moments = self.first[range.clone()]
                        .par_chunks_mut(BLOCK)
                        .zip(self.second[range.clone()].par_chunks_mut(BLOCK));
                    values[range.clone()]
                        .par_chunks_mut(BLOCK)
                        .zip(gradient[range].par_chunks(BLOCK))
                        .zip(moments)
                        .for_each(|((values, gradient), (first, second))| {
                            adam(factors, values, gradient, first, second)
                        });
                }
            });
            Ok(norm)
        })
    }

    /// What the next step changes: the groups that are no longer frozen, and all parameters between groups.
    fn parts(&self, n: usize) -> Result<Vec<Group>> {
        let plain = |parameters: Range<usize>| Group {
            parameters,
            rate: 1.0,
            frozen: 0,
            warm_up: 0,
        };
        let mut parts = Vec::new();
        let mut next = 0;
        for group in &self.groups {
            let Range { start, end } = group.parameters;
            if start < next || end < start || end > n {
                return Err(Error::Config(format!(
                    "a group of parameters {start}..{end}, after {next} and of {n}"
                )));
            }
            parts.push(plain(next..start));
            if self.steps >= group.frozen {
                parts.push(group.clone());
            }
            next = end;
        }
        parts.push(plain(next..n));
        parts.retain(|part| !part.parameters.is_empty());
        Ok(parts)
    }
}

/// An exponential moving average of a network's parameters, often better than the last ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Average {
    pub(crate) decay: f32,
    pub(crate) values: Vec<f32>,
}

impl Average {
    /// Starts from the network's parameters. `decay` is between 0 (follow at once) and 1 (never move).
    pub fn new(network: &Network, decay: f32) -> Self {
        Self {
            decay,
            values: network.values().to_vec(),
        }
    }

    /// Moves towards the network's parameters; to be called after each step.
    pub fn update(&mut self, network: &Network) {
        move_towards(self.decay, network.values(), &mut self.values);
    }

    /// The averaged parameters.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::sample;

    #[test]
    fn steps_equal_the_textbook() {
        let mut network = sample::network(sample::config(), 3);
        let runner = Runner::new(2).unwrap();
        let options = AdamOptions {
            clip_norm: Some(1.0),
            learning_rate: 0.01,
            ..AdamOptions::default()
        };
        let mut adam = Adam::new(&network, options);
        let n = network.values().len();
        let mut x: Vec<f64> = network.values().iter().map(|&x| f64::from(x)).collect();
        let (mut m, mut v) = (vec![0.0f64; n], vec![0.0f64; n]);
        for t in 1..=5 {
            let g: Vec<f32> = (0..n).map(|i| ((i * t) as f32 * 0.37).sin() * 0.2).collect();
            let norm = g.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt();
            let reported = adam.step(&runner, &mut network, &g).unwrap();
            assert!((reported - norm).abs() < 1e-4 * norm);
            for i in 0..n {
                let g = f64::from(g[i]) * (1.0 / norm).min(1.0);
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (mh, vh) = (
                    m[i] / (1.0 - 0.9f64.powi(t as i32)),
                    v[i] / (1.0 - 0.999f64.powi(t as i32)),
                );
                x[i] -= 0.01 * mh / (vh.sqrt() + 1e-8);
                assert!((f64::from(network.values()[i]) - x[i]).abs() < 1e-5, "{i} {t}");
            }
        }
    }

    #[test]
    fn a_group_waits_and_then_warms_up_to_its_own_rate() {
        let mut network = sample::network(sample::config(), 3);
        let runner = Runner::new(1).unwrap();
        let mut adam = Adam::new(&network, AdamOptions::default());
        let n = network.values().len();
        adam.groups = vec![Group {
            parameters: 10..20,
            rate: 0.1,
            frozen: 2,
            warm_up: 3,
        }];
        // With a gradient that stays as it is, each step of Adam is as long as the rate.
        let gradient: Vec<f32> = (0..n).map(|i| if i == 25 { 0.0 } else { 1e-3 }).collect();
        for (step, expected) in [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0].into_iter().enumerate() {
            let before = network.values().to_vec();
            let norm = adam.step(&runner, &mut network, &gradient).unwrap();
            let counted = if expected == 0.0 { n - 11 } else { n - 1 };
            assert!((norm - 1e-3 * (counted as f64).sqrt()).abs() < 1e-6, "{step}");
            let moved = |i: usize| before[i] - network.values()[i];
            for (i, rate) in [
                (9, 1e-3),
                (10, 1e-4 * expected),
                (19, 1e-4 * expected),
                (20, 1e-3),
                (25, 0.0),
            ] {
                assert!(
                    (moved(i) - rate).abs() < 0.01 * rate + 1e-7,
                    "{step} {i}: {}",
                    moved(i)
                );
            }
        }
        adam.groups[0].parameters = 10..n + 1;
        assert!(adam.step(&runner, &mut network, &gradient).is_err());
    }

    #[test]
    fn groups_at_the_common_pace_change_nothing() {
        let runner = Runner::new(2).unwrap();
        let run = |groups: &[Range<usize>]| {
            let mut network = sample::network(sample::config(), 3);
            let mut adam = Adam::new(
                &network,
                AdamOptions {
                    clip_norm: None,
                    ..AdamOptions::default()
                },
            );
            adam.groups.extend(groups.iter().map(|parameters| Group {
                parameters: parameters.clone(),
                rate: 1.0,
                frozen: 0,
                warm_up: 0,
            }));
            let gradient: Vec<f32> = (0..network.values().len()).map(|i| (i as f32).sin()).collect();
            for _ in 0..3 {
                adam.step(&runner, &mut network, &gradient).unwrap();
            }
            network.values().to_vec()
        };
        for (a, b) in run(&[]).iter().zip(run(&[3..64, 64..90])) {
            assert!((a - b).abs() < 1e-7);
        }
    }

    #[test]
    fn a_broken_gradient_changes_nothing() {
        let mut network = sample::network(sample::config(), 3);
        let runner = Runner::new(1).unwrap();
        let mut adam = Adam::new(&network, AdamOptions::default());
        let before = (network.values().to_vec(), adam.clone());
        let mut g = vec![0.0; before.0.len()];
        g[3] = f32::NAN;
        assert!(matches!(
            adam.step(&runner, &mut network, &g),
            Err(Error::Gradient(_))
        ));
        assert_eq!((network.values().to_vec(), adam), before);
    }

    #[test]
    fn forgotten_moments_do_not_become_denormal() {
        let mut network = sample::network(sample::config(), 3);
        let runner = Runner::new(1).unwrap();
        let mut adam = Adam::new(&network, AdamOptions::default());
        adam.first.fill(1e-29);
        let g = vec![0.0; network.values().len()];
        for _ in 0..300 {
            adam.step(&runner, &mut network, &g).unwrap();
        }
        assert!(adam.first.iter().all(|&m| m < 1e-36 && !m.is_subnormal()));
    }

    #[test]
    fn the_average_follows() {
        let mut network = sample::network(sample::config(), 3);
        let mut average = Average::new(&network, 0.75);
        let start = network.values()[5];
        network.update(|values| values[5] += 1.0);
        average.update(&network);
        assert!((average.values()[5] - start - 0.25).abs() < 1e-6);
    }
}
