//! Whether a model is right as often as its probabilities say.

use serde::Serialize;

/// How many bins there are.
const BINS: usize = 10;

/// The answers whose probability is in one range.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    /// The lower end of the range; the upper end is a tenth more and belongs to the next bin, but for the
    /// last.
    pub from: f64,
    /// How many answers.
    pub answers: usize,
    /// Their mean probability.
    pub probability: Option<f64>,
    /// The share of them that is right.
    pub right: Option<f64>,
}

/// The reliability of probabilities.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reliability {
    /// Ten bins of equal width.
    pub bins: Vec<Bin>,
    /// The mean over all answers of how far the share right of their bin is from its mean probability.
    pub expected_error: f64,
    /// The mean of probability minus right (1 or 0): above nothing the model is too sure of itself.
    pub overconfidence: f64,
}

impl Reliability {
    /// Of answers with their probability and whether they are right.
    ///
    /// ```
    /// use mapo_training::study::Reliability;
    /// let calibration = Reliability::new([(0.9, true), (0.9, false), (0.2, false), (1.0, true)]);
    /// assert_eq!(calibration.bins[9].answers, 3);
    /// assert!((calibration.bins[9].right.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    /// // Three answers are 4/15 off together with one that is 1/5 off.
    /// assert!((calibration.expected_error - (3.0 * (2.8 / 3.0 - 2.0 / 3.0) + 0.2) / 4.0).abs() < 1e-12);
    /// ```
    pub fn new(answers: impl IntoIterator<Item = (f64, bool)>) -> Self {
        let mut sums = [(0usize, 0.0f64, 0usize); BINS];
        for (probability, right) in answers {
            // Sums of rounded probabilities may be a little above 1.
            let probability = probability.clamp(0.0, 1.0);
            let (count, sum, rights) = &mut sums[((probability * BINS as f64) as usize).min(BINS - 1)];
            *count += 1;
            *sum += probability;
            *rights += usize::from(right);
        }
        let all = sums.iter().map(|(count, ..)| count).sum::<usize>().max(1) as f64;
        let gap = |(_, sum, right): &(usize, f64, usize)| sum - *right as f64;
        let bin = |(place, (count, sum, right)): (usize, &(usize, f64, usize))| {
            let mean = |sum: f64| (*count > 0).then(|| sum / *count as f64);
            Bin {
                from: place as f64 / BINS as f64,
                answers: *count,
                probability: mean(*sum),
                right: mean(*right as f64),
            }
        };
        Reliability {
            bins: sums.iter().enumerate().map(bin).collect(),
            expected_error: sums.iter().map(|bin| gap(bin).abs()).sum::<f64>() / all,
            overconfidence: sums.iter().map(gap).sum::<f64>() / all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_right_as_often_as_they_say_has_no_error() {
        let answers = (0..1000)
            .map(|n| (0.25, n % 4 == 0))
            .chain((0..10).map(|_| (1.0, true)));
        let calibration = Reliability::new(answers);
        assert!(calibration.expected_error < 1e-12, "{calibration:?}");
        assert!(calibration.overconfidence.abs() < 1e-12);
        let sure = Reliability::new([(1.0 + 1e-9, false), (0.95, false)]);
        assert!((sure.expected_error - 0.975).abs() < 1e-9, "{sure:?}");
        assert_eq!(sure.overconfidence, sure.expected_error);
        assert_eq!(Reliability::new([]).expected_error, 0.0);
    }
}
