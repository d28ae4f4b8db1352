//! A typed column: for every row the number of its value in a dictionary of distinct values.

use super::rows::RowSet;
use super::texts::{Interner, Texts};
use crate::Date;
use std::fmt;
use std::sync::Arc;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColumnKind {
    /// The text of the cells (`-str`).
    Text,
    /// The first number in each cell (`-num`).
    Number,
    /// The second number in each cell, the 4 of `3-4` (`-num2`).
    SecondNumber,
    /// The date in each cell (`-date`).
    Date,
}

impl ColumnKind {
    /// All kinds, in the order in which a table lists its columns.
    pub const ALL: [ColumnKind; 4] = [
        ColumnKind::Text,
        ColumnKind::Number,
        ColumnKind::SecondNumber,
        ColumnKind::Date,
    ];

    /// How the names of such columns end.
    pub fn suffix(self) -> &'static str {
        match self {
            ColumnKind::Text => "-str",
            ColumnKind::Number => "-num",
            ColumnKind::SecondNumber => "-num2",
            ColumnKind::Date => "-date",
        }
    }

    /// What the values are called in a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            ColumnKind::Text => "text",
            ColumnKind::Number => "numbers",
            ColumnKind::SecondNumber => "second numbers",
            ColumnKind::Date => "dates",
        }
    }

    /// Whether the values are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, ColumnKind::Number | ColumnKind::SecondNumber)
    }

    /// Whether the values have an order that programs may use: numbers and dates.
    pub fn is_ordered(self) -> bool {
        self != ColumnKind::Text
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

/// Which typed column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u16);

/// One value of a table or a program, borrowed from where it is kept.
///
/// ```
/// use mapo_tables::Value;
/// assert_eq!(Value::Number(3.0).to_string(), "3");
/// assert_eq!(Value::Number(2346079.588235294).to_string(), "2346079.588235294");
/// assert_eq!(Value::Text("tulsa").to_string(), "tulsa");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text: in its normal form as a value of a column, as it stands in the cell where it answers a question.
    Text(&'a str),
    /// A number.
    Number(f64),
    /// A date.
    Date(Date),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(0.0) => f.write_str("0"), // never "-0"
            Value::Number(number) => number.fmt(f),
            Value::Date(date) => date.fmt(f),
        }
    }
}

/// The code of a row that has no value.
pub(crate) const NO_VALUE: u32 = u32::MAX;

/// The distinct values of a column. Numbers and dates ascend, so that codes compare as their values do.
#[derive(Clone, Debug)]
pub(crate) enum Dictionary {
    Text(Arc<Texts>),
    Numbers(Box<[f64]>),
    /// By [`Date::key`].
    Dates(Box<[Date]>),
}

/// The cells of a column as they stand in the file: for every row the number of its text.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub rows: Arc<[u32]>,
    pub texts: Arc<Texts>,
    /// The texts as they answer a question, under the same numbers.
    pub answers: Arc<Texts>,
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
    /// and for every text the code of its value. Two small steps instead of a code for each row: a column of
    /// two million cells then costs four bytes a cell however many readings it has.
    code_of_text: Box<[u32]>,
    dictionary: Dictionary,
    present: RowSet,
    /// Whether all dates know the same parts, so that their order is total.
    total_order: bool,
}

impl Column {
    fn new(
        name: String,
        source: usize,
        kind: ColumnKind,
        cells: &Cells,
        codes: Vec<u32>,
        dictionary: Dictionary,
    ) -> Self {
        let present = cells
            .rows
            .iter()
            .enumerate()
            .filter(|(_, text)| codes[**text as usize] != NO_VALUE);
        let present = RowSet::from_rows(cells.rows.len(), present.map(|(row, _)| row));
        let total_order = match &dictionary {
            Dictionary::Dates(dates) => dates.windows(2).all(|pair| pair[0].known() == pair[1].known()),
            _ => true,
        };
        let cells = Arc::clone(&cells.rows);
        Column {
            name,
            source,
            kind,
            cells,
            code_of_text: codes.into(),
            dictionary,
            present,
            total_order,
        }
    }

