//! Where an actor's time goes.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Where an actor's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActorTimes {
    /// Reading the contexts: a network encodes the questions.
    pub reading: Duration,
    /// Systematic exploration.
    pub exploring: Duration,
    /// Finding out how likely the programs in memory are.
    pub scoring: Duration,
    /// Drawing programs from the policy.
    pub drawing: Duration,
    /// Waiting for room in the queue of batches.
    pub waiting: Duration,
}

impl ActorTimes {
    /// Does something, and adds the time that it took to one of them.
    pub(super) fn of<T>(&mut self, which: fn(&mut Self) -> &mut Duration, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        *which(self) += began.elapsed();
        done
    }
}

impl AddAssign for ActorTimes {
    fn add_assign(&mut self, other: Self) {
        let Self {
            reading,
            exploring,
            scoring,
            drawing,
            waiting,
        } = other;
        self.reading += reading;
        self.exploring += exploring;
        self.scoring += scoring;
        self.drawing += drawing;
        self.waiting += waiting;
    }
}
