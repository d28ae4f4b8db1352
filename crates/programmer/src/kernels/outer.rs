//! Products of two operands that are both new: weight gradients.

use super::rows::Rows;

/// The left operand of [`add_outer`]: columns of some rows of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// The rows.
    pub rows: Rows<'a>,
    /// The first column used.
    pub from: usize,
    /// How many columns are used.
    pub count: usize,
}

/// out += aᵀ·b over the common rows of `a` and `b`: weight gradients. `out` is row-major, `a.count` × `cols`,
/// unpadded.
///
/// Both operands are new every time, so there is nothing to pack beforehand and a general product serves
/// best.
pub fn add_outer(a: Columns<'_>, b: Rows<'_>, cols: usize, out: &mut [f32]) {
    let rows = a.rows.count;
    assert!(
        a.rows.index.is_none() && b.index.is_none(),
        "outer products take rows in order"
    );
    assert_eq!(rows, b.count, "outer product of different numbers of rows");
    assert!(a.from + a.count <= a.rows.stride && cols <= b.stride);
    assert_eq!(out.len(), a.count * cols, "gradient of another shape");
    if rows == 0 || out.is_empty() {
        return;
    }
    // SAFETY: the asserts above and the constructors of `Rows` make every element that the strides name lie
    // within its slice.
    unsafe {
        gemm::gemm(
            a.count,
            cols,
            rows,
            out.as_mut_ptr(),
            1,
            cols as isize,
            true,
            a.rows.data.as_ptr().add(a.from),
            a.rows.stride as isize,
            1,
            b.data.as_ptr(),
            1,
            b.stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::rows::random;

    #[test]
    fn outer_products_equal_the_plain_sum() {
        let mut seed = 2;
        for (rows, p, q) in [(1, 1, 1), (3, 20, 17), (300, 40, 70), (513, 9, 200)] {
            let (a, b) = (random(rows, p, &mut seed), random(rows, q, &mut seed));
            let (from, to) = (p / 3, p);
            let mut out = vec![0.5; (to - from) * q];
            add_outer(
                Columns {
                    rows: Rows::all(&a),
                    from,
                    count: to - from,
                },
                Rows::all(&b),
                q,
                &mut out,
            );
            for i in from..to {
                for j in 0..q {
                    let sum: f64 = (0..rows)
                        .map(|r| f64::from(a.row(r)[i]) * f64::from(b.row(r)[j]))
                        .sum::<f64>()
                        + 0.5;
                    assert!((f64::from(out[(i - from) * q + j]) - sum).abs() < 1e-4);
                }
            }
        }
    }
}
