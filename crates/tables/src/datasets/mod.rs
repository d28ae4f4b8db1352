//! Datasets: questions with their tables and answers, from the benchmarks' files, from one's own, or generated.

mod example;
mod jsonl;
mod lines;
pub mod toy;
pub mod wikisql;
mod wtq;

pub use example::{Answer, AnswerKind, Example, Purpose};

use crate::language::Fit;
use crate::question::Linking;
use crate::table::TableError;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Which dataset: `toy`, `wtq:DIR`, `wikisql:DIR` or `jsonl:FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// The built-in one, see [`toy`].
    Toy,
    /// WikiTableQuestions, in a folder of its official layout.
    Wtq(PathBuf),
    /// WikiSQL, in a folder of its official layout.
    WikiSql(PathBuf),
    /// Questions of one's own: `{"table": "path.csv", "question": …, "answer": […]}`, one in a line.
    JsonLines(PathBuf),
}

impl FromStr for Dataset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let (kind, path) = name.split_once(':').unwrap_or((name, ""));
        let needs = |what: &str| match path {
            "" => Err(format!("'{kind}' needs a {what}: {kind}:{}", what.to_uppercase())),
            path => Ok(PathBuf::from(path)),
        };
        match kind {
            "toy" if path.is_empty() => Ok(Dataset::Toy),
            "wtq" => Ok(Dataset::Wtq(needs("dir")?)),
            "wikisql" => Ok(Dataset::WikiSql(needs("dir")?)),
            "jsonl" => Ok(Dataset::JsonLines(needs("file")?)),
            _ => Err(format!(
                "there is no dataset '{name}'; name toy, wtq:DIR, wikisql:DIR or jsonl:FILE"
            )),
        }
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dataset::Toy => f.write_str("toy"),
            Dataset::Wtq(path) => write!(f, "wtq:{}", path.display()),
            Dataset::WikiSql(path) => write!(f, "wikisql:{}", path.display()),
            Dataset::JsonLines(path) => write!(f, "jsonl:{}", path.display()),
        }
    }
}

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
    /// Only these examples, looked for in the whole dataset when no split is named.
    pub ids: Option<Arc<HashSet<String>>>,
}

impl Selection {
    fn wants(&self, id: &str) -> bool {
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

impl Dataset {
    /// The kind of dataset, without where it is: `toy`, `wtq`, `wikisql`, `jsonl`.
    pub fn kind(&self) -> &'static str {
        match self {
            Dataset::Toy => "toy",
            Dataset::Wtq(_) => "wtq",
            Dataset::WikiSql(_) => "wikisql",
            Dataset::JsonLines(_) => "jsonl",
        }
    }

    /// The examples that a selection names.
    pub fn examples(&self, selection: &Selection) -> Result<Examples, DatasetError> {
        let splits = match (&selection.split, &selection.ids) {
            (None, Some(_)) => self.whole(),
            _ => vec![self.split(selection)],
        };
        let parts = splits.into_iter().map(|split| self.part(split, selection));
        let examples = parts.collect::<Result<Vec<Examples>, _>>()?.into_iter().flatten();
        let fit = self.fit(selection);
        let examples = examples.map(move |example| example.map(|example| example.fitting(fit)));
        Ok(match selection.limit {
            Some(limit) => Box::new(examples.take(limit)),
            None => Box::new(examples),
        })
    }

    fn part(&self, split: &str, selection: &Selection) -> Result<Examples, DatasetError> {
        match self {
            Dataset::Wtq(folder) => {
                let linking = self.linking(selection);
                wtq::examples(folder, split, self.reader(selection), linking, selection.clone())
            }
            _ if selection.reader == Some(Reader::CoreNlp) => Err(DatasetError::Reader {
                dataset: self.to_string(),
            }),
            Dataset::Toy => toy::examples(split, self.linking(selection), selection.clone()),
            Dataset::WikiSql(folder) => {
                wikisql::examples(folder, split, self.linking(selection), selection.clone())
            }
            Dataset::JsonLines(file) => {
                jsonl::examples(file, split, self.linking(selection), selection.clone())
            }
        }
    }

    /// The splits that together hold every example once, as far as they are here.
    fn whole(&self) -> Vec<&'static str> {
        let (folder, ending, splits) = match self {
            Dataset::Wtq(folder) => (
                folder.join("data"),
                ".tsv",
                &["training", "pristine-seen-tables", "pristine-unseen-tables"][..],
            ),
            Dataset::WikiSql(folder) => (folder.clone(), ".jsonl", &["train", "dev", "test"][..]),
            Dataset::Toy => return toy::Split::ALL.map(toy::Split::name).to_vec(),
            Dataset::JsonLines(_) => return vec!["all"],
        };
        let here = |split: &&&str| folder.join(format!("{split}{ending}")).exists();
        let mut here: Vec<&str> = splits.iter().filter(here).copied().collect();
        if here.is_empty() {
            here.push(splits[0]); // opening it gives the right error
        }
        here
    }

    /// The split that a selection means.
    pub fn split<'a>(&self, selection: &'a Selection) -> &'a str {
        let first = match self {
            Dataset::Wtq(_) => "training",
            Dataset::Toy | Dataset::WikiSql(_) => "train",
            Dataset::JsonLines(_) => "all",
        };
        selection.split.as_deref().unwrap_or(first)
    }

    /// The split to train on and the one to choose a model by, where none are named. For questions of one's own that is
    /// what the file has: the splits that its lines name, or else some of its tables kept apart.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn training_splits(&self) -> Result<(String, Option<String>), DatasetError> {
        let (train, dev) = match self {
            Dataset::Toy | Dataset::WikiSql(_) => ("train", Some("dev")),
            Dataset::Wtq(_) => ("training", Some("random-split-1-dev")),
            Dataset::JsonLines(file) => match jsonl::Splits::of(file)?.has_train_and_dev() {
                (true, true) => ("train", Some("dev")),
                (true, false) => ("train", None),
                (false, true) | (false, false) => ("all", None),
            },
        };
        Ok((train.to_owned(), dev.map(str::to_owned)))
    }

    /// The reader that a selection means: the dataset's own annotation where it has one.
    pub fn reader(&self, selection: &Selection) -> Reader {
        selection.reader.unwrap_or(match self {
            Dataset::Wtq(_) => Reader::CoreNlp,
            _ => Reader::Mapo,
        })
    }

    /// How a selection's questions are linked with their tables: widely where people wrote them freely.
    pub fn linking(&self, selection: &Selection) -> Linking {
        selection.linking.unwrap_or(match self {
            Dataset::Wtq(_) | Dataset::JsonLines(_) => Linking::Wide,
            Dataset::Toy | Dataset::WikiSql(_) => Linking::Paper,
        })
    }

    /// Where values must stand to be offered: anywhere in the table where the answer may be nothing.
    pub fn fit(&self, selection: &Selection) -> Fit {
        selection.fit.unwrap_or(match self {
            Dataset::WikiSql(_) => Fit::Table,
            Dataset::Toy | Dataset::Wtq(_) | Dataset::JsonLines(_) => Fit::Rows,
        })
    }
}

/// The splits for which a folder has a file, to name them in an error.
fn known_splits(folder: &Path, ending: &str, extra: &[&str]) -> String {
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
