//! Examples whose programs are known: their likelihood is all there is to climb.

use super::{NotAProgram, Task};
use crate::batch::{Sample, Visit};
use crate::objective::Mml;
use crate::roles::{ByReward, Env, FromMemory, FromPolicy, Needs};

/// How known programs are weighed, whatever the objective of the run: the memory weighs 1, and nothing lies
/// outside.
pub(super) const LIKELIHOOD: Mml = Mml {
    draws: None,
    smoothed: false,
};

/// What is needed of a memory that is the whole truth: all of it, and by how much the policy prefers which.
pub(super) fn needs(memory: usize) -> Needs {
    Needs {
        memory: FromMemory::All,
        policy: FromPolicy::Nothing,
        scores: memory > 1,
        by_reward: ByReward::Aside,
    }
}

/// Whether an example can be visited without asking the policy: a single known program has all the weight.
pub(super) fn is_certain<E, X>(task: &Task<E, X>) -> bool {
    task.is_known && task.memory.len() == 1
}

/// The visit of such an example.
pub(super) fn recite<E: Env, X>(example: usize, task: &mut Task<E, X>) -> Result<Visit, NotAProgram> {
    let steps = task.env.steps_of(task.memory.program(0));
    let steps = steps.ok_or(NotAProgram {
        example: task.example,
        program: 0,
    })?;
    Ok(Visit {
        example,
        memory: 1,
        inside: vec![Sample {
            steps,
            reward: task.memory.reward(0),
            log_probability: None,
            is_in_memory: true,
            prior: None,
        }],
        ..Visit::default()
    })
}
