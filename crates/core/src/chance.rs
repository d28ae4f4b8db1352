//! Random choices among weighted branches, and the seeds they start from.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random generator of one example: it depends on nothing but the run's seed and the example's number, so
/// a result is the same whichever thread gets the example, and whatever was explored before it.
pub fn example_rng(seed: u64, example: u64) -> Xoshiro256PlusPlus {
    // Mixing the number first keeps example 1 of seed 2 apart from example 2 of seed 1.
    Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(example.wrapping_add(0x9e37_79b9_7f4a_7c15))))
}

/// A bijection of 64-bit numbers in which every bit of the result depends on every bit of `x`: the output
/// function of the SplitMix64 generator.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// One of `count` branches: by `weights`, or all equally likely if there are none (or they say nothing).
#[inline]
pub(crate) fn choose<W: Copy + Into<f64>>(count: usize, weights: &[W], rng: &mut impl Rng) -> usize {
    if count == 1 {
        return 0;
    }
    let total: f64 = weights.iter().map(|&weight| weight.into()).sum();
    if !says_something(total) {
        return rng.random_range(0..count);
    }
    let mut left = rng.random::<f64>() * total;
    for (index, &weight) in weights.iter().enumerate() {
        left -= weight.into();
        if left < 0.0 {
            return index;
        }
    }
    // Rounding may leave a crumb: it belongs to the last branch that can be taken at all.
    weights
        .iter()
        .rposition(|&weight| weight.into() > 0.0)
        .unwrap_or(0)
}

/// Anything that receives a part of the programs to draw.
pub(crate) trait Share {
    fn weight(&self) -> f32;
    fn give(&mut self, share: u32);
}

/// Gives each of the equally likely branches its part of `amount`: all get the same, and what is left over
/// goes to different ones drawn at random, one each. Puts those with something to do first and returns their
/// number.
///
/// Every branch gets what independent draws would give it on average, but never two programs while a sibling
/// that could take one gets none: less is lost on branches that hold only one program, and the others are
/// covered more evenly.
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

/// Gives each branch its part of `amount` by weight: `amount` points at equal distances, shifted by one
/// random number, on a line on which each branch is as long as it is likely. A branch gets what it would on
/// average, rounded up or down.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Part {
        weight: f32,
        share: u32,
    }

    impl Share for Part {
        fn weight(&self) -> f32 {
            self.weight
        }

        fn give(&mut self, share: u32) {
            self.share = share;
        }
    }

    fn parts(weights: &[f32]) -> Vec<Part> {
        weights.iter().map(|&weight| Part { weight, share: 0 }).collect()
    }

    proptest! {
        #[test]
        fn equal_parts_differ_by_one_at_most(count in 1..40_usize, amount in 0..200_u32, seed: u64) {
            let mut branches = parts(&vec![1.0; count]);
            let takers = split_evenly(amount, &mut branches, &mut example_rng(seed, 0));
            let shares = || branches[..takers].iter().map(|branch| branch.share);
            prop_assert_eq!(shares().sum::<u32>(), amount);
            let fair = amount / count as u32;
            prop_assert!(shares().all(|share| share == fair || share == fair + 1));
        }

        #[test]
        fn parts_by_weight_are_rounded_up_or_down(
            weights in prop::collection::vec(prop_oneof![Just(0.0_f32), 0.0..1.0_f32], 1..20),
            amount in 1..200_u32,
            seed: u64,
        ) {
            let total: f32 = weights.iter().sum();
            prop_assume!(total > 1e-3);
            let mut branches = parts(&weights);
            let takers = split_by_weight(amount, &mut branches, &mut example_rng(seed, 0));
            prop_assert_eq!(branches[..takers].iter().map(|branch| branch.share).sum::<u32>(), amount);
            for branch in &branches[..takers] {
                let fair = f64::from(branch.weight) / f64::from(total) * f64::from(amount);
                prop_assert!((f64::from(branch.share) - fair).abs() < 1.001, "{} for {fair}", branch.share);
                prop_assert!(branch.weight > 0.0 || branch.share == 0);
            }
        }
    }

    /// Whether chances are as they should be, to about six standard deviations.
    fn assert_near(counted: [u32; 3], draws: u32, chances: [f64; 3]) {
        for (count, chance) in counted.into_iter().zip(chances) {
            let deviation = (f64::from(count) - f64::from(draws) * chance).abs();
            assert!(
                deviation < 6.0 * (f64::from(draws) * 0.25).sqrt(),
                "{counted:?} instead of {chances:?}"
            );
        }
    }

    #[test]
    fn choices_follow_their_weights() {
        let mut rng = example_rng(5, 0);
        for (weights, chances) in [
            (vec![1.0, 2.0, 5.0], [0.125, 0.25, 0.625]),
            (vec![0.0, 0.0, 0.1], [0.0, 0.0, 1.0]),
            (vec![], [1.0 / 3.0; 3]),
            (vec![0.0; 3], [1.0 / 3.0; 3]),
            (vec![f32::NAN, 1.0, 1.0], [1.0 / 3.0; 3]),
        ] {
            let mut chosen = [0; 3];
            for _ in 0..10_000 {
                chosen[choose(3, &weights, &mut rng)] += 1;
            }
            assert_near(chosen, 10_000, chances);
        }
    }

    #[test]
    fn parts_follow_their_weights_on_average() {
        let mut rng = example_rng(6, 0);
        let mut shared = [0; 3];
        for _ in 0..10_000 {
            let mut branches = parts(&[1.0, 2.0, 5.0]);
            split_by_weight(2, &mut branches, &mut rng);
            shared
                .iter_mut()
                .zip(&branches)
                .for_each(|(sum, branch)| *sum += branch.share);
        }
        assert_near(shared, 20_000, [0.125, 0.25, 0.625]);
    }

    #[test]
    fn examples_have_their_own_random_numbers() {
        let mut firsts: Vec<u64> = (0..20)
            .flat_map(|seed| (0..20).map(move |example| example_rng(seed, example).next_u64()))
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 400);
    }
}
