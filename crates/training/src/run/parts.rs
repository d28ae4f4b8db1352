//! The datasets of a run, each with its own reading, its store of programs and its share of the visits.

use mapo_core::Group;
use mapo_datasets::{Dataset, DatasetError, Example, Pruning, Reading, Selection};
use mapo_language::Lexicon;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use crate::run::config::Origin;
use crate::settings::Settings;
use crate::{Error, Result};

/// A dataset that a run learns from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What it is called where figures are told; the dataset's own name when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The dataset, as on the command line.
    pub data: String,
    /// The part of the visited questions that are its own, beside the weights of the others.
    pub weight: f64,
    /// The split to train on.
    pub split: String,
    /// The split to choose by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dev_split: Option<String>,
    /// Only this many of its questions are asked while the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dev_limit: Option<usize>,
    /// How questions and tables are read.
    #[serde(flatten)]
    pub reading: Reading,
    /// Only this many training examples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// The store of the programs to begin with; without one, the run explores first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<PathBuf>,
    /// How many programs are tried for each of its questions before training, if not as the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<u64>,
    /// Which functions are tried then, if not as the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruning: Option<String>,
}

impl Part {
    /// What a selection of a dataset names, with no split to choose by.
    pub fn new(data: &Dataset, selection: &Selection) -> Self {
        Self {
            split: data.split(selection).to_owned(),
            limit: selection.limit,
            ..Self::plain(data.to_string(), data.reading(selection))
        }
    }

    /// A dataset of which nothing else is said.
    pub(crate) fn plain(data: String, reading: Reading) -> Self {
        Self {
            name: None,
            data,
            weight: 1.0,
            split: String::new(),
            dev_split: None,
            dev_limit: None,
            reading,
            limit: None,
            memory: None,
            programs: None,
            pruning: None,
        }
    }

    /// Whether nothing is said of it that only a dataset among several needs.
    pub(super) fn is_plain(&self) -> bool {
        let Self {
            name,
            weight,
            dev_limit,
            programs,
            pruning,
            ..
        } = self;
        let is_explored_as_set = programs.is_none() && pruning.is_none();
        name.is_none() && *weight == 1.0 && dev_limit.is_none() && is_explored_as_set
    }

    /// What it is called where figures are told.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| Dataset::name_of(&self.data))
    }

    /// The dataset.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn dataset(&self) -> Result<Dataset> {
        self.data.parse().map_err(Error::Dataset)
    }

    /// A split, read as the run reads its own, for who knows these functions.
    pub fn selection(&self, split: &str, limit: Option<usize>, functions: Lexicon) -> Selection {
        Selection {
            split: Some(split.to_owned()),
            limit,
            reading: self.reading.into(),
            functions: Some(functions),
            ids: None,
        }
    }

    /// The examples of a split, read as the run reads its own, for who knows these functions.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn examples(&self, split: &str, limit: Option<usize>, functions: Lexicon) -> Result<Vec<Example>> {
        let selection = self.selection(split, limit, functions);
        Ok(self.dataset()?.examples(&selection)?.collect::<Result<_, _>>()?)
    }

    /// How many programs are tried for each question before training, and which functions.
    ///
    /// # Errors
    /// If there is no such pruning.
    pub fn exploration(&self, settings: &Settings) -> Result<(u64, Pruning)> {
        let programs = self.programs.unwrap_or(settings.explore_first.programs);
        let pruning = match &self.pruning {
            Some(name) => name.parse().map_err(Error::Settings)?,
            None => settings.pruning()?,
        };
        Ok((programs, pruning))
    }
}

/// What a run learns from and is measured by.
#[derive(Debug)]
pub struct Questions {
    /// The questions to train on.
    pub train: Vec<Example>,
    /// The questions to choose by; none where there is no such split.
    pub dev: Vec<Example>,
    /// To which dataset they belong, in their order; empty where there is only one.
    pub portions: Vec<Portion>,
}

