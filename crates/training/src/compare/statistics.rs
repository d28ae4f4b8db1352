//! How sure one can be that one variant is better than another.
//!
//! Two variants are measured on the same questions, and with the same seeds, so they are compared question
//! by question and seed by seed: `d[s][q]` is +1, 0 or −1, what the variant got right less what the
//! reference got right. The estimate is the mean of all d. Two things make it uncertain: that these
//! questions were asked and not others, and that these seeds were taken. So the bootstrap draws both anew,
//! again and again: as many questions as there are, and of S seeds S − 1, always with replacement, which
//! gives the variance over seeds without the shrinkage that draws of S would have. A drawn question or seed
//! brings both variants along, so what they have in common cancels out.
//!
//! With one seed only the questions are drawn, and the interval says nothing about other seeds. With few it
//! is somewhat too narrow, as any bootstrap of few is.

use mapo_core::example_rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The numbers of several runs, summed up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The standard deviation over runs (of a sample: divided by one less than their number); none for a
    /// single run.
    pub std: Option<f64>,
    /// The numbers, in the order of the seeds.
    pub values: Vec<f64>,
}

impl Summary {
    /// Sums numbers up; nothing if there are none.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let std = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        Some(Self { mean, std, values })
    }
}

/// How much better a variant is than the reference, as shares of questions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The mean difference.
    pub mean: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How often chance alone would give a difference at least as large, if there were none.
    pub p: f64,
}

/// Which answers were right: a row for each seed, in it an entry for each question.
pub type Verdicts = Vec<Vec<bool>>;

/// The difference between a variant and the reference, by a paired bootstrap of this many draws.
///
/// The interval is that of the percentiles. The p-value is two-sided: the share of draws that are at least
/// as far from the estimate as the estimate is from 0, counting the estimate itself as one draw. The same
/// seed gives the same numbers.
///
/// # Panics
/// If the two do not have the same number of seeds and questions, or have none.
pub fn difference(variant: &Verdicts, reference: &Verdicts, draws: usize, seed: u64) -> Difference {
    let seeds = variant.len();
    let questions = variant.first().map_or(0, Vec::len);
    assert!(seeds > 0 && questions > 0, "there is something to compare");
    assert_eq!(seeds, reference.len(), "both have the same seeds");
    let all = || variant.iter().chain(reference);
    assert!(
        all().all(|row| row.len() == questions),
        "both answer the same questions"
    );
    // The differences of a question lie together, since a question is drawn with all its seeds.
    let mut d = vec![0_i64; questions * seeds];
    for (s, (ours, theirs)) in variant.iter().zip(reference).enumerate() {
        for (q, (&our, &their)) in ours.iter().zip(theirs).enumerate() {
            d[q * seeds + s] = i64::from(our) - i64::from(their);
        }
    }
    let mean = d.iter().sum::<i64>() as f64 / d.len() as f64;
    let mut rng = example_rng(seed ^ 0x626f_6f74, 0);
    let drawn_seeds = (seeds - 1).max(1);
    let mut times = vec![0_i64; seeds];
    let mut draw = || {
        times.fill(0);
        (0..drawn_seeds).for_each(|_| times[rng.random_range(0..seeds)] += 1);
        let mut sum = 0;
        for _ in 0..questions {
            let first = rng.random_range(0..questions) * seeds;
            let drawn = d[first..first + seeds].iter().zip(&times);
            sum += drawn.map(|(d, times)| d * times).sum::<i64>();
        }
        sum as f64 / (questions * drawn_seeds) as f64
    };
    let mut drawn: Vec<f64> = (0..draws).map(|_| draw()).collect();
    drawn.sort_unstable_by(f64::total_cmp);
    // Sums of whole numbers divided: what is equal may differ in the last bit.
    let far = mean.abs() - 1e-12;
    let as_far = drawn.iter().filter(|drawn| (**drawn - mean).abs() >= far).count();
    Difference {
        mean,
        low: percentile(&drawn, 0.025).unwrap_or(mean),
        high: percentile(&drawn, 0.975).unwrap_or(mean),
        p: (as_far + 1) as f64 / (draws + 1) as f64,
    }
}

