//! Trains a variant with a seed, or goes on with it.

use mapo_core::Memory;
use mapo_datasets::{Example, Fingerprint};
use mapo_model::file::load;
use mapo_model::inputs::vocabulary;
use mapo_programmer::{Network, Vectors};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::plan::{FileMark, Plan};
use super::variant::Variant;
use crate::run::beginning::{Beginning, Watch, explore_into};
use crate::run::config::RunConfig;
use crate::run::folder::Folder;
use crate::run::parts::Questions;
use crate::run::session::Session;
use crate::run::{Event, memories};
use crate::{Error, Result, eval};

/// A run's answers to the dev questions. It is written last, so a run that has it is finished.
pub const DEV_PREDICTIONS: &str = "predictions-dev.jsonl";
/// A run's answers to the test questions.
pub(super) const TEST_PREDICTIONS: &str = "predictions-test.jsonl";
const TIME: &str = "seconds.json";

/// The seed of the exploration, as in `mapo explore`: all runs begin with the same memories.
const EXPLORATION_SEED: u64 = 0;

/// Where this machine has what a plan names, if not where the plan says.
#[derive(Clone, Debug, Default)]
pub struct Here {
    /// The dataset.
    pub data: Option<String>,
    /// The store of programs.
    pub memory: Option<PathBuf>,
    /// The file of word vectors.
    pub vectors: Option<PathBuf>,
}

/// The runs of a comparison, with what they share.
pub struct Runs<'a> {
    directory: PathBuf,
    /// Where the store of programs is, if one was given.
    memory: Option<PathBuf>,
    plan: &'a Plan,
    questions: Questions,
    /// The questions of the test split, if there is one.
    test: Option<Vec<Example>>,
    vectors: Option<Arc<Vectors>>,
    /// The memories with which runs begin, by the store that they are from.
    explored: HashMap<PathBuf, Vec<Memory>>,
    /// Where questions are answered; a new run trains with as many threads.
    pool: rayon::ThreadPool,
    /// No other process gets the directory meanwhile.
    _lock: File,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// To its end.
    Finished,
    /// It was stopped after this many steps, and can go on.
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

impl<'a> Runs<'a> {
    /// Takes a directory for a comparison, once its questions and word vectors can be read.
    ///
    /// # Errors
    /// If they cannot, a split has no question, or the directory is not for [this plan](Plan::begin).
    pub fn open(directory: &Path, plan: &'a Plan, here: &Here, threads: usize) -> Result<Self> {
        let mut origin = plan.origin(0, threads);
        if let Some(data) = &here.data {
            origin
                .parts
                .iter_mut()
                .for_each(|part| part.data.clone_from(data));
        }
        let questions = origin.questions()?;
        for (split, examples) in [(&plan.split, &questions.train), (&plan.dev_split, &questions.dev)] {
            if examples.is_empty() {
                let (data, split) = (plan.data.clone(), split.clone());
                return Err(Error::EmptySplit { data, split });
            }
        }
        let test = plan.test_split.as_deref();
        let test = test
            .map(|split| origin.first()?.examples(split, None, origin.functions))
            .transpose()?;
        let place = |mark: &Option<FileMark>, here: &Option<PathBuf>| {
            let mark = mark.as_ref();
            mark.map(|mark| here.clone().unwrap_or_else(|| mark.file.clone()))
        };
        let vectors = place(&plan.vectors, &here.vectors);
        let vectors = vectors.map(|file| vocabulary::read_vectors(&file));
        let vectors = vectors.transpose()?.map(Arc::new);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        Ok(Self {
            _lock: plan.begin(directory)?,
            directory: directory.to_owned(),
            memory: place(&plan.memory, &here.memory),
            plan,
            questions,
            test,
            vectors,
            explored: HashMap::new(),
            pool: pool.build().map_err(Error::Pool)?,
        })
    }

    /// What the questions, answers and tables of its splits are: training, dev and test.
    pub fn fingerprints(&self) -> Vec<Fingerprint> {
        let splits = [&self.questions.train, &self.questions.dev]
            .into_iter()
            .chain(&self.test);
        splits.map(Fingerprint::of_all).collect()
    }

    /// How many threads a new run has.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// A run's directory.
    pub fn path(&self, variant: &Variant, seed: u64) -> PathBuf {
        self.directory.join(Plan::run_directory(&variant.name, seed))
    }

    /// Whether there is nothing left to do for a run.
    pub fn is_finished(&self, variant: &Variant, seed: u64) -> bool {
        let has = |file: &str| self.path(variant, seed).join(file).exists();
        has(DEV_PREDICTIONS) && (self.test.is_none() || has(TEST_PREDICTIONS))
    }

