//! Times training and scoring of the paper's network, alone or beside another implementation.
//!
//! - `cargo bench -p mapo-programmer --bench network` prints medians and a profile of the parts;
//! - `… -- serve DIR [THREADS]` writes the work and the weights to DIR and then obeys commands from standard input, one
//!   a line (`loss`, `train`, `score`, `tree`), answering with a line of JSON each:
//!   `benches/pytorch/compare.py` uses it;
//! - `… -- memories FILE [MODEL]` scores programs from a file of JSON lines, flat and as prefix trees:
//!   `{"example": …, "programs": [steps, …]}`, both as `serde` writes [`Example`] and [`Steps`];
//! - `… -- repeat COMMAND N [linked]` does one of these commands N times, for a profiler; with `linked`, by a network
//!   whose tokens and columns see each other;
//! - `… -- memory STEPS` trains for some steps and prints the peak memory of the process.

use mapo_programmer::{
    Adam, AdamOptions, Batch, Checkpoint, Config, Dropout, Example, Network, Objective, Precision, Runner,
    Span, Steps, Trajectory, Vectors, Words,
};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const FUNCTIONS: u32 = 23;
const OPEN: u32 = FUNCTIONS;
const CLOSE: u32 = FUNCTIONS + 1;
const END: u32 = FUNCTIONS + 2;
const ALL_ROWS: u32 = FUNCTIONS + 3;
const BUILTINS: u32 = FUNCTIONS + 4;
/// Threads of a run, unless the command says otherwise.
const THREADS: usize = 2;

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
    fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }
}

#[derive(Serialize)]
struct Program {
    example: usize,
    weight: f32,
    steps: Steps,
}

#[derive(Serialize)]
struct Work {
    examples: Vec<Example>,
    train: Vec<Program>,
    score: Vec<Program>,
}

fn words(random: &mut Random) -> Words {
    let (trained, fixed, dimensions) = (100, 2000, 100);
    let names = |prefix: &str, n: usize| (0..n).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>();
    let numbers = (0..fixed * dimensions)
        .map(|_| random.below(2001) as f32 / 1000.0 - 1.0)
        .collect();
    let vectors = Vectors {
        dimensions,
        words: names("w", fixed),
        numbers,
        source: None,
    };
    Words::new(&names("t", trained), &vectors, Precision::Half).expect("distinct words")
}

fn example(random: &mut Random) -> Example {
    let tokens = random.between(5, 35);
    let mut example = Example {
        tokens: (0..tokens).map(|_| random.below(2100) as u32).collect(),
        token_features: (0..tokens).map(|_| random.below(2) as f32).collect(),
        ..Example::default()
    };
    for _ in 0..random.between(5, 20) {
        let name: Vec<u32> = (0..random.between(1, 3))
            .map(|_| random.below(2100) as u32)
            .collect();
        example
            .columns
            .push(&name, random.below(4) as u32, &[random.below(3) as f32], &[]);
    }
    for _ in 0..random.between(1, 4) {
        let first = random.below(tokens);
        let last = (first + random.below(3)).min(tokens - 1);
        example.constants.push(Span {
            first: first as u32,
            last: last as u32,
        });
    }
    example
}

/// A program of one to three expressions, 6 to 20 tokens: `( f rows argument … )`; the rows are all rows or
/// an earlier result.
fn program(example: &Example, random: &mut Random) -> Steps {
    // A function takes two to four arguments; half of the functions are offered, the same ones after the same
    // number of expressions.
    let arguments = |f: u32| 2 + f as usize % 3;
    let offered = |done: usize| -> Vec<u32> {
        (0..FUNCTIONS)
            .filter(|&f| (f as usize + done + example.columns.len()).is_multiple_of(2))
            .collect()
    };
    let functions = loop {
        let count = random.between(1, 3);
        let pick = |done| offered(done)[random.below(offered(done).len())];
        let functions: Vec<u32> = (0..count).map(pick).collect();
        let length = functions.iter().map(|&f| arguments(f) + 3).sum::<usize>() + 1;
        if (6..=20).contains(&length) {
            break functions;
        }
    };
    let columns: Vec<u32> = (0..example.columns.len() as u32).map(|c| BUILTINS + c).collect();
    let first_variable = BUILTINS + (example.columns.len() + example.constants.len()) as u32;
    let constants: Vec<u32> = (BUILTINS + columns.len() as u32..first_variable).collect();
    let mut steps = Steps::default();
    for (done, &function) in functions.iter().enumerate() {
        let open: &[u32] = if done == 0 { &[OPEN] } else { &[OPEN, END] };
        steps.push(OPEN, open, false);
        steps.push(function, &offered(done), false);
        for argument in 0..arguments(function) {
            let valid: Vec<u32> = match argument {
                0 => std::iter::once(ALL_ROWS)
                    .chain((0..done as u32).map(|v| first_variable + v))
                    .collect(),
                1 => constants
                    .iter()
                    .copied()
                    .chain((0..done as u32).map(|v| first_variable + v))
                    .collect(),
                _ => columns.clone(),
            };
            steps.push(valid[random.below(valid.len())], &valid, false);
        }
        steps.push(CLOSE, &[CLOSE], true);
    }
    let end: &[u32] = if functions.len() < 3 { &[OPEN, END] } else { &[END] };
    steps.push(END, end, false);
    steps
}

