//! Which programs of a memory are scored at a visit.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::roles::Unusable;

/// How much of a large memory is scored at each visit: the best programs by their last score, and a sample of
/// the rest in which each counts by the inverse of its chance to be there.
///
/// The weighted sum over what is scored has π(B) as its mean, whatever the last scores were: they only decide
/// how much it varies. Where [`Mapo`](crate::Mapo) draws inside B, outside by rejection and nothing is
/// clipped, the gradient has no bias either: a program is drawn with the share that it has of the estimate,
/// and then counts as much as the estimate. What is not linear in the estimate keeps a bias that shrinks with
/// its variance: max(π(B), α) near α, the bound of 1 on an estimate above it, π(B) as a baseline, and the
/// shares alone, as [`Mml`](crate::Mml) uses them. With [`Inside::Top`](crate::Inside::Top) and an exact
/// outside nothing is biased, but the best are those of what was scored; the same holds for
/// [`HardEm`](crate::HardEm). An objective that takes all of B, or draws from π⁻ outside all of it, always
/// has the whole memory scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryScoring {
    /// A memory of up to this many programs is scored whole.
    pub whole: usize,
    /// Of a larger one this many of the best by their last score are scored, and all that are new.
    pub best: usize,
    /// And this many of the others, drawn.
    pub sample: usize,
}

impl Default for MemoryScoring {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl MemoryScoring {
    /// Memories are scored whole, however large they are.
    pub const WHOLE: Self = Self {
        whole: u32::MAX as usize,
        best: 128,
        sample: 64,
    };

    /// Whether the settings make sense.
    ///
    /// # Errors
    /// If nothing would be drawn: then what is not among the best would never be seen again.
    pub fn check(self) -> Result<(), Unusable> {
        Unusable::unless(self.sample > 0, "sample", "must be at least 1")
    }

    /// Chooses what is scored of a memory of this many programs. `last` gets an entry for each program as
    /// soon as the memory is too large to be scored whole.
    pub(super) fn select(self, programs: usize, last: &mut LastScores, rng: &mut impl Rng) -> Selection {
        if programs <= self.whole || programs <= self.best + self.sample {
            return Selection::whole(programs);
        }
        // All are strangers at the first visit; those that come later are scored at once.
        let known = if last.0.is_empty() { programs } else { last.0.len() };
        last.0.resize(programs, LastScores::NONE);
        let mut best: Vec<usize> = (0..known).filter(|&place| last.get(place).is_some()).collect();
        if best.len() > self.best {
            let by_score = |one: &usize, other: &usize| {
                let order = last.0[*other].total_cmp(&last.0[*one]);
                order.then(one.cmp(other))
            };
            if self.best > 0 {
                best.select_nth_unstable_by(self.best - 1, by_score);
            }
            best.truncate(self.best);
        }
        let mut chance = vec![0.0; programs];
        best.iter().for_each(|&place| chance[place] = 1.0);
        chance[known..].fill(1.0);
        let left = self.best + self.sample - best.len();
        let others: Vec<usize> = (0..known).filter(|&place| chance[place] == 0.0).collect();
        for (&place, size) in others.iter().zip(last.sizes(&others)) {
            // Half the chance is the same for all: a program that was unlikely once may not be so any more.
            let share = 0.5 / others.len() as f64 + 0.5 * size;
            chance[place] = (left as f64 * share).min(1.0);
        }
        Selection::draw(&chance, rng)
    }
}

/// log π(a) of the programs of a memory when they were last scored; empty as long as it is scored whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LastScores(Vec<f32>);

impl LastScores {
    /// Stands for a program that was never scored. No logarithm of a probability is above 0.
    const NONE: f32 = 1.0;

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of programs of which something may be known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, place: usize) -> Option<f32> {
        self.0.get(place).copied().filter(|&score| score != Self::NONE)
    }

    /// Takes note of scores, where notes are kept.
    pub(super) fn note(&mut self, places: &[usize], logs: &[f64]) {
        if self.0.is_empty() {
            return;
        }
        for (&place, &log) in places.iter().zip(logs) {
            // Finite, so that it survives a file.
            self.0[place] = log.clamp(f32::MIN.into(), 0.0) as f32;
        }
    }

    /// The shares that some programs had of their common probability; one that was never scored counts like
    /// the mean of the others.
    fn sizes(&self, places: &[usize]) -> Vec<f64> {
        let known = || places.iter().filter_map(|&place| self.get(place));
        let largest = known().fold(f32::MIN, f32::max);
        let size = |score: f32| f64::from(score - largest).exp();
        let (sum, count) = known().fold((0.0, 0_usize), |(sum, count), score| {
            (sum + size(score), count + 1)
        });
        let mean = if count > 0 { sum / count as f64 } else { 1.0 };
        let mut sizes: Vec<f64> = places
            .iter()
            .map(|&place| self.get(place).map_or(mean, size))
            .collect();
        let total: f64 = sizes.iter().sum();
        sizes.iter_mut().for_each(|size| *size /= total);
        sizes
    }
}

