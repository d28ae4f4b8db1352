//! The numbers round of Countdown: reach a target with some numbers and the four operations.
//!
//! ```text
//! cargo run --example countdown                          # 24 out of 1, 3, 4 and 6
//! cargo run --example countdown -- 952 25 50 75 100 3 6
//! ```
//!
//! Nothing here is about tables: an environment says what may be done next, does it, takes it back, and gives
//! a reward at the end. The rest is systematic exploration.

mod game;

use std::process::ExitCode;

use game::{Countdown, MOST_NUMBERS};
use mapo_core::{Explorer, Plan, Uniform};

/// Programs to try at most.
const BUDGET: u64 = 2_000_000;

fn main() -> ExitCode {
    let given: Result<Vec<u32>, _> = std::env::args()
        .skip(1)
        .map(|argument| argument.parse())
        .collect();
    let game = match given.as_deref() {
        Ok([]) => (24, vec![1, 3, 4, 6]),
        Ok([target, numbers @ ..]) if (1..=MOST_NUMBERS).contains(&numbers.len()) => {
            (*target, numbers.to_vec())
        }
        _ => {
            eprintln!("give a target and up to {MOST_NUMBERS} numbers, all of them whole");
            return ExitCode::FAILURE;
        }
    };
    let (target, numbers) = game;
    let mut env = Countdown::new(target, &numbers);
    let mut explorer = Explorer::new(Plan {
        programs: BUDGET,
        ..Plan::default()
    });
    let Some(exploration) = explorer.explore(0, &mut env, &mut Uniform, |_| true) else {
        return ExitCode::FAILURE;
    };

    println!("{target} out of {numbers:?}");
    for milestone in &exploration.milestones {
        println!(
            "{:>9} calculations tried, {:>6} right",
            milestone.tried, milestone.found
        );
    }
    println!("{:>9} dead ends, never entered twice", exploration.dead_ends);
    if exploration.is_complete {
        println!("That is every calculation there is.");
    }
    for (program, _) in exploration.memory.iter().take(5) {
        println!("    {target} = {}", env.show(program));
    }
    ExitCode::SUCCESS
}