    pub(crate) fn of_texts(
        name: String,
        source: usize,
        cells: &Cells,
        mut form: impl FnMut(&str, &mut String),
    ) -> Self {
        let mut buffer = String::new();
        let mut formed = |text: &str, then: &mut dyn FnMut(&str) -> u32| {
            buffer.clear();
            form(text, &mut buffer);
            then(&buffer)
        };
        // Where every text is in its form already, as numbers are, the cells' own texts serve.
        let as_they_are = cells
            .texts
            .iter()
            .all(|text| formed(text, &mut |form| u32::from(form == text)) == 1);
        let (codes, dictionary) = if as_they_are && cells.texts_are_distinct {
            ((0..cells.texts.len() as u32).collect(), Arc::clone(&cells.texts))
        } else {
            let mut interner = Interner::default();
            let codes = cells
                .texts
                .iter()
                .map(|text| formed(text, &mut |form| interner.intern(form)))
                .collect();
            (codes, Arc::new(interner.finish()))
        };
        Column::new(
            name,
            source,
            ColumnKind::Text,
            cells,
            codes,
            Dictionary::Text(dictionary),
        )
    }

    /// `numbers` has a reading for each distinct text of the cells.
    pub(crate) fn of_numbers(
        name: String,
        source: usize,
        kind: ColumnKind,
        cells: &Cells,
        numbers: &[Option<f64>],
    ) -> Self {
        // Adding zero makes one value of 0 and -0.
        let numbers: Vec<Option<f64>> = numbers.iter().map(|n| n.map(|n| n + 0.0)).collect();
        let (codes, distinct) = encode(&numbers, f64::total_cmp);
        Column::new(name, source, kind, cells, codes, Dictionary::Numbers(distinct))
    }

    /// `dates` has a reading for each distinct text of the cells.
    pub(crate) fn of_dates(name: String, source: usize, cells: &Cells, dates: &[Option<Date>]) -> Self {
        let (codes, distinct) = encode(dates, |a, b| a.key().cmp(&b.key()));
        Column::new(
            name,
            source,
            ColumnKind::Date,
            cells,
            codes,
            Dictionary::Dates(distinct),
        )
    }

    /// The same column with other rows: for each the number of its cell's text.
    pub(crate) fn with_cells(&self, cells: &Arc<[u32]>) -> Self {
        let is_present = |text: &u32| self.code_of_text[*text as usize] != NO_VALUE;
        let present = cells.iter().enumerate().filter(|(_, text)| is_present(text));
        Column {
            present: RowSet::from_rows(cells.len(), present.map(|(row, _)| row)),
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
        (0..self.values_len() as u32).map(|code| self.decode(code))
    }

    /// How many distinct values there are.
    pub fn values_len(&self) -> usize {
        match &self.dictionary {
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
    pub(crate) fn codes_are_ordered(&self) -> bool {
        self.total_order
    }

    pub(crate) fn code(&self, row: usize) -> u32 {
        self.code_of_text[self.cells[row] as usize]
    }

    /// The number of a row's text among those of the cells.
    pub(crate) fn text(&self, row: usize) -> u32 {
        self.cells[row]
    }

    pub(crate) fn decode(&self, code: u32) -> Value<'_> {
        match &self.dictionary {
            Dictionary::Text(texts) => Value::Text(texts.get(code)),
            Dictionary::Numbers(numbers) => Value::Number(numbers[code as usize]),
            Dictionary::Dates(dates) => Value::Date(dates[code as usize]),
        }
    }

    pub(crate) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }
}

/// Numbers the distinct values in ascending order.
fn encode<T: Copy>(
    values: &[Option<T>],
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> (Vec<u32>, Box<[T]>) {
    let mut sorted: Vec<(T, u32)> = (0..)
        .zip(values)
        .filter_map(|(place, value)| Some(((*value)?, place)))
        .collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| order(a, b));
    let mut codes = vec![NO_VALUE; values.len()];
    let mut distinct: Vec<T> = Vec::new();
    for (value, place) in sorted {
        if distinct.last().is_none_or(|last| order(last, &value).is_ne()) {
            distinct.push(value);
        }
        codes[place as usize] = distinct.len() as u32 - 1;
    }
    (codes, distinct.into())
}
