//! Plain typed columns.

use super::data::{Cell, TaggedTable};
use super::quirk::{Quirk, Quirks};
use mapo_datasets::wikisql::files;
use mapo_datasets::wikisql::files::{ColumnType, Scalar};
use mapo_tables::{ColumnKind, Value as OurValue};
use mapo_text::{normalize, unescape};
use std::collections::HashSet;
use std::sync::Arc;

/// The quirks that tables depend on.
pub const QUIRKS: Quirks = Quirks::of(&[Quirk::EmptyColumns, Quirk::EscapedCells]);

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(f64),
    /// As it is written.
    Date(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Date,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    /// One for each row.
    pub values: Arc<Vec<Option<Value>>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub rows: usize,
    pub columns: Vec<Column>,
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A table of WikiTableQuestions with CoreNLP's readings.
pub fn wtq(source: &TaggedTable, quirks: Quirks) -> Table {
    let rows = source.columns[0].len();
    let mut columns = Vec::new();
    for (name, cells) in source.names.iter().zip(&source.columns) {
        let text = |cell: &Cell| {
            let content = if quirks.has(Quirk::EscapedCells) {
                cell.content.clone()
            } else {
                unescape(&cell.content).into_owned()
            };
            Some(Value::Text(normalize(&content)))
        };
        // Cells of ten tokens and more are prose.
        let number = |cell: &Cell, field: &str| {
            let number = field.parse().ok().filter(|_| cell.tokens < 10);
            number.map(Value::Number)
        };
        let date = |cell: &Cell| (!cell.date.is_empty()).then(|| Value::Date(cell.date.clone()));
        let readings: [(&str, Kind, Vec<Option<Value>>); 4] = [
            ("str", Kind::Text, cells.iter().map(text).collect()),
            (
                "num",
                Kind::Number,
                cells.iter().map(|cell| number(cell, &cell.number)).collect(),
            ),
            (
                "num2",
                Kind::Number,
                cells.iter().map(|cell| number(cell, &cell.second)).collect(),
            ),
            ("date", Kind::Date, cells.iter().map(date).collect()),
        ];
        for (suffix, kind, mut values) in readings {
            let present = values.iter().flatten().count();
            let rare = present * 5 < rows;
            if rare {
                values.fill(None);
            }
            if present > 0 && (!rare || quirks.has(Quirk::EmptyColumns)) {
                let name = format!("r.{name}-{suffix}");
                let values = Arc::new(values);
                columns.push(Column { name, kind, values });
            }
        }
    }
    Table { rows, columns }
}

/// A table of WikiSQL with the types that it is given. The published code has one column of several with the
/// same header and type, but no table of the vectors has such headers, so this is no quirk here.
pub fn wikisql(source: &files::Table) -> Table {
    let typed = source.header.iter().zip(&source.types).enumerate();
    let column = |(index, (header, kind)): (usize, (&String, &ColumnType))| {
        let (suffix, kind) = match kind {
            ColumnType::Real => ("num", Kind::Number),
            ColumnType::Text => ("str", Kind::Text),
        };
        let value = |row: &Vec<Scalar>| {
            let text = match &row[index] {
                Scalar::Null => String::new(),
                Scalar::Integer(number) => number.to_string(),
                Scalar::Float(number) => number.to_string(),
                Scalar::Text(text) => lower(text),
            };
            match kind {
                Kind::Number => decimal(&text).map(Value::Number),
                _ => Some(Value::Text(text)),
            }
        };
        Column {
            name: format!("r.{}-{suffix}", lower(header).replace(' ', "_")),
            kind,
            values: Arc::new(source.rows.iter().map(value).collect()),
        }
    };
    let columns: Vec<Column> = typed.map(column).collect();
    let names: HashSet<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names.len(), columns.len(), "{} has equal headers", source.id);
    Table {
        rows: source.rows.len(),
        columns,
    }
}

/// Lower case code point by code point, where `İ` becomes a plain `i`.
pub fn lower(text: &str) -> String {
    text.chars().filter_map(|c| c.to_lowercase().next()).collect()
}

/// A decimal number with commas anywhere, `nan` and `inf` too, as the published code's parser takes it.
pub fn decimal(text: &str) -> Option<f64> {
    let plain = text.replace(',', "");
    plain.trim().parse().ok()
}

/// Our table in the same form.
pub fn ours(table: &mapo_tables::Table) -> Table {
    let column = |column: &mapo_tables::Column| {
        let value = |row| column.value(row).map(from_ours);
        Column {
            name: column.name().to_owned(),
            kind: match column.kind() {
                ColumnKind::Text => Kind::Text,
                ColumnKind::Number | ColumnKind::SecondNumber => Kind::Number,
                ColumnKind::Date => Kind::Date,
            },
            values: Arc::new((0..table.rows()).map(value).collect()),
        }
    };
    Table {
        rows: table.rows(),
        columns: table.columns().iter().map(column).collect(),
    }
}

pub fn from_ours(value: OurValue<'_>) -> Value {
    match value {
        OurValue::Text(text) => Value::Text(text.to_owned()),
        OurValue::Number(number) => Value::Number(number),
        OurValue::Date(date) => Value::Date(date.to_string()),
    }
}
