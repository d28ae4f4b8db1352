//! Times training and scoring as training does them, alone or beside another implementation.
//!
//! - `cargo bench -p mapo-training --bench network` prints medians for the paper's network;
//! - `… -- serve DIR [THREADS]` writes the work and the weights to DIR and then obeys commands from standard
//!   input, one a line (`loss`, `train`, `score`), answering with a line of JSON each:
//!   `benches/pytorch/compare.py` uses it;
//! - `… -- memories DATASET SPLIT STORE [LIMIT]` scores the programs that exploration found, 25 questions at
//!   a time, on one thread, with the network of the dataset's preset;
//! - `… -- repeat COMMAND N [linked]` does one of these commands N times, for a profiler; with `linked`, by a
//!   network whose tokens and columns see each other;
//! - `… -- memory STEPS` trains for some steps and prints the peak memory of the process.

use mapo_core::{Action, Env, Policy, PrefixTree, Steps, score_by_level};
use mapo_datasets::{Dataset, Example as Asked, Pruning, Selection, TableEnv};
use mapo_language::{Assistance, Token};
use mapo_model::inputs::encode::encode_all;
use mapo_model::inputs::vocabulary;
use mapo_model::{Input, NeuralPolicy};
use mapo_programmer::{
    Adam, AdamOptions, Batch, Checkpoint, Config, Dropout, Example, LossTerms, Network, Precision, Program,
    Runner, Span, Vectors, WeightedProgram, Words,
};
use mapo_training::{Preset, memories};
use serde::Serialize;
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Tokens as in the real language: the end, parentheses, functions, all rows.
const END: u32 = 0;
const OPEN: u32 = 1;
const CLOSE: u32 = Token::CLOSE.0 as u32;
const FIRST_FUNCTION: u32 = CLOSE + 1;
/// As many as the paper's language has.
const BUILTINS: u32 = 27;
const ALL_ROWS: u32 = BUILTINS - 1;
const FUNCTIONS: u32 = ALL_ROWS - FIRST_FUNCTION;
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

/// A program of an example with its weight.
#[derive(Serialize)]
struct Weighted {
    example: usize,
    weight: f32,
    steps: Program,
}

