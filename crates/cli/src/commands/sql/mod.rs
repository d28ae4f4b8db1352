//! `mapo sql`: tables and programs for SQL engines, and the check that both say the same.

mod check;
mod engine;

use crate::data_args::{SelectionArgs, which_dataset};
use crate::table_args::TableArgs;
use crate::{Outcome, terminal};
use check::Check;
use clap::Args;
use mapo_answering::{NoFileQuery, file_query, plain_file};
use mapo_datasets::Dataset;
use mapo_language::explain::{sql, write_sql_table};
use mapo_language::{Program, ProgramError};
use mapo_tables::Table;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Write a table, and a program on it, as SQL for SQLite and DuckDB.
///
/// Examples:
///   mapo sql films.csv | sqlite3 films.db
///   mapo sql films.csv --program "(argmax all_rows r.year-num) (hop v0 r.title-str)" | sqlite3
///   mapo sql films.csv --program "(argmax all_rows r.year-num) (hop v0 r.title-str)" --duckdb | duckdb
///   mapo sql --check --model models/box.safetensors --data wtq:WikiTableQuestions --split random-split-1-dev
///
/// The script makes the table: its cells as text, and what programs read in them, each in a column of its own. With a
/// program it ends with the query, which gives the program's answer. docs/sql.md describes the table.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Sql {
    /// A table: CSV, a workbook, JSON, Parquet, a database…, packed or not; - is standard input.
    #[arg(required_unless_present = "check", conflicts_with = "check")]
    table: Option<PathBuf>,
    /// A program: the script ends with its query.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "check")]
    program: Option<String>,
    /// Print the program's query alone, without the table.
    #[arg(long, requires = "program")]
    query: bool,
    /// Print the program as a query that DuckDB runs on the file itself, where its cells allow that. It is run and compared
    /// first, if there is a `duckdb` command.
    #[arg(long, requires = "program", conflicts_with_all = ["query", "check"])]
    duckdb: bool,

    /// Run programs for the questions of a dataset both ways, in SQLite, and say where they differ: those of a model's
    /// beam with --model, else random ones.
    #[arg(long, requires = "data")]
    check: bool,
    #[arg(long, value_name = "DATASET", requires = "check", help = which_dataset())]
    data: Option<Dataset>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// A model, as training wrote it.
    #[arg(long, value_name = "FILE", requires = "check")]
    model: Option<PathBuf>,
    /// Partial programs that beam search keeps.
    #[arg(long, value_name = "N", default_value_t = 5, requires = "model")]
    beam: usize,
    /// Random programs for each question, without a model.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        conflicts_with = "model",
        requires = "check"
    )]
    random: usize,
    /// The seed of random programs.
    #[arg(long, value_name = "S", default_value_t = 0, requires = "check")]
    seed: u64,
    /// Write a JSON line for each table: its script, and the programs with their queries and answers, for another
    /// engine to run.
    #[arg(long, value_name = "OUT", requires = "check")]
    details: Option<PathBuf>,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", requires = "check")]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long, requires = "check")]
    json: bool,
    #[command(flatten)]
    reading: TableArgs,
}

impl Sql {
    pub fn execute(self) -> Outcome {
        if let Some(table) = &self.table {
            return self.write(table);
        }
        let data = self.data.ok_or("give a table, or --check with --data")?;
        Check {
            data,
            selection: self.selection.selection(),
            model: self.model,
            beam: self.beam,
            random: self.random,
            seed: self.seed,
            details: self.details,
            threads: self.threads,
            json: self.json,
        }
        .execute()
    }

    fn write(&self, path: &Path) -> Outcome {
        let table = Table::open(path, &self.reading.options())?;
        if let (true, Some(program)) = (self.duckdb, &self.program) {
            return on_file(program, path, table);
        }
        // Before the first line is written, so that a wrong program leaves nothing half done behind the pipe.
        let query = match &self.program {
            Some(text) => {
                let wrong = |error: ProgramError| error.shown_in(text);
                let program: Program = text.parse().map_err(wrong)?;
                Some(sql(&program, &table, false).map_err(wrong)?)
            }
            None => None,
        };
        let mut out = terminal::exact();
        if !self.query {
            write_sql_table(&table, &mut out)?;
        }
        if let Some(query) = query {
            writeln!(out, "{query};")?;
        }
        Ok(out.flush()?)
    }
}

/// Prints the query of a program for the file itself. What came of running it goes to the standard error, so that the
/// output is the query alone.
fn on_file(program: &str, path: &Path, table: Table) -> Outcome {
    let file = plain_file(path, &table)?;
    let name = path.display().to_string();
    let query =
        file_query(program, &Arc::new(table), &name, file, Some(path)).map_err(|error| match error {
            NoFileQuery::Program(error) => Box::<dyn Error>::from(error.shown_in(program)),
            error => format!("there is no query for the file itself: {error}").into(),
        })?;
    eprintln!("{}", query.note);
    let mut out = terminal::exact();
    writeln!(out, "{};", query.sql)?;
    Ok(out.flush()?)
}
