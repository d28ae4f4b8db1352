//! The store of policies: an object for each, and a key that says which is the newest.
//!
//! The key moves only forward, by epoch and then by step, and only if nobody else has moved it. A learner that
//! comes back from the dead finds a later epoch there, and ends.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mapo_core::{DoorError, PolicyStore};
use serde::{Deserialize, Serialize};

use crate::error::at;
use crate::message::{Kind, Seal};
use crate::record::{self, Record, keys};
use crate::server::{Bucket, Objects, Server};
use crate::{Error, Result};

/// How policies travel.
pub trait Parcel<P>: Send + Sync {
    /// A policy as bytes.
    ///
    /// # Errors
    /// If it cannot be.
    fn pack(&self, policy: &P) -> Result<Vec<u8>>;

    /// The same policy at the other end.
    ///
    /// # Errors
    /// If the bytes are no policy.
    fn unpack(&self, bytes: &[u8]) -> Result<P>;
}

/// Which policy is the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    /// The learner's epoch.
    pub epoch: u64,
    /// Its step.
    pub step: u64,
}

impl Version {
    fn object(self) -> String {
        format!("policy-{}-{}", self.epoch, self.step)
    }
}

const DOOR: &str = "the store of policies";

/// Sets a key to a version, unless a later epoch is there.
fn advance(bucket: &Bucket<'_>, key: &str, version: Version) -> Result<()> {
    let text = record::write(&version)?;
    loop {
        let there: Option<(Version, u64)> = record::read(bucket, key)?;
        if there.is_some_and(|(there, _)| there.epoch > version.epoch) {
            return Err(Error::TakenOver);
        }
        let set = match there {
            Some((_, revision)) => bucket.set(key, &text, revision)?,
            None => bucket.create(key, &text)?,
        };
        if set.is_some() {
            return Ok(());
        }
    }
}

/// The learner's side.
pub struct Publisher<'s, C> {
    keys: Bucket<'s>,
    objects: Objects<'s>,
    seal: Seal,
    parcel: C,
    epoch: u64,
    pace: Duration,
    step: Arc<AtomicU64>,
    /// When the last was published, and what is still in the store.
    there: Mutex<(Option<Instant>, Vec<Version>)>,
}

impl<'s, C> Publisher<'s, C> {
    pub(crate) fn open(
        server: &'s Server,
        record: &Record,
        parcel: C,
        epoch: u64,
        step: Arc<AtomicU64>,
    ) -> Result<Self> {
        let names = record.names();
        let keys = server.bucket(&names.keys(), None)?;
        let there: Option<(Version, u64)> = record::read(&keys, keys::POLICY)?;
        Ok(Self {
            keys,
            objects: server.objects(&names.objects())?,
            seal: record.seal(),
            parcel,
            epoch,
            pace: record.terms.pace(),
            step,
            there: Mutex::new((None, there.map(|(version, _)| version).into_iter().collect())),
        })
    }
}

