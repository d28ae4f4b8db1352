//! The gradient that a policy climbs, against differences of what it says itself.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_core::{Action, Assistants, Env, Learner, Policy, Trajectory, average};
use mapo_neural::{
    ByPrefix, Input, Learning, Look, NeuralLearner, NeuralPolicy, Observing, Plain, Settings, program, train,
};
use mapo_programmer::{Batch, LossTerms, Network, Runner, WeightedProgram};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Plain steps along the gradient, of which nothing is dropped.
const LEARNING: Learning = Learning {
    rate: 1e-3,
    final_rate: 1.0,
    decay_from: 0.0,
    clip_norm: 0.0,
    dropout: 0.0,
    dropout_after_skip: false,
    entropy: 0.0,
    average: 0.0,
};

/// Four steps, each one of two fixed actions or one of two that stand for parts of the context.
fn task(words: [&str; 3]) -> Observing<ByPrefix<impl Fn(&[Action]) -> Look + use<>>> {
    let env = ByPrefix::new(|taken: &[Action]| match taken.len() {
        4 => Look::Finished(f32::from(u8::from(taken[0] == Action(3)))),
        2 => Look::Open(vec![Action(1), Action(2)]),
        _ => Look::Open((0..4).map(Action).collect()),
    });
    Observing::new(words, env).mentioning(vec![0..1, 1..3])
}

fn network() -> (Arc<Network>, Vec<Input>) {
    let settings = Settings {
        actions: 2,
        width: 6,
        layers: 2,
        steps: 3,
        explore_first: 8,
        ..Settings::default()
    };
    let tasks = || vec![task(["a", "b", "c"]), task(["c", "a", "a"])];
    let trained = train(tasks(), &settings, |_| ControlFlow::Continue(())).unwrap();
    let inputs = tasks()
        .iter_mut()
        .map(|task| trained.input(0, task).unwrap())
        .collect();
    (Arc::clone(trained.network()), inputs)
}

/// Weighted programs of the two tasks; some share their beginning.
fn trajectories() -> Vec<Trajectory> {
    let of = |example, weight, program: [u16; 4]| {
        let mut env = task(["a", "b", "c"]);
        Trajectory {
            example,
            steps: env.steps_of(&program.map(Action)).unwrap(),
            reward: 1.0,
            weight,
        }
    };
    vec![
        of(0, 0.7, [3, 0, 1, 2]),
        of(0, -0.4, [3, 0, 2, 1]),
        of(1, 1.3, [2, 3, 2, 0]),
        of(1, 0.2, [0, 1, 1, 3]),
    ]
}

/// −Σ c·log π(a) as the policy says it, step by step.
fn loss(network: Arc<Network>, inputs: &[Input], trajectories: &[Trajectory]) -> f64 {
    let mut policy = NeuralPolicy::<Plain>::new(network);
    let contexts: Vec<&Input> = inputs.iter().collect();
    policy.read(&contexts).unwrap();
    let mut sum = 0.0;
    for trajectory in trajectories {
        policy.start(&[trajectory.example]).unwrap();
        let mut logs = Vec::new();
        for (action, valid) in trajectory.steps.iter() {
            logs.clear();
            policy.log_probabilities(0, valid, &mut logs).unwrap();
            let place = valid.iter().position(|&other| other == action).unwrap();
            sum -= trajectory.weight * f64::from(logs[place]);
            policy.advance(&[mapo_core::Move { row: 0, action }]).unwrap();
        }
    }
    sum
}

