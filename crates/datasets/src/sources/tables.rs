//! Tables without questions: the questions are made.

use crate::example::{Answer, Example, Known};
use crate::reading::Reading;
use crate::selection::{DatasetError, Examples, Selection};
use crate::sources::{Source, jsonl};
use mapo_composing::{Choices, Composed, Wishes, compose};
use mapo_language::Language;
use mapo_tables::{LoadOptions, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table, or a folder of tables, about which questions are made, each with its program.
#[derive(Debug)]
pub struct Tables;

/// How many questions are made about each table for a split.
const TRAIN: usize = 500;
const DEV: usize = 60;

const LAYOUT: &str = "a table, or a folder with tables (.csv, .xlsx, .json, .parquet and others)";

/// The files of a folder that can be tables, by name; a file is itself.
///
/// # Errors
/// If the folder cannot be read, or has none.
pub fn files(place: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let io = |source| DatasetError::Io {
        file: place.to_owned(),
        source,
        layout: LAYOUT,
    };
    if !place.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let files = mapo_tables::tables_in(place).map_err(io)?;
    match files.is_empty() {
        true => Err(io(std::io::Error::other("there are no tables in this folder"))),
        false => Ok(files),
    }
}

/// A question that was made, and the same as an example.
#[derive(Clone, Debug)]
pub struct Made {
    /// The question with its program, as text.
    pub composed: Composed,
    /// The same, read; without a name.
    pub example: Example,
}

/// Makes questions about a table, `rows` of which are called so where that is known. Those whose answer would
/// not be found right are left out: `2-0` and `2–0` are one answer to the judge.
pub fn make(
    table: &Arc<Table>,
    file: &Path,
    rows: Option<(&str, &str)>,
    count: usize,
    reading: Reading,
    choices: &mut Choices,
) -> Vec<Made> {
    let wishes = Wishes {
        linking: reading.linking,
        language: reading.language(Tables.language()),
    };
    let file: Arc<Path> = file.into();
    let made = |(place, composed): (usize, Composed)| {
        let program = composed.program.parse().ok()?;
        let example = Example {
            id: String::new(),
            question: reading.question(&composed.question, table),
            table: Arc::clone(table),
            answer: Answer::own(composed.answer.clone()),
            language: wishes.language,
            known: Some(Known {
                programs: vec![program],
                file: Arc::clone(&file),
                line: place + 1,
            }),
        };
        example
            .known_programs()
            .is_ok()
            .then_some(Made { composed, example })
    };
    let composed = compose(table, rows, count, wishes, choices);
    composed.into_iter().enumerate().filter_map(made).collect()
}

impl Source for Tables {
    fn kind(&self) -> &'static str {
        "tables"
    }

    fn place(&self) -> Option<&'static str> {
        Some("folder")
    }

    fn name(&self, place: &Path) -> String {
        let name = place.file_name().unwrap_or_default();
        format!("{}:{}", self.kind(), name.to_string_lossy())
    }

    fn first_split(&self) -> &'static str {
        "train"
    }

    fn whole(&self, _place: &Path) -> Vec<&'static str> {
        vec!["train", "dev"]
    }

    fn training_splits(&self, _place: &Path) -> Result<(&'static str, Option<&'static str>), DatasetError> {
        Ok(("train", Some("dev")))
    }

    fn reading(&self) -> Reading {
        jsonl::READING
    }

    fn language(&self) -> Language {
        jsonl::JsonLines.language()
    }

    fn preset(&self, from_model: bool) -> &'static str {
        jsonl::JsonLines.preset(from_model)
    }

    fn examples(
        &self,
        place: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
    ) -> Result<Examples, DatasetError> {
        // The same seed makes the same questions in every run; those of a split are drawn from another stream.
        let (count, stream) = match split {
            "train" => (TRAIN, 1),
            "dev" => (DEV, 2),
            _ => {
                return Err(DatasetError::Split {
                    dataset: format!("tables:{}", place.display()),
                    split: split.to_owned(),
                    known: "train and dev".to_owned(),
                });
            }
        };
        let split = split.to_owned();
        let of_file = move |(number, file): (usize, PathBuf)| -> Vec<Result<Example, DatasetError>> {
            let table = match Table::open(&file, &LoadOptions::default()) {
                Ok(table) => Arc::new(table),
                Err(error) => return vec![Err(error.into())],
            };
            let mut choices = Choices::new(number as u64, stream);
            let made = make(&table, &file, None, count, reading, &mut choices);
            let named = made.into_iter().enumerate().map(|(place, made)| Example {
                id: format!("{split}-{number}-{place}"),
                ..made.example
            });
            named
                .filter(|example| wanted.wants(&example.id))
                .map(Ok)
                .collect()
        };
        Ok(Box::new(files(place)?.into_iter().enumerate().flat_map(of_file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dataset;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let cars = "model,country,price\nCorvo,Italy,300\nLumen,Spain,250\nTundra,Italy,410\nDelph,Spain,90\nIsola,Italy,120\n";
        std::fs::write(folder.path().join("cars.csv"), cars).unwrap();
        std::fs::write(folder.path().join("notes.txt"), "not a table").unwrap();
        folder
    }

    #[test]
    fn questions_of_a_folder_are_made_with_their_programs() {
        let folder = folder();
        let data = Dataset::of(&Tables, folder.path());
        let of_split = |split: &str| -> Vec<Example> {
            let selection = Selection {
                split: Some(split.to_owned()),
                ..Selection::default()
            };
            data.examples(&selection)
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap()
        };
        let (train, dev) = (of_split("train"), of_split("dev"));
        assert!(
            train.len() > 50 && dev.len() > 10,
            "{} and {}",
            train.len(),
            dev.len()
        );
        assert!(train.iter().chain(&dev).all(|example| example.known.is_some()));
        let texts = |examples: &[Example]| -> Vec<String> {
            examples
                .iter()
                .map(|example| example.question.text.clone())
                .collect()
        };
        assert_eq!(texts(&train), texts(&of_split("train")));
    }

    #[test]
    fn a_folder_without_tables_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Dataset::of(&Tables, folder.path())
            .examples(&Selection::default())
            .err()
            .unwrap();
        assert!(error.to_string().contains("no tables in this folder"), "{error}");
    }
}