impl<P, C: Parcel<P>> PolicyStore<P> for Publisher<'_, C> {
    fn publish(&self, step: u64, policy: P) -> Result<(), DoorError> {
        let mut there = lock(&self.there);
        // Nobody would fetch it.
        if there.0.is_some_and(|last| last.elapsed() < self.pace) {
            return Ok(());
        }
        let publish = || {
            let version = Version {
                epoch: self.epoch,
                step,
            };
            let content = self.parcel.pack(&policy)?;
            let message = self.seal.wrap(Kind::Policy, self.epoch, &content);
            self.objects.put(&version.object(), &message)?;
            advance(&self.keys, keys::POLICY, version)?;
            Ok(version)
        };
        let version = publish().map_err(at(DOOR))?;
        there.0 = Some(Instant::now());
        there.1.retain(|old| *old != version);
        there.1.push(version);
        // Somebody may still read the one before.
        while there.1.len() > 2 {
            self.objects.remove(&there.1.remove(0).object());
        }
        Ok(())
    }

    fn newest(&self, _: Option<u64>) -> Result<Option<(u64, P)>, DoorError> {
        Ok(None)
    }

    fn reached(&self, step: u64) -> Result<(), DoorError> {
        let version = Version {
            epoch: self.epoch,
            step,
        };
        advance(&self.keys, keys::REACHED, version).map_err(at(DOOR))?;
        self.step.store(step, Relaxed);
        Ok(())
    }

    fn step(&self) -> Result<u64, DoorError> {
        Ok(self.step.load(Relaxed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The actors' side, shared by the actors of a process: one of them fetches for all.
pub struct Shelf<'s, P, C> {
    keys: Bucket<'s>,
    objects: Objects<'s>,
    seal: Seal,
    parcel: C,
    pace: Duration,
    state: Mutex<State<P>>,
}

struct State<P> {
    /// When the keys were last looked at.
    looked: Option<Instant>,
    reached: u64,
    newest: Option<(Version, P)>,
}

impl<'s, P: Clone, C: Parcel<P>> Shelf<'s, P, C> {
    pub(crate) fn open(server: &'s Server, record: &Record, parcel: C) -> Result<Self> {
        let names = record.names();
        Ok(Self {
            keys: server.bucket(&names.keys(), None)?,
            objects: server.objects(&names.objects())?,
            seal: record.seal(),
            parcel,
            pace: record.terms.pace(),
            state: Mutex::new(State {
                looked: None,
                reached: 0,
                newest: None,
            }),
        })
    }

    /// Looks at the server, unless that was a moment ago.
    fn look(&self) -> Result<MutexGuard<'_, State<P>>> {
        let mut state = lock(&self.state);
        if state.newest.is_some() && state.looked.is_some_and(|looked| looked.elapsed() < self.pace) {
            return Ok(state);
        }
        loop {
            let Some((version, _)) = record::read::<Version>(&self.keys, keys::POLICY)? else {
                return Ok(state);
            };
            if state.newest.as_ref().is_none_or(|(held, _)| *held != version) {
                // If it is gone, a newer one has come.
                let Some(message) = self.objects.get(&version.object())? else {
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                };
                let (_, content) = self.seal.unwrap(Kind::Policy, &message)?;
                state.newest = Some((version, self.parcel.unpack(content)?));
            }
            let reached = record::read::<Version>(&self.keys, keys::REACHED)?;
            let reached = reached
                .map(|(reached, _)| reached)
                .filter(|reached| reached.epoch == version.epoch);
            // A policy is never of a step that was not reached.
            state.reached = reached.map_or(version.step, |reached| reached.step.max(version.step));
            state.looked = Some(Instant::now());
            return Ok(state);
        }
    }

    /// The newest policy's version, as far as is known here.
    pub(crate) fn version(&self) -> Option<Version> {
        lock(&self.state).newest.as_ref().map(|(version, _)| *version)
    }

    /// Whether there is a policy yet.
    pub(crate) fn is_ready(&self) -> Result<bool> {
        Ok(self.look()?.newest.is_some())
    }
}

/// One actor's view of a shelf: it remembers which policy the actor has.
pub struct View<'v, 's, P, C> {
    shelf: &'v Shelf<'s, P, C>,
    /// The epoch of the policy that the actor has.
    epoch: Arc<AtomicU64>,
    held: Mutex<Option<Version>>,
}

impl<'v, 's, P, C> View<'v, 's, P, C> {
    pub(crate) fn new(shelf: &'v Shelf<'s, P, C>, epoch: Arc<AtomicU64>) -> Self {
        Self {
            shelf,
            epoch,
            held: Mutex::new(None),
        }
    }
}

impl<P, C> PolicyStore<P> for View<'_, '_, P, C>
where
    P: Clone + Send,
    C: Parcel<P>,
{
    fn publish(&self, _: u64, _: P) -> Result<(), DoorError> {
        let problem = Error::Refused {
            what: "a policy",
            reason: "only the learner publishes".to_owned(),
        };
        Err(at(DOOR)(problem))
    }

    fn newest(&self, held: Option<u64>) -> Result<Option<(u64, P)>, DoorError> {
        let state = self.shelf.look().map_err(at(DOOR))?;
        let mut mine = lock(&self.held);
        let Some((version, policy)) = &state.newest else {
            return Ok(None);
        };
        if held.is_some() && *mine == Some(*version) {
            return Ok(None);
        }
        *mine = Some(*version);
        self.epoch.store(version.epoch, Relaxed);
        Ok(Some((version.step, policy.clone())))
    }

    fn reached(&self, _: u64) -> Result<(), DoorError> {
        Ok(())
    }

    fn step(&self) -> Result<u64, DoorError> {
        Ok(self.shelf.look().map_err(at(DOOR))?.reached)
    }
}
