//! The state of a running program: the values of its variables, and what functions make them with.
//!
//! Row sets lie in one arena and value lists in another, newest last, so that taking back an expression is
//! cutting the arenas, and running one allocates nothing once they have grown. A function asks what it needs
//! to know before it is offered ([`Machine::count`], [`Machine::present`], …), and makes one new variable
//! when it runs: [`Machine::make_rows`], [`Machine::make_values`] or [`Machine::hold_number`].

pub(crate) mod adding;
mod arguments;
mod making;
mod outcome;
mod relating;
mod relation;
mod subject;

pub(crate) use arguments::{Arg, RowsRef, Values, ValuesKind, ValuesRef};
pub(crate) use making::NewRows;
pub(crate) use outcome::Outcome;
pub(crate) use relation::Relation;
pub use subject::ConstantId;
pub(crate) use subject::{Subject, filled};

use mapo_tables::Constant;
use mapo_tables::rows::{self, RowSet, words_for};
use mapo_tables::{Column, ColumnId, ColumnKind, Value};
use std::ops::Range;
use std::sync::Arc;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Held {
    /// Rows, in the variable's place of the arena: this many, all of them in these words of it.
    Rows { count: u32, from: u32, to: u32 },
    /// Values of a column, by their codes: `codes[start..end]`.
    Values { column: ColumnId, start: u32, end: u32 },
    /// A number; none where there is nothing to compute it from.
    Number(Option<f64>),
    /// Groups: the values of a column, as above, and for each a number, from `numbers[first]` on.
    Groups {
        column: ColumnId,
        start: u32,
        end: u32,
        first: u32,
    },
    /// Yes or no; neither where there is nothing to tell it from.
    Truth(Option<bool>),
}

/// A table of this many words of rows, 65,536 rows, is large.
const LARGE: usize = 1 << 10;

#[derive(Clone, Debug)]
pub(crate) struct Machine {
    subject: Arc<Subject>,
    words: usize,
    /// `all_rows`, then a place for each variable.
    rows: Vec<u64>,
    codes: Vec<u32>,
    /// For each code of a text the number of the cell's own text from which it comes; for others nothing of
    /// use.
    cells: Vec<u32>,
    /// The numbers of groups.
    numbers: Vec<f64>,
    held: Vec<Held>,
    /// Bits or counters for each value of a column, all zero between operations.
    marks: Vec<u64>,
}

impl Machine {
    /// Without variables; there will be this many at the most.
    pub fn new(subject: Arc<Subject>, variables: usize) -> Self {
        let words = words_for(subject.table().rows());
        let mut rows = Vec::with_capacity(words * (variables + 1));
        rows.extend_from_slice(subject.all_rows().words());
        Machine {
            subject,
            words,
            rows,
            codes: Vec::new(),
            cells: Vec::new(),
            numbers: Vec::new(),
            held: Vec::with_capacity(variables),
            marks: Vec::new(),
        }
    }

    /// The variables, oldest first.
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// Forgets the newest variable.
    pub fn pop(&mut self) {
        let newest = self.held.pop();
        if let Some(Held::Values { start, .. } | Held::Groups { start, .. }) = newest {
            self.codes.truncate(start as usize);
            self.cells.truncate(start as usize);
        }
        if let Some(Held::Groups { first, .. }) = newest {
            self.numbers.truncate(first as usize);
        }
        self.rows.truncate(self.words * (self.held.len() + 1));
    }

