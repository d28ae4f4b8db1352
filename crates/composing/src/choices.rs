//! Random choices that are the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of choices. Only whole numbers are drawn, by one fixed rule, so that no rounding and no version
/// of a sampling library can change what a seed gives.
#[derive(Debug)]
pub struct Choices(Xoshiro256PlusPlus);

impl Choices {
    /// One of the streams of a seed, none of which overlaps another.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..stream).for_each(|_| generator.jump());
        Choices(generator)
    }

    /// A whole number below `bound`; 0 if there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.0.next_u64() >> 32) * bound as u64) >> 32) as usize
    }

    /// A whole number from `low` to `high`, both included, in steps of `step` from `low`.
    pub fn between(&mut self, low: i64, high: i64, step: i64) -> i64 {
        let steps = (high.max(low) - low) / step.max(1);
        low + step * self.below(steps as usize + 1) as i64
    }

    /// Whether something that happens once in `times` happens now.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the items, if there are any.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Puts the items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_same_everywhere() {
        let mut choices = Choices::new(7, 1);
        let drawn: Vec<usize> = (0..8).map(|_| choices.below(1000)).collect();
        assert_eq!(drawn, [957, 414, 936, 887, 881, 699, 277, 409]);
    }

    #[test]
    fn between_includes_both_ends() {
        let mut choices = Choices::new(1, 1);
        let mut seen: Vec<i64> = (0..200).map(|_| choices.between(3, 9, 2)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [3, 5, 7, 9]);
    }
}
