//! How fast programs are tried, one at a time and in batches, and whether as many examples are solved either
//! way.
//!
//! `cargo bench -p mapo-core --bench explore` prints the figures; they are for one core. The environment
//! costs next to nothing, so what is measured is exploration itself. `-- 20` after it takes twenty times as
//! many examples, for shares solved that can be told apart.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use mapo_core::{
    Action, Draw, Env, Exploration, ExploredSet, Explorer, Memory, Met, Plan, PrefixHash, Progress, Sweep,
    Uniform, Walk, example_rng, explore_all,
};

/// A language of the shape of the table language, with results made up from hashes: up to three expressions
/// of a function, rows, perhaps a value, perhaps a column; from 4 to 19 tokens.
struct Language {
    stages: Vec<Stage>,
    steps: u64,
    example: u64,
    target: PrefixHash,
}

#[derive(Clone, Copy)]
struct Stage {
    expects: Expects,
    expressions: u16,
    /// Stands for the result so far.
    result: PrefixHash,
}

#[derive(Clone, Copy, PartialEq)]
enum Expects {
    Expression,
    Function,
    Rows(Arguments),
    Value,
    Column,
    Close,
    Nothing,
}

#[derive(Clone, Copy, PartialEq)]
enum Arguments {
    Rows,
    RowsColumn,
    RowsValueColumn,
}

const OPEN: Action = Action(0);
const CLOSE: Action = Action(1);
const END: Action = Action(2);
const FIRST_OTHER: u16 = 3;

const FUNCTIONS: u16 = 12;
const VALUES: u16 = 4;
const COLUMNS: u16 = 6;
const EXPRESSIONS: u16 = 3;

impl Language {
    /// Rewards the programs with the result of one that is drawn at random, as a question has an answer that
    /// some program gives: short ones are more likely, and no result is out of reach.
    fn new(example: u64) -> Self {
        let start = Stage {
            expects: Expects::Expression,
            expressions: 0,
            result: PrefixHash::ROOT,
        };
        let mut language = Self {
            stages: vec![start],
            steps: 0,
            example,
            target: PrefixHash::ROOT,
        };
        let mut rng = example_rng(u64::MAX, example);
        let mut explored = ExploredSet::new(0.5);
        Walk::default().draw(&mut language, &mut Uniform, &mut explored, &mut rng);
        language.target = language.here().result;
        language.steps = 0;
        language
    }

    fn here(&self) -> Stage {
        self.stages[self.stages.len() - 1]
    }
}

impl Env for Language {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        let stage = self.here();
        let mut offer = |count: u16| valid.extend((FIRST_OTHER..FIRST_OTHER + count).map(Action));
        match stage.expects {
            Expects::Function => offer(FUNCTIONS),
            Expects::Rows(_) => offer(stage.expressions + 1),
            Expects::Value => offer(VALUES),
            Expects::Column => offer(COLUMNS),
            Expects::Close => valid.push(CLOSE),
            Expects::Nothing => {}
            Expects::Expression => {
                if stage.expressions < EXPRESSIONS {
                    valid.push(OPEN);
                }
                if stage.expressions > 0 {
                    valid.push(END);
                }
            }
        }
    }

    fn step(&mut self, action: Action) {
        self.steps += 1;
        let mut stage = self.here();
        stage.result = stage.result.extend(action);
        stage.expects = match stage.expects {
            Expects::Expression if action == OPEN => Expects::Function,
            Expects::Expression => Expects::Nothing,
            Expects::Function => Expects::Rows(match action.0 % 4 {
                0 => Arguments::Rows,
                1 => Arguments::RowsColumn,
                _ => Arguments::RowsValueColumn,
            }),
            Expects::Rows(Arguments::Rows) | Expects::Column => Expects::Close,
            Expects::Rows(Arguments::RowsColumn) | Expects::Value => Expects::Column,
            Expects::Rows(Arguments::RowsValueColumn) => Expects::Value,
            Expects::Close | Expects::Nothing => {
                stage.expressions += 1;
                Expects::Expression
            }
        };
        self.stages.push(stage);
    }

    fn rewind(&mut self, len: usize) {
        self.stages.truncate(len + 1);
    }

    fn is_finished(&self) -> bool {
        self.here().expects == Expects::Nothing
    }

    fn reward(&mut self) -> f32 {
        f32::from(u8::from(self.here().result == self.target))
    }
}

/// Explores as the plan says, but one program at a time.
fn one_at_a_time(plan: &Plan, env: &mut Language, explored: &mut ExploredSet) -> Exploration {
    let (mut walk, mut rng) = (Walk::default(), example_rng(plan.seed, env.example));
    let (mut memory, mut tried) = (Memory::default(), 0);
    while tried < plan.programs {
        match walk.draw(env, &mut Uniform, explored, &mut rng) {
            Draw::Program { reward } => {
                tried += 1;
                if reward > 0.0 {
                    memory.insert(walk.prefix(), reward);
                }
            }
            Draw::DeadEnd => {}
            Draw::Complete => break,
        }
    }
    Exploration {
        memory,
        tried,
        ..Exploration::default()
    }
}

