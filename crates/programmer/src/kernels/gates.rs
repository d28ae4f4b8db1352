//! The gates of an LSTM: four activations, the cell and the output in one pass.
//!
//! A row of gates holds four blocks (input, forget, candidate, output), each padded to whole lines.

use super::kernel;
use super::math::{sigmoid_pair, tanh, tanh_pair};
use super::rows::Rows;

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
    /// From pre-activations to outputs. `gates` is overwritten with the activations. `width` is the padded
    /// size of the layer; rows of `previous` are the cells before the step (none: zeros).
    pub fn forward<'a>(
        simd; width: usize, gates: &'a mut [f32], previous: Option<Rows<'a>>, mask: Option<&'a [f32]>,
        residual: Option<&'a [f32]>, out: CellState<'a>,
    ) -> () {
        let CellState { cell, hidden, mut tanh_cell, output } = out;
        let half = simd.splat_f32s(0.5);
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
                let (input, forget) = sigmoid_pair(simd, i[j], f[j]);
                // The output gate is a sigmoid: ½ + ½·tanh(x/2).
                let (candidate, out) = tanh_pair(simd, g[j], simd.mul_f32s(o[j], half));
                let out = simd.mul_add_e_f32s(half, out, half);
                let mut sum = simd.mul_f32s(input, candidate);
                if let Some(before) = before {
                    sum = simd.mul_add_e_f32s(forget, before[j], sum);
                }
                (i[j], f[j], g[j], o[j]) = (input, forget, candidate, out);
                c[j] = sum;
            }
            for (c, h) in c.chunks_exact(2).zip(h.chunks_exact_mut(2)) {
                (h[0], h[1]) = tanh_pair(simd, c[0], c[1]);
            }
            if n % 2 == 1 {
                h[n - 1] = tanh(simd, c[n - 1]);
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
    /// pre-activations; `d_hidden` and `d_cell` hold what later steps gave, and `d_cell` is overwritten with
    /// the gradient of the cells before the step. `d_output` is the gradient of the layer's output.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::random::Stream;

    const WIDTH: usize = 16;
    const ROWS: usize = 3;

    fn random(rows: usize, cols: usize, stream: &mut Stream) -> Matrix {
        let mut m = Matrix::zeros(rows, cols);
        m.data_mut()
            .iter_mut()
            .for_each(|x| *x = 2.0 * stream.uniform() - 1.0);
        m
    }

    /// Σ dy·output + dh·h + dc·c in f64, for pre-activations and previous cells.
    fn loss(gates: &[f64], before: &[f64], mask: &[f32], dy: &[f32], dh: &[f32], dc: &[f32]) -> f64 {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut sum = 0.0;
        for at in 0..ROWS * WIDTH {
            let (row, j) = (at / WIDTH, at % WIDTH);
            let gate = |g: usize| gates[row * 4 * WIDTH + g * WIDTH + j];
            let c = sigmoid(gate(1)) * before[at] + sigmoid(gate(0)) * gate(2).tanh();
            let h = sigmoid(gate(3)) * c.tanh();
            sum += (f64::from(dy[at]) * f64::from(mask[at]) + f64::from(dh[at])) * h + f64::from(dc[at]) * c;
        }
        sum
    }

    #[test]
    fn gates_equal_central_differences() {
        crate::kernels::on_every_arch(check_gates_equal_central_differences);
    }

    fn check_gates_equal_central_differences() {
        let mut stream = Stream::new(1, 1);
        let gates = random(ROWS, 4 * WIDTH, &mut stream);
        let before = random(5, WIDTH, &mut stream);
        let index = [4, 0, 2];
        let (mask, residual) = (random(ROWS, WIDTH, &mut stream), random(ROWS, WIDTH, &mut stream));
        let (dy, dh, dc) = (
            random(3, 16, &mut stream),
            random(3, 16, &mut stream),
            random(3, 16, &mut stream),
        );
        let mut activated = gates.clone();
        let [mut cell, mut hidden, mut tanh_cell, mut output] =
            std::array::from_fn(|_| Matrix::zeros(ROWS, WIDTH));
        let previous = Rows::indexed(&before, &index);
        let out = CellState {
            cell: cell.data_mut(),
            hidden: hidden.data_mut(),
            tanh_cell: Some(tanh_cell.data_mut()),
            output: output.data_mut(),
        };
        forward(
            WIDTH,
            activated.data_mut(),
            Some(previous),
            Some(mask.data()),
            Some(residual.data()),
            out,
        );
        let wide = |m: &[f32]| m.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let mut x = wide(gates.data());
        let mut b: Vec<f64> = (0..ROWS).flat_map(|r| wide(previous.row(r))).collect();
        let value = loss(&x, &b, mask.data(), dy.data(), dh.data(), dc.data());
        let ours: f64 = (0..ROWS * WIDTH)
            .map(|i| {
                let y = output.data()[i] - residual.data()[i];
                f64::from(dy.data()[i] * y + dh.data()[i] * hidden.data()[i] + dc.data()[i] * cell.data()[i])
            })
            .sum();
        assert!((value - ours).abs() < 1e-5);

        let mut d_cell = dc.clone();
        backward(
            WIDTH,
            activated.data_mut(),
            Some(previous),
            Some(mask.data()),
            tanh_cell.data(),
            dy.data(),
            dh.data(),
            d_cell.data_mut(),
        );
        let step = 1e-5;
        let difference = |up: f64, down: f64| (up - down) / (2.0 * step);
        for i in 0..x.len() {
            let mut at = |by: f64| {
                x[i] += by;
                let value = loss(&x, &b, mask.data(), dy.data(), dh.data(), dc.data());
                x[i] -= by;
                value
            };
            let n = difference(at(step), at(-step));
            assert!(
                (f64::from(activated.data()[i]) - n).abs() < 1e-3 * n.abs().max(1e-3),
                "gate {i}"
            );
        }
        for i in 0..b.len() {
            let mut at = |by: f64| {
                b[i] += by;
                let value = loss(&x, &b, mask.data(), dy.data(), dh.data(), dc.data());
                b[i] -= by;
                value
            };
            let n = difference(at(step), at(-step));
            assert!(
                (f64::from(d_cell.data()[i]) - n).abs() < 1e-3 * n.abs().max(1e-3),
                "cell {i}"
            );
        }
    }
}
