//! WikiSQL: its files, the engine that executes its queries, and its questions as examples.

use crate::environment::Pruning;
use crate::example::{Answer, Example};
use crate::reading::Reading;
use crate::scoring::wikisql::predictions;
use crate::scoring::{Item, Report};
use crate::selection::{DatasetError, Examples, Selection};
use crate::sources::{Source, known_splits, splits_here};
use crate::wikisql::files::{ColumnType, Scalar};
use crate::wikisql::{engine, files};
use mapo_language::{Fit, Language};
use mapo_tables::{CellValues, Table, TableBuilder, unique_names};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

const LAYOUT: &str = "a WikiSQL folder holds SPLIT.jsonl and SPLIT.tables.jsonl; \
                      they are in data.tar.bz2 of the project salesforce/WikiSQL";

/// WikiSQL, in a folder of its official layout.
#[derive(Debug)]
pub struct WikiSql;

impl Source for WikiSql {
    fn kind(&self) -> &'static str {
        "wikisql"
    }

    fn place(&self) -> Option<&'static str> {
        Some("dir")
    }

    fn first_split(&self) -> &'static str {
        "train"
    }

    fn whole(&self, folder: &Path) -> Vec<&'static str> {
        splits_here(folder, ".jsonl", &["train", "dev", "test"])
    }

    fn training_splits(&self, _folder: &Path) -> Result<(&'static str, Option<&'static str>), DatasetError> {
        Ok(("train", Some("dev")))
    }

    /// Its answers may be nothing, so values need not stand in the rows at hand.
    fn reading(&self) -> Reading {
        Reading {
            fit: Fit::Table,
            ..Reading::PLAIN
        }
    }

    fn language(&self) -> Language {
        Language::wikisql()
    }

    /// Its ten functions are few enough to try all.
    fn pruning(&self) -> Pruning {
        Pruning::None
    }

    fn preset(&self, _from_model: bool) -> &'static str {
        "wikisql"
    }

    fn examples(
        &self,
        folder: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
    ) -> Result<Examples, DatasetError> {
        examples(folder, split, reading, wanted)
    }

    fn prediction(&self, id: &str, items: &mut dyn Iterator<Item = Item<'_>>) -> String {
        predictions::line(id, items)
    }

    fn score(
        &self,
        folder: &Path,
        split: &str,
        _reading: Reading,
        wanted: Selection,
        file: &Path,
    ) -> Result<Report, DatasetError> {
        let predicted = predictions::read(file)?;
        let mut questions = questions(folder, split)?;
        questions.truncate(wanted.limit.unwrap_or(usize::MAX));
        let gold = questions.iter().map(|asked| predictions::Gold {
            id: &asked.id,
            table: &asked.table,
            answer: &asked.answer,
        });
        Ok(predictions::score(&gold.collect::<Vec<_>>(), &predicted, file)?)
    }
}

/// A question of a split, with its number in the file, and its table.
pub struct Asked {
    /// `train-13`: the file and the line in it, from 0.
    pub id: String,
    /// The question with its query.
    pub question: files::Question,
    /// Its table, as the file has it.
    pub table: Arc<files::Table>,
    /// The query's answer.
    pub answer: Vec<engine::Answer>,
}

/// The splits made of the training questions by table: every tenth table's questions, and the rest.
const TENTH: &str = "train-b";
const REST: &str = "train-a";

/// The questions of a split in the order of its file, with their answers.
pub fn questions(folder: &Path, split: &str) -> Result<Vec<Asked>, DatasetError> {
    let file = if matches!(split, TENTH | REST) {
        "train"
    } else {
        split
    };
    let path = folder.join(format!("{file}.jsonl"));
    if !path.exists() && folder.join("train.jsonl").exists() {
        let known = known_splits(folder, ".jsonl", &[REST, TENTH]);
        let dataset = format!("wikisql:{}", folder.display());
        return Err(DatasetError::Split {
            dataset,
            split: split.to_owned(),
            known,
        });
    }
    if let Err(source) = std::fs::metadata(&path) {
        let (file, layout) = (path, LAYOUT);
        return Err(DatasetError::Io { file, source, layout });
    }
    let mut records = files::questions(&path)?;
    let mut tables: HashMap<String, (usize, Arc<files::Table>)> = HashMap::new();
    for (index, table) in files::tables(&folder.join(format!("{file}.tables.jsonl")))?.enumerate() {
        let table = table?;
        tables.insert(table.id.clone(), (index, Arc::new(table)));
    }
    let mut asked = Vec::new();
    let mut number = 0;
    while let Some(question) = records.next() {
        let question = question?;
        let wrong = |problem: String| DatasetError::Line {
            file: path.clone(),
            line: records.line(),
            problem,
        };
        let Some((index, table)) = tables.get(&question.table_id) else {
            return Err(wrong(format!(
                "there is no table '{}' in {file}.tables.jsonl",
                question.table_id
            )));
        };
        let id = format!("{file}-{number}");
        number += 1;
        let wanted = match split {
            TENTH => index % 10 == 0,
            REST => index % 10 != 0,
            _ => true,
        };
        if wanted {
            let answer = engine::execute(table, &question.sql).map_err(|error| wrong(error.to_string()))?;
            asked.push(Asked {
                id,
                table: Arc::clone(table),
                question,
                answer,
            });
        }
    }
    Ok(asked)
}

fn examples(
    folder: &Path,
    split: &str,
    reading: Reading,
    wanted: Selection,
) -> Result<Examples, DatasetError> {
    let mut tables: HashMap<String, Arc<Table>> = HashMap::new();
    let example = move |asked: Asked| {
        let table = tables
            .entry(asked.table.id.clone())
            .or_insert_with(|| Arc::new(typed(&asked.table)));
        Ok(Example {
            id: asked.id,
            question: reading.question(&asked.question.question, table),
            table: Arc::clone(table),
            answer: Answer::wikisql(&asked.answer),
            language: reading.language(WikiSql.language()),
            known: None,
        })
    };
    Ok(Box::new(
        questions(folder, split)?
            .into_iter()
            .filter(move |asked| wanted.wants(&asked.id))
            .map(example),
    ))
}

/// The table with the types that the dataset gives it.
fn typed(source: &files::Table) -> Table {
    let names = source.header.iter().map(|header| {
        header
            .to_lowercase()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("_")
    });
    let mut builder = TableBuilder::with_names(source.id.clone(), source.header.clone(), unique_names(names));
    for row in &source.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        builder.push_row(cells.iter().map(String::as_str));
    }
    let numeric: Vec<bool> = source
        .types
        .iter()
        .map(|kind| *kind == ColumnType::Real)
        .collect();
    builder.finish_declared(&numeric, number)
}

fn cell(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Null => String::new(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(number) => number.to_string(),
        Scalar::Text(text) => text.clone(),
    }
}

/// A number with its commas, or failing that whatever number our reader finds.
fn number(cell: &str) -> Option<f64> {
    let plain = cell.trim().replace(',', "").parse::<f64>().ok();
    plain
        .filter(|number| number.is_finite())
        .or_else(|| CellValues::of(cell).number)
}
