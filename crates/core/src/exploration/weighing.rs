//! How likely each valid action is.

use crate::program::Action;
use crate::roles::Env;

/// Says how likely each of the valid actions is, given what the environment has done so far.
///
/// Exploration renormalises over the actions that still lead somewhere new, so weights need not sum to one.
///
/// One with a state per prefix (a decoder) keeps a stack of states: consecutive calls walk the tree of
/// prefixes depth first, so the state to go on from is always that of the longest common prefix with the last
/// call. It is asked also where only one action is left, so it sees every prefix in which an action is taken.
pub trait Weighing<E: Env + ?Sized> {
    /// Appends one weight for each of `actions`, all of them valid after `prefix`, to `weights`: not
    /// negative, finite, proportional to its probability. Appending nothing at all means that all are equally
    /// likely; so does giving each of them the weight zero. An action of weight zero is taken only when
    /// nothing else is left.
    fn weigh(&mut self, env: &E, prefix: &[Action], actions: &[Action], weights: &mut Vec<f32>);
}

/// Every valid action is equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<E: Env + ?Sized> Weighing<E> for Uniform {
    #[inline]
    fn weigh(&mut self, _: &E, _: &[Action], _: &[Action], _: &mut Vec<f32>) {}
}
