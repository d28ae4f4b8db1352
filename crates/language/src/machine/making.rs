//! How a function makes its variable.

use super::adding::Adding;
use super::{Held, Machine, RowsRef, Subject, ValuesRef, filled};
use mapo_tables::rows::{self, Ones};
use mapo_tables::{Column, ColumnId};

/// Bits or counters for the values of a column. All are zero when a function begins, and must be when it
/// ends.
pub(crate) struct Marks<'a>(&'a mut Vec<u64>);

impl Marks<'_> {
    /// The first of them, as many as asked for.
    pub fn first(&mut self, count: usize) -> &mut [u64] {
        if self.0.len() < count {
            self.0.resize(count, 0);
        }
        &mut self.0[..count]
    }
}

/// A variable of rows in the making.
pub(crate) struct NewRows<'a> {
    pub subject: &'a Subject,
    /// The words of the rows that the function is given.
    pub given: &'a [u64],
    /// The words of the new rows, all empty at first.
    pub place: &'a mut [u64],
    /// The codes of all variables that hold values.
    pub codes: &'a [u32],
    pub marks: Marks<'a>,
}

impl NewRows<'_> {
    /// Adds a row.
    pub fn insert(&mut self, row: usize) {
        set(self.place, row);
    }
}

/// A variable of values in the making.
pub(crate) struct NewValues<'a> {
    /// The column.
    pub column: &'a Column,
    /// The values.
    pub list: ValueList<'a>,
    pub marks: Marks<'a>,
}

/// Values of a column, by their codes.
pub(crate) struct ValueList<'a> {
    start: usize,
    codes: &'a mut Vec<u32>,
    cells: &'a mut Vec<u32>,
}

impl ValueList<'_> {
    /// Adds a value, by its code and the number of the text of the cell in which it stands.
    pub fn push(&mut self, code: u32, text: u32) {
        self.codes.push(code);
        self.cells.push(text);
    }

    pub fn len(&self) -> usize {
        self.codes.len() - self.start
    }

    pub fn codes(&self) -> &[u32] {
        &self.codes[self.start..]
    }

    /// Keeps the values whose codes pass the test.
    pub fn retain(&mut self, mut test: impl FnMut(u32) -> bool) {
        let mut kept = self.start;
        for place in self.start..self.codes.len() {
            if test(self.codes[place]) {
                self.codes[kept] = self.codes[place];
                self.cells[kept] = self.cells[place];
                kept += 1;
            }
        }
        self.codes.truncate(kept);
        self.cells.truncate(kept);
    }
}

impl Machine {
    /// Makes a variable of the rows that `fill` chooses.
    pub fn make_rows(&mut self, RowsRef(slot): RowsRef, fill: impl FnOnce(&mut NewRows<'_>)) {
        let start = self.words * (self.held.len() + 1);
        self.rows.resize(start + self.words, 0);
        let (before, place) = self.rows.split_at_mut(start);
        fill(&mut NewRows {
            subject: &self.subject,
            given: &before[self.words * slot as usize..][..self.words],
            place,
            codes: &self.codes,
            marks: Marks(&mut self.marks),
        });
        let place = &self.rows[start..];
        let span = rows::span(place);
        self.held.push(Held::Rows {
            count: rows::count(&place[span.clone()]) as u32,
            from: span.start as u32,
            to: span.end as u32,
        });
    }

    /// Makes a variable of the values of a column that `fill` chooses in the rows; says how many there are.
    pub fn make_values(
        &mut self,
        rows: RowsRef,
        column: ColumnId,
        fill: impl FnOnce(&mut NewValues<'_>, Ones<'_>),
    ) -> usize {
        let (start, span) = (self.codes.len(), self.span(rows));
        let words = &self.rows[self.words * rows.0 as usize..][span.clone()];
        let mut new = NewValues {
            column: self.subject.column(column),
            list: ValueList {
                start,
                codes: &mut self.codes,
                cells: &mut self.cells,
            },
            marks: Marks(&mut self.marks),
        };
        fill(&mut new, rows::iter_from(words, span.start));
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Values {
            column,
            start: start as u32,
            end: self.codes.len() as u32,
        });
        self.codes.len() - start
    }

    /// Makes a variable of groups: a group for each value that the rows have in the column, in the order of
    /// their first rows. `number` gives what a row adds to its group, if it counts; `add` puts it to those before
    /// it; and `finish` is given what came of it and how many rows it came of.
    pub fn make_groups(
        &mut self,
        rows: RowsRef,
        column: ColumnId,
        number: impl Fn(&Subject, usize) -> Option<f64>,
        add: impl Fn(Adding, f64) -> Adding,
        finish: impl Fn(f64, u64) -> f64,
    ) {
        let (start, first, span) = (self.codes.len(), self.numbers.len(), self.span(rows));
        let words = &self.rows[self.words * rows.0 as usize..][span.clone()];
        let filled = filled(self.subject.table(), column);
        let typed = self.subject.column(column);
        let (space, codes) = (typed.code_space(), typed.codes());
        // For each code which group it is, counted from 1, how many rows it has, and what its sum has lost so far.
        let mut marks = Marks(&mut self.marks);
        let (places, others) = marks.first(3 * space).split_at_mut(space);
        let (counts, rests) = others.split_at_mut(space);
        for row in rows::iter_from(words, span.start).filter(|row| filled.contains(*row)) {
            let Some(number) = number(&self.subject, row) else {
                continue;
            };
            let code = codes.of(row) as usize;
            counts[code] += 1;
            match places[code] {
                0 => {
                    self.codes.push(code as u32);
                    self.cells.push(typed.text(row));
                    self.numbers.push(number);
                    places[code] = (self.codes.len() - start) as u64;
                }
                place => {
                    let sum = &mut self.numbers[first + place as usize - 1];
                    let rest = f64::from_bits(rests[code]);
                    let added = add(Adding { sum: *sum, rest }, number);
                    (*sum, rests[code]) = (added.sum, added.rest.to_bits());
                }
            }
        }
        for (code, number) in self.codes[start..].iter().zip(&mut self.numbers[first..]) {
            let code = *code as usize;
            let rest = f64::from_bits(rests[code]);
            let added = Adding { sum: *number, rest };
            *number = finish(added.total(), counts[code]);
            (places[code], counts[code], rests[code]) = (0, 0, 0);
        }
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Groups {
            column,
            start: start as u32,
            end: self.codes.len() as u32,
            first: first as u32,
        });
    }

    /// Makes a variable of the labels of those groups whose numbers pass the test.
    pub fn make_labels(&mut self, groups: ValuesRef, test: impl Fn(f64) -> bool) {
        let variable = groups.as_variable().unwrap_or(u8::MAX) as usize;
        let (from, first, column, groups) = match self.held.get(variable) {
            Some(&Held::Groups {
                column,
                start,
                end,
                first,
            }) => (start as usize, first as usize, column, (end - start) as usize),
            _ => (0, 0, ColumnId(0), 0),
        };
        let start = self.codes.len();
        for group in 0..groups {
            if test(self.numbers[first + group]) {
                self.codes.push(self.codes[from + group]);
                self.cells.push(self.cells[from + group]);
            }
        }
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Values {
            column,
            start: start as u32,
            end: self.codes.len() as u32,
        });
    }

    /// Makes a variable of yes or no; of neither where there is nothing to tell it from.
    pub fn hold_truth(&mut self, truth: Option<bool>) {
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Truth(truth));
    }

    /// Makes a variable of a number; of none where there is nothing to compute it from.
    pub fn hold_number(&mut self, number: Option<f64>) {
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Number(number));
    }
}

/// Sets a bit.
pub(super) fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}
