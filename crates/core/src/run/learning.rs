//! The life of a learner.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::{Course, RunError};
use crate::batch::{Ledger, TrainingBatch};
use crate::roles::{Learner, Learnt, PolicyStore, Queue, Taken};

/// A learner and what it knows of the run.
///
/// Over and over it takes a batch from the queue, checks it, learns from it, and publishes its policy when
/// that is due.
#[derive(Debug)]
pub struct LearnerLife<'a, L, X> {
    course: &'a Course,
    contexts: &'a [X],
    learner: &'a mut L,
    step: &'a mut u64,
    ledger: &'a mut Ledger,
}

/// A step that was made.
#[derive(Debug)]
pub struct Step<'a, L> {
    /// Steps so far, this one among them.
    pub step: u64,
    /// The learner after it.
    pub learner: &'a L,
    /// What it learnt from.
    pub batch: &'a TrainingBatch,
    /// What it came to.
    pub learnt: Learnt,
    /// Batches that were in the queue.
    pub depth: usize,
    /// Threads that the learner used.
    pub threads: usize,
    /// How long the learner waited for the batch.
    pub waited: Duration,
    /// How long it learnt.
    pub took: Duration,
}

impl<'a, L, X> LearnerLife<'a, L, X>
where
    L: Learner<X>,
{
    /// A learner that has made some steps; `contexts` is what the policy sees of each example, by the
    /// examples' numbers. The ledger has the batches that it has learnt from.
    pub fn new(
        course: &'a Course,
        contexts: &'a [X],
        learner: &'a mut L,
        step: &'a mut u64,
        ledger: &'a mut Ledger,
    ) -> Self {
        Self {
            course,
            contexts,
            learner,
            step,
            ledger,
        }
    }

    /// Learns to the last step of the course, or until `observe`, which hears of every step, breaks it off.
    ///
    /// # Errors
    /// Those of the learner and of the doors; a batch that cannot be right; no actor that would make one.
    pub fn live(
        mut self,
        queue: &mut (impl Queue + ?Sized),
        policies: &(impl PolicyStore<L::Published> + ?Sized),
        mut observe: impl FnMut(&Step<'_, L>) -> ControlFlow<()>,
    ) -> Result<(), RunError<L::Error>> {
        while *self.step < self.course.steps {
            let began = Instant::now();
            let taken = queue.take()?.ok_or(RunError::Idle)?;
            let waited = began.elapsed();
            let began = Instant::now();
            let Taken {
                mut batch,
                depth,
                threads,
            } = taken;
            if let Err(wrong) = self.ledger.enter(*self.step, &batch) {
                queue.refused(wrong)?;
                continue;
            }
            self.learner.use_threads(threads);
            let learnt = self.learn(&mut batch)?;
            let took = began.elapsed();
            // Whoever waits for the batch to be done with finds what came of it.
            policies.reached(*self.step)?;
            if self.step.is_multiple_of(self.course.refresh) {
                let published = self.learner.publish().map_err(RunError::Policy)?;
                policies.publish(*self.step, published)?;
            }
            queue.learnt()?;
            let step = Step {
                step: *self.step,
                learner: &*self.learner,
                batch: &batch,
                learnt,
                depth,
                threads,
                waited,
                took,
            };
            if observe(&step).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn learn(&mut self, batch: &mut TrainingBatch) -> Result<Learnt, RunError<L::Error>> {
        let (course, step) = (self.course, *self.step);
        // All of them are there: the ledger knows how many examples there are.
        let contexts = batch.examples.iter();
        let contexts = contexts.filter_map(|&example| self.contexts.get(example as usize));
        let contexts: Vec<&X> = contexts.collect();
        let objective = course.objective_of(batch.is_warm_up);
        let learnt = self
            .learner
            .teach(batch, objective, step, &contexts, course.divisor);
        let learnt = learnt.map_err(|source| RunError::Learner {
            source,
            batch: Box::new(batch.clone()),
        })?;
        *self.step += 1;
        Ok(learnt)
    }
}
