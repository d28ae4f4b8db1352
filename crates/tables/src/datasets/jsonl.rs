//! Questions of one's own, one JSON object in a line.

use super::lines::Lines;
use super::{Answer, DatasetError, Example, Examples, Selection};
use crate::language::Language;
use crate::question::{Linking, Question};
use crate::table::{LoadOptions, Table, Value};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LAYOUT: &str = "each line is {\"table\": \"path.csv\", \"question\": \"…\", \"answer\": [\"…\"]}, with paths from the file's own folder";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<String>,
    split: Option<String>,
    table: PathBuf,
    question: String,
    answer: Items,
}

/// One item or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Items {
    One(Scalar),
    Many(Vec<Scalar>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(f64),
    Text(String),
}

impl Items {
    fn into_texts(self) -> Vec<String> {
        let items = match self {
            Items::One(item) => vec![item],
            Items::Many(items) => items,
        };
        let text = |item| match item {
            Scalar::Number(number) => Value::Number(number).to_string(),
            Scalar::Text(text) => text,
        };
        items.into_iter().map(text).collect()
    }
}

pub(super) fn examples(
    file: &Path,
    split: &str,
    linking: Linking,
    wanted: Selection,
) -> Result<Examples, DatasetError> {
    let mut lines = Lines::open(file, LAYOUT)?;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let split = Some(split).filter(|split| *split != "all").map(str::to_owned);
    let mut tables: HashMap<PathBuf, Arc<Table>> = HashMap::new();
    let mut count = 0;
    let example = move || loop {
        let line = match lines.next()? {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        let line: Line = match serde_json::from_str(&line) {
            Ok(line) => line,
            Err(error) => return Some(Err(lines.error(format!("{error}; {LAYOUT}")))),
        };
        let id = line.id.unwrap_or_else(|| format!("line-{count}"));
        count += 1;
        if (split.is_some() && split != line.split) || !wanted.wants(&id) {
            continue;
        }
        let path = folder.join(line.table);
        let table = match tables.get(&path) {
            Some(table) => Arc::clone(table),
            None => match Table::open(&path, LoadOptions::default()) {
                Ok(table) => Arc::clone(tables.entry(path).or_insert(Arc::new(table))),
                Err(error) => return Some(Err(lines.error(error.to_string()))),
            },
        };
        return Some(Ok(Example {
            question: Question::read(&line.question, &table, linking),
            id,
            table,
            answer: Answer::own(line.answer.into_texts()),
            language: Language::WIKITABLEQUESTIONS,
        }));
    };
    Ok(Box::new(std::iter::from_fn(example)))
}
