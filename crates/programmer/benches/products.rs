//! GFLOP/s of the crate's products beside a general matrix product, at the shapes of the network, on one
//! thread: `cargo bench -p mapo-programmer --bench products`.

use mapo_programmer::kernels::product::{Packed, Start, product};

use mapo_programmer::kernels::rows::Rows;
use mapo_programmer::matrix::{Matrix, padded};
use std::time::Instant;

/// The median time of a run, and the least: other work on the machine moves the first more than the second.
fn times(mut run: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..41)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[0])
}

fn filled(rows: usize, cols: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows, cols);
    for row in 0..rows {
        matrix.row_mut(row)[..cols].fill(0.01);
    }
    matrix
}

/// out = a·b by the gemm crate; the left operand has its own strides between columns and rows.
fn general(shape: (usize, usize, usize), a: (&[f32], usize, usize), b: (&[f32], usize), out: &mut [f32]) {
    let (m, k, n) = shape;
    // SAFETY: the slices hold the matrices that shape and strides name.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            false,
            a.0.as_ptr(),
            a.1 as isize,
            a.2 as isize,
            b.0.as_ptr(),
            1,
            b.1 as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

fn main() {
    println!("GFLOP/s, median (best)");
    println!("{:>24} {:>15} {:>15}", "shape", "packed", "gemm crate");
    let shapes = [
        (6, 200, 800),
        (13, 200, 800),
        (25, 200, 800),
        (250, 200, 800),
        (13, 800, 200),
        (25, 800, 200),
        (250, 800, 200),
        (25, 200, 200),
    ];
    for (m, k, n) in shapes {
        let a = filled(m, k);
        let weights = vec![0.02f32; k * n];
        let mut packed = Packed::default();
        packed.pack_plain(&weights, k, n, 1);
        let mut out = Matrix::zeros(m, n);
        let repeat = 1 + 200_000_000 / (2 * m * k * n);
        let flop = 2e-9 * (m * k * n * repeat) as f64;
        let ours = times(|| {
            for _ in 0..repeat {
                product(Rows::all(&a), &packed, Start::Zero, out.data_mut(), padded(n));
            }
        });
        let theirs = times(|| {
            for _ in 0..repeat {
                general(
                    (m, k, n),
                    (a.data(), 1, a.stride()),
                    (&weights, n),
                    out.data_mut(),
                );
            }
        });
        print_row(&format!("{m}x{k} . {k}x{n}"), flop, Some(ours), theirs);
    }
    for (rows, m, n) in [(250, 800, 200), (500, 800, 200), (650, 400, 200)] {
        let (a, b) = (filled(rows, m), filled(rows, n));
        let mut out = vec![0.0; m * n];
        let theirs = times(|| {
            general(
                (m, rows, n),
                (a.data(), a.stride(), 1),
                (b.data(), b.stride()),
                &mut out,
            )
        });
        print_row(
            &format!("{m}x{rows} . {rows}x{n}"),
            2e-9 * (m * rows * n) as f64,
            None,
            theirs,
        );
    }
}

fn print_row(shape: &str, flop: f64, ours: Option<(f64, f64)>, theirs: (f64, f64)) {
    let speed = |(median, least): (f64, f64)| format!("{:.0} ({:.0})", flop / median, flop / least);
    println!(
        "{shape:>24} {:>15} {:>15}",
        ours.map_or_else(String::new, speed),
        speed(theirs)
    );
}
