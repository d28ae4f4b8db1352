//! The gates of an LSTM: four activations, the cell and the output in one pass.
//!
//! A row of gates holds four blocks (input, forget, candidate, output), each padded to whole lines.

use super::kernel;
use super::math::{sigmoid, tanh};
use super::product::Rows;

/// What a step of the cell writes; all have one row for each row of the step.
#[derive(Debug)]
pub struct CellState<'a> {
    /// Cell values c.
    pub cell: &'a mut [f32],
    /// Outputs h = o·tanh(c), which the next step reads.
    pub hidden: &'a mut [f32],
    /// tanh(c), kept for the backward pass.
    pub tanh_cell: Option<&'a mut [f32]>,
    /// What the layer above reads: dropout(h), plus the layer's input where there is a residual connection.
    pub output: &'a mut [f32],
}

kernel! {
    /// From pre-activations to outputs. `gates` is overwritten with the activations. `width` is the padded size of the layer;
    /// rows of `previous` are the cells before the step (none: zeros).
    pub fn forward<'a>(
        simd; width: usize, gates: &'a mut [f32], previous: Option<Rows<'a>>, mask: Option<&'a [f32]>,
        residual: Option<&'a [f32]>, out: CellState<'a>,
    ) -> () {
        let CellState { cell, hidden, mut tanh_cell, output } = out;
        for (row, gates) in gates.chunks_exact_mut(4 * width).enumerate() {
            let span = row * width..(row + 1) * width;
            let (i, rest) = gates.split_at_mut(width);
            let (f, rest) = rest.split_at_mut(width);
            let (g, o) = rest.split_at_mut(width);
            let (i, f) = (S::as_mut_simd_f32s(i).0, S::as_mut_simd_f32s(f).0);
            let (g, o) = (S::as_mut_simd_f32s(g).0, S::as_mut_simd_f32s(o).0);
            let c = S::as_mut_simd_f32s(&mut cell[span.clone()]).0;
            let h = S::as_mut_simd_f32s(&mut hidden[span.clone()]).0;
            let y = S::as_mut_simd_f32s(&mut output[span.clone()]).0;
            let t = tanh_cell.as_mut().map(|t| S::as_mut_simd_f32s(&mut t[span.clone()]).0);
            let before = previous.map(|rows| S::as_simd_f32s(rows.row(row)).0);
            let n = c.len();
            let (i, f, g, o, h, y) = (&mut i[..n], &mut f[..n], &mut g[..n], &mut o[..n], &mut h[..n], &mut y[..n]);
            for j in 0..n {
                let input = sigmoid(simd, i[j]);
                let candidate = tanh(simd, g[j]);
                let out = sigmoid(simd, o[j]);
                let mut sum = simd.mul_f32s(input, candidate);
                let forget = sigmoid(simd, f[j]);
                if let Some(before) = before {
                    sum = simd.mul_add_e_f32s(forget, before[j], sum);
                }
                (i[j], f[j], g[j], o[j]) = (input, forget, candidate, out);
                c[j] = sum;
                h[j] = tanh(simd, sum);
            }
            if let Some(t) = t {
                t.copy_from_slice(h);
            }
            for j in 0..n {
                h[j] = simd.mul_f32s(h[j], o[j]);
                y[j] = h[j];
            }
            if let Some(mask) = mask {
                let mask = S::as_simd_f32s(&mask[span.clone()]).0;
                for j in 0..n {
                    y[j] = simd.mul_f32s(y[j], mask[j]);
                }
            }
            if let Some(residual) = residual {
                let residual = S::as_simd_f32s(&residual[span.clone()]).0;
                for j in 0..n {
                    y[j] = simd.add_f32s(y[j], residual[j]);
                }
            }
        }
    }
}

kernel! {
    /// The reverse of [`forward`]: `gates` holds the activations and is overwritten with the gradients of the
    /// pre-activations; `d_hidden` and `d_cell` hold what later steps gave, and `d_cell` is overwritten with the gradient of the
    /// cells before the step. `d_output` is the gradient of the layer's output.
    pub fn backward<'a>(
        simd; width: usize, gates: &'a mut [f32], previous: Option<Rows<'a>>, mask: Option<&'a [f32]>,
        tanh_cell: &'a [f32], d_output: &'a [f32], d_hidden: &'a [f32], d_cell: &'a mut [f32],
    ) -> () {
        let one = simd.splat_f32s(1.0);
        for (row, gates) in gates.chunks_exact_mut(4 * width).enumerate() {
            let span = row * width..(row + 1) * width;
            let (i, rest) = gates.split_at_mut(width);
            let (f, rest) = rest.split_at_mut(width);
            let (g, o) = rest.split_at_mut(width);
            let (i, f) = (S::as_mut_simd_f32s(i).0, S::as_mut_simd_f32s(f).0);
            let (g, o) = (S::as_mut_simd_f32s(g).0, S::as_mut_simd_f32s(o).0);
            let t = S::as_simd_f32s(&tanh_cell[span.clone()]).0;
            let dy = S::as_simd_f32s(&d_output[span.clone()]).0;
            let dh = S::as_simd_f32s(&d_hidden[span.clone()]).0;
            let dc = S::as_mut_simd_f32s(&mut d_cell[span.clone()]).0;
            let mask = mask.map(|mask| S::as_simd_f32s(&mask[span.clone()]).0);
            let before = previous.map(|rows| S::as_simd_f32s(rows.row(row)).0);
            let n = t.len();
            let (i, f, g, o, dc) = (&mut i[..n], &mut f[..n], &mut g[..n], &mut o[..n], &mut dc[..n]);
            for j in 0..n {
                let dy = match mask {
                    Some(mask) => simd.mul_f32s(dy[j], mask[j]),
                    None => dy[j],
                };
                let dh = simd.add_f32s(dy, dh[j]);
                let through = simd.mul_f32s(dh, o[j]);
                let slope = simd.negate_mul_add_e_f32s(t[j], t[j], one);
                let dcell = simd.mul_add_e_f32s(through, slope, dc[j]);
                dc[j] = simd.mul_f32s(dcell, f[j]);
                let d_out = simd.mul_f32s(simd.mul_f32s(through, t[j]), simd.sub_f32s(one, o[j]));
                let d_in = simd.mul_f32s(
                    simd.mul_f32s(dcell, g[j]),
                    simd.mul_f32s(i[j], simd.sub_f32s(one, i[j])),
                );
                let d_candidate = simd.mul_f32s(
                    simd.mul_f32s(dcell, i[j]),
                    simd.negate_mul_add_e_f32s(g[j], g[j], one),
                );
                let d_forget = match before {
                    Some(before) => simd.mul_f32s(
                        simd.mul_f32s(dc[j], before[j]),
                        simd.sub_f32s(one, f[j]),
                    ),
                    None => simd.splat_f32s(0.0),
                };
                (i[j], f[j], g[j], o[j]) = (d_in, d_forget, d_candidate, d_out);
            }
        }
    }
}
