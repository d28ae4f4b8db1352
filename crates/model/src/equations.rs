//! Linear equations of few unknowns, as fitting curves needs them.

/// Solves equations whose matrix is positive definite.
pub(crate) fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for place in 0..N {
        let pivot = matrix[place];
        let value = right[place];
        for below in place + 1..N {
            let times = matrix[below][place] / pivot[place];
            matrix[below]
                .iter_mut()
                .zip(pivot)
                .for_each(|(entry, above)| *entry -= times * above);
            right[below] -= times * value;
        }
    }
    let mut solution = [0.0; N];
    for place in (0..N).rev() {
        let known: f64 = (place + 1..N)
            .map(|next| matrix[place][next] * solution[next])
            .sum();
        solution[place] = (right[place] - known) / matrix[place][place];
    }
    solution
}
