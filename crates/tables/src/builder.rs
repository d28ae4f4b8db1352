//! Tables put together from cells.

use crate::cell_values::CellValues;
use crate::column::{Cells, Column, ColumnId};
use crate::decisions::Decisions;
use crate::derived::Derived;
use crate::likeness::keep_what_most_are;
use crate::names::{column_name, unique_names};
use crate::rows::RowSet;
use crate::table::{Lines, Table};
use crate::texts::Interner;
use crate::totals::{LeftOut, label_of_totals};
use crate::value::ColumnKind;
use crate::written::{Written, conventions, read};
use mapo_text as text;
use mapo_text::read::columns::{Convention, Mark};
use rayon::prelude::*;
use std::cell::LazyCell;
use std::sync::Arc;

/// Collects the cells of a table, row by row.
///
/// ```
/// use mapo_tables::TableBuilder;
/// let mut builder = TableBuilder::new("cities", ["City", "Founded"]);
/// builder.push_row(["Tulsa", "1836"]);
/// builder.push_row(["Omaha", "1854"]);
/// let table = builder.finish();
/// let names: Vec<_> = table.columns().iter().map(|column| column.name()).collect();
/// assert_eq!(names, ["r.city-str", "r.founded-str", "r.founded-num", "r.founded-date"]);
/// ```
pub struct TableBuilder {
    name: String,
    headers: Vec<String>,
    names: Vec<String>,
    pub(crate) rows: usize,
    columns: Vec<(Vec<u32>, Interner)>,
    left_out: Option<LeftOut>,
    decisions: Decisions,
    decimal: Option<Mark>,
}

impl TableBuilder {
    /// An empty table with these headers.
    pub fn new<H: Into<String>>(name: impl Into<String>, headers: impl IntoIterator<Item = H>) -> Self {
        let headers: Vec<String> = headers.into_iter().map(Into::into).collect();
        let name_of = |header: &String| {
            mapo_stopping::glance();
            column_name(header)
        };
        let names = headers.iter().map(name_of).collect();
        TableBuilder::with_names(name, headers, names)
    }

    /// An empty table whose columns are called `names` in programs (without `r.` and the type). Blanks in
    /// them become `_`, since a program's words are separated by blanks, and the later of equal ones are
    /// numbered.
    pub fn with_names(name: impl Into<String>, headers: Vec<String>, names: Vec<String>) -> Self {
        let names = unique_names(names.iter().map(|name| name.replace(char::is_whitespace, "_")));
        let columns = headers.iter().map(|_| Default::default()).collect();
        TableBuilder {
            name: name.into(),
            headers,
            names,
            rows: 0,
            columns,
            left_out: None,
            decisions: Decisions::default(),
            decimal: None,
        }
    }

    /// The same cells under another name.
    pub fn named(self, name: impl Into<String>) -> Self {
        TableBuilder {
            name: name.into(),
            ..self
        }
    }

    /// The same cells under other headers.
    pub(crate) fn with_headers(self, rename: impl FnOnce(Vec<String>) -> Vec<String>) -> Self {
        let renamed = TableBuilder::new(self.name, rename(self.headers));
        TableBuilder {
            name: renamed.name,
            headers: renamed.headers,
            names: renamed.names,
            ..self
        }
    }

    /// The same with what was decided about the file.
    pub(crate) fn decided(self, decisions: Decisions) -> Self {
        TableBuilder { decisions, ..self }
    }

    pub(crate) fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// The same with numbers whose fractions begin at this sign, whatever the cells look like.
    pub(crate) fn with_decimal(self, decimal: Option<Mark>) -> Self {
        TableBuilder { decimal, ..self }
    }

