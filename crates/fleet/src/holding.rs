//! The shards that a process has, and how it comes by them and gives them back.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mapo_core::{Env, Shard, Shards, Task};

use crate::lease::{Held, Leases};
use crate::memories::Memories;
use crate::presence::Presence;
use crate::record::{self, keys};
use crate::shares::shares;
use crate::{Error, Result};

/// The shards that a process has.
///
/// A lease says who works on a shard; what is written in its log is decided by the log alone. So a process
/// that was stopped for longer than its lease writes nothing that the next owner does not know of.
pub(crate) struct Holding<'h, 's, E, X> {
    pub leases: Leases<'s>,
    pub memories: &'h Memories<'s>,
    pub shards: &'h Shards<E, X>,
    /// How many shards there are.
    pub of: u32,
    /// The examples of a shard, as they were when the run began.
    pub make: &'h (dyn Fn(u32) -> Result<Vec<Task<E, X>>> + Sync),
    pub state: Mutex<State>,
}

/// What is known of the shards.
#[derive(Debug, Default)]
pub(crate) struct State {
    held: BTreeMap<u32, Held>,
    /// Those that an actor found to be another's.
    lost: Vec<u32>,
}

impl<E: Env, X> Holding<'_, '_, E, X> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An actor was refused.
    pub fn lose(&self, shard: u32) {
        self.lock().lost.push(shard);
    }

    /// Whether an actor was refused since the last time.
    pub fn has_lost(&self) -> bool {
        !self.lock().lost.is_empty()
    }

    /// How many shards it has.
    pub fn len(&self) -> usize {
        self.lock().held.len()
    }

    /// Says that the shards are still wanted, and takes or gives back what the speeds of all say.
    pub fn tend(&self, me: &Presence) -> Result<()> {
        self.keep()?;
        let text = record::write(me)?;
        self.leases.bucket.put(&keys::actor(&me.name), &text)?;
        let (mut actors, mut taken) = (Vec::new(), HashSet::new());
        for entry in self.leases.bucket.all()? {
            if let Some(shard) = entry.key.strip_prefix("shard.") {
                taken.extend(shard.parse::<u32>());
            } else if entry.key.starts_with("actor.") {
                actors.extend(serde_json::from_slice::<Presence>(&entry.value));
            }
        }
        actors.sort_by(|one: &Presence, other| one.name.cmp(&other.name));
        let speeds: Vec<f64> = actors.iter().map(|actor| actor.speed).collect();
        let shares = shares(self.of as usize, &speeds);
        let mine = actors.iter().position(|actor| actor.name == me.name);
        let mine = mine.map_or(1, |place| shares[place]);
        let free: Vec<u32> = (0..self.of).filter(|shard| !taken.contains(shard)).collect();
        let mut has = self.len();
        // Not all begin with the same.
        let start = me.name.bytes().fold(0, |sum, byte| sum + usize::from(byte)) % free.len().max(1);
        for &shard in free.iter().cycle().skip(start).take(free.len()) {
            if has >= mine {
                break;
            }
            has += usize::from(self.take(shard)?);
        }
        // Small changes of speed are not worth a move; one who has nothing is.
        let someone_lacks = actors
            .iter()
            .any(|actor| actor.shards == 0 && actor.name != me.name);
        let most = if someone_lacks { mine } else { mine + mine / 4 + 1 };
        if free.is_empty() && has > most {
            self.give_back(has - mine)?;
        }
        Ok(())
    }

    /// Renews the leases, and lets go what was lost.
    fn keep(&self) -> Result<()> {
        let lost = std::mem::take(&mut self.lock().lost);
        let held: Vec<u32> = self.lock().held.keys().copied().collect();
        for shard in held {
            let Some(mut lease) = self.lock().held.get(&shard).cloned() else {
                continue;
            };
            // Who was silent for too long may have it still, but does not know what is in the log.
            let is_kept = !lost.contains(&shard) && self.leases.renew(&mut lease)?;
            if is_kept {
                self.lock().held.insert(shard, lease);
                continue;
            }
            self.shards.leave(shard);
            self.leases.give_back(&lease)?;
            self.lock().held.remove(&shard);
        }
        Ok(())
    }

    /// Takes a shard that is free. Whether it was.
    fn take(&self, shard: u32) -> Result<bool> {
        let Some(lease) = self.leases.take(&keys::shard(shard))? else {
            return Ok(false);
        };
        let (round, found) = match self.memories.take_over(shard) {
            Ok(taken) => taken,
            Err(Error::Over) => {
                self.leases.give_back(&lease)?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let mut tasks = (self.make)(shard)?;
        for finding in found {
            // Examples are dealt one after the other.
            let place = finding.example as usize / self.of as usize;
            let task = tasks
                .get_mut(place)
                .filter(|task| task.example == finding.example);
            let task = task.ok_or_else(|| Error::Damaged {
                what: "the log of memories",
                problem: format!("example {} is not in shard {shard}", finding.example),
            })?;
            task.learn_of(&finding.program, finding.reward)?;
        }
        self.lock().held.insert(shard, lease);
        self.shards.join(Shard::one(shard, self.of, round, tasks));
        Ok(true)
    }

    /// Gives some shards back, those first that nobody works on.
    fn give_back(&self, number: usize) -> Result<()> {
        let held: Vec<(u32, Held)> = self.lock().held.clone().into_iter().collect();
        let mut left = number;
        for (shard, lease) in held {
            if left == 0 {
                break;
            }
            left -= 1;
            // One that is being worked on goes the next time.
            if self.shards.leave(shard) {
                self.leases.give_back(&lease)?;
                self.lock().held.remove(&shard);
            }
        }
        Ok(())
    }

    /// Gives everything back at once.
    pub fn leave(&self, name: &str) -> Result<()> {
        let held = std::mem::take(&mut self.lock().held);
        for (shard, lease) in held {
            self.shards.leave(shard);
            self.leases.give_back(&lease)?;
        }
        let bucket = &self.leases.bucket;
        match bucket.get(&keys::actor(name))? {
            Some(entry) => bucket.remove(&entry.key, entry.revision),
            None => Ok(()),
        }
    }
}
