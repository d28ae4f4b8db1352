//! What was done to these lists? Programs from lists before and after, learnt by MAPO and by what it is compared with.
//!
//! ```text
//! cargo run -p mapo-neural --example lists                 # five seeds of each objective
//! cargo run -p mapo-neural --example lists -- 200 1        # 200 steps, one seed
//! ```
//!
//! A task shows three lists of digits, each as it was before and after an unknown program of one to four functions. The
//! policy reads the lists and writes a program. In training a program is rewarded if it is right on the three lists, so
//! that it may be right by accident. It is measured on tasks that were never trained on, and there a program must be right
//! on ten further lists too, which the policy does not see.

mod lists;

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use lists::{ACTIONS, Lists};
use mapo_core::{Iml, Mapo, Mml, Objective, Reinforce};
use mapo_neural::{Evaluation, Report, Settings, train};

/// Tasks to learn from, and tasks to measure on.
const TASKS: u64 = 2_000;
const HELD_OUT: u64 = 500;
const BEAM: usize = 5;

/// The rows of the table.
fn entries() -> [(&'static str, Objective); 4] {
    let reinforce = Reinforce {
        draws: 2,
        baseline: 0.0,
    };
    [
        ("MAPO", Objective::Mapo(Mapo::default())),
        (
            "MML",
            Objective::Mml(Mml {
                draws: Some(2),
                ..Mml::default()
            }),
        ),
        ("IML", Objective::Iml(Iml { draws: Some(2) })),
        ("REINFORCE", Objective::Reinforce(reinforce)),
    ]
}

fn run(objective: &Objective, steps: u64, seed: u64) -> mapo_neural::Result<(Evaluation, Report)> {
    let settings = Settings {
        actions: ACTIONS,
        objective: objective.clone(),
        explore_first: 300,
        steps,
        batch: 32,
        seed,
        ..Settings::default()
    };
    let tasks = (0..TASKS)
        .map(|number| Lists::new(seed, number).shown_only())
        .collect();
    let trained = train(tasks, &settings, |_| ControlFlow::Continue(()))?;
    let mut held_out: Vec<Lists> = (TASKS..TASKS + HELD_OUT)
        .map(|number| Lists::new(seed, number))
        .collect();
    Ok((trained.evaluate(&mut held_out, BEAM)?, trained.report().clone()))
}

/// Mean and half the width of its 95 % interval, in per cent: Student's t for this many seeds.
fn interval(shares: &[f64]) -> String {
    let n = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / n;
    let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
    let t = match shares.len() {
        1 => return format!("{:5.1}      ", 100.0 * mean),
        2 => 12.71,
        3 => 4.30,
        4 => 3.18,
        5 => 2.78,
        _ => 2.57,
    };
    format!(
        "{:5.1} ± {:3.1}",
        100.0 * mean,
        100.0 * t * (squares / (n - 1.0) / n).sqrt()
    )
}

fn compare(steps: u64, seeds: u64) -> mapo_neural::Result<()> {
    println!(
        "{TASKS} tasks to learn from, {steps} steps, {seeds} seeds; {HELD_OUT} others to measure on, in %\n"
    );
    println!(
        "{:<12} {:>12} {:>12} {:>18} {:>16} {:>9}",
        "objective", "solved", "in the beam", "found at random", "found at the end", "seconds"
    );
    for (name, objective) in entries() {
        let (mut solved, mut in_beam) = (Vec::new(), Vec::new());
        let (mut first, mut last) = (0, 0);
        let began = Instant::now();
        for seed in 1..=seeds {
            let (measured, report) = run(&objective, steps, seed)?;
            solved.push(measured.solved);
            in_beam.push(measured.in_beam);
            first += report.solved_first;
            last += report.solved;
            eprint!("\r{name}: seed {seed}: {:.1} %   ", 100.0 * measured.solved);
        }
        eprint!("\r{:60}\r", "");
        let share = |solved: usize| format!("{:.1} %", 100.0 * solved as f64 / (TASKS * seeds) as f64);
        println!(
            "{name:<12} {:>12} {:>12} {:>18} {:>16} {:>9.0}",
            interval(&solved),
            interval(&in_beam),
            share(first),
            share(last),
            began.elapsed().as_secs_f64() / seeds as f64,
        );
        let _ = std::io::stdout().flush();
    }
    Ok(())
}

fn main() -> ExitCode {
    let numbers: Result<Vec<u64>, _> = std::env::args()
        .skip(1)
        .map(|argument| argument.parse())
        .collect();
    let (steps, seeds) = match numbers.as_deref() {
        Ok([]) => (1_500, 5),
        Ok(&[steps, seeds]) if steps >= 1 && (1..=6).contains(&seeds) => (steps, seeds),
        _ => {
            eprintln!("give the number of steps and of seeds, at most 6, or nothing");
            return ExitCode::FAILURE;
        }
    };
    if let Err(problem) = compare(steps, seeds) {
        eprintln!("{problem}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
