//! Nothing is tried twice, and a finite space is visited completely: over random environments.

mod common;

use std::ops::ControlFlow;

use common::{Biased, Tree, TreeEnv, trees};
use mapo_core::{
    Action, Draw, Drawn, ExploredSet, Explorer, Met, Plan, PrefixHash, Sweep, Uniform, Walk, Weighing,
    example_rng,
};
use proptest::prelude::*;

type Programs = Vec<(Vec<Action>, f32)>;

/// Tries programs one at a time until there are none left.
fn walk_all<'a>(
    tree: &'a Tree,
    policy: &mut impl Weighing<TreeEnv<'a>>,
    exact_limit: usize,
    seed: u64,
) -> Programs {
    let mut env = TreeEnv::new(tree);
    let mut explored = ExploredSet::with_exact_limit(1e-9, exact_limit);
    let (mut walk, mut rng) = (Walk::default(), example_rng(seed, 0));
    let mut tried = Vec::new();
    loop {
        match walk.draw(&mut env, policy, &mut explored, &mut rng) {
            Draw::Program { reward } => tried.push((walk.prefix().to_vec(), reward)),
            Draw::DeadEnd => {}
            Draw::Complete => return tried,
        }
    }
}

/// Tries programs in sweeps of the given sizes, over and over, until there are none left. Every sweep that
/// meets `patience` programs and dead ends is broken off there.
fn sweep_all<'a>(
    tree: &'a Tree,
    policy: &mut impl Weighing<TreeEnv<'a>>,
    sizes: &[u32],
    patience: u32,
    exact_limit: usize,
    seed: u64,
) -> Programs {
    let mut env = TreeEnv::new(tree);
    let mut explored = ExploredSet::with_exact_limit(1e-9, exact_limit);
    let (mut sweep, mut rng) = (Sweep::default(), example_rng(seed, 0));
    let mut tried = Vec::new();
    for &size in sizes.iter().cycle() {
        let before = tried.len();
        let mut patience = patience;
        let drawn = sweep.draw(&mut env, policy, &mut explored, &mut rng, size, |met| {
            tried.extend(program_of(met));
            patience -= 1;
            if patience == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(tried.len() - before, drawn.programs as usize);
        assert!(
            drawn.programs == size || patience == 0 || explored.is_complete(),
            "a sweep is short for no reason"
        );
        if explored.is_complete() {
            break;
        }
    }
    let after = sweep.draw(&mut env, policy, &mut explored, &mut rng, 10, |_| {
        panic!("something after the end")
    });
    assert_eq!(after, Drawn::default());
    tried
}

fn program_of(met: Met<'_>) -> Option<(Vec<Action>, f32)> {
    match met {
        Met::Program { program, reward } => Some((program.to_vec(), reward)),
        Met::DeadEnd => None,
    }
}

fn sorted(mut programs: Programs) -> Programs {
    programs.sort_by(|one, other| one.0.cmp(&other.0));
    programs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn one_at_a_time_visits_every_program_once(
        tree in trees(),
        seed: u64,
        exact in prop_oneof![Just(0), Just(1000)],
    ) {
        prop_assert_eq!(sorted(walk_all(&tree, &mut Uniform, exact, seed)), tree.programs());
        prop_assert_eq!(sorted(walk_all(&tree, &mut Biased, exact, seed)), tree.programs());
    }

    #[test]
    fn sweeps_visit_every_program_once(
        tree in trees(),
        sizes in prop::collection::vec(1..70_u32, 1..6),
        seed: u64,
        patience in prop_oneof![1..20_u32, Just(u32::MAX)],
        exact in prop_oneof![Just(0), Just(1000)],
    ) {
        prop_assert_eq!(sorted(sweep_all(&tree, &mut Uniform, &sizes, patience, exact, seed)), tree.programs());
        prop_assert_eq!(sorted(sweep_all(&tree, &mut Biased, &sizes, patience, exact, seed)), tree.programs());
    }

    #[test]
    fn walks_and_sweeps_share_an_explored_set(
        tree in trees(),
        turns in prop::collection::vec(0..5_u32, 1..200),
        seed: u64,
    ) {
        let mut env = TreeEnv::new(&tree);
        let mut explored = ExploredSet::new(1e-9);
        let (mut walk, mut sweep, mut rng) = (Walk::default(), Sweep::default(), example_rng(seed, 0));
        let mut tried = Vec::new();
        for turn in turns {
            if turn > 0 {
                sweep.draw(&mut env, &mut Uniform, &mut explored, &mut rng, turn, |met| {
                    tried.extend(program_of(met).map(|(program, _)| program));
                    ControlFlow::Continue(())
                });
            } else if let Draw::Program { .. } = walk.draw(&mut env, &mut Uniform, &mut explored, &mut rng) {
                tried.push(walk.prefix().to_vec());
            }
        }
        let total = tree.programs().len();
        prop_assert!(!explored.is_complete() || tried.len() == total);
        let count = tried.len();
        tried.sort();
        tried.dedup();
        prop_assert_eq!(tried.len(), count, "a program was tried twice");
    }

    #[test]
    fn what_was_visited_is_not_drawn(
        tree in trees(),
        keep in prop::collection::vec(any::<bool>(), 300),
        seed: u64,
    ) {
        let (mut env, mut explored, mut walk) = (TreeEnv::new(&tree), ExploredSet::new(1e-9), Walk::default());
        let (visited, rest): (Vec<_>, Vec<_>) =
            tree.programs().into_iter().zip(&keep).partition(|(_, keep)| **keep);
        for ((program, _), _) in &visited {
            prop_assert!(walk.visit(&mut env, &mut explored, program));
            prop_assert!(!walk.visit(&mut env, &mut explored, program), "it is not new any more");
        }
        let mut rng = example_rng(seed, 0);
        let mut drawn = Vec::new();
        loop {
            match walk.draw(&mut env, &mut Uniform, &mut explored, &mut rng) {
                Draw::Program { reward } => drawn.push((walk.prefix().to_vec(), reward)),
                Draw::DeadEnd => {}
                Draw::Complete => break,
            }
        }
        let rest: Programs = rest.into_iter().map(|(program, _)| program).collect();
        prop_assert_eq!(sorted(drawn), rest);
    }

    #[test]
    fn an_explorer_keeps_what_is_rewarded_and_its_budget(
        tree in trees(),
        programs in 0..150_u64,
        first_batch in 0..40_u32,
        growth in 0..5_u32,
        seed: u64,
    ) {
        let plan = Plan { programs, seed, first_batch, growth, ..Plan::default() };
        let mut explorer = Explorer::new(plan);
        let all = tree.programs();
        let explore = |explorer: &mut Explorer| {
            explorer.explore(3, &mut TreeEnv::new(&tree), &mut Uniform, |_| true).unwrap()
        };
        let once = explore(&mut explorer);
        prop_assert_eq!(once.tried, programs.min(all.len() as u64));
        let is_rewarded =
            |(program, reward): (&[Action], f32)| reward > 0.0 && all.contains(&(program.to_vec(), reward));
        prop_assert!(once.memory.iter().all(is_rewarded));
        if once.is_complete {
            let rewarded = all.iter().filter(|(_, reward)| *reward > 0.0).count();
            prop_assert_eq!(once.memory.len(), rewarded);
        }
        // Whatever the explorer did before, and whoever was stopped in between, the result is the same.
        let given_up = explorer.explore(4, &mut TreeEnv::new(&tree), &mut Uniform, |_| false);
        prop_assert!(programs == 0 || given_up.is_none());
        prop_assert_eq!(&explore(&mut explorer), &once);
        prop_assert_eq!(&explore(&mut Explorer::new(plan)), &once);
    }

    #[test]
    fn hashing_step_by_step_is_hashing_from_scratch(
        actions in prop::collection::vec(any::<u16>().prop_map(Action), 0..40),
    ) {
        let mut hash = PrefixHash::ROOT;
        for len in 0..=actions.len() {
            prop_assert_eq!(hash, PrefixHash::of(&actions[..len]));
            if let Some(&next) = actions.get(len) {
                hash = hash.extend(next);
            }
        }
    }
}

/// A tree of forks as deep as a program may reasonably be must not exhaust a thread's stack.
#[test]
fn deep_environments_are_explored() {
    /// Says "on" or "stop" up to the given depth.
    struct Deep(usize, Vec<Action>);
    impl mapo_core::Env for Deep {
        fn actions(&mut self, valid: &mut Vec<Action>) {
            if !self.is_finished() {
                valid.extend([Action(0), Action(1)]);
            }
        }
        fn step(&mut self, action: Action) {
            self.1.push(action);
        }
        fn rewind(&mut self, len: usize) {
            self.1.truncate(len);
        }
        fn is_finished(&self) -> bool {
            self.1.len() == self.0 || self.1.last() == Some(&Action(1))
        }
        fn reward(&mut self) -> f32 {
            0.0
        }
    }
    let depth = 10_000;
    let plan = Plan {
        programs: 1_000_000,
        ..Plan::default()
    };
    let exploration = Explorer::new(plan)
        .explore(0, &mut Deep(depth, Vec::new()), &mut Uniform, |_| true)
        .unwrap();
    assert!(exploration.is_complete);
    assert_eq!(exploration.tried, depth as u64 + 1);
}

/// An example that leads nearly nowhere is left with what it gave, so that the others get their turn.
#[test]
fn dead_ends_are_not_followed_for_ever() {
    /// A million ways of three turns, of which a hundred are programs.
    struct Barren(Vec<Action>);
    impl mapo_core::Env for Barren {
        fn actions(&mut self, valid: &mut Vec<Action>) {
            if self.0.len() < 3 {
                valid.extend((0..100).map(Action));
            }
        }
        fn step(&mut self, action: Action) {
            self.0.push(action);
        }
        fn rewind(&mut self, len: usize) {
            self.0.truncate(len);
        }
        fn is_finished(&self) -> bool {
            self.0.len() == 3 && self.0[1..] == [Action(0), Action(0)]
        }
        fn reward(&mut self) -> f32 {
            1.0
        }
    }
    let plan = Plan {
        programs: 100,
        ..Plan::default()
    };
    let exploration = Explorer::new(plan)
        .explore(0, &mut Barren(Vec::new()), &mut Uniform, |_| true)
        .unwrap();
    assert_eq!(exploration.dead_ends, 10_000);
    assert!(!exploration.is_complete);
    assert!(exploration.tried < 100);
    assert_eq!(exploration.memory.len() as u64, exploration.tried);
}

#[test]
fn a_frugal_walk_tries_only_what_can_earn_something() {
    /// Three coins. Nothing is earned after tails, and the environment knows it.
    struct Coins(Vec<Action>);
    impl mapo_core::Env for Coins {
        fn actions(&mut self, valid: &mut Vec<Action>) {
            if self.0.len() < 3 {
                valid.extend([Action(0), Action(1)]);
            }
        }
        fn step(&mut self, action: Action) {
            self.0.push(action);
        }
        fn rewind(&mut self, len: usize) {
            self.0.truncate(len);
        }
        fn is_finished(&self) -> bool {
            self.0.len() == 3
        }
        fn reward(&mut self) -> f32 {
            0.0
        }
        fn worthwhile(&mut self, offered: &mut Vec<Action>) {
            if self.0.is_empty() {
                offered.retain(|&action| action == Action(1));
            }
        }
    }
    for (is_frugal, programs) in [(false, 8), (true, 4)] {
        let (mut coins, mut explored) = (Coins(Vec::new()), ExploredSet::new(1e-8));
        let (mut walk, mut rng) = (Walk::default(), example_rng(3, 0));
        walk.frugal(is_frugal);
        let mut tried = Vec::new();
        while let Draw::Program { .. } = walk.draw(&mut coins, &mut Uniform, &mut explored, &mut rng) {
            tried.push(walk.prefix().to_vec());
        }
        assert_eq!(tried.len(), programs);
        let begins_with_tails = |program: &Vec<Action>| program[0] == Action(0);
        assert_eq!(tried.iter().any(begins_with_tails), !is_frugal);
        assert!(explored.is_complete());
    }
}
