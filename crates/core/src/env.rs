//! What the algorithm needs to know of the world it acts in.

use serde::{Deserialize, Serialize};

/// One discrete action: a token of a program, a move, a choice. Its meaning belongs to the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Action(pub u16);

/// A deterministic environment with discrete actions and one reward at the end.
///
/// An environment holds one *prefix* in place: the actions taken since its start. It moves forward by
/// [`step`](Env::step) and back by [`rewind`](Env::rewind), so that a walk over the tree of all prefixes
/// executes each step once and copies nothing. A prefix is in one of three states:
///
/// * *finished*: the prefix is a whole program; it has a reward and no further actions;
/// * *open*: at least one action is valid;
/// * a *dead end*: not finished, and no action is valid. Nothing is earned there.
///
/// The same prefix always has the same state, the same valid actions (no action twice) and the same reward.
/// No sequence of steps goes on for ever.
///
/// None of the methods should allocate in the steady state: they are called for every step of every program.
///
/// ```
/// use mapo_core::{Action, Env};
///
/// /// Three coin tosses; two heads win.
/// #[derive(Default)]
/// struct Coins(Vec<Action>);
///
/// impl Env for Coins {
///     fn actions(&mut self, valid: &mut Vec<Action>) {
///         if !self.is_finished() {
///             valid.extend([Action(0), Action(1)]);
///         }
///     }
///     fn step(&mut self, action: Action) {
///         self.0.push(action);
///     }
///     fn rewind(&mut self, len: usize) {
///         self.0.truncate(len);
///     }
///     fn is_finished(&self) -> bool {
///         self.0.len() == 3
///     }
///     fn reward(&mut self) -> f32 {
///         let heads = self.0.iter().filter(|&&toss| toss == Action(1)).count();
///         if heads == 2 { 1.0 } else { 0.0 }
///     }
/// }
///
/// let mut coins = Coins::default();
/// for toss in [1, 0, 1] {
///     coins.step(Action(toss));
/// }
/// assert!(coins.is_finished());
/// assert_eq!(coins.reward(), 1.0);
/// ```
pub trait Env {
    /// Appends the valid actions of the current prefix to `valid`; what is there already stays. Appends
    /// nothing when the prefix is finished or a dead end.
    fn actions(&mut self, valid: &mut Vec<Action>);

    /// Extends the prefix by `action`, one of those that [`actions`](Env::actions) gives.
    fn step(&mut self, action: Action);

    /// Goes back to the first `len` actions of the prefix; `len` is at most its length. `rewind(0)` is the
    /// start.
    fn rewind(&mut self, len: usize);

    /// Whether the prefix is a whole program.
    fn is_finished(&self) -> bool;

    /// The reward of a finished prefix; positive if it belongs in the memory. Not called on any other prefix.
    fn reward(&mut self) -> f32;
}
