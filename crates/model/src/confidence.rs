//! How far an answer can be trusted: a map from what the beam says to the share of such answers that are
//! right.
//!
//! A network that was trained to the end gives its programs more probability than they deserve on questions
//! that it has never seen. A [`Calibration`] is a logistic curve of few parameters that was fitted to
//! questions that the model was not trained on, and says of an answer how often answers like it are right. It
//! grows with the probability, so it never changes which answer comes first.

use serde::{Deserialize, Serialize};

use crate::equations::climb;
use crate::{Error, Result};

/// What is known of an answer before it is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signs {
    /// What all programs of the beam with this answer have together.
    pub probability: f64,
    /// How many programs of the beam have it.
    pub programs: usize,
    /// How many words the question has.
    pub words: usize,
    /// Whether another answer comes before it.
    pub is_runner_up: bool,
}

/// An answer of a beam, judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What was known before.
    pub signs: Signs,
    /// Whether it is right.
    pub right: bool,
}

/// Probabilities nearer to 0 or 1 than this are not told apart.
const FINEST: f64 = 1e-4;
/// The least that the curve rises with the log-odds: it must not fall.
const LEAST_SLOPE: f64 = 0.01;
/// How many answers a fit needs at least.
const FEWEST: usize = 50;

/// A fitted map, as a model's card keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The log-odds of an answer of even probability from one program to a question of one word.
    pub bias: f64,
    /// Times the log-odds of the probability; more than nothing.
    pub slope: f64,
    /// Times the logarithm of the number of programs that agree.
    pub agreement: f64,
    /// Times the logarithm of the number of the question's words.
    pub length: f64,
    /// Added for answers that are not the first of their beam; at most nothing.
    pub runner_up: f64,
    /// Below this an answer is a guess; of those from it on at least nine in ten are right.
    pub threshold: f64,
    /// What it was fitted to: the dataset's kind and split.
    pub fitted_to: String,
    /// How many first answers these were.
    pub answers: usize,
}

impl Calibration {
    /// The share of answers like this one that are right.
    pub fn probability(&self, signs: &Signs) -> f64 {
        let [even, odds, agreement, length] = features(signs);
        let runner_up = if signs.is_runner_up { self.runner_up } else { 0.0 };
        let told = logistic(
            self.bias * even
                + self.slope * odds
                + self.agreement * agreement
                + self.length * length
                + runner_up,
        );
        // A card that somebody changed by hand may add up infinities.
        if told.is_nan() { 0.0 } else { told }
    }

    /// The probabilities of all answers of a beam, the first answer first. Together they are no more than 1:
    /// what the runners-up have too much is taken from them.
    pub fn probabilities(&self, signs: &[Signs]) -> Vec<f64> {
        let mut all: Vec<f64> = signs.iter().map(|signs| self.probability(signs)).collect();
        if let Some((first, others)) = all.split_first_mut() {
            let (left, wanted) = (1.0 - *first, others.iter().sum::<f64>());
            // Whatever the number of programs says, the order stays.
            let share = if wanted > left { left / wanted } else { 1.0 };
            let mut most = *first;
            for other in others {
                *other = (*other * share).min(most);
                most = *other;
            }
        }
        all
    }

    /// Fits the curve to the answers of many beams, the first answer of each first, by maximum likelihood
    /// with a weak pull towards no change.
    ///
    /// # Errors
    /// If there are too few answers, or all are right or all are wrong.
    pub fn fit(beams: &[Vec<Judged>], fitted_to: String) -> Result<Self> {
        let firsts: Vec<Judged> = beams.iter().filter_map(|beam| beam.first().copied()).collect();
        let right = firsts.iter().filter(|answer| answer.right).count();
        if firsts.len() < FEWEST || right == 0 || right == firsts.len() {
            return Err(Error::TooFewAnswers {
                needed: FEWEST,
                answers: firsts.len(),
                right,
            });
        }
        let rows: Vec<([f64; 4], bool)> = firsts
            .iter()
            .map(|answer| (features(&answer.signs), answer.right))
            .collect();
        let none = [0.0, 1.0, 0.0, 0.0];
        let mut curve = regress(&rows, none, [true; 4]);
        if curve[1] < LEAST_SLOPE {
            curve = regress(&rows, [0.0, LEAST_SLOPE, 0.0, 0.0], [true, false, true, true]);
        }
        let [bias, slope, agreement, length] = curve;
        let mut fitted = Calibration {
            bias,
            slope,
            agreement,
            length,
            runner_up: 0.0,
            threshold: 0.0,
            fitted_to,
            answers: firsts.len(),
        };
        let others = beams.iter().flat_map(|beam| beam.iter().skip(1));
        fitted.runner_up = fitted.offset_of(others.copied());
        let told = firsts
            .iter()
            .map(|answer| (fitted.probability(&answer.signs), answer.right));
        fitted.threshold = threshold(told.collect());
        Ok(fitted)
    }

