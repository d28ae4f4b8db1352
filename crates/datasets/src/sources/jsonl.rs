//! Questions of one's own, one JSON object in a line.

use crate::example::{Answer, Example, Known};
use crate::reading::Reading;
use crate::selection::{DatasetError, Examples, Selection};
use crate::sources::Source;
use crate::sources::lines::Lines;
use mapo_language::{Dialect, Language, Program};
use mapo_questions::Linking;
use mapo_tables::{LoadOptions, Table, Value};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const LAYOUT: &str = "each line is {\"table\": \"path.csv\", \"question\": \"…\", \"answer\": [\"…\"]}, \
                      with paths from the file's own folder and, if it is known, a \"program\"";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<String>,
    split: Option<String>,
    table: PathBuf,
    /// What is said about the table's file, by the names of the command's options: `{"sheet": "May"}`.
    #[serde(default)]
    read: BTreeMap<String, String>,
    question: String,
    answer: Items<Scalar>,
    /// The program that is meant, or several that mean the same.
    program: Option<Items<String>>,
}

/// One item or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Items<T> {
    One(T),
    Many(Vec<T>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(f64),
    Text(String),
}

impl<T> Items<T> {
    fn into_vec(self) -> Vec<T> {
        match self {
            Items::One(item) => vec![item],
            Items::Many(items) => items,
        }
    }
}

impl Items<Scalar> {
    fn into_texts(self) -> Vec<String> {
        let text = |item| match item {
            Scalar::Number(number) => Value::Number(number).to_string(),
            Scalar::Text(text) => text,
        };
        self.into_vec().into_iter().map(text).collect()
    }
}

/// The programs of a line, parsed. Whether they answer the question is seen when they are
/// [used](Example::known_programs): who only asks a model need not care.
fn known(
    programs: Option<Items<String>>,
    file: &Arc<Path>,
    lines: &Lines,
) -> Result<Option<Known>, DatasetError> {
    let texts = programs.map_or(Vec::new(), Items::into_vec);
    let parse = |text: &String| {
        let program = text.parse::<Program>();
        program.map_err(|error| lines.error(format!("the program {text} cannot be read: {error}")))
    };
    let programs: Vec<Program> = texts.iter().map(parse).collect::<Result<_, _>>()?;
    Ok((!programs.is_empty()).then(|| Known {
        programs,
        file: Arc::clone(file),
        line: lines.number(),
    }))
}

/// Which part of a file's questions is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    All,
    /// The lines that name this split.
    Named(String),
    /// Where no line names one: the questions about these tables, or all but them.
    Tables(Arc<HashSet<PathBuf>>, bool),
    /// The same of a file of one table: every fifth question, or all but those.
    Fifths(bool),
}

/// What is kept apart where a file names no splits: every fifth table.
const APART: usize = 5;

/// The splits of a file: those that its lines name, or, where none does, `train` and `dev`, made by table.
struct Splits {
    named: BTreeSet<String>,
    /// The tables in the order in which they come first.
    tables: Vec<PathBuf>,
    questions: usize,
}

impl Splits {
    /// Looks through a file. Lines that cannot be understood are for [`examples`] to complain of.
    fn of(file: &Path) -> Result<Self, DatasetError> {
        /// What is looked at; a whole line may be long.
        #[derive(Deserialize)]
        struct Place {
            split: Option<String>,
            table: PathBuf,
        }
        let (mut named, mut tables, mut seen) = (BTreeSet::new(), Vec::new(), HashSet::new());
        let mut questions = 0;
        for line in Lines::open(file, LAYOUT)? {
            if let Ok(Place { split, table }) = serde_json::from_str(&line?) {
                questions += 1;
                named.extend(split);
                if seen.insert(table.clone()) {
                    tables.push(table);
                }
            }
        }
        Ok(Splits {
            named,
            tables,
            questions,
        })
    }

    /// Whether there are questions to train on and others to choose a model by.
    fn has_train_and_dev(&self) -> (bool, bool) {
        match self.named.is_empty() {
            // Of a few questions about one table none are kept apart.
            true => (true, self.tables.len() > 1 || self.questions >= APART),
            false => (self.named.contains("train"), self.named.contains("dev")),
        }
    }

    fn part(&self, split: &str, file: &Path) -> Result<Part, DatasetError> {
        if split == "all" {
            return Ok(Part::All);
        }
        let is_dev = split == "dev";
        if self.named.is_empty() && (is_dev || split == "train") {
            if self.tables.len() == 1 {
                return Ok(Part::Fifths(is_dev));
            }
            let fifths = self.tables.iter().skip(APART - 1).step_by(APART);
            // Of few tables, the last.
            let last = self.tables.last().filter(|_| self.tables.len() < APART);
            let apart: HashSet<PathBuf> = fifths.chain(last).cloned().collect();
            return Ok(Part::Tables(Arc::new(apart), is_dev));
        }
        if self.named.contains(split) {
            return Ok(Part::Named(split.to_owned()));
        }
        let named = self.named.iter().map(String::as_str);
        let known: Vec<&str> = match self.named.is_empty() {
            true => vec!["train", "dev"],
            false => named.collect(),
        };
        Err(DatasetError::Split {
            dataset: format!("jsonl:{}", file.display()),
            split: split.to_owned(),
            known: format!("{} and all", known.join(", ")),
        })
    }
}

