//! Properties of the weights, whatever was seen, and of scores and draws, whatever the environment.

mod common;

use common::world::{CONTEXT, World, look};
use common::{Tree, TreeEnv, trees};
use mapo_core::{
    Action, Actor, Allocation, AlphaDecay, Augmented, Baseline, Env, Estimator, HardEm, Iml, Inside, Mapo,
    Mml, NewPrograms, Objective, Outside, Policy, PrefixTree, Reinforce, Sample, Steps, Task, Visit,
    WeightsFrom, score_by_level,
};
use proptest::prelude::*;

fn objectives() -> impl Strategy<Value = Objective> {
    let inside = prop_oneof![
        (1..4_usize).prop_map(Inside::Sampled),
        Just(Inside::Enumerated),
        (1..4_usize).prop_map(Inside::Top),
    ];
    let outside = prop_oneof![
        Just(Outside::Rejection),
        Just(Outside::Exact),
        Just(Outside::Paper)
    ];
    let baseline = prop_oneof![
        Just(Baseline::None),
        Just(Baseline::MemoryWeight),
        (0.0..1.0).prop_map(Baseline::Constant)
    ];
    let alpha = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0];
    let mapo = (inside, outside, 0..3_usize, alpha, baseline, any::<bool>()).prop_map(
        |(inside, outside, outside_draws, alpha, baseline, is_allocated)| {
            Objective::Mapo(Mapo {
                inside,
                outside,
                outside_draws,
                alpha,
                baseline: if outside == Outside::Paper {
                    Baseline::None
                } else {
                    baseline
                },
                allocation: match inside {
                    Inside::Sampled(_) if is_allocated => Allocation::Appendix,
                    _ => Allocation::AsGiven,
                },
                ..Mapo::default()
            })
        },
    );
    let draws = || prop::option::of(1..4_usize);
    prop_oneof![
        6 => mapo,
        1 => (1..4_usize, 0.0..1.0).prop_map(|(draws, baseline)| Objective::Reinforce(Reinforce { draws, baseline })),
        1 => draws().prop_map(|draws| Objective::Mml(Mml { draws, ..Mml::default() })),
        1 => draws().prop_map(|draws| Objective::Iml(Iml { draws })),
        1 => Just(Objective::HardEm(HardEm::default())),
        1 => (0.0..=1.0, 1..4_usize).prop_map(|(lambda, draws)| Objective::Augmented(Augmented { lambda, draws })),
    ]
}

/// Visits with probabilities that are far too small for a number, too.
fn visits() -> impl Strategy<Value = Visit> {
    let log = prop_oneof![
        4 => -20.0..-2.0,
        1 => -3000.0..-700.0,
        1 => Just(-1e-9),
        1 => Just(f64::NEG_INFINITY),
    ];
    let sample = (any::<u16>(), 0.0..=1.0_f32, log, any::<bool>());
    let samples = prop::collection::vec(sample, 0..5);
    (samples.clone(), samples, prop::option::of(0.0..=1.0)).prop_map(|(inside, outside, weight)| {
        let sample = |(action, reward, log, is_in_memory): (u16, f32, f64, bool)| {
            let mut steps = Steps::default();
            steps.push(Action(action), &[Action(action)]);
            Sample {
                steps,
                reward,
                log_probability: Some(log),
                is_in_memory,
                prior: None,
            }
        };
        Visit {
            memory: inside.len(),
            memory_weight: weight,
            inside: inside.into_iter().map(sample).collect(),
            outside: outside.into_iter().map(sample).collect(),
            ..Visit::default()
        }
    })
}

fn has_baseline(objective: &Objective) -> bool {
    match objective {
        Objective::Mapo(mapo) => mapo.baseline != Baseline::None,
        Objective::Reinforce(reinforce) => reinforce.baseline != 0.0,
        _ => false,
    }
}