    /// What has to be added for the answers to be right as often as they are.
    fn offset_of(&self, answers: impl Iterator<Item = Judged>) -> f64 {
        let answers: Vec<(f64, bool)> = answers
            .map(|answer| (log_odds(self.probability(&answer.signs)), answer.right))
            .collect();
        let right = answers.iter().filter(|(_, right)| *right).count() as f64;
        let expected = |offset: f64| -> f64 { answers.iter().map(|(odds, _)| logistic(odds + offset)).sum() };
        // What is expected grows with the offset.
        let (mut low, mut high) = (-10.0, 0.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            match expected(middle) > right {
                true => high = middle,
                false => low = middle,
            }
        }
        high
    }
}

/// What the curve looks at. The second is the one that orders answers.
fn features(signs: &Signs) -> [f64; 4] {
    [
        1.0,
        log_odds(signs.probability),
        (signs.programs.max(1) as f64).ln(),
        (signs.words.max(1) as f64).ln(),
    ]
}

fn log_odds(probability: f64) -> f64 {
    let probability = probability.clamp(FINEST, 1.0 - FINEST);
    (probability / (1.0 - probability)).ln()
}

fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Logistic regression from, and weakly drawn to, `start`; only what is `free` moves.
fn regress(rows: &[([f64; 4], bool)], start: [f64; 4], free: [bool; 4]) -> [f64; 4] {
    /// As if this many answers had spoken for no change.
    const PULL: f64 = 1.0;
    climb(start, PULL, free, |curve, around| {
        for (features, right) in rows {
            let told = logistic(features.iter().zip(curve).map(|(x, weight)| x * weight).sum());
            let missing = f64::from(u8::from(*right)) - told;
            let weight = told * (1.0 - told);
            for (row, x) in features.iter().enumerate() {
                around.slopes[row] += missing * x;
                for (column, y) in features.iter().enumerate() {
                    around.bends[row][column] += weight * x * y;
                }
            }
        }
    })
}

