//! Element-wise work on rows, and dot products.

use super::kernel;
use super::rows::Rows;
use pulp::Simd;

/// Σ x·y over two registers' worth of independent sums; both slices have the same length, in whole lines.
#[inline(always)]
pub fn dot_with<S: Simd>(simd: S, x: &[f32], y: &[f32]) -> f32 {
    let (x, x_tail) = S::as_simd_f32s(x);
    let (y, y_tail) = S::as_simd_f32s(y);
    let mut even = simd.splat_f32s(0.0);
    let mut odd = even;
    let mut pairs = x.chunks_exact(2).zip(y.chunks_exact(2));
    for (x, y) in &mut pairs {
        even = simd.mul_add_e_f32s(x[0], y[0], even);
        odd = simd.mul_add_e_f32s(x[1], y[1], odd);
    }
    if x.len() % 2 == 1 {
        even = simd.mul_add_e_f32s(x[x.len() - 1], y[x.len() - 1], even);
    }
    simd.reduce_sum_f32s(simd.add_f32s(even, odd))
        + x_tail.iter().zip(y_tail).map(|(x, y)| x * y).sum::<f32>()
}

/// y += factor·x.
#[inline(always)]
pub fn add_scaled_with<S: Simd>(simd: S, factor: f32, x: &[f32], y: &mut [f32]) {
    let (x, x_tail) = S::as_simd_f32s(x);
    let (y, y_tail) = S::as_mut_simd_f32s(y);
    let factors = simd.splat_f32s(factor);
    for (y, &x) in y.iter_mut().zip(x) {
        *y = simd.mul_add_e_f32s(factors, x, *y);
    }
    for (y, &x) in y_tail.iter_mut().zip(x_tail) {
        *y += factor * x;
    }
}

kernel! {
    /// y += factor·x.
    pub fn add_scaled<'a>(simd; factor: f32, x: &'a [f32], y: &'a mut [f32]) -> () {
        add_scaled_with(simd, factor, x, y);
    }
}

kernel! {
    /// Σ x·y of two slices of equal length.
    pub fn dot<'a>(simd; x: &'a [f32], y: &'a [f32]) -> f32 {
        dot_with(simd, x, y)
    }
}

kernel! {
    /// One dot product of `x` for each row.
    pub fn dots<'a>(simd; x: &'a [f32], rows: Rows<'a>, y: &'a mut [f32]) -> () {
        for (i, y) in y.iter_mut().enumerate() {
            *y = dot_with(simd, x, rows.row(i));
        }
    }
}

kernel! {
    /// Row `index[i]` of `out` gets row i of `rows` added.
    pub fn scatter_add<'a>(simd; rows: Rows<'a>, index: &'a [u32], out: &'a mut [f32], stride: usize) -> () {
        for (i, &to) in index.iter().enumerate() {
            add_scaled_with(simd, 1.0, rows.row(i), &mut out[to as usize * stride..(to as usize + 1) * stride]);
        }
    }
}

kernel! {
    /// Adds to each number of `out` the sum of one column, from column `from` on.
    pub fn add_column_sums<'a>(simd; rows: Rows<'a>, from: usize, out: &'a mut [f32]) -> () {
        for r in 0..rows.count() {
            add_scaled_with(simd, 1.0, &rows.row(r)[from..from + out.len()], out);
        }
    }
}

kernel! {
    /// y = x·y, in whole lines; where x is empty, y stays as it is.
    pub fn multiply<'a>(simd; x: &'a [f32], y: &'a mut [f32]) -> () {
        for (&x, y) in S::as_simd_f32s(x).0.iter().zip(S::as_mut_simd_f32s(y).0) {
            *y = simd.mul_f32s(x, *y);
        }
    }
}

kernel! {
    /// Σ x² in f64: the norm of millions of numbers must not lose its small terms.
    pub fn sum_of_squares<'a>(simd; x: &'a [f32]) -> f64 {
        x.chunks(4096).map(|block| f64::from(dot_with(simd, block, block))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_arithmetic() {
        crate::kernels::on_every_arch(check_plain_arithmetic);
    }

    fn check_plain_arithmetic() {
        let x: Vec<f32> = (0..48).map(|i| i as f32 * 0.5).collect();
        let mut y = vec![1.0; 48];
        add_scaled(2.0, &x, &mut y);
        assert_eq!(y[3], 4.0);
        let mut d = [0.0; 1];
        dots(&x, Rows::slice(&x, 48), &mut d);
        assert_eq!(d[0], x.iter().map(|v| v * v).sum::<f32>());
        let odd: Vec<f32> = (0..37).map(|i| i as f32).collect();
        assert_eq!(
            sum_of_squares(&odd),
            odd.iter().map(|&v| f64::from(v * v)).sum::<f64>()
        );
        let mut out = vec![0.0; 32];
        scatter_add(Rows::slice(&x, 16), &[1, 0, 1], &mut out, 16);
        assert_eq!(out[0], x[16]);
        assert_eq!(out[17], x[1] + x[33]);
        let mut sums = [0.0; 3];
        add_column_sums(Rows::slice(&x, 16), 2, &mut sums);
        assert_eq!(sums[1], x[3] + x[19] + x[35]);
    }
}
