//! One process's part in a run: it begins or takes up the run in its directory and trains, with everything
//! kept there.

use mapo_core::{Assistants, Doors};
use mapo_model::NeuralPolicy;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::run::beginning::{Beginning, Watch};
use crate::run::config::RunConfig;
use crate::run::folder::Folder;
use crate::run::parts::Questions;
use crate::run::{Event, Examiner, Trainer};
use crate::{Error, Result};

/// A run in its directory.
pub struct Session<'a> {
    config: &'a RunConfig,
    /// The directory.
    pub folder: Folder,
    /// The run.
    pub trainer: Trainer<'a>,
}

impl<'a> Session<'a> {
    /// Begins a run in a new directory: explores or reads its memories, and makes its network. A directory
    /// whose run cannot begin can be used again; one that was stopped meanwhile is [resumed](Self::resume).
    ///
    /// # Errors
    /// If there is a run in the directory already, or what the configuration names cannot be had.
    pub fn begin(
        path: &Path,
        config: &'a RunConfig,
        questions: &'a Questions,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let folder = Folder::create(path, config)?;
        let begun = Self::resume(folder, config, questions, watch);
        if begun.is_err() && !watch.progress().is_stopped() {
            Folder::abandon(path);
        }
        begun
    }

    /// Goes on with the run of an [opened](Folder::open) directory, from its last checkpoint or, if it has
    /// none, from the beginning.
    ///
    /// # Errors
    /// If a file of the directory does not hold what it should, or what the configuration names cannot be
    /// had.
    pub fn resume(
        folder: Folder,
        config: &'a RunConfig,
        questions: &'a Questions,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let is_single = config.run.parts.len() == 1;
        let parts = 0..config.run.parts.len();
        let own_stores = parts.map(|part| folder.programs(Some(part).filter(|_| !is_single)));
        let own_stores: Vec<_> = own_stores.collect();
        Self::resume_with(folder, config, questions, || {
            Beginning::of(config, questions, &own_stores, watch)
        })
    }

    /// The same for a run that begins with what is in hand already; `beginning` is asked only if it has no
    /// checkpoint.
    ///
    /// # Errors
    /// If a file of the directory does not hold what it should, or the run cannot begin.
    pub fn resume_with(
        mut folder: Folder,
        config: &'a RunConfig,
        questions: &'a Questions,
        beginning: impl FnOnce() -> Result<Beginning>,
    ) -> Result<Self> {
        let RunConfig { run, settings } = config;
        let trainer = match folder.load(&questions.train)? {
            Some(saved) => Trainer::resume(settings, run.seed, run.threads, saved, questions)?,
            None => {
                let trainer = Trainer::begin(config, questions, beginning()?)?;
                folder.save(&trainer)?;
                trainer
            }
        };
        Ok(Self {
            config,
            folder,
            trainer,
        })
    }

    /// Lets actors elsewhere act for the run: see [`Trainer::with_actors`].
    pub fn with_actors(self, doors: Box<dyn Doors<NeuralPolicy> + 'a>, rounds: Vec<u64>) -> Self {
        Self {
            trainer: self.trainer.with_actors(doors, rounds),
            ..self
        }
    }

    /// Lets others assist its learner: see [`Trainer::with_assistants`].
    pub fn with_assistants(self, assistants: Box<dyn Assistants>) -> Self {
        Self {
            trainer: self.trainer.with_assistants(assistants),
            ..self
        }
    }

    /// Lets models be measured elsewhere: see [`Trainer::with_examiner`].
    pub fn with_examiner(self, examiner: Box<dyn Examiner + 'a>) -> Self {
        Self {
            trainer: self.trainer.with_examiner(examiner),
            ..self
        }
    }

    /// Trains to the last step, or until `stop` says so, and keeps in the directory what is measured, the
    /// best model and what the run needs to go on. `observe` hears of every step and, when it has been kept,
    /// of every evaluation.
    ///
    /// # Errors
    /// Those of the network, those of the directory, and a number that is not finite: then the batch that
    /// caused it is kept too and the error names its file.
    pub fn train(
        &mut self,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Event<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self {
            config,
            folder,
            trainer,
        } = self;
        let ran = trainer.run(stop, &mut |event| {
            if let Event::Measured {
                trainer,
                metrics,
                is_best,
            } = event
            {
                folder.measured(metrics)?;
                if let (true, Some(best)) = (*is_best, trainer.best()) {
                    folder.save_best(best)?;
                }
            }
            if let Event::Measured { trainer, .. } | Event::Submitted { trainer } = event
                // Only there do the actors' parameters equal the learner's.
                && trainer.step().is_multiple_of(config.settings.refresh)
            {
                folder.save(trainer)?;
            }
            observe(event)
        });
        let Err(error) = ran else {
            return folder.save(trainer);
        };
        let is_numeric = matches!(
            error,
            Error::Loss { .. } | Error::Network(mapo_programmer::Error::Gradient(_))
        );
        let step = trainer.step();
        match trainer.broken_batch().filter(|_| is_numeric) {
            Some(batch) => {
                let file = folder.save_batch(step, batch)?;
                let source = Box::new(error);
                Err(Error::Broken { source, step, file })
            }
            None => Err(error),
        }
    }
}
