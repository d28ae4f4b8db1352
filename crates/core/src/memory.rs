//! The programs that earned a reward.

use serde::{Deserialize, Serialize};

use crate::program::prefix::HashedSet;
use crate::program::{Action, PrefixHash};

/// The distinct rewarded programs of one example, in the order in which they were found (the paper's B).
///
/// Nothing is ever forgotten. All programs lie one after the other in one array.
///
/// ```
/// use mapo_core::{Action, Memory};
///
/// let mut memory = Memory::default();
/// let program = [Action(4), Action(2)];
/// assert!(memory.insert(&program, 1.0));
/// assert!(!memory.insert(&program, 1.0), "it was there already");
/// assert_eq!(memory.program(0), &program);
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Memory {
    actions: Vec<Action>,
    /// Where each program ends in `actions`.
    ends: Vec<u32>,
    rewards: Vec<f32>,
    /// How far each program is believed to mean the right thing; empty as long as nothing is said.
    priors: Vec<f32>,
    known: HashedSet,
}

impl Memory {
    /// Adds a program and its reward at the end, unless the program is there already. Says whether it was
    /// added.
    pub fn insert(&mut self, program: &[Action], reward: f32) -> bool {
        let is_new = self.known.insert(PrefixHash::of(program).get());
        if is_new {
            self.actions.extend_from_slice(program);
            self.ends.push(self.actions.len() as u32);
            self.rewards.push(reward);
            if !self.priors.is_empty() {
                // Nothing is known of it that would speak for it.
                self.priors.push(self.priors.iter().copied().fold(1.0, f32::min));
            }
        }
        is_new
    }

    /// Says how far each program is believed to mean the right thing: above 0 and at most 1, one number for
    /// each. What joins later is believed as little as the least of them.
    ///
    /// # Panics
    /// If there is not one number for each program.
    pub fn believe(&mut self, priors: Vec<f32>) {
        assert_eq!(priors.len(), self.len(), "one for each program");
        self.priors = priors;
    }

    /// How far the programs are believed to mean the right thing; nothing if all are alike.
    pub fn priors(&self) -> Option<&[f32]> {
        (!self.priors.is_empty()).then_some(&self.priors)
    }

    /// Whether the program is there. Programs are told apart by their 64-bit hashes.
    pub fn contains(&self, program: &[Action]) -> bool {
        self.known.contains(&PrefixHash::of(program).get())
    }

    /// The number of programs.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no program has been found yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The program found as the `index`th, from 0.
    ///
    /// # Panics
    /// If there is no such program.
    pub fn program(&self, index: usize) -> &[Action] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.actions[start as usize..self.ends[index] as usize]
    }

    /// The reward of the program found as the `index`th, from 0.
    ///
    /// # Panics
    /// If there is no such program.
    pub fn reward(&self, index: usize) -> f32 {
        self.rewards[index]
    }

    /// All programs with their rewards, in the order of finding.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[Action], f32)> {
        (0..self.len()).map(|index| (self.program(index), self.reward(index)))
    }
}

/// A program that joined a memory, on its way to whoever keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The number of the example in whose memory it is.
    pub example: u64,
    /// The program.
    pub program: Vec<Action>,
    /// What it earned.
    pub reward: f32,
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.actions == other.actions
            && self.ends == other.ends
            && self.rewards == other.rewards
            && self.priors == other.priors
    }
}

/// What a memory looks like in a file. What is believed of its programs is kept elsewhere.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Stored(Vec<(Vec<Action>, f32)>);

impl From<Memory> for Stored {
    fn from(memory: Memory) -> Self {
        Self(
            memory
                .iter()
                .map(|(program, reward)| (program.to_vec(), reward))
                .collect(),
        )
    }
}

impl From<Stored> for Memory {
    fn from(stored: Stored) -> Self {
        let mut memory = Self::default();
        for (program, reward) in stored.0 {
            memory.insert(&program, reward);
        }
        memory
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_each_program_once_in_the_order_of_finding(
            found in prop::collection::vec(
                (prop::collection::vec((0..3_u16).prop_map(Action), 0..5), 0.1..1.0_f32),
                0..60,
            ),
        ) {
            let mut memory = Memory::default();
            let mut expected: Vec<(Vec<Action>, f32)> = Vec::new();
            for (program, reward) in found {
                let is_new = expected.iter().all(|(known, _)| *known != program);
                prop_assert_eq!(memory.contains(&program), !is_new);
                prop_assert_eq!(memory.insert(&program, reward), is_new);
                if is_new {
                    expected.push((program, reward));
                }
            }
            prop_assert_eq!(memory.len(), expected.len());
            prop_assert!(memory.iter().eq(expected.iter().map(|(program, reward)| (&program[..], *reward))));
            let text = serde_json::to_string(&memory).unwrap();
            let mut copy: Memory = serde_json::from_str(&text).unwrap();
            prop_assert!(copy == memory);
            prop_assert!(expected.iter().all(|(program, reward)| !copy.insert(program, *reward)));
        }
    }
}
