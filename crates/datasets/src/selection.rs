//! What of a dataset is wanted and how it is read, and what can go wrong.

use crate::example::Example;
use crate::reading::ReadingChoice;
use crate::{scoring, wikisql};
use mapo_language::Lexicon;
use mapo_tables::TableError;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Which examples of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The split; each dataset has a first choice.
    pub split: Option<String>,
    /// Only this many, from the first.
    pub limit: Option<usize>,
    /// How it is to be read; each dataset has a first choice.
    pub reading: ReadingChoice,
    /// The functions that whoever answers knows, a model or a run; the dataset's when not given.
    pub functions: Option<Lexicon>,
    /// Only these examples, looked for in the whole dataset when no split is named.
    pub ids: Option<Arc<HashSet<String>>>,
}

impl Selection {
    pub(crate) fn wants(&self, id: &str) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains(id))
    }
}

/// Examples, in the order of the dataset.
pub type Examples = Box<dyn Iterator<Item = Result<Example, DatasetError>> + Send>;

/// Why a dataset cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file of the dataset is not there or cannot be read.
    #[error("{}: {source}; {layout}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What the dataset should look like.
        layout: &'static str,
    },
    /// A line of a file is not what it should be.
    #[error("{}, line {line}: {problem}", .file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The dataset has no such split.
    #[error("{dataset} has no split '{split}'; it has {known}")]
    Split {
        /// The dataset.
        dataset: String,
        /// What was asked for.
        split: String,
        /// What there is.
        known: String,
    },
    /// The dataset has no annotation of that kind.
    #[error("{dataset} has no CoreNLP annotation; use --reader mapo")]
    Reader {
        /// The dataset.
        dataset: String,
    },
    /// A correction that cannot be kept.
    #[error("{0}")]
    Correction(String),
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] mapo_files::Error),
    /// A table cannot be loaded.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file of WikiSQL cannot be read.
    #[error(transparent)]
    WikiSql(#[from] wikisql::files::Error),
    /// A prediction file in the format of WikiTableQuestions cannot be read.
    #[error(transparent)]
    Predictions(#[from] scoring::wtq::predictions::Error),
    /// A prediction file in the format of WikiSQL cannot be read.
    #[error(transparent)]
    WikiSqlPredictions(#[from] scoring::wikisql::predictions::Error),
}
