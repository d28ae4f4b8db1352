//! What people say about answers: that one is right, or what would have been. Each is a question with its answer, so
//! together they are a dataset of one's own, `jsonl:`, which is kept beside the tables and belongs to whoever keeps them.
//!
//! ```
//! use mapo_datasets::corrections::{Correction, beside};
//! use mapo_tables::{LoadOptions, Table};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let file = folder.path().join("jobs.csv");
//! std::fs::write(&file, "Job,Customer\nnew saddle,Priya Nair\n")?;
//! let table = Table::open(&file, &LoadOptions::default())?;
//! let asked = "who brought a bicycle for a new saddle?";
//! let kept = Correction::new(&file, &LoadOptions::default(), &table, asked, vec!["Priya Nair".to_owned()])?
//!     .keep(&beside(&file))?;
//! assert_eq!((kept.line, kept.corrections), (1, 1));
//! assert!(kept.file.ends_with("mapo-corrections.jsonl"));
//! # Ok(())
//! # }
//! ```

use crate::selection::DatasetError;
use crate::sources::jsonl::{self, LAYOUT};
use mapo_files::{Error, Lock};
use mapo_tables::{LoadOptions, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use mapo_tables::CORRECTIONS as FILE;

/// What the model is called that learnt from the corrections beside it.
pub const LEARNT: &str = "mapo-learnt.safetensors";

/// Only one process changes a file of corrections at a time.
const LOCK: &str = ".mapo-corrections.lock";
/// How often another process is waited for, and how long each time.
const TRIES: usize = 100;
const WAIT: Duration = Duration::from_millis(20);
/// The most items of an answer, and bytes of one: an answer is told, not a table copied.
const MOST_ITEMS: usize = 100;
const LONGEST_ITEM: usize = 10_000;
/// The most corrections in a file, and bytes of them: the file is read and written whole with each.
const MOST: usize = 10_000;
const LARGEST: usize = 16 << 20;

/// Where the corrections of answers about a table are kept.
pub fn beside(table: &Path) -> PathBuf {
    folder(table).join(FILE)
}

/// Where the model is that learnt from the corrections about a table, if there is one.
pub fn learnt_beside(table: &Path) -> Option<PathBuf> {
    let model = folder(table).join(LEARNT);
    model.is_file().then_some(model)
}

fn folder(table: &Path) -> &Path {
    match table.is_dir() {
        true => table,
        false => table.parent().unwrap_or(Path::new("")),
    }
}

/// How many corrections are in a file, whole or damaged; none if it cannot be read.
pub fn count(file: &Path) -> usize {
    let content = content(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

/// What is in a file of corrections, nothing if there is none.
fn content(file: &Path) -> io::Result<Vec<u8>> {
    match std::fs::metadata(file) {
        // Whoever opens a pipe waits until somebody writes to it.
        Ok(about) if !about.is_file() => Err(io::Error::other("this is no file")),
        Ok(_) => std::fs::read(file),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The right answer to a question about a table, as somebody said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Correction {
    /// The table's file, from the folder of the corrections.
    table: PathBuf,
    /// What was said about the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    read: BTreeMap<String, String>,
    question: String,
    answer: Vec<String>,
}

/// A correction that was kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kept {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// How many corrections there are now.
    pub corrections: usize,
    /// Whether something else was said about this question before.
    pub replaced: bool,
}

impl Correction {
    /// That `answer` is the answer to a question about a table, whose file was read with these options.
    ///
    /// # Errors
    /// If the question or the answer is empty, or the answer too long to be one.
    pub fn new(
        file: &Path,
        options: &LoadOptions,
        table: &Table,
        question: &str,
        answer: Vec<String>,
    ) -> Result<Self, DatasetError> {
        let wrong = |problem: String| Err(DatasetError::Correction(problem));
        let Some(name) = file.file_name() else {
            return wrong(format!(
                "{}: a correction is kept beside the file of its table, and this is none",
                file.display()
            ));
        };
        let answer: Vec<String> = answer.iter().map(|item| item.trim().to_owned()).collect();
        if question.trim().is_empty() {
            return wrong("there is no question to correct the answer of".to_owned());
        }
        if answer.is_empty() || answer.iter().any(String::is_empty) {
            return wrong("say what the right answer is; it cannot be empty".to_owned());
        }
        if answer.len() > MOST_ITEMS {
            return wrong(format!("an answer of more than {MOST_ITEMS} items is not kept"));
        }
        if answer.iter().any(|item| item.len() > LONGEST_ITEM) {
            return wrong(format!("an item of more than {LONGEST_ITEM} bytes is not kept"));
        }
        Ok(Self {
            table: PathBuf::from(name),
            read: options.said_of(table),
            question: question.trim().to_owned(),
            answer,
        })
    }

    /// Keeps it as a line of a file, in the place of what was said about the same question before. The file is written
    /// whole or not at all: nothing is lost whenever the process is killed.
    ///
    /// # Errors
    /// If a line of the file is damaged, it has too many, or it cannot be written.
    pub fn keep(&self, file: &Path) -> Result<Kept, DatasetError> {
        let _lock = lock(folder(file))?;
        let text = content(file).and_then(|content| {
            String::from_utf8(content).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
        });
        let text = text.map_err(|source| DatasetError::Io {
            file: file.to_owned(),
            source,
            layout: LAYOUT,
        })?;
        let own = serde_json::to_string(self).map_err(|error| DatasetError::Correction(error.to_string()))?;
        let (mut lines, mut corrections, mut known) = (Vec::new(), 0, None);
        for (place, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                let (table, read, question) = jsonl::about(line).map_err(|problem| DatasetError::Line {
                    file: file.to_owned(),
                    line: place + 1,
                    problem: format!("{problem}; mend the line or take it out"),
                })?;
                corrections += 1;
                if table == self.table && read == self.read && question == self.question {
                    known = Some(place);
                }
            }
            lines.push(line);
        }
        let line = match known {
            Some(place) => place + 1,
            None if corrections >= MOST => {
                return Err(DatasetError::Correction(format!(
                    "{}: there are {MOST} corrections, and more are not kept here",
                    file.display()
                )));
            }
            None => {
                corrections += 1;
                lines.push("");
                lines.len()
            }
        };
        let replaced = known.is_some_and(|place| lines[place] != own);
        lines[line - 1] = &own;
        let written = format!("{}\n", lines.join("\n"));
        if written.len() > LARGEST.max(text.len()) {
            return Err(DatasetError::Correction(format!(
                "{}: there are {} MiB of corrections, and more are not kept here",
                file.display(),
                LARGEST >> 20
            )));
        }
        mapo_files::write(file, written.as_bytes())?;
        Ok(Kept {
            file: file.to_owned(),
            line,
            corrections,
            replaced,
        })
    }
}

/// The corrections of a folder are one process's for a moment.
fn lock(folder: &Path) -> Result<Lock, DatasetError> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    for _ in 1..TRIES {
        match Lock::take(folder, LOCK) {
            Err(Error::Locked(_)) => std::thread::sleep(WAIT),
            taken => return Ok(taken?),
        }
    }
    Ok(Lock::take(folder, LOCK)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, Selection};

    fn table(folder: &Path, content: &str) -> (PathBuf, Table) {
        let file = folder.join("t.csv");
        std::fs::write(&file, content).unwrap();
        let options = LoadOptions {
            drop_totals: true,
            ..LoadOptions::default()
        };
        let table = Table::open(&file, &options).unwrap();
        (file, table)
    }

    fn correct(folder: &Path, question: &str, answer: &[&str]) -> Result<Kept, DatasetError> {
        let (file, table) = table(folder, "Town,Sales\nOslo,3\nRome,4\n");
        let answer = answer.iter().map(|item| (*item).to_owned()).collect();
        Correction::new(&file, &LoadOptions::default(), &table, question, answer)?.keep(&beside(&file))
    }

    #[test]
    fn corrections_are_a_dataset_in_which_the_last_word_counts() {
        let folder = tempfile::tempdir().unwrap();
        let first = correct(folder.path(), "which town sold the most?", &["Oslo"]).unwrap();
        assert_eq!((first.line, first.corrections, first.replaced), (1, 1, false));
        let second = correct(folder.path(), "which towns are there?", &["Oslo", "Rome"]).unwrap();
        assert_eq!((second.line, second.corrections), (2, 2));
        let again = correct(folder.path(), "which town sold the most?", &["Rome"]).unwrap();
        assert_eq!((again.line, again.corrections, again.replaced), (1, 2, true));
        let data = Dataset::of(&jsonl::JsonLines, &again.file);
        let examples = data.examples(&Selection::default()).unwrap();
        let answers: Vec<Vec<String>> = examples
            .map(|example| example.unwrap().answer.texts().to_vec())
            .collect();
        assert_eq!(answers, [vec!["Rome"], vec!["Oslo", "Rome"]]);
        // The corrections are no table of their folder.
        let tables = mapo_tables::tables_in(folder.path()).unwrap();
        assert_eq!(tables, [folder.path().join("t.csv")]);
    }

    #[test]
    fn a_damaged_line_is_refused_by_its_number_and_nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let kept = correct(folder.path(), "which town sold the most?", &["Rome"]).unwrap();
        let whole = std::fs::read_to_string(&kept.file).unwrap();
        let damaged = format!("{whole}{}", &whole[..30]);
        std::fs::write(&kept.file, &damaged).unwrap();
        let said = correct(folder.path(), "which towns are there?", &["Oslo"]).unwrap_err();
        let said = said.to_string();
        assert!(said.contains("mapo-corrections.jsonl, line 2: "), "{said}");
        assert!(said.contains("take it out") && !said.contains('\n'), "{said}");
        assert_eq!(std::fs::read_to_string(&kept.file).unwrap(), damaged);
        // A last line without its end is a line, and so is one with what people add.
        let own = r#"{"id": "mine", "split": "test", "table": "t.csv", "question": "x?", "answer": 1}"#;
        std::fs::write(&kept.file, format!("{own}\n{}", whole.trim_end())).unwrap();
        let kept = correct(folder.path(), "which towns are there?", &["Oslo"]).unwrap();
        assert_eq!((kept.line, kept.corrections), (3, 3));
        assert!(std::fs::read_to_string(&kept.file).unwrap().starts_with(own));
    }

    #[test]
    fn what_is_no_text_or_no_file_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let refused = || {
            let said = correct(folder.path(), "which town?", &["Oslo"]).unwrap_err();
            let said = said.to_string();
            assert!(said.contains(FILE) && !said.contains('\n'), "{said}");
        };
        let content = b"{\"table\": \"t.csv\", \xff\n\n{}";
        std::fs::write(&file, content).unwrap();
        refused();
        assert_eq!(std::fs::read(&file).unwrap(), content);
        assert_eq!(count(&file), 2, "damaged lines are lines");
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        refused();
        assert_eq!(count(&file), 0);
    }

    #[test]
    fn what_is_no_correction_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let wrong = |question: &str, answer: &[&str]| {
            correct(folder.path(), question, answer).unwrap_err().to_string()
        };
        assert!(wrong(" ", &["Oslo"]).contains("no question"));
        assert!(wrong("which town?", &[]).contains("cannot be empty"));
        assert!(wrong("which town?", &["Oslo", " "]).contains("cannot be empty"));
        assert!(wrong("which town?", &["Oslo"; 101]).contains("more than 100 items"));
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn a_row_of_totals_stays_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (file, table) = table(folder.path(), "Town,Sales\nOslo,3\nRome,4\nPisa,5\nTotal,12\n");
        assert!(table.left_out().is_some());
        let options = LoadOptions {
            drop_totals: true,
            ..LoadOptions::default()
        };
        let answer = vec!["Pisa".to_owned()];
        let correction = Correction::new(&file, &options, &table, "which town sold the most?", answer);
        let kept = correction.unwrap().keep(&beside(&file)).unwrap();
        let data = Dataset::of(&jsonl::JsonLines, &kept.file);
        let example = data
            .examples(&Selection::default())
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        assert_eq!(example.table.rows(), 3);
    }
}