/// A percentile of sorted numbers, by a straight line between neighbours.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn verdicts() -> impl Strategy<Value = (Verdicts, Verdicts)> {
        (1_usize..5, 1_usize..40).prop_flat_map(|(seeds, questions)| {
            let one = || {
                let row = proptest::collection::vec(any::<bool>(), questions);
                proptest::collection::vec(row, seeds)
            };
            (one(), one())
        })
    }

    fn share(verdicts: &Verdicts) -> f64 {
        let all: Vec<bool> = verdicts.iter().flatten().copied().collect();
        all.iter().filter(|right| **right).count() as f64 / all.len() as f64
    }

    proptest! {
        #[test]
        fn identical_runs_do_not_differ((one, _) in verdicts(), seed: u64) {
            let difference = difference(&one, &one, 200, seed);
            prop_assert_eq!(difference, Difference { mean: 0.0, low: 0.0, high: 0.0, p: 1.0 });
        }

        #[test]
        fn the_seed_decides((one, other) in verdicts(), seed: u64) {
            prop_assert_eq!(difference(&one, &other, 200, seed), difference(&one, &other, 200, seed));
        }

        #[test]
        fn the_mean_is_that_of_the_accuracies_and_all_is_in_order((one, other) in verdicts(), seed: u64) {
            let forward = difference(&one, &other, 400, seed);
            prop_assert!((forward.mean - (share(&one) - share(&other))).abs() < 1e-12);
            prop_assert!(-1.0 <= forward.low && forward.low <= forward.high && forward.high <= 1.0);
            prop_assert!(0.0 < forward.p && forward.p <= 1.0);
            // Seen from the other side it is the same.
            let backward = difference(&other, &one, 400, seed);
            prop_assert_eq!(forward.mean, -backward.mean);
            prop_assert!((forward.low + backward.high).abs() < 1e-12);
            prop_assert!((forward.high + backward.low).abs() < 1e-12);
            prop_assert_eq!(forward.p, backward.p);
        }

        #[test]
        fn the_order_of_questions_does_not_matter_to_the_mean((one, other) in verdicts(), seed: u64) {
            let turned = |verdicts: &Verdicts| -> Verdicts {
                verdicts.iter().map(|row| row.iter().rev().copied().collect()).collect()
            };
            let (there, back) = (
                difference(&one, &other, 50, seed),
                difference(&turned(&one), &turned(&other), 50, seed),
            );
            prop_assert_eq!(there.mean, back.mean);
        }

        #[test]
        fn a_summary_is_the_mean_and_the_spread(values in proptest::collection::vec(0.0_f64..1.0, 1..9)) {
            let summary = Summary::of(values.clone()).unwrap();
            let (low, high) = values.iter().fold((1.0_f64, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
            prop_assert!(low - 1e-12 <= summary.mean && summary.mean <= high + 1e-12);
            prop_assert_eq!(summary.std.is_some(), values.len() > 1);
            prop_assert!(summary.std.unwrap_or(0.0) <= high - low + 1e-12);
        }
    }

    #[test]
    fn a_summary_of_known_numbers() {
        let summary = Summary::of(vec![1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!(summary.mean, 3.0);
        assert!((summary.std.unwrap() - (14.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Summary::of(Vec::new()), None);
    }

    /// Questions of different difficulty, runs of different luck, and a true difference.
    fn world(truth: f64, number: u64) -> (Verdicts, Verdicts) {
        const QUESTIONS: usize = 150;
        const SEEDS: usize = 6;
        let mut rng = example_rng(77, number);
        let difficulty: Vec<f64> = (0..QUESTIONS).map(|_| rng.random_range(0.2..0.7)).collect();
        let mut runs = |gain: f64| -> Verdicts {
            (0..SEEDS)
                .map(|_| {
                    let luck = rng.random_range(-0.03..0.03);
                    let chances = difficulty.iter().map(|chance| chance + gain + luck);
                    chances.map(|chance| rng.random_bool(chance)).collect()
                })
                .collect()
        };
        let variant = runs(truth);
        (variant, runs(0.0))
    }

    #[test]
    fn the_interval_covers_the_truth_about_as_often_as_it_says() {
        let worlds = 200;
        let covered = (0..worlds).filter(|&number| {
            let (variant, reference) = world(0.1, number);
            let found = difference(&variant, &reference, 300, number);
            found.low <= 0.1 && 0.1 <= found.high
        });
        let covered = covered.count();
        assert!((180..=200).contains(&covered), "{covered} of {worlds}");
    }

    #[test]
    fn a_difference_is_seen_where_there_is_one_and_seldom_where_there_is_none() {
        let significant = |truth: f64| {
            let found = (0..100).filter(|&number| {
                let (variant, reference) = world(truth, number);
                difference(&variant, &reference, 300, number).p < 0.05
            });
            found.count()
        };
        let (seen, false_alarms) = (significant(0.2), significant(0.0));
        assert!(seen >= 95, "{seen} of 100");
        assert!(false_alarms <= 12, "{false_alarms} of 100");
    }
}
