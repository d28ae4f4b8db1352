//! Reading tables of DuckDB databases by the program `duckdb`, where it is installed: the format changes with its versions,
//! and the library takes longer to build than all the rest.

use super::source::{Source, content};
use super::told::Header;
use super::{LoadOptions, TableError, separated};
use crate::TableBuilder;
use crate::decisions::{Decisions, listed};
use serde::Deserialize;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "duckdb";

pub(super) fn read(
    mut source: Source<'_>,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let Some((path, _)) = source.file.take() else {
        return Err(without_program(&name));
    };
    let database = Database {
        name: &name,
        path: &path,
    };
    let table = database.choose(options, decisions)?;
    database.cells(&table, options)
}

fn without_program(name: &str) -> TableError {
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    let problem = format!(
        "the file is a DuckDB database, which the program duckdb reads, and it is not installed here; write the table as Parquet \
         with: python3 -c \"import duckdb; duckdb.connect('{file}', read_only=True).sql('FROM tablename').write_parquet('tablename.parquet')\""
    );
    content(name, None, problem)
}

/// A table of a database.
#[derive(Clone, Deserialize)]
struct Named {
    schema: String,
    name: String,
}

impl Named {
    /// What people call it.
    fn shown(&self) -> String {
        match self.schema.as_str() {
            "main" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }
}

struct Database<'a> {
    name: &'a str,
    path: &'a Path,
}

impl Database<'_> {
    /// What the program says to a query.
    fn ask(&self, mode: &str, query: &str) -> Result<Output, TableError> {
        // A path may begin like an option; `.` does not.
        let path = match self.path.is_absolute() {
            true => self.path.to_owned(),
            false => Path::new(".").join(self.path),
        };
        let said = Command::new(PROGRAM)
            .args(["-readonly", "-no-init", "-batch", "-bail", mode])
            .arg(path)
            .args(["-c", query])
            .stdin(Stdio::null())
            .output();
        let Ok(said) = said else {
            return Err(without_program(self.name));
        };
        if !said.status.success() {
            let why = String::from_utf8_lossy(&said.stderr)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let why: String = why.chars().take(300).collect();
            let problem = format!("duckdb cannot read the database: {why}");
            return Err(content(self.name, None, problem));
        }
        Ok(said)
    }

    fn choose(&self, options: &LoadOptions, decisions: &mut Decisions) -> Result<Named, TableError> {
        let query = "SELECT schema, name FROM (\
                     SELECT schema_name AS schema, table_name AS name, estimated_size AS size FROM duckdb_tables() \
                     WHERE NOT internal AND database_name = current_database() UNION ALL \
                     SELECT schema_name, view_name, -1 FROM duckdb_views() \
                     WHERE NOT internal AND database_name = current_database()) ORDER BY size DESC, schema, name";
        let said = self.ask("-json", query)?;
        let tables: Vec<Named> = serde_json::from_slice(&said.stdout).unwrap_or_default();
        let names: Vec<String> = tables.iter().map(Named::shown).collect();
        let chosen = match &options.part {
            Some(asked) => tables
                .iter()
                .find(|table| table.shown().eq_ignore_ascii_case(asked)),
            None => tables.first(),
        };
        let Some(chosen) = chosen.cloned() else {
            let problem = match (&options.part, names.is_empty()) {
                (Some(asked), false) => {
                    format!("the database has no table '{asked}'; it has {}", listed(&names))
                }
                _ => "the database has no table".to_owned(),
            };
            return Err(content(self.name, None, problem));
        };
        decisions.part = Some(chosen.shown());
        decisions.parts = names;
        Ok(chosen)
    }

    fn cells(&self, table: &Named, options: &LoadOptions) -> Result<TableBuilder, TableError> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let place = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
        let said = self.ask("-csv", &format!("SELECT * FROM {place}"))?;
        let within = format!("{}, table '{}'", self.name, table.shown());
        let known = LoadOptions {
            header: Some(Header::Line(1)),
            largest: options.largest,
            ..LoadOptions::default()
        };
        let source = Source::new(&within, std::io::Cursor::new(said.stdout))?;
        separated::read(source, b',', &known, &mut Decisions::default())
    }
}
