//! A typed column: for every row the number of its value in a dictionary of distinct values.

use crate::constant::Constant;
use crate::index::{Held, TextIndex};
use crate::readings::{Dictionary, NO_VALUE, Raw, Readings};
use crate::rows::RowSet;
use crate::texts::Texts;
use crate::value::{ColumnKind, Value};
use mapo_text::Date;
use std::sync::{Arc, OnceLock};

/// Which typed column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u16);

/// The cells of a column as they stand in the file: for every row the number of its text.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub rows: Arc<[u32]>,
    pub texts: Arc<Texts>,
    /// The texts as they answer a question, under the same numbers; made when first asked for.
    pub answers: Arc<OnceLock<Arc<Texts>>>,
    /// Whether no two of the texts are equal.
    pub texts_are_distinct: bool,
}

/// One reading of a column of the table, with a type: what programs name `r.points-num`.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    source: usize,
    kind: ColumnKind,
    /// For every row the number of its cell's text,
    cells: Arc<[u32]>,
    /// and for every text its value. Two small steps instead of a code for each row: a column of two million
    /// cells then costs four bytes a cell however many readings it has.
    readings: Arc<Readings>,
    present: RowSet,
}

/// The codes of a column's rows, to go through many.
#[derive(Clone, Copy)]
pub struct Codes<'a> {
    cells: &'a [u32],
    of_text: &'a [u32],
}

impl Codes<'_> {
    /// The code of a row.
    pub fn of(self, row: usize) -> u32 {
        self.of_text[self.cells[row] as usize]
    }
}

impl Column {
    fn new(name: String, source: usize, kind: ColumnKind, cells: &Cells, present: RowSet, raw: Raw) -> Self {
        Column {
            name,
            source,
            kind,
            cells: Arc::clone(&cells.rows),
            readings: Readings::new(raw),
            present,
        }
    }

    /// The texts of the cells in a form; `form` appends it to what it is given.
    pub(crate) fn of_texts(name: String, source: usize, cells: &Cells, form: fn(&str, &mut String)) -> Self {
        let raw = Raw::Texts {
            texts: Arc::clone(&cells.texts),
            are_distinct: cells.texts_are_distinct,
            form,
        };
        let present = RowSet::all(cells.rows.len());
        Column::new(name, source, ColumnKind::Text, cells, present, raw)
    }

    /// `numbers` has a reading for each distinct text of the cells, `present` the rows that have one.
    pub(crate) fn of_numbers(
        name: String,
        source: usize,
        kind: ColumnKind,
        cells: &Cells,
        present: RowSet,
        mut numbers: Vec<Option<f64>>,
    ) -> Self {
        // Adding zero makes one value of 0 and -0.
        numbers.iter_mut().flatten().for_each(|number| *number += 0.0);
        Column::new(name, source, kind, cells, present, Raw::Numbers(numbers))
    }

    /// `dates` has a reading for each distinct text of the cells, `present` the rows that have one.
    pub(crate) fn of_dates(
        name: String,
        source: usize,
        cells: &Cells,
        present: RowSet,
        dates: Vec<Option<Date>>,
    ) -> Self {
        Column::new(name, source, ColumnKind::Date, cells, present, Raw::Dates(dates))
    }

    /// The same column with other rows: for each the number of its cell's text.
    pub(crate) fn with_cells(&self, cells: &Arc<[u32]>) -> Self {
        let of_text = &self.readings.coded().of_text;
        let is_present = |row: usize| of_text[cells[row] as usize] != NO_VALUE;
        Column {
            present: RowSet::where_true(cells.len(), is_present),
            cells: Arc::clone(cells),
            ..self.clone()
        }
    }

