//! The door through which tables come in: files, standard input and other readers, in any [`Format`].

#[cfg(feature = "arrow")]
mod arrow;
mod caught;
mod cells;
mod duckdb;
mod encoding;
mod escaped;
mod grid;
mod header;
mod html;
mod json;
mod json_document;
mod largest;
mod layout;
mod packing;
mod pages;
mod parquet;
mod path;
mod quotes;
mod separated;
mod sheets;
mod source;
#[cfg(feature = "sqlite")]
mod sqlite;
mod telling;
mod thrift;
mod told;
mod values;
mod workbook;

pub use largest::Largest;
pub use path::{CORRECTIONS, tables_in};
pub use told::{Decimal, Header, SAYINGS, Separator, TextEncoding};

use crate::decisions::Decisions;
use crate::format::Format;
use crate::{Table, TableBuilder};
use bytes::Bytes;
use encoding::in_utf8;
use source::Source;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// How a table file is to be read. What is not said is decided by the file, and [`Table::decisions`] says how.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// How the table is written.
    pub format: Option<Format>,
    /// Which of several tables in the file: a sheet, a table of a database, a file of an archive. The largest otherwise.
    pub part: Option<String>,
    /// Where the names of the columns stand.
    pub header: Option<Header>,
    /// The encoding of text.
    pub encoding: Option<TextEncoding>,
    /// What stands between cells.
    pub separator: Option<Separator>,
    /// What stands before fractions, in all columns.
    pub decimal: Option<Decimal>,
    /// Leave out a last row that adds up the others; see [`Table::left_out`].
    pub drop_totals: bool,
    /// The largest table that is read.
    pub largest: Largest,
}

impl LoadOptions {
    /// The table of what was read.
    pub fn finish(&self, builder: TableBuilder) -> Table {
        let builder = builder.with_decimal(self.decimal.map(|decimal| decimal.0));
        match self.drop_totals {
            true => builder.without_totals().finish(),
            false => builder.finish(),
        }
    }
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
    /// The text is not UTF-8, and nobody said what it is.
    #[error(
        "{file}, line {line}: cell {cell} is not UTF-8 text; save the file as UTF-8, or name its encoding, as with --encoding windows-1252"
    )]
    NotUtf8 {
        /// The table's name.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The cell, from 1.
        cell: usize,
    },
    /// The table is larger than [`LoadOptions::largest`].
    #[error("{file}: {problem}")]
    TooLarge {
        /// The table's name.
        file: String,
        /// What there is too much of.
        problem: String,
    },
}

/// What stands for standard input in place of a path.
const STANDARD_INPUT: &str = "-";

impl Table {
    /// Loads a table file, with types found from the cells. The path `-` is standard input.
    pub fn open(path: &Path, options: &LoadOptions) -> Result<Table, TableError> {
        Ok(options.finish(TableBuilder::open(path, options)?))
    }

    /// Loads a table from anything that can be read; `name` stands in error messages, and its ending may say
    /// what format it is.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send,
        options: &LoadOptions,
    ) -> Result<Table, TableError> {
        Ok(options.finish(TableBuilder::from_reader(name, reader, options)?))
    }
}

impl TableBuilder {
    /// Reads the cells of a table file. The path `-` is standard input.
    pub fn open(path: &Path, options: &LoadOptions) -> Result<TableBuilder, TableError> {
        if path.as_os_str() == STANDARD_INPUT {
            return TableBuilder::from_reader("standard input", io::stdin(), options);
        }
        read_again(|| path::opened(path), options)
    }

    /// Reads the cells of a table from anything that can be read.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send,
        options: &LoadOptions,
    ) -> Result<TableBuilder, TableError> {
        read(Source::new(name, reader)?, options)
    }

    /// Reads the cells of a table whose bytes are all there.
    pub fn from_bytes(name: &str, bytes: Bytes, options: &LoadOptions) -> Result<TableBuilder, TableError> {
        read_again(|| Source::new(name, Cursor::new(bytes.clone())), options)
    }
}

