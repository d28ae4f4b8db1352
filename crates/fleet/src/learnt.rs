//! Which batches this learner has learnt from lately, by itself or by its assistants.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// More are not remembered; a queue holds far fewer.
const MOST: usize = 1 << 16;

/// Batches, by shard and round. A batch may be handed out again while somebody still has it: whoever is second is told.
#[derive(Debug, Default)]
pub(crate) struct LearntFrom(Mutex<(HashSet<(u32, u64)>, VecDeque<(u32, u64)>)>);

impl LearntFrom {
    /// Takes note of a batch; false if it is known already.
    pub fn enter(&self, shard: u32, round: u64) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, order) = &mut *known;
        if !known.insert((shard, round)) {
            return false;
        }
        order.push_back((shard, round));
        if order.len() > MOST
            && let Some(oldest) = order.pop_front()
        {
            known.remove(&oldest);
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
