//! Where actors and learner meet: the queue of batches, and the cores that they share.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use mapo_core::TrainingBatch;

use crate::run::times::Times;

/// What an actor hands to the learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acted {
    /// The batch.
    pub batch: TrainingBatch,
    /// The step of the policy that acted.
    pub policy: u64,
    /// Whether it was made for the objective of the warm-up.
    pub is_warm_up: bool,
}

/// A bounded queue and a number of cores. Whoever works holds cores, so that never more threads work than there are.
///
/// An actor holds one while it makes a batch, and begins one only if the queue will have room for it. The learner comes
/// first as soon as there is a batch, and takes all cores that are free at that moment: where learning is what the run
/// waits for, the queue fills, actors stop, and the learner has more cores; where acting is, it learns on the one core
/// that the last actor gave up, beside the others. So the split finds itself.
#[derive(Debug)]
pub(crate) struct Exchange {
    state: Mutex<State>,
    changed: Condvar,
    room: usize,
}

#[derive(Debug)]
struct State {
    batches: VecDeque<Acted>,
    /// Batches that are being made.
    making: usize,
    /// Cores that nobody uses.
    free: usize,
    /// Actors that have not ended.
    actors: usize,
    is_learner_next: bool,
    is_closed: bool,
    /// Where the actors' time went.
    times: Times,
}

/// A batch for the learner.
pub(crate) struct Taken {
    pub acted: Acted,
    /// Batches in the queue, this one among them.
    pub depth: usize,
    /// Cores to learn on, to be given back.
    pub cores: usize,
}

impl Exchange {
    /// An exchange for so many cores, with room for so many batches, and what is in the queue already.
    pub fn new(cores: usize, room: usize, batches: Vec<Acted>) -> Self {
        Self {
            state: Mutex::new(State {
                batches: batches.into(),
                making: 0,
                free: cores,
                actors: 0,
                is_learner_next: false,
                is_closed: false,
                times: Times::default(),
            }),
            changed: Condvar::new(),
            room,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// An actor's place, to be held as long as the actor lives.
    pub fn place(&self) -> Place<'_> {
        self.lock().actors += 1;
        Place {
            exchange: self,
            is_making: false,
        }
    }

    /// The next batch, and all cores that are free; nothing if all actors have ended and left none.
    pub fn take(&self) -> Option<Taken> {
        let mut state = self.lock();
        loop {
            match state.batches.len() {
                0 if state.actors == 0 => return None,
                0 => {}
                depth if state.free > 0 => {
                    state.is_learner_next = false;
                    let cores = std::mem::take(&mut state.free);
                    let acted = state.batches.pop_front()?;
                    return Some(Taken { acted, depth, cores });
                }
                _ => state.is_learner_next = true,
            }
            state = self.wait(state);
        }
    }

    /// Gives cores back.
    pub fn give_back(&self, cores: usize) {
        self.lock().free += cores;
        self.changed.notify_all();
    }

    /// No batch is begun any more; those that are being made still come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// What is left in the queue, and where the actors' time went.
    pub fn into_parts(self) -> (Vec<Acted>, Times) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.batches.into(), state.times)
    }
}

/// An actor's place in an exchange. An actor that ends, in whatever way, gives back what it holds.
#[derive(Debug)]
pub(crate) struct Place<'e> {
    exchange: &'e Exchange,
    is_making: bool,
}

impl Place<'_> {
    /// Waits for a core, and for room for the batch that is to be made. False if none is wanted any more.
    pub fn begin(&mut self) -> bool {
        let exchange = self.exchange;
        let mut state = exchange.lock();
        loop {
            if state.is_closed {
                return false;
            }
            let has_room = state.batches.len() + state.making < exchange.room;
            if has_room && state.free > 0 && !state.is_learner_next {
                state.free -= 1;
                state.making += 1;
                self.is_making = true;
                return true;
            }
            state = exchange.wait(state);
        }
    }

    /// Hands over the batch that was made, with where the time for it went.
    pub fn deliver(&mut self, acted: Acted, times: Times) {
        let mut state = self.exchange.lock();
        state.times += times;
        state.batches.push_back(acted);
        self.end_batch(&mut state);
    }

    fn end_batch(&mut self, state: &mut State) {
        if std::mem::take(&mut self.is_making) {
            state.making -= 1;
            state.free += 1;
        }
        self.exchange.changed.notify_all();
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.exchange.lock();
        state.actors -= 1;
        self.end_batch(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    fn acted(policy: u64) -> Acted {
        Acted {
            batch: TrainingBatch::default(),
            policy,
            is_warm_up: false,
        }
    }

    #[test]
    fn never_more_threads_work_than_there_are_cores_and_nothing_is_lost() {
        for cores in 1..5 {
            let exchange = Exchange::new(cores, 2 * cores, vec![acted(1000)]);
            let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |threads: usize| {
                most.fetch_max(working.fetch_add(threads, SeqCst) + threads, SeqCst);
                std::thread::yield_now();
                working.fetch_sub(threads, SeqCst);
            };
            let made = AtomicUsize::new(0);
            let mut taken = Vec::new();
            std::thread::scope(|scope| {
                for _ in 0..cores {
                    let mut place = exchange.place();
                    let (work, made) = (&work, &made);
                    scope.spawn(move || {
                        while place.begin() {
                            work(1);
                            place.deliver(acted(made.fetch_add(1, SeqCst) as u64), Times::default());
                        }
                    });
                }
                while taken.len() < 300 {
                    let Taken { acted, depth, cores } = exchange.take().expect("actors live");
                    assert!((1..=2 * exchange.room).contains(&depth));
                    work(cores);
                    exchange.give_back(cores);
                    taken.push(acted.policy);
                }
                exchange.close();
            });
            let (left, _) = exchange.into_parts();
            assert!(left.len() <= 2 * cores, "{}", left.len());
            assert_eq!(taken[0], 1000, "what was there before comes first");
            taken.extend(left.iter().map(|acted| acted.policy));
            taken.sort_unstable();
            let all = (0..made.into_inner() as u64).chain([1000]);
            let mut all: Vec<u64> = all.collect();
            all.sort_unstable();
            assert_eq!(taken, all);
            assert!(most.into_inner() <= cores);
        }
    }

    #[test]
    fn the_learner_gets_the_cores_that_a_full_queue_leaves_idle() {
        let exchange = Exchange::new(3, 2, Vec::new());
        let (mut one, mut two) = (exchange.place(), exchange.place());
        assert!(one.begin() && two.begin());
        one.deliver(acted(0), Times::default());
        // The other core is still in use.
        let first = exchange.take().expect("a batch");
        assert_eq!((first.depth, first.cores), (1, 2));
        exchange.give_back(2);
        assert!(one.begin());
        one.deliver(acted(1), Times::default());
        two.deliver(acted(2), Times::default());
        assert_eq!(exchange.take().expect("a batch").cores, 3);
    }

    #[test]
    fn an_actor_that_dies_leaves_its_core_and_ends_the_queue_when_it_is_the_last() {
        let exchange = Exchange::new(1, 2, Vec::new());
        let mut place = exchange.place();
        assert!(place.begin());
        drop(place);
        assert!(exchange.take().is_none());
        assert_eq!(exchange.lock().free, 1);
    }
}
