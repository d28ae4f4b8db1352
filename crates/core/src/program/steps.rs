//! Programs with what could have been done instead.

use serde::{Deserialize, Serialize};

use super::Action;

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
#[serde(try_from = "Stored")]
pub struct Steps {
    actions: Vec<Action>,
    /// The valid actions of all steps, one after the other, and where each step's end.
    valid: Vec<Action>,
    ends: Vec<u32>,
}

impl Steps {
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

/// What steps look like before anyone has looked at them: a file or a message may hold anything.
#[derive(Deserialize)]
struct Stored {
    actions: Vec<Action>,
    valid: Vec<Action>,
    ends: Vec<u32>,
}

/// Stored steps that cannot be any.
#[derive(Debug, thiserror::Error)]
#[error("not the steps of a program: {0}")]
struct Malformed(&'static str);

impl TryFrom<Stored> for Steps {
    type Error = Malformed;

    fn try_from(Stored { actions, valid, ends }: Stored) -> Result<Self, Malformed> {
        if actions.len() != ends.len() {
            return Err(Malformed("not every action has its valid ones"));
        }
        let mut start = 0;
        for (action, &end) in actions.iter().zip(&ends) {
            match valid.get(start..end as usize) {
                Some(choices) if choices.contains(action) => start = end as usize,
                Some(_) => return Err(Malformed("an action is not among its valid ones")),
                None => return Err(Malformed("valid actions are missing")),
            }
        }
        if start != valid.len() {
            return Err(Malformed("valid actions are left over"));
        }
        Ok(Self { actions, valid, ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back_from_a_file_and_nothing_else_does() {
        let mut steps = Steps::default();
        steps.push(Action(1), &[Action(0), Action(1)]);
        steps.push(Action(7), &[Action(7)]);
        let text = serde_json::to_string(&steps).unwrap();
        assert_eq!(serde_json::from_str::<Steps>(&text).unwrap(), steps);
        for wrong in [
            r#"{"actions":[1,7],"valid":[0,1,7],"ends":[2]}"#,
            r#"{"actions":[1,7],"valid":[0,1,7],"ends":[2,9]}"#,
            r#"{"actions":[1,7],"valid":[0,1,7],"ends":[3,2]}"#,
            r#"{"actions":[1,7],"valid":[0,1,7,8],"ends":[2,3]}"#,
            r#"{"actions":[2,7],"valid":[0,1,7],"ends":[2,3]}"#,
        ] {
            assert!(serde_json::from_str::<Steps>(wrong).is_err(), "{wrong}");
        }
    }
}
