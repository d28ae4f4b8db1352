//! Times a transformer's passes as training and answering do them, alone or beside another implementation.
//!
//! - `cargo bench -p mapo-programmer --bench encoder [-- WEIGHTS]` prints medians and the share of the machine's
//!   peak for WEIGHTS (a published `model.safetensors`), or for random weights of the same shape;
//! - `… -- serve DIR THREADS [WEIGHTS]` writes the work to DIR and then obeys commands from standard input, one a
//!   line, answering with a line of JSON each: `benches/pytorch/encoder.py` uses it.

use mapo_programmer::transformer::{Reader, Shape, Trained, Transformer, Weights};
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Questions of a step, and the pieces of the shortest and the longest with their columns.
const QUESTIONS: usize = 25;
const PIECES: (usize, usize) = (20, 100);
/// Pieces of a question that is read alone.
const ALONE: usize = 60;

/// A small linear congruential generator: the work must be the same everywhere, not unpredictable.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

fn sequences() -> Vec<Vec<u32>> {
    let mut random = Random(1);
    let mut lengths: Vec<usize> = (0..QUESTIONS)
        .map(|_| PIECES.0 + random.below(PIECES.1 - PIECES.0 + 1))
        .collect();
    lengths.push(ALONE);
    lengths
        .into_iter()
        .map(|n| {
            (0..n)
                .map(|_| random.below(Shape::MINILM.pieces) as u32)
                .collect()
        })
        .collect()
}

/// Processor time of all threads of this process, where the system tells it in nanoseconds; else 0.
fn processor_seconds() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    let nanoseconds = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    1e-9 * tasks.filter_map(nanoseconds).sum::<f64>()
}

/// What the loss multiplies the outputs by: the same numbers on both sides.
fn direction(d_output: &mut [f32]) {
    for (i, d) in d_output.iter_mut().enumerate() {
        *d = ((i * 7919) % 1009) as f32 / 1009.0 - 0.5;
    }
}

struct Bench {
    sequences: Vec<Vec<u32>>,
    weights: Arc<Weights>,
    threads: usize,
    work: Option<(String, Work)>,
}

/// A transformer with what is trained of it.
struct Work {
    transformer: Transformer,
    values: Vec<f32>,
    gradient: Vec<f32>,
    reader: Reader,
}

impl Bench {
    fn new(weights: Option<&Path>, threads: usize) -> Result<Self, Box<dyn Error>> {
        let weights = match weights {
            Some(path) => Weights::read(path)?,
            None => Weights::random(Shape::MINILM, 1)?,
        };
        Ok(Self {
            sequences: sequences(),
            weights: Arc::new(weights),
            threads,
            work: None,
        })
    }

    /// `all`, `upper N`: a step with that trained; `frozen`: all questions forward; `one`: one of them on one
    /// thread.
    fn prepare(&mut self, command: &str) -> Result<(), Box<dyn Error>> {
        if self.work.as_ref().is_some_and(|(name, _)| name == command) {
            return Ok(());
        }
        let shape = *self.weights.shape();
        let trained = match command.split_once(' ') {
            Some(("upper", n)) => Trained::upper(&shape, n.parse()?),
            _ if command == "all" => Trained::all(&shape),
            _ => Trained::none(&shape),
        };
        let threads = if command == "one" { 1 } else { self.threads };
        let transformer = Transformer::new(Arc::clone(&self.weights), trained)?;
        let values = transformer.initial();
        let work = Work {
            gradient: vec![0.0; values.len()],
            values,
            transformer,
            reader: Reader::new(threads)?,
        };
        self.work = Some((command.to_owned(), work));
        Ok(())
    }

    /// One run.
    fn obey(&mut self, command: &str) -> Result<(), Box<dyn Error>> {
        let Some((_, work)) = &mut self.work else {
            return Err("nothing was prepared".into());
        };
        let all: Vec<&[u32]> = self.sequences.iter().map(Vec::as_slice).collect();
        let read = if command == "one" {
            &all[QUESTIONS..]
        } else {
            &all[..QUESTIONS]
        };
        // Trained weights are new in every step, so packing them belongs to it.
        let Work {
            transformer,
            values,
            gradient,
            reader,
        } = work;
        reader.pool().install(|| transformer.refresh(values));
        reader.read(transformer, values, read, None)?;
        if transformer.trained().any() {
            reader.learn(transformer, values, |_, d| direction(d), gradient)?;
        }
        Ok(())
    }