fn work(random: &mut Random) -> Work {
    let examples: Vec<Example> = (0..25).map(|_| example(random)).collect();
    let mut programs = |each: usize| {
        (0..25 * each)
            .map(|i| {
                let example = i / each;
                let weight = random.between(1, 10) as f32 / 10.0;
                Program {
                    example,
                    weight,
                    steps: program(&examples[example], random),
                }
            })
            .collect::<Vec<_>>()
    };
    let (train, score) = (programs(2), programs(20));
    Work {
        examples,
        train,
        score,
    }
}

fn trajectories(programs: &[Program]) -> Vec<Trajectory<'_>> {
    programs
        .iter()
        .map(|p| Trajectory {
            example: p.example,
            weight: p.weight,
            steps: &p.steps,
        })
        .collect()
}

/// Everything that a run needs.
struct Bench {
    network: Network,
    adam: Adam,
    runner: Runner,
    gradient: Vec<f32>,
    steps: u64,
}

impl Bench {
    fn new(network: Network, threads: usize) -> Result<Self, Box<dyn Error>> {
        let adam = Adam::new(&network, AdamOptions::default());
        let gradient = vec![0.0; network.values().len()];
        Ok(Self {
            network,
            adam,
            runner: Runner::new(threads)?,
            gradient,
            steps: 0,
        })
    }

    fn objective(&self, dropout: bool) -> Objective {
        let dropout = dropout.then_some(Dropout {
            rate: 0.2,
            seed: self.steps,
        });
        Objective {
            divisor: 50.0,
            entropy: 0.01,
            dropout,
            share_prefixes: false,
        }
    }

    fn loss(&mut self, batch: &Batch<'_>) -> Result<f64, Box<dyn Error>> {
        let objective = self.objective(false);
        Ok(self
            .runner
            .train(&self.network, batch, &objective, &mut self.gradient)?
            .loss)
    }

    fn train(&mut self, batch: &Batch<'_>) -> Result<f64, Box<dyn Error>> {
        self.steps += 1;
        let objective = self.objective(true);
        let loss = self
            .runner
            .train(&self.network, batch, &objective, &mut self.gradient)?
            .loss;
        self.adam.step(&self.runner, &mut self.network, &self.gradient)?;
        Ok(loss)
    }

    fn score(&mut self, batch: &Batch<'_>, tree: bool) -> Result<f64, Box<dyn Error>> {
        let (scores, _) = self.runner.score(&self.network, batch, tree)?;
        Ok(scores.iter().map(|&s| f64::from(s)).sum::<f64>() / scores.len() as f64)
    }
}