    /// Adds a row. Cells beyond the header's are dropped and missing ones are empty.
    pub fn push_row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        let mut cells = cells.into_iter();
        for (rows, texts) in &mut self.columns {
            rows.push(texts.intern(cells.next().unwrap_or("")));
        }
        self.rows += 1;
    }

    /// The same without a last row that adds up the others, if there is one; the table will say so.
    pub fn without_totals(self) -> Self {
        let cell = |row: usize, column: usize| self.cell(row, column);
        // Looked at only where the last row is called a total.
        let conventions = LazyCell::new(|| self.conventions());
        let number = |row: usize, column: usize| read(&conventions[column], cell(row, column)).number;
        let Some(label) = label_of_totals(self.rows, self.columns.len(), cell, number) else {
            return self;
        };
        let left_out = LeftOut {
            row: self.rows - 1,
            label: mapo_text::trim(label).to_owned(),
        };
        let kept = self.with_rows(0..left_out.row);
        TableBuilder {
            left_out: Some(left_out),
            ..kept
        }
    }

    /// The same without rows in which nothing stands, and without what stands alone behind the last of them.
    pub(crate) fn without_gaps(self, decisions: &mut Decisions) -> Self {
        let is_empty =
            |row: usize| (0..self.columns.len()).all(|column| text::trim(self.cell(row, column)).is_empty());
        let empty: Vec<usize> = (0..self.rows).filter(|row| is_empty(*row)).collect();
        // A row of a single column says something by being empty.
        let Some(last) = empty.last().filter(|_| self.columns.len() > 1) else {
            return self;
        };
        let first_only =
            |row: usize| (1..self.columns.len()).all(|column| text::trim(self.cell(row, column)).is_empty());
        let below = self.rows - last - 1;
        let are_notes = (1..=8).contains(&below) && (last + 1..self.rows).all(first_only);
        let end = if are_notes { *last } else { self.rows };
        if are_notes {
            let text = text::trim(self.cell(last + 1, 0));
            decisions
                .left_out
                .push(format!("'{text}' stands below the table and was left out"));
        }
        let among = empty.iter().filter(|row| **row < end).count();
        if among > 0 && end > among {
            let rows = if among == 1 {
                "an empty row was"
            } else {
                "empty rows were"
            };
            decisions.left_out.push(format!("{rows} left out"));
        }
        let mut empty = empty.into_iter().peekable();
        let kept: Vec<usize> = (0..end).filter(|row| empty.next_if_eq(row).is_none()).collect();
        match kept.is_empty() {
            true => self,
            false => self.with_rows(kept.into_iter()),
        }
    }

    fn cell(&self, row: usize, column: usize) -> &str {
        let (rows, texts) = &self.columns[column];
        texts.get(rows[row])
    }

    /// The same with some of its rows. What only others have is no text of the table.
    fn with_rows(self, picked: impl ExactSizeIterator<Item = usize> + Clone) -> Self {
        let pick = |(rows, texts): &(Vec<u32>, Interner)| {
            let mut kept = Interner::default();
            let rows = picked.clone().map(|row| kept.intern(texts.get(rows[row])));
            (rows.collect(), kept)
        };
        TableBuilder {
            columns: self.columns.iter().map(pick).collect(),
            rows: picked.len(),
            ..self
        }
    }

    fn conventions(&self) -> Vec<Convention> {
        let are_many = self.rows * self.headers.len() > PARALLEL_CELLS;
        conventions(&self.headers, &self.columns, self.decimal, are_many)
    }

    pub(crate) fn headers(&self) -> &[String] {
        &self.headers
    }

    pub(crate) fn columns(&self) -> &[(Vec<u32>, Interner)] {
        &self.columns
    }

    /// A table of cells that are already in columns.
    pub(crate) fn from_columns(
        name: &str,
        headers: Vec<String>,
        rows: usize,
        columns: Vec<(Vec<u32>, Interner)>,
    ) -> Self {
        let builder = TableBuilder::new(name, headers);
        TableBuilder {
            rows,
            columns,
            ..builder
        }
    }

    /// Types the columns by what our own reader finds in the cells: a column of numbers, or of dates, is one
    /// where most cells that are not empty are such. A number in a name makes none: `Hannover 96`, `Schalke 04`.
    /// How numbers and dates are written is decided for a column as a whole; [`Table::how_written`] says what was.
    pub fn finish(self) -> Table {
        let conventions = self.conventions();
        self.assemble(Lines::Joined, |name, source, cells| {
            let convention = &conventions[source];
            let mut readings: Vec<CellValues> =
                cells.texts.iter().map(|text| read(convention, text)).collect();
            keep_what_most_are(cells, &mut readings);
            let written = Written::new(convention, cells, &readings);
            (read_columns(name, source, cells, &readings), written)
        })
    }

    /// The same, but each cell is read by itself, as the cells of the benchmarks are.
    pub fn finish_cell_by_cell(self) -> Table {
        self.assemble(Lines::Joined, |name, source, cells| {
            let mut readings: Vec<CellValues> = cells.texts.iter().map(CellValues::of).collect();
            keep_what_most_are(cells, &mut readings);
            (read_columns(name, source, cells, &readings), Written::default())
        })
    }

    /// Types the columns by given readings, one for each cell: `readings[source][row]`.
    pub fn finish_with(mut self, readings: &[Vec<CellValues>]) -> Table {
        // Equal texts with different readings become texts of their own, so that a reading belongs to a text.
        let mut by_text = Vec::with_capacity(self.columns.len());
        for ((rows, texts), readings) in self.columns.iter_mut().zip(readings) {
            let mut owned: Vec<Option<CellValues>> = Vec::new();
            for (text, &reading) in rows.iter_mut().zip(readings) {
                let texts_so_far = owned.len().max(*text as usize + 1);
                owned.resize(texts_so_far, None);
                match owned[*text as usize] {
                    None => owned[*text as usize] = Some(reading),
                    Some(known) if known == reading => {}
                    Some(_) => {
                        *text = texts.push_again(*text);
                        owned.resize(*text as usize, None);
                        owned.push(Some(reading));
                    }
                }
            }
            by_text.push(owned);
        }
        self.assemble(Lines::Joined, |name, source, cells| {
            let mut readings: Vec<CellValues> =
                by_text[source].iter().map(|r| r.unwrap_or_default()).collect();
            readings.resize(cells.texts.len(), CellValues::default());
            (read_columns(name, source, cells, &readings), Written::default())
        })
    }

    /// Gives every column the one type that `numeric` says (a number column or a text column), with text only
    /// lower-cased and numbers read by `number`.
    pub fn finish_declared(self, numeric: &[bool], number: impl Fn(&str) -> Option<f64> + Sync) -> Table {
        self.assemble(Lines::Kept, |name, source, cells| {
            let columns = if numeric.get(source).copied().unwrap_or(false) {
                let numbers: Vec<Option<f64>> = cells.texts.iter().map(&number).collect();
                let name = format!("r.{name}{}", ColumnKind::Number.suffix());
                let present = present(cells, &numbers);
                vec![Column::of_numbers(
                    name,
                    source,
                    ColumnKind::Number,
                    cells,
                    present,
                    numbers,
                )]
            } else {
                let name = format!("r.{name}{}", ColumnKind::Text.suffix());
                vec![Column::of_texts(name, source, cells, append_lower)]
            };
            (columns, Written::default())
        })
    }

    fn assemble(
        self,
        lines: Lines,
        typed: impl Fn(&str, usize, &Cells) -> (Vec<Column>, Written) + Sync,
    ) -> Table {
        let TableBuilder {
            name,
            headers,
            names,
            rows,
            columns,
            left_out,
            decisions,
            decimal: _,
        } = self;
        let build = |(source, (rows, texts)): (usize, (Vec<u32>, Interner))| {
            mapo_stopping::check();
            let texts_are_distinct = texts.is_distinct();
            let cells = Cells {
                rows: rows.into(),
                texts_are_distinct,
                texts: Arc::new(texts.finish()),
                answers: Arc::default(),
            };
            let columns = typed(&names[source], source, &cells);
            (cells, columns)
        };
        let (cells, columns): (Vec<Cells>, Vec<(Vec<Column>, Written)>) =
            if rows * headers.len() > PARALLEL_CELLS {
                let flag = mapo_stopping::carry();
                let columns = columns.into_par_iter().enumerate();
                columns.map(|column| flag.within(|| build(column))).unzip()
            } else {
                columns.into_iter().enumerate().map(build).unzip()
            };
        let (columns, written): (Vec<Vec<Column>>, Vec<Written>) = columns.into_iter().unzip();
        let columns: Vec<Column> = columns.into_iter().flatten().collect();
        let ids = columns
            .iter()
            .zip(0..)
            .map(|(column, id)| (column.name().to_owned(), ColumnId(id)));
        Table {
            derived: Derived::default(),
            by_name: ids.collect(),
            lines,
            name,
            headers,
            rows,
            cells,
            columns,
            left_out,
            decisions: Arc::new(decisions),
            written: written.into(),
        }
    }
}

