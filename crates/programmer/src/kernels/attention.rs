//! Additive attention of one query over the tokens of one question.

use super::kernel;
use super::math::{exp, tanh, tanh_pair};
use super::vector::{add_scaled_with, dot_with};
use pulp::Simd;

/// Turns scores into probabilities in place; the largest term is e⁰, so nothing overflows.
#[inline(always)]
pub fn softmax_with<S: Simd>(simd: S, x: &mut [f32]) {
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shift = simd.splat_f32s(largest);
    let (head, tail) = S::as_mut_simd_f32s(x);
    for x in head {
        *x = exp(simd, simd.sub_f32s(*x, shift));
    }
    if !tail.is_empty() {
        let value = exp(simd, simd.sub_f32s(simd.partial_load_f32s(tail), shift));
        simd.partial_store_f32s(tail, value);
    }
    let scale = 1.0 / x.iter().sum::<f32>();
    x.iter_mut().for_each(|x| *x *= scale);
}

/// What attention reads for one question: a row of keys and a row of contents for each token.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Keys, `key_width` numbers a token.
    pub keys: &'a [f32],
    /// Padded width of keys, queries and score weights.
    pub key_width: usize,
    /// Contents, `content_width` numbers a token.
    pub contents: &'a [f32],
    /// Padded width of contents.
    pub content_width: usize,
    /// Score weights v of v·tanh(query + key).
    pub score: &'a [f32],
}

/// Gradients of what attention read, added to.
#[derive(Debug)]
pub struct SourceGradient<'a> {
    /// Of the keys.
    pub keys: &'a mut [f32],
    /// Of the contents.
    pub contents: &'a mut [f32],
    /// Of the score weights.
    pub score: &'a mut [f32],
}

kernel! {
    /// out += Σ probability·content for one query; `probability` (one for each token) is written for the
    /// backward pass.
    pub fn forward<'a>(simd; source: Source<'a>, query: &'a [f32], probability: &'a mut [f32], out: &'a mut [f32]) -> () {
        let query = S::as_simd_f32s(&query[..source.key_width]).0;
        let score = S::as_simd_f32s(&source.score[..source.key_width]).0;
        // Two tokens at a time: their tanh share a division.
        let width = source.key_width;
        for (keys, p) in source.keys.chunks_exact(2 * width).zip(probability.chunks_exact_mut(2)) {
            let (one, two) = keys.split_at(width);
            let (one, two) = (S::as_simd_f32s(one).0, S::as_simd_f32s(two).0);
            let mut sums = [simd.splat_f32s(0.0); 2];
            for (((&q, &a), &b), &v) in query.iter().zip(one).zip(two).zip(score) {
                let (a, b) = tanh_pair(simd, simd.add_f32s(q, a), simd.add_f32s(q, b));
                sums = [simd.mul_add_e_f32s(v, a, sums[0]), simd.mul_add_e_f32s(v, b, sums[1])];
            }
            (p[0], p[1]) = (simd.reduce_sum_f32s(sums[0]), simd.reduce_sum_f32s(sums[1]));
        }
        let odd = probability.len() % 2 == 1;
        if let Some(p) = probability.last_mut().filter(|_| odd) {
            let key = S::as_simd_f32s(&source.keys[source.keys.len() - width..]).0;
            let mut sum = simd.splat_f32s(0.0);
            for ((&q, &k), &v) in query.iter().zip(key).zip(score) {
                sum = simd.mul_add_e_f32s(v, tanh(simd, simd.add_f32s(q, k)), sum);
            }
            *p = simd.reduce_sum_f32s(sum);
        }
        softmax_with(simd, probability);
        for (content, &p) in source.contents.chunks_exact(source.content_width).zip(probability.iter()) {
            if p > 0.0 {
                add_scaled_with(simd, p, content, &mut out[..source.content_width]);
            }
        }
    }
}