/// Explores as the plan says, but with batches of one size.
fn in_batches_of(size: u32, plan: &Plan, env: &mut Language) -> Exploration {
    let mut explored = ExploredSet::new(plan.error_rate);
    let (mut sweep, mut rng) = (Sweep::default(), example_rng(plan.seed, env.example));
    let mut result = Exploration::default();
    while result.tried < plan.programs && !explored.is_complete() {
        let drawn = sweep.draw(env, &mut Uniform, &mut explored, &mut rng, size, |met| {
            if let Met::Program { program, reward: 1.0 } = met {
                result.memory.insert(program, 1.0);
            }
            ControlFlow::Continue(())
        });
        result.tried += u64::from(drawn.programs);
    }
    result
}

/// Runs all examples and prints a line.
fn measure(name: &str, examples: u64, mut explore: impl FnMut(&mut Language) -> Exploration) {
    let begun = Instant::now();
    let (mut tried, mut solved, mut found, mut steps) = (0, 0, 0, 0);
    for example in 0..examples {
        let mut env = Language::new(example);
        let exploration = explore(&mut env);
        steps += env.steps;
        tried += exploration.tried;
        solved += u64::from(exploration.is_solved());
        found += exploration.memory.len();
    }
    let speed = tried as f64 / begun.elapsed().as_secs_f64();
    let steps = steps as f64 / tried as f64;
    let share = 100.0 * solved as f64 / examples as f64;
    let found = found as f64 / examples as f64;
    println!(
        "{name:<34} {speed:>9.0} programs/s {steps:>5.1} steps each {share:>7.1} % solved {found:>7.2} found each"
    );
}

fn exploration(examples: u64, programs: u64) {
    println!("\n{programs} programs for each of {examples} examples");
    let plan = Plan {
        programs,
        ..Plan::default()
    };
    measure("one at a time", examples, |env| {
        one_at_a_time(&plan, env, &mut ExploredSet::new(plan.error_rate))
    });
    // Slow, and solves the same.
    measure("one at a time, Bloom filters", examples.min(100), |env| {
        one_at_a_time(&plan, env, &mut ExploredSet::with_exact_limit(plan.error_rate, 0))
    });
    for size in [50, 1_000] {
        measure(&format!("batches of {size}"), examples, |env| {
            in_batches_of(size, &plan, env)
        });
    }
    let mut explorer = Explorer::new(plan);
    measure("batches of growing size", examples, |env| {
        let explored = explorer.explore(env.example, env, &mut Uniform, |_| true);
        explored.unwrap_or_default()
    });
}

/// The same on one thread and on all cores.
fn threads(examples: u64, programs: u64) {
    println!("\n{programs} programs for each of {examples} examples, in parallel");
    let plan = Plan {
        programs,
        ..Plan::default()
    };
    // 0 means as many as there are cores.
    for threads in [1, 0] {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else {
            return;
        };
        let progress = Progress::default();
        let begun = Instant::now();
        let ended = pool.install(|| {
            explore_all(0..examples, Language::new, &Uniform, &plan, &progress, |_, _| {
                Ok::<(), ()>(())
            })
        });
        let speed = progress.programs() as f64 / begun.elapsed().as_secs_f64();
        println!(
            "{:>2} threads {speed:>35.0} programs/s {ended:?}",
            pool.current_num_threads()
        );
    }
}

/// Time for one insertion and one look-up of something that is not there.
fn explored_set(members: u64, rounds: u64) {
    println!("\nexplored set of {members} prefixes, error rate 1e-8");
    // The first filter of a set holds four times its exact limit.
    let kinds = [
        ("hashes", usize::MAX),
        ("one Bloom filter", members as usize / 4),
        ("grown Bloom filters", 0),
    ];
    for (name, exact_limit) in kinds {
        let (mut insertion, mut miss) = (Duration::ZERO, Duration::ZERO);
        let mut bytes = 0;
        for round in 0..rounds {
            let prefix = |number: u64| {
                let parts = [round, number >> 16, number].map(|part| Action(part as u16));
                PrefixHash::of(&parts)
            };
            let mut set = ExploredSet::with_exact_limit(1e-8, exact_limit);
            let begun = Instant::now();
            (0..members).for_each(|number| set.insert(prefix(number)));
            insertion += begun.elapsed();
            let begun = Instant::now();
            black_box(
                (members..2 * members)
                    .filter(|&number| set.contains(prefix(number)))
                    .count(),
            );
            miss += begun.elapsed();
            bytes = set.bytes();
        }
        let each = |time: Duration| time.as_secs_f64() * 1e9 / (members * rounds) as f64;
        println!(
            "{name:<34} {:>6.1} ns insert {:>6.1} ns look-up {bytes:>9} bytes",
            each(insertion),
            each(miss)
        );
    }
}

fn main() {
    // Without `cargo bench` (as a test) it is enough to see that it runs.
    let is_benchmark = std::env::args().any(|argument| argument == "--bench");
    let scale = if is_benchmark { 1 } else { 100 };
    let times = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(1);
    exploration(1_000 * times / scale, 1_000);
    exploration(100 * times / scale, 50_000 / scale);
    threads(400 / scale, 50_000 / scale);
    for members in [1_000, 50_000] {
        explored_set(members / scale, 5_000_000 / members / scale);
    }
}
