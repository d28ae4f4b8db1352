//! A run: actors and a learner that meet at three doors.
//!
//! [`ActorLife`] and [`LearnerLife`] know nothing but the doors. Here is their first implementation, for
//! threads of one process: an [`Exchange`] is the queue, [`SharedPolicies`] and [`SharedMemories`] are the
//! stores, and [`Run`] lets as many actors live as there are threads. On one thread the learner's queue is an
//! actor that makes a batch whenever one is taken: the same lives, by turns, and nothing depends on the
//! clock.

mod course;
mod exchange;
mod learning;
mod life;
mod mixing;
mod order;
mod shards;
mod stores;
mod threads;
mod turns;

pub use course::{Course, Group, WarmUp};
pub use exchange::{Exchange, ExchangePlace, ExchangeQueue};
pub use learning::{LearnerLife, Step};
pub use life::ActorLife;
pub use shards::{Lease, Shard, Shards, count as shard_count, count_for as shard_count_for};
pub use stores::{SharedMemories, SharedPolicies};

use std::ops::ControlFlow;

use crate::actor::{ActorError, ActorTimes, NotAProgram, Task};
use crate::batch::{Ledger, TrainingBatch, WrongBatch};
use crate::roles::{DoorError, Doors, Env, Learner, MemoryStore, Policy, PolicyStore, Unusable};

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

impl<E> RunError<E> {
    /// The same, where errors of policies are of another kind.
    fn of<P: Into<E>>(error: RunError<P>) -> Self {
        match error {
            RunError::Policy(error) => Self::Policy(error.into()),
            RunError::Learner { source, batch } => Self::Learner {
                source: source.into(),
                batch,
            },
            RunError::Batch(error) => Self::Batch(error),
            RunError::Memory(error) => Self::Memory(error),
            RunError::Settings(error) => Self::Settings(error),
            RunError::Door(error) => Self::Door(error),
            RunError::Idle => Self::Idle,
            RunError::Thread => Self::Thread,
        }
    }
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
/// Between two calls of [`go`](Self::go) nobody acts or learns, and everything that the run needs to go on
/// can be read from it: the step, each shard's round, the batches that wait, and the examples with all that
/// is known of them.
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
    /// Where the actors are elsewhere, what has come from them.
    heard: Option<Heard>,
}

/// What a learner has heard from actors that are elsewhere.
#[derive(Debug)]
struct Heard {
    /// The batches.
    ledger: Ledger,
    /// How many findings of each shard.
    found: Vec<usize>,
}

impl<E, X, P> Run<E, X, P>
where
    E: Env + Send,
    X: Clone + Send + Sync,
    P: Policy<X, Error: Send> + Clone + Send,
{
    /// A run from the beginning. The number of an example is its place among the tasks.
    ///
    /// # Errors
    /// If the course makes no sense.
    pub fn new(course: Course, threads: usize, tasks: Vec<Task<E, X>>) -> Result<Self, Unusable> {
        course.check()?;
        let contexts = tasks.iter().map(|task| task.context.clone()).collect();
        // See the module of shards: one thread shares its examples with nobody.
        let shards = match threads {
            0 | 1 => 1,
            _ => shards::count_for(&course, tasks.len()),
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
            heard: None,
        })
    }

    /// The same run with its examples in this many shards, as long as nobody has acted in it.
    pub fn in_shards(mut self, shards: usize) -> Self {
        if self.shards.len() != shards.max(1) {
            let mut places: Vec<_> = self
                .shards
                .into_iter()
                .map(|shard| shard.into_tasks().into_iter())
                .collect();
            let of = places.len().max(1);
            let tasks = (0..)
                .map_while(|number: usize| places.get_mut(number % of)?.next())
                .collect();
            self.shards = Shard::deal(tasks, shards);
            self.memories = SharedMemories::new(self.shards.len());
        }
        self
    }

    /// The same run after this many steps: each shard has made this many rounds, and these batches wait for
    /// the learner. There are as many `rounds` as shards.
    pub fn resumed(mut self, step: u64, rounds: &[u64], queued: Vec<TrainingBatch>) -> Self {
        for (shard, &round) in self.shards.iter_mut().zip(rounds) {
            shard.round = round;
        }
        self.step = step;
        self.queued = queued;
        self
    }

    /// Acts and learns to the last step, or until `observe`, which hears of every step, breaks it off. Says
    /// where the actors' time went.
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
        L: Learner<X, Published = P>,
        P::Error: Into<L::Error>,
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
        let mut ledger = Ledger::new(self.contexts.len() as u64, &rounds, &queued);
        let life = LearnerLife::new(&self.course, &self.contexts, learner, &mut self.step, &mut ledger);
        let doors = (&policies, &self.memories);
        let Ended {
            learnt,
            acted,
            queued,
        } = if self.threads == 1 {
            turns::by_turns(&self.course, &shards, life, queued, doors, observe)
        } else {
            let threads = (self.threads, queued);
            threads::together(&self.course, &shards, life, threads, doors, observe)
        };
        self.shards = shards.into_inner();
        self.queued = queued;
        self.published = Some(policies.into_newest());
        match (learnt, acted.map_err(RunError::of)) {
            // No actor is left: what they say of it is the error.
            (Ok(()) | Err(RunError::Idle), Err(error)) => Err(error),
            (learnt, acted) => learnt.and(acted),
        }
    }
}

