//! An environment small enough to enumerate, with a policy of which everything is known.

use std::collections::HashMap;

use mapo_core::{
    Action, Actor, Ascent, Env, Memory, NewPrograms, Objective, Steps, Tabular, Task, TrainingBatch,
    Trajectory, example_rng, settle,
};
use rand::RngExt;

use super::{Tree, TreeEnv};

/// The only context there is.
pub const CONTEXT: u64 = 3;

/// A tree, a policy on it, and every program with its probability and ∇log π.
pub struct World {
    pub tree: Tree,
    pub policy: Tabular,
    pub programs: Vec<Program>,
    places: HashMap<Vec<Action>, usize>,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub steps: Steps,
    pub reward: f64,
    pub probability: f64,
    /// ∇log π(a).
    pub slope: Vec<f64>,
}

impl World {
    /// A policy with random logits, up to `spread` from 0, on a tree.
    pub fn new(tree: Tree, spread: f64, seed: u64) -> Self {
        let mut policy = Tabular::new(Ascent::Plain { rate: 0.1 });
        let mut rng = example_rng(seed, 0);
        let mut env = TreeEnv::new(&tree);
        let listed: Vec<(Steps, f32)> = tree
            .programs()
            .into_iter()
            .map(|(program, reward)| (env.steps_of(&program).expect("a program of the tree"), reward))
            .collect();
        for (steps, _) in &listed {
            for (depth, (_, valid)) in steps.iter().enumerate() {
                for &action in valid {
                    let logit = spread * (2.0 * rng.random::<f64>() - 1.0);
                    policy.set(CONTEXT, &steps.actions()[..depth], action, logit);
                }
            }
        }
        Self::with_policy(tree, policy)
    }

    pub fn with_policy(tree: Tree, mut policy: Tabular) -> Self {
        let mut env = TreeEnv::new(&tree);
        let listed: Vec<(Steps, f32)> = tree
            .programs()
            .into_iter()
            .map(|(program, reward)| (env.steps_of(&program).expect("a program of the tree"), reward))
            .collect();
        let programs: Vec<Program> = listed
            .into_iter()
            .map(|(steps, reward)| Program {
                reward: reward.into(),
                probability: policy.log_probability(CONTEXT, &steps).exp(),
                slope: policy.gradient(&[&CONTEXT], &[trajectory(&steps, 1.0)]),
                steps,
            })
            .collect();
        let places = programs
            .iter()
            .enumerate()
            .map(|(place, program)| (program.steps.actions().to_vec(), place))
            .collect();
        Self {
            tree,
            policy,
            programs,
            places,
        }
    }

