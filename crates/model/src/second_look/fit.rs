//! Learning the weights of a second look.
//!
//! A beam of answers, some of them right, is a choice that somebody made: the weights are to make the right ones as
//! probable as can be (a conditional logit), with a pull towards changing nothing. What is to be made large is
//!
//! > Σ over questions of ln(the share of the right answers),
//!
//! and where several answers of one question are right, they count by the share that they have among themselves at
//! the moment, so every step solves a problem with one best point.

use super::{SIGNS, SecondLook, Values, no_change, shares};
use crate::equations::{Around, climb};
use crate::{Error, Result};

/// An answer of a beam with its signs, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// What is seen of it.
    pub signs: Values,
    /// Whether it is rows, which come last whatever the signs say.
    pub is_rows: bool,
    /// Whether it is right.
    pub right: bool,
}

/// The answers of a beam, in the order that they have without a second look.
pub type LookedAt = Vec<Seen>;

/// How many questions with right and wrong answers a fit needs at least.
const FEWEST: usize = 50;
/// As if this many questions had spoken for each weight as it is without a second look.
const PULL: f64 = 3.0;
const SIZE: usize = SIGNS.len();

impl SecondLook {
    /// Learns weights from the beams of several datasets, each of which counts the same, however many questions it
    /// has.
    ///
    /// # Errors
    /// If there are too few questions with right and wrong answers.
    pub fn fit<'a, Beams>(datasets: impl IntoIterator<Item = Beams>, fitted_to: String) -> Result<Self>
    where
        Beams: IntoIterator<Item = &'a LookedAt>,
    {
        let teaches = |beam: &&LookedAt| beam.iter().any(|answer| answer.right != beam[0].right);
        let datasets = datasets.into_iter().map(|beams| {
            let beams = beams.into_iter().filter(teaches);
            beams.collect::<Vec<&LookedAt>>()
        });
        let datasets: Vec<Vec<&LookedAt>> = datasets.filter(|beams| !beams.is_empty()).collect();
        let questions: usize = datasets.iter().map(Vec::len).sum();
        if questions < FEWEST {
            return Err(Error::TooFewQuestions {
                needed: FEWEST,
                questions,
            });
        }
        let even = questions as f64 / datasets.len() as f64;
        let weighed = datasets.iter().flat_map(|beams| {
            let weight = even / beams.len() as f64;
            beams.iter().map(move |beam| (*beam, weight))
        });
        let weighed: Vec<(&LookedAt, f64)> = weighed.collect();
        let weights = climb(no_change(), PULL, [true; SIZE], |weights, around| {
            for (beam, weight) in &weighed {
                learn_from(beam, *weight, weights, around);
            }
        });
        Ok(Self::of(weights, fitted_to, questions))
    }
}

/// Adds what one beam says: where to go, and how sharply what is said bends there.
fn learn_from(beam: &[Seen], weight: f64, weights: &Values, around: &mut Around<SIZE>) {
    let score = |answer: &Seen| -> f64 {
        let weighed = answer.signs.iter().zip(weights);
        weighed.map(|(sign, weight)| sign * weight).sum()
    };
    let scores: Vec<f64> = beam.iter().map(score).collect();
    let told = shares(&scores);
    let right: f64 = beam
        .iter()
        .zip(&told)
        .filter(|(answer, _)| answer.right)
        .map(|(_, share)| share)
        .sum();
    let mut mean = [0.0; SIZE];
    for (answer, share) in beam.iter().zip(&told) {
        mean.iter_mut()
            .zip(&answer.signs)
            .for_each(|(mean, sign)| *mean += share * sign);
    }
    for (answer, share) in beam.iter().zip(&told) {
        let wanted = if answer.right {
            share / right.max(f64::MIN_POSITIVE)
        } else {
            0.0
        };
        let apart: Vec<f64> = answer
            .signs
            .iter()
            .zip(&mean)
            .map(|(sign, mean)| sign - mean)
            .collect();
        for (row, x) in apart.iter().enumerate() {
            around.slopes[row] += weight * wanted * x;
            for (column, y) in apart.iter().enumerate() {
                around.bends[row][column] += weight * share * x * y;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn place(name: &str) -> usize {
        SIGNS.iter().position(|sign| sign.name == name).expect("a sign")
    }

    /// Beams in which the right answer is drawn as known weights say.
    fn beams(truth: &[(&str, f64)], questions: usize, seed: u64) -> Vec<LookedAt> {
        let mut next = random(seed);
        let beam = |_| {
            let mut answers: LookedAt = (0..3)
                .map(|_| {
                    let mut signs = [0.0; SIZE];
                    truth
                        .iter()
                        .for_each(|(name, _)| signs[place(name)] = 2.0 * next() - 1.0);
                    Seen {
                        signs,
                        is_rows: false,
                        right: false,
                    }
                })
                .collect();
            let score = |answer: &Seen| -> f64 {
                let weighed = truth.iter();
                weighed
                    .map(|(name, weight)| weight * answer.signs[place(name)])
                    .sum()
            };
            let parts = shares(&answers.iter().map(score).collect::<Vec<f64>>());
            let mut drawn = next();
            let right = parts.iter().position(|part| {
                drawn -= part;
                drawn < 0.0
            });
            answers[right.unwrap_or(2)].right = true;
            answers
        };
        (0..questions).map(beam).collect()
    }

    #[test]
    fn the_weights_that_made_the_answers_right_are_found() {
        let truth = [("belief", 0.6), ("named", 2.0), ("idle", -1.5)];
        let beams = beams(&truth, 8_000, 3);
        let look = SecondLook::fit([&beams], "test".to_owned()).unwrap();
        for (name, weight) in truth {
            assert!((look.weights[name] - weight).abs() < 0.15, "{name} {look:?}");
        }
        // What never differs is not weighed.
        assert_eq!(look.weights["items"], 0.0);
        assert_eq!((look.questions, look.fitted_to.as_str()), (8_000, "test"));
    }

    #[test]
    fn what_says_nothing_is_left_out_and_too_little_is_refused() {
        let truth = [("belief", 1.0), ("named", 1.0)];
        let some = beams(&truth, 200, 5);
        let mut more = some.clone();
        let wrong = |beam: &LookedAt| {
            beam.iter()
                .map(|answer| Seen {
                    right: false,
                    ..answer.clone()
                })
                .collect()
        };
        more.extend(some.iter().map(wrong).collect::<Vec<LookedAt>>());
        more.push(Vec::new());
        let fit = |beams: &Vec<LookedAt>| SecondLook::fit([beams], String::new());
        assert_eq!(fit(&some).unwrap(), fit(&more).unwrap());
        let said = fit(&some[..49].to_vec()).unwrap_err().to_string();
        assert!(
            said.contains("needs 50 questions") && said.contains("here are 49"),
            "{said}"
        );
    }

    #[test]
    fn every_dataset_counts_the_same() {
        let one = beams(&[("belief", 1.0), ("named", 3.0)], 4_000, 7);
        let other = beams(&[("belief", 1.0), ("named", -3.0)], 400, 9);
        let look = SecondLook::fit([&one, &other], String::new()).unwrap();
        assert!(look.weights["named"].abs() < 0.3, "{look:?}");
    }
}
