//! Cells on their way from a file into columns: pieces of text cut into cells, and the columns that they
//! fill.

use super::source::content;
use super::{Largest, TableError};
use crate::TableBuilder;
use crate::builder::PARALLEL_CELLS;
use crate::texts::Interner;
use rayon::prelude::*;

/// No sensible cell is longer; a stray quote that swallows the rest of a file is.
pub(super) const LONGEST_CELL: usize = 1 << 20;
/// Programs number their tokens in 16 bits, and a column has up to four readings.
pub(super) const MOST_COLUMNS: usize = 10_000;
/// A column's texts are addressed by 32 bits, and their normal forms can be a little longer.
const LARGEST_COLUMN: usize = u32::MAX as usize - (1 << 30);

/// Where a cell lies in its piece: in the text, or behind it in what had to be written anew.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub start: u32,
    pub length: u32,
}

/// Some rows of a file, cut into cells.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// Cells that do not stand in the text as they are.
    pub rewritten: String,
    /// The cells, column by column, all equally many.
    pub columns: Vec<Vec<Span>>,
    pub rows: usize,
}

impl<'a> Piece<'a> {
    pub fn new(text: &'a str, columns: usize) -> Self {
        Piece {
            text,
            columns: vec![Vec::new(); columns],
            ..Piece::default()
        }
    }

    /// A cell that was written behind the text from `start` on.
    pub fn rewritten_from(&self, start: usize) -> Span {
        Span {
            start: (self.text.len() + start) as u32,
            length: (self.rewritten.len() - start) as u32,
        }
    }

    pub fn cell(&self, span: Span) -> &str {
        let (start, length) = (span.start as usize, span.length as usize);
        match start.checked_sub(self.text.len()) {
            Some(start) => &self.rewritten[start..start + length],
            None => &self.text[start..start + length],
        }
    }
}

/// The columns of a table that is being read.
#[derive(Default)]
pub(super) struct Filling {
    pub columns: Vec<(Vec<u32>, Interner)>,
    pub rows: usize,
    pub largest: Largest,
}

impl Filling {
    pub fn new(columns: usize, largest: Largest) -> Self {
        Filling {
            columns: (0..columns).map(|_| Default::default()).collect(),
            rows: 0,
            largest,
        }
    }

    /// Makes room for this many rows.
    pub fn expect(&mut self, rows: usize) {
        for (known, _) in &mut self.columns {
            known.reserve_exact(rows.saturating_sub(known.len()));
        }
    }

    /// Adds the rows of pieces; columns that a piece has not are empty there.
    pub fn push(&mut self, name: &str, pieces: &[Piece<'_>]) -> Result<(), TableError> {
        let rows: usize = pieces.iter().map(|piece| piece.rows).sum();
        let columns = self.columns.len();
        self.largest.check(name, self.rows + rows, columns, 0)?;
        let fill = |(column, (rows, texts)): (usize, &mut (Vec<u32>, Interner))| {
            for piece in pieces {
                match piece.columns.get(column) {
                    Some(spans) => rows.extend(spans.iter().map(|span| texts.intern(piece.cell(*span)))),
                    None => rows.extend((0..piece.rows).map(|_| texts.intern(""))),
                }
            }
            texts.stop_searching_if_most_are_new();
        };
        match rows * self.columns.len() >= PARALLEL_CELLS / 8 {
            true => self.columns.par_iter_mut().enumerate().for_each(fill),
            false => self.columns.iter_mut().enumerate().for_each(fill),
        }
        self.rows += rows;
        let text = self.columns.iter().map(|(_, texts)| texts.size()).sum();
        self.largest.check(name, self.rows, columns, text)?;
        if self
            .columns
            .iter()
            .any(|(_, texts)| texts.size() > LARGEST_COLUMN)
        {
            let problem = "a column holds more than 3 GiB of text; split the table";
            return Err(content(name, None, problem));
        }
        match u32::try_from(self.rows) {
            Ok(_) => Ok(()),
            Err(_) => Err(content(name, None, "more than 4 billion rows; split the table")),
        }
    }

    /// Adds a column that is empty in the rows so far.
    pub fn add_column(&mut self) {
        let mut texts = Interner::default();
        let rows = (0..self.rows).map(|_| texts.intern("")).collect();
        self.columns.push((rows, texts));
    }

    pub fn finish(self, name: &str, headers: Vec<String>) -> Result<TableBuilder, TableError> {
        match self.rows {
            0 => Err(content(
                name,
                None,
                "there is a header but no row below it; add at least one row",
            )),
            _ => Ok(TableBuilder::from_columns(name, headers, self.rows, self.columns)),
        }
    }
}
