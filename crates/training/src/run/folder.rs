//! A run's directory: its configuration, what was measured, its models, and everything it needs to go on.
//!
//! | file | holds |
//! |---|---|
//! | `config.toml` | data, seed, threads and settings; from here on the run can be resumed |
//! | `programs.jsonl` | what was found before training, if that was part of the run; `.partial` while it grows; of several datasets `programs-1.jsonl`, … |
//! | `start.safetensors` | the model with which training began; all checkpoints have its words |
//! | `metrics.jsonl` | one line for each evaluation |
//! | `events.out.tfevents.…` | the same for TensorBoard, a file for each time the run was started |
//! | `best.safetensors` | the best model on the dev split |
//! | `memory.jsonl` | every program that joined a memory, before which step; only ever appended to |
//! | `explored-N.json` | the explored sets at step N |
//! | `actors-N.json` | what else actors know at step N: last scores, each shard's rounds, batches that wait |
//! | `last.json` | which checkpoint is the last; without that one the run is not taken up |
//! | `checkpoint-N.safetensors` | parameters, optimiser and averages at step N; written last, for all of them |
//!
//! With several threads the actors of a run that goes on have the learner's newest parameters at once, which
//! may be a few steps newer than those that they would have had.

use mapo_core::{Action, ExploredSet, Memory, MemoryStore};
use mapo_datasets::{Example, Fingerprint};
use mapo_files::Lock;
use mapo_model::file::load;
use mapo_programmer::{Checkpoint, Network, Vectors, Words};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::run::actors::Actors;
use crate::run::config::RunConfig;
use crate::run::events::Events;
use crate::run::metrics::Metrics;
use crate::run::{Best, Trainer};
use crate::{Error, Result};

/// A run's directory.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Of what the actors of this process found in each shard, how much is in the log; none before the
    /// memories with which the run began are in it.
    logged: Option<Vec<usize>>,
    /// Held from the moment on at which files are read or written to go on with.
    lock: Option<Lock>,
    /// For TensorBoard; begun with the first line of metrics of this process.
    events: Option<Events>,
}

/// A line of `memory.jsonl`.
#[derive(Serialize, Deserialize)]
struct Joined {
    step: u64,
    example: u64,
    programs: Vec<Vec<Action>>,
    /// How far they are believed, where the run began with such programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    priors: Vec<f32>,
}

/// What a run left to go on from.
#[derive(Debug)]
pub struct Saved {
    /// Its network, optimiser and averages.
    pub checkpoint: Checkpoint,
    /// The memories, in the order of the examples.
    pub memories: Vec<Memory>,
    /// The explored sets.
    pub explored: Vec<ExploredSet>,
    /// What else the actors know.
    pub actors: Actors,
    /// The best model so far.
    pub best: Option<Best>,
}

#[derive(Serialize, Deserialize)]
struct Notes {
    best: Option<BestNote>,
    /// The file with all of the words.
    #[serde(default)]
    words: Option<String>,
    /// The other files at this step, so that what has changed since is found; none in runs from before.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    beside: BTreeMap<String, Sum>,
    /// The questions, answers and tables that it trains on; none in runs from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Fingerprint>,
}

/// The length of a file, or of its beginning, and its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sum {
    bytes: u64,
    crc32c: u32,
}

impl Sum {
    fn of(content: &[u8]) -> Self {
        Sum {
            bytes: content.len() as u64,
            crc32c: crc32c::crc32c(content),
        }
    }
}

/// Which checkpoint was the last to be complete.
#[derive(Serialize, Deserialize)]
struct Last {
    step: u64,
    /// Files at that step that tell times and places, for the checkpoints of equal runs are to be equal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    beside: BTreeMap<String, Sum>,
}

#[derive(Serialize, Deserialize)]
struct BestNote {
    step: u64,
    accuracy: Option<f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    each: BTreeMap<String, f64>,
}

const CONFIG: &str = "config.toml";
const METRICS: &str = "metrics.jsonl";
const MEMORY: &str = "memory.jsonl";
const BEST: &str = "best.safetensors";
const START: &str = "start.safetensors";
const LAST: &str = "last.json";
const LOCK: &str = ".lock";

