//! Vectorised tanh, sigmoid and exp, with stated accuracy.
//!
//! libm's tanh takes tens of cycles for each number; these take about one for each lane of a register.

use pulp::Simd;

/// tanh(x) = x·P(x²)/Q(x²) on [−9, 9]: a minimax fit of the relative error made for this crate (error of the
/// fit 2.1e-8, of the f32 evaluation below 3e-7). Beyond ±9 tanh is ±1 to f32 precision.
const TANH_P: [f32; 5] = [
    0.999_999_98,
    0.133_810_27,
    0.003_495_589_1,
    2.060_909_9e-5,
    1.335_468_5e-8,
];
const TANH_Q: [f32; 5] = [1.0, 0.467_143_42, 0.025_876_986, 3.285_636_5e-4, 7.776_567_6e-7];
const TANH_LIMIT: f32 = 9.0;

/// 2^f on [−½, ½]: a minimax fit of degree 6, relative error 1.9e-9.
const EXP2: [f32; 7] = [
    1.0,
    std::f32::consts::LN_2,
    0.240_226_47,
    0.055_503_29,
    0.009_618_489,
    0.001_339_993_1,
    1.534_581_3e-4,
];

/// Arguments of [`exp`] below this give exactly zero: e^-46 is 1e-20, far below the resolution of a softmax
/// whose largest term is one, and keeping such terms would bring denormal numbers (hundreds of cycles each)
/// into the products that follow.
pub const EXP_ZERO: f32 = -46.0;

#[inline(always)]
pub(super) fn horner<S: Simd, const N: usize>(simd: S, coefficients: &[f32; N], x: S::f32s) -> S::f32s {
    let mut sum = simd.splat_f32s(coefficients[N - 1]);
    for &c in coefficients[..N - 1].iter().rev() {
        sum = simd.mul_add_e_f32s(sum, x, simd.splat_f32s(c));
    }
    sum
}

#[inline(always)]
fn clamp<S: Simd>(simd: S, x: S::f32s, limit: f32) -> S::f32s {
    simd.max_f32s(simd.min_f32s(x, simd.splat_f32s(limit)), simd.splat_f32s(-limit))
}

/// Numerator and denominator of tanh.
#[inline(always)]
fn tanh_parts<S: Simd>(simd: S, x: S::f32s) -> (S::f32s, S::f32s) {
    let x = clamp(simd, x, TANH_LIMIT);
    let square = simd.mul_f32s(x, x);
    (
        simd.mul_f32s(x, horner(simd, &TANH_P, square)),
        horner(simd, &TANH_Q, square),
    )
}

/// tanh, absolute and relative error below 5e-7; never outside [−1, 1].
#[inline(always)]
pub fn tanh<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let (p, q) = tanh_parts(simd, x);
    clamp(simd, simd.div_f32s(p, q), 1.0)
}

/// tanh of two arguments with one division, which takes longer than all the rest; the same accuracy.
#[inline(always)]
pub fn tanh_pair<S: Simd>(simd: S, x: S::f32s, y: S::f32s) -> (S::f32s, S::f32s) {
    let ((p, q), (r, s)) = (tanh_parts(simd, x), tanh_parts(simd, y));
    let inverse = simd.div_f32s(simd.splat_f32s(1.0), simd.mul_f32s(q, s));
    let first = simd.mul_f32s(p, simd.mul_f32s(s, inverse));
    let second = simd.mul_f32s(r, simd.mul_f32s(q, inverse));
    (clamp(simd, first, 1.0), clamp(simd, second, 1.0))
}

/// Sigmoid of two arguments with one division.
#[inline(always)]
pub fn sigmoid_pair<S: Simd>(simd: S, x: S::f32s, y: S::f32s) -> (S::f32s, S::f32s) {
    let half = simd.splat_f32s(0.5);
    let (x, y) = tanh_pair(simd, simd.mul_f32s(x, half), simd.mul_f32s(y, half));
    (
        simd.mul_add_e_f32s(half, x, half),
        simd.mul_add_e_f32s(half, y, half),
    )
}

/// 1/(1+e^-x) as ½ + ½·tanh(x/2), absolute error below 3e-7.
#[inline(always)]
pub fn sigmoid<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let half = simd.splat_f32s(0.5);
    simd.mul_add_e_f32s(half, tanh(simd, simd.mul_f32s(x, half)), half)
}

