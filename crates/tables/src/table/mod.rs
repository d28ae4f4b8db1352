//! Tables: cells as they stand in the file, and typed columns made from them.

mod cells;
mod column;
mod escaped;
mod file;
mod format;
mod index;
mod json_lines;
mod parquet;
pub(crate) mod rows;
mod separated;
mod source;
mod texts;

pub use column::{Column, ColumnId, ColumnKind, Held, Value};
pub use file::{LoadOptions, TableError};
pub use format::Format;
pub use rows::RowSet;

pub(crate) use column::{Dictionary, NO_VALUE};
pub(crate) use index::Next;
pub(crate) use texts::Texts;

use crate::Date;
use crate::explain::Layout;
use crate::question::{Words, join};
use crate::read;
use crate::text;
use column::Cells;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use texts::Interner;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The numbers and the date found in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// The first number.
    pub number: Option<f64>,
    /// The second number, the 4 of `3-4`.
    pub second: Option<f64>,
    /// The date.
    pub date: Option<Date>,
}

impl Reading {
    /// Cells of this many tokens and more are prose: the numbers in them are not the cell's value.
    pub const PROSE: usize = 10;

    /// What our own reader finds in a cell.
    pub fn of(cell: &str) -> Reading {
        if read::says_nothing(cell) {
            return Reading::default();
        }
        let cell = read::read_cell(cell);
        let prose = cell.tokens >= Reading::PROSE;
        Reading {
            number: cell.number.filter(|_| !prose),
            second: cell.number2.filter(|_| !prose),
            date: cell.date,
        }
    }
}

/// A table: its cells and the typed columns that programs use.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    headers: Vec<String>,
    rows: usize,
    cells: Vec<Cells>,
    columns: Vec<Column>,
    by_name: HashMap<String, ColumnId>,
    lines: Lines,
    /// Its texts in one if they are few, made when a question first asks.
    joined_texts: OnceLock<Option<String>>,
    /// Its words, the same.
    words: OnceLock<Words>,
    /// How it is laid out for SQL, made when a program is first explained.
    layout: OnceLock<Layout>,
}

impl Table {
    /// What the table is called: its path or its identifier in a dataset.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The headers as they stand in the file.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// How many rows there are, without the header.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The text of a cell as it stands in the file; `source` is the column's number in the file.
    pub fn cell(&self, row: usize, source: usize) -> &str {
        let cells = &self.cells[source];
        cells.texts.get(cells.rows[row])
    }

    /// The text of a cell as it answers a question.
    pub(crate) fn answer_text(&self, row: usize, source: usize) -> &str {
        self.answers(source).get(self.cells[source].rows[row])
    }

    /// The texts of a column of the file as they answer a question.
    pub(crate) fn answers(&self, source: usize) -> &Texts {
        let cells = &self.cells[source];
        cells.answers.get_or_init(|| {
            let joined = match self.lines {
                Lines::Kept => None,
                Lines::Joined => cells.texts.in_form(text::append_in_one_line),
            };
            joined.map_or_else(|| Arc::clone(&cells.texts), Arc::new)
        })
    }

    /// The typed columns, in the order of the file; of each text, numbers, second numbers, dates.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The typed columns with their ids.
    pub fn column_ids(&self) -> impl Iterator<Item = ColumnId> + use<> {
        (0..self.columns.len() as u16).map(ColumnId)
    }

    /// One typed column.
    pub fn column(&self, id: ColumnId) -> &Column {
        &self.columns[id.0 as usize]
    }

    /// The texts of a column of the file as they stand there.
    pub(crate) fn raw_texts(&self, source: usize) -> &Texts {
        &self.cells[source].texts
    }

    /// Does now, on all cores, what is otherwise done when a question first needs it: typed values and the index of the
    /// texts of each column, and the words of all. Questions about a large table then take no longer than later ones.
    pub fn prepare(&self) {
        if self.is_large() {
            self.columns.par_iter().for_each(Column::prepare);
            self.words();
        }
    }