    /// Trains a run to its end, from wherever it is, and keeps its answers. What its memories begin with is
    /// explored before, if no run needed it yet; `watch` sees that, and `observe` hears how training goes.
    ///
    /// # Errors
    /// Those of training and of the run's directory; a directory whose run has other settings.
    pub fn run(
        &mut self,
        variant: &Variant,
        seed: u64,
        watch: &mut dyn Watch,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(&Event<'_>),
    ) -> Result<Ran> {
        let path = self.path(variant, seed);
        if path.join(DEV_PREDICTIONS).exists() {
            // Only the answers to a test split that was named later are missing.
            let (best, _) = load(&path.join("best.safetensors"), false)?;
            self.answer(&path, variant, &Arc::new(best))?;
            return Ok(Ran::Finished);
        }
        let config = self.plan.config(variant, seed, self.pool.current_num_threads());
        let store = self.explore(variant, &config, watch)?;
        let (folder, config) = Folder::open_or_create(&path, config)?;
        let beginning = || {
            let nothing = || vec![Memory::default(); self.questions.train.len()];
            let explored = store.and_then(|store| self.explored.get(&store).cloned());
            Ok(Beginning {
                memories: explored.unwrap_or_else(nothing),
                vectors: self.vectors.clone(),
                encoder: None,
            })
        };
        let mut session = Session::resume_with(folder, &config, &self.questions, beginning)?;
        let before = match session.trainer.step() {
            0 => 0.0,
            _ => read_time(&path).unwrap_or(0.0),
        };
        let began = Instant::now();
        session.train(stop, &mut |event| {
            if let Event::Measured { .. } = event {
                keep_time(&path, before + began.elapsed().as_secs_f64())?;
            }
            observe(event);
            Ok(())
        })?;
        keep_time(&path, before + began.elapsed().as_secs_f64())?;
        let step = session.trainer.step();
        if step < config.settings.steps {
            return Ok(Ran::Stopped { step });
        }
        let best = session.trainer.best().ok_or(Error::NoQuestions)?;
        let best = Arc::clone(&best.network);
        drop(session);
        self.answer(&path, variant, &best)?;
        Ok(Ran::Finished)
    }

    /// The stores with which the memories of all variants begin, explored where that has not been done.
    ///
    /// # Errors
    /// If exploration was stopped, or a store cannot be written.
    pub fn stores(&self, watch: &mut dyn Watch) -> Result<BTreeSet<PathBuf>> {
        let mut stores = BTreeSet::new();
        for variant in &self.plan.variants {
            let config = self.plan.config(variant, EXPLORATION_SEED, self.threads());
            stores.extend(self.store(variant, &config, watch)?);
        }
        Ok(stores)
    }

    /// The store with which the memories of a variant begin, explored if need be; none where they begin
    /// empty.
    fn store(&self, variant: &Variant, config: &RunConfig, watch: &mut dyn Watch) -> Result<Option<PathBuf>> {
        let train = &self.questions.train;
        if !variant.explores_first() || train.iter().all(|example| example.known.is_some()) {
            return Ok(None);
        }
        if let Some(given) = &self.memory {
            return Ok(Some(given.clone()));
        }
        let explore = &variant.settings.explore_first;
        let name = format!("explored-{}-{}.jsonl", explore.programs, explore.pruning);
        let store = self.directory.join(name);
        let part = config.run.first()?;
        explore_into(&store, config, part, EXPLORATION_SEED, train, &self.pool, watch)?;
        Ok(Some(store))
    }

    /// The same store, read.
    fn explore(
        &mut self,
        variant: &Variant,
        config: &RunConfig,
        watch: &mut dyn Watch,
    ) -> Result<Option<PathBuf>> {
        let Some(store) = self.store(variant, config, watch)? else {
            return Ok(None);
        };
        let train = &self.questions.train;
        if !self.explored.contains_key(&store) {
            let load = || memories::load(&store, train, &self.plan.reading, variant.settings.belief);
            let loaded = self.pool.install(load)?;
            watch.loaded(&store, &loaded.stale);
            self.explored.insert(store.clone(), loaded.memories);
        }
        Ok(Some(store))
    }

    /// Keeps the answers of a run's best model, those that show it to be finished last.
    fn answer(&self, path: &Path, variant: &Variant, model: &Arc<Network>) -> Result<()> {
        let splits = [
            (self.test.as_deref(), TEST_PREDICTIONS),
            (Some(&self.questions.dev[..]), DEV_PREDICTIONS),
        ];
        let models = [Arc::clone(model)];
        for (examples, name) in splits {
            let file = path.join(name);
            let Some(examples) = examples.filter(|_| !file.exists()) else {
                continue;
            };
            let beam = variant.settings.beam;
            let predictions = self
                .pool
                .install(|| eval::answer(&models, None, examples, beam))?;
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
