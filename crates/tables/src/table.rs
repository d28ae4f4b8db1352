//! A table: its cells and its typed columns.

use crate::column::{Cells, Column, ColumnId};
use crate::decisions::Decisions;
use crate::derived::Derived;
use crate::texts::Texts;
use crate::totals::LeftOut;
use crate::value::ColumnKind;
use crate::written::Written;
use mapo_text as text;
use mapo_text::Date;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// A table: its cells and the typed columns that programs use.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) name: String,
    pub(crate) headers: Vec<String>,
    pub(crate) rows: usize,
    pub(crate) cells: Vec<Cells>,
    pub(crate) columns: Vec<Column>,
    pub(crate) by_name: HashMap<String, ColumnId>,
    pub(crate) lines: Lines,
    pub(crate) derived: Derived,
    pub(crate) left_out: Option<LeftOut>,
    pub(crate) decisions: Arc<Decisions>,
    /// For each column of the file how it is written.
    pub(crate) written: Arc<[Written]>,
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

    /// The row of the file that was left out because it adds up the others. It was the last, so that the others
    /// have the numbers that they have in the file.
    pub fn left_out(&self) -> Option<&LeftOut> {
        self.left_out.as_ref()
    }

    /// What was decided about the file that it comes from.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// The sign before the fractions of a column's numbers, where that was decided.
    pub fn decimal(&self, source: usize) -> Option<char> {
        let is_number = |column: &Column| column.source() == source && column.kind().is_number();
        let has_numbers = self.columns.iter().any(is_number);
        self.written[source]
            .decimal()
            .filter(|_| has_numbers)
            .map(|mark| mark.char())
    }

    /// The text of a cell as it stands in the file; `source` is the column's number in the file.
    pub fn cell(&self, row: usize, source: usize) -> &str {
        let cells = &self.cells[source];
        cells.texts.get(cells.rows[row])
    }

    /// The text of a cell as it answers a question.
    pub fn answer_text(&self, row: usize, source: usize) -> &str {
        self.answers(source).get(self.cells[source].rows[row])
    }

    /// The texts of a column of the file as they answer a question.
    pub fn answers(&self, source: usize) -> &Texts {
        let cells = &self.cells[source];
        cells.answers.get_or_init(|| {
            let joined = match self.lines {
                Lines::Kept => None,
                Lines::Joined => cells.texts.in_form(text::append_in_one_line),
            };
            joined.map_or_else(|| Arc::clone(&cells.texts), Arc::new)
        })
    }

    /// How a column of the file is written, as far as that had to be decided: `the day comes before the month`.
    /// A sentence each, with what may be wrong about it and how many cells do not fit.
    pub fn how_written(&self, source: usize) -> Vec<String> {
        let kinds: Vec<ColumnKind> = (self.columns.iter())
            .filter(|column| column.source() == source && column.kind() != ColumnKind::SecondNumber)
            .map(Column::kind)
            .collect();
        let written = &self.written[source];
        let mut said: Vec<String> = Vec::new();
        for kind in [ColumnKind::Number, ColumnKind::Date] {
            if kinds.contains(&kind) {
                said.extend_from_slice(written.decided(kind));
                said.extend(self.notes_of(source, kind));
            } else if kind == ColumnKind::Number && written.are_identifiers() {
                said.extend_from_slice(written.decided(kind));
            }
        }
        said
    }

    /// What a day is that is written in numbers, such as `12/01/2004`, if it is written as in the columns of
    /// dates; several where these are written differently, and none where no column has such dates.
    pub fn days_as_written(&self, text: &str) -> Vec<Date> {
        let mut days: Vec<Date> = Vec::new();
        for column in self
            .columns
            .iter()
            .filter(|column| column.kind() == ColumnKind::Date)
        {
            let written = self.written[column.source()].days();
            let day = written.and_then(|written| written.read(text));
            days.extend(day.filter(|day| !days.contains(day)));
        }
        days
    }

    /// What whoever uses a typed column should know: what may be wrong about its reading, and how many cells do not
    /// fit it.
    pub fn notes(&self, column: ColumnId) -> Vec<String> {
        let column = self.column(column);
        self.notes_of(column.source(), column.kind())
    }

    fn notes_of(&self, source: usize, kind: ColumnKind) -> Vec<String> {
        let written = &self.written[source];
        let doubts = written.doubts(kind).iter().cloned();
        doubts.chain(written.misfits(kind)).collect()
    }

    /// Whether a typed column may have been misread: what its cells mean could not be told.
    pub fn is_doubtful(&self, column: ColumnId) -> bool {
        let column = self.column(column);
        !self.written[column.source()].doubts(column.kind()).is_empty()
    }

    /// Whether the cells of a column of the file begin with digits and yet are neither numbers nor dates: they are
    /// something, but nobody knows what. What asks for the largest or the latest of them cannot be answered.
    pub fn is_unread(&self, source: usize) -> bool {
        self.written[source].is_unread()
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
    pub fn raw_texts(&self, source: usize) -> &Texts {
        &self.cells[source].texts
    }

    /// Does now, on all cores, what is otherwise done when a question first needs it: typed values and the
    /// index of the texts of each column. Questions about a large table then take no longer than later
    /// ones.
    pub fn prepare(&self) {
        if self.is_large() {
            let flag = mapo_stopping::carry();
            let prepare = |column: &Column| flag.within(|| column.prepare());
            self.columns.par_iter().for_each(prepare);
        }
    }

    /// Whether there is so much text that it is searched by an index.
    pub fn is_large(&self) -> bool {
        let size = |cells: &Cells| cells.texts.size();
        self.cells.iter().map(size).sum::<usize>() > Table::SMALL
    }

    /// The most bytes of text that are searched through without an index.
    const SMALL: usize = 1 << 20;

    /// A table of the same columns with other rows: the cell of column `source` in the new row `row` is the
    /// one that stood in row `picks[source][row]`. Columns keep their readings, however few of the cells
    /// have one now.
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
            derived: Derived::default(),
            by_name: self.by_name.clone(),
            lines: self.lines,
            name: self.name.clone(),
            headers: self.headers.clone(),
            left_out: self.left_out.clone(),
            decisions: Arc::clone(&self.decisions),
            written: Arc::clone(&self.written),
            rows,
            cells,
        }
    }

    /// What `make` derives from the table, made when it is first asked for and kept as long as the table
    /// lives: there is one thing of each type.
    pub fn derived<T: Send + Sync + 'static>(&self, make: impl FnOnce(&Table) -> T) -> &T {
        self.derived.get(|| make(self))
    }

    /// The column that programs call `name`.
    pub fn find(&self, name: &str) -> Option<ColumnId> {
        self.by_name.get(name).copied()
    }
}

/// What becomes of line ends within cells when the cells answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// They stay, as WikiSQL compares them.
    Kept,
    /// They become blanks, as in the prediction files of WikiTableQuestions, and so the answer is judged.
    Joined,
}
