//! Soft choices among a few rows: softmax, mixtures of rows, and the scores that features give.

use super::attention::softmax_with;
use super::kernel;
use super::rows::Rows;
use super::vector::{add_scaled_with, dot_with};

kernel! {
    /// Turns scores into probabilities in place.
    pub fn softmax<'a>(simd; x: &'a mut [f32]) -> () {
        softmax_with(simd, x);
    }
}

kernel! {
    /// out = Σ weight·row.
    pub fn mix<'a>(simd; weights: &'a [f32], rows: Rows<'a>, out: &'a mut [f32]) -> () {
        out.fill(0.0);
        for (row, &weight) in weights.iter().enumerate() {
            add_scaled_with(simd, weight, rows.row(row), out);
        }
    }
}

kernel! {
    /// The reverse of [`mix`]: writes the gradients of the weights and adds to those of the rows, which lie
    /// `stride` apart.
    pub fn mix_backward<'a>(
        simd; weights: &'a [f32], rows: Rows<'a>, d_out: &'a [f32], d_weights: &'a mut [f32],
        d_rows: &'a mut [f32], stride: usize,
    ) -> () {
        let weights = weights.iter().zip(d_weights).zip(d_rows.chunks_exact_mut(stride));
        for (row, ((&weight, d_weight), d_row)) in weights.enumerate() {
            *d_weight = dot_with(simd, rows.row(row), d_out);
            add_scaled_with(simd, weight, d_out, d_row);
        }
    }
}

/// The reverse of a softmax: gradients of probabilities become gradients of scores, in place.
pub fn softmax_backward(probability: &[f32], d: &mut [f32]) {
    let mean: f32 = probability.iter().zip(&*d).map(|(p, d)| p * d).sum();
    d.iter_mut()
        .zip(probability)
        .for_each(|(d, p)| *d = p * (*d - mean));
}

kernel! {
    /// For each group of as many features as there are weights, their weighted sum.
    pub fn feature_scores<'a>(simd; features: &'a [f32], weights: &'a [f32], out: &'a mut [f32]) -> () {
        for (features, out) in features.chunks_exact(weights.len()).zip(out) {
            *out = dot_with(simd, features, weights);
        }
    }
}

kernel! {
    /// The reverse of [`feature_scores`]: adds to the gradients of the weights.
    pub fn feature_scores_backward<'a>(simd; features: &'a [f32], d_scores: &'a [f32], d_weights: &'a mut [f32]) -> () {
        for (features, &d) in features.chunks_exact(d_weights.len()).zip(d_scores) {
            add_scaled_with(simd, d, features, d_weights);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn mixtures_equal_central_differences() {
        crate::kernels::on_every_arch(check_mixtures_equal_central_differences);
    }

    const WIDTH: usize = 16;
    const ROWS: usize = 5;
    const FEATURES: usize = 3;

    /// d_out · Σ softmax(w·f)·row in f64, for weights and rows in one vector.
    fn loss(x: &[f64], features: &[f32], d_out: &[f32]) -> f64 {
        let (weights, rows) = x.split_at(FEATURES);
        let score = |f: &[f32]| {
            f.iter()
                .zip(weights)
                .map(|(&f, w)| f64::from(f) * w)
                .sum::<f64>()
                .exp()
        };
        let scores: Vec<f64> = features.chunks(FEATURES).map(score).collect();
        let total: f64 = scores.iter().sum();
        let dot = |row: &[f64]| row.iter().zip(d_out).map(|(r, &d)| r * f64::from(d)).sum::<f64>();
        rows.chunks(WIDTH)
            .zip(&scores)
            .map(|(row, s)| s / total * dot(row))
            .sum()
    }

    fn check_mixtures_equal_central_differences() {
        let mut stream = Stream::new(8, 1);
        let mut random = |n: usize| (0..n).map(|_| 2.0 * stream.uniform() - 1.0).collect::<Vec<f32>>();
        let (weights, rows) = (random(FEATURES), random(ROWS * WIDTH));
        let (features, d_out) = (random(ROWS * FEATURES), random(WIDTH));
        let mut p = [0.0; ROWS];
        feature_scores(&features, &weights, &mut p);
        softmax(&mut p);
        let mut out = [9.0; WIDTH];
        mix(&p, Rows::slice(&rows, WIDTH), &mut out);
        let mut x: Vec<f64> = weights.iter().chain(&rows).map(|&x| f64::from(x)).collect();
        let ours: f32 = out.iter().zip(&d_out).map(|(o, d)| o * d).sum();
        assert!((f64::from(ours) - loss(&x, &features, &d_out)).abs() < 1e-5);

        let (mut d_p, mut d_rows, mut d_weights) = ([9.0; ROWS], [0.0; ROWS * WIDTH], [0.0; FEATURES]);
        mix_backward(
            &p,
            Rows::slice(&rows, WIDTH),
            &d_out,
            &mut d_p,
            &mut d_rows,
            WIDTH,
        );
        softmax_backward(&p, &mut d_p);
        feature_scores_backward(&features, &d_p, &mut d_weights);
        let step = 1e-5;
        for (i, &ours) in d_weights.iter().chain(&d_rows).enumerate() {
            let mut at = |by: f64| {
                x[i] += by;
                let value = loss(&x, &features, &d_out);
                x[i] -= by;
                value
            };
            let numeric = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (f64::from(ours) - numeric).abs() < 1e-3 * numeric.abs().max(1e-3),
                "{i}"
            );
        }
    }
}