    /// The name in programs: `r.points-num`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The words of the name: `years`, `won` for `r.years_won-num`.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let name = self.name.strip_prefix("r.").unwrap_or(&self.name);
        name.strip_suffix(self.kind.suffix()).unwrap_or(name).split('_')
    }

    /// Which column of the table this is a reading of.
    pub fn source(&self) -> usize {
        self.source
    }

    /// What its values are.
    pub fn kind(&self) -> ColumnKind {
        self.kind
    }

    /// The value in a row, if there is one.
    pub fn value(&self, row: usize) -> Option<Value<'_>> {
        let code = self.code(row);
        (code != NO_VALUE).then(|| self.decode(code))
    }

    /// The distinct values; numbers and dates ascend.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let coded = self.readings.coded();
        // Of equal texts only the first is a value.
        let is_value = move |code: &u32| match &coded.dictionary {
            Dictionary::Text(_) => coded.of_text[*code as usize] == *code,
            _ => true,
        };
        (0..self.code_space() as u32)
            .filter(is_value)
            .map(|code| self.decode(code))
    }

    /// How many distinct values there are.
    pub fn values_len(&self) -> usize {
        self.readings.coded().distinct
    }

    /// All codes are below this.
    pub fn code_space(&self) -> usize {
        match &self.readings.coded().dictionary {
            Dictionary::Text(texts) => texts.len(),
            Dictionary::Numbers(numbers) => numbers.len(),
            Dictionary::Dates(dates) => dates.len(),
        }
    }

    /// How many rows there are, with a value or without.
    pub fn rows(&self) -> usize {
        self.cells.len()
    }

    /// The rows that have a value.
    pub fn present(&self) -> &RowSet {
        &self.present
    }

    /// Whether comparing codes is the same as comparing values.
    pub fn codes_are_ordered(&self) -> bool {
        self.readings.coded().total_order
    }

    /// The code of a row's value, or [`NO_VALUE`].
    pub fn code(&self, row: usize) -> u32 {
        self.readings.coded().of_text[self.cells[row] as usize]
    }

    /// The codes of all rows.
    pub fn codes(&self) -> Codes<'_> {
        Codes {
            cells: &self.cells,
            of_text: &self.readings.coded().of_text,
        }
    }

    /// The number of a row's text among those of the cells.
    pub fn text(&self, row: usize) -> u32 {
        self.cells[row]
    }

    /// For every row the number of its text among those of the cells.
    pub fn texts(&self) -> &[u32] {
        &self.cells
    }

    /// The value of a code.
    pub fn decode(&self, code: u32) -> Value<'_> {
        match &self.readings.coded().dictionary {
            Dictionary::Text(texts) => Value::Text(texts.get(code)),
            Dictionary::Numbers(numbers) => Value::Number(numbers[code as usize]),
            Dictionary::Dates(dates) => Value::Date(dates[code as usize]),
        }
    }

    /// The distinct values.
    pub fn dictionary(&self) -> &Dictionary {
        &self.readings.coded().dictionary
    }

    /// The forms of the cells' texts, under their numbers, equal ones as often as they are there; of a column
    /// of numbers or dates nothing.
    pub fn forms(&self) -> &Texts {
        self.readings.forms()
    }

    /// The index of the forms, made when first asked for.
    pub fn index(&self) -> &TextIndex {
        self.readings.index()
    }

    /// Whether some cell of the column has the constant.
    pub fn holds(&self, constant: &Constant) -> Held {
        match (constant, self.kind) {
            (Constant::Strings(strings), ColumnKind::Text) => self.index().held(self.forms(), strings),
            (Constant::Numbers(numbers), ColumnKind::Number | ColumnKind::SecondNumber) => {
                let Dictionary::Numbers(known) = self.dictionary() else {
                    return Held::No;
                };
                let is_known = |number: &f64| {
                    let from = known.partition_point(|probe| probe < number);
                    known.get(from).is_some_and(|probe| probe == number)
                };
                Held::whole_if(numbers.iter().any(is_known))
            }
            (Constant::Dates(dates), ColumnKind::Date) => {
                let Dictionary::Dates(known) = self.dictionary() else {
                    return Held::No;
                };
                let same =
                    |known: &Date, date: &Date| date.compare(*known).is_some_and(|order| order.is_eq());
                Held::whole_if(
                    known
                        .iter()
                        .any(|known| dates.iter().any(|date| same(known, date))),
                )
            }
            _ => Held::No,
        }
    }

    /// Does now what would be done when first asked for.
    pub(crate) fn prepare(&self) {
        match self.kind {
            ColumnKind::Text => _ = self.index(),
            _ => _ = self.readings.coded(),
        }
    }
}
