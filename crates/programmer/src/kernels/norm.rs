//! Layer normalisation of the sum of a residual and a branch.

use super::kernel;

/// What is added to the variance, so that a row of equal numbers has a finite scale.
const LEAST_VARIANCE: f32 = 1e-12;

/// A layer normalisation's parameters.
#[derive(Clone, Copy, Debug)]
pub struct Norm<'a> {
    /// What normal numbers are multiplied by.
    pub gain: &'a [f32],
    /// What is then added.
    pub bias: &'a [f32],
}

/// Gradients of a [`Norm`], added to.
#[derive(Debug)]
pub struct NormGradient<'a> {
    /// Of the gain.
    pub gain: &'a mut [f32],
    /// Of the bias.
    pub bias: &'a mut [f32],
}

kernel! {
    /// out = gain·normal(residual + mask·branch) + bias, row by row; an empty mask is all ones, an empty residual
    /// all zeros. `branch` becomes the normal numbers and `inverse` one over each row's deviation, for the
    /// backward pass. Rows are as wide as the gain, in whole lines.
    pub fn add_and_norm<'a>(
        simd; norm: Norm<'a>, residual: &'a [f32], mask: &'a [f32], branch: &'a mut [f32], inverse: &'a mut [f32],
        out: &'a mut [f32],
    ) -> () {
        let width = norm.gain.len();
        let (gain, bias) = (S::as_simd_f32s(norm.gain).0, S::as_simd_f32s(norm.bias).0);
        let share = 1.0 / width as f32;
        for (r, inverse) in inverse.iter_mut().enumerate() {
            let row = r * width..(r + 1) * width;
            let x = S::as_mut_simd_f32s(&mut branch[row.clone()]).0;
            let mut sum = simd.splat_f32s(0.0);
            if !mask.is_empty() {
                for (x, &m) in x.iter_mut().zip(S::as_simd_f32s(&mask[row.clone()]).0) {
                    *x = simd.mul_f32s(*x, m);
                }
            }
            if residual.is_empty() {
                x.iter().for_each(|&x| sum = simd.add_f32s(sum, x));
            } else {
                for (x, &from) in x.iter_mut().zip(S::as_simd_f32s(&residual[row.clone()]).0) {
                    *x = simd.add_f32s(*x, from);
                    sum = simd.add_f32s(sum, *x);
                }
            }
            let mean = simd.splat_f32s(simd.reduce_sum_f32s(sum) * share);
            let mut squares = simd.splat_f32s(0.0);
            for x in x.iter_mut() {
                *x = simd.sub_f32s(*x, mean);
                squares = simd.mul_add_e_f32s(*x, *x, squares);
            }
            let variance = simd.reduce_sum_f32s(squares) * share + LEAST_VARIANCE;
            *inverse = 1.0 / variance.sqrt();
            let scale = simd.splat_f32s(*inverse);
            let out = S::as_mut_simd_f32s(&mut out[row]).0;
            for (((x, out), &gain), &bias) in x.iter_mut().zip(out).zip(gain).zip(bias) {
                *x = simd.mul_f32s(*x, scale);
                *out = simd.mul_add_e_f32s(*x, gain, bias);
            }
        }
    }
}

kernel! {
    /// The reverse of [`add_and_norm`] for the gradient `d_out` of its output: `d_sum` becomes that of the sum that
    /// was normalised.
    pub fn norm_backward<'a>(
        simd; gain: &'a [f32], normal: &'a [f32], inverse: &'a [f32], d_out: &'a [f32], d_sum: &'a mut [f32],
        gradient: NormGradient<'a>,
    ) -> () {
        let width = gain.len();
        let gain = S::as_simd_f32s(gain).0;
        let d_gain = S::as_mut_simd_f32s(gradient.gain).0;
        let d_bias = S::as_mut_simd_f32s(gradient.bias).0;
        let share = 1.0 / width as f32;
        let n = gain.len();
        let (d_gain, d_bias) = (&mut d_gain[..n], &mut d_bias[..n]);
        for (r, &inverse) in inverse.iter().enumerate() {
            let row = r * width..(r + 1) * width;
            let normal = &S::as_simd_f32s(&normal[row.clone()]).0[..n];
            let d_out = &S::as_simd_f32s(&d_out[row.clone()]).0[..n];
            let d_sum = &mut S::as_mut_simd_f32s(&mut d_sum[row]).0[..n];
            let mut mean = simd.splat_f32s(0.0);
            let mut slope = mean;
            for j in 0..n {
                d_gain[j] = simd.mul_add_e_f32s(d_out[j], normal[j], d_gain[j]);
                d_bias[j] = simd.add_f32s(d_bias[j], d_out[j]);
                let d = simd.mul_f32s(d_out[j], gain[j]);
                mean = simd.add_f32s(mean, d);
                slope = simd.mul_add_e_f32s(d, normal[j], slope);
            }
            let mean = simd.splat_f32s(simd.reduce_sum_f32s(mean) * share);
            let slope = simd.splat_f32s(simd.reduce_sum_f32s(slope) * share);
            let inverse = simd.splat_f32s(inverse);
            for j in 0..n {
                let d = simd.sub_f32s(simd.mul_f32s(d_out[j], gain[j]), mean);
                d_sum[j] = simd.mul_f32s(simd.negate_mul_add_e_f32s(normal[j], slope, d), inverse);
            }
        }
    }
}