    /// The sum of the outputs times their directions, and the gradient's norm.
    fn values(&self, command: &str) -> [f64; 2] {
        let Some((_, work)) = &self.work else {
            return [0.0; 2];
        };
        let count = if command == "one" { 1 } else { QUESTIONS };
        let mut sum = 0.0;
        for s in 0..count {
            let rows = work.reader.output(s);
            let mut weights = vec![0.0; rows.count() * work.transformer.shape().width];
            direction(&mut weights);
            let outputs = (0..rows.count()).flat_map(|r| rows.row(r));
            sum += outputs
                .zip(&weights)
                .map(|(&x, &w)| f64::from(x) * f64::from(w))
                .sum::<f64>();
        }
        let squares: f64 = work.gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
        [sum, squares.sqrt()]
    }

    /// Operations of a command's products.
    fn operations(&self, command: &str) -> f64 {
        let shape = self.weights.shape();
        let of =
            |sequences: &[Vec<u32>]| sequences.iter().map(|s| shape.operations(s.len())).sum::<u64>() as f64;
        let forward = of(&self.sequences[..QUESTIONS]);
        match command.split_once(' ').map(|(_, n)| n.parse::<f64>()) {
            Some(Ok(n)) => forward * (1.0 + 2.0 * n / shape.layers as f64),
            _ if command == "all" => 3.0 * forward,
            _ if command == "one" => of(&self.sequences[QUESTIONS..]),
            _ => forward,
        }
    }
}

/// Operations a second that one thread reaches with nothing but multiplications and additions in registers.
fn peak() -> f64 {
    let weights = vec![0.5f32; 64 * 64];
    let mut packed = mapo_programmer::kernels::product::Packed::default();
    packed.pack_plain(&weights, 64, 64, 1);
    let a = mapo_programmer::matrix::Matrix::zeros(6, 64);
    let mut out = mapo_programmer::matrix::Matrix::zeros(6, 64);
    let repeat = 20_000;
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..repeat {
            let rows = mapo_programmer::kernels::rows::Rows::all(&a);
            let zero = mapo_programmer::kernels::product::Start::Zero;
            mapo_programmer::kernels::product::product(rows, &packed, zero, out.data_mut(), 64);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    f64::from(repeat) * 2.0 * 6.0 * 64.0 * 64.0 / best
}

fn serve(directory: &Path, threads: usize, weights: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let mut bench = Bench::new(weights, threads)?;
    let work = serde_json::json!({ "sequences": &bench.sequences[..QUESTIONS], "alone": &bench.sequences[QUESTIONS] });
    serde_json::to_writer(std::fs::File::create(directory.join("work.json"))?, &work)?;
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let command = line.trim();
        bench.prepare(command)?;
        let (before, start) = (processor_seconds(), Instant::now());
        bench.obey(command)?;
        let (seconds, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        let [value, norm] = bench.values(command);
        let operations = bench.operations(command);
        let answer = serde_json::json!({
            "seconds": seconds, "processor": processor, "value": value, "norm": norm, "operations": operations
        });
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let path = |at: usize| arguments.get(at).map(Path::new);
    if let (Some("serve"), Some(directory)) = (arguments.first().map(String::as_str), path(1)) {
        let threads = arguments.get(2).map_or(Ok(2), |n| n.parse())?;
        return serve(directory, threads, path(3));
    }
    let mut bench = Bench::new(path(0), 2)?;
    let peak = peak();
    println!(
        "one thread multiplies and adds {:.0} GFLOP/s in registers",
        1e-9 * peak
    );
    for command in ["all", "upper 2", "upper 1", "frozen", "one"] {
        bench.prepare(command)?;
        let mut times: Vec<f64> = Vec::new();
        for _ in 0..15 {
            let start = Instant::now();
            bench.obey(command)?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let (median, operations) = (times[times.len() / 2], bench.operations(command));
        let threads = if command == "one" { 1.0 } else { 2.0 };
        println!(
            "{command:>8}: {:.1} ms (best {:.1}), {:.1} GFLOP, {:.0} GFLOP/s, {:.0} % of the peak",
            1e3 * median,
            1e3 * times[0],
            1e-9 * operations,
            1e-9 * operations / median,
            100.0 * operations / median / (threads * peak)
        );
    }
    Ok(())
}
