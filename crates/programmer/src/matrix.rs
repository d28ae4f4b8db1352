//! Row-major matrices whose rows start on a cache line and end in zeros.

/// Rows are padded to this many numbers: one AVX-512 register, one cache line.
pub const LINE: usize = 16;

/// One cache line; the unit of allocation, so that every row is aligned.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f32; LINE]);

/// A matrix of f32 in rows. Each row occupies [`stride`](Matrix::stride) numbers, a multiple of [`LINE`].
/// Kernels read and write whole lines, so what lies between `cols` and `stride` must be zero wherever it
/// takes part in a product; every kernel of this crate keeps it so.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    lines: Vec<Line>,
    rows: usize,
    cols: usize,
}

/// `n` rounded up to whole lines.
pub const fn padded(n: usize) -> usize {
    n.div_ceil(LINE) * LINE
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let mut matrix = Self::default();
        matrix.reset(rows, cols);
        matrix
    }

    /// Gives the matrix this shape and fills it with zeros. Memory is only ever grown, so that a workspace
    /// that has seen its largest batch allocates no more.
    pub fn reset(&mut self, rows: usize, cols: usize) {
        self.lines.clear();
        self.shape(rows, cols);
    }

    /// Gives the matrix this shape; the contents are whatever they were. For matrices that are written whole
    /// before they are read. Padding that another width left dirty is a caller's mistake, so a change of
    /// width zeroes all.
    pub fn shape(&mut self, rows: usize, cols: usize) {
        if cols != self.cols {
            self.lines.clear();
        }
        self.rows = rows;
        self.cols = cols;
        self.lines.resize(rows * padded(cols) / LINE, Line([0.0; LINE]));
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of meaningful columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distance between the starts of two rows.
    pub fn stride(&self) -> usize {
        padded(self.cols)
    }

    /// All numbers, padding included.
    pub fn data(&self) -> &[f32] {
        // SAFETY: `Line` is `repr(C)` over sixteen f32 without padding (its size equals its alignment).
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * LINE) }
    }

    /// All numbers, padding included.
    pub fn data_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `data`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * LINE) }
    }

    /// Row `r` with its padding.
    pub fn row(&self, r: usize) -> &[f32] {
        let stride = self.stride();
        &self.data()[r * stride..(r + 1) * stride]
    }

    /// Row `r` with its padding.
    pub fn row_mut(&mut self, r: usize) -> &mut [f32] {
        let stride = self.stride();
        &mut self.data_mut()[r * stride..(r + 1) * stride]
    }

    /// Rows `from..to` with their padding.
    pub fn span(&self, from: usize, to: usize) -> &[f32] {
        let stride = self.stride();
        &self.data()[from * stride..to * stride]
    }

    /// Rows `from..to` with their padding.
    pub fn span_mut(&mut self, from: usize, to: usize) -> &mut [f32] {
        let stride = self.stride();
        &mut self.data_mut()[from * stride..to * stride]
    }

    /// Sets everything to zero.
    pub fn clear(&mut self) {
        self.data_mut().fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_aligned_and_padded() {
        let mut m = Matrix::zeros(3, 20);
        assert_eq!(m.stride(), 32);
        assert_eq!(m.row(1).as_ptr() as usize % 64, 0);
        m.row_mut(2)[19] = 1.0;
        assert_eq!(m.data()[2 * 32 + 19], 1.0);
        m.shape(2, 20);
        m.shape(3, 20);
        assert_eq!(m.row(2)[19], 0.0);
        m.row_mut(0)[3] = 7.0;
        m.shape(3, 5);
        assert!(m.data().iter().all(|&x| x == 0.0));
    }
}
