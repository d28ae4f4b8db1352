//! Datasets: questions with their tables and answers, from the benchmarks' files, from one's own, or generated.

use crate::example::Example;
use crate::selection::{DatasetError, Examples, Reader, Selection};
use crate::sources::{jsonl, toy, wikisql, wtq};
use mapo_language::{Fit, Language, Lexicon};
use mapo_questions::Linking;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

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

    /// The name without the folder, which means nothing on another machine: `wtq`, `jsonl:questions.jsonl`.
    pub fn name(&self) -> String {
        match self {
            Dataset::JsonLines(file) => {
                format!("jsonl:{}", file.file_name().unwrap_or_default().to_string_lossy())
            }
            _ => self.kind().to_owned(),
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
        let (fit, functions) = (self.fit(selection), self.functions(selection));
        let fitting = move |example: Example| example.fitting(fit).known_as(functions);
        let examples = examples.map(move |example| example.map(fitting));
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

    /// The functions that programs are numbered with: the paper's, where its figures are to be met again; all that there
    /// are for questions of one's own.
    pub fn functions(&self, selection: &Selection) -> Lexicon {
        selection.functions.unwrap_or_else(|| match self {
            Dataset::Toy => toy::language().lexicon,
            Dataset::Wtq(_) => Language::WIKITABLEQUESTIONS.lexicon,
            Dataset::WikiSql(_) => Language::wikisql().lexicon,
            Dataset::JsonLines(_) => Language::FULL.lexicon,
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