    /// A task whose memory holds the programs of these places.
    pub fn task(&self, memory: &[usize]) -> Task<TreeEnv<'_>, u64> {
        let mut b = Memory::default();
        for &place in memory {
            let program = &self.programs[place];
            b.insert(program.steps.actions(), program.reward as f32);
        }
        Task::new(0, CONTEXT, TreeEnv::new(&self.tree), b, 1e-8).expect("programs of the tree")
    }

    /// π of the programs of these places.
    pub fn weight(&self, memory: &[usize]) -> f64 {
        memory.iter().map(|&place| self.programs[place].probability).sum()
    }

    /// Σ c(a)·∇log π(a) over all programs.
    pub fn sum(&self, weight: impl Fn(usize, &Program) -> f64) -> Vec<f64> {
        let mut sum = vec![0.0; self.programs[0].slope.len()];
        for (place, program) in self.programs.iter().enumerate() {
            add(&mut sum, weight(place, program), &program.slope);
        }
        sum
    }

    /// The gradient of the expected return.
    pub fn gradient(&self) -> Vec<f64> {
        self.sum(|_, program| program.probability * program.reward)
    }

    /// Σ over the trajectories of a batch.
    pub fn estimate(&self, batch: &TrainingBatch) -> Vec<f64> {
        let mut sum = vec![0.0; self.programs[0].slope.len()];
        for trajectory in &batch.trajectories {
            add(&mut sum, trajectory.weight, self.slope(&trajectory.steps));
        }
        sum
    }

    /// ∇log π of a program.
    pub fn slope(&self, steps: &Steps) -> &[f64] {
        &self.programs[self.places[steps.actions()]].slope
    }

    /// Many estimates.
    pub fn estimates(&mut self, objective: &Objective, memory: &[usize], count: u64) -> Estimates {
        let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, 17).expect("usable settings");
        let mut policy = self.policy.clone();
        let mut task = self.task(memory);
        let mut estimates = Estimates::default();
        for number in 0..count {
            let batch = look(&mut actor, objective, number, &mut task, &mut policy);
            estimates.add(&self.estimate(&batch));
        }
        estimates
    }

    /// Trace of the covariance of ∇log π over some programs, each with its probability divided by
    /// that of all of them.
    pub fn variance(&self, places: &[usize]) -> f64 {
        let total = self.weight(places);
        let share = |place: usize| self.programs[place].probability / total;
        let mut mean = vec![0.0; self.programs[0].slope.len()];
        let mut square = 0.0;
        for &place in places {
            let slope = &self.programs[place].slope;
            add(&mut mean, share(place), slope);
            square += share(place) * dot(slope, slope);
        }
        square - dot(&mean, &mean)
    }
}

/// What an actor that does not explore makes of an example, whose memory stays as it is.
pub fn look(
    actor: &mut Actor,
    objective: &Objective,
    number: u64,
    task: &mut Task<TreeEnv<'_>, u64>,
    policy: &mut Tabular,
) -> TrainingBatch {
    let memory = task.memory.clone();
    let mut batch = actor.act(number, 0, &mut [task], policy).expect("no error");
    task.memory = memory;
    settle(&mut batch, objective, 0, &[&CONTEXT], policy).expect("no error");
    batch
}

pub fn trajectory(steps: &Steps, weight: f64) -> Trajectory {
    Trajectory {
        example: 0,
        steps: steps.clone(),
        reward: 1.0,
        weight,
    }
}

pub fn add(sum: &mut Vec<f64>, weight: f64, other: &[f64]) {
    sum.resize(sum.len().max(other.len()), 0.0);
    sum.iter_mut()
        .zip(other)
        .for_each(|(sum, other)| *sum += weight * other);
}

pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Length of the difference.
pub fn distance(one: &[f64], other: &[f64]) -> f64 {
    let mut difference = one.to_vec();
    add(&mut difference, -1.0, other);
    dot(&difference, &difference).sqrt()
}

/// Means and variances of estimates of a gradient.
#[derive(Debug, Default)]
pub struct Estimates {
    count: f64,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Estimates {
    pub fn add(&mut self, estimate: &[f64]) {
        self.count += 1.0;
        add(&mut self.sums, 1.0, estimate);
        let squares: Vec<f64> = estimate.iter().map(|number| number * number).collect();
        add(&mut self.squares, 1.0, &squares);
    }

    pub fn mean(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.count).collect()
    }

    fn variances(&self) -> impl Iterator<Item = f64> {
        let means = self.mean();
        let squares = self.squares.iter().map(|square| square / self.count);
        squares
            .zip(means)
            .map(|(square, mean)| (square - mean * mean).max(0.0))
    }

    /// Trace of the covariance.
    pub fn variance(&self) -> f64 {
        self.variances().sum()
    }

    /// The largest deviation of the mean from `expected`, in standard errors. What does not vary must be
    /// right to rounding.
    pub fn deviation(&self, expected: &[f64]) -> f64 {
        let errors = self.variances().map(|variance| (variance / self.count).sqrt());
        self.mean()
            .iter()
            .zip(expected)
            .zip(errors)
            .map(|((mean, expected), error)| (mean - expected).abs() / (error + 2e-7))
            .fold(0.0, f64::max)
    }
}
