//! Scaled dot-product attention within one sequence: every piece looks at every piece, in several heads.

use super::kernel;
use super::math::exp;
use super::product::{View, small_product};
use crate::matrix::padded;

/// The heads of an attention. Their size is a whole number of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// How many there are.
    pub count: usize,
    /// Numbers of a query, a key or a value of one head.
    pub size: usize,
}

impl Heads {
    /// Width of all heads side by side.
    pub fn width(&self) -> usize {
        self.count * self.size
    }

    /// Probabilities of a sequence of `n` pieces: for each head and piece a row over all pieces, padded.
    pub fn probabilities(&self, n: usize) -> usize {
        self.count * n * padded(n)
    }

    fn scale(&self) -> f32 {
        1.0 / (self.size as f32).sqrt()
    }
}

/// Buffers of one head.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Keys or values with rows and columns exchanged.
    turned: Vec<f32>,
    /// Gradients of probabilities, then of scores.
    d_scores: Vec<f32>,
}

impl Scratch {
    /// Turns `n` rows of `size` numbers, so that piece after piece lies side by side.
    fn turn(&mut self, rows: &[f32], stride: usize, n: usize, size: usize) {
        let width = padded(n);
        self.turned.clear();
        self.turned.resize(size * width, 0.0);
        for (j, row) in rows.chunks(stride).take(n).enumerate() {
            for (d, &x) in row[..size].iter().enumerate() {
                self.turned[d * width + j] = x;
            }
        }
    }
}

/// Attention within a sequence. A row of `qkv` holds the queries of all heads, then the keys, then the values;
/// `context` gets a row of all heads' means of values. `probabilities` are kept for the backward pass.
pub fn forward(
    heads: Heads,
    qkv: &[f32],
    probabilities: &mut [f32],
    context: &mut [f32],
    scratch: &mut Scratch,
) {
    let (w, size) = (heads.width(), heads.size);
    let n = context.len() / w;
    let width = padded(n);
    for (head, p) in probabilities.chunks_exact_mut(n * width).enumerate() {
        let [query, _, value] = parts(qkv, w, head * size);
        scratch.turn(&qkv[w + head * size..], 3 * w, n, size);
        let turned = rows(&scratch.turned, width);
        small_product((n, size, width), query, turned, p, width);
        softmax_rows(heads.scale(), n, p);
        small_product(
            (n, n, size),
            rows(p, width),
            value,
            &mut context[head * size..],
            w,
        );
    }
}

/// The reverse of [`forward`]: `d_qkv` is written for the gradient `d_context` of its output.
pub fn backward(
    heads: Heads,
    qkv: &[f32],
    probabilities: &[f32],
    d_context: &[f32],
    d_qkv: &mut [f32],
    scratch: &mut Scratch,
) {
    let (w, size) = (heads.width(), heads.size);
    let n = d_context.len() / w;
    let width = padded(n);
    for (head, p) in probabilities.chunks_exact(n * width).enumerate() {
        let at = head * size;
        let [query, key, _] = parts(qkv, w, at);
        let d_out = rows(&d_context[at..], w);
        scratch.turn(&qkv[2 * w + at..], 3 * w, n, size);
        scratch.d_scores.resize(n * width, 0.0);
        let d_scores = &mut scratch.d_scores[..n * width];
        small_product(
            (n, size, width),
            d_out,
            rows(&scratch.turned, width),
            d_scores,
            width,
        );
        softmax_backward(heads.scale(), width, p, d_scores);
        let d_scores = rows(d_scores, width);
        small_product((n, n, size), d_scores, key, &mut d_qkv[at..], 3 * w);
        small_product((n, n, size), turned(d_scores), query, &mut d_qkv[w + at..], 3 * w);
        small_product(
            (n, n, size),
            turned(rows(p, width)),
            d_out,
            &mut d_qkv[2 * w + at..],
            3 * w,
        );
    }
}

/// Queries, keys and values of the head that starts at column `at`.
fn parts(qkv: &[f32], w: usize, at: usize) -> [View<'_>; 3] {
    [0, w, 2 * w].map(|part| rows(&qkv[part + at..], 3 * w))
}

fn rows(data: &[f32], stride: usize) -> View<'_> {
    View {
        data,
        row: stride,
        column: 1,
    }
}

fn turned(view: View<'_>) -> View<'_> {
    View {
        row: view.column,
        column: view.row,
        ..view
    }
}

kernel! {
    /// Turns rows of `n` scores into probabilities in place, after multiplying them by `scale`; what pads a row
    /// becomes zero.
    fn softmax_rows<'a>(simd; scale: f32, n: usize, scores: &'a mut [f32]) -> () {
        let scale = simd.splat_f32s(scale);
        for row in scores.chunks_exact_mut(padded(n)) {
            row[n..].fill(-1e30);
            let row = S::as_mut_simd_f32s(row).0;
            let mut largest = simd.splat_f32s(-1e30);
            row.iter().for_each(|&x| largest = simd.max_f32s(largest, x));
            let largest = simd.splat_f32s(simd.reduce_max_f32s(largest));
            let mut sum = simd.splat_f32s(0.0);
            for x in row.iter_mut() {
                *x = exp(simd, simd.mul_f32s(simd.sub_f32s(*x, largest), scale));
                sum = simd.add_f32s(sum, *x);
            }
            let share = simd.splat_f32s(1.0 / simd.reduce_sum_f32s(sum));
            row.iter_mut().for_each(|x| *x = simd.mul_f32s(*x, share));
        }
    }
}

kernel! {
    /// Gradients of probabilities become those of the scores before scaling.
    fn softmax_backward<'a>(simd; scale: f32, width: usize, probabilities: &'a [f32], d: &'a mut [f32]) -> () {
        let scale = simd.splat_f32s(scale);
        for (p, d) in probabilities.chunks_exact(width).zip(d.chunks_exact_mut(width)) {
            let (p, d) = (S::as_simd_f32s(p).0, S::as_mut_simd_f32s(d).0);
            let mut mean = simd.splat_f32s(0.0);
            for (&p, &d) in p.iter().zip(d.iter()) {
                mean = simd.mul_add_e_f32s(p, d, mean);
            }
            let mean = simd.splat_f32s(simd.reduce_sum_f32s(mean));
            for (&p, d) in p.iter().zip(d) {
                *d = simd.mul_f32s(simd.mul_f32s(p, scale), simd.sub_f32s(*d, mean));
            }
        }
    }
}
