//! The state of a running program: the values of its variables, and the operations that make them.
//!
//! Row sets lie in one arena and value lists in another, newest last, so that taking back an expression is
//! cutting the arenas, and running one allocates nothing once they have grown.

use super::context::{Context, MOST_EXPRESSIONS};
use super::relation::{Needles, Relation, all_equal, holds, mark_codes, mark_texts};
use super::symbol::ConstantId;
use mapo_tables::Constant;
use mapo_tables::rows;
use mapo_tables::rows::{RowSet, words_for};
use mapo_tables::{Column, ColumnId, ColumnKind, Dictionary, NO_VALUE, Texts, Value};
use mapo_text::Date;
use std::ops::Range;
use std::sync::Arc;

/// Rows as an argument: `all_rows`, or a variable that holds rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowsRef(u8);

impl RowsRef {
    pub const ALL: RowsRef = RowsRef(0);

    pub fn variable(variable: u8) -> Self {
        RowsRef(variable + 1)
    }
}

/// Values as an argument: a constant, or a variable that holds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuesRef {
    Constant(ConstantId),
    Variable(u8),
}

/// An argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    Rows(RowsRef),
    Values(ValuesRef),
    Column(ColumnId),
}

/// The accessors are called by functions on arguments that the interpreter has checked against their types;
/// an argument of another type stands for nothing.
impl Arg {
    pub fn rows(self) -> RowsRef {
        if let Arg::Rows(rows) = self {
            rows
        } else {
            RowsRef::ALL
        }
    }

    pub fn values(self) -> ValuesRef {
        if let Arg::Values(values) = self {
            values
        } else {
            ValuesRef::Variable(u8::MAX)
        }
    }

    pub fn column(self) -> ColumnId {
        if let Arg::Column(column) = self {
            column
        } else {
            ColumnId(u16::MAX)
        }
    }

    pub fn is_all_rows(self) -> bool {
        self == Arg::Rows(RowsRef::ALL)
    }

    /// The variables it uses, as bits.
    pub fn variables(self) -> u32 {
        match self {
            Arg::Rows(RowsRef(slot @ 1..)) => 1 << (slot - 1),
            Arg::Values(ValuesRef::Variable(variable)) => 1 << variable,
            _ => 0,
        }
    }
}

/// Which end of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    Largest,
    Smallest,
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    /// Rows, in the variable's place of the arena: so many, all of them in these words of it.
    Rows { count: u32, from: u32, to: u32 },
    /// Values of a column, by their codes: `codes[start..end]`.
    Values { column: ColumnId, start: u32, end: u32 },
    /// A number that can be no argument; none where there is nothing to compute it from.
    Number(Option<f64>),
}

/// What an expression gave.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    held: Held,
    /// The words that have rows.
    rows: Box<[u64]>,
    /// Codes, and the cells' texts from which they come.
    values: Box<[(u32, u32)]>,
}

impl Outcome {
    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.rows) + size_of_val(&*self.values)
    }
}

/// The kinds of values that an argument's place may want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuesKind {
    Strings,
    Numbers,
    Dates,
}

/// The texts of so many rows are looked at one by one.
const FEW_ROWS: usize = 64;
/// A table of so many words of rows, 65,536 rows, is large: there a variable of more than so many strings is not offered
/// to look for, since that would take longer than all the rest.
const LARGE: usize = 1 << 10;
const MOST_STRINGS: usize = 100;

static NOTHING: Constant = Constant::Strings(Vec::new());

#[derive(Clone, Debug)]
pub(super) struct Machine {
    context: Arc<Context>,
    words: usize,
    /// `all_rows`, then a place for each variable.
    rows: Vec<u64>,
    codes: Vec<u32>,
    /// For each code of a text the number of the cell's own text from which it comes; for others nothing of use.
    cells: Vec<u32>,
    held: Vec<Held>,
    /// Bits or counters for each value of a column, all zero between operations.
    marks: Vec<u64>,
}