kernel! {
    /// The reverse of [`forward`] for the gradient `d_out` of its output; `d_query` is written.
    /// `d_probability` comes with the gradient that the probabilities have from elsewhere. tanh is
    /// computed again, which is cheaper than keeping it: a step has as many of them as tokens times width.
    pub fn backward<'a>(
        simd; source: Source<'a>, query: &'a [f32], probability: &'a [f32], d_out: &'a [f32],
        d_probability: &'a mut [f32], gradient: SourceGradient<'a>, d_query: &'a mut [f32],
    ) -> () {
        let (key_width, content_width) = (source.key_width, source.content_width);
        let mut mean = 0.0;
        let tokens = source.contents.chunks_exact(content_width).zip(gradient.contents.chunks_exact_mut(content_width));
        for (((content, d_content), &p), d) in tokens.zip(probability).zip(d_probability.iter_mut()) {
            *d += dot_with(simd, content, &d_out[..content_width]);
            mean += p * *d;
            add_scaled_with(simd, p, &d_out[..content_width], d_content);
        }
        let one = simd.splat_f32s(1.0);
        let query = S::as_simd_f32s(&query[..key_width]).0;
        let score = S::as_simd_f32s(&source.score[..key_width]).0;
        let d_score = S::as_mut_simd_f32s(&mut gradient.score[..key_width]).0;
        let d_query = S::as_mut_simd_f32s(&mut d_query[..key_width]).0;
        d_query.fill(simd.splat_f32s(0.0));
        let tokens = source.keys.chunks_exact(key_width).zip(gradient.keys.chunks_exact_mut(key_width));
        for (((key, d_key), &p), &d) in tokens.zip(probability).zip(d_probability.iter()) {
            let slope = p * (d - mean);
            if slope == 0.0 {
                continue;
            }
            let slope = simd.splat_f32s(slope);
            let key = S::as_simd_f32s(key).0;
            let d_key = S::as_mut_simd_f32s(d_key).0;
            let n = key.len();
            let (query, score, d_score) = (&query[..n], &score[..n], &mut d_score[..n]);
            let (d_query, d_key) = (&mut d_query[..n], &mut d_key[..n]);
            for j in 0..n {
                let t = tanh(simd, simd.add_f32s(query[j], key[j]));
                d_score[j] = simd.mul_add_e_f32s(slope, t, d_score[j]);
                let inner = simd.mul_f32s(simd.mul_f32s(slope, score[j]), simd.negate_mul_add_e_f32s(t, t, one));
                d_query[j] = simd.add_f32s(d_query[j], inner);
                d_key[j] = simd.add_f32s(d_key[j], inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const WIDTH: usize = 16;
    const TOKENS: usize = 5;

    /// Σ d_out·attention in f64. All inputs in one vector: keys, contents, score weights, query.
    fn loss(x: &[f64], d_out: &[f32]) -> f64 {
        let (keys, rest) = x.split_at(TOKENS * WIDTH);
        let (contents, rest) = rest.split_at(TOKENS * WIDTH);
        let (score, query) = rest.split_at(WIDTH);
        let weights: Vec<f64> = keys
            .chunks(WIDTH)
            .map(|key| {
                (0..WIDTH)
                    .map(|j| score[j] * (query[j] + key[j]).tanh())
                    .sum::<f64>()
                    .exp()
            })
            .collect();
        let total: f64 = weights.iter().sum();
        let dot = |content: &[f64]| {
            content
                .iter()
                .zip(d_out)
                .map(|(c, &d)| c * f64::from(d))
                .sum::<f64>()
        };
        contents
            .chunks(WIDTH)
            .zip(&weights)
            .map(|(content, w)| w / total * dot(content))
            .sum()
    }

    #[test]
    fn attention_equals_central_differences() {
        crate::kernels::on_every_arch(check_attention_equals_central_differences);
    }

    fn check_attention_equals_central_differences() {
        let mut stream = Stream::new(2, 1);
        let n = 2 * TOKENS * WIDTH + 2 * WIDTH;
        let x: Vec<f32> = (0..n).map(|_| 2.0 * stream.uniform() - 1.0).collect();
        let d_out: Vec<f32> = (0..WIDTH).map(|_| 2.0 * stream.uniform() - 1.0).collect();
        let (keys, rest) = x.split_at(TOKENS * WIDTH);
        let (contents, rest) = rest.split_at(TOKENS * WIDTH);
        let (score, query) = rest.split_at(WIDTH);
        let source = Source {
            keys,
            key_width: WIDTH,
            contents,
            content_width: WIDTH,
            score,
        };
        let mut probability = [0.0; TOKENS];
        let mut out = [0.0; WIDTH];
        forward(source, query, &mut probability, &mut out);
        assert!((probability.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let mut wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        let ours: f32 = out.iter().zip(&d_out).map(|(o, d)| o * d).sum();
        assert!((f64::from(ours) - loss(&wide, &d_out)).abs() < 1e-5);

        let mut d = vec![0.0; n];
        let (d_keys, rest) = d.split_at_mut(TOKENS * WIDTH);
        let (d_contents, rest) = rest.split_at_mut(TOKENS * WIDTH);
        let (d_score, d_query) = rest.split_at_mut(WIDTH);
        let gradient = SourceGradient {
            keys: d_keys,
            contents: d_contents,
            score: d_score,
        };
        backward(
            source,
            query,
            &probability,
            &d_out,
            &mut [0.0; TOKENS],
            gradient,
            d_query,
        );
        let step = 1e-5;
        for i in 0..n {
            let mut at = |by: f64| {
                wide[i] += by;
                let value = loss(&wide, &d_out);
                wide[i] -= by;
                value
            };
            let numeric = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (f64::from(d[i]) - numeric).abs() < 1e-3 * numeric.abs().max(1e-3),
                "{i}: {} {numeric}",
                d[i]
            );
        }
    }
}
