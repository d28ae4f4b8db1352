//! What is demanded of a batch before anyone learns from it.

use std::collections::{BTreeSet, HashSet};

use super::{Sample, TrainingBatch};

/// How many rounds a batch may be ahead of all that have come in of its shard, and how many rounds are waited
/// for a batch that has not. Queues are bounded far below.
const AHEAD: u64 = 4096;

/// A batch from which nobody should learn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch of round {round} of shard {shard} is wrong: {problem}")]
pub struct WrongBatch {
    /// The shard that it names.
    pub shard: u32,
    /// The round that it names.
    pub round: u64,
    /// What is wrong.
    pub problem: String,
}

/// Which batches have come in: none is learnt from twice, and none that cannot be right.
#[derive(Clone, Debug)]
pub struct Ledger {
    examples: u64,
    shards: Vec<Seen>,
}

/// The rounds of a shard that have come in: all up to one, and some beyond.
#[derive(Clone, Debug, Default)]
struct Seen {
    below: u64,
    beyond: BTreeSet<u64>,
}

impl Ledger {
    /// A ledger for this many examples in shards that have made this many rounds each, of which `waiting` are
    /// still to come in: what is left in a queue.
    pub fn new(examples: u64, rounds: &[u64], waiting: &[TrainingBatch]) -> Self {
        let mut shards: Vec<Seen> = rounds
            .iter()
            .map(|&below| Seen {
                below,
                beyond: BTreeSet::new(),
            })
            .collect();
        for batch in waiting {
            if let Some(seen) = shards.get_mut(batch.shard as usize) {
                seen.below = seen.below.min(batch.round);
            }
        }
        let is_waiting: HashSet<(u32, u64)> =
            waiting.iter().map(|batch| (batch.shard, batch.round)).collect();
        for (shard, (seen, &made)) in (0..).zip(shards.iter_mut().zip(rounds)) {
            let rounds = (seen.below..made).take(AHEAD as usize);
            seen.beyond = rounds
                .filter(|&round| !is_waiting.contains(&(shard, round)))
                .collect();
        }
        Self { examples, shards }
    }

    /// Takes note of a batch that a learner after `step` steps is about to learn from.
    ///
    /// # Errors
    /// If it has come in before, or cannot be right: it names a shard, a round, an example or a policy that
    /// there is not, refers to an example that it does not hold, or has a weight that is no number.
    pub fn enter(&mut self, step: u64, batch: &TrainingBatch) -> Result<(), WrongBatch> {
        let wrong = |problem| of(batch, problem);
        self.check(step, batch)?;
        let shards = self.shards.len();
        let seen = self.shards.get_mut(batch.shard as usize);
        let seen = seen.ok_or_else(|| wrong(format!("there are {shards} shards")))?;
        seen.enter(batch.round)
            .map_err(|problem| wrong(problem.to_owned()))
    }

    /// The same without taking note of it, and whether it has come in before or not.
    ///
    /// # Errors
    /// If it cannot be right.
    pub fn check(&self, step: u64, batch: &TrainingBatch) -> Result<(), WrongBatch> {
        self.look_at(step, batch).map_err(|problem| of(batch, problem))
    }

    fn look_at(&self, step: u64, batch: &TrainingBatch) -> Result<(), String> {
        if batch.version > step {
            let version = batch.version;
            return Err(format!(
                "its policy is of step {version}, but the learner is at {step}"
            ));
        }
        if batch.examples.is_empty() {
            return Err("it has no example".to_owned());
        }
        let mut known = HashSet::new();
        for &example in &batch.examples {
            if example >= self.examples {
                return Err(format!("it names example {example} of {}", self.examples));
            }
            if !known.insert(example) {
                return Err(format!("it names example {example} twice"));
            }
        }
        let places = batch.examples.len();
        let is_place = |place: usize| {
            let problem = || format!("it refers to place {place} of {places}");
            (place < places).then_some(()).ok_or_else(problem)
        };
        for trajectory in &batch.trajectories {
            is_place(trajectory.example)?;
            if !(trajectory.weight.is_finite() && trajectory.reward.is_finite()) {
                return Err("a weight or a reward is not a finite number".to_owned());
            }
        }
        let mut visited = HashSet::new();
        for visit in &batch.unweighted {
            is_place(visit.example)?;
            if !visited.insert(visit.example) {
                return Err(format!("it has two visits of place {}", visit.example));
            }
            let is_number = |sample: &Sample| {
                sample.reward.is_finite() && !sample.log_probability.is_some_and(f64::is_nan)
            };
            let is_weight = visit.memory_weight.is_none_or(f64::is_finite);
            if !(is_weight && visit.inside.iter().chain(&visit.outside).all(is_number)) {
                return Err("a visit has a reward or a probability that is no number".to_owned());
            }
        }
        Ok(())
    }
}

