//! Rows of cells on their way into a table, of formats that say nothing about which row is the header: sheets and tables
//! of pages. A cell has a place; those that are never filled cost nothing.

use super::cells::{LONGEST_CELL, MOST_COLUMNS};
use super::header::note_lines_above;
use super::layout::{LOOKED_AT, Layout};
use super::source::content;
use super::told::Header;
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::decisions::Decisions;
use crate::texts::Interner;
use std::collections::BTreeMap;

/// A cell of a row: in which column, and what.
pub(super) type Cell = (u32, String);

/// A table that grows by rows.
pub(super) struct Grid<'a> {
    name: &'a str,
    options: &'a LoadOptions,
    /// The first rows, with their numbers in the file, until it is known which of them is the header.
    head: Vec<(u64, Vec<Cell>)>,
    /// The number of the last row.
    last: u64,
    body: Option<Body>,
}

/// What comes below the header.
#[derive(Default)]
struct Body {
    /// By their places in the file.
    columns: BTreeMap<u32, (String, Vec<u32>, Interner)>,
    rows: usize,
    header: Option<u64>,
    left_out: Option<String>,
}

impl<'a> Grid<'a> {
    pub fn new(name: &'a str, options: &'a LoadOptions) -> Self {
        Grid {
            name,
            options,
            head: Vec::new(),
            last: 0,
            body: None,
        }
    }

    /// Adds a row, whose number is larger than that of the one before. Rows between them are empty.
    pub fn push(&mut self, number: u64, mut cells: Vec<Cell>) -> Result<(), TableError> {
        cells.retain(|(_, text)| !text.trim().is_empty());
        if let Some((_, cell)) = cells.iter().find(|(_, text)| text.len() > LONGEST_CELL) {
            let problem = format!(
                "a cell has {} bytes and the limit is {LONGEST_CELL}; shorten it",
                cell.len()
            );
            return Err(content(self.name, Some(number), problem));
        }
        // However many rows are empty, one says so.
        if number > self.last + 1 && self.last > 0 {
            self.add(number - 1, Vec::new())?;
        }
        self.last = number;
        self.add(number, cells)
    }

    fn add(&mut self, number: u64, cells: Vec<Cell>) -> Result<(), TableError> {
        if let Some(body) = &mut self.body {
            return body.add(self.name, self.options, cells);
        }
        self.head.push((number, cells));
        match self.head.len() >= LOOKED_AT && !self.is_above_header(number) {
            true => self.begin(),
            false => Ok(()),
        }
    }

    /// Whether the header is said to stand further below.
    fn is_above_header(&self, number: u64) -> bool {
        matches!(self.options.header, Some(Header::Line(line)) if line >= number)
    }

    /// Decides which row is the header, and begins with those below.
    fn begin(&mut self) -> Result<(), TableError> {
        let head = std::mem::take(&mut self.head);
        let layout = match self.options.header {
            Some(Header::Nowhere) => Layout {
                header: None,
                first: head.iter().position(|(_, cells)| !cells.is_empty()).unwrap_or(0),
            },
            Some(Header::Line(line)) => {
                let Some(header) = head
                    .iter()
                    .position(|(number, cells)| *number == line && !cells.is_empty())
                else {
                    let problem = "there is nothing in this row; name another with --header";
                    return Err(content(self.name, Some(line), problem));
                };
                Layout {
                    header: Some(header),
                    first: header + 1,
                }
            }
            None => Layout::of(&dense(&head)),
        };
        let above = &head[..layout.header.unwrap_or(layout.first)];
        let said = above.iter().filter(|(_, cells)| !cells.is_empty());
        let said: Vec<(u64, &str)> = said
            .filter_map(|(number, cells)| Some((*number, cells.first()?.1.as_str())))
            .collect();
        let mut body = Body {
            left_out: note_lines_above(&said),
            ..Body::default()
        };
        if let Some((number, cells)) = layout.header.and_then(|header| head.get(header)) {
            body.header = Some(*number);
            for (column, text) in cells {
                body.columns
                    .insert(*column, (text.clone(), Vec::new(), Interner::default()));
            }
        }
        for (_, cells) in head.into_iter().skip(layout.first) {
            body.add(self.name, self.options, cells)?;
        }
        self.body = Some(body);
        Ok(())
    }

    /// The table, and what was decided about it.
    pub fn finish(mut self, decisions: &mut Decisions) -> Result<TableBuilder, TableError> {
        if self.body.is_none() {
            self.begin()?;
        }
        let body = self.body.unwrap_or_default();
        if body.columns.is_empty() {
            return Err(content(
                self.name,
                None,
                "it is empty; it needs a header and at least one row",
            ));
        }
        decisions.header = body.header;
        decisions.left_out.extend(body.left_out);
        let (mut headers, mut columns) = (Vec::new(), Vec::new());
        for (header, mut rows, mut texts) in body.columns.into_values() {
            rows.resize_with(body.rows, || texts.intern(""));
            headers.push(header);
            columns.push((rows, texts));
        }
        if body.rows == 0 {
            let problem = "there is a header but no row below it; add at least one row";
            return Err(content(self.name, None, problem));
        }
        Ok(TableBuilder::from_columns(self.name, headers, body.rows, columns))
    }
}

/// Rows with a cell for each column that any has.
fn dense(rows: &[(u64, Vec<Cell>)]) -> Vec<Vec<String>> {
    let mut places: Vec<u32> = rows
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|(place, _)| *place))
        .collect();
    places.sort_unstable();
    places.dedup();
    let row = |(_, cells): &(u64, Vec<Cell>)| {
        let mut row = vec![String::new(); places.len()];
        for (place, text) in cells {
            if let Ok(column) = places.binary_search(place) {
                row[column].clone_from(text);
            }
        }
        row
    };
    rows.iter().map(row).collect()
}

impl Body {
    fn add(&mut self, name: &str, options: &LoadOptions, cells: Vec<Cell>) -> Result<(), TableError> {
        for (place, text) in cells {
            let (_, rows, texts) = self.columns.entry(place).or_default();
            // Empty until now, and of equal places the last counts.
            rows.truncate(self.rows);
            rows.resize_with(self.rows, || texts.intern(""));
            rows.push(texts.intern(&text));
        }
        self.rows += 1;
        if self.columns.len() > MOST_COLUMNS {
            let problem = format!("it has more than {MOST_COLUMNS} columns, which is the limit");
            return Err(content(name, None, problem));
        }
        let text = self.columns.values().map(|(_, _, texts)| texts.size());
        // The text is summed up now and then.
        let text = if self.rows.is_multiple_of(64) {
            text.sum()
        } else {
            0
        };
        options.largest.check(name, self.rows, self.columns.len(), text)
    }
}
