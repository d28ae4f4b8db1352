//! How a run begins: with what its memories hold already, and with a network.

use mapo_core::{Ending, Memory, Progress};
use mapo_datasets::Example;
use mapo_model::file::{knowing, load};
use mapo_model::inputs::vocabulary;
use mapo_programmer::{Published, Vectors, Words};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::run::config::RunConfig;
use crate::run::memories::Stale;
use crate::run::parts::{Part, Questions};
use crate::run::{Trainer, filling, memories};
use crate::store::StoreWriter;
use crate::{Error, Result};

/// Whoever watches what comes before the first step. Exploration may take hours; it tells its [`Progress`]
/// how far it is, and stops when that is told to.
pub trait Watch {
    /// How far exploration is, and whether it is to stop.
    fn progress(&self) -> &Progress;

    /// Exploration begins: of this many examples some are done, and this many programs are tried for each.
    fn exploring(&mut self, _examples: usize, _done: usize, _programs: u64) {}

    /// Exploration has come to its end, or was stopped.
    fn explored(&mut self) {}

    /// Memories were read from a store, of which some may not have been taken over.
    fn loaded(&mut self, _store: &Path, _stale: &Stale) {}
}

/// Nobody looks, but it can be stopped.
impl Watch for Progress {
    fn progress(&self) -> &Progress {
        self
    }
}

/// What a new run begins with, beside its questions.
pub struct Beginning {
    /// The programs that are in memory, example by example.
    pub memories: Vec<Memory>,
    /// Word vectors; without them, all vectors are trained.
    pub vectors: Option<Arc<Vectors>>,
    /// A published encoder to read beneath the network.
    pub encoder: Option<Published>,
}

impl Beginning {
    /// What the configuration of a run names: the programs of its stores, or what exploration finds, which is
    /// kept in `own_stores`, so that a run that is stopped meanwhile goes on too.
    pub(super) fn of(
        config: &RunConfig,
        questions: &Questions,
        own_stores: &[PathBuf],
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let RunConfig { run, settings } = config;
        let pool = pool(run.threads)?;
        let mut memories = Vec::with_capacity(questions.train.len());
        let parts = run.parts.iter().zip(questions.train_of_each()).zip(own_stores);
        for ((part, train), own_store) in parts {
            let is_open = settings.needs_memories() && train.iter().any(|example| example.known.is_none());
            let store = part.memory.as_ref().unwrap_or(own_store);
            if is_open && part.memory.is_none() {
                explore_into(own_store, config, part, run.seed, train, &pool, watch)?;
            }
            match is_open {
                true => {
                    let load = || memories::load(store, train, &part.reading, settings.belief);
                    let loaded = pool.install(load)?;
                    watch.loaded(store, &loaded.stale);
                    memories.extend(loaded.memories);
                }
                false => memories.resize(memories.len() + train.len(), Memory::default()),
            }
        }
        let vectors = run.vectors.as_deref().map(vocabulary::read_vectors);
        Ok(Self {
            memories,
            vectors: vectors.transpose()?.map(Arc::new),
            encoder: run.encoder.as_deref().map(Published::read).transpose()?,
        })
    }

    /// What exploration finds now, kept nowhere else, and no word vectors.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn explored(config: &RunConfig, train: &[Example], watch: &mut dyn Watch) -> Result<Self> {
        let RunConfig { run, settings } = config;
        let (programs, pruning) = (settings.explore_first.programs, settings.pruning()?);
        let pool = pool(run.threads)?;
        watch.exploring(train.len(), 0, programs);
        let progress = watch.progress();
        let found = pool.install(|| memories::explore(train, programs, pruning, run.seed, progress));
        watch.explored();
        Ok(Self {
            memories: found.ok_or(Error::StoppedExploring { left: train.len() })?,
            vectors: None,
            encoder: None,
        })
    }
}

impl<'a> Trainer<'a> {
    /// A new run. Its network is the model that its configuration names, or a new one over the words of its
    /// questions.
    ///
    /// # Errors
    /// If settings make no sense, a memory does not fit its example, or a model cannot be read.
    pub fn begin(config: &'a RunConfig, questions: &'a Questions, beginning: Beginning) -> Result<Self> {
        let RunConfig { run, settings } = config;
        let Beginning {
            memories,
            vectors,
            encoder,
        } = beginning;
        let (seed, threads) = (run.seed, run.threads);
        match &run.init {
            Some(model) => {
                let (network, card) = load(model, true)?;
                let known = card.functions().map_err(mapo_model::Error::from)?;
                let network = knowing(network, &known, &run.functions, seed)?;
                let network = match settings.encoder {
                    Some(encoder) => network.with_trained_encoder(encoder.trained)?,
                    None => network,
                };
                Self::with_network(settings, seed, threads, network, questions, memories)
            }
            None => {
                let mut words = settings.network.words(&questions.train, vectors.as_deref())?;
                match encoder {
                    Some(encoder) => words = Arc::new(Words::clone(&words).with_published(encoder)),
                    None if settings.encoder.is_some() => return Err(Error::NoEncoder),
                    None => {}
                }
                Self::new(settings, seed, threads, &words, questions, memories)
            }
        }
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().map_err(Error::Pool)
}

/// Explores the questions of a dataset of a run into a store, or goes on with what is there of it; a complete
/// store stays. Questions whose programs are known are left out.
///
/// # Errors
/// If it was stopped, or the store cannot be written or is another's.
pub(crate) fn explore_into(
    store: &Path,
    config: &RunConfig,
    part: &Part,
    seed: u64,
    train: &[Example],
    pool: &rayon::ThreadPool,
    watch: &mut dyn Watch,
) -> Result<()> {
    if store.exists() {
        return Ok(());
    }
    let open: Vec<&Example> = train.iter().filter(|example| example.known.is_none()).collect();
    let selection = part.selection(&part.split, part.limit, config.run.functions);
    let (programs, pruning) = part.exploration(&config.settings)?;
    let how = (programs, pruning, seed);
    let header = filling::header(&part.dataset()?, &selection, &open, how.0, how.1, how.2);
    let (mut writer, mut entries) = StoreWriter::open(store, &header)?;
    watch.exploring(open.len(), entries.len(), how.0);
    let progress = watch.progress();
    let ending = pool.install(|| filling::fill(&open, how, Some(&mut writer), &mut entries, progress));
    watch.explored();
    match ending? {
        Ending::Finished => Ok(writer.finish()?),
        Ending::Stopped => Err(Error::StoppedExploring {
            left: open.len() - entries.len(),
        }),
    }
}