impl Part {
    /// Whether the question of a line, which is the `number`-th of the file, belongs to it.
    fn has(&self, line: &Line, number: usize) -> bool {
        match self {
            Part::All => true,
            Part::Named(split) => line.split.as_ref() == Some(split),
            Part::Tables(apart, is_dev) => apart.contains(&line.table) == *is_dev,
            Part::Fifths(is_dev) => (number % APART == APART - 1) == *is_dev,
        }
    }
}

/// How one's own questions are read: people write freely about tables as they keep them, and ask for whatever
/// they like.
pub const READING: Reading = Reading {
    linking: Linking::Everyday,
    language: Dialect::People,
    ..Reading::PLAIN
};

/// Questions of one's own: `{"table": "path.csv", "question": …, "answer": […]}`, one in a line; where it is
/// known, with the `program` that is meant, or a list of them.
#[derive(Debug)]
pub struct JsonLines;

impl Source for JsonLines {
    fn kind(&self) -> &'static str {
        "jsonl"
    }

    fn place(&self) -> Option<&'static str> {
        Some("file")
    }

    fn name(&self, file: &Path) -> String {
        let name = file.file_name().unwrap_or_default();
        format!("{}:{}", self.kind(), name.to_string_lossy())
    }

    fn first_split(&self) -> &'static str {
        "all"
    }

    fn whole(&self, _file: &Path) -> Vec<&'static str> {
        vec!["all"]
    }

    /// What the file has: the splits that its lines name, or else some of its tables kept apart.
    fn training_splits(&self, file: &Path) -> Result<(&'static str, Option<&'static str>), DatasetError> {
        Ok(match Splits::of(file)?.has_train_and_dev() {
            (true, true) => ("train", Some("dev")),
            (true, false) => ("train", None),
            (false, true) | (false, false) => ("all", None),
        })
    }

    fn has_own_dev_split(&self) -> bool {
        false
    }

    fn reading(&self) -> Reading {
        READING
    }

    fn language(&self) -> Language {
        Language::before_people()
    }

    fn preset(&self, from_model: bool) -> &'static str {
        if from_model { "tune" } else { "toy" }
    }

    fn examples(
        &self,
        file: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
    ) -> Result<Examples, DatasetError> {
        examples(file, split, reading, wanted)
    }
}

/// The table of a line, what is said about its file, and the question; or what is wrong with the line.
pub(crate) fn about(line: &str) -> Result<(PathBuf, BTreeMap<String, String>, String), String> {
    let line: Line = serde_json::from_str(line).map_err(|error| format!("{error}; {LAYOUT}"))?;
    Ok((line.table, line.read, line.question))
}

/// A table's file, read as is said about it.
fn open(path: &Path, said: &BTreeMap<String, String>) -> Result<Table, String> {
    let mut options = LoadOptions::default();
    for (what, value) in said {
        options.tell(what, value)?;
    }
    Table::open(path, &options).map_err(|error| error.to_string())
}

