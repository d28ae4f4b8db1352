//! Reading tables from comma- and tab-separated files.

use super::{Table, TableBuilder};
use crate::text;
use csv::StringRecord;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::str::FromStr;

/// How cells are separated and escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Commas, with quotes doubled inside quoted cells.
    Csv,
    /// Tabs, with quotes doubled inside quoted cells.
    Tsv,
    /// WikiTableQuestions' comma-separated files: `\"` and `\\` inside quoted cells.
    WtqCsv,
    /// WikiTableQuestions' tab-separated files: `\n`, `\p` and `\\`, no quotes.
    WtqTsv,
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "csv" => Ok(Dialect::Csv),
            "tsv" => Ok(Dialect::Tsv),
            "wtq-csv" => Ok(Dialect::WtqCsv),
            "wtq-tsv" => Ok(Dialect::WtqTsv),
            _ => Err(format!(
                "unknown dialect '{name}'; it is csv, tsv, wtq-csv or wtq-tsv"
            )),
        }
    }
}

/// How a table file is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// How cells are separated; found from the file's ending and beginning when not given.
    pub dialect: Option<Dialect>,
    /// Number headers that are empty or equal instead of refusing them.
    pub fix_headers: bool,
}

/// Why a table cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}; check the path and its permissions")]
    Io {
        /// The table's name.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The content is not a table we can use.
    #[error("{file}{}: {problem}", .line.map(|line| format!(", line {line}")).unwrap_or_default())]
    Content {
        /// The table's name.
        file: String,
        /// The line, from 1.
        line: Option<u64>,
        /// What is wrong and what to do.
        problem: String,
    },
}

/// No sensible cell is longer; a stray quote that swallows the rest of a file is.
const LONGEST_CELL: usize = 1 << 20;
/// Programs number their tokens in 16 bits, and a column has up to four readings.
const MOST_COLUMNS: usize = 10_000;
/// A column's texts are addressed by 32 bits.
const LARGEST_COLUMN: usize = u32::MAX as usize - LONGEST_CELL * BATCH;
/// Rows are handed to the columns in batches, so that columns can be filled in parallel.
const BATCH: usize = 2048;

impl Table {
    /// Loads a table file, with types found from the cells.
    pub fn open(path: &Path, options: LoadOptions) -> Result<Table, TableError> {
        Ok(TableBuilder::open(path, options)?.finish())
    }

    /// Loads a table from anything that can be read; `name` stands in error messages.
    pub fn from_reader(name: &str, reader: impl Read, options: LoadOptions) -> Result<Table, TableError> {
        Ok(TableBuilder::from_reader(name, reader, options)?.finish())
    }
}

impl TableBuilder {
    /// Reads the cells of a table file.
    pub fn open(path: &Path, options: LoadOptions) -> Result<TableBuilder, TableError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|source| TableError::Io {
            file: name.clone(),
            source,
        })?;
        TableBuilder::from_reader(&name, file, options)
    }

    /// Reads the cells of a table from anything that can be read.
    pub fn from_reader(
        name: &str,
        mut reader: impl Read,
        options: LoadOptions,
    ) -> Result<TableBuilder, TableError> {
        let mut beginning = Vec::new();
        let read = reader.by_ref().take(1 << 20).read_to_end(&mut beginning);
        read.map_err(|source| TableError::Io {
            file: name.to_owned(),
            source,
        })?;
        let dialect = options.dialect.unwrap_or_else(|| detect(name, &beginning));
        let first_line = beginning.split_inclusive(|&byte| byte == b'\n').next();
        let feeds = first_line.is_none_or(|line| !line.ends_with(b"\r\n"));
        // The last line may lack its end; one too many is no line.
        let end: &[u8] = if feeds { b"\n" } else { b"\r\n" };
        let lines = Lines {
            file: name,
            dialect,
            feeds,
            reader: csv_reader(dialect, Cursor::new(beginning).chain(reader).chain(end)),
        };
        lines.read(options.fix_headers)
    }
}