    /// Whether there is so much text that it is searched by an index.
    pub(crate) fn is_large(&self) -> bool {
        let size = |cells: &Cells| cells.texts.size();
        self.cells.iter().map(size).sum::<usize>() > Table::SMALL
    }

    /// The most bytes of text that are searched through without an index.
    const SMALL: usize = 1 << 20;

    /// All distinct texts in one, of a table that is not large.
    pub(crate) fn joined_texts(&self) -> Option<&str> {
        self.joined_texts.get_or_init(|| join(self)).as_deref()
    }

    /// A table of the same columns with other rows: the cell of column `source` in the new row `row` is the one that
    /// stood in row `picks[source][row]`. Columns keep their readings, however few of the cells have one now.
    ///
    /// # Panics
    /// If there is not a list for each column, all of one length, of rows that are there.
    pub fn with_rows(&self, picks: &[Vec<usize>]) -> Table {
        assert_eq!(picks.len(), self.cells.len(), "a list of rows for each column");
        let rows = picks.first().map_or(0, Vec::len);
        assert!(
            picks.iter().all(|picks| picks.len() == rows),
            "as many rows in each column"
        );
        let pick = |(cells, picks): (&Cells, &Vec<usize>)| Cells {
            rows: picks.iter().map(|row| cells.rows[*row]).collect(),
            texts: Arc::clone(&cells.texts),
            answers: Arc::clone(&cells.answers),
            texts_are_distinct: cells.texts_are_distinct,
        };
        let cells: Vec<Cells> = self.cells.iter().zip(picks).map(pick).collect();
        let columns = self.columns.iter();
        Table {
            columns: columns
                .map(|column| column.with_cells(&cells[column.source()].rows))
                .collect(),
            joined_texts: OnceLock::new(),
            words: OnceLock::new(),
            layout: OnceLock::new(),
            by_name: self.by_name.clone(),
            lines: self.lines,
            name: self.name.clone(),
            headers: self.headers.clone(),
            rows,
            cells,
        }
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(self))
    }

    pub(crate) fn words(&self) -> &Words {
        self.words.get_or_init(|| Words::new(self, self.is_large()))
    }

    /// The column that programs call `name`.
    pub fn find(&self, name: &str) -> Option<ColumnId> {
        self.by_name.get(name).copied()
    }
}

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
    rows: usize,
    columns: Vec<(Vec<u32>, Interner)>,
}

impl TableBuilder {
    /// An empty table with these headers.
    pub fn new<H: Into<String>>(name: impl Into<String>, headers: impl IntoIterator<Item = H>) -> Self {
        let headers: Vec<String> = headers.into_iter().map(Into::into).collect();
        let names = headers.iter().map(|header| column_name(header)).collect();
        TableBuilder::with_names(name, headers, names)
    }

    /// An empty table whose columns are called `names` in programs (without `r.` and the type). Blanks in them become
    /// `_`, since a program's words are separated by blanks, and the later of equal ones are numbered.
    pub fn with_names(name: impl Into<String>, headers: Vec<String>, names: Vec<String>) -> Self {
        let names = unique_names(names.iter().map(|name| name.replace(char::is_whitespace, "_")));
        let columns = headers.iter().map(|_| Default::default()).collect();
        TableBuilder {
            name: name.into(),
            headers,
            names,
            rows: 0,
            columns,
        }
    }

    /// The same cells under another name.
    pub fn named(self, name: impl Into<String>) -> Self {
        TableBuilder {
            name: name.into(),
            ..self
        }
    }

