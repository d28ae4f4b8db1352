//! The door through which tables come in: files, standard input and other readers, in any [`Format`].

mod cells;
mod escaped;
mod format;
mod json_lines;
mod largest;
mod pages;
mod parquet;
mod quotes;
mod separated;
mod source;
mod thrift;

pub use format::Format;
pub use largest::Largest;

use crate::{Table, TableBuilder};
use source::{Source, content, unreadable};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// How a table file is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// How the table is written; found from the file's ending and beginning when not given.
    pub format: Option<Format>,
    /// Number headers that are empty or equal instead of refusing them.
    pub fix_headers: bool,
    /// Leave out a last row that adds up the others; see [`Table::left_out`].
    pub drop_totals: bool,
    /// The largest table that is read.
    pub largest: Largest,
}

impl LoadOptions {
    /// The table of what was read.
    pub fn finish(self, builder: TableBuilder) -> Table {
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
    pub fn open(path: &Path, options: LoadOptions) -> Result<Table, TableError> {
        Ok(options.finish(TableBuilder::open(path, options)?))
    }

    /// Loads a table from anything that can be read; `name` stands in error messages, and its ending may say
    /// what format it is.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send,
        options: LoadOptions,
    ) -> Result<Table, TableError> {
        Ok(options.finish(TableBuilder::from_reader(name, reader, options)?))
    }
}

impl TableBuilder {
    /// Reads the cells of a table file. The path `-` is standard input.
    pub fn open(path: &Path, options: LoadOptions) -> Result<TableBuilder, TableError> {
        if path.as_os_str() == STANDARD_INPUT {
            return TableBuilder::from_reader("standard input", io::stdin(), options);
        }
        let name = path.display().to_string();
        let unreadable = |error| unreadable(&name, error);
        let file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        let size = about.is_file().then_some(about.len());
        let again = file.try_clone().map_err(unreadable)?;
        read(Source::new(&name, file, size)?, size.map(|_| again), options)
    }

    /// Reads the cells of a table from anything that can be read.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send,
        options: LoadOptions,
    ) -> Result<TableBuilder, TableError> {
        read(Source::new(name, reader, None)?, None, options)
    }
}

/// Reads a table in its format. `file` is the same once more if it is a file that can be read at any place.
fn read(source: Source<'_>, file: Option<File>, options: LoadOptions) -> Result<TableBuilder, TableError> {
    let format = options
        .format
        .unwrap_or_else(|| Format::detect(&source.name, source.beginning(), source.whole));
    match format {
        Format::Csv | Format::Semicolons | Format::Tsv | Format::Bars => {
            separated::read(source, format.separator().unwrap_or(b','), options)
        }
        Format::WtqCsv => escaped::read(source, escaped::Escapes::Quotes, options),
        Format::WtqTsv => escaped::read(source, escaped::Escapes::Lines, options),
        Format::JsonLines => json_lines::read(source, options),
        // What was unpacked on the way in is not what is in the file.
        Format::Parquet => {
            let file = file.filter(|_| source.size.is_some());
            parquet::read(source, file, options)
        }
    }
}

/// Refuses headers that are empty or equal, unless they may be numbered.
pub(super) fn check_headers(name: &str, headers: &[String], options: LoadOptions) -> Result<(), TableError> {
    if options.fix_headers {
        return Ok(());
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (column, header) in headers.iter().enumerate() {
        let header = header.trim();
        let advice = "or let headers be numbered with --fix-headers";
        if header.is_empty() {
            let problem = format!("the header of column {} is empty; name it, {advice}", column + 1);
            return Err(content(name, Some(1), problem));
        }
        if let Some(first) = seen.insert(header, column) {
            let (first, second) = (first + 1, column + 1);
            let problem =
                format!("columns {first} and {second} are both called '{header}'; rename one, {advice}");
            return Err(content(name, Some(1), problem));
        }
    }
    Ok(())
}
