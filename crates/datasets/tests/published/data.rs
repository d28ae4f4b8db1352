//! The vectors, the dataset's files as they are, and our examples.

use super::support;
use mapo_datasets::sources::wikisql::WikiSql;
use mapo_datasets::sources::wtq::Wtq;
use mapo_datasets::{Dataset, Example, Reader, Reading, Selection};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The typed columns of a table as the published code has them.
#[derive(Deserialize)]
pub struct PublishedTable {
    pub table: String,
    pub columns: BTreeMap<String, Vec<Vec<serde_json::Value>>>,
}

/// A question as the published code reads it.
#[derive(Deserialize)]
pub struct PublishedQuestion {
    pub id: String,
    pub table: String,
    pub tokens: Vec<String>,
    pub entities: Vec<Entity>,
    pub features: Vec<u8>,
    pub column_features: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
pub struct Entity {
    #[serde(rename = "type")]
    pub kind: String,
    pub span: (usize, usize),
    pub value: Vec<serde_json::Value>,
}

/// A program and what the published code makes of it.
#[derive(Deserialize)]
pub struct PublishedProgram {
    pub id: String,
    pub program: String,
    pub kind: String,
    pub result: Vec<serde_json::Value>,
    pub reward: u8,
    pub extra_work: bool,
    pub valid: Option<Vec<Vec<String>>>,
}

pub fn vectors<T: DeserializeOwned>(data: &Path, name: &str) -> Vec<T> {
    let file = data.join("vectors").join(name);
    let text = read(&file);
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
    text.lines().map(parse).collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The folder of the data, if the vectors are there too.
pub fn folder() -> Option<PathBuf> {
    let data = support::data_dir()?;
    if data.join("vectors").is_dir() {
        return Some(data);
    }
    eprintln!("SKIPPED: no vectors at {}", data.join("vectors").display());
    None
}

/// A cell of a tagged table.
pub struct Cell {
    pub content: String,
    /// How many tokens it has.
    pub tokens: usize,
    pub number: String,
    pub second: String,
    pub date: String,
}

/// A tagged table: names and cells by column.
pub struct TaggedTable {
    pub names: Vec<String>,
    pub columns: Vec<Vec<Cell>>,
}

impl TaggedTable {
    /// The table called `204-csv/772`.
    pub fn open(data: &Path, name: &str) -> TaggedTable {
        let file = format!(
            "WikiTableQuestions/tagged/{}.tagged",
            name.replace("-csv/", "-tagged/")
        );
        let mut table = TaggedTable {
            names: Vec::new(),
            columns: Vec::new(),
        };
        for fields in records(&data.join(file)) {
            let column: usize = fields["col"].parse().unwrap();
            if fields["row"] == "-1" {
                // The ids begin with `fb:row.row.`, eleven characters.
                table.names.push(fields["id"][11..].to_owned());
                table.columns.push(Vec::new());
                continue;
            }
            table.columns[column].push(Cell {
                content: fields["content"].clone(),
                tokens: fields["tokens"].split('|').count(),
                number: fields["number"].clone(),
                second: fields["num2"].clone(),
                date: fields["date"].clone(),
            });
        }
        table
    }
}

/// A tagged question, its lists not unescaped.
pub struct TaggedQuestion {
    pub utterance: String,
    pub tokens: Vec<String>,
    pub entities: Vec<String>,
    pub values: Vec<String>,
    pub answer: Vec<String>,
    pub canon: Vec<String>,
}

/// All tagged questions by id.
pub fn tagged_questions(data: &Path) -> HashMap<String, TaggedQuestion> {
    let mut questions = HashMap::new();
    for name in ["training", "pristine-seen-tables"] {
        let file = data.join(format!("WikiTableQuestions/tagged/data/{name}.tagged"));
        for fields in records(&file) {
            let list = |name: &str| fields[name].split('|').map(str::to_owned).collect();
            let question = TaggedQuestion {
                utterance: fields["utterance"].clone(),
                tokens: list("tokens"),
                entities: list("nerTags"),
                values: list("nerValues"),
                answer: mapo_text::split_list(&fields["targetValue"]),
                canon: mapo_text::split_list(&fields["targetCanon"]),
            };
            questions.insert(fields["id"].clone(), question);
        }
    }
    questions
}

/// The lines of a tab-separated file by the names of its header.
fn records(file: &Path) -> Vec<HashMap<String, String>> {
    let text = read(file);
    let mut lines = text.trim_end_matches('\n').split('\n');
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    lines
        .map(|line| {
            let fields = header.iter().zip(line.split('\t'));
            fields
                .map(|(name, field)| ((*name).to_owned(), field.to_owned()))
                .collect()
        })
        .collect()
}

/// Our examples of the questions of the vectors by id, read once for all tests.
pub fn wtq_examples(data: &Path) -> &'static HashMap<String, Example> {
    static EXAMPLES: OnceLock<HashMap<String, Example>> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        let dataset = Dataset::of(&Wtq, data.join("WikiTableQuestions"));
        let splits = ["random-split-1-dev", "pristine-seen-tables"];
        examples(&dataset, &splits, Reader::CoreNlp, None)
    })
}

/// Our examples of these ids.
pub fn wikisql_examples(data: &Path, ids: impl Iterator<Item = String>) -> HashMap<String, Example> {
    let dataset = Dataset::of(&WikiSql, data.join("wikisql"));
    examples(&dataset, &["train", "dev"], Reader::Mapo, Some(ids.collect()))
}

fn examples(
    dataset: &Dataset,
    splits: &[&str],
    reader: Reader,
    ids: Option<std::collections::HashSet<String>>,
) -> HashMap<String, Example> {
    let ids = ids.map(std::sync::Arc::new);
    let reading = Reading {
        reader,
        ..Reading::PLAIN
    };
    let mut examples = HashMap::new();
    for split in splits {
        let selection = Selection {
            split: Some((*split).to_owned()),
            reading: reading.into(),
            ids: ids.clone(),
            ..Selection::default()
        };
        for example in dataset.examples(&selection).unwrap() {
            let example = example.unwrap();
            examples.insert(example.id.clone(), example);
        }
    }
    examples
}
