//! Random finite environments, small enough to list all their programs.
#![allow(dead_code, reason = "not every test uses all of it")]

pub mod world;

use mapo_core::{Action, Env, Weighing};
use proptest::prelude::*;

/// All that can happen in an environment. A fork without branches is a dead end.
#[derive(Clone, Debug)]
pub enum Tree {
    Program(f32),
    Fork(Vec<(Action, Tree)>),
}

impl Tree {
    /// Every program with its reward.
    pub fn programs(&self) -> Vec<(Vec<Action>, f32)> {
        let mut programs = Vec::new();
        self.collect(&mut Vec::new(), &mut programs);
        programs.sort_by(|one, other| one.0.cmp(&other.0));
        programs
    }

    fn collect(&self, prefix: &mut Vec<Action>, programs: &mut Vec<(Vec<Action>, f32)>) {
        match self {
            Tree::Program(reward) => programs.push((prefix.clone(), *reward)),
            Tree::Fork(branches) => {
                for (action, tree) in branches {
                    prefix.push(*action);
                    tree.collect(prefix, programs);
                    prefix.pop();
                }
            }
        }
    }
}

/// A random tree: chains of forced actions, dead ends, rewards, and different actions at each fork.
pub fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        3 => Just(Tree::Program(0.0)),
        1 => Just(Tree::Program(1.0)),
        1 => Just(Tree::Fork(Vec::new())),
    ];
    leaf.prop_recursive(7, 200, 6, |inner| {
        (prop::collection::vec(inner, 1..6), 0..1000_u16).prop_map(|(subtrees, first)| {
            let labelled = (first..).map(Action).zip(subtrees);
            Tree::Fork(labelled.collect())
        })
    })
}

/// An environment that walks a tree.
#[derive(Clone, Debug)]
pub struct TreeEnv<'a> {
    path: Vec<&'a Tree>,
}

impl<'a> TreeEnv<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        Self { path: vec![tree] }
    }

    fn here(&self) -> &'a Tree {
        self.path[self.path.len() - 1]
    }
}

impl Env for TreeEnv<'_> {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        if let Tree::Fork(branches) = self.here() {
            valid.extend(branches.iter().map(|(action, _)| *action));
        }
    }

    fn step(&mut self, action: Action) {
        let Tree::Fork(branches) = self.here() else {
            panic!("a step after the end")
        };
        let (_, next) = branches
            .iter()
            .find(|(label, _)| *label == action)
            .expect("a valid action");
        self.path.push(next);
    }

    fn rewind(&mut self, len: usize) {
        assert!(len < self.path.len(), "a rewind to the future");
        self.path.truncate(len + 1);
    }

    fn is_finished(&self) -> bool {
        matches!(self.here(), Tree::Program(_))
    }

    fn reward(&mut self) -> f32 {
        match self.here() {
            Tree::Program(reward) => *reward,
            Tree::Fork(_) => panic!("a reward before the end"),
        }
    }
}

/// Prefers some actions over others and rules some out; it must not keep anything from being tried.
#[derive(Clone)]
pub struct Biased;

impl<E: Env> Weighing<E> for Biased {
    fn weigh(&mut self, _: &E, prefix: &[Action], open: &[Action], weights: &mut Vec<f32>) {
        weights.extend(
            open.iter()
                .map(|action| f32::from((action.0 * 7 + prefix.len() as u16) % 4)),
        );
    }
}
