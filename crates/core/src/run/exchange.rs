//! The queue of batches in one process, and the cores that actors and learner share there.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::batch::TrainingBatch;
use crate::roles::{DoorError, Place, Queue, Taken};

/// A bounded queue and a number of cores. Whoever works holds cores, so that never more threads work than
/// there are.
///
/// An actor holds one while it makes a batch, and begins one only if the queue will have room for it. The
/// learner comes first as soon as there is a batch, and takes all cores that are free at that moment: where
/// learning is what the run waits for, the queue fills, actors stop, and the learner has more cores; where
/// acting is, it learns on the one core that the last actor gave up, beside the others. So the split finds
/// itself.
#[derive(Debug)]
pub struct Exchange {
    state: Mutex<State>,
    changed: Condvar,
    room: usize,
}

#[derive(Debug)]
struct State {
    batches: VecDeque<TrainingBatch>,
    /// Batches that are being made.
    making: usize,
    /// Cores that nobody uses.
    free: usize,
    /// Actors that have not ended.
    actors: usize,
    is_learner_next: bool,
    is_closed: bool,
}

impl Exchange {
    /// An exchange for this many cores, with room for this many batches, and what is in the queue already.
    pub fn new(cores: usize, room: usize, batches: Vec<TrainingBatch>) -> Self {
        Self {
            state: Mutex::new(State {
                batches: batches.into(),
                making: 0,
                free: cores,
                actors: 0,
                is_learner_next: false,
                is_closed: false,
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
    pub fn place(&self) -> ExchangePlace<'_> {
        self.lock().actors += 1;
        ExchangePlace {
            exchange: self,
            is_making: false,
        }
    }

    /// The learner's side.
    pub fn queue(&self) -> ExchangeQueue<'_> {
        ExchangeQueue {
            exchange: self,
            cores: 0,
        }
    }

    /// No batch is begun any more; those that are being made still come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// What is left in the queue.
    pub fn into_batches(self) -> Vec<TrainingBatch> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.batches.into()
    }
}

/// The learner's side of an exchange. When the learner ends, in whatever way, what it holds is given back,
/// and the exchange is closed: nobody is left to learn from a batch.
#[derive(Debug)]
pub struct ExchangeQueue<'e> {
    exchange: &'e Exchange,
    /// Cores that the learner has.
    cores: usize,
}

impl ExchangeQueue<'_> {
    fn give_back(&mut self) {
        if self.cores > 0 {
            self.exchange.lock().free += std::mem::take(&mut self.cores);
            self.exchange.changed.notify_all();
        }
    }
}

impl Queue for ExchangeQueue<'_> {
    /// The next batch, and all cores that are free at that moment.
    fn take(&mut self) -> Result<Option<Taken>, DoorError> {
        self.give_back();
        let exchange = self.exchange;
        let mut state = exchange.lock();
        loop {
            let depth = state.batches.len();
            if depth > 0 && state.free == 0 {
                state.is_learner_next = true;
            } else if let Some(batch) = state.batches.pop_front() {
                state.is_learner_next = false;
                self.cores = std::mem::take(&mut state.free);
                return Ok(Some(Taken {
                    batch,
                    depth,
                    threads: self.cores,
                }));
            } else if state.actors == 0 {
                return Ok(None);
            }
            state = exchange.wait(state);
        }
    }

    fn learnt(&mut self) -> Result<(), DoorError> {
        self.give_back();
        Ok(())
    }
}

impl Drop for ExchangeQueue<'_> {
    fn drop(&mut self) {
        self.give_back();
        self.exchange.close();
    }
}

/// An actor's place in an exchange. An actor that ends, in whatever way, gives back what it holds.
#[derive(Debug)]
pub struct ExchangePlace<'e> {
    exchange: &'e Exchange,
    is_making: bool,
}

impl Place for ExchangePlace<'_> {
    /// Waits for a core too.
    fn begin(&mut self) -> Result<bool, DoorError> {
        let exchange = self.exchange;
        let mut state = exchange.lock();
        loop {
            if state.is_closed {
                return Ok(false);
            }
            let has_room = state.batches.len() + state.making < exchange.room;
            if has_room && state.free > 0 && !state.is_learner_next {
                state.free -= 1;
                state.making += 1;
                self.is_making = true;
                return Ok(true);
            }
            state = exchange.wait(state);
        }
    }

    fn deliver(&mut self, batch: TrainingBatch) -> Result<(), DoorError> {
        let mut state = self.exchange.lock();
        state.batches.push_back(batch);
        self.end_batch(&mut state);
        Ok(())
    }
}

impl ExchangePlace<'_> {
    fn end_batch(&mut self, state: &mut State) {
        if std::mem::take(&mut self.is_making) {
            state.making -= 1;
            state.free += 1;
        }
        self.exchange.changed.notify_all();
    }
}

impl Drop for ExchangePlace<'_> {
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

    fn batch(round: u64) -> TrainingBatch {
        TrainingBatch {
            round,
            ..TrainingBatch::default()
        }
    }

    #[test]
    fn never_more_threads_work_than_there_are_cores_and_nothing_is_lost() {
        for cores in 1..5 {
            let exchange = Exchange::new(cores, 2 * cores, vec![batch(1000)]);
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
                        while place.begin().expect("threads") {
                            work(1);
                            let made = batch(made.fetch_add(1, SeqCst) as u64);
                            place.deliver(made).expect("threads");
                        }
                    });
                }
                let mut queue = exchange.queue();
                while taken.len() < 300 {
                    let next = queue.take().expect("threads").expect("actors live");
                    assert!((1..=2 * exchange.room).contains(&next.depth));
                    work(next.threads);
                    queue.learnt().expect("threads");
                    taken.push(next.batch.round);
                }
                exchange.close();
            });
            let left = exchange.into_batches();
            assert!(left.len() <= 2 * cores, "{}", left.len());
            assert_eq!(taken[0], 1000, "what was there before comes first");
            taken.extend(left.iter().map(|batch| batch.round));
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
        let (mut one, mut two, mut queue) = (exchange.place(), exchange.place(), exchange.queue());
        let mut take = || queue.take().unwrap().map(|taken| (taken.depth, taken.threads));
        assert!(one.begin().unwrap() && two.begin().unwrap());
        one.deliver(batch(0)).unwrap();
        // The other core is still in use.
        assert_eq!(take(), Some((1, 2)));
        // An actor may work beside the learner only with a core that the learner leaves.
        two.deliver(batch(1)).unwrap();
        assert_eq!(take(), Some((1, 3)));
        drop((one, two));
        assert_eq!(take(), None);
    }

    #[test]
    fn an_actor_that_dies_leaves_its_core_and_ends_the_queue_when_it_is_the_last() {
        let exchange = Exchange::new(1, 2, Vec::new());
        let mut place = exchange.place();
        assert!(place.begin().unwrap());
        drop(place);
        assert_eq!(exchange.queue().take().unwrap(), None);
        assert_eq!(exchange.lock().free, 1);
    }
}
