//! Every objective that has a memory to learn from learns; without one, sparse rewards are not enough.

mod common;

use common::{Tree, TreeEnv};
use mapo_core::{
    Action, Actor, Ascent, Augmented, Baseline, Estimator, Exploring, HardEm, Iml, Inside, Mapo, Memory, Mml,
    Objective, Outside, Reinforce, Steps, Tabular, Task, WeightsFrom,
};

const STEPS: u64 = 400;

/// Five choices of four: 1,024 programs, of which one is rewarded.
fn tree(rewarded: u16) -> Tree {
    fn below(depth: u32, number: u16, rewarded: u16) -> Tree {
        if depth == 5 {
            return Tree::Program(f32::from(u8::from(number == rewarded)));
        }
        let branches = (0..4).map(|action| (Action(action), below(depth + 1, 4 * number + action, rewarded)));
        Tree::Fork(branches.collect())
    }
    below(0, 0, rewarded)
}

/// Trains on eight such trees and says how likely their rewarded programs are in the end, on average.
fn train(objective: Objective, exploring: Exploring) -> f64 {
    let trees: Vec<Tree> = (0..8).map(|example| tree(example * 127)).collect();
    let mut tasks: Vec<_> = (0..)
        .zip(&trees)
        .map(|(example, tree)| {
            Task::new(example, example, TreeEnv::new(tree), Memory::default(), 1e-8).expect("an empty memory")
        })
        .collect();
    let mut actor = Actor::new(objective.clone(), exploring, 1).expect("usable settings");
    let mut learner = Tabular::new(Ascent::Plain { rate: 8.0 });
    let mut old = learner.clone();
    for step in 0..STEPS {
        if step % 10 == 0 {
            old = learner.clone();
        }
        let mut batch: Vec<_> = tasks.iter_mut().collect();
        let mut acted = actor.act(step, step, &mut batch, &mut old).expect("no error");
        let contexts: Vec<&u64> = batch.iter().map(|task| &task.context).collect();
        acted
            .teach(&objective, step, &contexts, &mut learner, 8.0)
            .expect("no error");
    }
    let successes = tasks.iter_mut().zip(&trees).map(|(task, tree)| {
        let (program, _) = tree
            .programs()
            .into_iter()
            .find(|(_, reward)| *reward > 0.0)
            .expect("one is rewarded");
        let steps = Steps::of(&mut task.env, &program).expect("a program");
        learner.log_probability(task.context, &steps).exp()
    });
    successes.sum::<f64>() / trees.len() as f64
}

#[test]
fn what_has_a_memory_learns() {
    // Five new programs a visit: all are tried before the end.
    let exploring = Exploring {
        per_visit: 1,
        when_empty: 4,
    };
    let mapo = Mapo::default;
    for objective in [
        Objective::Mapo(mapo()),
        Objective::Mapo(Mapo {
            inside: Inside::Enumerated,
            outside: Outside::Exact,
            ..mapo()
        }),
        Objective::Mapo(Mapo {
            inside: Inside::Top(5),
            outside: Outside::Paper,
            weights_from: WeightsFrom::Learner,
            ..mapo()
        }),
        Objective::Mapo(Mapo {
            outside: Outside::Exact,
            baseline: Baseline::MemoryWeight,
            ..mapo()
        }),
        Objective::Mml(Mml::default()),
        Objective::HardEm(HardEm::default()),
        Objective::Iml(Iml::default()),
        Objective::Augmented(Augmented::default()),
    ] {
        let success = train(objective.clone(), exploring);
        println!("{success:.3} {objective:?}");
        assert!(success > 0.9, "{success} with {objective:?}");
    }
    let unclipped = train(Objective::Mapo(Mapo { alpha: 0.0, ..mapo() }), exploring);
    println!("{unclipped:.3} MAPO without clipping");
    assert!(unclipped < 0.3, "{unclipped}");
}

#[test]
fn what_has_none_does_not() {
    for objective in [Objective::Reinforce(Reinforce::default()), Objective::default()] {
        let success = train(objective.clone(), Exploring::OFF);
        println!("{success:.3} {objective:?}");
        assert!(success < 0.3, "{success} with {objective:?}");
        assert!(objective.check().is_ok());
    }
}