/// e^x for x ≤ 88, relative error below 5e-6 down to [`EXP_ZERO`], zero below it. (The error is mostly the
/// rounding of x·log₂e, which grows with |x|.)
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    // Adding 1.5·2^23 rounds to an integer and leaves it in the low bits of the mantissa.
    let magic = simd.splat_f32s(12_582_912.0);
    let kept = simd.max_f32s(x, simd.splat_f32s(EXP_ZERO));
    let scaled = simd.mul_f32s(kept, simd.splat_f32s(std::f32::consts::LOG2_E));
    let shifted = simd.add_f32s(scaled, magic);
    let fraction = simd.sub_f32s(scaled, simd.sub_f32s(shifted, magic));
    let mantissa = horner(simd, &EXP2, fraction);
    // The integer moves into the exponent: shift by 23 is a product with 2^23 in wrapping arithmetic.
    let exponent = simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    let power = simd.transmute_f32s_u32s(simd.add_u32s(exponent, simd.transmute_u32s_f32s(mantissa)));
    let alive = simd.less_than_f32s(simd.splat_f32s(EXP_ZERO), x);
    simd.select_f32s(alive, power, simd.splat_f32s(0.0))
}

#[cfg(test)]
mod tests {
    use super::super::kernel;
    use super::*;

    kernel! {
        fn apply<'a>(simd; which: u8, x: &'a [f32], y: &'a mut [f32]) -> () {
            let (x, _) = S::as_simd_f32s(x);
            let (y, _) = S::as_mut_simd_f32s(y);
            for (y, &x) in y.iter_mut().zip(x) {
                *y = match which {
                    0 => tanh(simd, x),
                    1 => sigmoid(simd, x),
                    2 => exp(simd, x),
                    3 => tanh_pair(simd, x, simd.splat_f32s(-20.0)).0,
                    4 => tanh_pair(simd, simd.splat_f32s(0.3), x).1,
                    _ => sigmoid_pair(simd, simd.splat_f32s(9.0), x).1,
                };
            }
        }
    }

    fn run(which: u8, from: f64, to: f64) -> (Vec<f32>, Vec<f32>) {
        let n = 1 << 18;
        let x: Vec<f32> = (0..n)
            .map(|i| (from + (to - from) * f64::from(i) / f64::from(n - 1)) as f32)
            .collect();
        let mut y = vec![0.0; x.len()];
        apply(which, &x, &mut y);
        (x, y)
    }

    #[test]
    fn tanh_is_accurate() {
        crate::kernels::on_every_arch(check_tanh_is_accurate);
    }

    fn check_tanh_is_accurate() {
        let ranges = [(-12.0, 12.0), (-0.01, 0.01), (-100.0, 100.0)];
        for (which, (from, to)) in [0, 3, 4].into_iter().flat_map(|w| ranges.map(|r| (w, r))) {
            let (x, y) = run(which, from, to);
            for (x, y) in x.into_iter().zip(y) {
                let t = f64::from(x).tanh();
                assert!(
                    (f64::from(y) - t).abs() <= 5e-7 * t.abs(),
                    "tanh({x}) = {y}, not {t}"
                );
                assert!(y.abs() <= 1.0);
            }
        }
    }

    #[test]
    fn sigmoid_is_accurate() {
        crate::kernels::on_every_arch(check_sigmoid_is_accurate);
    }

    fn check_sigmoid_is_accurate() {
        for which in [1, 5] {
            let (x, y) = run(which, -30.0, 30.0);
            for (x, y) in x.into_iter().zip(y) {
                let s = 1.0 / (1.0 + (-f64::from(x)).exp());
                assert!((f64::from(y) - s).abs() <= 3e-7, "sigmoid({x}) = {y}, not {s}");
            }
        }
    }

    #[test]
    fn exp_is_accurate_and_has_no_denormals() {
        crate::kernels::on_every_arch(check_exp_is_accurate_and_has_no_denormals);
    }

    fn check_exp_is_accurate_and_has_no_denormals() {
        let (x, y) = run(2, -120.0, 80.0);
        for (x, y) in x.into_iter().zip(y) {
            let e = f64::from(x).exp();
            if x > EXP_ZERO {
                assert!((f64::from(y) - e).abs() <= 5e-6 * e, "exp({x}) = {y}, not {e}");
            } else {
                assert_eq!(y, 0.0);
            }
        }
        let (x, y) = run(2, -1.0, 1.0);
        for (x, y) in x.into_iter().zip(y) {
            let e = f64::from(x).exp();
            assert!((f64::from(y) - e).abs() <= 3e-7 * e, "exp({x}) = {y}, not {e}");
        }
    }
}
