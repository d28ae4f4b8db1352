//! What was decided about a table file, for people and for programs.

use crate::table_view;
use crate::terminal::clean;
use mapo_tables::{LeftOut, Table};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Rows that are shown.
const ROWS: usize = 5;

/// What was decided about a file, its columns, and its first rows.
pub fn show(table: &Table) -> String {
    let decisions = table.decisions();
    let mut text = String::new();
    let mut line = |what: &str, said: &str| {
        let _ = writeln!(text, "{what:10} {}", clean(said));
    };
    line("file", table.name());
    if let Some(format) = decisions.format {
        line("format", format.name());
    }
    for packing in &decisions.packed {
        line("packed by", packing);
    }
    if let (Some(part), Some(format)) = (&decisions.part, decisions.format) {
        let others: Vec<&str> = decisions
            .parts
            .iter()
            .filter(|other| *other != part)
            .map(String::as_str)
            .collect();
        let others = match others.is_empty() {
            true => String::new(),
            false => format!("; there is also {}", others.join(", ")),
        };
        line(format.part_is_a(), &format!("{part}{others}"));
    }
    if let Some(encoding) = &decisions.encoding {
        line("encoding", encoding);
    }
    if let Some(separator) = decisions.separator {
        let shown = separator.to_string();
        line("separator", if separator == '\t' { "tab" } else { &shown });
    }
    if let Some(header) = decisions.header {
        line("header", &format!("line {header}"));
    }
    for said in &decisions.left_out {
        line("left out", said);
    }
    if let Some(left_out) = table.left_out() {
        line("left out", &left_out.note());
    }
    for note in &decisions.notes {
        line("note", note);
    }
    line("rows", &table.rows().to_string());
    for (source, header) in table.headers().iter().enumerate() {
        let mut said = kinds(table, source).join(", ");
        for written in table.how_written(source) {
            let _ = write!(said, "; {written}");
        }
        line("column", &format!("{header}: {said}"));
    }
    text + &table_view::show(table, ROWS)
}

/// The same for programs.
pub fn to_json(table: &Table) -> Json {
    let columns = table.headers().iter().enumerate().map(|(source, header)| {
        json!({
            "name": header, "kinds": kinds(table, source), "decimal": table.decimal(source),
            "written": table.how_written(source),
        })
    });
    json!({
        "file": table.name(), "decisions": table.decisions(), "totals_left_out": table.left_out().map(LeftOut::note),
        "rows": table.rows(), "columns": columns.collect::<Vec<_>>(),
    })
}

/// What the cells of a column are: always text, and what else they can be read as.
fn kinds(table: &Table, source: usize) -> Vec<String> {
    let columns = table.columns().iter().filter(|column| column.source() == source);
    columns.map(|column| column.kind().to_string()).collect()
}
