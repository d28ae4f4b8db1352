//! A run: actors and a learner that meet at three doors.
//!
//! [`ActorLife`] and [`LearnerLife`] know nothing but the doors. Here is their first implementation, for threads of one
//! process: an [`Exchange`] is the queue, [`SharedPolicies`] and [`SharedMemories`] are the stores, and [`Run`] lets
//! as many actors live as there are threads. On one thread the learner's queue is an actor that makes a batch whenever
//! one is taken: the same lives, by turns, and nothing depends on the clock.

mod course;
mod exchange;
mod learning;
mod life;
mod order;
mod shards;
mod stores;

pub use course::{Course, WarmUp};
pub use exchange::{Exchange, ExchangePlace, ExchangeQueue};
pub use learning::{LearnerLife, Step};
pub use life::ActorLife;
pub use shards::{Lease, Shard, Shards, count as shard_count};
pub use stores::{SharedMemories, SharedPolicies};

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::actor::{ActorError, ActorTimes, NotAProgram, Task};
use crate::batch::{TrainingBatch, WrongBatch};
use crate::roles::{DoorError, Env, Learner, Policy, PolicyStore, Queue, Taken, Unusable};

/// Batches that may wait for the learner, for each actor.
const ROOM: usize = 2;

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// A policy cannot be run.
    #[error("{0}")]
    Policy(E),
    /// A batch could not be learnt from.
    #[error("{source}")]
    Learner {
        /// What the learner says.
        source: E,
        /// The batch.
        batch: Box<TrainingBatch>,
    },
    /// A batch that cannot be right.
    #[error(transparent)]
    Batch(#[from] WrongBatch),
    /// A memory that does not fit its environment.
    #[error(transparent)]
    Memory(#[from] NotAProgram),
    /// Settings that make no sense.
    #[error(transparent)]
    Settings(#[from] Unusable),
    /// A door that does not open.
    #[error(transparent)]
    Door(#[from] DoorError),
    /// No example to act on, or no actor left.
    #[error("there is nobody to act, or nothing to act on")]
    Idle,
    /// A thread that ended without a word.
    #[error("an actor's thread died")]
    Thread,
}

impl<E> From<ActorError<E>> for RunError<E> {
    fn from(error: ActorError<E>) -> Self {
        match error {
            ActorError::Policy(error) => Self::Policy(error),
            ActorError::Memory(error) => Self::Memory(error),
        }
    }
}

/// A run on the threads of one process.
///
/// Between two calls of [`go`](Self::go) nobody acts or learns, and everything that the run needs to go on can be read
/// from it: the step, each shard's round, the batches that wait, and the examples with all that is known of them.
#[derive(Debug)]
pub struct Run<E, X, P> {
    course: Course,
    threads: usize,
    step: u64,
    contexts: Vec<X>,
    shards: Vec<Shard<E, X>>,
    queued: Vec<TrainingBatch>,
    memories: SharedMemories,
    /// The newest policy of the actors, which stays theirs until the next is due.
    published: Option<(u64, P)>,
}

impl<E, X, P> Run<E, X, P>
where
    E: Env + Send,
    X: Clone + Send + Sync,
    P: Policy<X> + Clone + Send,
{
    /// A run from the beginning. The number of an example is its place among the tasks.
    ///
    /// # Errors
    /// If the course makes no sense.
    pub fn new(course: Course, threads: usize, tasks: Vec<Task<E, X>>) -> Result<Self, Unusable> {
        course.check()?;
        let contexts = tasks.iter().map(|task| task.context.clone()).collect();
        let shards = match threads {
            0 | 1 => 1,
            _ => shard_count(tasks.len(), course.batch),
        };
        Ok(Self {
            course,
            threads: threads.max(1),
            step: 0,
            contexts,
            shards: Shard::deal(tasks, shards),
            queued: Vec::new(),
            memories: SharedMemories::new(shards),
            published: None,
        })
    }

    /// The same run after so many steps: each shard has made so many rounds, and these batches wait for the learner.
    /// There are as many `rounds` as shards.
    pub fn resumed(mut self, step: u64, rounds: &[u64], queued: Vec<TrainingBatch>) -> Self {
        for (shard, &round) in self.shards.iter_mut().zip(rounds) {
            shard.round = round;
        }
        self.step = step;
        self.queued = queued;
        self
    }

    /// Acts and learns to the last step, or until `observe`, which hears of every step, breaks it off. Says where the
    /// actors' time went.
    ///
    /// On one thread what happens depends on the course, the tasks and the learner alone.
    ///
    /// # Errors
    /// Those of the policies, a memory that does not fit its environment, and a batch that cannot be right.
    pub fn go<L>(
        &mut self,
        learner: &mut L,
        observe: impl FnMut(&Step<'_, L>) -> ControlFlow<()>,
    ) -> Result<ActorTimes, RunError<L::Error>>
    where
        L: Learner<X, Published = P, Error: Send>,
        P: Policy<X, Error = L::Error>,
    {
        let (version, policy) = match self.published.take() {
            Some(published) => published,
            None => (self.step, learner.publish().map_err(RunError::Policy)?),
        };
        let policies = SharedPolicies::new(version, policy);
        policies.reached(self.step)?;
        let rounds = self.rounds();
        let queued = std::mem::take(&mut self.queued);
        let shards = Shards::new(std::mem::take(&mut self.shards));
        let life = LearnerLife::new(
            &self.course,
            &self.contexts,
            learner,
            &mut self.step,
            &rounds,
            &queued,
        );
        let (went, queued) = if self.threads == 1 {
            let mut turns = Turns {
                actor: ActorLife::new(&self.course, &shards)?,
                queued: queued.into(),
                policies: &policies,
                memories: &self.memories,
            };
            let learnt = life.live(&mut turns, &policies, observe);
            (learnt.map(|()| turns.actor.take_times()), turns.queued.into())
        } else {
            let exchange = Exchange::new(self.threads, ROOM * self.threads, queued);
            // None may have to wait for a shard.
            let actors = self.threads.min(rounds.len());
            let doors = (&policies, &self.memories);
            let went = together(&self.course, &shards, actors, life, &exchange, doors, observe);
            (went, exchange.into_batches())
        };
        self.shards = shards.into_inner();
        self.queued = queued;
        self.published = Some(policies.into_newest());
        went
    }
}

/// As many actors as there should be, and the learner, each on its own thread.
fn together<E, X, L>(
    course: &Course,
    shards: &Shards<E, X>,
    actors: usize,
    learner: LearnerLife<'_, L, X>,
    exchange: &Exchange,
    (policies, memories): (&SharedPolicies<L::Published>, &SharedMemories),
    observe: impl FnMut(&Step<'_, L>) -> ControlFlow<()>,
) -> Result<ActorTimes, RunError<L::Error>>
where
    E: Env + Send,
    X: Send + Sync,
    L: Learner<X, Published: Clone + Send, Error: Send>,
{
    std::thread::scope(|scope| {
        let live = |mut place: ExchangePlace<'_>| {
            ActorLife::new(course, shards)?.live(&mut place, policies, memories)
        };
        let actors: Vec<_> = (0..actors)
            .map(|_| {
                let place = exchange.place();
                scope.spawn(move || live(place))
            })
            .collect();
        let learnt = learner.live(&mut exchange.queue(), policies, observe);
        exchange.close();
        let mut times = ActorTimes::default();
        let mut acted = Ok(());
        for actor in actors {
            match actor.join().unwrap_or(Err(RunError::Thread)) {
                Ok(spent) => times += spent,
                Err(error) => acted = acted.and(Err(error)),
            }
        }
        match learnt {
            // No actor is left: what they say of it is the error.
            Err(RunError::Idle) => acted.and(Err(RunError::Idle)),
            learnt => learnt.and(acted),
        }?;
        Ok(times)
    })
}

/// The queue of a run on one thread: an actor that makes a batch when one is taken.
struct Turns<'a, E, X, P> {
    actor: ActorLife<'a, E, X, P>,
    /// What was there before.
    queued: VecDeque<TrainingBatch>,
    policies: &'a SharedPolicies<P>,
    memories: &'a SharedMemories,
}

impl<E, X, P> Queue for Turns<'_, E, X, P>
where
    E: Env,
    P: Policy<X> + Clone + Send,
{
    type Error = RunError<P::Error>;

    fn take(&mut self) -> Result<Option<Taken>, Self::Error> {
        let batch = match self.queued.pop_front() {
            Some(batch) => batch,
            None => self.actor.make(self.policies, self.memories, Ok)?,
        };
        Ok(Some(Taken {
            batch,
            depth: 0,
            threads: 1,
        }))
    }

    fn learnt(&mut self) -> Result<(), DoorError> {
        Ok(())
    }
}

impl<E, X, P> Run<E, X, P> {
    /// Steps made so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// What actors and learner agree on.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// The batches that each shard has made.
    pub fn rounds(&self) -> Vec<u64> {
        self.shards.iter().map(|shard| shard.round).collect()
    }

    /// The batches that wait for the learner.
    pub fn queued(&self) -> &[TrainingBatch] {
        &self.queued
    }

    /// What actors have found since the run was begun or resumed.
    pub fn memories(&self) -> &SharedMemories {
        &self.memories
    }

    /// The examples, in the order of their numbers.
    pub fn tasks(&self) -> impl Iterator<Item = &Task<E, X>> {
        let shards = self.shards.len().max(1);
        let task = move |number: usize| self.shards.get(number % shards)?.tasks().get(number / shards);
        (0..).map_while(task)
    }

    /// An example, to be changed.
    pub fn task_mut(&mut self, example: usize) -> Option<&mut Task<E, X>> {
        let shards = self.shards.len().max(1);
        let shard = self.shards.get_mut(example % shards)?;
        shard.tasks_mut().get_mut(example / shards)
    }
}
