//! The stores of policies and of memories in one process.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::Finding;
use crate::roles::{DoorError, MemoryStore, PolicyStore};

/// The newest policy, shared by threads.
#[derive(Debug)]
pub struct SharedPolicies<P> {
    newest: Mutex<(u64, P)>,
    step: AtomicU64,
}

impl<P> SharedPolicies<P> {
    /// A store with its first policy.
    pub fn new(version: u64, policy: P) -> Self {
        Self {
            newest: Mutex::new((version, policy)),
            step: AtomicU64::new(version),
        }
    }

    /// The newest policy and its version.
    pub fn into_newest(self) -> (u64, P) {
        self.newest.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Clone + Send> PolicyStore<P> for SharedPolicies<P> {
    fn publish(&self, version: u64, policy: P) -> Result<(), DoorError> {
        *lock(&self.newest) = (version, policy);
        Ok(())
    }

    fn newest(&self, held: Option<u64>) -> Result<Option<(u64, P)>, DoorError> {
        let newest = lock(&self.newest);
        Ok((held != Some(newest.0)).then(|| newest.clone()))
    }

    fn reached(&self, step: u64) -> Result<(), DoorError> {
        self.step.store(step, Relaxed);
        Ok(())
    }

    fn step(&self) -> Result<u64, DoorError> {
        Ok(self.step.load(Relaxed))
    }
}

/// What the actors of a process have found.
#[derive(Debug)]
pub struct SharedMemories(Vec<Mutex<Vec<Finding>>>);

impl SharedMemories {
    /// An empty store for this many shards.
    pub fn new(shards: usize) -> Self {
        Self((0..shards).map(|_| Mutex::default()).collect())
    }

    /// How many shards there are.
    pub fn shards(&self) -> usize {
        self.0.len()
    }

    fn shard(&self, shard: u32) -> Result<MutexGuard<'_, Vec<Finding>>, DoorError> {
        let found = self.0.get(shard as usize).ok_or_else(|| DoorError {
            door: "the store of memories",
            source: format!("there is no shard {shard} of {}", self.0.len()).into(),
        })?;
        Ok(lock(found))
    }
}

impl MemoryStore for SharedMemories {
    fn append(&self, shard: u32, mut found: Vec<Finding>) -> Result<(), DoorError> {
        self.shard(shard)?.append(&mut found);
        Ok(())
    }

    fn read(&self, shard: u32, from: usize) -> Result<Vec<Finding>, DoorError> {
        Ok(self.shard(shard)?.iter().skip(from).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Action;

    #[test]
    fn only_another_version_is_handed_out() {
        let store = SharedPolicies::new(3, 'a');
        assert_eq!(store.newest(None).unwrap(), Some((3, 'a')));
        assert_eq!(store.newest(Some(3)).unwrap(), None);
        store.publish(5, 'b').unwrap();
        assert_eq!(store.newest(Some(3)).unwrap(), Some((5, 'b')));
        // A learner that was set back is followed.
        store.publish(4, 'c').unwrap();
        assert_eq!(store.newest(Some(5)).unwrap(), Some((4, 'c')));
        assert_eq!(store.step().unwrap(), 3);
        store.reached(6).unwrap();
        assert_eq!(store.step().unwrap(), 6);
    }

    #[test]
    fn what_is_found_is_kept_in_its_order_and_its_shard() {
        let store = SharedMemories::new(2);
        let finding = |example| Finding {
            example,
            program: vec![Action(1)],
            reward: 1.0,
        };
        store.append(1, vec![finding(3), finding(1)]).unwrap();
        store.append(1, vec![finding(5)]).unwrap();
        assert_eq!(store.read(1, 1).unwrap(), [finding(1), finding(5)]);
        assert!(store.read(0, 0).unwrap().is_empty() && store.read(1, 7).unwrap().is_empty());
        let refused = store.append(2, Vec::new()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the store of memories: there is no shard 2 of 2"
        );
    }
}