fn timed(run: impl FnOnce() -> Result<f64, Box<dyn Error>>) -> Result<(f64, f64), Box<dyn Error>> {
    let start = Instant::now();
    let value = run()?;
    Ok((start.elapsed().as_secs_f64(), value))
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
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

fn serve(directory: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    let network = Network::new(Config::paper(BUILTINS as usize), Arc::new(words(&mut random)), 1)?;
    let work = work(&mut random);
    serde_json::to_writer(std::fs::File::create(directory.join("work.json"))?, &work)?;
    Checkpoint::model(network.clone(), serde_json::Value::Null).save(&directory.join("model.safetensors"))?;
    let examples: Vec<&Example> = work.examples.iter().collect();
    let (train, score) = (trajectories(&work.train), trajectories(&work.score));
    let train = Batch {
        examples: &examples,
        trajectories: &train,
    };
    let score = Batch {
        examples: &examples,
        trajectories: &score,
    };
    let mut bench = Bench::new(network, threads)?;
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    for line in std::io::stdin().lock().lines() {
        let before = processor_seconds();
        let (seconds, value) = timed(|| match line?.trim() {
            "loss" => bench.loss(&train),
            "train" => bench.train(&train),
            "score" => bench.score(&score, false),
            "tree" => bench.score(&score, true),
            other => Err(format!("unknown command {other:?}").into()),
        })?;
        writeln!(
            out,
            "{}",
            serde_json::json!({ "seconds": seconds, "processor": processor_seconds() - before, "value": value })
        )?;
        out.flush()?;
    }
    Ok(())
}

/// The paper's network with tokens and columns that see each other.
fn linked() -> Config {
    Config {
        pair_features: 16,
        cells: true,
        constant_kinds: 3,
        ..Config::paper(BUILTINS as usize)
    }
}

/// Gives an example what such a network reads besides: one pair in eight has something in common, and a column has up to
/// sixteen words of cells.
fn link(example: &mut Example, config: &Config, random: &mut Random) {
    let columns = std::mem::take(&mut example.columns);
    for column in 0..columns.len() {
        let cells: Vec<u32> = (0..random.between(4, 16))
            .map(|_| random.below(2100) as u32)
            .collect();
        let features = &columns.features()[column * config.column_features..][..config.column_features];
        example
            .columns
            .push(columns.words(column), columns.kind(column), features, &cells);
    }
    for _ in 0..example.tokens.len() * columns.len() {
        let common = random.below(8) == 0;
        let feature = |_| if common { random.below(3) as f32 } else { 0.0 };
        example
            .pair_features
            .extend((0..config.pair_features).map(feature));
    }
    example.constant_kinds = example
        .constants
        .iter()
        .map(|_| random.below(config.constant_kinds) as u32)
        .collect();
}

/// Does one thing many times, for a profiler.
fn repeat(command: &str, count: usize, config: Config) -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    let network = Network::new(config.clone(), Arc::new(words(&mut random)), 1)?;
    let mut work = work(&mut random);
    if config.pair_features > 0 {
        work.examples
            .iter_mut()
            .for_each(|example| link(example, &config, &mut random));
    }
    let examples: Vec<&Example> = work.examples.iter().collect();
    let (train, score) = (trajectories(&work.train), trajectories(&work.score));
    let train = Batch {
        examples: &examples,
        trajectories: &train,
    };
    let score = Batch {
        examples: &examples,
        trajectories: &score,
    };
    let mut bench = Bench::new(network, THREADS)?;
    let mut times = Vec::new();
    let before = processor_seconds();
    for _ in 0..count {
        let (seconds, _) = timed(|| match command {
            "train" => bench.train(&train),
            "score" => bench.score(&score, false),
            "tree" => bench.score(&score, true),
            other => Err(format!("unknown command {other:?}").into()),
        })?;
        times.push(seconds);
    }
    println!(
        "{command}: median {:.2} ms, least {:.2}, processor time {:.2}",
        1e3 * median(&mut times),
        1e3 * times[0],
        1e3 * (processor_seconds() - before) / count as f64
    );
    Ok(())
}

/// Floating-point operations of the network's products, as a user would count them: two for each weight and
/// row, no padding, one decoder step for each token.
fn flop(work: &Work, programs: &[Program], config: &Config) -> f64 {
    let h = config.hidden as f64;
    let tokens: f64 = work.examples.iter().map(|e| e.tokens.len() as f64).sum();
    let columns: f64 = work.examples.iter().map(|e| e.columns.len() as f64).sum();
    let steps: f64 = programs.iter().map(|p| p.steps.len() as f64).sum();
    let layer = 4.0 * h * 2.0 * h;
    let token = config.vector as f64 * h + 4.0 * layer + 2.0 * h * h + 2.0 * h * h;
    let step = 2.0 * layer + h * h + 2.0 * h * h;
    2.0 * (tokens * token + columns * config.vector as f64 * h + steps * step)
}

