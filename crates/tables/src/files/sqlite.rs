//! Reading tables of SQLite databases, without ever writing to them.

use super::cells::{LONGEST_CELL, MOST_COLUMNS};
use super::source::{Source, content};
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::decisions::{Decisions, listed};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::fmt::Write;
use std::io::Cursor;
use std::path::Path;

pub(super) fn read(
    mut source: Source<'_>,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let wrong = |error: rusqlite::Error| damaged(&name, &error);
    let database = match source.file.take() {
        Some((path, _)) => at(&path).map_err(wrong)?,
        None => {
            let bytes = source.read_all()?;
            in_memory(&bytes).map_err(wrong)?
        }
    };
    // Nothing in the file is trusted with more than to be read.
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        database.set_db_config(config, on).map_err(wrong)?;
    }
    let table = chosen(&name, &database, options, decisions)?;
    let within = format!("{name}, table '{table}'");
    cells(&within, &database, &table, options)
}

/// A database at a path. Where no other process has it open it is read as it lies there, so that nothing is made beside it.
fn at(path: &Path) -> rusqlite::Result<Connection> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).exists()
    };
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(char::from(*byte))
            }
            byte => {
                let _ = write!(address, "%{byte:02x}");
            }
        }
    }
    let is_used = beside("-wal") || beside("-journal");
    address.push_str(if is_used { "?mode=ro" } else { "?immutable=1" });
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(address, flags)
}

fn in_memory(bytes: &[u8]) -> rusqlite::Result<Connection> {
    let mut database = Connection::open_in_memory()?;
    database.deserialize_read_exact("main", Cursor::new(bytes), bytes.len(), true)?;
    Ok(database)
}

fn damaged(name: &str, error: &rusqlite::Error) -> TableError {
    let problem = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => {
            "not an SQLite database that can be read; it may be encrypted or damaged".to_owned()
        }
        _ => format!(
            "the SQLite database cannot be read ({error}); check it with: sqlite3 FILE 'PRAGMA integrity_check'"
        ),
    };
    content(name, None, problem)
}

/// A name as SQL writes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The table or view that is asked for, or the table with the most rows.
fn chosen(
    name: &str,
    database: &Connection,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<String, TableError> {
    let wrong = |error: rusqlite::Error| damaged(name, &error);
    let all = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = database.prepare(all).map_err(wrong)?;
    let found = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
    let found = found.and_then(Iterator::collect::<rusqlite::Result<Vec<(String, String)>>>);
    let found = found.map_err(wrong)?;
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let chosen = match &options.part {
        Some(asked) => {
            let exact = names.iter().find(|name| *name == asked);
            let found = exact.or_else(|| names.iter().find(|name| name.eq_ignore_ascii_case(asked)));
            let Some(found) = found else {
                let problem = format!("the database has no table '{asked}'; it has {}", listed(&names));
                return Err(content(name, None, problem));
            };
            (*found).to_owned()
        }
        None => {
            let tables: Vec<&str> = found
                .iter()
                .filter(|(_, kind)| kind == "table")
                .map(|(name, _)| name.as_str())
                .collect();
            let mut best: Option<(i64, &str)> = None;
            for table in &tables {
                let count = match tables.len() {
                    1 => 0,
                    _ => database
                        .query_row(&format!("SELECT count(*) FROM {}", quoted(table)), [], |row| {
                            row.get(0)
                        })
                        .map_err(wrong)?,
                };
                if best.is_none_or(|(most, _)| count > most) {
                    best = Some((count, table));
                }
            }
            let Some((_, table)) = best else {
                return Err(content(name, None, "the database has no table"));
            };
            table.to_owned()
        }
    };
    decisions.part = Some(chosen.clone());
    decisions.parts = names.into_iter().map(str::to_owned).collect();
    Ok(chosen)
}

/// The names of a table's columns. They may be no UTF-8 in a damaged file, which the statement's own names do not survive.
fn columns_of(database: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = database.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1")?;
    let names = statement.query_map([table], |row| {
        let name = row.get_ref(0)?.as_bytes_or_null()?.unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    })?;
    names.collect()
}

fn cells(
    name: &str,
    database: &Connection,
    table: &str,
    options: &LoadOptions,
) -> Result<TableBuilder, TableError> {
    let wrong = |error: rusqlite::Error| damaged(name, &error);
    let mut statement = database
        .prepare(&format!("SELECT * FROM {}", quoted(table)))
        .map_err(wrong)?;
    let headers = columns_of(database, table).map_err(wrong)?;
    let columns = headers.len();
    if statement.column_count() != columns {
        return Err(content(
            name,
            None,
            "the database is damaged: its columns do not fit its description",
        ));
    }
    if columns > MOST_COLUMNS {
        let problem = format!("it has {columns} columns; the limit is {MOST_COLUMNS}");
        return Err(content(name, None, problem));
    }
    let mut builder = TableBuilder::new(name, headers);
    let mut rows = statement.query([]).map_err(wrong)?;
    let mut text = 0;
    let mut row_cells: Vec<String> = vec![String::new(); columns];
    while let Some(row) = rows.next().map_err(wrong)? {
        for (column, cell) in row_cells.iter_mut().enumerate() {
            cell.clear();
            let value = row.get_ref(column).map_err(wrong)?;
            let written = match value {
                ValueRef::Null => Ok(()),
                ValueRef::Integer(number) => write!(cell, "{number}"),
                ValueRef::Real(number) => write!(cell, "{number}"),
                ValueRef::Text(bytes) => write!(cell, "{}", String::from_utf8_lossy(bytes)),
                ValueRef::Blob(bytes) => write!(cell, "({} bytes)", bytes.len()),
            };
            debug_assert!(written.is_ok(), "a string takes what is written");
            if cell.len() > LONGEST_CELL {
                let problem = format!(
                    "a cell of row {} is longer than {LONGEST_CELL} bytes; shorten it",
                    builder.rows + 1
                );
                return Err(content(name, None, problem));
            }
            text += cell.len();
        }
        options.largest.check(name, builder.rows + 1, columns, text)?;
        builder.push_row(row_cells.iter().map(String::as_str));
    }
    match builder.rows {
        0 => Err(content(name, None, "the table has no row; --table names another")),
        _ => Ok(builder),
    }
}
