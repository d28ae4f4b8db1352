//! The order in which examples of several groups are visited.

use std::ops::Range;

use super::Group;
use super::order::pass;
use crate::chance::mix;

/// Which examples are in which batch where groups share it by their weights: each group goes through its own
/// examples in passes, each in a new random order, and gives to every batch what is due to it so far. Known
/// from the seed and the batch's number alone, so that a run can go on anywhere.
#[derive(Clone, Debug)]
pub(super) struct Mixing {
    shares: Vec<f64>,
    /// The group with the largest share, which takes what rounding leaves.
    largest: usize,
    batch: usize,
}

impl Mixing {
    /// The shares of groups in batches.
    pub fn new(groups: &[Group], batch: usize) -> Self {
        let all: f64 = groups.iter().map(|group| group.weight).sum();
        let shares: Vec<f64> = groups.iter().map(|group| group.weight / all).collect();
        let largest = (0..shares.len()).max_by(|&one, &other| shares[one].total_cmp(&shares[other]));
        Self {
            largest: largest.unwrap_or(0),
            shares,
            batch,
        }
    }

    /// The most examples that a group has in a batch.
    pub fn most(&self, group: usize) -> usize {
        let due = (self.batch as f64 * self.shares[group]).ceil() as usize;
        match group == self.largest {
            true => due + self.shares.len() - 1,
            false => due.max(1),
        }
    }

    /// How many examples of a group are in the first batches. Each batch has as many as it should in all.
    fn taken(&self, group: usize, batches: u64) -> u64 {
        let due = |group: usize| {
            let visits = batches as f64 * self.batch as f64;
            (visits * self.shares[group] + 0.5).floor() as u64
        };
        if group != self.largest {
            return due(group);
        }
        let others = (0..self.shares.len()).filter(|&other| other != group);
        batches * self.batch as u64 - others.map(due).sum::<u64>()
    }

    /// The examples of a batch, by their places, where each group has these. A group with fewer examples
    /// than are due in a batch has all of them in it, and where one pass ends within a batch an example may
    /// come up in two; it is there once.
    pub fn batch(&self, places: &[Range<usize>], seed: u64, number: u64) -> Vec<usize> {
        let mut picked = Vec::with_capacity(self.batch);
        for (group, places) in places.iter().enumerate() {
            let size = places.len() as u64;
            let (first, end) = (self.taken(group, number), self.taken(group, number + 1));
            if size == 0 || first == end {
                continue;
            }
            let seed = seed ^ mix(group as u64 + 1);
            for turn in first / size..=(end - 1) / size {
                let begins = turn * size;
                let here = first.max(begins)..end.min(begins + size);
                let order = pass(places.len(), seed, turn);
                let here = here.map(|visit| places.start + order[(visit - begins) as usize]);
                picked.extend(here);
            }
        }
        picked.sort_unstable();
        picked.dedup();
        picked
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn groups(sizes: &[(usize, f64)]) -> Vec<Group> {
        let group = |&(examples, weight)| Group { examples, weight };
        sizes.iter().map(group).collect()
    }

    fn places(groups: &[Group]) -> Vec<Range<usize>> {
        let mut start = 0;
        let range = |group: &Group| {
            start += group.examples;
            start - group.examples..start
        };
        groups.iter().map(range).collect()
    }

    proptest! {
        #[test]
        fn each_group_has_its_share_whatever_its_size_and_goes_through_all_it_has(
            sizes in prop::collection::vec((40..200_usize, 0.2..5.0_f64), 1..4),
            batch in 12..30_usize,
            seed: u64,
        ) {
            let groups = groups(&sizes);
            let (mixing, places) = (Mixing::new(&groups, batch), places(&groups));
            let all: f64 = sizes.iter().map(|(_, weight)| weight).sum();
            let batches = 200;
            let mut visits = vec![0_u64; places.last().unwrap().end];
            for number in 0..batches {
                let picked = mixing.batch(&places, seed, number);
                prop_assert_eq!(&picked, &mixing.batch(&places, seed, number), "known from its number");
                prop_assert!(picked.is_sorted() && picked.len() <= batch);
                for (group, places) in places.iter().enumerate() {
                    let here = picked.iter().filter(|place| places.contains(place)).count();
                    prop_assert!(here <= mixing.most(group), "{here} of group {group}");
                }
                picked.iter().for_each(|&place| visits[place] += 1);
            }
            for ((group, places), (size, weight)) in places.iter().enumerate().zip(&sizes) {
                let taken = mixing.taken(group, batches);
                let due = batches as f64 * batch as f64 * weight / all;
                prop_assert!((taken as f64 - due).abs() <= sizes.len() as f64, "{taken} of {due}");
                // What is missing came up twice in one batch.
                let visits = &visits[places.clone()];
                let seen: u64 = visits.iter().sum();
                prop_assert!(seen <= taken && seen as f64 > 0.9 * taken as f64, "{seen} of {taken}");
                let passes = taken / *size as u64;
                prop_assert!(visits.iter().all(|&count| count <= passes + 1));
            }
        }
    }

    #[test]
    fn a_group_with_few_examples_has_none_twice_in_a_batch() {
        let groups = groups(&[(3, 1.0), (100, 1.0)]);
        let (mixing, places) = (Mixing::new(&groups, 20), places(&groups));
        for number in 0..10 {
            let picked = mixing.batch(&places, 7, number);
            assert_eq!(picked[..3], [0, 1, 2]);
            assert_eq!(picked.len(), 13);
        }
    }
}
