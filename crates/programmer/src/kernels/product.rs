//! Matrix products with weights that are packed once and used many times.
//!
//! A general matrix product re-arranges its operands on every call; for a recurrent network, which multiplies
//! a few rows by the same weights at every time step, that costs as much as the product. Here weights are
//! packed once per update ([`Packed`]); activations are read in place, through an index where rows are
//! scattered, and a product may start from rows that are scattered too.

use super::arch;
use super::rows::Rows;
use crate::matrix::{LINE, Matrix, padded};
use pulp::{Simd, WithSimd};

/// Columns of a panel: four AVX-512 registers.
const PANEL: usize = 4 * LINE;

/// Rows of the largest tile. Six rows of four registers leave room for the operands in 32 registers.
const TILE: usize = 6;

/// The right operand of a product, k × n, in panels of 64 columns, each panel row-major; the last may be
/// narrower.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    data: Matrix,
    k: usize,
    n: usize,
}

impl Packed {
    /// Packs Wᵀ for row-major `weights` of shape n × k, so that a product computes x·Wᵀ. The rows of W come
    /// in `blocks` equal blocks (the gates of an LSTM), each of which is padded to whole lines in the
    /// product.
    pub fn pack_transposed(&mut self, weights: &[f32], n: usize, k: usize, blocks: usize) {
        assert_eq!(weights.len(), n * k);
        let block = n / blocks;
        self.reserve(k, blocks * padded(block), |this| {
            // Sixteen columns of the result at a time: sixteen rows of W are read side by side.
            for line in 0..blocks * padded(block) / LINE {
                let (from, inside) = (line * LINE / padded(block), line * LINE % padded(block));
                let first = from * block + inside;
                let used = LINE.min(block - inside);
                let (start, step) = this.line(line);
                let data = this.data.data_mut();
                for row in 0..k {
                    let out = &mut data[start + row * step..][..LINE];
                    for (c, o) in out.iter_mut().enumerate() {
                        *o = if c < used {
                            weights[(first + c) * k + row]
                        } else {
                            0.0
                        };
                    }
                }
            }
        });
    }

    /// Packs `weights` of shape k × n as it is, so that a product computes x·W. The rows of W come in
    /// `blocks` equal blocks, each of which is padded to whole lines: the left operand is laid out as the
    /// result of a product with [`pack_transposed`](Self::pack_transposed).
    pub fn pack_plain(&mut self, weights: &[f32], k: usize, n: usize, blocks: usize) {
        assert_eq!(weights.len(), n * k);
        let block = k / blocks;
        let height = if blocks == 1 { k } else { blocks * padded(block) };
        self.reserve(height, n, |this| {
            for line in 0..padded(n) / LINE {
                let (start, step) = this.line(line);
                let used = LINE.min(n - line * LINE);
                let data = this.data.data_mut();
                for row in 0..height {
                    let out = &mut data[start + row * step..][..LINE];
                    let (from, inside) = (row / padded(block), row % padded(block));
                    let source = if blocks == 1 { row } else { from * block + inside };
                    if blocks == 1 || inside < block {
                        out[..used].copy_from_slice(&weights[source * n + line * LINE..][..used]);
                        out[used..].fill(0.0);
                    } else {
                        out.fill(0.0);
                    }
                }
            }
        });
    }

    fn reserve(&mut self, k: usize, n: usize, fill: impl FnOnce(&mut Self)) {
        self.k = k;
        self.n = n;
        self.data.shape(k, n);
        fill(self);
    }

    /// Where line `line` of the columns starts, and the distance between its rows.
    fn line(&self, line: usize) -> (usize, usize) {
        let panel = line * LINE / PANEL * PANEL;
        let width = PANEL.min(padded(self.n) - panel);
        (panel * self.k + line * LINE - panel, width)
    }

    /// Rows of the operand: the length of the product's sums.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Columns of the operand.
    pub fn n(&self) -> usize {
        self.n
    }
}

