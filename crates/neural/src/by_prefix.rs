//! An environment that is one function.

use mapo_core::{Action, Env};

/// What there is after some actions.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// These may come next; if there are none, it is a dead end.
    Open(Vec<Action>),
    /// It is a whole program, with this reward.
    Finished(f32),
}

/// An environment that is one function: it looks at the actions taken so far and says what there is. The
/// simplest way to write one, and the only one where another language has to be asked. The function must
/// always say the same of the same actions.
///
/// ```
/// use mapo_core::{Action, Explorer, Plan, Uniform};
/// use mapo_neural::{ByPrefix, Look};
///
/// // Three coins; two heads win.
/// let mut coins = ByPrefix::new(|laid: &[Action]| match laid.len() {
///     3 => Look::Finished((laid.iter().map(|coin| coin.0).sum::<u16>() == 2).into()),
///     _ => Look::Open(vec![Action(0), Action(1)]),
/// });
/// let found = Explorer::new(Plan::default()).explore(0, &mut coins, &mut Uniform, |_| true);
/// assert_eq!(found.map(|found| (found.tried, found.memory.len())), Some((8, 3)));
/// ```
#[derive(Clone, Debug)]
pub struct ByPrefix<F> {
    look: F,
    prefix: Vec<Action>,
    /// What was seen after each number of actions, as far as was looked.
    seen: Vec<Look>,
}

impl<F: Fn(&[Action]) -> Look> ByPrefix<F> {
    /// The environment of a function. It is asked once for the empty prefix at once.
    pub fn new(look: F) -> Self {
        let first = look(&[]);
        Self {
            look,
            prefix: Vec::new(),
            seen: vec![first],
        }
    }

    /// What there is after the actions taken so far.
    fn here(&self) -> Option<&Look> {
        self.seen.get(self.prefix.len())
    }
}

impl<F: Fn(&[Action]) -> Look> Env for ByPrefix<F> {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        if let Some(Look::Open(next)) = self.here() {
            valid.extend_from_slice(next);
        }
    }

    fn step(&mut self, action: Action) {
        self.prefix.push(action);
        let seen = (self.look)(&self.prefix);
        self.seen.push(seen);
    }

    fn rewind(&mut self, len: usize) {
        self.prefix.truncate(len);
        self.seen.truncate(self.prefix.len() + 1);
    }

    fn is_finished(&self) -> bool {
        matches!(self.here(), Some(Look::Finished(_)))
    }

    fn reward(&mut self) -> f32 {
        match self.here() {
            Some(Look::Finished(reward)) => *reward,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_asks_once_and_going_back_asks_nobody() {
        let asked = std::cell::Cell::new(0);
        let mut env = ByPrefix::new(|laid: &[Action]| {
            asked.set(asked.get() + 1);
            match laid {
                [_, Action(1)] => Look::Finished(0.5),
                [_, _] => Look::Open(Vec::new()),
                _ => Look::Open(vec![Action(0), Action(1)]),
            }
        });
        let valid = |env: &mut dyn Env| {
            let mut valid = Vec::new();
            env.actions(&mut valid);
            valid.len()
        };
        env.step(Action(0));
        env.step(Action(1));
        assert!(env.is_finished());
        assert_eq!((env.reward(), valid(&mut env), asked.get()), (0.5, 0, 3));
        env.rewind(1);
        assert_eq!((env.is_finished(), valid(&mut env), asked.get()), (false, 2, 3));
        env.step(Action(0));
        assert_eq!(
            (env.is_finished(), valid(&mut env), env.reward()),
            (false, 0, 0.0)
        );
    }
}