impl<E, X, P> Run<E, X, P>
where
    E: Env,
{
    /// The same for a run whose actors are elsewhere: learns from what comes through the doors, and has their
    /// findings in its own memories when it comes back. The shards have made this many `rounds` when it is
    /// called for the first time.
    ///
    /// # Errors
    /// Those of the learner and of the doors; a finding that does not fit its environment.
    pub fn go_with<L>(
        &mut self,
        learner: &mut L,
        doors: &mut dyn Doors<P>,
        rounds: &[u64],
        observe: impl FnMut(&Step<'_, L>) -> ControlFlow<()>,
    ) -> Result<(), RunError<L::Error>>
    where
        L: Learner<X, Published = P>,
    {
        let (queue, policies, memories) = doors.open();
        if self.heard.is_none() {
            policies.reached(self.step)?;
            policies.publish(self.step, learner.publish().map_err(RunError::Policy)?)?;
            for (shard, &round) in self.shards.iter_mut().zip(rounds) {
                shard.round = round;
            }
        }
        let heard = self.heard.get_or_insert_with(|| Heard {
            ledger: Ledger::new(self.contexts.len() as u64, rounds, &[]),
            found: vec![0; self.shards.len()],
        });
        let (ledger, step) = (&mut heard.ledger, &mut self.step);
        let life = LearnerLife::new(&self.course, &self.contexts, learner, step, ledger);
        let learnt = life.live(queue, policies, observe);
        self.hear(memories)?;
        learnt
    }

    /// Takes over what actors elsewhere have found meanwhile.
    ///
    /// # Errors
    /// If the store cannot be reached, or a finding does not fit its environment.
    pub fn hear<L>(&mut self, memories: &dyn MemoryStore) -> Result<(), RunError<L>> {
        for shard in 0..self.shards.len() as u32 {
            let heard = self
                .heard
                .as_ref()
                .and_then(|heard| heard.found.get(shard as usize));
            let found = memories.read(shard, heard.copied().unwrap_or_default())?;
            let known = found.len();
            let mut new = Vec::new();
            for finding in found {
                if let Some(task) = self.task_mut(finding.example as usize)
                    && task.learn_of(&finding.program, finding.reward)?
                {
                    new.push(finding);
                }
            }
            self.memories.append(shard, new)?;
            if let Some(heard) = self
                .heard
                .as_mut()
                .and_then(|heard| heard.found.get_mut(shard as usize))
            {
                *heard += known;
            }
        }
        Ok(())
    }
}

/// How a part of a run ended.
struct Ended<L, P> {
    /// What became of the learner.
    learnt: Result<(), RunError<L>>,
    /// What became of the actors.
    acted: Result<ActorTimes, RunError<P>>,
    /// The batches that still wait.
    queued: Vec<TrainingBatch>,
}

impl<E, X, P> Run<E, X, P> {
    /// Steps made so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The batches that each shard has made.
    pub fn rounds(&self) -> Vec<u64> {
        self.shards.iter().map(|shard| shard.round).collect()
    }

    /// What the run does.
    pub fn course(&self) -> &Course {
        &self.course
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