proptest! {
    #[test]
    fn weights_are_finite_and_not_negative(objective in objectives(), visit in visits(), step: u64) {
        prop_assert_eq!(objective.check(), Ok(()));
        let mut sum = 0.0;
        let mut problem = None;
        let memory_weight = objective.weigh(step, &visit, &mut |sample, weight| {
            let is_negative = weight < 0.0 && !has_baseline(&objective);
            if !weight.is_finite() || is_negative {
                problem = Some((sample.clone(), weight));
            }
            sum += weight.abs();
        });
        prop_assert_eq!(problem, None);
        // Rewards are at most 1, and either stratum weighs at most 1. (Hard EM takes what it asked for.)
        let is_hard_em = matches!(objective, Objective::HardEm(_));
        prop_assert!(is_hard_em || sum < 2.0 + 1e-9, "{}", sum);
        if let Objective::Mapo(mapo) = &objective {
            match memory_weight {
                None => prop_assert_eq!(visit.memory, 0, "an empty memory weighs nothing"),
                Some(weight) => {
                    prop_assert!((0.0..=1.0).contains(&weight.exact) && weight.used <= 1.0);
                    prop_assert_eq!(weight.used, weight.exact.max(mapo.alpha));
                    prop_assert_eq!(weight.is_clipped(), weight.exact < mapo.alpha);
                }
            }
        } else {
            prop_assert_eq!(memory_weight, None);
        }
    }

    #[test]
    fn an_objective_survives_a_file(objective in objectives()) {
        let text = serde_json::to_string(&objective).unwrap();
        prop_assert_eq!(serde_json::from_str::<Objective>(&text).unwrap(), objective);
    }

    /// π(B), π outside B and log π(a), however programs share prefixes.
    #[test]
    fn scores_are_those_of_the_policy(
        tree in trees(),
        keep in prop::collection::vec(any::<bool>(), 300),
        seed: u64,
    ) {
        let Some(mut fixture) = fixture(&tree, &keep, seed) else { return Ok(()) };
        let task = &mut fixture.task;
        let prefixes = task.env.tree_of(task.memory.iter().map(|(program, _)| program)).expect("programs of the tree");
        let all_steps: Vec<Steps> = (0..prefixes.programs()).map(|place| prefixes.steps(place)).collect();
        for (steps, (program, _)) in all_steps.iter().zip(task.memory.iter()) {
            prop_assert_eq!(steps.actions(), program);
            prop_assert_eq!(Some(steps.clone()), task.env.steps_of(program));
        }
        let policy = &mut fixture.world.policy;
        policy.read(&[&0, &CONTEXT]).unwrap();
        let scores = score_by_level(policy, &[(1, &prefixes)]).unwrap();
        let logs = scores[0].programs(&prefixes);
        for (steps, log) in all_steps.iter().zip(&logs) {
            prop_assert!((policy.log_probability(CONTEXT, steps) - log).abs() < 1e-5);
        }
        let of_steps = PrefixTree::of_steps(&all_steps);
        prop_assert_eq!(score_by_level(policy, &[(1, &of_steps)]).unwrap()[0].programs(&of_steps), logs.clone());
        let inside: f64 = logs.iter().map(|log| log.exp()).sum();
        let outside = scores[0].outside(&prefixes, 0..logs.len());
        prop_assert!((inside + outside[0] - 1.0).abs() < 1e-5, "{} and {}", inside, outside[0]);
        // If some programs are not meant, their mass is outside.
        let half = logs.len() / 2;
        let outside = scores[0].outside(&prefixes, 0..half);
        let inside: f64 = logs[..half].iter().map(|log| log.exp()).sum();
        prop_assert!((inside + outside[0] - 1.0).abs() < 1e-5);
    }

    /// Draws from outside the memory never come from inside, and there are none only where there is nothing.
    #[test]
    fn outside_draws_are_outside(
        tree in trees(),
        keep in prop::collection::vec(any::<bool>(), 300),
        seed: u64,
    ) {
        let Some(mut fixture) = fixture(&tree, &keep, seed) else { return Ok(()) };
        let objective = Objective::Mapo(Mapo { outside: Outside::Exact, outside_draws: 20, ..Mapo::default() });
        let mut actor = Actor::new(objective.clone(), NewPrograms::OFF, seed).unwrap();
        let batch = look(&mut actor, &objective, 0, &mut fixture.task, &mut fixture.world.policy);
        // One is from the memory, where there is one.
        let inside = usize::from(!fixture.task.memory.is_empty());
        let outside = &batch.trajectories[inside..];
        prop_assert_eq!(outside.len(), if fixture.is_everything_known { 0 } else { 20 });
        for drawn in outside {
            prop_assert!(!fixture.task.memory.contains(drawn.steps.actions()));
        }
    }
}