fn report() -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    let network = Network::new(Config::paper(BUILTINS as usize), Arc::new(words(&mut random)), 1)?;
    let work = work(&mut random);
    let examples: Vec<&Example> = work.examples.iter().collect();
    let (train, score) = (trajectories(&work.train), trajectories(&work.score));
    let train = Batch {
        examples: &examples,
        trajectories: &train,
    };
    let score = Batch {
        examples: &examples,
        trajectories: &score,
    };
    let mut bench = Bench::new(network, THREADS)?;
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..31 {
        times[0].push(timed(|| bench.loss(&train))?.0);
        times[1].push(timed(|| bench.train(&train))?.0);
        times[2].push(timed(|| bench.score(&score, false))?.0);
        times[3].push(timed(|| bench.score(&score, true))?.0);
    }
    let config = bench.network.config().clone();
    let (train_flop, score_flop) = (
        3.0 * flop(&work, &work.train, &config),
        flop(&work, &work.score, &config),
    );
    let (_, work_done) = bench.runner.score(&bench.network, &score, true)?;
    println!("parameters {}", bench.network.values().len());
    let names = [
        ("gradient, no dropout", train_flop),
        ("train step", train_flop),
        ("score, flat", score_flop),
        ("score, tree", score_flop),
    ];
    for ((name, flop), mut times) in names.into_iter().zip(times) {
        let seconds = median(&mut times);
        println!(
            "{name:>22}: {:7.2} ms (least {:.2}), {:6.1} GFLOP/s of the plain count",
            1e3 * seconds,
            1e3 * times[0],
            1e-9 * flop / seconds
        );
    }
    println!("tree: {} of {} steps decoded", work_done.decoded, work_done.steps);
    Ok(())
}

#[derive(Deserialize)]
struct MemoryLine {
    example: Example,
    programs: Vec<Steps>,
}

fn memories(file: &Path, model: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    for line in std::io::BufReader::new(std::fs::File::open(file)?).lines() {
        lines.push(serde_json::from_str::<MemoryLine>(&line?)?);
    }
    let network = match model {
        Some(path) => Checkpoint::load(path, false)?.network,
        None => Network::new(
            Config::paper(BUILTINS as usize),
            Arc::new(words(&mut Random(1))),
            1,
        )?,
    };
    let mut runner = Runner::new(THREADS)?;
    let (mut flat, mut tree) = (0.0, 0.0);
    let (mut steps, mut decoded, mut programs) = (0, 0, 0);
    let mut share = 0.0;
    let mut batches = 0;
    for chunk in lines.chunks(25) {
        let examples: Vec<&Example> = chunk.iter().map(|line| &line.example).collect();
        let trajectories: Vec<Trajectory<'_>> = chunk
            .iter()
            .enumerate()
            .flat_map(|(example, line)| {
                line.programs.iter().map(move |steps| Trajectory {
                    example,
                    weight: 1.0,
                    steps,
                })
            })
            .collect();
        let batch = Batch {
            examples: &examples,
            trajectories: &trajectories,
        };
        // Each three times in turn; the medians of the three.
        let mut times = [[0.0; 3]; 2];
        for round in 0..3 {
            for (kind, times) in times.iter_mut().enumerate() {
                let start = Instant::now();
                let (_, work) = runner.score(&network, &batch, kind == 1)?;
                times[round] = start.elapsed().as_secs_f64();
                if kind == 1 && round == 0 {
                    steps += work.steps;
                    decoded += work.decoded;
                    share += 1.0 - work.decoded as f64 / work.steps.max(1) as f64;
                }
            }
        }
        flat += median(&mut times[0]);
        tree += median(&mut times[1]);
        programs += trajectories.len();
        batches += 1;
    }
    println!(
        "{} examples, {programs} programs, {steps} steps, {decoded} distinct prefixes",
        lines.len()
    );
    println!("flat {flat:.3} s, trees {tree:.3} s, ratio {:.2}", flat / tree);
    println!(
        "share of prefixes saved: {:.3} over all, {:.3} mean of batches",
        1.0 - decoded as f64 / steps as f64,
        share / f64::from(batches)
    );
    Ok(())
}

fn memory(steps: usize) -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    let network = Network::new(Config::paper(BUILTINS as usize), Arc::new(words(&mut random)), 1)?;
    let mut bench = Bench::new(network, THREADS)?;
    for _ in 0..steps {
        let work = work(&mut random);
        let examples: Vec<&Example> = work.examples.iter().collect();
        let train = trajectories(&work.train);
        bench.train(&Batch {
            examples: &examples,
            trajectories: &train,
        })?;
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    for line in status
        .lines()
        .filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS"))
    {
        println!("{line}");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => report(),
        ["serve", directory] => serve(Path::new(directory), THREADS),
        ["serve", directory, threads] => serve(Path::new(directory), threads.parse()?),
        ["memories", file] => memories(Path::new(file), None),
        ["memories", file, model] => memories(Path::new(file), Some(Path::new(model))),
        ["repeat", command, count] => repeat(command, count.parse()?, Config::paper(BUILTINS as usize)),
        ["repeat", command, count, "linked"] => repeat(command, count.parse()?, linked()),
        ["memory", steps] => memory(steps.parse()?),
        _ => Err(
            "usage: [serve DIR [THREADS] | memories FILE [MODEL] | repeat COMMAND N [linked] | memory STEPS]"
                .into(),
        ),
    }
}
