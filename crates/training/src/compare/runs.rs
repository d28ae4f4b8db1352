//! Trains a variant with a seed, or goes on with it.

use mapo_core::Memory;
use mapo_datasets::Example;
use mapo_programmer::{Checkpoint, Network, Vectors};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::plan::Plan;
use super::variant::Variant;
use crate::run::folder::Folder;
use crate::run::{Event, Trainer};
use crate::{Error, Result, eval, session};

/// A run's answers to the dev questions. It is written last, so a run that has it is finished.
pub(super) const DEV_PREDICTIONS: &str = "predictions-dev.jsonl";
/// A run's answers to the test questions.
pub(super) const TEST_PREDICTIONS: &str = "predictions-test.jsonl";
const TIME: &str = "seconds.json";

/// What all runs of a comparison share.
pub struct Runs<'a> {
    /// The comparison's directory.
    pub directory: &'a Path,
    /// What is compared.
    pub plan: &'a Plan,
    /// The questions to train on.
    pub train: &'a [Example],
    /// The questions to choose and to compare by.
    pub dev: &'a [Example],
    /// The questions of the test split, if there is one.
    pub test: Option<&'a [Example]>,
    /// Word vectors, if there are any.
    pub vectors: Option<&'a Vectors>,
    /// Where questions are answered; a new run trains with as many threads.
    pub pool: &'a rayon::ThreadPool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// To its end.
    Finished,
    /// It was stopped after so many steps, and can go on.
    Stopped {
        /// Steps so far.
        step: u64,
    },
}

/// Seconds of training so far, by all processes that had a part in it.
#[derive(Serialize, Deserialize)]
pub(super) struct Time {
    pub seconds: f64,
}

impl Runs<'_> {
    /// A run's directory.
    fn path(&self, variant: &Variant, seed: u64) -> PathBuf {
        self.directory.join(Plan::run_directory(&variant.name, seed))
    }

    /// Whether there is nothing left to do for a run.
    pub fn is_finished(&self, variant: &Variant, seed: u64) -> bool {
        let has = |file: &str| self.path(variant, seed).join(file).exists();
        has(DEV_PREDICTIONS) && (self.test.is_none() || has(TEST_PREDICTIONS))
    }

    /// Trains a run to its end, from wherever it is, and keeps its answers. `memories` gives what its memories begin with,
    /// and is asked only if the run is a new one; `observe` hears how it goes.
    ///
    /// # Errors
    /// Those of training and of the run's directory; a directory whose run has other settings.
    pub fn run(
        &self,
        variant: &Variant,
        seed: u64,
        memories: &mut dyn FnMut() -> Result<Vec<Memory>>,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Event<'_>),
    ) -> Result<Ran> {
        let path = self.path(variant, seed);
        if path.join(DEV_PREDICTIONS).exists() {
            // Only the answers to a test split that was named later are missing.
            let best = Checkpoint::load(&path.join("best.safetensors"), false)?;
            self.answer(&path, variant, &Arc::new(best.network))?;
            return Ok(Ran::Finished);
        }
        let settings = &variant.settings;
        let (mut folder, config, saved) = self.open(&path, variant, seed)?;
        let threads = config.run.threads;
        let mut trainer = match saved {
            Some(saved) => Trainer::resume(settings, seed, threads, saved, self.train, self.dev)?,
            None => {
                let words = settings.network.words(self.train, self.vectors)?;
                let memories = memories()?;
                let trainer = Trainer::new(settings, seed, threads, &words, self.train, memories, self.dev)?;
                folder.save(&trainer)?;
                trainer
            }
        };
        let before = match trainer.step() {
            0 => 0.0,
            _ => read_time(&path).unwrap_or(0.0),
        };
        let began = Instant::now();
        session::train(&mut folder, &mut trainer, settings, stop, &mut |event| {
            if let Event::Measured { .. } = event {
                keep_time(&path, before + began.elapsed().as_secs_f64())?;
            }
            observe(event);
            Ok(())
        })?;
        keep_time(&path, before + began.elapsed().as_secs_f64())?;
        let step = trainer.step();
        if step < settings.steps {
            return Ok(Ran::Stopped { step });
        }
        let best = trainer.best().ok_or_else(|| {
            Error::Settings("there is no question to compare by; choose another --dev-split".to_owned())
        })?;
        self.answer(&path, variant, &best.network)?;
        Ok(Ran::Finished)
    }

    /// The run's directory, with what an earlier process left.
    fn open(
        &self,
        path: &Path,
        variant: &Variant,
        seed: u64,
    ) -> Result<(Folder, crate::RunConfig, Option<crate::Saved>)> {
        let config = self.plan.config(variant, seed, self.pool.current_num_threads());
        if !path.join("config.toml").exists() {
            return Ok((Folder::create(path, &config)?, config, None));
        }
        let (mut folder, found) = Folder::open(path)?;
        let mut same = config;
        // It goes on as it began.
        same.run.threads = found.run.threads;
        if found != same {
            return Err(Error::Run {
                file: path.to_owned(),
                problem: "holds a run with other settings or other data; choose another directory".to_owned(),
            });
        }
        let saved = folder.load(self.train.len())?;
        Ok((folder, same, saved))
    }

    /// Keeps the answers of a run's best model, those that show it to be finished last.
    fn answer(&self, path: &Path, variant: &Variant, model: &Arc<Network>) -> Result<()> {
        let splits = [(self.test, TEST_PREDICTIONS), (Some(self.dev), DEV_PREDICTIONS)];
        let models = [Arc::clone(model)];
        for (examples, name) in splits {
            let file = path.join(name);
            let Some(examples) = examples.filter(|_| !file.exists()) else {
                continue;
            };
            let beam = variant.settings.beam;
            let predictions = self.pool.install(|| eval::answer(&models, examples, beam))?;
            let mut text = String::new();
            for prediction in &predictions {
                let line = serde_json::to_string(prediction).map_err(|error| Error::Run {
                    file: file.clone(),
                    problem: error.to_string(),
                })?;
                text.push_str(&line);
                text.push('\n');
            }
            mapo_files::write(&file, text.as_bytes())?;
        }
        Ok(())
    }
}

/// The seconds of training that a run has behind it.
pub(super) fn read_time(run: &Path) -> Option<f64> {
    let text = std::fs::read(run.join(TIME)).ok()?;
    let time: Time = serde_json::from_slice(&text).ok()?;
    Some(time.seconds)
}

fn keep_time(run: &Path, seconds: f64) -> Result<()> {
    let text = serde_json::to_vec(&Time { seconds }).unwrap_or_default();
    Ok(mapo_files::write(&run.join(TIME), &text)?)
}
