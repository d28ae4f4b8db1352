//! The life of an actor.

use std::time::Instant;

use super::{Course, RunError, Shard, Shards};
use crate::actor::{Actor, ActorTimes};
use crate::batch::TrainingBatch;
use crate::memory::Finding;
use crate::roles::{DoorError, Env, MemoryStore, Place, Policy, PolicyStore, Unusable};

/// An actor and what it knows of the run: where it is, is told by the doors.
///
/// Over and over it waits for room in the queue, leases the shard whose turn it is, takes the newest policy,
/// and makes a batch. What it found goes to the store of memories before the batch goes to the queue, so that
/// nothing that was learnt from is ever missing there.
#[derive(Debug)]
pub struct ActorLife<'a, E, X, P> {
    course: &'a Course,
    shards: &'a Shards<E, X>,
    actor: Actor,
    is_warm_up: bool,
    /// The policy, with its version.
    policy: Option<(u64, P)>,
    times: ActorTimes,
}

impl<'a, E, X, P> ActorLife<'a, E, X, P>
where
    E: Env,
    P: Policy<X>,
{
    /// An actor that takes turns with others at some shards.
    ///
    /// # Errors
    /// If the course makes no sense.
    pub fn new(course: &'a Course, shards: &'a Shards<E, X>) -> Result<Self, Unusable> {
        let is_warm_up = course.is_warm_up(0);
        Ok(Self {
            actor: actor(course, is_warm_up)?,
            course,
            shards,
            is_warm_up,
            policy: None,
            times: ActorTimes::default(),
        })
    }

    /// Acts until nobody wants its batches. Says where the time went.
    ///
    /// # Errors
    /// Those of the policy and of the doors; a memory that does not fit its environment.
    pub fn live(
        mut self,
        place: &mut (impl Place + ?Sized),
        policies: &(impl PolicyStore<P> + ?Sized),
        memories: &(impl MemoryStore + ?Sized),
    ) -> Result<ActorTimes, RunError<P::Error>> {
        loop {
            let began = Instant::now();
            let is_wanted = place.begin()?;
            self.times.waiting += began.elapsed();
            if !is_wanted {
                return Ok(self.take_times());
            }
            self.make(policies, memories, |batch| place.deliver(batch))?;
        }
    }

    /// Makes one batch and hands it over. The shard is free for others only then, so that its batches follow
    /// each other.
    pub(super) fn make<T>(
        &mut self,
        policies: &(impl PolicyStore<P> + ?Sized),
        memories: &(impl MemoryStore + ?Sized),
        deliver: impl FnOnce(TrainingBatch) -> Result<T, DoorError>,
    ) -> Result<T, RunError<P::Error>> {
        let mut shard = self.shards.lease().ok_or(RunError::Idle)?;
        let (batch, found) = self.visit(&mut shard, policies)?;
        memories.append(shard.number, found)?;
        shard.round += 1;
        Ok(deliver(batch)?)
    }

    /// The next batch of a shard, and what joined its memories.
    fn visit(
        &mut self,
        shard: &mut Shard<E, X>,
        policies: &(impl PolicyStore<P> + ?Sized),
    ) -> Result<(TrainingBatch, Vec<Finding>), RunError<P::Error>> {
        let held = self.policy.as_ref().map(|(version, _)| *version);
        if let Some(newest) = policies.newest(held)? {
            self.policy = Some(newest);
        }
        let (version, policy) = self.policy.as_mut().ok_or_else(|| DoorError {
            door: "the store of policies",
            source: "it is empty".into(),
        })?;
        let (course, step) = (self.course, policies.step()?);
        let is_warm_up = course.is_warm_up(step);
        if is_warm_up != self.is_warm_up {
            self.times += self.actor.take_times();
            self.actor = actor(course, is_warm_up)?;
            self.is_warm_up = is_warm_up;
        }
        let (number, round) = (shard.next_number(), shard.round);
        let shard_number = shard.number;
        let mut tasks = shard.next_tasks(course);
        let known: Vec<usize> = tasks.iter().map(|task| task.memory.len()).collect();
        let batch = self.actor.act(number, step, &mut tasks, policy)?;
        let found = tasks.iter().zip(known).flat_map(|(task, known)| {
            let new = task.memory.iter().skip(known);
            new.map(|(program, reward)| Finding {
                example: task.example,
                program: program.to_vec(),
                reward,
            })
        });
        let found = found.collect();
        let batch = TrainingBatch {
            shard: shard_number,
            round,
            version: *version,
            is_warm_up,
            ..batch
        };
        Ok((batch, found))
    }

    /// Where the time went since this was last asked.
    pub(super) fn take_times(&mut self) -> ActorTimes {
        self.times += self.actor.take_times();
        std::mem::take(&mut self.times)
    }
}

fn actor(course: &Course, is_warm_up: bool) -> Result<Actor, Unusable> {
    let objective = course.objective_of(is_warm_up).clone();
    Actor::new(objective, course.new_programs, course.seed)?.with_scoring(course.scoring)
}
