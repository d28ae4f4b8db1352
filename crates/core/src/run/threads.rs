//! A run on several threads.

use std::ops::ControlFlow;

use super::{
    ActorLife, Course, Ended, Exchange, ExchangePlace, LearnerLife, RunError, Shards, SharedMemories,
    SharedPolicies, Step,
};
use crate::actor::ActorTimes;
use crate::batch::TrainingBatch;
use crate::roles::{Env, Learner, Policy};

/// Batches that may wait for the learner, for each actor.
const ROOM: usize = 2;

/// As many actors as there are threads and shards, and the learner, each on its own thread.
pub(super) fn together<E, X, P, L>(
    course: &Course,
    shards: &Shards<E, X>,
    learner: LearnerLife<'_, L, X>,
    (threads, queued): (usize, Vec<TrainingBatch>),
    (policies, memories): (&SharedPolicies<P>, &SharedMemories),
    observe: impl FnMut(&Step<'_, L>) -> ControlFlow<()>,
) -> Ended<L::Error, P::Error>
where
    E: Env + Send,
    X: Send + Sync,
    P: Policy<X, Error: Send> + Clone + Send,
    L: Learner<X, Published = P>,
{
    let exchange = Exchange::new(threads, ROOM * threads, queued);
    let (learnt, acted) = std::thread::scope(|scope| {
        let live = |mut place: ExchangePlace<'_>| {
            ActorLife::new(course, shards)?.live(&mut place, policies, memories)
        };
        // No more than shards, so that none has to wait for one.
        let actors: Vec<_> = (0..threads.min(shards.len()))
            .map(|_| {
                let place = exchange.place();
                scope.spawn(move || live(place))
            })
            .collect();
        // When the learner leaves the queue, the actors end.
        let learnt = learner.live(&mut exchange.queue(), policies, observe);
        let acted = actors
            .into_iter()
            .map(|actor| actor.join().unwrap_or(Err(RunError::Thread)));
        // Each is waited for, whatever another says.
        let acted: Vec<_> = acted.collect();
        let mut times = ActorTimes::default();
        let acted = acted
            .into_iter()
            .try_for_each(|spent| spent.map(|spent| times += spent));
        (learnt, acted.map(|()| times))
    });
    Ended {
        learnt,
        acted,
        queued: exchange.into_batches(),
    }
}
