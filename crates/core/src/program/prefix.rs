//! Hashes of prefixes, made one step at a time.

use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

use super::Action;
use crate::chance::mix;

/// A 64-bit hash of a sequence of actions.
///
/// The hash of a longer sequence comes from that of the shorter one and the action between them, so a walk
/// pays one mix per step however long the sequence is. Two different actions never take the same prefix to
/// the same hash; other sequences collide with the probability of random 64-bit numbers. Hashes are stored
/// with explored sets, so the function must not change.
///
/// ```
/// use mapo_core::{Action, PrefixHash};
///
/// let program = [Action(3), Action(1), Action(4)];
/// assert_eq!(PrefixHash::of(&program), PrefixHash::of(&program[..2]).extend(Action(4)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrefixHash(pub(crate) u64);

impl PrefixHash {
    /// The hash of the empty sequence.
    pub const ROOT: Self = Self(0);

    /// The hash of `actions`, from scratch.
    pub fn of(actions: &[Action]) -> Self {
        actions
            .iter()
            .fold(Self::ROOT, |hash, &action| hash.extend(action))
    }

    /// The hash of this sequence with `action` after it.
    #[inline]
    pub fn extend(self, action: Action) -> Self {
        // The odd multiplier spreads neighbouring actions over all bits; `mix` is a bijection, so siblings
        // stay apart.
        Self(mix(self.0 ^ (u64::from(action.0) + 1).wrapping_mul(SPREAD)))
    }

    /// The hash as a number.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// 2⁶⁴ divided by the golden ratio, made odd.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A set of hashes need not hash them again.
pub(crate) type HashedSet = std::collections::HashSet<u64, BuildHasherDefault<AlreadyHashed>>;

/// Passes a 64-bit hash through.
#[derive(Default)]
pub(crate) struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    #[inline]
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        // Only 64-bit numbers are put into a `HashedSet`; anything else would still be correct, if slower.
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
