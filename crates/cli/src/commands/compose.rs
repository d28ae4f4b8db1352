//! `mapo compose`: questions made from tables.

use crate::data_args::SelectionArgs;
use crate::table_args::TableArgs;
use crate::{Outcome, print, print_json};
use clap::Args;
use indicatif::ProgressBar;
use mapo_composing::{Choices, Composed, invent, plain, restyle};
use mapo_datasets::{Dataset, jsonl, tables, toy};
use mapo_tables::Table;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Make questions from tables, with their programs and answers: a dataset to train on without writing one.
///
/// Example:
///   mapo compose sales.csv customers.csv --questions 2000 --out made
///   mapo train --data jsonl:made/questions.jsonl --init box --run runs/mine
///
/// The tables are files, all tables of a folder, those of a dataset (--data), or invented (--invent). Each question is
/// kept only if it can be answered from what a reader finds in it, and if its answer changes when a condition is
/// left out. The same --seed makes the same questions.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Compose {
    /// Tables, or folders of tables.
    #[arg(value_name = "TABLE|FOLDER")]
    tables: Vec<PathBuf>,
    /// The tables of this dataset's split; its questions are not looked at.
    #[arg(long, value_name = "DATASET")]
    data: Option<Dataset>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// This many invented tables, of what people keep in spreadsheets.
    #[arg(long, value_name = "N", default_value_t = 0)]
    invent: usize,
    /// Give the tables of --data other headers, as another file would have them, beside their own.
    #[arg(long)]
    restyle: bool,
    /// How many questions in all; fewer if the tables are not good for so many.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    questions: usize,
    /// The folder for `questions.jsonl` and the tables that are not files already.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: TableArgs,
}

/// A table to ask about: where it is, and what its rows are called where that is known.
struct Subject {
    path: PathBuf,
    rows: Option<(&'static str, &'static str)>,
}

impl Compose {
    pub fn execute(self) -> Outcome {
        let file = self.out.join("questions.jsonl");
        if file.exists() {
            return Err(format!(
                "{}: there already; remove it or choose another folder",
                file.display()
            )
            .into());
        }
        let stopped = Arc::new(AtomicBool::new(false));
        let stopper = Arc::clone(&stopped);
        ctrlc::set_handler(move || stopper.store(true, Ordering::Relaxed))?;
        let subjects = self.subjects()?;
        if subjects.is_empty() {
            return Err("no tables to ask about; name files or a folder, or give --data or --invent".into());
        }
        let options = self.reading.told();
        let each = self.questions.div_ceil(subjects.len());
        let bar = ProgressBar::new(subjects.len() as u64);
        let mut lines = String::new();
        let (mut made, mut kinds) = (0, BTreeMap::new());
        for (number, subject) in subjects.iter().enumerate() {
            if stopped.load(Ordering::Relaxed) {
                return Err("stopped; nothing is kept of the questions".into());
            }
            let table = Arc::new(Table::open(&subject.path, &options)?);
            let mut choices = Choices::new(self.seed ^ (number as u64) << 20, 1);
            let count = each.min(self.questions - made);
            let questions = tables::make(
                &table,
                &subject.path,
                subject.rows,
                count,
                jsonl::READING,
                &mut choices,
            );
            let read = options.said_of(&table);
            for composed in questions.into_iter().map(|made| made.composed) {
                lines += &self.line(made, &subject.path, &read, &composed);
                lines.push('\n');
                *kinds.entry(composed.kind).or_insert(0usize) += 1;
                made += 1;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if made == 0 {
            return Err(
                "no question could be made; a table needs three rows and two columns that say something"
                    .into(),
            );
        }
        make_folder(&self.out)?;
        mapo_files::write(&file, lines.as_bytes())?;
        if self.json {
            return print_json(
                json!({ "file": file, "tables": subjects.len(), "questions": made, "kinds": kinds }),
            );
        }
        for (kind, count) in &kinds {
            print(format_args!("{count:7}  {kind}"))?;
        }
        print(format_args!(
            "{made:7}  questions about {} tables in {}",
            subjects.len(),
            file.display()
        ))
    }

    fn line(
        &self,
        number: usize,
        path: &Path,
        read: &BTreeMap<String, String>,
        composed: &Composed,
    ) -> String {
        let table = path.strip_prefix(&self.out).unwrap_or(path);
        let mut line = json!({
            "id": format!("made-{number}"), "table": table, "question": composed.question,
            "answer": composed.answer, "program": composed.program,
        });
        if !read.is_empty() {
            line["read"] = json!(read);
        }
        line.to_string()
    }

    fn subjects(&self) -> Result<Vec<Subject>, Box<dyn Error>> {
        let mut subjects = Vec::new();
        for path in &self.tables {
            for file in tables::files(path)? {
                let path =
                    std::fs::canonicalize(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                subjects.push(Subject { path, rows: None });
            }
        }
        let folder = self.out.join("tables");
        let keep = |table: &Table, name: String| -> Result<PathBuf, Box<dyn Error>> {
            make_folder(&folder)?;
            let path = folder.join(name);
            mapo_files::write(&path, toy::to_csv(table).as_bytes())?;
            Ok(path)
        };
        if let Some(data) = &self.data {
            let mut known = HashSet::new();
            let mut choices = Choices::new(self.seed, 2);
            for example in data.examples(&self.selection.selection())? {
                let table = example?.table;
                if !known.insert(table.name().to_owned()) {
                    continue;
                }
                let number = known.len();
                let path = keep(&plain(&table), format!("{}-{number}.csv", data.kind()))?;
                subjects.push(Subject { path, rows: None });
                if self.restyle {
                    let restyled = restyle(&table, &mut choices);
                    let path = keep(&restyled, format!("{}-{number}-restyled.csv", data.kind()))?;
                    subjects.push(Subject { path, rows: None });
                }
            }
        }
        let mut choices = Choices::new(self.seed, 3);
        for number in 1..=self.invent {
            let invented = invent(&mut choices);
            let path = keep(&invented.table, format!("{}-{number}.csv", invented.rows.0))?;
            subjects.push(Subject {
                path,
                rows: Some(invented.rows),
            });
        }
        Ok(subjects)
    }
}

/// Makes a folder, and those above it, unless it is there.
fn make_folder(folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("{}: this folder cannot be made: {error}", folder.display()).into())
}
