//! What can be said about a batch while it is made.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{MemoryWeight, Visit};

/// Counts and sums over the examples of a batch; those of several batches can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Examples visited.
    pub examples: u64,
    /// Examples with something in memory.
    pub solved: u64,
    /// Programs in memory.
    pub programs: u64,
    /// Programs in the largest memory.
    pub largest: u64,
    /// Programs whose probability was asked of the policy.
    pub scored: u64,
    /// π(B) of the examples whose memory was scored and is not empty.
    pub memory_weight: Mean,
    /// 1 for an example with π(B) < α, 0 for one without, where the memory is not empty.
    pub clip_fraction: Mean,
    /// What the policy is expected to earn, estimated without bias.
    pub expected_return: Mean,
    /// Whether a program drawn from the policy was in memory.
    pub draws_in_memory: Mean,
    /// Programs tried by systematic exploration.
    pub explored: u64,
    /// Walks of systematic exploration that came to a prefix with nothing new below.
    pub dead_ends: u64,
    /// Programs that joined the memory, found by exploration.
    pub found_exploring: u64,
    /// Programs that joined the memory, drawn for the objective.
    pub found_drawing: u64,
}

/// A mean that can be added to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        self.sum += number;
        self.count += 1;
    }

    /// The mean, if there was any number.
    pub fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// How many numbers there were.
    pub fn count(self) -> u64 {
        self.count
    }
}

impl AddAssign for Mean {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.count = self.count.saturating_add(other.count);
    }
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        // Written so that a new field cannot be forgotten.
        let Self {
            examples,
            solved,
            programs,
            largest,
            scored,
            memory_weight,
            clip_fraction,
            expected_return,
            draws_in_memory,
            explored,
            dead_ends,
            found_exploring,
            found_drawing,
        } = other;
        // What a stranger has counted may be anything.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.examples, examples);
        add(&mut self.solved, solved);
        add(&mut self.programs, programs);
        self.largest = self.largest.max(largest);
        add(&mut self.scored, scored);
        self.memory_weight += memory_weight;
        self.clip_fraction += clip_fraction;
        self.expected_return += expected_return;
        self.draws_in_memory += draws_in_memory;
        add(&mut self.explored, explored);
        add(&mut self.dead_ends, dead_ends);
        add(&mut self.found_exploring, found_exploring);
        add(&mut self.found_drawing, found_drawing);
    }
}

impl Statistics {
    /// Counts a visit.
    pub(crate) fn see(&mut self, visit: &Visit) {
        self.examples += 1;
        self.solved += u64::from(visit.memory > 0);
        self.programs += visit.memory as u64;
        self.largest = self.largest.max(visit.memory as u64);
        self.scored += visit.scored as u64;
        if let (1.., Some(weight)) = (visit.memory, visit.memory_weight) {
            self.memory_weight.add(weight);
        }
        if let Some(expected) = visit.expected_return {
            self.expected_return.add(expected);
        }
        for sample in &visit.outside {
            self.draws_in_memory.add(f64::from(u8::from(sample.is_in_memory)));
        }
    }

    /// Counts how much a memory weighed.
    pub(crate) fn weigh(&mut self, weight: Option<MemoryWeight>) {
        if let Some(weight) = weight {
            self.clip_fraction.add(f64::from(u8::from(weight.is_clipped())));
        }
    }
}