/// Below this many cells starting threads costs more than it saves.
pub(crate) const PARALLEL_CELLS: usize = 1 << 16;

/// Lower case letter by letter, as WikiSQL compares text.
fn append_lower(text: &str, out: &mut String) {
    out.extend(text.chars().filter_map(|c| c.to_lowercase().next()));
}

/// The readings of a column that enough of its rows have.
fn read_columns(name: &str, source: usize, cells: &Cells, readings: &[CellValues]) -> Vec<Column> {
    let full_name = |kind: ColumnKind| format!("r.{name}{}", kind.suffix());
    let mut columns = vec![Column::of_texts(
        full_name(ColumnKind::Text),
        source,
        cells,
        text::append_normalized,
    )];
    for kind in [ColumnKind::Number, ColumnKind::SecondNumber] {
        let pick = |reading: &CellValues| match kind {
            ColumnKind::Number => reading.number,
            _ => reading.second,
        };
        if let Some((numbers, present)) = common(cells, readings, pick) {
            columns.push(Column::of_numbers(
                full_name(kind),
                source,
                kind,
                cells,
                present,
                numbers,
            ));
        }
    }
    if let Some((dates, present)) = common(cells, readings, |reading| reading.date) {
        columns.push(Column::of_dates(
            full_name(ColumnKind::Date),
            source,
            cells,
            present,
            dates,
        ));
    }
    columns
}

/// One part of the readings and the rows that have it, if at least a fifth of the rows, and one at all, have.
fn common<T: Sync>(
    cells: &Cells,
    readings: &[CellValues],
    pick: impl Fn(&CellValues) -> Option<T>,
) -> Option<(Vec<Option<T>>, RowSet)> {
    if readings.iter().all(|reading| pick(reading).is_none()) {
        return None;
    }
    let values: Vec<Option<T>> = readings.iter().map(pick).collect();
    let present = present(cells, &values);
    let count = present.len();
    (count > 0 && count * 5 >= cells.rows.len()).then_some((values, present))
}

/// The rows whose text has a value.
fn present<T: Sync>(cells: &Cells, values: &[Option<T>]) -> RowSet {
    RowSet::where_true(cells.rows.len(), |row| values[cells.rows[row] as usize].is_some())
}
