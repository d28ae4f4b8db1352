//! GELU, x·Φ(x) with the normal distribution's Φ, and its slope.

use super::kernel;
use super::math::{exp, horner};
use pulp::Simd;

/// 1 − erf(x) = t·P(t)·e^(−x²) with t = 1/(1 + 0.3275911·x) for x ≥ 0: formula 7.1.26 of Abramowitz and Stegun,
/// absolute error below 1.5e-7.
const ERFC: [f32; 5] = [0.254_829_6, -0.284_496_74, 1.421_413_7, -1.453_152, 1.061_405_4];
const ERFC_T: f32 = 0.327_591_1;

/// Φ(x) and the density φ(x).
#[inline(always)]
fn normal<S: Simd>(simd: S, x: S::f32s) -> (S::f32s, S::f32s) {
    let one = simd.splat_f32s(1.0);
    let size = simd.abs_f32s(x);
    let bell = exp(simd, simd.mul_f32s(simd.mul_f32s(x, x), simd.splat_f32s(-0.5)));
    let scaled = simd.mul_f32s(size, simd.splat_f32s(ERFC_T * std::f32::consts::FRAC_1_SQRT_2));
    let t = simd.div_f32s(one, simd.add_f32s(one, scaled));
    let tail = simd.mul_f32s(simd.mul_f32s(t, horner(simd, &ERFC, t)), bell);
    let tail = simd.mul_f32s(tail, simd.splat_f32s(0.5));
    let negative = simd.less_than_f32s(x, simd.splat_f32s(0.0));
    let below = simd.select_f32s(negative, tail, simd.sub_f32s(one, tail));
    let density = simd.mul_f32s(
        bell,
        simd.splat_f32s(0.5 * std::f32::consts::FRAC_2_SQRT_PI * std::f32::consts::FRAC_1_SQRT_2),
    );
    (below, density)
}

kernel! {
    /// x = GELU(x), in whole lines.
    pub fn gelu<'a>(simd; x: &'a mut [f32]) -> () {
        for x in S::as_mut_simd_f32s(x).0 {
            *x = simd.mul_f32s(*x, normal(simd, *x).0);
        }
    }
}

kernel! {
    /// y = GELU(x), and x becomes GELU's slope at x, in whole lines.
    pub fn gelu_and_slope<'a>(simd; x: &'a mut [f32], y: &'a mut [f32]) -> () {
        for (x, y) in S::as_mut_simd_f32s(x).0.iter_mut().zip(S::as_mut_simd_f32s(y).0) {
            let (below, density) = normal(simd, *x);
            *y = simd.mul_f32s(*x, below);
            *x = simd.mul_add_e_f32s(*x, density, below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Φ(x) in f64 by the series Σ x^(2n+1)/(1·3·…·(2n+1)).
    fn phi(x: f64) -> f64 {
        if x.abs() > 8.0 {
            return if x < 0.0 { 0.0 } else { 1.0 };
        }
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= x * x / f64::from(2 * n + 1);
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
    }

    #[test]
    fn gelu_and_its_slope_are_accurate() {
        crate::kernels::on_every_arch(|| {
            let points: Vec<f32> = (0..4096).map(|i| (i as f32 - 2048.0) / 200.0).collect();
            let (mut plain, mut slope, mut value) = (points.clone(), points.clone(), vec![0.0; 4096]);
            gelu(&mut plain);
            gelu_and_slope(&mut slope, &mut value);
            assert_eq!(plain, value);
            for ((&x, y), s) in points.iter().zip(plain).zip(slope) {
                let x = f64::from(x);
                let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
                assert!((f64::from(y) - x * phi(x)).abs() < 2e-6, "gelu({x}) = {y}");
                assert!(
                    (f64::from(s) - phi(x) - x * density).abs() < 2e-6,
                    "slope({x}) = {s}"
                );
            }
        });
    }
}
