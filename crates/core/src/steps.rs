//! Programs with what could have been done instead.

use serde::{Deserialize, Serialize};

use crate::{Action, Env};

/// A program with the actions that were valid at each of its steps: all that a policy needs to know of the
/// environment to say how likely the program is, and to learn from it.
///
/// ```
/// use mapo_core::{Action, Steps};
///
/// let mut steps = Steps::default();
/// steps.push(Action(1), &[Action(0), Action(1)]);
/// steps.push(Action(7), &[Action(7)]);
/// assert_eq!(steps.actions(), [Action(1), Action(7)]);
/// assert_eq!(steps.valid(0), [Action(0), Action(1)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    actions: Vec<Action>,
    /// The valid actions of all steps, one after the other, and where each step's end.
    valid: Vec<Action>,
    ends: Vec<u32>,
}

impl Steps {
    /// Executes a program in an environment, from its start, and notes what was valid. None if it is not a
    /// whole program of this environment.
    pub fn of<E: Env + ?Sized>(env: &mut E, program: &[Action]) -> Option<Self> {
        let mut steps = Self::default();
        env.rewind(0);
        for &action in program {
            let from = steps.valid.len();
            env.actions(&mut steps.valid);
            if !steps.valid[from..].contains(&action) {
                return None;
            }
            steps.ends.push(steps.valid.len() as u32);
            steps.actions.push(action);
            env.step(action);
        }
        env.is_finished().then_some(steps)
    }

    /// Adds a step: `action`, one of the `valid` ones.
    pub fn push(&mut self, action: Action, valid: &[Action]) {
        debug_assert!(valid.contains(&action), "{action:?} is not one of {valid:?}");
        self.actions.push(action);
        self.valid.extend_from_slice(valid);
        self.ends.push(self.valid.len() as u32);
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The program.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// What was valid at a step.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn valid(&self, step: usize) -> &[Action] {
        let start = step.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.valid[start as usize..self.ends[step] as usize]
    }

    /// Each action with those that were valid at its step.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Action, &[Action])> {
        (0..self.len()).map(|step| (self.actions[step], self.valid(step)))
    }
}
