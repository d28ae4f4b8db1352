//! What the actors of a run leave to those who go on, beside the memories and explored sets.

use mapo_core::{LastScores, Run, TrainingBatch};
use serde::{Deserialize, Deserializer, Serialize};

/// What actors know, beside the memories and explored sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Actors {
    /// The batches that each shard of the examples has made.
    #[serde(default)]
    pub shards: Vec<u64>,
    /// Those that the learner has not come to.
    #[serde(deserialize_with = "queued")]
    pub queued: Vec<TrainingBatch>,
    /// How likely the programs of large memories were when they were last scored, by the places of the
    /// examples.
    pub last_scores: Vec<(usize, LastScores)>,
    /// In runs from before there were shards: the batches that each thread has made.
    #[serde(default, skip_serializing)]
    rounds: Vec<u64>,
}

impl Actors {
    /// What the actors of a run know.
    pub(super) fn of<E, X, P>(run: &Run<E, X, P>) -> Self {
        let scored = run.tasks().enumerate();
        let scored = scored.filter(|(_, task)| !task.last_scores.is_empty());
        Self {
            shards: run.rounds(),
            queued: run.queued().to_vec(),
            last_scores: scored
                .map(|(place, task)| (place, task.last_scores.clone()))
                .collect(),
            rounds: Vec::new(),
        }
    }

    /// The rounds of this many shards, and the batches that wait, in a run after this many steps.
    ///
    /// A run that was divided otherwise, by its threads or for batches of another size, goes on behind all
    /// numbers that it has used, so that nothing is drawn twice; its batches are taken for the last of their
    /// new shards.
    pub(super) fn dealt(self, shards: usize, step: u64) -> (Vec<u64>, Vec<TrainingBatch>) {
        if self.shards.len() == shards {
            return (self.shards, self.queued);
        }
        let numbers = |rounds: &[u64]| Some(rounds.iter().max()? * rounds.len() as u64);
        // Without a note of it, they have made about one batch for each step together.
        let made = numbers(&self.shards)
            .or_else(|| numbers(&self.rounds))
            .unwrap_or(step);
        let waiting = self.queued.len();
        let round = made.div_ceil(shards as u64) + waiting.div_ceil(shards) as u64;
        let queued = self
            .queued
            .into_iter()
            .enumerate()
            .map(|(place, batch)| TrainingBatch {
                shard: (place % shards) as u32,
                round: round - (waiting - place).div_ceil(shards) as u64,
                ..batch
            });
        (vec![round; shards], queued.collect())
    }
}

/// A batch as runs have kept it: what it comes from stood beside it before it was part of it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Queued {
    Beside {
        batch: TrainingBatch,
        policy: u64,
        is_warm_up: bool,
    },
    Within(TrainingBatch),
}

fn queued<'de, D: Deserializer<'de>>(file: D) -> Result<Vec<TrainingBatch>, D::Error> {
    let queued = Vec::<Queued>::deserialize(file)?;
    let batch = |queued| match queued {
        Queued::Within(batch) => batch,
        Queued::Beside {
            batch,
            policy,
            is_warm_up,
        } => TrainingBatch {
            version: policy,
            is_warm_up,
            ..batch
        },
    };
    Ok(queued.into_iter().map(batch).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_core::Ledger;

    #[test]
    fn what_runs_left_before_there_were_shards_is_read() {
        let batch = r#"{"batch":{"examples":[2],"trajectories":[],"unweighted":[],"statistics":STATISTICS},"policy":9,"is_warm_up":true}"#;
        let statistics = serde_json::to_string(&TrainingBatch::default().statistics).unwrap();
        let batch = batch.replace("STATISTICS", &statistics);
        let text =
            format!(r#"{{"rounds":[6,4],"queued":[{batch},{batch},{batch}],"last_scores":[[1,[-0.5]]]}}"#);
        let actors: Actors = serde_json::from_str(&text).unwrap();
        assert_eq!(actors.queued.len(), 3);
        assert!(
            actors
                .queued
                .iter()
                .all(|batch| batch.version == 9 && batch.is_warm_up)
        );
        let (rounds, queued) = actors.dealt(2, 7);
        // Twelve numbers were used, so each shard has made six rounds, and up to two more are in the queue.
        assert_eq!(rounds, [8, 8]);
        let origins: Vec<(u32, u64)> = queued.iter().map(|batch| (batch.shard, batch.round)).collect();
        assert_eq!(origins, [(0, 6), (1, 7), (0, 7)]);
        let mut ledger = Ledger::new(4, &rounds, &queued);
        for batch in &queued {
            ledger.enter(20, batch).unwrap();
            assert!(ledger.enter(20, batch).is_err());
        }
    }

    #[test]
    fn a_run_on_one_thread_goes_on_with_its_step() {
        let actors: Actors = serde_json::from_str(r#"{"rounds":[],"queued":[],"last_scores":[]}"#).unwrap();
        assert_eq!(actors.dealt(1, 40), (vec![40], vec![]));
    }

    #[test]
    fn a_run_with_its_shards_goes_on_as_it_is() {
        let actors = Actors {
            shards: vec![3, 2],
            queued: vec![TrainingBatch {
                round: 2,
                examples: vec![1],
                ..TrainingBatch::default()
            }],
            ..Actors::default()
        };
        let text = serde_json::to_string(&actors).unwrap();
        let copy: Actors = serde_json::from_str(&text).unwrap();
        assert_eq!(copy, actors);
        assert_eq!(copy.dealt(2, 4), (vec![3, 2], actors.queued));
    }
}
