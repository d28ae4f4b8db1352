//! Which batches this learner has learnt from lately, by itself or by its assistants.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// More are not remembered; a queue holds far fewer.
const MOST: usize = 1 << 16;

/// A batch, by shard and round.
type Name = (u32, u64);

/// A batch may be handed out again while somebody still has it: whoever is second is told.
#[derive(Debug, Default)]
pub(crate) struct LearntFrom(Mutex<Latest>);

#[derive(Debug, Default)]
struct Latest {
    names: HashSet<Name>,
    in_order: VecDeque<Name>,
}

impl LearntFrom {
    /// Takes note of a batch; false if it is known already.
    pub fn enter(&self, shard: u32, round: u64) -> bool {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Latest { names, in_order } = &mut *latest;
        if !names.insert((shard, round)) {
            return false;
        }
        in_order.push_back((shard, round));
        if in_order.len() > MOST
            && let Some(oldest) = in_order.pop_front()
        {
            names.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_new_once() {
        let known = LearntFrom::default();
        assert!(known.enter(1, 2) && known.enter(2, 1) && !known.enter(1, 2));
        for round in 0..MOST as u64 {
            known.enter(9, round);
        }
        assert!(known.enter(1, 2));
    }
}