/// What a product is added to.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// Nothing.
    Zero,
    /// One row, the same for all (a bias), padded.
    Bias(&'a [f32]),
    /// A row for each row.
    Rows(Rows<'a>),
    /// What the output holds already.
    Output,
}

/// out = start + a·b for as many rows as `a` has. Whole lines are written: the padding of `out` becomes that
/// of `start`.
pub fn product(a: Rows<'_>, b: &Packed, start: Start<'_>, out: &mut [f32], out_stride: usize) {
    let width = padded(b.n);
    assert!(
        out_stride >= width,
        "output rows of {out_stride} numbers for a product of {width}"
    );
    assert!(
        a.stride >= b.k,
        "left rows of {} numbers for a product over {}",
        a.stride,
        b.k
    );
    assert!(out.len() >= a.count * out_stride, "output too short");
    match start {
        Start::Bias(bias) => assert!(bias.len() >= width, "bias too short"),
        Start::Rows(rows) => assert!(
            rows.count >= a.count && rows.stride >= width,
            "start rows too few"
        ),
        Start::Zero | Start::Output => {}
    }
    if a.count > 0 {
        arch().dispatch(PackedOp {
            a,
            b,
            start,
            out,
            out_stride,
        });
    }
}

/// A matrix that is read where it lies: rows and columns any distance apart.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// From the first number on.
    pub data: &'a [f32],
    /// Distance between rows.
    pub row: usize,
    /// Distance between columns.
    pub column: usize,
}

impl View<'_> {
    /// Whether a matrix of this shape lies within the data.
    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || self.data.len() > (rows - 1) * self.row + (columns - 1) * self.column
    }
}

/// out = left·right for operands that are both new and small, the products of attention: nothing is packed. The
/// shape is rows × k times k × columns; columns are whole lines, and those of the right operand lie side by
/// side.
pub fn small_product(
    shape: (usize, usize, usize),
    left: View<'_>,
    right: View<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    let (rows, k, columns) = shape;
    assert!(
        columns.is_multiple_of(LINE) && right.column == 1,
        "whole lines side by side"
    );
    assert!(
        left.holds(rows, k) && right.holds(k, columns),
        "operands too short for a product of {rows} x {k} x {columns}"
    );
    if rows > 0 && columns > 0 {
        assert!(out.len() >= (rows - 1) * out_stride + columns, "output too short");
        arch().dispatch(SmallOp {
            shape,
            left,
            right,
            out,
            out_stride,
        });
    }
}

struct SmallOp<'a> {
    shape: (usize, usize, usize),
    left: View<'a>,
    right: View<'a>,
    out: &'a mut [f32],
    out_stride: usize,
}

impl WithSimd for SmallOp<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (rows, k, columns) = self.shape;
        for panel in (0..columns).step_by(PANEL) {
            for (from, to) in tiles(rows) {
                let mut left = [std::ptr::null(); TILE];
                for (r, left) in left[..to - from].iter_mut().enumerate() {
                    *left = self.left.data[(from + r) * self.left.row..].as_ptr();
                }
                let tile = Tile {
                    k,
                    left,
                    left_step: self.left.column,
                    right: self.right.data[panel..].as_ptr(),
                    right_step: self.right.row,
                    first: [std::ptr::null(); TILE],
                    out: self.out[from * self.out_stride + panel..].as_mut_ptr(),
                    out_step: self.out_stride,
                };
                // SAFETY: `small_product` checked that operands and output hold this shape.
                unsafe { tile.run(simd, to - from, PANEL.min(columns - panel)) };
            }
        }
    }
}

struct PackedOp<'a> {
    a: Rows<'a>,
    b: &'a Packed,
    start: Start<'a>,
    out: &'a mut [f32],
    out_stride: usize,
}

/// Splits `n` rows into tiles of nearly equal height, at most [`TILE`]: a last tile of one row would wait for
/// its own sums.
fn tiles(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = n.div_ceil(TILE);
    (0..count).map(move |i| (i * n / count, (i + 1) * n / count))
}

