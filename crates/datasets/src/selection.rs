//! What of a dataset is wanted and how it is read, and what can go wrong.

use crate::example::Example;
use crate::wikisql;
use mapo_language::{Fit, Lexicon};
use mapo_questions::Linking;
use mapo_tables::TableError;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Whose annotation of questions and cells is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reader {
    /// CoreNLP's tags, which WikiTableQuestions comes with.
    CoreNlp,
    /// Our own reader, for any text.
    Mapo,
}

impl FromStr for Reader {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "corenlp" => Ok(Reader::CoreNlp),
            "mapo" => Ok(Reader::Mapo),
            _ => Err(format!("there is no reader '{name}'; it is corenlp or mapo")),
        }
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reader::CoreNlp => "corenlp",
            Reader::Mapo => "mapo",
        })
    }
}

/// Which examples of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The split; each dataset has a first choice.
    pub split: Option<String>,
    /// Only so many, from the first.
    pub limit: Option<usize>,
    /// Whose annotation; the dataset's own where it has one.
    pub reader: Option<Reader>,
    /// How strings of questions are found in cells; each dataset has a first choice.
    pub linking: Option<Linking>,
    /// Where values must stand to be offered; each dataset has a first choice.
    pub fit: Option<Fit>,
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
    /// A table cannot be loaded.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file of WikiSQL cannot be read.
    #[error(transparent)]
    WikiSql(#[from] wikisql::files::Error),
}

/// The splits for which a folder has a file, to name them in an error.
pub(crate) fn known_splits(folder: &Path, ending: &str, extra: &[&str]) -> String {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let mut splits: Vec<String> = names
        .filter_map(|name| name.strip_suffix(ending).map(str::to_owned))
        .collect();
    splits.retain(|split| !split.contains('.'));
    splits.extend(extra.iter().map(|split| (*split).to_owned()));
    splits.sort();
    match splits.is_empty() {
        true => "none here".to_owned(),
        false => splits.join(", "),
    }
}