    /// The table and the constants.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    pub fn column(&self, column: ColumnId) -> &Column {
        self.subject.column(column)
    }

    pub fn words(&self, RowsRef(slot): RowsRef) -> &[u64] {
        &self.rows[self.words * slot as usize..][..self.words]
    }

    /// The words among which all of the rows are.
    fn span(&self, RowsRef(slot): RowsRef) -> Range<usize> {
        match slot
            .checked_sub(1)
            .and_then(|variable| self.held.get(variable as usize))
        {
            Some(&Held::Rows { from, to, .. }) => from as usize..to as usize,
            _ => 0..self.words,
        }
    }

    /// The rows, in table order.
    pub fn rows(&self, rows: RowsRef) -> rows::Ones<'_> {
        let span = self.span(rows);
        rows::iter_from(&self.words(rows)[span.clone()], span.start)
    }

    pub fn values(&self, values: ValuesRef) -> Values<'_> {
        match values {
            ValuesRef::Constant(constant) => Values::Constant(self.subject.constant(constant), 0),
            ValuesRef::Variable(_) => match self.codes(values) {
                Some((column, codes)) => Values::of(&self.subject, column, codes),
                None => Values::none(),
            },
        }
    }

    /// The column and the codes of a variable's values.
    fn codes(&self, values: ValuesRef) -> Option<(ColumnId, &[u32])> {
        let ValuesRef::Variable(variable) = values else {
            return None;
        };
        match self.held.get(variable as usize)? {
            &Held::Values { column, start, end } => Some((column, &self.codes[start as usize..end as usize])),
            _ => None,
        }
    }

    /// The values of a variable, or the labels of its groups, as they answer a question: texts as they stand in
    /// the cells they come from.
    pub fn answers(&self, variable: usize) -> Values<'_> {
        match self.held.get(variable) {
            Some(
                &(Held::Values { column, start, end }
                | Held::Groups {
                    column, start, end, ..
                }),
            ) if self.column(column).kind() == ColumnKind::Text => {
                let source = self.column(column).source();
                let cells = self.cells[start as usize..end as usize].iter();
                Values::Cells(self.subject.table().answers(source), cells)
            }
            Some(Held::Groups { .. }) => self.labels(variable),
            _ => self.values(ValuesRef::Variable(variable as u8)),
        }
    }

    /// The labels of a variable's groups, as later expressions see them.
    pub fn labels(&self, variable: usize) -> Values<'_> {
        match self.held.get(variable) {
            Some(&Held::Groups {
                column, start, end, ..
            }) => Values::of(&self.subject, column, &self.codes[start as usize..end as usize]),
            _ => Values::none(),
        }
    }

    /// The numbers of a variable's groups.
    pub fn group_numbers(&self, variable: usize) -> &[f64] {
        match self.held.get(variable) {
            Some(&Held::Groups {
                start, end, first, ..
            }) => &self.numbers[first as usize..][..(end - start) as usize],
            _ => &[],
        }
    }

    /// The one number that an argument is, if it is one.
    pub fn number(&self, values: ValuesRef) -> Option<f64> {
        if let ValuesRef::Variable(variable) = values
            && let Some(Held::Number(number)) = self.held.get(variable as usize)
        {
            return *number;
        }
        let mut values = self.values(values);
        match values.next()? {
            first @ Value::Number(number) => values.all(|other| other == first).then_some(number),
            _ => None,
        }
    }

    pub fn kind(&self, values: ValuesRef) -> Option<ValuesKind> {
        match values {
            ValuesRef::Constant(constant) => Some(match self.subject.constant(constant) {
                Constant::Strings(_) => ValuesKind::Strings,
                Constant::Numbers(_) => ValuesKind::Numbers,
                Constant::Dates(_) => ValuesKind::Dates,
            }),
            ValuesRef::Variable(variable) => match self.held.get(variable as usize)? {
                Held::Values { column, .. } => Some(ValuesKind::of(self.column(*column).kind())),
                Held::Number(_) => Some(ValuesKind::Number),
                Held::Groups { .. } => Some(ValuesKind::Groups),
                Held::Rows { .. } | Held::Truth(_) => None,
            },
        }
    }

    // What functions ask before they are offered; how values stand to each other is in `relating`.

    /// How many rows there are.
    pub fn count(&self, rows: RowsRef) -> usize {
        match rows {
            RowsRef(0) => self.subject.table().rows(),
            RowsRef(slot) => match self.held[slot as usize - 1] {
                Held::Rows { count, .. } => count as usize,
                _ => 0,
            },
        }
    }

    /// Whether some of the rows are in a set.
    fn meets(&self, rows: RowsRef, set: &RowSet) -> bool {
        let span = self.span(rows);
        rows::intersect(&self.words(rows)[span.clone()], &set.words()[span])
    }

    /// Whether all of the rows are in a set.
    fn lies_in(&self, rows: RowsRef, set: &RowSet) -> bool {
        let span = self.span(rows);
        let words = self.words(rows)[span.clone()].iter().zip(&set.words()[span]);
        words.into_iter().all(|(given, known)| given & !known == 0)
    }

    /// How many of the rows have something in the column: of texts one that is not empty.
    pub fn filled(&self, rows: RowsRef, column: ColumnId) -> usize {
        let (span, set) = (self.span(rows), filled(self.subject.table(), column));
        let words = self.words(rows)[span.clone()].iter().zip(&set.words()[span]);
        words
            .map(|(given, known)| (given & known).count_ones() as usize)
            .sum()
    }

    /// Whether some of the rows have a value in the column.
    pub fn present(&self, rows: RowsRef, column: ColumnId) -> bool {
        self.meets(rows, self.column(column).present())
    }

    pub fn first_row(&self, rows: RowsRef) -> Option<usize> {
        self.rows(rows).next()
    }

    pub fn last_row(&self, rows: RowsRef) -> Option<usize> {
        let span = self.span(rows);
        rows::last(&self.words(rows)[span.clone()]).map(|last| span.start * 64 + last)
    }
}