impl WithSimd for PackedOp<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            a,
            b,
            start,
            out,
            out_stride,
        } = self;
        let (k, total) = (b.k, padded(b.n));
        let data = b.data.data();
        for panel in (0..total).step_by(PANEL) {
            let width = PANEL.min(total - panel);
            let weights = data[panel * k..].as_ptr();
            for (from, to) in tiles(a.count) {
                let mut left = [std::ptr::null(); TILE];
                let mut first = [std::ptr::null(); TILE];
                for r in 0..to - from {
                    left[r] = a.pointer(from + r);
                    first[r] = match start {
                        Start::Zero => std::ptr::null(),
                        Start::Bias(bias) => bias[panel..].as_ptr(),
                        // SAFETY: `product` checked count and stride.
                        Start::Rows(rows) => unsafe { rows.pointer(from + r).add(panel) },
                        Start::Output => out[(from + r) * out_stride + panel..].as_ptr(),
                    };
                }
                let tile = Tile {
                    k,
                    left,
                    left_step: 1,
                    right: weights,
                    right_step: width,
                    first,
                    out: out[from * out_stride + panel..].as_mut_ptr(),
                    out_step: out_stride,
                };
                // SAFETY: `product` checked that all operands hold as many rows and columns as the tile
                // names.
                unsafe { tile.run(simd, to - from, width) };
            }
        }
    }
}

/// One tile of a product: up to [`TILE`] rows by one panel. Null `first` pointers mean a start from zero.
struct Tile {
    k: usize,
    left: [*const f32; TILE],
    left_step: usize,
    right: *const f32,
    right_step: usize,
    first: [*const f32; TILE],
    out: *mut f32,
    out_step: usize,
}

