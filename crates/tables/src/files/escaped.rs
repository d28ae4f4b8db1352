//! Reading WikiTableQuestions' own kinds of comma- and tab-separated files, which escape with backslashes.

use super::cells::{LONGEST_CELL, MOST_COLUMNS};
use super::quotes::Quotes;
use super::source::{Source, content, unreadable};
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use csv::StringRecord;
use mapo_text as text;
use std::io::{self, Read};

/// What backslashes are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Quotes inside quoted cells, separated by commas.
    Quotes,
    /// Line ends and bars, in cells separated by tabs without quotes.
    Lines,
}

pub(super) fn read(
    source: Source<'_>,
    escapes: Escapes,
    options: &LoadOptions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let first_line = source.beginning().split_inclusive(|&byte| byte == b'\n').next();
    let feeds = first_line.is_none_or(|line| !line.ends_with(b"\r\n"));
    // The last line may lack its end; one too many is no line.
    let end: &[u8] = if feeds { b"\n" } else { b"\r\n" };
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).buffer_capacity(1 << 18);
    match escapes {
        Escapes::Quotes => builder.double_quote(false).escape(Some(b'\\')),
        Escapes::Lines => builder.delimiter(b'\t').quoting(false),
    };
    let lines = Lines {
        file: &name,
        escapes,
        feeds,
        reader: builder.from_reader(Quotes::new(source.into_reader()).chain(end)),
    };
    lines.read(options)
}

const UNCLOSED: &str = "the quote that opens here is never closed, and all that follows would be one cell; close it, \
                        or write \\\" where it is part of the text";

/// The lines of a file on their way into a table.
struct Lines<'a, R> {
    file: &'a str,
    escapes: Escapes,
    /// Whether lines end in `\n` alone.
    feeds: bool,
    reader: csv::Reader<io::Chain<Quotes<R>, &'a [u8]>>,
}

impl<R: Read> Lines<'_, R> {
    fn read(mut self, options: &LoadOptions) -> Result<TableBuilder, TableError> {
        let mut record = StringRecord::new();
        if !self.next(&mut record)? {
            let problem = "the file is empty; it needs a header line and at least one row";
            return Err(self.problem(None, problem));
        }
        let headers: Vec<String> = record.iter().map(str::to_owned).collect();
        let columns = headers.len();
        if columns > MOST_COLUMNS {
            let problem = format!("it has {columns} columns; the limit is {MOST_COLUMNS}");
            return Err(self.problem(Some(1), problem));
        }
        let mut builder = TableBuilder::new(self.file, headers);
        let mut text = 0;
        while self.next(&mut record)? {
            self.check_width(&record, columns)?;
            text += record.as_slice().len();
            options
                .largest
                .check(self.file, builder.rows + 1, columns, text)?;
            builder.push_row(&record);
        }
        match builder.rows {
            0 => Err(self.problem(
                None,
                "there is a header but no row below it; add at least one row",
            )),
            _ => Ok(builder),
        }
    }

    /// Reads one line, cells unescaped; false at the end of the file.
    fn next(&mut self, record: &mut StringRecord) -> Result<bool, TableError> {
        let more = self
            .reader
            .read_record(record)
            .map_err(|error| self.csv_problem(error))?;
        let unclosed = self.reader.get_ref().get_ref().0.unclosed();
        if let (Escapes::Quotes, Some(line)) = (self.escapes, unclosed) {
            return Err(self.problem(Some(line), UNCLOSED));
        }
        if let Some((column, cell)) = record
            .iter()
            .enumerate()
            .find(|(_, cell)| cell.len() > LONGEST_CELL)
        {
            let problem = format!(
                "cell {} has {} bytes and the limit is {LONGEST_CELL}; shorten it, or look for a quote that is never closed",
                column + 1,
                cell.len()
            );
            return Err(self.problem(Some(self.line_of(record)), problem));
        }
        if self.escapes == Escapes::Lines && record.iter().any(|cell| cell.contains('\\')) {
            *record = record.iter().map(text::unescape).collect();
        }
        Ok(more)
    }

    fn check_width(&self, record: &StringRecord, columns: usize) -> Result<(), TableError> {
        if record.len() == columns {
            return Ok(());
        }
        let cells = match record.len() {
            1 => "1 cell".to_owned(),
            cells => format!("{cells} cells"),
        };
        let problem = format!(
            "the row has {cells} and the header {columns}; add or remove cells, and put quotes around cells that hold a separator"
        );
        Err(self.problem(Some(self.line_of(record)), problem))
    }

    /// The line on which the record just read begins. Found from where the reader is now, for where it says
    /// that the record begins there may be empty lines.
    fn line_of(&self, record: &StringRecord) -> u64 {
        let within = match self.escapes {
            Escapes::Lines => 0,
            Escapes::Quotes => record
                .iter()
                .flat_map(str::bytes)
                .filter(|&byte| byte == b'\n')
                .count() as u64,
        };
        // Past the line's end, unless there is still its `\n` to come.
        let past = u64::from(self.feeds);
        self.reader.position().line().saturating_sub(within + past)
    }

    fn problem(&self, line: Option<u64>, problem: impl Into<String>) -> TableError {
        content(self.file, line, problem)
    }

    fn csv_problem(&self, error: csv::Error) -> TableError {
        match error.into_kind() {
            csv::ErrorKind::Io(source) => unreadable(self.file, source),
            csv::ErrorKind::Utf8 { err, .. } => {
                let problem = format!(
                    "cell {} is not UTF-8 text; save the file as UTF-8",
                    err.field() + 1
                );
                self.problem(Some(self.line_of(&StringRecord::new())), problem)
            }
            other => self.problem(None, format!("not a comma- or tab-separated file ({other:?})")),
        }
    }
}