fn of(batch: &TrainingBatch, problem: String) -> WrongBatch {
    WrongBatch {
        shard: batch.shard,
        round: batch.round,
        problem,
    }
}

impl Seen {
    fn enter(&mut self, round: u64) -> Result<(), &'static str> {
        if round < self.below || self.beyond.contains(&round) {
            return Err("it has come in before");
        }
        let newest = self
            .beyond
            .last()
            .map_or(self.below, |&newest| newest.max(self.below));
        if round > newest && round - newest > AHEAD {
            return Err("the rounds before it are missing");
        }
        self.beyond.insert(round);
        // What an actor that died has left out never comes.
        self.below = self.below.max(round.saturating_sub(AHEAD));
        self.beyond = self.beyond.split_off(&self.below);
        while self.beyond.remove(&self.below) {
            self.below += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Trajectory, Visit};
    use crate::program::Steps;

    type Spoil = fn(&mut TrainingBatch);

    fn batch(shard: u32, round: u64) -> TrainingBatch {
        let trajectory = Trajectory {
            example: 1,
            steps: Steps::default(),
            reward: 1.0,
            weight: 0.5,
        };
        TrainingBatch {
            shard,
            round,
            version: 10,
            examples: vec![3, 0],
            trajectories: vec![trajectory],
            unweighted: vec![Visit::default()],
            ..TrainingBatch::default()
        }
    }

    #[test]
    fn each_batch_comes_in_once_in_whatever_order() {
        // Shard 0 has made three rounds, of which the last is still in the queue.
        let mut ledger = Ledger::new(4, &[3, 0], &[batch(0, 2)]);
        for (shard, round) in [(0, 2), (1, 1), (0, 4), (1, 0), (0, 3), (1, 2)] {
            assert_eq!(ledger.enter(10, &batch(shard, round)), Ok(()), "{shard} {round}");
            assert!(
                ledger.enter(10, &batch(shard, round)).is_err(),
                "{shard} {round} again"
            );
        }
        assert!(
            ledger.enter(10, &batch(0, 1)).is_err(),
            "learnt from before the queue was saved"
        );
        assert!(ledger.shards.iter().all(|seen| seen.beyond.is_empty()));
    }

    #[test]
    fn batches_that_never_come_are_not_waited_for_for_ever() {
        let mut ledger = Ledger::new(4, &[0], &[]);
        // Every tenth is lost on its way.
        let rounds = (0..3 * AHEAD).filter(|round| round % 10 != 0);
        for round in rounds {
            assert_eq!(ledger.enter(10, &batch(0, round)), Ok(()), "{round}");
            assert!(ledger.enter(10, &batch(0, round)).is_err(), "{round} again");
        }
        assert!(ledger.shards[0].beyond.len() as u64 <= AHEAD);
        assert!(ledger.enter(10, &batch(0, 10)).is_err(), "too late");
        assert!(ledger.enter(10, &batch(0, 5 * AHEAD)).is_err(), "from nowhere");
    }

    #[test]
    fn a_wrong_batch_is_refused_in_one_sentence_and_leaves_no_trace() {
        let mut ledger = Ledger::new(4, &[0, 0], &[]);
        let wrongs: [(Spoil, &str); 12] = [
            (|batch| batch.shard = 2, "there are 2 shards"),
            (|batch| batch.round = 1 << 40, "the rounds before it are missing"),
            (
                |batch| batch.version = 11,
                "its policy is of step 11, but the learner is at 10",
            ),
            (|batch| batch.examples = vec![], "it has no example"),
            (|batch| batch.examples[1] = 4, "it names example 4 of 4"),
            (|batch| batch.examples[1] = 3, "it names example 3 twice"),
            (
                |batch| batch.trajectories[0].example = 2,
                "it refers to place 2 of 2",
            ),
            (
                |batch| batch.unweighted[0].example = 7,
                "it refers to place 7 of 2",
            ),
            (
                |batch| batch.unweighted.push(Visit::default()),
                "it has two visits of place 0",
            ),
            (
                |batch| batch.trajectories[0].weight = f64::NAN,
                "a weight or a reward is not a finite number",
            ),
            (
                |batch| batch.trajectories[0].reward = f32::INFINITY,
                "a weight or a reward is not a finite number",
            ),
            (
                |batch| batch.unweighted[0].memory_weight = Some(f64::NAN),
                "a visit has a reward or a probability that is no number",
            ),
        ];
        for (spoil, problem) in wrongs {
            let mut wrong = batch(1, 0);
            spoil(&mut wrong);
            let refused = ledger.enter(10, &wrong).unwrap_err();
            assert_eq!(refused.problem, problem);
        }
        assert_eq!(ledger.enter(10, &batch(1, 0)), Ok(()));
    }
}
