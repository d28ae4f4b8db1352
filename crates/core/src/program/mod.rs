//! What an environment's programs are made of: actions, the hashes of their prefixes, programs with what
//! could have been done instead, and trees of programs that share prefixes. Nothing here executes anything.

pub(crate) mod prefix;
mod steps;
mod tree;

pub use prefix::PrefixHash;
pub use steps::Steps;
pub use tree::PrefixTree;

use serde::{Deserialize, Serialize};

/// One discrete action: a token of a program, a move, a choice. Its meaning belongs to the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Action(pub u16);

/// How many actions, or tokens, two programs share at their beginning: the way from one to the other leads
/// back to there.
pub fn shared_prefix<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let shared = one.iter().zip(other).take_while(|(one, other)| one == other);
    shared.count()
}
