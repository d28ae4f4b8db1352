//! A run on one thread.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::{ActorLife, Course, Ended, LearnerLife, RunError, Shards, SharedMemories, SharedPolicies, Step};
use crate::batch::TrainingBatch;
use crate::roles::{DoorError, Env, Learner, Policy, Queue, Taken};

/// An actor and the learner by turns.
pub(super) fn by_turns<E, X, P, L>(
    course: &Course,
    shards: &Shards<E, X>,
    learner: LearnerLife<'_, L, X>,
    queued: Vec<TrainingBatch>,
    (policies, memories): (&SharedPolicies<P>, &SharedMemories),
    observe: impl FnMut(&Step<'_, L>) -> ControlFlow<()>,
) -> Ended<L::Error, P::Error>
where
    E: Env,
    P: Policy<X> + Clone + Send,
    L: Learner<X, Published = P>,
{
    let actor = match ActorLife::new(course, shards) {
        Ok(actor) => actor,
        Err(wrong) => {
            return Ended {
                learnt: Ok(()),
                acted: Err(wrong.into()),
                queued,
            };
        }
    };
    let mut turns = Turns {
        actor,
        queued: queued.into(),
        policies,
        memories,
        failed: None,
    };
    let learnt = learner.live(&mut turns, policies, observe);
    let acted = match turns.failed.take() {
        Some(error) => Err(error),
        None => Ok(turns.actor.take_times()),
    };
    Ended {
        learnt,
        acted,
        queued: turns.queued.into(),
    }
}

/// The queue of a run on one thread: an actor that makes a batch when one is taken.
struct Turns<'a, E, X, P: Policy<X>> {
    actor: ActorLife<'a, E, X, P>,
    /// What was there before.
    queued: VecDeque<TrainingBatch>,
    policies: &'a SharedPolicies<P>,
    memories: &'a SharedMemories,
    /// Why the actor ended.
    failed: Option<RunError<P::Error>>,
}

impl<E, X, P> Queue for Turns<'_, E, X, P>
where
    E: Env,
    P: Policy<X> + Clone + Send,
{
    fn take(&mut self) -> Result<Option<Taken>, DoorError> {
        let made = match self.queued.pop_front() {
            Some(batch) => Ok(batch),
            None => self.actor.make(self.policies, self.memories, Ok),
        };
        Ok(match made {
            Ok(batch) => Some(Taken {
                batch,
                depth: 0,
                threads: 1,
            }),
            Err(error) => {
                self.failed = Some(error);
                None
            }
        })
    }

    fn learnt(&mut self) -> Result<(), DoorError> {
        Ok(())
    }
}