impl Machine {
    pub fn new(context: Arc<Context>) -> Self {
        let words = words_for(context.table().rows());
        let mut rows = Vec::with_capacity(words * (context.language().expressions + 1));
        rows.extend_from_slice(context.all_rows().words());
        let held = Vec::with_capacity(MOST_EXPRESSIONS);
        Machine {
            context,
            words,
            rows,
            codes: Vec::new(),
            cells: Vec::new(),
            held,
            marks: Vec::new(),
        }
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The variables, oldest first.
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// Forgets the newest variable.
    pub fn pop(&mut self) {
        if let Some(Held::Values { start, .. }) = self.held.pop() {
            self.codes.truncate(start as usize);
            self.cells.truncate(start as usize);
        }
        self.rows.truncate(self.words * (self.held.len() + 1));
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
    fn rows(&self, rows: RowsRef) -> rows::Ones<'_> {
        let span = self.span(rows);
        rows::iter_from(&self.words(rows)[span.clone()], span.start)
    }

    pub fn values(&self, values: ValuesRef) -> Values<'_> {
        match values {
            ValuesRef::Constant(constant) => Values::Constant(self.context.constant(constant), 0),
            ValuesRef::Variable(variable) => match self.held.get(variable as usize) {
                Some(&Held::Values { column, start, end }) => Values::Codes(
                    self.context.column(column),
                    self.codes[start as usize..end as usize].iter(),
                ),
                _ => Values::Constant(&NOTHING, 0),
            },
        }
    }