#[test]
fn the_gradient_is_that_of_what_the_policy_says() {
    let (network, inputs) = network();
    let trajectories = trajectories();
    let programs: Vec<_> = trajectories
        .iter()
        .map(|one| program::<Plain>(&one.steps))
        .collect();
    let weighted: Vec<_> = trajectories
        .iter()
        .zip(&programs)
        .map(|(one, steps)| WeightedProgram {
            example: one.example,
            weight: one.weight as f32,
            steps,
        })
        .collect();
    let examples: Vec<_> = inputs.iter().map(|input| &**input).collect();
    let batch = Batch {
        examples: &examples,
        weighted: &weighted,
    };
    let terms = LossTerms {
        divisor: 1.0,
        entropy: 0.0,
        dropout: None,
    };
    let remade = |values: Vec<f32>, trainable| {
        Network::with_values(
            network.config().clone(),
            network.shared_words(),
            values,
            trainable,
        )
        .unwrap()
    };
    let trainable = remade(network.values().to_vec(), true);
    let mut gradient = vec![0.0; network.values().len()];
    let outcome = Runner::new(1)
        .unwrap()
        .train(&trainable, &batch, &terms, &mut gradient)
        .unwrap();
    let at = |values: Vec<f32>| loss(Arc::new(remade(values, false)), &inputs, &trajectories);
    assert!((outcome.loss - at(network.values().to_vec())).abs() < 1e-4);

    // Several numbers of every matrix, moved to both sides.
    let h = 4e-3;
    let (mut compared, mut largest) = (0, 0.0_f64);
    for entry in &network.layout().entries {
        let range = entry.range();
        for place in range.clone().step_by((range.len() / 6).max(1)) {
            let moved = |by: f32| {
                let mut values = network.values().to_vec();
                values[place] += by;
                at(values)
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * f64::from(h));
            let given = f64::from(gradient[place]);
            largest = largest.max(given.abs());
            let error = (slope - given).abs();
            assert!(
                error < 2e-3 + 0.01 * slope.abs(),
                "{} {place}: {given}, not {slope}",
                entry.name
            );
            compared += 1;
        }
    }
    assert!(
        compared > 100 && largest > 0.05,
        "{compared} numbers, at most {largest}"
    );
}

#[test]
fn a_step_makes_what_was_rewarded_more_likely() {
    let (network, inputs) = network();
    let trajectories = trajectories();
    let before = loss(Arc::clone(&network), &inputs, &trajectories);
    let values = network.values().to_vec();
    let own = Network::with_values(network.config().clone(), network.shared_words(), values, true).unwrap();
    let mut learner: NeuralLearner = NeuralLearner::new(own, LEARNING, 10, 1, 1).unwrap();
    let contexts: Vec<&Input> = inputs.iter().collect();
    learner.learn(&contexts, &trajectories, 1.0).unwrap();
    assert!(loss(learner.model().unwrap(), &inputs, &trajectories) < before);
}

/// Somebody who has found the gradient of another batch at the same parameters.
#[derive(Debug)]
struct Found(Vec<f32>);

impl Assistants for Found {
    fn begin(&mut self, _: u64, _: &[f32]) {}

    fn join(&mut self, gradient: &mut [f32]) -> usize {
        average(gradient, std::slice::from_ref(&self.0));
        1
    }

    fn stepped(&mut self) {}
}

#[test]
fn an_assisted_step_is_that_of_both_batches_as_one() {
    let (network, inputs) = network();
    let contexts: Vec<&Input> = inputs.iter().collect();
    let learner = || {
        let values = network.values().to_vec();
        let words = network.shared_words();
        let network = Network::with_values(network.config().clone(), words, values, true).unwrap();
        NeuralLearner::<Plain>::new(network, LEARNING, 10, 1, 1).unwrap()
    };
    let all = trajectories();
    let (own, other) = all.split_at(2);
    let mut at_once = learner();
    at_once.learn(&contexts, &all, 4.0).unwrap();

    // The assistant begins with other parameters and follows the learner's.
    let mut assistant = learner();
    assistant.learn(&contexts, own, 2.0).unwrap();
    let mut assisted = learner();
    assistant.follow(assisted.network().values(), 1).unwrap();
    let gradient = assistant
        .gradient(&contexts, other, 2.0)
        .unwrap()
        .unwrap()
        .to_vec();
    assisted.set_assistants(Box::new(Found(gradient.clone())));
    assisted.learn(&contexts, own, 2.0).unwrap();
    let close = |one: &[f32], other: &[f32]| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close(at_once.network().values(), assisted.network().values()));
    assert!(!close(network.values(), assisted.network().values()));

    // Who has nothing to learn from itself still goes along with others.
    let mut idle = learner();
    idle.set_assistants(Box::new(Found(gradient)));
    idle.learn(&contexts, &[], 2.0).unwrap();
    assert!(!close(network.values(), idle.network().values()));
}
