//! GFLOP/s of the crate's products beside a general matrix product at the same shapes.
use mapo_programmer::kernels::product::{Packed, Rows, Start, product};
use mapo_programmer::matrix::Matrix;
use std::time::Instant;

fn median(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..41)
        .map(|_| {
            let t = Instant::now();
            run();
            t.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn general(m: usize, n: usize, k: usize, a: (&[f32], usize, usize), b: &[f32], bs: usize, out: &mut [f32]) {
    // SAFETY: the slices hold the matrices that the strides name.
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
            b.as_ptr(),
            1,
            bs as isize,
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
    println!("{:>28} {:>9} {:>9}", "shape", "packed", "gemm");
    for (m, k, n) in [
        (6, 200, 800),
        (13, 200, 800),
        (25, 200, 800),
        (25, 400, 800),
        (250, 200, 800),
        (250, 800, 200),
        (25, 800, 200),
        (13, 800, 200),
        (25, 200, 200),
    ] {
        let a = {
            let mut a = Matrix::zeros(m, k);
            a.data_mut().fill(0.01);
            a
        };
        let w = vec![0.02f32; k * n];
        let mut packed = Packed::default();
        packed.pack_plain(&w, k, n, 1);
        let mut out = Matrix::zeros(m, n);
        let reps = 1 + 200_000_000 / (2 * m * k * n);
        let flop = 2e-9 * (m * k * n * reps) as f64;
        let ours = median(|| {
            for _ in 0..reps {
                product(
                    Rows::all(&a),
                    &packed,
                    Start::Zero,
                    out.data_mut(),
                    n.div_ceil(16) * 16,
                )
            }
        });
        let theirs = median(|| {
            for _ in 0..reps {
                general(m, n, k, (a.data(), 1, a.stride()), &w, n, out.data_mut())
            }
        });
        println!(
            "{:>28} {:>9.1} {:>9.1}",
            format!("{m}x{k} . {k}x{n}"),
            flop / ours,
            flop / theirs
        );
    }
    for (k, m, n) in [(250, 800, 200), (650, 800, 200), (250, 200, 200), (650, 400, 200)] {
        let a = {
            let mut a = Matrix::zeros(k, m);
            a.data_mut().fill(0.01);
            a
        };
        let b = {
            let mut a = Matrix::zeros(k, n);
            a.data_mut().fill(0.01);
            a
        };
        let mut out = vec![0.0; m * n];
        let flop = 2e-9 * (m * k * n) as f64;
        let theirs = median(|| general(m, n, k, (a.data(), a.stride(), 1), b.data(), b.stride(), &mut out));
        println!(
            "{:>28} {:>9} {:>9.1}",
            format!("({k}x{m})' . {k}x{n}"),
            "",
            flop / theirs
        );
    }
}