/// Tabs by the file's ending or its first line; WikiTableQuestions' escapes by a `\"` in the middle of a cell,
/// which ordinary files cannot have.
fn detect(name: &str, beginning: &[u8]) -> Dialect {
    let first_line = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let tabs =
        name.to_lowercase().ends_with(".tsv") || (first_line.contains(&b'\t') && !first_line.contains(&b','));
    let escaped_quote = |window: &[u8]| window.starts_with(b"\\\"") && !b",\t\r\n\"".contains(&window[2]);
    match tabs {
        true => Dialect::Tsv,
        false if beginning.windows(3).any(escaped_quote) => Dialect::WtqCsv,
        false => Dialect::Csv,
    }
}

fn csv_reader<R: Read>(dialect: Dialect, reader: R) -> csv::Reader<R> {
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).buffer_capacity(1 << 18);
    match dialect {
        Dialect::Csv => &mut builder,
        Dialect::Tsv => builder.delimiter(b'\t'),
        Dialect::WtqCsv => builder.double_quote(false).escape(Some(b'\\')),
        Dialect::WtqTsv => builder.delimiter(b'\t').quoting(false),
    };
    builder.from_reader(reader)
}

/// The lines of a file on their way into a table.
struct Lines<'a, R> {
    file: &'a str,
    dialect: Dialect,
    /// Whether lines end in `\n` alone.
    feeds: bool,
    reader: csv::Reader<R>,
}

impl<R: Read> Lines<'_, R> {
    fn read(mut self, fix_headers: bool) -> Result<TableBuilder, TableError> {
        let mut header = StringRecord::new();
        if !self.next(&mut header)? {
            return Err(self.problem(
                None,
                "the file is empty; it needs a header line and at least one row",
            ));
        }
        let headers: Vec<String> = header.iter().map(str::to_owned).collect();
        if !fix_headers {
            self.check_headers(&headers)?;
        }
        if headers.len() > MOST_COLUMNS {
            let problem = format!("it has {} columns; the limit is {MOST_COLUMNS}", headers.len());
            return Err(self.problem(Some(1), problem));
        }
        let mut builder = TableBuilder::new(self.file, headers);
        let mut batch = vec![StringRecord::new(); BATCH];
        loop {
            let mut filled = 0;
            while filled < BATCH && self.next(&mut batch[filled])? {
                self.check_width(&batch[filled], builder.columns.len())?;
                filled += 1;
            }
            builder.push_batch(&batch[..filled]);
            if builder
                .columns
                .iter()
                .any(|(_, texts)| texts.size() > LARGEST_COLUMN)
            {
                return Err(self.problem(None, "a column holds more than 4 GiB of text; split the table"));
            }
            if filled < BATCH {
                break;
            }
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
        if self.dialect == Dialect::WtqTsv && record.iter().any(|cell| cell.contains('\\')) {
            *record = record.iter().map(text::unescape).collect();
        }
        Ok(more)
    }

    fn check_headers(&self, headers: &[String]) -> Result<(), TableError> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (column, header) in headers.iter().enumerate() {
            let header = header.trim();
            let advice = "or let headers be numbered with --fix-headers";
            if header.is_empty() {
                let problem = format!("the header of column {} is empty; name it, {advice}", column + 1);
                return Err(self.problem(Some(1), problem));
            }
            if let Some(first) = seen.insert(header, column) {
                let (first, second) = (first + 1, column + 1);
                let problem =
                    format!("columns {first} and {second} are both called '{header}'; rename one, {advice}");
                return Err(self.problem(Some(1), problem));
            }
        }
        Ok(())
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

    /// The line on which the record just read begins. Found from where the reader is now, for where it says that the
    /// record begins there may be empty lines.
    fn line_of(&self, record: &StringRecord) -> u64 {
        let within = match self.dialect {
            Dialect::WtqTsv => 0,
            _ => record
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
        TableError::Content {
            file: self.file.to_owned(),
            line,
            problem: problem.into(),
        }
    }

    fn csv_problem(&self, error: csv::Error) -> TableError {
        match error.into_kind() {
            csv::ErrorKind::Io(source) => TableError::Io {
                file: self.file.to_owned(),
                source,
            },
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
