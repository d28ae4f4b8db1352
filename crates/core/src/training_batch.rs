//! What goes from the actors to the learner.

use serde::{Deserialize, Serialize};

use crate::{BatchPolicy, Estimator, Learner, Learnt, Objective, PrefixTree, Statistics, Trajectory, Visit};

/// What a learner learns from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingBatch {
    /// The numbers of the examples; trajectories and visits refer to their places here.
    pub examples: Vec<u64>,
    /// Weighted programs.
    pub trajectories: Vec<Trajectory>,
    /// Visits that the learner has to weigh, because the objective wants its probabilities.
    pub unweighted: Vec<Visit>,
    /// What happened.
    pub statistics: Statistics,
}

impl TrainingBatch {
    /// Weighs the visits that are still unweighted, with the probabilities that they carry.
    pub(crate) fn weigh(&mut self, objective: &Objective, step: u64) {
        for visit in std::mem::take(&mut self.unweighted) {
            let weight = objective.weigh(step, &visit, &mut |sample, weight| {
                self.trajectories.push(Trajectory {
                    example: visit.example,
                    steps: sample.steps.clone(),
                    reward: sample.reward,
                    weight,
                });
            });
            self.statistics.weigh(weight);
        }
    }

    /// Weighs the visits that are still unweighted with the probabilities of the learner, if there are any:
    /// one forward pass over the programs that were taken from memory. `contexts` are those of the batch.
    ///
    /// # Errors
    /// Those of the policy.
    pub fn settle<X, P: BatchPolicy<X>>(
        &mut self,
        objective: &Objective,
        step: u64,
        contexts: &[&X],
        policy: &mut P,
    ) -> Result<(), P::Error> {
        if self.unweighted.is_empty() {
            return Ok(());
        }
        policy.read(contexts)?;
        let trees: Vec<(usize, PrefixTree)> = self
            .unweighted
            .iter()
            .map(|visit| {
                let programs = visit.inside.iter().map(|sample| &sample.steps);
                (visit.example, PrefixTree::of_steps(programs))
            })
            .collect();
        let trees: Vec<(usize, &PrefixTree)> = trees.iter().map(|(example, tree)| (*example, tree)).collect();
        for (visit, logs) in self.unweighted.iter_mut().zip(policy.score(&trees)?) {
            for (sample, log) in visit.inside.iter_mut().zip(logs) {
                sample.log_probability = Some(log);
            }
        }
        self.weigh(objective, step);
        Ok(())
    }

    /// One step of a learner: settles what is unweighted, and learns.
    ///
    /// # Errors
    /// Those of the learner.
    pub fn teach<X, L: Learner<X>>(
        &mut self,
        objective: &Objective,
        step: u64,
        contexts: &[&X],
        learner: &mut L,
        divisor: f64,
    ) -> Result<Learnt, L::Error> {
        self.settle(objective, step, contexts, learner)?;
        learner.learn(contexts, &self.trajectories, divisor)
    }
}