    /// Adds a row. Cells beyond the header's are dropped and missing ones are empty.
    pub fn push_row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        let mut cells = cells.into_iter();
        for (rows, texts) in &mut self.columns {
            rows.push(texts.intern(cells.next().unwrap_or("")));
        }
        self.rows += 1;
    }

    /// A table of cells that are already in columns.
    fn from_columns(
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

    /// Types the columns by what our own reader finds in the cells.
    pub fn finish(self) -> Table {
        self.assemble(Lines::Joined, |name, source, cells| {
            let readings: Vec<Reading> = cells.texts.iter().map(Reading::of).collect();
            read_columns(name, source, cells, &readings)
        })
    }

    /// Types the columns by given readings, one for each cell: `readings[source][row]`.
    pub fn finish_with(mut self, readings: &[Vec<Reading>]) -> Table {
        // Equal texts with different readings become texts of their own, so that a reading belongs to a text.
        let mut by_text = Vec::with_capacity(self.columns.len());
        for ((rows, texts), readings) in self.columns.iter_mut().zip(readings) {
            let mut owned: Vec<Option<Reading>> = Vec::new();
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
            let mut readings: Vec<Reading> = by_text[source].iter().map(|r| r.unwrap_or_default()).collect();
            readings.resize(cells.texts.len(), Reading::default());
            read_columns(name, source, cells, &readings)
        })
    }

    /// Gives every column the one type that `numeric` says (a number column or a text column), with text only
    /// lower-cased and numbers read by `number`.
    pub fn finish_declared(self, numeric: &[bool], number: impl Fn(&str) -> Option<f64> + Sync) -> Table {
        self.assemble(Lines::Kept, |name, source, cells| {
            if numeric.get(source).copied().unwrap_or(false) {
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
            }
        })
    }

    fn assemble(self, lines: Lines, typed: impl Fn(&str, usize, &Cells) -> Vec<Column> + Sync) -> Table {
        let TableBuilder {
            name,
            headers,
            names,
            rows,
            columns,
        } = self;
        let build = |(source, (rows, texts)): (usize, (Vec<u32>, Interner))| {
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
        let (cells, columns): (Vec<Cells>, Vec<Vec<Column>>) = if rows * headers.len() > PARALLEL_CELLS {
            columns.into_par_iter().enumerate().map(build).unzip()
        } else {
            columns.into_iter().enumerate().map(build).unzip()
        };
        let columns: Vec<Column> = columns.into_iter().flatten().collect();
        let ids = columns
            .iter()
            .zip(0..)
            .map(|(column, id)| (column.name().to_owned(), ColumnId(id)));
        Table {
            joined_texts: OnceLock::new(),
            words: OnceLock::new(),
            layout: OnceLock::new(),
            by_name: ids.collect(),
            lines,
            name,
            headers,
            rows,
            cells,
            columns,
        }
    }
}

/// What becomes of line ends within cells when the cells answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    /// They stay, as WikiSQL compares them.
    Kept,
    /// They become blanks, as in the prediction files of WikiTableQuestions, and so the answer is judged.
    Joined,
}

/// Below this many cells starting threads costs more than it saves.
const PARALLEL_CELLS: usize = 1 << 16;

/// Lower case letter by letter, as WikiSQL compares text.
fn append_lower(text: &str, out: &mut String) {
    out.extend(text.chars().filter_map(|c| c.to_lowercase().next()));
}

/// The readings of a column that enough of its rows have.
fn read_columns(name: &str, source: usize, cells: &Cells, readings: &[Reading]) -> Vec<Column> {
    let full_name = |kind: ColumnKind| format!("r.{name}{}", kind.suffix());
    let mut columns = vec![Column::of_texts(
        full_name(ColumnKind::Text),
        source,
        cells,
        text::append_normalized,
    )];
    for kind in [ColumnKind::Number, ColumnKind::SecondNumber] {
        let pick = |reading: &Reading| match kind {
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
    readings: &[Reading],
    pick: impl Fn(&Reading) -> Option<T>,
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

/// The name of a column in programs: the words of its header, lower-cased, without accents and joined by `_`.
pub fn column_name(header: &str) -> String {
    let is_accent = |c: &char| c.general_category() == GeneralCategory::NonspacingMark;
    let lower = header
        .to_lowercase()
        .nfkd()
        .filter(|c| !is_accent(c))
        .collect::<String>();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Makes names unique by numbering the later of equal ones; a name of nothing becomes `column`.
pub(crate) fn unique_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut unique = Vec::new();
    for name in names {
        let name = if name.is_empty() {
            "column".to_owned()
        } else {
            name
        };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|name| !taken.contains(name));
        let free = free.unwrap_or(name);
        taken.insert(free.clone());
        unique.push(free);
    }
    unique
}
