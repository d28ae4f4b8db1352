//! Queries that DuckDB runs on a person's own file, and whether they were run.
//!
//! DuckDB is no part of `mapo`. Where its command is on the path, a query is run on the file and its answer compared with
//! the program's before it is handed out; where it is not, that is said.

use mapo_language::explain::{Agreement, NotPlain, SqlValue, duckdb};
use mapo_language::{Denotation, HandWritten, Interpreter};
use mapo_tables::{PlainFile, Table};
use serde::Serialize;
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A query on the file itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileQuery {
    /// The query.
    pub sql: String,
    /// Whether DuckDB ran it here and gave the program's answer.
    pub ran: bool,
    /// What came of that, in one sentence.
    pub note: String,
}

/// Why there is no query.
#[derive(Debug, thiserror::Error)]
pub enum NoFileQuery {
    /// The program is wrong.
    #[error(transparent)]
    Program(#[from] mapo_language::ProgramError),
    /// The file or its cells do not allow it.
    #[error("{0}")]
    NotPlain(String),
    /// It was run and gave something else.
    #[error("DuckDB reads this file in another way: it gives {0}")]
    Different(String),
}

/// Files that are looked through.
const LARGEST: u64 = 256 << 20;
/// How long DuckDB may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of what it may say.
const MOST_SAID: u64 = 16 << 20;

/// Whether a file is one that every reader reads as the table has it.
///
/// # Errors
/// One sentence that says why not.
pub fn plain_file(path: &Path, table: &Table) -> Result<PlainFile, NoFileQuery> {
    let because = |why: String| NoFileQuery::NotPlain(format!("{}: {why}", path.display()));
    let size = std::fs::metadata(path).map(|about| about.len());
    match size {
        Ok(size) if size > LARGEST => {
            return Err(because("too large to be looked through for this".to_owned()));
        }
        Ok(_) => {}
        Err(error) => return Err(because(error.to_string())),
    }
    let content = std::fs::read(path).map_err(|error| because(error.to_string()))?;
    PlainFile::of(&content, table).ok_or_else(|| NoFileQuery::NotPlain(NOT_PLAIN.to_owned()))
}

/// Said of files that DuckDB may read in another way.
pub const NOT_PLAIN: &str = "not every reader reads this file as mapo does (it must be CSV in UTF-8 with one header line, a name for each column and quotes around whole cells only)";

/// The query of a program for a file. `at` is where the file is, if DuckDB may be asked.
///
/// # Errors
/// One sentence that says why there is none.
pub fn file_query(
    program: &str,
    table: &Arc<Table>,
    name: &str,
    file: PlainFile,
    at: Option<&Path>,
) -> Result<FileQuery, NoFileQuery> {
    let written = HandWritten::read(program, table)?;
    let query = |path: &str| {
        duckdb(&written.program, table, path, file).map_err(|error| match error {
            NotPlain::Program(error) => NoFileQuery::Program(error),
            NotPlain::Cells(why) => NoFileQuery::NotPlain(why),
        })
    };
    let sql = query(name)?;
    let not_run = |why: &str| FileQuery {
        sql: sql.clone(),
        ran: false,
        note: format!("not run here: {why}"),
    };
    let Some(path) = at else {
        return Ok(not_run("mapo keeps the cells of an uploaded file, not the file"));
    };
    let answer = answer(&written)?;
    match run(&query(&path.display().to_string())?) {
        Run::Missing => Ok(not_run("there is no duckdb command")),
        Run::Failed(why) => Ok(not_run(&why)),
        Run::Items(items) => match Agreement::of(&answer, &numbers_as_numbers(&answer, items.clone())) {
            Agreement::Same => Ok(FileQuery {
                note: "run with DuckDB on the file: the same answer".to_owned(),
                ran: true,
                sql,
            }),
            Agreement::Rounded => Ok(FileQuery {
                note: "run with DuckDB on the file: the same answer but for the last digits of a sum"
                    .to_owned(),
                ran: true,
                sql,
            }),
            Agreement::Different => Err(NoFileQuery::Different(format!("{} items", items.len()))),
        },
    }
}

fn answer(written: &HandWritten) -> Result<Denotation, NoFileQuery> {
    let mut interpreter = Interpreter::new(Arc::clone(&written.context));
    for (place, &token) in written.tokens.iter().enumerate() {
        let wrong = |error: mapo_language::StepError| written.program.error_at(place, error.0);
        interpreter.step(token).map_err(wrong)?;
    }
    let none = || NoFileQuery::NotPlain("the program has no answer".to_owned());
    interpreter.answer().ok_or_else(none)
}

/// What came of a run.
enum Run {
    /// The items of its answer.
    Items(Vec<SqlValue>),
    /// There is no such command.
    Missing,
    /// It did not answer.
    Failed(String),
}

fn run(sql: &str) -> Run {
    let spawned = Command::new("duckdb")
        .args(["-init", "/dev/null", "-json", "-c", sql])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = spawned else {
        return Run::Missing;
    };
    let Some(out) = child.stdout.take() else {
        return Run::Failed("DuckDB said nothing".to_owned());
    };
    let reads = std::thread::spawn(move || {
        let mut said = String::new();
        out.take(MOST_SAID).read_to_string(&mut said).map(|_| said)
    });
    let ended = ends(&mut child);
    match (ended, reads.join()) {
        (Some(true), Ok(Ok(said))) => match items(&said) {
            Some(items) => Run::Items(items),
            None => Run::Failed("DuckDB's answer was not understood".to_owned()),
        },
        (None, _) => Run::Failed("DuckDB took too long".to_owned()),
        _ => Run::Failed("DuckDB refused the query".to_owned()),
    }
}

/// Waits for a process, and ends it where it takes too long; says whether it went well.
fn ends(child: &mut Child) -> Option<bool> {
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// The items of each row, one after another.
fn items(said: &str) -> Option<Vec<SqlValue>> {
    if said.trim().is_empty() {
        return Some(Vec::new());
    }
    let rows: Vec<serde_json::Map<String, Value>> = serde_json::from_str(said).ok()?;
    let item = |value: Value| match value {
        Value::Null => SqlValue::Null,
        Value::Number(number) => match number.as_i64() {
            Some(whole) => SqlValue::Integer(whole),
            None => SqlValue::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => SqlValue::Text(text),
        other => SqlValue::Text(other.to_string()),
    };
    let values = rows
        .into_iter()
        .flat_map(|row| row.into_iter().map(|(_, value)| value));
    Some(values.map(item).collect())
}

/// DuckDB writes numbers that are too large for JSON as texts.
fn numbers_as_numbers(answer: &Denotation, items: Vec<SqlValue>) -> Vec<SqlValue> {
    let groups = matches!(answer, Denotation::Groups(_));
    let numeric = matches!(answer, Denotation::Numbers(_) | Denotation::Rows(_));
    let number = |(place, item): (usize, SqlValue)| match item {
        SqlValue::Text(text) if numeric || groups && place % 2 == 1 => match (text.parse(), text.parse()) {
            (Ok(whole), _) => SqlValue::Integer(whole),
            (_, Ok(number)) => SqlValue::Real(number),
            _ => SqlValue::Text(text),
        },
        item => item,
    };
    items.into_iter().enumerate().map(number).collect()
}
