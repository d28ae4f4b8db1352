//! The update of Adam, and moving averages.

use super::kernel;

/// The factors of one update.
#[derive(Clone, Copy, Debug)]
pub struct AdamFactors {
    /// What the gradient is multiplied by first: the clipping.
    pub gradient: f32,
    /// Decay of the first moment.
    pub beta1: f32,
    /// Decay of the second moment.
    pub beta2: f32,
    /// Learning rate over the first moment's bias correction.
    pub rate: f32,
    /// One over the square root of the second moment's bias correction.
    pub correction: f32,
    /// Added to the root of the second moment.
    pub epsilon: f32,
}

/// Moments of parameters without a gradient decay to denormal numbers, which cost hundreds of cycles each.
/// Adding and subtracting this rounds them to multiples of 9e-38, which are no denormals, and leaves what is
/// above 1e-23 as it is.
const FLUSH: f32 = 1e-30;

kernel! {
    /// One update of some parameters. All slices have the same length.
    pub fn adam<'a>(
        simd; factors: AdamFactors, values: &'a mut [f32], gradient: &'a [f32], first: &'a mut [f32],
        second: &'a mut [f32],
    ) -> () {
        let AdamFactors { gradient: scale, beta1, beta2, rate, correction, epsilon } = factors;
        let (head, tail) = S::as_mut_simd_f32s(values);
        let (g, g_tail) = S::as_simd_f32s(gradient);
        let (m, m_tail) = S::as_mut_simd_f32s(first);
        let (v, v_tail) = S::as_mut_simd_f32s(second);
        let splat = |x: f32| simd.splat_f32s(x);
        for (((x, &g), m), v) in head.iter_mut().zip(g).zip(m).zip(v) {
            let g = simd.mul_f32s(g, splat(scale));
            let a = simd.mul_add_e_f32s(*m, splat(beta1), simd.mul_f32s(g, splat(1.0 - beta1)));
            let b = simd.mul_add_e_f32s(
                *v,
                splat(beta2),
                simd.mul_f32s(simd.mul_f32s(g, g), splat(1.0 - beta2)),
            );
            *m = simd.sub_f32s(simd.add_f32s(a, splat(FLUSH)), splat(FLUSH));
            *v = simd.sub_f32s(simd.add_f32s(b, splat(FLUSH)), splat(FLUSH));
            let root = simd.mul_add_e_f32s(simd.sqrt_f32s(*v), splat(correction), splat(epsilon));
            *x = simd.sub_f32s(*x, simd.div_f32s(simd.mul_f32s(*m, splat(rate)), root));
        }
        for (((x, &g), m), v) in tail.iter_mut().zip(g_tail).zip(m_tail).zip(v_tail) {
            let g = g * scale;
            *m = *m * beta1 + g * (1.0 - beta1) + FLUSH - FLUSH;
            *v = *v * beta2 + g * g * (1.0 - beta2) + FLUSH - FLUSH;
            *x -= *m * rate / (v.sqrt() * correction + epsilon);
        }
    }
}

kernel! {
    /// average += (1 − decay)·(values − average).
    pub fn move_towards<'a>(simd; decay: f32, values: &'a [f32], average: &'a mut [f32]) -> () {
        let (x, x_tail) = S::as_simd_f32s(values);
        let (a, a_tail) = S::as_mut_simd_f32s(average);
        let part = simd.splat_f32s(1.0 - decay);
        for (a, &x) in a.iter_mut().zip(x) {
            *a = simd.mul_add_e_f32s(part, simd.sub_f32s(x, *a), *a);
        }
        for (a, &x) in a_tail.iter_mut().zip(x_tail) {
            *a += (1.0 - decay) * (x - *a);
        }
    }
}