/// The questions of one dataset of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Portion {
    /// The dataset's name.
    pub name: String,
    /// Its part of the visits.
    pub weight: f64,
    /// How many questions to train on are its own.
    pub train: usize,
    /// How many questions to choose by.
    pub dev: usize,
    /// Whether the model is chosen by them.
    pub chooses: bool,
}

impl Questions {
    /// Those of one dataset.
    pub fn new(train: Vec<Example>, dev: Vec<Example>) -> Self {
        Self {
            train,
            dev,
            portions: Vec::new(),
        }
    }

    /// The groups in which actors visit them.
    pub(super) fn groups(&self) -> Vec<Group> {
        let group = |portion: &Portion| Group {
            examples: portion.train,
            weight: portion.weight,
        };
        self.portions.iter().map(group).collect()
    }

    /// The questions to train on, dataset by dataset.
    pub(super) fn train_of_each(&self) -> Vec<&[Example]> {
        match self.portions.is_empty() {
            true => vec![&self.train],
            false => divided(&self.train, self.portions.iter().map(|portion| portion.train)),
        }
    }

    /// The questions to choose by, dataset by dataset.
    pub(super) fn dev_of_each(&self) -> impl Iterator<Item = (&Portion, &[Example])> {
        let dev = divided(&self.dev, self.portions.iter().map(|portion| portion.dev));
        self.portions.iter().zip(dev)
    }
}

/// Cuts a list into pieces of these lengths.
fn divided<T>(all: &[T], lengths: impl Iterator<Item = usize>) -> Vec<&[T]> {
    let mut rest = all;
    let piece = |length: usize| {
        let (piece, left) = rest.split_at(length.min(rest.len()));
        rest = left;
        piece
    };
    lengths.map(piece).collect()
}

impl Origin {
    /// The questions to train on and to choose by. Programs that a dataset names for its questions are
    /// tried.
    ///
    /// # Errors
    /// If the data cannot be read, or a program does not answer its question.
    pub fn questions(&self) -> Result<Questions> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
        pool.build().map_err(Error::Pool)?.install(|| self.read())
    }

    fn read(&self) -> Result<Questions> {
        // Train and dev of each dataset, side by side.
        let wanted = self.parts.iter().flat_map(|part| [(part, false), (part, true)]);
        let read = |(part, is_dev): (&Part, bool)| -> Result<Vec<Example>> {
            match (is_dev, part.dev_split.as_deref()) {
                (false, _) => part.examples(&part.split, part.limit, self.functions),
                (true, Some(dev)) => part.examples(dev, part.dev_limit, self.functions),
                (true, None) => Ok(Vec::new()),
            }
        };
        let wanted: Vec<(&Part, bool)> = wanted.collect();
        let mut read: Vec<Vec<Example>> = wanted.into_par_iter().map(read).collect::<Result<_>>()?;
        let check = |example: &Example| -> Result<(), DatasetError> { example.known_programs().map(|_| ()) };
        for train in read.iter().step_by(2) {
            train.par_iter().try_for_each(check)?;
        }
        if let [_] = &self.parts[..] {
            let (dev, train) = (read.pop(), read.pop());
            return Ok(Questions::new(train.unwrap_or_default(), dev.unwrap_or_default()));
        }
        let mut questions = Questions::new(Vec::new(), Vec::new());
        let mut read = read.into_iter();
        for part in &self.parts {
            let (train, dev) = (read.next().unwrap_or_default(), read.next().unwrap_or_default());
            let name = part.name();
            if train.is_empty() {
                let split = part.split.clone();
                return Err(Error::EmptySplit { data: name, split });
            }
            questions.portions.push(Portion {
                chooses: self.choose_by.as_ref().is_none_or(|chosen| *chosen == name),
                name,
                weight: part.weight,
                train: train.len(),
                dev: dev.len(),
            });
            questions.train.extend(train);
            questions.dev.extend(dev);
        }
        Ok(questions)
    }
}