fn examples(file: &Path, split: &str, reading: Reading, wanted: Selection) -> Result<Examples, DatasetError> {
    let part = match split {
        "all" => Part::All,
        split => Splits::of(file)?.part(split, file)?,
    };
    let mut lines = Lines::open(file, LAYOUT)?;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let file: Arc<Path> = file.into();
    let mut tables: HashMap<(PathBuf, BTreeMap<String, String>), Arc<Table>> = HashMap::new();
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
        let is_here = part.has(&line, count);
        let id = line.id.unwrap_or_else(|| format!("line-{count}"));
        count += 1;
        if !is_here || !wanted.wants(&id) {
            continue;
        }
        let named = (folder.join(line.table), line.read);
        let table = match tables.get(&named) {
            Some(table) => Arc::clone(table),
            None => match open(&named.0, &named.1) {
                Ok(table) => Arc::clone(tables.entry(named).or_insert(Arc::new(table))),
                Err(error) => return Some(Err(lines.error(error))),
            },
        };
        let known = match known(line.program, &file, &lines) {
            Ok(known) => known,
            Err(error) => return Some(Err(error)),
        };
        return Some(Ok(Example {
            question: reading.question(&line.question, &table),
            id,
            table,
            answer: Answer::own(line.answer.into_texts()),
            language: reading.language(JsonLines.language()),
            known,
        }));
    };
    Ok(Box::new(std::iter::from_fn(example)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dataset;

    fn dataset(folder: &Path, lines: &[(usize, &str)]) -> Dataset {
        let mut text = String::new();
        for (table, split) in lines {
            std::fs::write(folder.join(format!("{table}.csv")), "City\nSeoul\n").unwrap();
            text += &format!(
                "{{\"table\": \"{table}.csv\", \"question\": \"which city?\", \"answer\": \"Seoul\"{split}}}\n"
            );
        }
        std::fs::write(folder.join("own.jsonl"), text).unwrap();
        Dataset::of(&JsonLines, folder.join("own.jsonl"))
    }

    fn ids(dataset: &Dataset, split: &str) -> Result<Vec<String>, DatasetError> {
        let selection = Selection {
            split: Some(split.to_owned()),
            ..Selection::default()
        };
        let examples = dataset.examples(&selection)?;
        examples.map(|example| Ok(example?.id)).collect()
    }

    #[test]
    fn a_file_without_splits_is_split_by_table() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<(usize, &str)> = (0..24).map(|number| (number % 12, "")).collect();
        let data = dataset(folder.path(), &lines);
        // The fifth and the tenth of twelve tables.
        assert_eq!(
            ids(&data, "dev").unwrap(),
            ["line-4", "line-9", "line-16", "line-21"]
        );
        assert_eq!(ids(&data, "train").unwrap().len(), 20);
        assert_eq!(ids(&data, "all").unwrap().len(), 24);
        assert_eq!(
            data.training_splits(None, None).unwrap(),
            ("train".to_owned(), Some("dev".to_owned()))
        );
        let few = dataset(folder.path(), &[(0, ""), (1, ""), (2, ""), (0, "")]);
        assert_eq!(ids(&few, "dev").unwrap(), ["line-2"]);
        assert_eq!(ids(&few, "train").unwrap().len(), 3);
        let single = dataset(folder.path(), &[(0, ""); 11]);
        assert_eq!(ids(&single, "dev").unwrap(), ["line-4", "line-9"]);
        assert_eq!(ids(&single, "train").unwrap().len(), 9);
    }

    /// The example of a line about two cities with this `program`, or what is said of it.
    fn with_program(program: &str) -> Result<Option<usize>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("c.csv"),
            "City,Country\nSeoul,Korea\nOslo,Norway\n",
        )
        .unwrap();
        let line = r#"{"table": "c.csv", "question": "which city is in norway?", "answer": "Oslo""#;
        let text = format!("\n{line}, \"program\": {program}}}\n{line}}}\n");
        std::fs::write(folder.path().join("own.jsonl"), text).unwrap();
        let data = Dataset::of(&JsonLines, folder.path().join("own.jsonl"));
        let examples: Vec<Example> = data
            .examples(&Selection::default())
            .and_then(Iterator::collect)
            .map_err(|error| error.to_string())?;
        assert_eq!(examples.len(), 2);
        assert!(examples[1].known_programs().unwrap().is_none());
        let known = examples[0].known_programs().map_err(|error| error.to_string())?;
        Ok(known.map(|programs| programs.len()))
    }

    #[test]
    fn a_line_may_name_the_program_that_is_meant_or_several() {
        let right = "(filter_is all_rows ['norway'] r.country-str) (hop v0 r.city-str)";
        let other = "(last all_rows) (hop v0 r.city-str)";
        assert_eq!(with_program("null"), Ok(None));
        assert_eq!(with_program("[]"), Ok(None));
        assert_eq!(with_program(&format!("\"{right}\"")), Ok(Some(1)));
        assert_eq!(with_program(&format!("[\"{right}\", \"{other}\"]")), Ok(Some(2)));
    }

    #[test]
    fn a_program_that_cannot_be_learnt_is_told_with_its_line() {
        for (program, said) in [
            ("(hop all_rows", "cannot be read"),
            ("(hop all_rows r.town-str)", "there is no column 'r.town-str'"),
            (
                "(filter_is all_rows ['korea'] r.country-str) (hop v0 r.city-str)",
                "the constant ['korea'] is not in the question",
            ),
            (
                "(first all_rows) (hop v0 r.city-str)",
                "gives Seoul, but the answer is Oslo",
            ),
            ("(last all_rows)", "but the answer is Oslo"),
        ] {
            let error = with_program(&format!("\"{program}\"")).unwrap_err();
            assert!(error.contains("own.jsonl, line 2: the program "), "{error}");
            assert!(error.contains(said) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn splits_that_are_named_are_kept_and_others_refused() {
        let folder = tempfile::tempdir().unwrap();
        let train = ", \"split\": \"train\"";
        let data = dataset(
            folder.path(),
            &[(0, train), (1, ", \"split\": \"held\""), (2, "")],
        );
        assert_eq!(ids(&data, "train").unwrap(), ["line-0"]);
        assert_eq!(ids(&data, "held").unwrap(), ["line-1"]);
        assert_eq!(ids(&data, "all").unwrap().len(), 3);
        let error = ids(&data, "dev").unwrap_err().to_string();
        assert!(
            error.contains("no split 'dev'; it has held, train and all"),
            "{error}"
        );
        assert_eq!(
            data.training_splits(None, None).unwrap(),
            ("train".to_owned(), None)
        );
    }
}
