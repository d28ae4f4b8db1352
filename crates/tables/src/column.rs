//! A typed column: for every row the number of its value in a dictionary of distinct values.

use crate::constant::Constant;
use crate::index::{Held, TextIndex};
use crate::rows::RowSet;
use crate::texts::Texts;
use mapo_text::Date;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
pub const NO_VALUE: u32 = u32::MAX;

/// The distinct values of a column. Numbers and dates ascend, so that codes compare as their values do. A text's code is
/// the number of the first of the cells' texts that has the same form.
#[derive(Clone, Debug)]
pub enum Dictionary {
    /// Texts in the form in which they are compared.
    Text(Arc<Texts>),
    /// Numbers.
    Numbers(Box<[f64]>),
    /// By [`Date::key`].
    Dates(Box<[Date]>),
}

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
    /// and for every text its value. Two small steps instead of a code for each row: a column of two million cells
    /// then costs four bytes a cell however many readings it has.
    readings: Arc<Readings>,
    present: RowSet,
}

/// The values of the texts of a column. What takes long is done when first asked for: most questions about a large
/// table look at few of its columns.
#[derive(Debug)]
struct Readings {
    /// What the values are made from; nothing once they are made.
    raw: Mutex<Option<Raw>>,
    /// The forms of the texts, of a text column.
    forms: OnceLock<Arc<Texts>>,
    coded: OnceLock<Coded>,
    index: OnceLock<TextIndex>,
}

/// What a column is made from: for each text of the cells what was read in it.
#[derive(Debug)]
enum Raw {
    Texts {
        texts: Arc<Texts>,
        are_distinct: bool,
        form: fn(&str, &mut String),
    },
    Numbers(Vec<Option<f64>>),
    Dates(Vec<Option<Date>>),
}

#[derive(Debug)]
struct Coded {
    of_text: Box<[u32]>,
    dictionary: Dictionary,
    /// How many different values there are.
    distinct: usize,
    /// Whether all dates know the same parts, so that their order is total.
    total_order: bool,
}

impl Readings {
    fn new(raw: Raw) -> Arc<Self> {
        Arc::new(Readings {
            raw: Mutex::new(Some(raw)),
            forms: OnceLock::new(),
            coded: OnceLock::new(),
            index: OnceLock::new(),
        })
    }

    fn raw(&self) -> MutexGuard<'_, Option<Raw>> {
        self.raw.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The forms of the texts; of a column of numbers or dates none.
    fn forms(&self) -> &Arc<Texts> {
        self.forms.get_or_init(|| match &*self.raw() {
            Some(Raw::Texts { texts, form, .. }) => match texts.in_form(form) {
                // Where every text is in its form already, as numbers are, the cells' own texts serve.
                None => Arc::clone(texts),
                Some(formed) => Arc::new(formed),
            },
            _ => Arc::default(),
        })
    }

    fn coded(&self) -> &Coded {
        self.coded.get_or_init(|| {
            let forms = Arc::clone(self.forms());
            match self.raw().take() {
                Some(Raw::Texts {
                    texts, are_distinct, ..
                }) => {
                    let of_text: Box<[u32]> = match are_distinct && Arc::ptr_eq(&texts, &forms) {
                        true => (0..forms.len() as u32).collect(),
                        false => forms.first_equals().into(),
                    };
                    Coded {
                        distinct: (0..).zip(&of_text).filter(|(text, first)| text == *first).count(),
                        of_text,
                        dictionary: Dictionary::Text(forms),
                        total_order: true,
                    }
                }
                Some(Raw::Numbers(numbers)) => {
                    let (of_text, numbers) = encode(&numbers, f64::total_cmp);
                    Coded {
                        of_text: of_text.into(),
                        distinct: numbers.len(),
                        dictionary: Dictionary::Numbers(numbers),
                        total_order: true,
                    }
                }
                Some(Raw::Dates(dates)) => {
                    let (of_text, dates) = encode(&dates, |a, b| a.key().cmp(&b.key()));
                    Coded {
                        of_text: of_text.into(),
                        distinct: dates.len(),
                        total_order: dates.windows(2).all(|pair| pair[0].known() == pair[1].known()),
                        dictionary: Dictionary::Dates(dates),
                    }
                }
                None => Coded {
                    of_text: Box::default(),
                    dictionary: Dictionary::Numbers(Box::default()),
                    distinct: 0,
                    total_order: true,
                },
            }
        })
    }
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

    /// The forms of the cells' texts, under their numbers, equal ones as often as they are there; of a column of
    /// numbers or dates nothing.
    pub fn forms(&self) -> &Texts {
        self.readings.forms()
    }

    /// The index of the forms, made when first asked for.
    pub fn index(&self) -> &TextIndex {
        self.readings.index.get_or_init(|| TextIndex::new(self.forms()))
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
