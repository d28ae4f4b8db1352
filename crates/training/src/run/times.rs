//! Where the time of a run goes.

use mapo_core::ActorTimes;
use serde::Serialize;
use std::ops::AddAssign;

/// Seconds, summed over the threads that work at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// What the actors did, and how long their threads were without room in the queue or a core, while
    /// others worked.
    pub acting: ActorTimes,
    /// Learning.
    pub learning: f64,
    /// Answering the dev questions.
    pub evaluating: f64,
    /// Writing files and telling whoever wants to know.
    pub saving: f64,
    /// The learner's thread, without a batch or a core to learn on. Others work meanwhile.
    pub learner_waited: f64,
    /// All threads that may work at the same time, whatever they did.
    pub all: f64,
    /// How many these are.
    pub threads: usize,
}

impl Times {
    /// What part each has of the whole.
    pub fn shares(&self) -> Shares {
        let all = self.all.max(1e-9);
        let acting = &self.acting;
        let [reading, exploring, scoring, drawing] =
            [acting.reading, acting.exploring, acting.scoring, acting.drawing]
                .map(|time| time.as_secs_f64() / all);
        let [learning, evaluating, saving] =
            [self.learning, self.evaluating, self.saving].map(|time| time / all);
        let done = reading + exploring + scoring + drawing + learning + evaluating + saving;
        Shares {
            scoring,
            exploring,
            drawing,
            reading,
            learning,
            evaluating,
            saving,
            rest: (1.0 - done).max(0.0),
            learner_waiting: self.learner_waited * self.threads as f64 / all,
            actors_waiting: acting.waiting.as_secs_f64() / all,
        }
    }
}

impl AddAssign for Times {
    fn add_assign(&mut self, other: Self) {
        let Self {
            acting,
            learning,
            evaluating,
            saving,
            learner_waited,
            all,
            threads,
        } = other;
        self.acting += acting;
        self.learning += learning;
        self.evaluating += evaluating;
        self.saving += saving;
        self.learner_waited += learner_waited;
        self.all += all;
        self.threads = threads;
    }
}

/// Where the time went: the first eight are parts of the time of as many threads as the run may use, and sum
/// to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Scoring memories.
    pub scoring: f64,
    /// Systematic exploration.
    pub exploring: f64,
    /// Drawing programs from the policy.
    pub drawing: f64,
    /// Reading questions, before the three above.
    pub reading: f64,
    /// Learning.
    pub learning: f64,
    /// Answering the dev questions.
    pub evaluating: f64,
    /// Writing files.
    pub saving: f64,
    /// Anything else: threads that had nothing to do, choosing examples, handing out parameters.
    pub rest: f64,
    /// The part of its own time in which the learner's thread waited for a batch or a core, while actors
    /// worked.
    pub learner_waiting: f64,
    /// The part of their own time in which the actors' threads waited for room in the queue or a core.
    pub actors_waiting: f64,
}

impl Shares {
    /// Each with its name.
    pub fn named(&self) -> [(&'static str, f64); 10] {
        [
            ("scoring", self.scoring),
            ("exploring", self.exploring),
            ("drawing", self.drawing),
            ("reading", self.reading),
            ("learning", self.learning),
            ("evaluating", self.evaluating),
            ("saving", self.saving),
            ("rest", self.rest),
            ("learner_waiting", self.learner_waiting),
            ("actors_waiting", self.actors_waiting),
        ]
    }
}
