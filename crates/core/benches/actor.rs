//! What a visit costs beside the policy: exploring, executing and scoring the memory's programs, drawing.
//!
//! `cargo bench -p mapo-core --bench actor` prints the figures; they are for one core. The policy costs next
//! to nothing (every action is equally likely), so what is measured is the actor itself and the environment.

#[path = "../examples/countdown/game.rs"]
#[allow(dead_code, reason = "nothing is shown here")]
mod game;

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::Instant;

use game::Countdown;
use mapo_core::{
    Action, Actor, Estimator, ExploredSet, Iml, Inside, Mapo, Memory, Met, Move, NewPrograms, Objective,
    Outside, Policy, Sweep, Task, Uniform, example_rng,
};

/// Examples in a batch, as in the published runs on WikiTableQuestions.
const EXAMPLES: u64 = 25;

/// Every action is equally likely, in batches.
struct Free;

impl Policy<()> for Free {
    type Error = Infallible;

    fn read(&mut self, _: &[&()]) -> Result<(), Infallible> {
        Ok(())
    }

    fn start(&mut self, _: &[usize]) -> Result<(), Infallible> {
        Ok(())
    }

    fn advance(&mut self, _: &[Move]) -> Result<(), Infallible> {
        Ok(())
    }

    fn log_probabilities(
        &mut self,
        _: usize,
        valid: &[Action],
        out: &mut Vec<f32>,
    ) -> Result<(), Infallible> {
        let log = -(valid.len() as f32).ln();
        out.extend(valid.iter().map(|_| log));
        Ok(())
    }
}

/// A round whose memory holds this many calculations, right or not.
fn task(example: u64, programs: u32) -> Option<Task<Countdown, ()>> {
    let mut game = Countdown::new(952, &[25, 50, 75, 100, 3, 6]);
    let (mut memory, mut explored) = (Memory::default(), ExploredSet::new(1e-8));
    let mut rng = example_rng(0, example);
    Sweep::default().draw(
        &mut game,
        &mut Uniform,
        &mut explored,
        &mut rng,
        programs,
        |met| {
            if let Met::Program { program, .. } = met {
                memory.insert(program, 1.0);
            }
            ControlFlow::Continue(())
        },
    );
    Task::new(example, (), game, memory, 1e-8).ok()
}

fn measure(name: &str, objective: &Objective, programs: u32, batches: u64) {
    let mut tasks: Vec<_> = (0..EXAMPLES)
        .filter_map(|example| task(example, programs))
        .collect();
    let Ok(mut actor) = Actor::new(objective.clone(), NewPrograms::default(), 0) else {
        return;
    };
    let begun = Instant::now();
    for number in 0..batches {
        let mut batch: Vec<_> = tasks.iter_mut().collect();
        if actor.act(number, number, &mut batch, &mut Free).is_err() {
            return;
        }
    }
    let each = begun.elapsed().as_secs_f64() / batches as f64;
    println!(
        "{name:<34} {programs:>6} programs in memory {:>9.2} ms a batch {:>9.1} µs an example",
        1e3 * each,
        1e6 * each / EXAMPLES as f64
    );
}

fn main() {
    // Without `cargo bench` (as a test) it is enough to see that it runs.
    let is_benchmark = std::env::args().any(|argument| argument == "--bench");
    println!("batches of {EXAMPLES} examples, one exploration each");
    let objectives = [
        ("MAPO", Objective::Mapo(Mapo::default())),
        (
            "MAPO, outside drawn from π⁻",
            Objective::Mapo(Mapo {
                outside: Outside::Exact,
                ..Mapo::default()
            }),
        ),
        (
            "MAPO, the five best",
            Objective::Mapo(Mapo {
                inside: Inside::Top(5),
                ..Mapo::default()
            }),
        ),
        ("IML, two draws", Objective::Iml(Iml { draws: Some(2) })),
    ];
    for (name, objective) in objectives {
        debug_assert!(objective.check().is_ok());
        for programs in [1, 10, 100, 1_000] {
            let batches = if is_benchmark {
                20_000 / u64::from(programs).max(20)
            } else {
                1
            };
            measure(name, &objective, programs, batches);
        }
    }
}
