//! Random choices among weighted branches, and the seeds they start from.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::prefix::mix;

/// The random generator of one example: it depends on nothing but the run's seed and the example's number, so a result
/// is the same whichever thread gets the example, and whatever was explored before it.
pub fn example_rng(seed: u64, example: u64) -> Xoshiro256PlusPlus {
    // Mixing the number first keeps example 1 of seed 2 apart from example 2 of seed 1.
    Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(example.wrapping_add(0x9e37_79b9_7f4a_7c15))))
}

/// One of `count` branches: by `weights`, or all equally likely if there are none (or they say nothing).
#[inline]
pub(crate) fn choose(count: usize, weights: &[f32], rng: &mut impl Rng) -> usize {
    if count == 1 {
        return 0;
    }
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    if !says_something(total) {
        return rng.random_range(0..count);
    }
    let mut left = rng.random::<f64>() * total;
    for (index, &weight) in weights.iter().enumerate() {
        left -= f64::from(weight);
        if left < 0.0 {
            return index;
        }
    }
    // Rounding may leave a crumb: it belongs to the last branch that can be taken at all.
    weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0)
}

/// Anything that receives a part of the programs to draw.
pub(crate) trait Share {
    fn weight(&self) -> f32;
    fn give(&mut self, share: u32);
}

/// Gives each of the equally likely branches its part of `amount`: all get the same, and what is left over goes to
/// different ones drawn at random, one each. Puts those with something to do first and returns their number.
///
/// Every branch gets what independent draws would give it on average, but never two programs while a sibling that
/// could take one gets none: less is lost on branches that hold only one program, and the others are covered more evenly.
#[inline]
pub(crate) fn split_evenly<B: Share>(amount: u32, branches: &mut [B], rng: &mut impl Rng) -> usize {
    let count = branches.len();
    let (each, over) = (amount as usize / count, amount as usize % count);
    for taker in 0..over {
        branches.swap(taker, rng.random_range(taker..count));
        branches[taker].give(each as u32 + 1);
    }
    if each == 0 {
        return over;
    }
    branches[over..]
        .iter_mut()
        .for_each(|branch| branch.give(each as u32));
    count
}

/// Gives each branch its part of `amount` by weight: `amount` points at equal distances, shifted by one random number,
/// on a line on which each branch is as long as it is likely. A branch gets what it would on average, rounded up or down.
pub(crate) fn split_by_weight<B: Share>(amount: u32, branches: &mut [B], rng: &mut impl Rng) -> usize {
    let total: f64 = branches.iter().map(|branch| f64::from(branch.weight())).sum();
    // Rounding must neither lose the last point nor give it to a branch that cannot be taken.
    let last = branches.iter().rposition(|branch| branch.weight() > 0.0);
    if !says_something(total) {
        return split_evenly(amount, branches, rng);
    }
    let shift = rng.random::<f64>();
    let mut reached = 0.0;
    let mut given = 0;
    for (index, branch) in branches.iter_mut().enumerate() {
        reached += f64::from(branch.weight());
        let upto = if Some(index) == last {
            amount
        } else {
            ((reached / total * f64::from(amount) + shift) as u32).clamp(given, amount)
        };
        branch.give(upto - given);
        given = upto;
    }
    branches.len()
}

fn says_something(total: f64) -> bool {
    total > 0.0 && total.is_finite()
}
