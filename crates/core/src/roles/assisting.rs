//! Learners that share a step: each has the gradient of a batch of its own, at the same parameters.

use std::fmt::Debug;

/// A door beside the three, for a learner that goes along a gradient: others who find the gradients of further
/// batches at the same parameters. Whoever cannot be reached is left out, so nothing here fails.
pub trait Assistants: Debug + Send + Sync {
    /// Says where the next step begins: `step` names the parameters. Called before the learner finds its own
    /// gradient, so that others find theirs meanwhile.
    fn begin(&mut self, step: u64, parameters: &[f32]);

    /// Waits for a while, and makes of the learner's own gradient the mean of all. Says how many have joined it.
    fn join(&mut self, gradient: &mut [f32]) -> usize;

    /// Says that the step has been made with what joined.
    fn stepped(&mut self);
}

/// Nobody assists.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Assistants for Alone {
    fn begin(&mut self, _: u64, _: &[f32]) {}

    fn join(&mut self, _: &mut [f32]) -> usize {
        0
    }

    fn stepped(&mut self) {}
}

/// Makes of a gradient the mean of it and others, which are as long. Each is divided by the nominal size of a batch
/// already, so the mean is the gradient of all batches as one. Without others it stays as it is, bit for bit.
pub fn average(own: &mut [f32], others: &[Vec<f32>]) {
    if others.is_empty() {
        return;
    }
    let part = 1.0 / (others.len() + 1) as f32;
    for (place, own) in own.iter_mut().enumerate() {
        let sum = others
            .iter()
            .filter_map(|other| other.get(place))
            .fold(*own, |sum, other| sum + other);
        *own = sum * part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mean_is_that_of_exact_numbers_and_none_changes_nothing(
            rows in prop::collection::vec(prop::array::uniform4(-1e3_f32..1e3), 1..6),
        ) {
            let (own, others) = rows.split_first().expect("there is one");
            let others: Vec<Vec<f32>> = others.iter().map(|row| row.to_vec()).collect();
            let mut mean = own.to_vec();
            average(&mut mean, &others);
            for place in 0..4 {
                let exact = rows.iter().map(|row| f64::from(row[place])).sum::<f64>() / rows.len() as f64;
                prop_assert!((f64::from(mean[place]) - exact).abs() < 1e-3, "{} {exact}", mean[place]);
            }
            let mut alone = own.to_vec();
            average(&mut alone, &[]);
            prop_assert_eq!(alone.iter().map(|value| value.to_bits()).collect::<Vec<_>>(),
                own.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
        }
    }
}