#[derive(Serialize)]
struct Work {
    examples: Vec<Example>,
    train: Vec<Weighted>,
    score: Vec<Weighted>,
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
fn program(example: &Example, random: &mut Random) -> Program {
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
    let mut steps = Program::default();
    for (done, &function) in functions.iter().enumerate() {
        let open: &[u32] = if done == 0 { &[OPEN] } else { &[OPEN, END] };
        steps.push(OPEN, open, false);
        let offered: Vec<u32> = offered(done).iter().map(|f| FIRST_FUNCTION + f).collect();
        steps.push(FIRST_FUNCTION + function, &offered, false);
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
                Weighted {
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

fn weighted(programs: &[Weighted]) -> Vec<WeightedProgram<'_>> {
    programs
        .iter()
        .map(|p| WeightedProgram {
            example: p.example,
            weight: p.weight,
            steps: &p.steps,
        })
        .collect()
}

/// The programs of one example, to be scored.
struct Tree {
    example: usize,
    prefixes: PrefixTree,
}

/// One tree for each example that has programs.
fn trees(programs: &[Weighted]) -> Vec<Tree> {
    let action = |slot: u32| Action(slot as u16);
    let steps = |program: &Program| {
        let mut steps = Steps::default();
        for step in 0..program.len() {
            let valid: Vec<Action> = program.valid(step).iter().copied().map(action).collect();
            steps.push(action(program.chosen(step)), &valid);
        }
        steps
    };
    programs
        .chunk_by(|one, other| one.example == other.example)
        .map(|programs| {
            let programs: Vec<Steps> = programs.iter().map(|program| steps(&program.steps)).collect();
            PrefixTree::of_steps(&programs)
        })
        .enumerate()
        .map(|(example, prefixes)| Tree { example, prefixes })
        .collect()
}

/// An actor that scores its share of a batch.
struct Actor {
    policy: NeuralPolicy,
    inputs: Vec<Input>,
    trees: Vec<Tree>,
}

impl Actor {
    /// Reads the questions and scores their programs; the sum of their log-probabilities.
    fn score(&mut self) -> mapo_model::Result<f64> {
        let inputs: Vec<&Input> = self.inputs.iter().collect();
        self.policy.read(&inputs)?;
        let trees: Vec<(usize, &PrefixTree)> = self
            .trees
            .iter()
            .map(|tree| (tree.example, &tree.prefixes))
            .collect();
        let scores = score_by_level(&mut self.policy, &trees)?;
        let programs = trees
            .iter()
            .zip(&scores)
            .flat_map(|((_, tree), scores)| scores.programs(tree));
        Ok(programs.sum())
    }
}

/// Everything that a run needs.
struct Bench {
    network: Network,
    adam: Adam,
    runner: Runner,
    gradient: Vec<f32>,
    steps: u64,
    /// One for each thread, as training has them, each with its share of the examples.
    actors: Vec<Actor>,
    scored: usize,
}

impl Bench {
    fn new(network: Network, threads: usize, work: &Work) -> Result<Self, Box<dyn Error>> {
        let adam = Adam::new(&network, AdamOptions::default());
        let gradient = vec![0.0; network.values().len()];
        let config = network.config().clone();
        let acting = Network::with_values(config, network.shared_words(), network.values().to_vec(), false)?;
        let acting = Arc::new(acting);
        let mut actors: Vec<Actor> = (0..threads)
            .map(|_| Actor {
                policy: NeuralPolicy::new(Arc::clone(&acting)),
                inputs: Vec::new(),
                trees: Vec::new(),
            })
            .collect();
        for (place, tree) in trees(&work.score).into_iter().enumerate() {
            let actor = &mut actors[place % threads];
            actor.trees.push(Tree {
                example: actor.inputs.len(),
                ..tree
            });
            actor.inputs.push(Arc::new(work.examples[tree.example].clone()));
        }
        Ok(Self {
            network,
            adam,
            runner: Runner::new(threads)?,
            gradient,
            steps: 0,
            actors,
            scored: work.score.len(),
        })
    }

    fn terms(&self, dropout: bool) -> LossTerms {
        let dropout = dropout.then_some(Dropout {
            rate: 0.2,
            seed: self.steps,
            after_skip: false,
        });
        LossTerms {
            divisor: 50.0,
            entropy: 0.01,
            dropout,
        }
    }

    fn loss(&mut self, batch: &Batch<'_>) -> Result<f64, Box<dyn Error>> {
        let terms = self.terms(false);
        let outcome = self
            .runner
            .train(&self.network, batch, &terms, &mut self.gradient)?;
        Ok(outcome.loss)
    }

    fn train(&mut self, batch: &Batch<'_>) -> Result<f64, Box<dyn Error>> {
        self.steps += 1;
        let terms = self.terms(true);
        let outcome = self
            .runner
            .train(&self.network, batch, &terms, &mut self.gradient)?;
        self.adam.step(&self.runner, &mut self.network, &self.gradient)?;
        Ok(outcome.loss)
    }

    /// The mean log-probability of the programs to be scored, by the network as it was at first.
    fn score(&mut self) -> Result<f64, Box<dyn Error>> {
        let sums = std::thread::scope(|scope| {
            let actors: Vec<_> = self
                .actors
                .iter_mut()
                .map(|actor| scope.spawn(|| actor.score()))
                .collect();
            actors.into_iter().map(|actor| actor.join()).collect::<Vec<_>>()
        });
        let mut sum = 0.0;
        for part in sums {
            sum += part.map_err(|_| "a thread died")??;
        }
        Ok(sum / self.scored as f64)
    }

    fn obey(&mut self, command: &str, train: &Batch<'_>) -> Result<f64, Box<dyn Error>> {
        match command {
            "loss" => self.loss(train),
            "train" => self.train(train),
            "score" => self.score(),
            other => Err(format!("unknown command {other:?}").into()),
        }
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
    let train = weighted(&work.train);
    let train = Batch {
        examples: &examples,
        weighted: &train,
    };
    let mut bench = Bench::new(network, threads, &work)?;
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    for line in std::io::stdin().lock().lines() {
        let before = processor_seconds();
        let (seconds, value) = timed(|| bench.obey(line?.trim(), &train))?;
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

/// Gives an example what such a network reads besides: one pair in eight has something in common, and a
/// column has up to sixteen words of cells.
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
    let train = weighted(&work.train);
    let train = Batch {
        examples: &examples,
        weighted: &train,
    };
    let mut bench = Bench::new(network, THREADS, &work)?;
    let mut times = Vec::new();
    let before = processor_seconds();
    for _ in 0..count {
        let (seconds, _) = timed(|| bench.obey(command, &train))?;
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
fn flop(work: &Work, programs: &[Weighted], config: &Config) -> f64 {
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
    let train = weighted(&work.train);
    let train = Batch {
        examples: &examples,
        weighted: &train,
    };
    let mut bench = Bench::new(network, THREADS, &work)?;
    let config = bench.network.config().clone();
    let train_flop = 3.0 * flop(&work, &work.train, &config);
    println!("parameters {}", bench.network.values().len());
    let commands = [
        ("loss", train_flop),
        ("train", train_flop),
        ("score", flop(&work, &work.score, &config)),
    ];
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..31 {
        for (times, (command, _)) in times.iter_mut().zip(commands) {
            times.push(timed(|| bench.obey(command, &train))?.0);
        }
    }
    for ((command, flop), mut times) in commands.into_iter().zip(times) {
        let seconds = median(&mut times);
        println!(
            "{command:>8}: {:7.2} ms (least {:.2}), {:6.1} GFLOP/s of the plain count",
            1e3 * seconds,
            1e3 * times[0],
            1e-9 * flop / seconds
        );
    }
    Ok(())
}

/// Scores what exploration found.
fn memories_of(dataset: &str, split: &str, store: &Path, limit: Option<usize>) -> Result<(), Box<dyn Error>> {
    const DIMENSIONS: usize = 100;
    let dataset: Dataset = dataset.parse()?;
    let selection = Selection {
        split: Some(split.to_owned()),
        limit,
        ..Selection::default()
    };
    let asked: Vec<Asked> = dataset.examples(&selection)?.collect::<Result<_, _>>()?;
    let settings = Preset::for_data(&dataset, false).settings();
    let words = vocabulary::trained(&asked, settings.network.often, DIMENSIONS)?;
    let config = settings.config(DIMENSIONS, BUILTINS as usize);
    let inputs = encode_all(&config, &words, &asked);
    let policy = NeuralPolicy::new(Arc::new(Network::new(config, words, 1)?));
    let mut known = Vec::new();
    let memories = memories::load(store, &asked, &dataset.reading(&selection), 0.0)?.memories;
    for ((asked, memory), input) in asked.iter().zip(memories).zip(inputs) {
        if !memory.is_empty() {
            let mut env = TableEnv::new(asked, Pruning::None, Assistance::All);
            let programs = memory.iter().map(|(program, _)| program);
            let tree = env.tree_of(programs);
            let tree = tree.map_err(|place| format!("{}: program {place} cannot be executed", asked.id))?;
            known.push((input, tree));
        }
    }
    let mut actor = Actor {
        policy,
        inputs: Vec::new(),
        trees: Vec::new(),
    };
    let (mut seconds, mut programs, mut tokens, mut prefixes) = (0.0, 0, 0, 0);
    for chunk in known.chunks(25) {
        actor.inputs = chunk.iter().map(|(input, _)| Arc::clone(input)).collect();
        let trees = chunk.iter().map(|(_, tree)| tree.clone()).enumerate();
        actor.trees = trees
            .map(|(example, prefixes)| Tree { example, prefixes })
            .collect();
        // The median of three.
        let mut times = [0.0; 3];
        for time in &mut times {
            *time = timed(|| Ok(actor.score()?))?.0;
        }
        seconds += median(&mut times);
        for (_, tree) in chunk {
            programs += tree.programs();
            tokens += (0..tree.programs())
                .map(|program| tree.steps(program).actions().len())
                .sum::<usize>();
            prefixes += (0..tree.nodes())
                .filter(|&node| !tree.valid(node).is_empty())
                .count();
        }
    }
    println!(
        "{} of {} questions have programs: {programs} programs of {tokens} tokens, {prefixes} distinct prefixes",
        known.len(),
        asked.len()
    );
    println!(
        "{seconds:.3} s, {:.1} µs a program",
        1e6 * seconds / programs.max(1) as f64
    );
    Ok(())
}

fn memory(steps: usize) -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    let network = Network::new(Config::paper(BUILTINS as usize), Arc::new(words(&mut random)), 1)?;
    let mut bench = Bench::new(network, THREADS, &work(&mut random))?;
    for _ in 0..steps {
        let work = work(&mut random);
        let examples: Vec<&Example> = work.examples.iter().collect();
        let train = weighted(&work.train);
        bench.train(&Batch {
            examples: &examples,
            weighted: &train,
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
        ["memories", dataset, split, store] => memories_of(dataset, split, Path::new(store), None),
        ["memories", dataset, split, store, limit] => {
            memories_of(dataset, split, Path::new(store), Some(limit.parse()?))
        }
        ["repeat", command, count] => repeat(command, count.parse()?, Config::paper(BUILTINS as usize)),
        ["repeat", command, count, "linked"] => repeat(command, count.parse()?, linked()),
        ["memory", steps] => memory(steps.parse()?),
        _ => Err(
            "usage: [serve DIR [THREADS] | memories DATASET SPLIT STORE [LIMIT] | repeat COMMAND N [linked] | memory STEPS]"
                .into(),
        ),
    }
}
