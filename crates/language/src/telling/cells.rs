//! The cells that a step rests on.

use super::{Call, Rows};
use mapo_tables::{ColumnId, RowSet, Table, Value};
use serde::Serialize;

/// How many cells of a step are listed.
pub const MOST_CELLS: usize = 400;

/// A cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct CellRef {
    /// The row, from 0.
    pub row: usize,
    /// The column's number in the file, from 0.
    pub column: usize,
}

/// The first [`MOST_CELLS`] cells that a step rests on, and how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cells {
    pub first: Vec<CellRef>,
    pub total: usize,
}

/// What is known of a step that has just run.
pub(crate) struct Seen<'a> {
    pub call: &'a Call<'a>,
    pub table: &'a Table,
    /// The rows that each of the steps before it gives, if it gives rows.
    pub before: &'a [Option<&'a RowSet>],
    /// The rows it gives,
    pub rows: Option<&'a RowSet>,
    /// or its first value.
    pub value: Option<Value<'a>>,
}

impl Seen<'_> {
    /// The members of an argument.
    pub fn members(&self, rows: Rows) -> Box<dyn Iterator<Item = usize> + '_> {
        match rows {
            Rows::All => Box::new(0..self.table.rows()),
            Rows::Step { step, .. } => Box::new(self.before[step].into_iter().flat_map(RowSet::iter)),
        }
    }

    /// The cells of a column in the rows that were kept.
    pub fn kept(&self, column: ColumnId) -> Cells {
        match self.rows {
            Some(rows) => self.list(column, rows.iter(), rows.len()),
            None => Cells::default(),
        }
    }

    /// The cells of a column in rows that have a value there.
    pub fn present(&self, sets: &[Rows], column: ColumnId) -> Cells {
        let present = self.table.column(column).present();
        let rows = sets.iter().flat_map(|rows| self.members(*rows));
        let total = sets.iter().map(|rows| match rows {
            Rows::All => present.len(),
            Rows::Step { step, .. } => self.before[*step].map_or(0, |rows| common(rows, present)),
        });
        self.list(column, rows.filter(|row| present.contains(*row)), total.sum())
    }

    /// The cells of a column in rows of which it is known how many they are.
    pub fn list(&self, column: ColumnId, rows: impl Iterator<Item = usize>, total: usize) -> Cells {
        let column = self.table.column(column).source();
        let cells = rows.map(|row| CellRef { row, column });
        Cells {
            first: cells.take(MOST_CELLS).collect(),
            total,
        }
    }

    /// The cells of a column in rows, which are counted.
    pub fn count(&self, column: ColumnId, rows: impl Iterator<Item = usize>) -> Cells {
        let (mut listed, mut total) = (Vec::new(), 0);
        for row in rows {
            if listed.len() < MOST_CELLS {
                listed.push(row);
            }
            total += 1;
        }
        self.list(column, listed.into_iter(), total)
    }
}

/// How many rows two sets have in common.
fn common(one: &RowSet, other: &RowSet) -> usize {
    let words = one.words().iter().zip(other.words());
    words
        .map(|(one, other)| (one & other).count_ones() as usize)
        .sum()
}