    /// The values of a variable as they answer a question: texts as they stand in the cells they come from.
    pub fn answers(&self, variable: usize) -> Values<'_> {
        match self.held.get(variable) {
            Some(&Held::Values { column, start, end })
                if self.context.column(column).kind() == ColumnKind::Text =>
            {
                let source = self.context.column(column).source();
                let cells = self.cells[start as usize..end as usize].iter();
                Values::Cells(self.context.table().answers(source), cells)
            }
            _ => self.values(ValuesRef::Variable(variable as u8)),
        }
    }

    pub fn kind(&self, values: ValuesRef) -> Option<ValuesKind> {
        match values {
            ValuesRef::Constant(constant) => Some(match self.context.constant(constant) {
                Constant::Strings(_) => ValuesKind::Strings,
                Constant::Numbers(_) => ValuesKind::Numbers,
                Constant::Dates(_) => ValuesKind::Dates,
            }),
            ValuesRef::Variable(variable) => match self.held.get(variable as usize)? {
                Held::Values { column, .. } => Some(match self.context.column(*column).kind() {
                    ColumnKind::Text => ValuesKind::Strings,
                    ColumnKind::Number | ColumnKind::SecondNumber => ValuesKind::Numbers,
                    ColumnKind::Date => ValuesKind::Dates,
                }),
                _ => None,
            },
        }
    }

    // What functions ask before they are offered.

    pub fn count(&self, rows: RowsRef) -> usize {
        match rows {
            RowsRef(0) => self.context.table().rows(),
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

    pub fn present(&self, rows: RowsRef, column: ColumnId) -> bool {
        self.meets(rows, self.context.column(column).present())
    }

    pub fn first_row(&self, rows: RowsRef) -> Option<usize> {
        self.rows(rows).next()
    }

    pub fn has_previous(&self, rows: RowsRef) -> bool {
        let span = self.span(rows);
        rows::last(&self.words(rows)[span.clone()]).is_some_and(|last| span.start * 64 + last > 0)
    }

    pub fn has_next(&self, rows: RowsRef) -> bool {
        self.first_row(rows)
            .is_some_and(|first| first + 1 < self.context.table().rows())
    }

    /// Whether numbers meet a number column, or dates a date column.
    pub fn fits(&self, values: ValuesRef, column: ColumnId) -> bool {
        match self.kind(values) {
            Some(ValuesKind::Numbers) => self.context.column(column).kind().is_number(),
            Some(ValuesKind::Dates) => self.context.column(column).kind() == ColumnKind::Date,
            _ => false,
        }
    }

    /// Whether in some of the rows the column stands in the relation to the values.
    pub fn related(&self, rows: RowsRef, values: ValuesRef, column: ColumnId, relation: Relation) -> bool {
        if relation != Relation::Contains && !self.fits(values, column) {
            return false;
        }
        if let ValuesRef::Constant(constant) = values {
            return self.meets(rows, self.context.constant_rows(constant, column, relation));
        }
        if relation == Relation::Contains
            && let Some((source, codes)) = self.held_codes(values)
            && let Some(mut found) = self.text_rows(source, codes, column)
        {
            return found.any(|contain| self.meets(rows, contain));
        }
        let given = self.values(values);
        let column = self.context.column(column);
        if relation == Relation::Contains {
            return self.any_contains(rows, given, column);
        }
        let mut rows = self.rows(rows).filter_map(|row| column.value(row));
        // Comparisons are offered whatever they find, so what is left is equality, which is with one value.
        if !all_equal(given.clone()) {
            return false;
        }
        rows.any(|value| holds(value, relation, given.clone().take(1)))
    }

    /// Whether in some of the rows the text of the column contains one of the values.
    fn any_contains(&self, rows: RowsRef, given: Values<'_>, column: &Column) -> bool {
        let forms = column.forms();
        if self.count(rows) <= FEW_ROWS {
            let needles = Needles::new(given);
            return self
                .rows(rows)
                .any(|row| needles.any_in(forms.get(column.text(row))));
        }
        if self.words >= LARGE && given.clone().nth(MOST_STRINGS).is_some() {
            return false;
        }
        let mut marks = vec![0u64; words_for(forms.len())];
        mark_texts(column, given, |texts| {
            texts.for_each(|text| set(&mut marks, text as usize))
        });
        self.rows(rows).any(|row| {
            let text = column.text(row) as usize;
            marks[text / 64] >> (text % 64) & 1 == 1
        })
    }

    fn held_codes(&self, values: ValuesRef) -> Option<(ColumnId, &[u32])> {
        let ValuesRef::Variable(variable) = values else {
            return None;
        };
        match self.held.get(variable as usize)? {
            &Held::Values { column, start, end } => Some((column, &self.codes[start as usize..end as usize])),
            _ => None,
        }
    }

    /// For each of the values the rows that contain it; `None` where the context does not keep them.
    fn text_rows<'a>(
        &'a self,
        source: ColumnId,
        codes: &'a [u32],
        column: ColumnId,
    ) -> Option<impl Iterator<Item = &'a RowSet> + 'a> {
        let first = codes.first()?;
        self.context.text_rows((source, *first), column)?;
        Some(
            codes
                .iter()
                .filter_map(move |code| self.context.text_rows((source, *code), column)),
        )
    }

    // What was done once need not be done again.

    /// The newest variable, to be [held again](Self::hold_again) later.
    pub fn newest(&self) -> Option<Outcome> {
        let variable = self.held.len().checked_sub(1)?;
        let held = self.held[variable];
        let no_rows = || Box::<[u64]>::default();
        Some(match held {
            Held::Rows { from, to, .. } => Outcome {
                held,
                rows: self.words(RowsRef::variable(variable as u8))[from as usize..to as usize].into(),
                values: Box::default(),
            },
            Held::Values { start, end, .. } => {
                let values = start as usize..end as usize;
                let pairs = self.codes[values.clone()].iter().zip(&self.cells[values]);
                Outcome {
                    held,
                    rows: no_rows(),
                    values: pairs.map(|(code, cell)| (*code, *cell)).collect(),
                }
            }
            Held::Number(_) => Outcome {
                held,
                rows: no_rows(),
                values: Box::default(),
            },
        })
    }

    /// Holds an earlier result as the newest variable.
    pub fn hold_again(&mut self, outcome: &Outcome) {
        let start = self.words * (self.held.len() + 1);
        self.rows.resize(start + self.words, 0);
        let held = match outcome.held {
            Held::Rows { from, to, .. } => {
                self.rows[start + from as usize..start + to as usize].copy_from_slice(&outcome.rows);
                outcome.held
            }
            Held::Values { column, .. } => {
                let first = self.codes.len() as u32;
                self.codes.extend(outcome.values.iter().map(|(code, _)| code));
                self.cells.extend(outcome.values.iter().map(|(_, cell)| cell));
                Held::Values {
                    column,
                    start: first,
                    end: self.codes.len() as u32,
                }
            }
            Held::Number(_) => outcome.held,
        };
        self.held.push(held);
    }

    /// Whether the table is so large that results are worth keeping.
    pub fn is_worth_keeping(&self) -> bool {
        self.words >= LARGE / 4
    }

    // What functions do.

    /// Makes a variable of what `fill` writes, given the words of the argument and the empty place.
    fn make_rows(&mut self, RowsRef(slot): RowsRef, fill: impl FnOnce(&Context, &[u64], &mut [u64])) {
        let start = self.words * (self.held.len() + 1);
        self.rows.resize(start + self.words, 0);
        let (before, place) = self.rows.split_at_mut(start);
        fill(
            &self.context,
            &before[self.words * slot as usize..][..self.words],
            place,
        );
        let span = rows::span(place);
        self.held.push(Held::Rows {
            count: rows::count(&place[span.clone()]) as u32,
            from: span.start as u32,
            to: span.end as u32,
        });
    }

    pub fn hold_number(&mut self, number: Option<f64>) {
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Number(number));
    }

    /// Makes a variable of the codes that were pushed since there were `start`.
    fn hold_values(&mut self, column: ColumnId, start: usize) {
        self.cells.resize(self.codes.len(), 0);
        self.rows.resize(self.words * (self.held.len() + 2), 0);
        self.held.push(Held::Values {
            column,
            start: start as u32,
            end: self.codes.len() as u32,
        });
    }

    pub fn hop(&mut self, rows: RowsRef, column_id: ColumnId) {
        let column = self.context.column(column_id);
        let like_sql = self.context.language().like_sql;
        let start = self.codes.len();
        let span = self.span(rows);
        let words = &self.rows[self.words * rows.0 as usize..][span.clone()];
        self.marks
            .resize(self.marks.len().max(words_for(column.code_space())), 0);
        let codes = column.codes();
        let most = match like_sql {
            true => usize::MAX,
            false => start + column.values_len(),
        };
        for row in rows::iter_from(words, span.start) {
            if self.codes.len() == most {
                // All values that there are.
                break;
            }
            let code = codes.of(row);
            let (word, bit) = (code as usize / 64, 1 << (code % 64));
            if code != NO_VALUE && (like_sql || self.marks[word] & bit == 0) {
                self.marks[word] |= bit;
                self.codes.push(code);
                self.cells.push(column.text(row));
            }
        }
        for &code in &self.codes[start..] {
            self.marks[code as usize / 64] = 0;
        }
        self.hold_values(column_id, start);
    }

    pub fn mode(&mut self, rows: RowsRef, column_id: ColumnId) {
        let column = self.context.column(column_id);
        let start = self.codes.len();
        let span = self.span(rows);
        let words = &self.rows[self.words * rows.0 as usize..][span.clone()];
        self.marks.resize(self.marks.len().max(column.code_space()), 0);
        let mut most = 0;
        let codes = column.codes();
        for row in rows::iter_from(words, span.start) {
            let code = codes.of(row);
            if code != NO_VALUE {
                let count = &mut self.marks[code as usize];
                *count += 1;
                most = most.max(*count);
                if *count == 1 {
                    self.codes.push(code);
                    self.cells.push(column.text(row));
                }
            }
        }
        let (codes, marks) = (&mut self.codes, &mut self.marks);
        let mut kept = start;
        for index in start..codes.len() {
            let code = codes[index];
            if std::mem::take(&mut marks[code as usize]) == most {
                codes[kept] = code;
                self.cells[kept] = self.cells[index];
                kept += 1;
            }
        }
        codes.truncate(kept);
        self.hold_values(column_id, start);
    }

    pub fn argmost(&mut self, rows: RowsRef, column_id: ColumnId, extreme: Extreme) {
        let best = self.best_code(rows, column_id, extreme);
        self.make_rows(rows, |context, words, place| {
            let column = context.column(column_id);
            let codes = column.codes();
            if let (Dictionary::Dates(dates), false) = (column.dictionary(), column.codes_are_ordered()) {
                unbeaten(dates, words, |row| codes.of(row), extreme, place);
            }
            // Dates that know different parts can beat each other in a circle; their codes cannot.
            if let (true, Some(best)) = (rows::first(place).is_none(), best) {
                rows::iter(words)
                    .filter(|row| codes.of(*row) == best)
                    .for_each(|row| set(place, row));
            }
        });
    }

    pub fn most(&mut self, rows: RowsRef, column_id: ColumnId, extreme: Extreme) {
        let start = self.codes.len();
        let best = if self.context.column(column_id).codes_are_ordered() {
            self.best_code(rows, column_id, extreme)
        } else {
            // Of the values that nothing beats the one that says most.
            self.argmost(rows, column_id, extreme);
            let best = self.most_precise(RowsRef::variable(self.held.len() as u8 - 1), column_id, extreme);
            self.pop();
            best
        };
        self.codes.extend(best);
        self.hold_values(column_id, start);
    }

    fn best_code(&self, rows: RowsRef, column: ColumnId, extreme: Extreme) -> Option<u32> {
        let codes = self.context.column(column).codes();
        let codes = self
            .rows(rows)
            .map(|row| codes.of(row))
            .filter(|code| *code != NO_VALUE);
        match extreme {
            Extreme::Largest => codes.max(),
            Extreme::Smallest => codes.min(),
        }
    }

    /// The date that knows the most parts; of several, the latest or earliest.
    fn most_precise(&self, rows: RowsRef, column: ColumnId, extreme: Extreme) -> Option<u32> {
        let column = self.context.column(column);
        let Dictionary::Dates(dates) = column.dictionary() else {
            return None;
        };
        let codes = self
            .rows(rows)
            .map(|row| column.code(row))
            .filter(|code| *code != NO_VALUE);
        codes.max_by_key(|&code| {
            let order = if extreme == Extreme::Largest {
                i64::from(code)
            } else {
                -i64::from(code)
            };
            (dates[code as usize].known().count_ones(), order)
        })
    }

    /// Keeps the rows that stand in the relation, or those that do not.
    pub fn filter(&mut self, args: &[Arg], relation: Relation, wanted: bool) {
        let (rows, values, column_id) = (args[0].rows(), args[1].values(), args[2].column());
        let flip = if wanted { 0 } else { u64::MAX };
        if let ValuesRef::Constant(constant) = values {
            self.make_rows(rows, |context, words, place| {
                let related = context.constant_rows(constant, column_id, relation);
                for ((out, word), related) in place.iter_mut().zip(words).zip(related.words()) {
                    *out = word & (related ^ flip);
                }
            });
            return;
        }
        let ValuesRef::Variable(variable) = values else {
            return;
        };
        let Some(&Held::Values {
            column: source,
            start,
            end,
        }) = self.held.get(variable as usize)
        else {
            return;
        };
        // Taken out of the machine while the new rows are written.
        let (codes, mut marks) = (std::mem::take(&mut self.codes), std::mem::take(&mut self.marks));
        let given = &codes[start as usize..end as usize];
        self.make_rows(rows, |context, words, place| {
            let kept = relation == Relation::Contains
                && given
                    .first()
                    .is_some_and(|code| context.text_rows((source, *code), column_id).is_some());
            if kept {
                for contain in given
                    .iter()
                    .filter_map(|code| context.text_rows((source, *code), column_id))
                {
                    place
                        .iter_mut()
                        .zip(contain.words())
                        .for_each(|(out, word)| *out |= word);
                }
            } else {
                let column = context.column(column_id);
                let values = Values::Codes(context.column(source), given.iter());
                let space = words_for(column.code_space());
                marks.resize(marks.len().max(space), 0);
                mark_codes(column, relation, values, |codes| {
                    codes.for_each(|code| set(&mut marks, code as usize))
                });
                let codes = column.codes();
                let marked = |row: &usize| match codes.of(*row) {
                    NO_VALUE => false,
                    code => marks[code as usize / 64] >> (code % 64) & 1 == 1,
                };
                rows::iter(words).filter(marked).for_each(|row| set(place, row));
                marks[..space].fill(0);
            }
            place
                .iter_mut()
                .zip(words)
                .for_each(|(out, word)| *out = word & (*out ^ flip));
        });
        (self.codes, self.marks) = (codes, marks);
    }

    pub fn first(&mut self, rows: RowsRef) {
        self.make_rows(rows, |_, words, place| {
            rows::first(words).into_iter().for_each(|row| set(place, row))
        });
    }

    pub fn last(&mut self, rows: RowsRef) {
        self.make_rows(rows, |_, words, place| {
            rows::last(words).into_iter().for_each(|row| set(place, row))
        });
    }

    pub fn previous(&mut self, rows: RowsRef) {
        self.make_rows(rows, |_, words, place| rows::shift_up(words, place));
    }

    pub fn next(&mut self, rows: RowsRef) {
        self.make_rows(rows, |context, words, place| {
            rows::shift_down(words, context.all_rows().words(), place)
        });
    }

    pub fn same_as(&mut self, rows: RowsRef, column_id: ColumnId) {
        let mut marks = std::mem::take(&mut self.marks);
        self.make_rows(rows, |context, words, place| {
            let column = context.column(column_id);
            let (codes, present) = (column.codes(), column.present());
            let given = || {
                rows::iter(words)
                    .map(|row| codes.of(row))
                    .filter(|code| *code != NO_VALUE)
            };
            // How many of the given rows have each value.
            marks.resize(marks.len().max(column.code_space()), 0);
            given().for_each(|code| marks[code as usize] += 1);
            let is_given = |row: usize| words[row / 64] >> (row % 64) & 1;
            let same = |row: &usize| marks[codes.of(*row) as usize] > is_given(*row);
            present.iter().filter(same).for_each(|row| set(place, row));
            given().for_each(|code| marks[code as usize] = 0);
        });
        self.marks = marks;
    }

    /// The sum over the rows that have a number, and how many have.
    pub fn sum(&self, rows: RowsRef, column: ColumnId) -> (f64, usize) {
        let column = self.context.column(column);
        let Dictionary::Numbers(known) = column.dictionary() else {
            return (0.0, 0);
        };
        let codes = column.codes();
        let numbers = self
            .rows(rows)
            .filter_map(|row| known.get(codes.of(row) as usize).copied());
        numbers.fold((0.0, 0), |(sum, count), number| (sum + number, count + 1))
    }

    pub fn diff(&mut self, a: RowsRef, b: RowsRef, column: ColumnId) {
        let number = |rows| match self.sum(rows, column) {
            (number, 1) => Some(number),
            _ => None,
        };
        let difference = number(a).zip(number(b)).map(|(a, b)| (a - b).abs());
        self.hold_number(difference);
    }
}

fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

/// Sets in `place` the rows whose date no other row's beats. Dates are compared by the parts that both know, so the
/// best of the dates that know the same parts is kept for each choice of parts: that is enough to tell whether one
/// of them beats a given date.
fn unbeaten(dates: &[Date], words: &[u64], code: impl Fn(usize) -> u32, extreme: Extreme, place: &mut [u64]) {
    const CHOICES: usize = 8;
    let beats = |a: Date, b: Date| match extreme {
        Extreme::Largest => a.key() > b.key(),
        Extreme::Smallest => a.key() < b.key(),
    };
    let dated = || rows::iter(words).filter_map(|row| Some((row, *dates.get(code(row) as usize)?)));
    let mut best: [[Option<Date>; CHOICES]; CHOICES] = Default::default();
    for (_, date) in dated() {
        for (parts, best) in (0..).zip(&mut best[date.known() as usize]) {
            let date = date.only(parts);
            if best.is_none_or(|best| beats(date, best)) {
                *best = Some(date);
            }
        }
    }
    let beaten = |date: Date| {
        best.iter().zip(0..).any(|(best, known)| {
            let common = known & date.known();
            best[common as usize].is_some_and(|best| beats(best, date.only(common)))
        })
    };
    dated()
        .filter(|(_, date)| !beaten(*date))
        .for_each(|(row, _)| set(place, row));
}

/// Goes through the values of an argument.
#[derive(Clone)]
pub(super) enum Values<'a> {
    Constant(&'a Constant, usize),
    Codes(&'a Column, std::slice::Iter<'a, u32>),
    Cells(&'a Texts, std::slice::Iter<'a, u32>),
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        match self {
            Values::Constant(constant, index) => {
                let value = match constant {
                    Constant::Strings(strings) => Value::Text(strings.get(*index)?),
                    Constant::Numbers(numbers) => Value::Number(*numbers.get(*index)?),
                    Constant::Dates(dates) => Value::Date(*dates.get(*index)?),
                };
                *index += 1;
                Some(value)
            }
            Values::Codes(column, codes) => codes.next().map(|code| column.decode(*code)),
            Values::Cells(texts, cells) => cells.next().map(|cell| Value::Text(texts.get(*cell))),
        }
    }
}