impl Tile {
    /// # Safety
    /// The pointers of the first `rows` rows must be valid for `k` steps of the left operand, `k` rows of
    /// `width` numbers of the right one, and `width` numbers of start and output.
    #[inline(always)]
    unsafe fn run<S: Simd>(&self, simd: S, rows: usize, width: usize) {
        // SAFETY: passed on to the caller.
        unsafe {
            if S::F32_LANES == LINE {
                match width / LINE {
                    4 => self.rows::<S, 4>(simd, rows, 0),
                    3 => self.rows::<S, 3>(simd, rows, 0),
                    2 => self.rows::<S, 2>(simd, rows, 0),
                    _ => self.rows::<S, 1>(simd, rows, 0),
                }
            } else {
                let mut done = 0;
                // One row or two are few sums, and each waits for itself: with eight registers of them the loop waits
                // for none, and a panel is read from front to back. No sum changes by that.
                while S::F32_LANES == 8 && rows <= 2 && done + 4 * LINE / rows <= width {
                    match rows {
                        1 => self.sum::<S, 1, 8>(simd, done),
                        _ => self.sum::<S, 2, 4>(simd, done),
                    }
                    done += 4 * LINE / rows;
                }
                // Narrower registers: one line of columns at a time, in as many registers as that takes.
                for column in (done..width).step_by(LINE) {
                    match S::F32_LANES {
                        8 => self.rows::<S, 2>(simd, rows, column),
                        4 => self.rows::<S, 4>(simd, rows, column),
                        2 => self.rows::<S, 8>(simd, rows, column),
                        _ => self.rows::<S, 16>(simd, rows, column),
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn rows<S: Simd, const V: usize>(&self, simd: S, rows: usize, column: usize) {
        // SAFETY: passed on to the caller.
        unsafe {
            match rows {
                1 => self.sum::<S, 1, V>(simd, column),
                2 => self.sum::<S, 2, V>(simd, column),
                3 => self.sum::<S, 3, V>(simd, column),
                4 => self.sum::<S, 4, V>(simd, column),
                5 => self.sum::<S, 5, V>(simd, column),
                _ => self.sum::<S, 6, V>(simd, column),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum<S: Simd, const R: usize, const V: usize>(&self, simd: S, column: usize) {
        // SAFETY: passed on to the caller; unaligned access is allowed by `read_unaligned` and
        // `write_unaligned`.
        unsafe {
            let mut sums = [[simd.splat_f32s(0.0); V]; R];
            for (r, line) in sums.iter_mut().enumerate() {
                if !self.first[r].is_null() {
                    let first = self.first[r].add(column).cast::<S::f32s>();
                    for (v, sum) in line.iter_mut().enumerate() {
                        *sum = first.add(v).read_unaligned();
                    }
                }
            }
            let mut left = [std::ptr::null::<f32>(); R];
            left.copy_from_slice(&self.left[..R]);
            let mut right = self.right.add(column);
            let mut offset = 0;
            for _ in 0..self.k {
                let mut b = [simd.splat_f32s(0.0); V];
                for (v, b) in b.iter_mut().enumerate() {
                    *b = right.cast::<S::f32s>().add(v).read_unaligned();
                }
                for r in 0..R {
                    let a = simd.splat_f32s(*left[r].add(offset));
                    for v in 0..V {
                        sums[r][v] = simd.mul_add_e_f32s(a, b[v], sums[r][v]);
                    }
                }
                right = right.add(self.right_step);
                offset += self.left_step;
            }
            for (r, line) in sums.iter().enumerate() {
                let out = self.out.add(r * self.out_step + column).cast::<S::f32s>();
                for (v, &sum) in line.iter().enumerate() {
                    out.add(v).write_unaligned(sum);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::rows::{noise, random};

    #[test]
    fn products_equal_the_plain_sum() {
        crate::kernels::on_every_arch(check_products_equal_the_plain_sum);
    }

    fn check_products_equal_the_plain_sum() {
        let mut seed = 1;
        for (m, k, n) in [
            (1, 1, 1),
            (5, 7, 16),
            (6, 33, 64),
            (13, 200, 208),
            (25, 20, 130),
            (7, 5, 800),
        ] {
            let a = random(m + 3, k, &mut seed);
            let w: Vec<f32> = (0..k * n).map(|_| noise(&mut seed)).collect();
            let initial = random(m, n, &mut seed);
            let index: Vec<u32> = (0..m as u32).map(|i| (i * 7 + 2) % (m as u32 + 3)).collect();
            let mut packed = Packed::default();
            packed.pack_transposed(&w, n, k, 1);
            let mut out = initial.clone();
            product(
                Rows::indexed(&a, &index),
                &packed,
                Start::Output,
                out.data_mut(),
                padded(n),
            );
            let mut from_rows = Matrix::zeros(m, n);
            product(
                Rows::indexed(&a, &index),
                &packed,
                Start::Rows(Rows::all(&initial)),
                from_rows.data_mut(),
                padded(n),
            );
            for (i, &from) in index.iter().enumerate() {
                for j in 0..n {
                    let sum: f64 = (0..k)
                        .map(|l| f64::from(a.row(from as usize)[l]) * f64::from(w[j * k + l]))
                        .sum::<f64>()
                        + f64::from(initial.row(i)[j]);
                    assert!((f64::from(out.row(i)[j]) - sum).abs() < 1e-5);
                    assert_eq!(out.row(i)[j], from_rows.row(i)[j]);
                }
                assert!(
                    out.row(i)[n..].iter().all(|&x| x == 0.0),
                    "padding must stay zero"
                );
            }
        }
    }

    #[test]
    fn blocks_are_padded_both_ways() {
        crate::kernels::on_every_arch(check_blocks_are_padded_both_ways);
    }

    fn check_blocks_are_padded_both_ways() {
        let mut seed = 3;
        let (block, k) = (20, 9);
        let w: Vec<f32> = (0..4 * block * k).map(|_| noise(&mut seed)).collect();
        let x = random(5, k, &mut seed);
        let (mut forward, mut backward) = (Packed::default(), Packed::default());
        forward.pack_transposed(&w, 4 * block, k, 4);
        backward.pack_plain(&w, 4 * block, k, 4);
        let mut y = Matrix::zeros(5, 4 * padded(block));
        product(
            Rows::all(&x),
            &forward,
            Start::Zero,
            y.data_mut(),
            4 * padded(block),
        );
        let mut back = Matrix::zeros(5, k);
        product(Rows::all(&y), &backward, Start::Zero, back.data_mut(), padded(k));
        for r in 0..5 {
            let mut sum = vec![0.0f64; k];
            for j in 0..4 * block {
                let dot: f64 = (0..k).map(|l| f64::from(x.row(r)[l] * w[j * k + l])).sum();
                assert!((f64::from(y.row(r)[j / block * padded(block) + j % block]) - dot).abs() < 1e-5);
                (0..k).for_each(|l| sum[l] += dot * f64::from(w[j * k + l]));
            }
            assert!((0..k).all(|l| (f64::from(back.row(r)[l]) - sum[l]).abs() < 1e-4));
        }
    }

    /// Operands that end where the product does: `tools/sanitize` sees whoever reads or writes beyond.
    #[test]
    fn shapes_at_every_edge() {
        crate::kernels::on_every_arch(check_shapes_at_every_edge);
    }

    fn check_shapes_at_every_edge() {
        let mut seed = 5;
        let mut numbers = |count: usize| -> Box<[f32]> { (0..count).map(|_| noise(&mut seed)).collect() };
        for k in [1, 2, 7, 17] {
            for n in [1, 15, 16, 17, 32, 33, 48, 63, 64, 65, 80, 112, 128, 129] {
                let (weights, bias) = (numbers(n * k), numbers(padded(n)));
                let mut packed = Packed::default();
                packed.pack_transposed(&weights, n, k, 1);
                for rows in 0..=2 * TILE + 1 {
                    let left = numbers(rows * k);
                    let mut out = numbers(rows * padded(n));
                    product(
                        Rows::slice(&left, k),
                        &packed,
                        Start::Bias(&bias),
                        &mut out,
                        padded(n),
                    );
                    for (row, out) in out.chunks(padded(n)).enumerate() {
                        for (column, found) in out[..n].iter().enumerate() {
                            let parts = (0..k).map(|l| left[row * k + l] * weights[column * k + l]);
                            let sum: f32 = parts.sum::<f32>() + bias[column];
                            assert!((found - sum).abs() < 1e-4, "{rows} x {k} x {n}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn small_shapes_at_every_edge() {
        crate::kernels::on_every_arch(check_small_shapes_at_every_edge);
    }

    fn check_small_shapes_at_every_edge() {
        let mut seed = 6;
        let mut numbers = |count: usize| -> Box<[f32]> { (0..count).map(|_| noise(&mut seed)).collect() };
        for columns in [LINE, 2 * LINE, 3 * LINE, PANEL, PANEL + LINE, 2 * PANEL] {
            for k in [1, 2, 9] {
                for rows in 1..=2 * TILE + 1 {
                    // The left operand as it is, and turned.
                    for (row, column) in [(k, 1), (1, rows)] {
                        let left = numbers((rows - 1) * row + (k - 1) * column + 1);
                        let right = numbers((k - 1) * columns + columns);
                        let mut out = numbers((rows - 1) * (columns + 3) + columns);
                        let left = View {
                            data: &left,
                            row,
                            column,
                        };
                        let right = View {
                            data: &right,
                            row: columns,
                            column: 1,
                        };
                        small_product((rows, k, columns), left, right, &mut out, columns + 3);
                        for r in 0..rows {
                            for c in 0..columns {
                                let parts = (0..k)
                                    .map(|l| left.data[r * row + l * column] * right.data[l * columns + c]);
                                let sum: f32 = parts.sum();
                                assert!(
                                    (out[r * (columns + 3) + c] - sum).abs() < 1e-4,
                                    "{rows} x {k} x {columns}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
