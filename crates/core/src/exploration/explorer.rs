//! Exploration of one example: batches of growing size until the budget or the space is used up.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::chance::example_rng;
use crate::memory::Memory;
use crate::roles::Env;

use super::{Drawn, ExploredSet, Met, Sweep, Weighing};

/// How every example of a run is explored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Programs to try for each example.
    pub programs: u64,
    /// Every example has its own random numbers, made from this and its own number.
    pub seed: u64,
    /// Highest probability with which an unexplored prefix may be taken for an explored one.
    pub error_rate: f64,
    /// Programs in the first batch.
    pub first_batch: u32,
    /// Every later batch takes the number tried so far to this many times as much; at least 2. A larger
    /// batch shares more of the work and spreads its programs more evenly; but only between batches does
    /// one know what a smaller budget would have found.
    pub growth: u32,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            programs: 1_000,
            seed: 0,
            error_rate: 1e-8,
            first_batch: 50,
            growth: 4,
        }
    }
}

impl Plan {
    /// The size of the next batch after `tried` programs.
    fn batch(&self, tried: u64) -> u32 {
        let more = tried.saturating_mul(u64::from(self.growth.max(2) - 1));
        let size = more
            .max(u64::from(self.first_batch.max(1)))
            .min(self.programs - tried);
        u32::try_from(size).unwrap_or(u32::MAX)
    }

    /// Dead ends after which an example is left as it is. Most examples have fewer than one for a program; a few
    /// have millions, which would keep all the others waiting.
    fn most_dead_ends(&self) -> u64 {
        self.programs.max(1_000).saturating_mul(10)
    }
}

/// Programs and dead ends after which an exploration reports and asks whether to go on: some milliseconds at
/// most.
const NEWS: u64 = 256;

/// What was found for one example.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The rewarded programs, in the order in which they were found.
    pub memory: Memory,
    /// Programs finished, executed and scored.
    pub tried: u64,
    /// Prefixes met that were no programs and could not be continued.
    pub dead_ends: u64,
    /// Whether every program there is has been tried.
    pub is_complete: bool,
    /// What had been found after each batch.
    pub milestones: Vec<Milestone>,
    /// Memory held by the explored set at the end, in bytes.
    pub explored_bytes: usize,
}

/// How far an exploration was after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Milestone {
    /// Programs tried so far.
    pub tried: u64,
    /// Rewarded programs found so far.
    pub found: u64,
}

impl Exploration {
    /// Whether any program earned a reward.
    pub fn is_solved(&self) -> bool {
        !self.memory.is_empty()
    }
}

/// Explores one example after the other; holds the buffers that they share.
#[derive(Clone, Debug)]
pub struct Explorer {
    plan: Plan,
    sweep: Sweep,
    explored: ExploredSet,
}

impl Explorer {
    /// An explorer that follows `plan`.
    ///
    /// # Panics
    /// If the plan's error rate is not between 0 and 1, both excluded.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            sweep: Sweep::default(),
            explored: ExploredSet::new(plan.error_rate),
        }
    }

    /// Explores `env`, from its start to the end of the budget or of the space, or until nearly every way has been
    /// a dead end for a long time. `go_on` is told every now and
    /// then what has been done since the last time; if it says no, the exploration is given up at once and
    /// nothing is returned.
    ///
    /// The result depends on the plan, the example's number, the environment and the weighing, and on nothing
    /// else.
    pub fn explore<E, W>(
        &mut self,
        example: u64,
        env: &mut E,
        weighing: &mut W,
        mut go_on: impl FnMut(Drawn) -> bool,
    ) -> Option<Exploration>
    where
        E: Env + ?Sized,
        W: Weighing<E> + ?Sized,
    {
        let Self {
            plan,
            sweep,
            explored,
        } = self;
        let mut rng = example_rng(plan.seed, example);
        let mut result = Exploration::default();
        explored.clear();
        let most_dead_ends = plan.most_dead_ends();
        while result.tried < plan.programs && result.dead_ends < most_dead_ends && !explored.is_complete() {
            let wanted = plan.batch(result.tried);
            let (memory, mut dead_ends) = (&mut result.memory, result.dead_ends);
            let (mut news, mut given_up) = (Drawn::default(), false);
            let drawn = sweep.draw(env, weighing, explored, &mut rng, wanted, |met| {
                match met {
                    Met::Program { program, reward } => {
                        news.programs += 1;
                        if reward > 0.0 {
                            memory.insert(program, reward);
                        }
                    }
                    Met::DeadEnd => {
                        news.dead_ends += 1;
                        dead_ends += 1;
                    }
                }
                if dead_ends >= most_dead_ends {
                    return ControlFlow::Break(());
                }
                if u64::from(news.programs) + news.dead_ends < NEWS {
                    return ControlFlow::Continue(());
                }
                given_up = !go_on(std::mem::take(&mut news));
                if given_up {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            if given_up || !go_on(news) {
                return None;
            }
            result.tried += u64::from(drawn.programs);
            result.dead_ends += drawn.dead_ends;
            result.milestones.push(Milestone {
                tried: result.tried,
                found: result.memory.len() as u64,
            });
        }
        result.is_complete = explored.is_complete();
        result.explored_bytes = explored.bytes();
        Some(result)
    }
}
