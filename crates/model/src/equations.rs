//! Fitting curves of few parameters: Newton's steps, and the linear equations that they solve.

/// How what is said of some data changes around a point.
pub(crate) struct Around<const N: usize> {
    /// How fast it grows with each parameter.
    pub slopes: [f64; N],
    /// How sharply it bends down, for each pair of them.
    pub bends: [[f64; N]; N],
}

/// The point at which what the data says is largest, by Newton's steps from `start`, to which `pull` draws as if so
/// many answers had spoken for it. Only what is `free` moves. `learn` adds what the data says around a point.
pub(crate) fn climb<const N: usize>(
    start: [f64; N],
    pull: f64,
    free: [bool; N],
    learn: impl Fn(&[f64; N], &mut Around<N>),
) -> [f64; N] {
    let mut point = start;
    for _ in 0..100 {
        let mut around = Around {
            slopes: [0.0; N],
            bends: [[0.0; N]; N],
        };
        learn(&point, &mut around);
        let Around { slopes, bends } = &mut around;
        for place in 0..N {
            slopes[place] -= pull * (point[place] - start[place]);
            bends[place][place] += pull;
            if !free[place] {
                slopes[place] = 0.0;
                bends[place] = [0.0; N];
                bends.iter_mut().for_each(|row| row[place] = 0.0);
                bends[place][place] = 1.0;
            }
        }
        let mut step = solve(around.bends, around.slopes);
        let size = step.iter().map(|part| part * part).sum::<f64>().sqrt();
        // Far from the best point a whole step can be too long.
        if size > 1.0 {
            step.iter_mut().for_each(|part| *part /= size);
        }
        point
            .iter_mut()
            .zip(step)
            .for_each(|(weight, part)| *weight += part);
        if size < 1e-10 {
            break;
        }
    }
    point
}

/// Solves equations whose matrix is positive definite.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
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
