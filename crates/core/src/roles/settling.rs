//! From what actors saw to weighted programs.

use super::{Estimator, Policy, score_by_level};
use crate::batch::{TrainingBatch, Trajectory};
use crate::program::PrefixTree;

/// Weighs the visits of a batch that are still unweighted, with the probabilities that they carry.
pub(crate) fn weigh<O: Estimator + ?Sized>(batch: &mut TrainingBatch, objective: &O, step: u64) {
    for visit in std::mem::take(&mut batch.unweighted) {
        let weight = objective.weigh(step, &visit, &mut |sample, weight| {
            batch.trajectories.push(Trajectory {
                example: visit.example,
                steps: sample.steps.clone(),
                reward: sample.reward,
                weight,
            });
        });
        batch.statistics.weigh(weight);
    }
}

/// Weighs the visits of a batch that are still unweighted with the probabilities of a policy, if there are
/// any: one forward pass over the programs that were taken from memory. `contexts` are those of the batch.
///
/// # Errors
/// Those of the policy.
pub fn settle<X, P, O>(
    batch: &mut TrainingBatch,
    objective: &O,
    step: u64,
    contexts: &[&X],
    policy: &mut P,
) -> Result<(), P::Error>
where
    X: ?Sized,
    P: Policy<X> + ?Sized,
    O: Estimator + ?Sized,
{
    if batch.unweighted.is_empty() {
        return Ok(());
    }
    policy.read(contexts)?;
    let trees: Vec<(usize, PrefixTree)> = batch
        .unweighted
        .iter()
        .map(|visit| {
            let programs = visit.inside.iter().map(|sample| &sample.steps);
            (visit.example, PrefixTree::of_steps(programs))
        })
        .collect();
    let trees: Vec<(usize, &PrefixTree)> = trees.iter().map(|(example, tree)| (*example, tree)).collect();
    let scored = trees.iter().zip(score_by_level(policy, &trees)?);
    let scored = scored.map(|((_, tree), scores)| scores.programs(tree));
    for (visit, logs) in batch.unweighted.iter_mut().zip(scored) {
        for (sample, log) in visit.inside.iter_mut().zip(logs) {
            sample.log_probability = Some(log);
        }
    }
    weigh(batch, objective, step);
    Ok(())
}
