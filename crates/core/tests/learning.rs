//! Every objective that has a memory to learn from learns; without one, sparse rewards are not enough.

mod common;

use std::ops::ControlFlow;

use common::{Tree, TreeEnv};
use mapo_core::{
    Action, Ascent, Augmented, Baseline, Course, Env, Estimator, HardEm, Iml, Inside, Mapo, Memory, Mml,
    NewPrograms, Objective, Outside, Reinforce, Run, Tabular, Task, WeightsFrom,
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
fn train(objective: Objective, new_programs: NewPrograms, threads: usize) -> f64 {
    let trees: Vec<Tree> = (0..8).map(|example| tree(example * 127)).collect();
    let tasks: Vec<_> = (0..)
        .zip(&trees)
        .map(|(example, tree)| {
            Task::new(example, example, TreeEnv::new(tree), Memory::default(), 1e-8).expect("an empty memory")
        })
        .collect();
    let mut learner = Tabular::new(Ascent::Plain { rate: 8.0 });
    let course = Course {
        steps: STEPS,
        seed: 1,
        objective,
        new_programs,
        ..Course::default()
    };
    let mut run = Run::new(course, threads, tasks).expect("usable settings");
    run.go(&mut learner, |_| ControlFlow::Continue(()))
        .expect("no error");
    assert_eq!(run.step(), STEPS);
    let successes = (0..).zip(&trees).map(|(context, tree)| {
        let (program, _) = tree
            .programs()
            .into_iter()
            .find(|(_, reward)| *reward > 0.0)
            .expect("one is rewarded");
        let steps = TreeEnv::new(tree).steps_of(&program).expect("a program");
        learner.log_probability(context, &steps).exp()
    });
    successes.sum::<f64>() / trees.len() as f64
}

#[test]
fn what_has_a_memory_learns() {
    // Five new programs a visit: all are tried before the end.
    let new_programs = NewPrograms {
        per_visit: 1,
        when_empty: 4,
        ..NewPrograms::default()
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
        let success = train(objective.clone(), new_programs, 1);
        println!("{success:.3} {objective:?}");
        assert!(success > 0.9, "{success} with {objective:?}");
    }
    let unclipped = train(Objective::Mapo(Mapo { alpha: 0.0, ..mapo() }), new_programs, 1);
    println!("{unclipped:.3} MAPO without clipping");
    assert!(unclipped < 0.3, "{unclipped}");
}

#[test]
fn what_has_none_does_not() {
    for objective in [Objective::Reinforce(Reinforce::default()), Objective::default()] {
        let success = train(objective.clone(), NewPrograms::OFF, 1);
        println!("{success:.3} {objective:?}");
        assert!(success < 0.3, "{success} with {objective:?}");
        assert!(objective.check().is_ok());
    }
}