impl Folder {
    /// Makes the directory of a new run.
    ///
    /// # Errors
    /// If there is a run in it already, or it cannot be written.
    pub fn create(path: &Path, config: &RunConfig) -> Result<Self> {
        let mut folder = Self::at(path);
        std::fs::create_dir_all(path).map_err(|source| folder.io("", source))?;
        folder.lock()?;
        if path.join(CONFIG).exists() {
            return Err(Error::Run {
                file: path.to_owned(),
                problem: "there is a run here already; go on with --resume, or choose another directory"
                    .to_owned(),
            });
        }
        let text =
            toml::to_string_pretty(config).map_err(|error| folder.wrong(CONFIG, &error.to_string()))?;
        // What an earlier run left that was killed before it had a configuration.
        for left in [METRICS, MEMORY, START, LAST] {
            let _ = std::fs::remove_file(path.join(left));
        }
        for part in std::iter::once(None).chain((0..config.run.parts.len()).map(Some)) {
            let name = programs_name(part);
            let _ = std::fs::remove_file(path.join(format!("{name}.partial")));
            let _ = std::fs::remove_file(path.join(name));
        }
        folder.write(CONFIG, text.as_bytes())?;
        Ok(folder)
    }

    /// Opens the directory of a run that was begun.
    ///
    /// # Errors
    /// If there is none, or its configuration cannot be read.
    pub fn open(path: &Path) -> Result<(Self, RunConfig)> {
        let folder = Self::at(path);
        let text = std::fs::read_to_string(path.join(CONFIG)).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Run {
                file: path.to_owned(),
                problem: format!(
                    "there is no run here to go on with; begin one: mapo train --data DATASET --run {}",
                    path.display()
                ),
            },
            _ => folder.io(CONFIG, source),
        })?;
        let config = toml::from_str(&text).map_err(|error| folder.wrong(CONFIG, error.message()))?;
        Ok((folder, config))
    }

    /// Opens the directory of a run, or makes it if it is not there. Which threads a run began with, it goes
    /// on with: the configuration that comes back says so.
    ///
    /// # Errors
    /// If the directory holds another run, or cannot be read or written.
    pub fn open_or_create(path: &Path, config: RunConfig) -> Result<(Self, RunConfig)> {
        if !path.join(CONFIG).exists() {
            return Ok((Self::create(path, &config)?, config));
        }
        let (folder, found) = Self::open(path)?;
        let mut same = config;
        same.run.threads = found.run.threads;
        match found == same {
            true => Ok((folder, found)),
            false => Err(Error::Run {
                file: path.to_owned(),
                problem: "holds a run with other settings or other data; choose another directory".to_owned(),
            }),
        }
    }

    /// Takes the configuration away from a run that could not begin, so that the same directory can be used
    /// again.
    pub(super) fn abandon(path: &Path) {
        if matches!(Self::at(path).checkpoints().as_deref(), Ok([])) {
            // The error that matters is why it could not begin.
            let _ = std::fs::remove_file(path.join(CONFIG));
        }
    }

    /// Keeps other processes out, as long as this lives.
    fn lock(&mut self) -> Result<()> {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.path, LOCK)?);
            mapo_files::sweep(&self.path);
        }
        Ok(())
    }

    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            logged: None,
            lock: None,
            events: None,
        }
    }

    /// Where exploration before training keeps what it finds for a dataset, by its place among those of the
    /// run; nothing stands for the only one.
    pub fn programs(&self, part: Option<usize>) -> PathBuf {
        self.path.join(programs_name(part))
    }

    /// The model with which the run began.
    pub fn start(&self) -> PathBuf {
        self.path.join(START)
    }

    /// The run's best model.
    pub fn best(&self) -> PathBuf {
        self.path.join(BEST)
    }

    /// Adds a line to `metrics.jsonl` and the same numbers to TensorBoard's file, which is begun with the
    /// first.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn measured(&mut self, metrics: &Metrics) -> Result<()> {
        let line = serde_json::to_string(metrics).map_err(|error| self.wrong(METRICS, &error.to_string()))?;
        self.append(METRICS, &[line])?;
        let events = match &mut self.events {
            Some(events) => Ok(events),
            none => Events::create(&self.path, metrics.step).map(|events| none.insert(events)),
        };
        let written = events.and_then(|events| events.push(metrics.step, metrics.scalars()));
        written.map_err(|source| self.io("events.out.tfevents", source))
    }

    /// Keeps the best model, with its card.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save_best(&self, best: &Best) -> Result<()> {
        let (_, config) = Self::open(&self.path)?;
        let notes = config.card(best)?.write()?;
        let checkpoint = Checkpoint {
            step: best.step,
            ..Checkpoint::model(Network::clone(&best.network), notes)
        };
        Ok(checkpoint.save(&self.best())?)
    }

    /// Keeps what the run needs to go on from here. An earlier checkpoint goes when this one is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&mut self, trainer: &Trainer<'_>) -> Result<()> {
        let step = trainer.step();
        self.log_memories(trainer)?;
        let explored: Vec<&ExploredSet> = trainer.tasks().map(|task| &task.explored).collect();
        let name = explored_name(step);
        let text = serde_json::to_vec(&explored).map_err(|error| self.wrong(&name, &error.to_string()))?;
        self.write(&name, &text)?;
        let mut beside = BTreeMap::from([(name, Sum::of(&text))]);
        let name = actors_name(step);
        let text =
            serde_json::to_vec(&trainer.actors()).map_err(|error| self.wrong(&name, &error.to_string()))?;
        self.write(&name, &text)?;
        beside.insert(name, Sum::of(&text));
        beside.extend(self.sums([MEMORY])?);
        let learner = trainer.learner();
        let network = learner.network();
        let start = self.path.join(START);
        if !start.exists() {
            let notes = json!({ "step": step });
            Checkpoint::model(network.clone(), notes).save(&start)?;
        }
        let notes = Notes {
            words: Some(START.to_owned()),
            data: Some(Fingerprint::of_all(&trainer.questions.train)),
            beside,
            best: trainer.best().map(|best| BestNote {
                step: best.step,
                accuracy: best.accuracy,
                each: best.each.clone(),
            }),
        };
        let name = checkpoint_name(step);
        let checkpoint = Checkpoint {
            network: with_words(network, &trained_words(network.words())?)?,
            adam: Some(learner.adam().clone()),
            average: learner.average().cloned(),
            step,
            notes: serde_json::to_value(notes).map_err(|error| self.wrong(&name, &error.to_string()))?,
        };
        checkpoint.save(&self.path.join(name))?;
        let beside = self.sums([CONFIG, METRICS])?;
        let last = serde_json::to_vec(&Last { step, beside })
            .map_err(|error| self.wrong(LAST, &error.to_string()))?;
        self.write(LAST, &last)?;
        // Also what a process left that was killed before its checkpoint was complete.
        for name in [checkpoint_name, explored_name, actors_name] {
            for old in self.steps(name)?.into_iter().filter(|&old| old != step) {
                // Another is there: what cannot be removed does no harm.
                let _ = std::fs::remove_file(self.path.join(name(old)));
            }
        }
        Ok(())
    }

    /// Keeps a batch that could not be learnt from.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save_batch(&self, step: u64, batch: &mapo_core::TrainingBatch) -> Result<PathBuf> {
        let name = format!("broken-batch-{step}.json");
        let text = serde_json::to_vec_pretty(batch).map_err(|error| self.wrong(&name, &error.to_string()))?;
        self.write(&name, &text)?;
        Ok(self.path.join(name))
    }

    /// What the run left, if it came to a checkpoint; `train` is what it trains on. Lines that were written after it are cut off.
    ///
    /// # Errors
    /// If a file is missing or does not hold what it should.
    pub fn load(&mut self, train: &[Example]) -> Result<Option<Saved>> {
        self.lock()?;
        let examples = train.len();
        let step = self.checkpoints()?.into_iter().max();
        if let Some(last) = self.read_if_there(LAST)? {
            let last: Last =
                serde_json::from_slice(&last).map_err(|error| self.wrong(LAST, &error.to_string()))?;
            if step.is_none_or(|step| step < last.step) {
                let problem = format!(
                    "is missing, with which the run would go on; put it back, or remove {LAST} to go on from {}",
                    step.map_or("the beginning".to_owned(), checkpoint_name)
                );
                return Err(self.wrong(&checkpoint_name(last.step), &problem));
            }
            for (name, sum) in &last.beside {
                self.check(name, *sum, last.step)?;
            }
        }
        let Some(step) = step else {
            for file in [METRICS, MEMORY, START] {
                let _ = std::fs::remove_file(self.path.join(file));
            }
            return Ok(None);
        };
        let name = checkpoint_name(step);
        let mut checkpoint = Checkpoint::load(&self.path.join(&name), true)?;
        let notes: Notes = serde_json::from_value(checkpoint.notes.clone())
            .map_err(|error| self.wrong(&name, &error.to_string()))?;
        if notes.data.is_some_and(|data| data != Fingerprint::of_all(train)) {
            let problem = "the questions, answers or tables to train on are not those of this run any more; \
                           put them back, or begin another run with --init";
            return Err(self.wrong("", problem));
        }
        if let Some(words) = &notes.words {
            let start = Checkpoint::load(&self.path.join(words), false)?;
            checkpoint.network = with_words(&checkpoint.network, &start.network.shared_words())?;
        }
        for (name, sum) in &notes.beside {
            self.check(name, *sum, step)?;
        }
        let memories = self.read_memories(step, examples)?;
        self.logged = Some(Vec::new());
        self.cut(METRICS, |line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            line["step"].as_u64().filter(|&measured| measured <= step)
        })?;
        let name = explored_name(step);
        let text = std::fs::read(self.path.join(&name)).map_err(|source| self.io(&name, source))?;
        let explored: Vec<ExploredSet> =
            serde_json::from_slice(&text).map_err(|error| self.wrong(&name, &error.to_string()))?;
        if explored.len() != examples {
            let problem = format!(
                "holds {} examples, but the data has {examples} now",
                explored.len()
            );
            return Err(self.wrong(&name, &problem));
        }
        let name = actors_name(step);
        let actors = match std::fs::read(self.path.join(&name)) {
            Ok(text) => {
                serde_json::from_slice(&text).map_err(|error| self.wrong(&name, &error.to_string()))?
            }
            // Runs of earlier versions have no such file.
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Actors::default(),
            Err(source) => return Err(self.io(&name, source)),
        };
        let best = match notes.best {
            // A later model may have taken its place in the file before the run ended; then it will again.
            Some(BestNote { step, accuracy, each }) => Some(Best {
                step,
                accuracy,
                each,
                network: Arc::new(load(&self.best(), false)?.0),
            }),
            None => None,
        };
        Ok(Some(Saved {
            checkpoint,
            memories,
            explored,
            actors,
            best,
        }))
    }

    /// The checksums of those of these files that are there.
    fn sums<const N: usize>(&self, names: [&str; N]) -> Result<BTreeMap<String, Sum>> {
        let mut sums = BTreeMap::new();
        for name in names {
            if let Some(content) = self.read_if_there(name)? {
                sums.insert(name.to_owned(), Sum::of(&content));
            }
        }
        Ok(sums)
    }

    /// Whether a file, or its beginning, is what it was at a step.
    fn check(&self, name: &str, sum: Sum, step: u64) -> Result<()> {
        let content = self.read_if_there(name)?.unwrap_or_default();
        let beginning = content.get(..sum.bytes as usize);
        match beginning.map(Sum::of) == Some(sum) {
            true => Ok(()),
            false => {
                let problem = format!(
                    "is damaged: it is not what it was at step {step}; take a copy from before, or begin another run"
                );
                Err(self.wrong(name, &problem))
            }
        }
    }

    /// Appends what has joined the memories since the last time: at first the whole of them, and from then on
    /// what the actors have put into the store of memories.
    fn log_memories(&mut self, trainer: &Trainer<'_>) -> Result<()> {
        let mut new: BTreeMap<u64, (Vec<Vec<Action>>, Vec<f32>)> = BTreeMap::new();
        let mut seen = self.logged.clone().unwrap_or_default();
        seen.resize(trainer.memories().shards(), 0);
        for (shard, seen) in (0..).zip(&mut seen) {
            let found = trainer.memories().read(shard, *seen)?;
            *seen += found.len();
            if self.logged.is_some() {
                for finding in found {
                    new.entry(finding.example).or_default().0.push(finding.program);
                }
            }
        }
        if self.logged.is_none() {
            let begun = trainer.tasks().filter(|task| !task.memory.is_empty());
            new.extend(begun.map(|task| {
                let programs = task.memory.iter().map(|(program, _)| program.to_vec());
                let priors = task.memory.priors().unwrap_or_default();
                (task.example, (programs.collect(), priors.to_vec()))
            }));
        }
        let step = trainer.step();
        let line = |(example, (programs, priors))| {
            serde_json::to_string(&Joined {
                step,
                example,
                programs,
                priors,
            })
        };
        let lines: Result<Vec<String>, _> = new.into_iter().map(line).collect();
        let lines = lines.map_err(|error| self.wrong(MEMORY, &error.to_string()))?;
        self.append(MEMORY, &lines)?;
        self.logged = Some(seen);
        Ok(())
    }

    fn read_memories(&self, step: u64, examples: usize) -> Result<Vec<Memory>> {
        let mut memories = vec![Memory::default(); examples];
        let mut outside = None;
        self.cut(MEMORY, |line| {
            let joined: Joined = serde_json::from_str(line).ok()?;
            if joined.step > step {
                return None;
            }
            match memories.get_mut(joined.example as usize) {
                Some(memory) => {
                    joined.programs.iter().for_each(|program| {
                        memory.insert(program, 1.0);
                    });
                    if joined.priors.len() == memory.len() && !memory.is_empty() {
                        memory.believe(joined.priors);
                    }
                }
                None => outside = Some(joined.example),
            }
            Some(joined.step)
        })?;
        match outside {
            Some(example) => Err(self.wrong(MEMORY, &format!("example {example} is not in the data"))),
            None => Ok(memories),
        }
    }

    /// Cuts a file off before the first line that is not wanted.
    fn cut(&self, name: &str, mut wanted: impl FnMut(&str) -> Option<u64>) -> Result<()> {
        let io = |source| self.io(name, source);
        let path = self.path.join(name);
        if !path.exists() {
            return Ok(());
        }
        let mut reader = BufReader::new(File::open(&path).map_err(io)?);
        let (mut line, mut kept) = (String::new(), 0);
        loop {
            line.clear();
            let read = reader.read_line(&mut line).map_err(io)?;
            if read == 0 || !line.ends_with('\n') || wanted(&line).is_none() {
                break;
            }
            kept += read as u64;
        }
        let file = OpenOptions::new().write(true).open(&path).map_err(io)?;
        file.set_len(kept).map_err(io)
    }

    fn checkpoints(&self) -> Result<Vec<u64>> {
        self.steps(checkpoint_name)
    }

    /// The steps of which there is a file that is named so.
    fn steps(&self, named: fn(u64) -> String) -> Result<Vec<u64>> {
        let files = std::fs::read_dir(&self.path).map_err(|source| self.io("", source))?;
        let names = files
            .flatten()
            .filter_map(|file| file.file_name().into_string().ok());
        let step = |name: String| {
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            let digits = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
            let step = digits.parse().ok()?;
            (named(step) == name).then_some(step)
        };
        Ok(names.filter_map(step).collect())
    }

    fn append(&self, name: &str, lines: &[String]) -> Result<()> {
        let io = |source| self.io(name, source);
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.path.join(name))
            .map_err(io)?;
        let mut out = BufWriter::new(file);
        for line in lines {
            writeln!(out, "{line}").map_err(io)?;
        }
        out.flush().and_then(|()| out.get_ref().sync_data()).map_err(io)
    }

    /// The content of a file that need not be there.
    fn read_if_there(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match std::fs::read(self.path.join(name)) {
            Ok(content) => Ok(Some(content)),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.io(name, source)),
        }
    }

    /// Writes a file whole or not at all.
    fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        Ok(mapo_files::write(&self.path.join(name), content)?)
    }

    fn io(&self, name: &str, source: std::io::Error) -> Error {
        Error::File {
            file: self.path.join(name),
            source,
        }
    }

    pub(crate) fn wrong(&self, name: &str, problem: &str) -> Error {
        Error::Run {
            file: self.path.join(name),
            problem: problem.to_owned(),
        }
    }
}

/// The same network over another vocabulary with the same trained words.
fn with_words(network: &Network, words: &Arc<Words>) -> Result<Network> {
    let (config, values) = (network.config().clone(), network.values().to_vec());
    Ok(Network::with_values(config, Arc::clone(words), values, true)?)
}

/// A vocabulary without its fixed vectors: those are in the model with which training began, once for all
/// checkpoints.
fn trained_words(words: &Words) -> Result<Arc<Words>> {
    let none = Vectors {
        dimensions: words.dimensions(),
        ..Vectors::default()
    };
    let names = &words.names()[..words.trained()];
    Ok(Arc::new(Words::new(names, &none, words.precision())?))
}

fn programs_name(part: Option<usize>) -> String {
    match part {
        None => "programs.jsonl".to_owned(),
        Some(part) => format!("programs-{}.jsonl", part + 1),
    }
}

fn checkpoint_name(step: u64) -> String {
    format!("checkpoint-{step}.safetensors")
}

fn actors_name(step: u64) -> String {
    format!("actors-{step}.json")
}

fn explored_name(step: u64) -> String {
    format!("explored-{step}.json")
}