/// The least probability for which the answers that reach it are right nine times in ten, by two standard errors
/// more: on other tables luck may be worse. 1 if it is so of none.
fn threshold(mut told: Vec<(f64, bool)>) -> f64 {
    told.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut least, mut right) = (1.0, 0.0);
    for (place, (probability, is_right)) in told.iter().enumerate() {
        right += f64::from(u8::from(*is_right));
        let answers = (place + 1) as f64;
        let enough = 0.9 * answers + 2.0 * (0.9 * 0.1 * answers).sqrt();
        // Equal probabilities cannot be told apart.
        let is_last = told.get(place + 1).is_none_or(|next| next.0 < *probability);
        if is_last && right >= enough {
            least = *probability;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signs(probability: f64, programs: usize, words: usize) -> Signs {
        Signs {
            probability,
            programs,
            words,
            is_runner_up: false,
        }
    }

    /// Numbers between 0 and 1 that look random and are always the same.
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Answers that are right as a known curve says.
    fn distorted(truth: &Calibration, beams: usize) -> Vec<Vec<Judged>> {
        let mut next = random(7);
        let answer = |next: &mut dyn FnMut() -> f64, is_runner_up| {
            let signs = Signs {
                is_runner_up,
                ..signs(next(), 1 + (next() * 5.0) as usize, 4 + (next() * 20.0) as usize)
            };
            let right = next() < truth.probability(&signs);
            Judged { signs, right }
        };
        (0..beams)
            .map(|_| vec![answer(&mut next, false), answer(&mut next, true)])
            .collect()
    }

    fn known() -> Calibration {
        Calibration {
            bias: 0.4,
            slope: 0.45,
            agreement: 0.3,
            length: -0.5,
            runner_up: -1.2,
            threshold: 0.5,
            fitted_to: "nothing".to_owned(),
            answers: 0,
        }
    }

    #[test]
    fn a_fit_finds_the_distortion() {
        let truth = known();
        let fitted = Calibration::fit(&distorted(&truth, 20_000), "test".to_owned()).unwrap();
        for (one, other) in [
            (fitted.slope, truth.slope),
            (fitted.agreement, truth.agreement),
            (fitted.length, truth.length),
            (fitted.runner_up, truth.runner_up),
        ] {
            assert!((one - other).abs() < 0.1, "{fitted:?}");
        }
        let mut next = random(9);
        for _ in 0..1000 {
            let signs = signs(next(), 1 + (next() * 5.0) as usize, 4 + (next() * 20.0) as usize);
            let gap = fitted.probability(&signs) - truth.probability(&signs);
            assert!(gap.abs() < 0.03, "{signs:?} {gap}");
        }
        let told = distorted(&truth, 20_000);
        let told = told.iter().map(|beam| beam[0]);
        let sure = told.filter(|answer| fitted.probability(&answer.signs) >= fitted.threshold);
        let (right, wrong): (Vec<Judged>, Vec<Judged>) = sure.partition(|answer| answer.right);
        let share = right.len() as f64 / (right.len() + wrong.len()) as f64;
        assert!(share >= 0.9, "{share} {fitted:?}");
        assert_eq!(fitted.answers, 20_000);
    }

    #[test]
    fn what_cannot_be_fitted_is_refused_and_what_falls_is_flattened() {
        let judged = |probability, right| {
            vec![Judged {
                signs: signs(probability, 1, 8),
                right,
            }]
        };
        let fit = |beams: &[Vec<Judged>]| Calibration::fit(beams, String::new());
        let few: Vec<_> = (0..49).map(|n| judged(0.5, n % 2 == 0)).collect();
        assert!(fit(&few).unwrap_err().to_string().contains("50 answers"));
        let right: Vec<_> = (0..100).map(|_| judged(0.5, true)).collect();
        assert!(fit(&right).unwrap_err().to_string().contains("100 of them right"));
        // The surer the wronger: the curve must not fall all the same.
        let mut next = random(3);
        let falling: Vec<_> = (0..2000)
            .map(|_| {
                let probability = next();
                judged(probability, next() > probability)
            })
            .collect();
        let fitted = fit(&falling).unwrap();
        assert_eq!(fitted.slope, LEAST_SLOPE);
        assert!(
            (fitted.probability(&signs(0.5, 1, 8)) - 0.5).abs() < 0.05,
            "{fitted:?}"
        );
    }

    #[test]
    fn of_those_from_the_threshold_on_nine_in_ten_are_right() {
        let told = |share: fn(f64) -> f64| {
            let mut next = random(5);
            let answer = |_| {
                let probability = next();
                (probability, next() < share(probability))
            };
            threshold((0..20_000).map(answer).collect())
        };
        assert!((0.8..0.84).contains(&told(|x| x)));
        assert!((0.896..0.93).contains(&told(|x| x * x)));
        assert_eq!(threshold(vec![(0.3, false), (0.9, true)]), 1.0);
        assert_eq!(threshold(Vec::new()), 1.0);
        let same = |count: usize, probability: f64, right: bool| vec![(probability, right); count];
        assert_eq!(threshold(same(40, 0.7, true)), 0.7);
        let tied = [same(40, 0.7, true), same(20, 0.7, false), same(40, 0.9, true)].concat();
        assert_eq!(threshold(tied), 0.9);
    }

    proptest! {
        #[test]
        fn the_curve_never_falls(one in 0.0..1.0f64, other in 0.0..1.0f64, programs in 1usize..6, words in 1usize..50) {
            let calibration = known();
            let (low, high) = (one.min(other), one.max(other));
            let of = |probability| calibration.probability(&signs(probability, programs, words));
            prop_assert!(of(low) <= of(high));
            prop_assert!((0.0..=1.0).contains(&of(low)));
        }

        #[test]
        fn answers_of_a_beam_share_one(raw in proptest::collection::vec((0.0..1.0f64, 1usize..6), 1..6)) {
            let mut raw = raw;
            raw.sort_by(|one, other| other.0.total_cmp(&one.0));
            let beam: Vec<Signs> = raw
                .iter()
                .enumerate()
                .map(|(place, &(probability, programs))| Signs { is_runner_up: place > 0, ..signs(probability, programs, 9) })
                .collect();
            let told = known().probabilities(&beam);
            prop_assert!(told.is_sorted_by(|one, other| one >= other), "{told:?}");
            prop_assert!(told.iter().sum::<f64>() <= 1.0 + 1e-9, "{told:?}");
            prop_assert_eq!(told[0], known().probability(&beam[0]));
        }
    }
}