/// Programs of a memory, by their places in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Selection {
    /// In the order of the memory.
    pub places: Vec<usize>,
    /// How much each counts: the inverse of its chance to be here.
    pub counts: Vec<f64>,
    /// Whether this is all of the memory.
    pub is_whole: bool,
}

impl Selection {
    pub fn whole(programs: usize) -> Self {
        Self {
            places: (0..programs).collect(),
            counts: vec![1.0; programs],
            is_whole: true,
        }
    }

    /// Draws each program with its own chance: on a line on which each is as long as its chance, points at
    /// distances of 1 from a random first one are taken. Neighbours in the memory are alike, and this spreads
    /// over them.
    fn draw(chances: &[f64], rng: &mut impl Rng) -> Self {
        let mut selection = Self::default();
        let mut next: f64 = rng.random();
        let mut reached = 0.0;
        for (place, &chance) in chances.iter().enumerate() {
            // What is certain takes no part in the drawing.
            let is_drawn = chance >= 1.0 || {
                reached += chance;
                reached > next
            };
            if is_drawn {
                if chance < 1.0 {
                    next += 1.0;
                }
                selection.places.push(place);
                selection.counts.push(1.0 / chance.min(1.0));
            }
        }
        selection
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::example_rng;

    proptest! {
        #[test]
        fn every_program_counts_once_on_average(
            scores in prop::collection::vec(prop_oneof![Just(LastScores::NONE), -30.0..0.0_f32], 12..40),
            new in 0..3_usize,
            best in 0..5_usize,
            seed: u64,
        ) {
            let scoring = MemoryScoring { whole: 6, best, sample: 4 };
            let programs = scores.len() + new;
            let mut rng = example_rng(seed, 0);
            let rounds = 3000;
            let (mut counts, mut squares) = (vec![0.0; programs], vec![0.0; programs]);
            for _ in 0..rounds {
                let mut last = LastScores(scores.clone());
                let Selection { places, counts: weights, is_whole } = scoring.select(programs, &mut last, &mut rng);
                prop_assert!(!is_whole && places.is_sorted());
                prop_assert!(places.len() <= best + scoring.sample + new + 1, "{} of them", places.len());
                for (place, weight) in places.into_iter().zip(weights) {
                    counts[place] += weight;
                    squares[place] += weight * weight;
                }
            }
            // One that is nearly certain may never have been missing, so that its error looks like 0.
            for (count, square) in counts.iter().zip(squares) {
                let mean = count / f64::from(rounds);
                let error = ((square / f64::from(rounds) - mean * mean).max(0.0) / f64::from(rounds)).sqrt();
                prop_assert!((mean - 1.0).abs() < 6.0 * error + 5e-3, "{mean} ± {error}");
            }
            prop_assert!(counts[scores.len()..].iter().all(|&count| count == f64::from(rounds)), "new ones always");
        }
    }

    #[test]
    fn the_best_are_always_there_and_small_memories_are_whole() {
        let scoring = MemoryScoring {
            whole: 5,
            best: 2,
            sample: 2,
        };
        let mut rng = example_rng(1, 0);
        let mut last = LastScores::default();
        assert_eq!(scoring.select(5, &mut last, &mut rng), Selection::whole(5));
        assert!(last.is_empty(), "nothing is noted while all are scored");
        let first = scoring.select(20, &mut last, &mut rng);
        assert_eq!((last.len(), first.places.len()), (20, 4));
        assert!(
            first.counts.iter().all(|&count| (count - 5.0).abs() < 1e-9),
            "{first:?}"
        );
        let all: Vec<usize> = (0..20).collect();
        let logs: Vec<f64> = all.iter().map(|&place| -((place as f64 - 7.2).abs())).collect();
        last.note(&all, &logs);
        for _ in 0..20 {
            let Selection { places, counts, .. } = scoring.select(20, &mut last, &mut rng);
            for best in [7, 8] {
                assert_eq!(
                    places
                        .iter()
                        .position(|&place| place == best)
                        .map(|at| counts[at]),
                    Some(1.0)
                );
            }
        }
        last.note(&[3], &[f64::NEG_INFINITY]);
        let text = serde_json::to_string(&last).unwrap();
        assert_eq!(serde_json::from_str::<LastScores>(&text).unwrap(), last);
    }
}
