//! Learning to play Countdown: MAPO, what it is made of, and what it is compared with.
//!
//! ```text
//! cargo run --release --example objectives               # some seconds
//! cargo run --release --example objectives -- 200 1      # 200 steps, 1 seed
//! ```
//!
//! Two dozen rounds with four numbers, each with thousands of calculations of which hardly one in a thousand
//! is right, and a policy that is a table of numbers. An actor visits the rounds with a policy that is up to
//! ten steps old, a learner climbs: the run is the same as one on tables and questions. What is printed is
//! the mean probability of a right calculation, exactly: all right ones are known from the beginning, to us.
//!
//! A table cannot generalise, so a calculation that is right by accident does no harm here: how objectives
//! that trust all of the memory compare with those that do not says nothing about tables and questions.

#[path = "../countdown/game.rs"]
#[allow(dead_code, reason = "nothing is shown here")]
mod game;

use std::ops::ControlFlow;
use std::process::ExitCode;

use game::Countdown;
use mapo_core::{
    Ascent, Augmented, Course, Env, Exploration, Explorer, HardEm, Iml, Mapo, Memory, Mml, NewPrograms,
    Objective, Plan, Reinforce, Run, Statistics, Steps, Tabular, Task, Uniform, example_rng,
};
use rand::RngExt;

const ROUNDS: usize = 24;
const BATCH: usize = 8;
/// Steps after which the actor gets the learner's policy.
const PUBLISHED_EVERY: u64 = 10;
/// Calculations tried at random for each round before training, to fill the memories.
const TRIED_BEFORE: u64 = 200;
/// A round is hard enough if a random walk finds a right calculation less often than this.
const LUCK: f64 = 1e-3;

/// A round and its right calculations.
struct Round {
    target: u32,
    numbers: Vec<u32>,
    right: Vec<Steps>,
}

impl Round {
    fn game(&self) -> Countdown {
        Countdown::new(self.target, &self.numbers)
    }

    /// Explores a round from its start.
    fn explore(&self, programs: u64, seed: u64) -> Exploration {
        let plan = Plan {
            programs,
            seed,
            ..Plan::default()
        };
        let explored = Explorer::new(plan).explore(0, &mut self.game(), &mut Uniform, |_| true);
        explored.unwrap_or_default()
    }

    /// The probability of a right calculation.
    fn success(&self, policy: &Tabular, context: u64) -> f64 {
        self.right
            .iter()
            .map(|steps| policy.log_probability(context, steps).exp())
            .sum()
    }
}

/// Rounds that can be won, but hardly by chance.
fn rounds() -> Vec<Round> {
    let mut rng = example_rng(24, 0);
    let untrained = Tabular::new(Ascent::Plain { rate: 0.0 });
    let mut rounds = Vec::new();
    while rounds.len() < ROUNDS {
        let mut round = Round {
            target: rng.random_range(20..100),
            numbers: (0..4).map(|_| rng.random_range(1..=10)).collect(),
            right: Vec::new(),
        };
        let memory = round.explore(1_000_000, 0).memory;
        let mut game = round.game();
        round.right = memory
            .iter()
            .filter_map(|(program, _)| game.steps_of(program))
            .collect();
        if !memory.is_empty() && round.success(&untrained, 0) < LUCK {
            rounds.push(round);
        }
    }
    rounds
}

/// One line of the table.
struct Entry {
    name: &'static str,
    objective: Objective,
    new_programs: NewPrograms,
    /// Whether random exploration fills the memories first.
    starts_filled: bool,
}

fn entries() -> Vec<Entry> {
    let entry = |name, objective| Entry {
        name,
        objective,
        new_programs: NewPrograms::default(),
        starts_filled: true,
    };
    vec![
        entry("MAPO", Objective::Mapo(Mapo::default())),
        entry(
            "MAPO without clipping",
            Objective::Mapo(Mapo {
                alpha: 0.0,
                ..Mapo::default()
            }),
        ),
        Entry {
            new_programs: NewPrograms::OFF,
            starts_filled: false,
            ..entry("MAPO without exploration", Objective::Mapo(Mapo::default()))
        },
        entry(
            "MML",
            Objective::Mml(Mml {
                draws: Some(2),
                ..Mml::default()
            }),
        ),
        entry("Hard EM", Objective::HardEm(HardEm::default())),
        entry("IML", Objective::Iml(Iml { draws: Some(2) })),
        entry("augmented, λ = 0.5", Objective::Augmented(Augmented::default())),
        entry(
            "REINFORCE",
            Objective::Reinforce(Reinforce {
                draws: 2,
                baseline: 0.0,
            }),
        ),
    ]
}

