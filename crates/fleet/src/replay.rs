//! Learning again from the batches that a learner has logged.

use std::ops::ControlFlow;
use std::path::Path;

use mapo_core::{
    DoorError, LearnerLife, Ledger, PolicyStore, Queue, RunError, Taken, TrainingBatch, WrongBatch,
};
use mapo_model::NeuralPolicy;
use mapo_model::inputs::encode::encode_all;
use mapo_programmer::Checkpoint;
use mapo_training::{Folder, NeuralLearner};

use crate::log::BatchLog;
use crate::{Error, Result};

/// What came of learning again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Batches that were learnt from.
    pub batches: u64,
    /// Parameters, and how many of them differ from those of the run in any bit.
    pub parameters: usize,
    /// How many differ.
    pub different: usize,
}

/// Learns from the logged batches of a run, from the model with which it began, and compares the parameters with those
/// of its last checkpoint.
///
/// # Errors
/// If the run has no log, or a file of it does not hold what it should.
pub fn replay(path: &Path) -> Result<Replayed> {
    let (mut folder, config) = Folder::open(path)?;
    let questions = config.run.questions()?;
    let saved = folder.load(&questions.train)?;
    let saved = saved.ok_or_else(|| Error::Log {
        file: path.to_owned(),
        problem: "has no checkpoint to compare with".to_owned(),
    })?;
    let start = Checkpoint::load(&folder.start(), true)?;
    let (settings, run) = (&config.settings, &config.run);
    let learner = NeuralLearner::new(
        start.network,
        settings.learning,
        settings.steps,
        run.seed,
        run.threads,
    )?;
    let mut learner = learner.with_encoder(settings.encoder.unwrap_or_default());
    let contexts = learner.runner().pool().install(|| {
        let network = learner.network();
        encode_all(network.config(), network.words(), &questions.train)
    });
    let mut batches = BatchLog::read(path)?;
    let until = saved.checkpoint.step;
    batches.truncate(until as usize);
    let shards = batches.iter().map(|batch| batch.shard as usize + 1).max();
    let mut ledger = Ledger::new(contexts.len() as u64, &vec![0; shards.unwrap_or(1)], &[]);
    let mut queue = Logged {
        batches: batches.into_iter(),
        threads: run.threads,
    };
    let (course, mut step) = (config.course(&questions), 0);
    let life = LearnerLife::new(&course, &contexts, &mut learner, &mut step, &mut ledger);
    let learnt = life.live(&mut queue, &Nobody, |made| match made.step < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    match learnt {
        Ok(()) => {}
        Err(RunError::Idle) => {
            return Err(Error::Log {
                file: path.to_owned(),
                problem: format!("has {step} batches in its log, but its checkpoint is of step {until}"),
            });
        }
        Err(RunError::Policy(error) | RunError::Learner { source: error, .. }) => return Err(error.into()),
        Err(RunError::Batch(error)) => {
            return Err(Error::Log {
                file: path.to_owned(),
                problem: error.to_string(),
            });
        }
        Err(RunError::Memory(error)) => return Err(error.into()),
        Err(RunError::Settings(error)) => return Err(error.into()),
        Err(RunError::Door(error)) => return Err(error.into()),
        Err(RunError::Thread) => return Err(Error::Thread),
    }
    let (one, other) = (learner.network().values(), saved.checkpoint.network.values());
    let different = one
        .iter()
        .zip(other)
        .filter(|(one, other)| one.to_bits() != other.to_bits());
    Ok(Replayed {
        batches: step,
        parameters: one.len(),
        different: different.count() + one.len().abs_diff(other.len()),
    })
}

/// A queue of batches that are there already.
struct Logged {
    batches: std::vec::IntoIter<TrainingBatch>,
    threads: usize,
}

impl Queue for Logged {
    fn take(&mut self) -> Result<Option<Taken>, DoorError> {
        Ok(self.batches.next().map(|batch| Taken {
            batch,
            depth: self.batches.len(),
            threads: self.threads,
        }))
    }

    fn learnt(&mut self) -> Result<(), DoorError> {
        Ok(())
    }

    fn refused(&mut self, wrong: WrongBatch) -> Result<(), WrongBatch> {
        Err(wrong)
    }
}

/// Nobody wants its policies.
struct Nobody;

impl PolicyStore<NeuralPolicy> for Nobody {
    fn publish(&self, _: u64, _: NeuralPolicy) -> Result<(), DoorError> {
        Ok(())
    }

    fn newest(&self, _: Option<u64>) -> Result<Option<(u64, NeuralPolicy)>, DoorError> {
        Ok(None)
    }

    fn reached(&self, _: u64) -> Result<(), DoorError> {
        Ok(())
    }

    fn step(&self) -> Result<u64, DoorError> {
        Ok(0)
    }
}