/// Reads a table of which the beginning may look like another encoding than the rest: once more if it does.
fn read_again<'a>(
    begin: impl Fn() -> Result<Source<'a>, TableError>,
    options: &LoadOptions,
) -> Result<TableBuilder, TableError> {
    let first = read(begin()?, options);
    match &first {
        Err(TableError::NotUtf8 { .. })
            if options.encoding.is_none() && is_later_windows(begin()?, options) =>
        {
            let encoding = Some(TextEncoding::WINDOWS);
            let options = LoadOptions {
                encoding,
                ..options.clone()
            };
            read(begin()?, &options)
        }
        _ => first,
    }
}

/// Whether a text is ASCII up to where Windows-1252 begins.
fn is_later_windows(source: Source<'_>, options: &LoadOptions) -> bool {
    let Ok(source) = packing::unpacked(source, &mut options.clone(), &mut Decisions::default()) else {
        return false;
    };
    let mut reader = source.into_reader();
    let mut block = Vec::new();
    loop {
        block.clear();
        match reader.by_ref().take(1 << 16).read_to_end(&mut block) {
            Ok(0) | Err(_) => return false,
            Ok(_) if block.is_ascii() => {}
            Ok(_) => return encoding::is_windows(&block, false),
        }
    }
}

/// Reads a table in its format: the one place where a file becomes a table.
fn read(source: Source<'_>, options: &LoadOptions) -> Result<TableBuilder, TableError> {
    let mut decisions = Decisions::default();
    let mut options = options.clone();
    let source = packing::unpacked(source, &mut options, &mut decisions)?;
    let (source, format) = known(source, &options, &mut decisions)?;
    decisions.format = Some(format);
    let (told, decided) = (&options, &mut decisions);
    let builder = match format {
        Format::Csv | Format::Semicolons | Format::Tsv | Format::Bars => {
            let separator = options.separator.map(|separator| separator.0);
            let separator = separator.or(format.separator()).unwrap_or(b',');
            separated::read(source, separator, told, decided)
        }
        Format::WtqCsv => escaped::read(source, escaped::Escapes::Quotes, told),
        Format::WtqTsv => escaped::read(source, escaped::Escapes::Lines, told),
        Format::Json => json::read(source, told, decided),
        Format::Parquet => parquet::read(source, told),
        Format::Xlsx | Format::Xlsb | Format::Xls | Format::Ods => {
            workbook::read(source, format, told, decided)
        }
        Format::Html => html::read(source, told, decided),
        #[cfg(feature = "sqlite")]
        Format::Sqlite => sqlite::read(source, told, decided),
        #[cfg(not(feature = "sqlite"))]
        Format::Sqlite => Err(source.problem(None, "the file is an SQLite database, which is not read here")),
        Format::DuckDb => duckdb::read(source, told, decided),
    }?;
    let builder = match format {
        // Their names and rows are the dataset's.
        Format::WtqCsv | Format::WtqTsv => builder,
        _ => builder
            .without_gaps(decided)
            .with_headers(|names| header::named(names, decided)),
    };
    Ok(builder.decided(decisions))
}

/// The format of a source, by what is said, by its bytes and by its name; what is text comes as UTF-8.
fn known<'a>(
    source: Source<'a>,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<(Source<'a>, Format), TableError> {
    let is_binary =
        |source: &Source<'_>| source.beginning().contains(&0) && !encoding::is_utf_16(source.beginning());
    let told = options.format.or(options.separator.map(|_| Format::Csv));
    let found = told
        .or_else(|| Format::of_binary(source.beginning()))
        // A damaged file is judged by who reads such files.
        .or_else(|| Format::promised(&source.name).filter(|_| is_binary(&source)));
    if let Some(format) = found.filter(|format| !format.is_text()) {
        return Ok((source, format));
    }
    let declared = || html::declared(source.beginning())?.parse().ok();
    let is_page =
        found.or_else(|| html::is_page(source.beginning()).then_some(Format::Html)) == Some(Format::Html);
    let encoding = options.encoding.or_else(|| declared().filter(|_| is_page));
    let (source, encoding) = in_utf8(source, encoding)?;
    decisions.encoding = Some(encoding.name().to_owned());
    let format = found.unwrap_or_else(|| Format::of_text(&source.name, source.beginning(), source.whole));
    Ok((source, format))
}
