//! The script that makes a table in SQLite or DuckDB.

use super::{Form, Layout, Reading, quote};
use mapo_tables::{Column, Table, Value};
use std::io::{self, Write};

/// So many rows are one statement: few statements are fast, and none gets too long.
const TOGETHER: usize = 500;

/// Writes a script that makes the table in SQLite or DuckDB, in one transaction: its rows by number from 0,
/// the cells as text, and what programs read in them, each in a column of its own.
///
/// # Errors
/// Those of `out`.
pub fn write_sql_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::of(table);
    let columns = columns(table, layout);
    writeln!(out, "BEGIN TRANSACTION;")?;
    write!(out, "CREATE TABLE {} (\n  {} BIGINT", layout.table, layout.row)?;
    for column in &columns {
        write!(out, ",\n  {} {}", column.name(layout), column.kind())?;
    }
    writeln!(out, "\n);")?;
    let mut line = String::new();
    for row in 0..table.rows() {
        match row % TOGETHER {
            0 => writeln!(out, "INSERT INTO {} VALUES", layout.table)?,
            _ => writeln!(out, ",")?,
        }
        line.clear();
        line.push_str(&format!("({row}"));
        for column in &columns {
            line.push_str(", ");
            column.push_cell(table, row, &mut line);
        }
        line.push(')');
        out.write_all(line.as_bytes())?;
        if row + 1 == table.rows() || (row + 1) % TOGETHER == 0 {
            writeln!(out, ";")?;
        }
    }
    writeln!(out, "COMMIT;")
}

/// A column of the SQL table.
pub(super) enum Made<'a> {
    /// The cells as text.
    Cells(usize),
    /// Their normal forms.
    Text(&'a Column, &'a str),
    /// Numbers, all whole or not.
    Number(&'a Column, &'a str, bool),
    /// Dates as they are written.
    Date(&'a Column, &'a str),
    /// A part of the dates: 0 is the year.
    Part(&'a Column, &'a str, usize),
}

pub(super) fn columns<'a>(table: &'a Table, layout: &'a Layout) -> Vec<Made<'a>> {
    let mut made = Vec::new();
    let mut typed = table.column_ids().peekable();
    for source in 0..layout.sources.len() {
        made.push(Made::Cells(source));
        while let Some(id) = typed.next_if(|id| table.column(*id).source() == source) {
            let column = table.column(id);
            match layout.reading(id) {
                Reading::Text(name) if layout.look(table, id).form == Form::Apart => {
                    made.push(Made::Text(column, name));
                }
                Reading::Text(_) => {}
                Reading::Number(name) => made.push(Made::Number(column, name, is_whole(column))),
                Reading::Date(date) => {
                    made.push(Made::Date(column, &date.written));
                    made.extend((0..3).map(|part| Made::Part(column, &date.parts[part], part)));
                }
            }
        }
    }
    made
}

/// Whether all numbers of a column are whole and any sum of them is exact.
pub(crate) fn is_whole(column: &Column) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    let whole = |value: Value<'_>| matches!(value, Value::Number(number) if number.fract() == 0.0);
    let size = |row| match column.value(row) {
        Some(Value::Number(number)) => number.abs(),
        _ => 0.0,
    };
    column.values().all(whole) && (0..column.rows()).map(size).sum::<f64>() < EXACT
}

impl Made<'_> {
    /// The column of the file behind it.
    pub(super) fn source(&self) -> usize {
        match self {
            Made::Cells(source) => *source,
            Made::Text(column, _)
            | Made::Number(column, ..)
            | Made::Date(column, _)
            | Made::Part(column, ..) => column.source(),
        }
    }

    pub(super) fn name<'a>(&'a self, layout: &'a Layout) -> &'a str {
        match self {
            Made::Cells(source) => &layout.sources[*source],
            Made::Text(_, name) | Made::Number(_, name, _) | Made::Date(_, name) | Made::Part(_, name, _) => {
                name
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Made::Cells(_) | Made::Text(..) | Made::Date(..) => "TEXT",
            Made::Number(_, _, false) => "DOUBLE",
            Made::Number(..) | Made::Part(..) => "BIGINT",
        }
    }

    fn push_cell(&self, table: &Table, row: usize, out: &mut String) {
        let written = match self {
            Made::Cells(source) => return quote::push_text(table.answer_text(row, *source), out),
            Made::Text(column, _) => match column.value(row) {
                Some(Value::Text(text)) => return quote::push_text(text, out),
                _ => None,
            },
            Made::Number(column, _, whole) => match column.value(row) {
                Some(Value::Number(number)) if *whole => Some((number as i64).to_string()),
                Some(Value::Number(number)) => Some(quote::float(number)),
                _ => None,
            },
            Made::Date(column, _) => column.value(row).map(|date| quote::text(&date.to_string())),
            Made::Part(column, _, part) => match column.value(row) {
                Some(Value::Date(date)) => super::parts(date)[*part].map(|part| part.to_string()),
                _ => None,
            },
        };
        out.push_str(written.as_deref().unwrap_or("NULL"));
    }
}