/// Trains, and says how likely a right calculation is at each quarter of the way, and what happened in the
/// last.
fn train(entry: &Entry, rounds: &[Round], steps: u64, seed: u64) -> Result<([f64; 4], Statistics), String> {
    let mut tasks = Vec::new();
    for (example, round) in (0..).zip(rounds) {
        let memory = if entry.starts_filled {
            round.explore(TRIED_BEFORE, seed).memory
        } else {
            Memory::default()
        };
        let task = Task::new(example, example, round.game(), memory, 1e-8);
        tasks.push(task.map_err(|error| error.to_string())?);
    }
    let course = Course {
        steps,
        batch: BATCH,
        divisor: BATCH as f64,
        refresh: PUBLISHED_EVERY,
        seed,
        objective: entry.objective.clone(),
        new_programs: entry.new_programs,
        ..Course::default()
    };
    let mut run = Run::new(course, 1, tasks).map_err(|error| error.to_string())?;
    // Adam would make as much of a tiny gradient as of any other, and in a table nothing else is in its way:
    // it learns without clipping too.
    let mut learner = Tabular::new(Ascent::Plain { rate: 8.0 });
    let (mut successes, mut statistics) = ([0.0; 4], Statistics::default());
    let ran = run.go(&mut learner, |made| {
        if 4 * made.step > 3 * steps {
            statistics += made.batch.statistics;
        }
        if (4 * made.step).is_multiple_of(steps) {
            let successful = |(context, round): (u64, &Round)| round.success(made.learner, context);
            let sum: f64 = (0..).zip(rounds).map(successful).sum();
            successes[(4 * made.step / steps) as usize - 1] = sum / rounds.len() as f64;
        }
        ControlFlow::Continue(())
    });
    ran.map_err(|error| error.to_string())?;
    Ok((successes, statistics))
}

/// Mean and standard deviation, in per cent.
fn spread(values: &[f64]) -> String {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (values.len().max(2) - 1) as f64).sqrt();
    format!("{:5.1} ± {:4.1}", 100.0 * mean, 100.0 * deviation)
}

fn compare(steps: u64, seeds: u64) -> Result<(), String> {
    let rounds = rounds();
    let untrained = Tabular::new(Ascent::Plain { rate: 0.0 });
    let luck = rounds
        .iter()
        .map(|round| round.success(&untrained, 0))
        .sum::<f64>()
        / rounds.len() as f64;
    println!(
        "{ROUNDS} rounds of Countdown; a random walk is right {:.3} % of the time.",
        100.0 * luck
    );
    println!(
        "{steps} steps of {BATCH} rounds, {seeds} seeds; probability of a right calculation in %, mean ± std\n"
    );
    println!(
        "{:<26} {:>12} {:>12} {:>12} {:>12}   clipped",
        "objective", "¼", "½", "¾", "end"
    );
    for entry in entries() {
        let mut runs = Vec::new();
        let mut statistics = Statistics::default();
        for seed in 0..seeds {
            let (successes, last) = train(&entry, &rounds, steps, seed)?;
            runs.push(successes);
            statistics += last;
        }
        print!("{:<26}", entry.name);
        for quarter in 0..4 {
            let values: Vec<f64> = runs.iter().map(|run| run[quarter]).collect();
            print!(" {:>12}", spread(&values));
        }
        match statistics.clip_fraction.get() {
            Some(fraction) => println!("   {:5.1} %", 100.0 * fraction),
            None => println!("         –"),
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let numbers: Result<Vec<u64>, _> = std::env::args()
        .skip(1)
        .map(|argument| argument.parse())
        .collect();
    let (steps, seeds) = match numbers.as_deref() {
        Ok([]) => (2_000, 3),
        Ok(&[steps, seeds]) if steps >= 4 && seeds >= 1 => (steps, seeds),
        _ => {
            eprintln!("give the number of steps, at least 4, and of seeds, or nothing");
            return ExitCode::FAILURE;
        }
    };
    if let Err(problem) = compare(steps, seeds) {
        eprintln!("{problem}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
