//! Rows of matrices, as kernels take them.

use crate::matrix::Matrix;

/// Rows of a matrix, all in order or chosen by an index.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(super) data: &'a [f32],
    pub(super) stride: usize,
    pub(super) index: Option<&'a [u32]>,
    pub(super) count: usize,
}

impl<'a> Rows<'a> {
    /// `count` rows that lie `stride` apart in a slice.
    pub fn slice(data: &'a [f32], stride: usize) -> Self {
        assert_eq!(data.len() % stride, 0, "a slice of whole rows");
        Self {
            data,
            stride,
            index: None,
            count: data.len() / stride,
        }
    }

    /// The same rows, chosen by an index.
    pub fn at(self, index: &'a [u32]) -> Self {
        assert!(self.index.is_none(), "rows are chosen once");
        let rows = self.data.len() / self.stride;
        assert!(
            index.iter().all(|&i| (i as usize) < rows),
            "row index out of range"
        );
        Self {
            index: Some(index),
            count: index.len(),
            ..self
        }
    }

    /// Rows `from..to` of a matrix.
    pub fn span(matrix: &'a Matrix, from: usize, to: usize) -> Self {
        Self {
            data: matrix.span(from, to),
            stride: matrix.stride(),
            index: None,
            count: to - from,
        }
    }

    /// All rows of a matrix.
    pub fn all(matrix: &'a Matrix) -> Self {
        Self::span(matrix, 0, matrix.rows())
    }

    /// The rows of a matrix that `index` names, in that order.
    pub fn indexed(matrix: &'a Matrix, index: &'a [u32]) -> Self {
        Self::all(matrix).at(index)
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Row `row` with its padding.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &'a [f32] {
        let at = self.index.map_or(row, |index| index[row] as usize);
        &self.data[at * self.stride..(at + 1) * self.stride]
    }

    #[inline(always)]
    pub(super) fn pointer(&self, row: usize) -> *const f32 {
        debug_assert!(row < self.count);
        let at = self.index.map_or(row, |index| index[row] as usize);
        // SAFETY: constructors check that every row lies within `data`.
        unsafe { self.data.as_ptr().add(at * self.stride) }
    }
}

/// A number for tests, in ±0.5.
#[cfg(test)]
pub(super) fn noise(seed: &mut u32) -> f32 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*seed >> 8) as f32 / (1 << 24) as f32 - 0.5
}

/// A matrix for tests.
#[cfg(test)]
pub(super) fn random(rows: usize, cols: usize, seed: &mut u32) -> Matrix {
    let mut m = Matrix::zeros(rows, cols);
    for r in 0..rows {
        m.row_mut(r)[..cols].iter_mut().for_each(|x| *x = noise(seed));
    }
    m
}
