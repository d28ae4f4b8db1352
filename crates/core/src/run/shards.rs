//! Examples are divided into shards, and actors take turns with them.
//!
//! A shard is what one actor works on at a time: some examples with their memories and explored sets, and how
//! many batches were made of them. Example i of n is in shard i mod S, so that each shard is a fair sample of
//! the data, and S depends on nothing but the number of examples and the size of a batch: see [`count`]. It
//! is the same on two threads and on many machines, and a shard can move from one to another.
//!
//! Actors do not own shards. Whoever is ready leases the one that has made the fewest batches, so that in
//! the long run all advance evenly, also where memories take long to score. One that is held meanwhile lags:
//! nobody waits for it.
//!
//! A run that acts and learns by turns on one thread shares its examples with nobody: it has one shard with
//! all of them, and goes through them in one order.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mixing::Mixing;
use super::order::Order;
use super::{Course, Group};
use crate::actor::Task;

/// The most shards that examples are divided into.
const MOST: usize = 64;

/// The number of shards for this many examples: up to 64, but none has fewer examples than a batch.
pub fn count(examples: usize, batch: usize) -> usize {
    (examples / batch.max(1)).clamp(1, MOST)
}

/// The same for what a course says of its examples: where they are in groups, each shard has as many of each
/// as a batch may take.
pub fn count_for(course: &Course, examples: usize) -> usize {
    if course.groups.len() < 2 {
        return count(examples, course.batch);
    }
    let mixing = Mixing::new(&course.groups, course.batch);
    let groups = course.groups.iter().enumerate();
    let counts = groups.map(|(place, group)| count(group.examples, mixing.most(place)));
    counts.min().unwrap_or(1)
}

/// Some of the examples.
#[derive(Clone, Debug)]
pub struct Shard<E, X> {
    /// Its number, from 0.
    pub number: u32,
    /// How many shards there are.
    pub of: u32,
    /// Batches made so far.
    pub round: u64,
    tasks: Vec<Task<E, X>>,
}

impl<E, X> Shard<E, X> {
    /// Deals examples to this many shards, one after the other.
    pub fn deal(tasks: Vec<Task<E, X>>, shards: usize) -> Vec<Self> {
        let shards = shards.max(1);
        let share = tasks.len().div_ceil(shards);
        let mut dealt: Vec<Self> = (0..shards as u32)
            .map(|number| Self {
                number,
                of: shards as u32,
                round: 0,
                tasks: Vec::with_capacity(share),
            })
            .collect();
        for (place, task) in tasks.into_iter().enumerate() {
            dealt[place % shards].tasks.push(task);
        }
        dealt
    }

    /// Its examples.
    pub fn tasks(&self) -> &[Task<E, X>] {
        &self.tasks
    }

    /// Its examples, to be changed.
    pub fn tasks_mut(&mut self) -> &mut [Task<E, X>] {
        &mut self.tasks
    }

    /// Its examples, for another division.
    pub(super) fn into_tasks(self) -> Vec<Task<E, X>> {
        self.tasks
    }

    /// One of so many shards, with the examples that are in it.
    pub fn one(number: u32, of: u32, round: u64, tasks: Vec<Task<E, X>>) -> Self {
        Self {
            number,
            of,
            round,
            tasks,
        }
    }

    /// The number of the next batch; no two batches of a run have the same.
    pub(super) fn next_number(&self) -> u64 {
        self.round * u64::from(self.of) + u64::from(self.number)
    }

    /// The examples of the next batch, in the order of their numbers.
    pub(super) fn next_tasks(&mut self, course: &Course) -> Vec<&mut Task<E, X>> {
        let seed = course.seed.wrapping_add(self.number.into());
        let picked = match course.groups.len() {
            0 | 1 => Order::new(self.tasks.len(), course.batch, seed).batch(self.round),
            _ => {
                let places = self.places(&course.groups);
                Mixing::new(&course.groups, course.batch).batch(&places, seed, self.round)
            }
        };
        let mut is_picked = vec![false; self.tasks.len()];
        for place in picked {
            is_picked[place] = true;
        }
        let picked = self.tasks.iter_mut().zip(is_picked);
        picked
            .filter_map(|(task, is_picked)| is_picked.then_some(task))
            .collect()
    }
}

impl<E, X> Shard<E, X> {
    /// Where its examples of each group are.
    fn places(&self, groups: &[Group]) -> Vec<Range<usize>> {
        let (mut numbers, mut start) = (0, 0);
        let places = groups.iter().map(|group| {
            numbers += group.examples as u64;
            let end = self.tasks.partition_point(|task| task.example < numbers);
            std::mem::replace(&mut start, end)..end
        });
        places.collect()
    }
}

/// The shards of a process, shared by its actors. Some may come and others go while actors are at work.
#[derive(Debug)]
pub struct Shards<E, X>(Mutex<Vec<Slot<E, X>>>);

#[derive(Debug)]
struct Slot<E, X> {
    number: u32,
    /// Nothing while an actor has it.
    shard: Option<Shard<E, X>>,
    /// Whether it goes as soon as the actor has done with it.
    is_leaving: bool,
}

impl<E, X> Shards<E, X> {
    /// Shards for actors to take turns with.
    pub fn new(shards: Vec<Shard<E, X>>) -> Self {
        let all = Self(Mutex::default());
        shards.into_iter().for_each(|shard| all.join(shard));
        all
    }

    /// How many shards there are.
    pub fn len(&self) -> usize {
        lock(&self.0).len()
    }

