//! The order in which examples are visited.

use crate::chance::example_rng;

/// Which examples are in which batch: each pass over them in a new random order, known from the seed and the
/// batch's number alone, so that a run can go on anywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    examples: usize,
    batch: usize,
    seed: u64,
}

impl Order {
    /// The order of this many examples in batches; what a pass has left over comes again in another.
    pub fn new(examples: usize, batch: usize, seed: u64) -> Self {
        Self {
            examples,
            batch: batch.clamp(1, examples.max(1)),
            seed,
        }
    }

    /// Batches in one pass.
    fn batches(&self) -> u64 {
        (self.examples / self.batch).max(1) as u64
    }

    /// The examples of a batch, none of them twice.
    pub fn batch(&self, number: u64) -> Vec<usize> {
        let (pass, place) = (number / self.batches(), (number % self.batches()) as usize);
        self::pass(self.examples, self.seed, pass)
            .into_iter()
            .skip(place * self.batch)
            .take(self.batch)
            .collect()
    }
}

/// The order of this many examples in one pass.
pub(super) fn pass(examples: usize, seed: u64, pass: u64) -> Vec<usize> {
    use rand::RngExt;
    let mut places: Vec<usize> = (0..examples).collect();
    let mut rng = example_rng(seed ^ 0x6f72_6465_7200, pass);
    for last in (1..places.len()).rev() {
        places.swap(last, rng.random_range(0..=last));
    }
    places
}