struct Fixture<'a> {
    world: World,
    task: Task<TreeEnv<'a>, u64>,
    /// Whether nothing is outside the memory: neither programs nor dead ends.
    is_everything_known: bool,
}

/// Part of a tree's programs as a memory. None if there is no program at all, or the tree is one.
fn fixture<'a>(tree: &'a Tree, keep: &[bool], seed: u64) -> Option<Fixture<'a>> {
    let programs = tree.programs();
    if programs.is_empty() || matches!(tree, Tree::Program(_)) {
        return None;
    }
    let mut memory = mapo_core::Memory::default();
    for ((program, reward), _) in programs.iter().zip(keep).filter(|(_, keep)| **keep) {
        memory.insert(program, *reward);
    }
    let is_everything_known = memory.len() == programs.len() && !has_dead_end(tree);
    let task = Task::new(1, CONTEXT, TreeEnv::new(tree), memory, 1e-8).expect("programs of the tree");
    Some(Fixture {
        world: World::new(tree.clone(), 3.0, seed),
        task,
        is_everything_known,
    })
}

fn has_dead_end(tree: &Tree) -> bool {
    match tree {
        Tree::Program(_) => false,
        Tree::Fork(branches) => branches.is_empty() || branches.iter().any(|(_, tree)| has_dead_end(tree)),
    }
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let refused = |mapo: Mapo| Objective::Mapo(mapo).check().unwrap_err().to_string();
    let mapo = Mapo::default;
    assert_eq!(
        refused(Mapo { alpha: 1.5, ..mapo() }),
        "`alpha` lies between 0 and 1, not 1.5"
    );
    assert!(
        refused(Mapo {
            alpha: f64::NAN,
            ..mapo()
        })
        .starts_with("`alpha`")
    );
    let decay = AlphaDecay { to: -1.0, steps: 3 };
    assert!(
        refused(Mapo {
            alpha_decay: Some(decay),
            ..mapo()
        })
        .starts_with("`alpha_decay.to`")
    );
    assert!(
        refused(Mapo {
            inside: Inside::Top(0),
            ..mapo()
        })
        .starts_with("`inside`")
    );
    let paper = Mapo {
        outside: Outside::Paper,
        baseline: Baseline::MemoryWeight,
        ..mapo()
    };
    assert!(refused(paper).starts_with("`baseline`"));
    let learner = Mapo {
        weights_from: WeightsFrom::Learner,
        ..mapo()
    };
    assert!(refused(learner).starts_with("`weights_from`"));
    let allocation = Mapo {
        inside: Inside::Enumerated,
        allocation: Allocation::Appendix,
        ..mapo()
    };
    assert!(refused(allocation).starts_with("`allocation`"));
    assert!(
        Objective::Augmented(Augmented {
            lambda: 2.0,
            draws: 1
        })
        .check()
        .is_err()
    );
    assert!(
        Objective::Mml(Mml {
            draws: Some(0),
            ..Mml::default()
        })
        .check()
        .is_err()
    );
    assert!(Objective::Iml(Iml { draws: Some(0) }).check().is_err());
    assert!(
        Objective::Reinforce(Reinforce {
            draws: 0,
            baseline: 0.0
        })
        .check()
        .is_err()
    );
    assert!(
        Actor::new(
            Objective::Reinforce(Reinforce {
                draws: 0,
                baseline: 0.0
            }),
            NewPrograms::OFF,
            0
        )
        .is_err()
    );
}