    /// Whether there is no shard.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is one that nobody has.
    pub fn has_free(&self) -> bool {
        lock(&self.0).iter().any(|slot| slot.shard.is_some())
    }

    /// Adds a shard, in the place of the one that has its number.
    pub fn join(&self, shard: Shard<E, X>) {
        let mut slots = lock(&self.0);
        slots.retain(|slot| slot.number != shard.number);
        slots.push(Slot {
            number: shard.number,
            shard: Some(shard),
            is_leaving: false,
        });
        slots.sort_by_key(|slot| slot.number);
    }

    /// Lets a shard go: nobody is given it any more. Whether it is gone; if not, an actor still has it, and
    /// it goes when the actor has done with it.
    pub fn leave(&self, number: u32) -> bool {
        let mut slots = lock(&self.0);
        slots.retain(|slot| slot.number != number || slot.shard.is_none());
        let held = slots.iter_mut().find(|slot| slot.number == number);
        held.map(|slot| slot.is_leaving = true).is_none()
    }

    /// The shard whose turn it is: of those that nobody has, the one with the fewest batches. None if there
    /// is none.
    pub fn lease(&self) -> Option<Lease<'_, E, X>> {
        let mut slots = lock(&self.0);
        let free = slots.iter_mut().filter(|slot| slot.shard.is_some());
        let next = free.min_by_key(|slot| slot.shard.as_ref().map(|shard| (shard.round, shard.number)))?;
        Some(Lease {
            shard: next.shard.take()?,
            shards: self,
        })
    }

    /// All shards, when nobody has one any more.
    pub fn into_inner(self) -> Vec<Shard<E, X>> {
        let slots = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        slots.into_iter().filter_map(|slot| slot.shard).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A shard that is an actor's alone until it is dropped.
#[derive(Debug)]
pub struct Lease<'s, E, X> {
    shard: Shard<E, X>,
    shards: &'s Shards<E, X>,
}

impl<E, X> Deref for Lease<'_, E, X> {
    type Target = Shard<E, X>;

    fn deref(&self) -> &Shard<E, X> {
        &self.shard
    }
}

impl<E, X> DerefMut for Lease<'_, E, X> {
    fn deref_mut(&mut self) -> &mut Shard<E, X> {
        &mut self.shard
    }
}

impl<E, X> Drop for Lease<'_, E, X> {
    fn drop(&mut self) {
        let shard = Shard {
            tasks: std::mem::take(&mut self.shard.tasks),
            ..self.shard
        };
        let mut slots = lock(&self.shards.0);
        let place = slots
            .iter()
            .position(|slot| slot.number == shard.number && slot.shard.is_none());
        match place {
            Some(place) if slots[place].is_leaving => drop(slots.remove(place)),
            Some(place) => slots[place].shard = Some(shard),
            // Another has taken its place.
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_shards_follows_from_the_data_and_the_batch_alone() {
        let counts = [(0, 8), (7, 8), (24, 12), (200, 25), (11_321, 25), (11_321, 0)]
            .map(|(examples, batch)| count(examples, batch));
        assert_eq!(counts, [1, 1, 2, 8, 64, 64]);
    }

    #[test]
    fn all_shards_advance_evenly_however_long_one_takes() {
        let shards: Vec<Shard<(), ()>> = Shard::deal(Vec::new(), 4);
        let shards = Shards::new(shards);
        let mut turns = Vec::new();
        let mut slow = shards.lease().expect("all are free");
        for _ in 0..5 {
            let mut lease = shards.lease().expect("three are free");
            lease.round += 1;
            turns.push(lease.number);
        }
        assert_eq!(turns, [1, 2, 3, 1, 2]);
        slow.round += 1;
        drop(slow);
        for _ in 0..4 {
            let mut lease = shards.lease().expect("all are free");
            lease.round += 1;
            turns.push(lease.number);
        }
        assert_eq!(turns[5..], [0, 3, 0, 1]);
        let rounds: Vec<u64> = shards.into_inner().iter().map(|shard| shard.round).collect();
        assert_eq!(rounds, [3, 3, 2, 2]);
    }

    #[test]
    fn shards_come_and_go_while_actors_have_them() {
        let mut dealt = Shard::<(), ()>::deal(Vec::new(), 3);
        let late = dealt.pop().expect("three");
        let shards = Shards::new(dealt);
        let (mut one, other) = (shards.lease().expect("free"), shards.lease().expect("free"));
        one.round += 1;
        assert!(!shards.leave(0), "an actor has it");
        shards.join(late);
        assert_eq!(shards.lease().map(|lease| lease.number), Some(2));
        drop(one);
        assert_eq!(shards.len(), 2, "it went when the actor had done with it");
        // One that was lost and comes again is not mixed up with what the actor still has.
        let again = Shard::<(), ()>::deal(Vec::new(), 2).pop().expect("two");
        shards.join(Shard { round: 7, ..again });
        drop(other);
        assert!(shards.leave(2) && shards.leave(2));
        let rounds: Vec<(u32, u64)> = shards
            .into_inner()
            .iter()
            .map(|shard| (shard.number, shard.round))
            .collect();
        assert_eq!(rounds, [(1, 7)]);
    }

    #[test]
    fn nobody_has_a_shard_that_another_has() {
        let shards = Shards::new(Shard::<(), ()>::deal(Vec::new(), 2));
        let (one, other) = (shards.lease(), shards.lease());
        assert!(one.is_some() && other.is_some() && shards.lease().is_none());
        drop(other);
        assert_eq!(shards.lease().map(|lease| lease.number), Some(1));
    }
}
