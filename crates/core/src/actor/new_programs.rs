//! Algorithm 1 during training.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::Task;
use crate::batch::Statistics;
use crate::chance::choose;
use crate::exploration::{Turn, Walk};
use crate::roles::{Env, Move, Policy};

/// How many programs systematic exploration (Algorithm 1) tries during training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewPrograms {
    /// At every visit of an example. 0, with the other at 0 too, is training without systematic exploration.
    pub per_visit: usize,
    /// Beyond those, as long as the example's memory is empty.
    pub when_empty: usize,
    /// Whether programs that can earn nothing, as far as the [environment](Env::worthwhile) can tell, are left aside.
    pub frugal: bool,
}

impl Default for NewPrograms {
    fn default() -> Self {
        Self {
            per_visit: 1,
            when_empty: 0,
            frugal: false,
        }
    }
}

impl NewPrograms {
    /// No systematic exploration.
    pub const OFF: Self = Self {
        per_visit: 0,
        when_empty: 0,
        frugal: false,
    };

    /// Whether a walk is due after this many.
    fn is_due(self, walks: usize, is_empty: bool) -> bool {
        walks < self.per_visit + if is_empty { self.when_empty } else { 0 }
    }

    /// Algorithm 1 for all examples that are due, in rounds of one walk each, in lock-step. A walk must know
    /// what the walks before it tried, so those of one example follow each other.
    pub(super) fn explore<E, X, P>(
        self,
        walks: &mut Vec<Walk>,
        tasks: &mut [&mut Task<E, X>],
        rngs: &mut [Xoshiro256PlusPlus],
        policy: &mut P,
        statistics: &mut Statistics,
    ) -> Result<(), P::Error>
    where
        E: Env,
        P: Policy<X>,
    {
        walks.resize_with(tasks.len(), Walk::default);
        let mut moves = Vec::new();
        let (mut logs, mut weights): (Vec<f32>, Vec<f64>) = (Vec::new(), Vec::new());
        for round in 0.. {
            // The examples of the rows.
            let mut rows: Vec<usize> = (0..tasks.len())
                .filter(|&example| {
                    let task = &tasks[example];
                    let is_due = !task.is_known && self.is_due(round, task.memory.is_empty());
                    is_due && !task.explored.is_complete()
                })
                .collect();
            if rows.is_empty() {
                break;
            }
            rows.iter().for_each(|&example| {
                walks[example].start(&mut tasks[example].env);
                walks[example].frugal(self.frugal);
            });
            policy.start(&rows)?;
            while !rows.is_empty() {
                moves.clear();
                let mut next = Vec::with_capacity(rows.len());
                for (row, &example) in rows.iter().enumerate() {
                    let Task {
                        env,
                        memory,
                        explored,
                        ..
                    } = &mut *tasks[example];
                    let walk = &mut walks[example];
                    let action = match walk.turn(env, explored) {
                        Turn::Choose(open) => {
                            logs.clear();
                            policy.log_probabilities(row, open, &mut logs)?;
                            weights.clear();
                            weights.extend(logs.iter().map(|&log| f64::from(log).exp()));
                            open[choose(open.len(), &weights, &mut rngs[example])]
                        }
                        Turn::Finished => {
                            statistics.explored += 1;
                            let reward = env.reward();
                            if reward > 0.0 && memory.insert(walk.prefix(), reward) {
                                statistics.found_exploring += 1;
                            }
                            continue;
                        }
                        Turn::Exhausted => {
                            statistics.dead_ends += 1;
                            continue;
                        }
                    };
                    walk.take(env, action);
                    moves.push(Move { row, action });
                    next.push(example);
                }
                rows = next;
                if !rows.is_empty() {
                    policy.advance(&moves)?;
                }
            }
        }
        Ok(())
    }
}
