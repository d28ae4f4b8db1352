//! Reading Apache Parquet files. Every value becomes the text that a person would write in a cell: dates as
//! `2004-09-01`, times as `2004-09-01 12:30:00`, decimals with their point. Lists, maps and structures become
//! JSON text, and what is missing an empty cell.

use super::caught::caught;
use super::cells::{Filling, LONGEST_CELL, MOST_COLUMNS};
use super::largest::{TextCount, too_large};
use super::pages::Looked;
use super::source::{Source, content};
use super::thrift::{Flaw, look_through};
use super::values::{
    LONGEST_DECIMAL, decimal_digits, show, show_binary, show_day, show_decimal, show_digits, show_moment,
    show_time, show_timestamp,
};
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::texts::Interner;
use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::{ColumnDescriptor, Type};
use rayon::prelude::*;
use serde_json::Value;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// What is said of a file that made the library panic.
const UNFIT: &str = "its pages do not fit its description";
/// Values that are read at once.
const BATCH: usize = 8192;

pub(super) fn read(mut source: Source<'_>, options: &LoadOptions) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let read = caught(|| match source.file.take() {
        Some((_, file)) => read_file(&name, Shared::new(file), options),
        None => read_file(&name, Bytes::from(source.read_all()?), options),
    });
    read.unwrap_or_else(|| Err(damaged(&name, UNFIT)))
}

/// A file that columns are read from at the same time. Handles of one file share the place where it is read,
/// so only one may read at a time, and says where.
struct Shared {
    file: Arc<Mutex<File>>,
    length: u64,
}

impl Shared {
    fn new(file: File) -> Self {
        Shared {
            length: file.len(),
            file: Arc::new(Mutex::new(file)),
        }
    }
}

impl Length for Shared {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Shared {
    type T = BufReader<Stretch>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let file = Arc::clone(&self.file);
        Ok(BufReader::new(Stretch { file, at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // What a damaged file claims is not worth memory.
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.length)
        {
            return Err(ParquetError::EOF(
                "a page lies behind the end of the file".to_owned(),
            ));
        }
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// A shared file from a place on.
struct Stretch {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for Stretch {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(out)?;
        self.at += read as u64;
        Ok(read)
    }
}

fn damaged(name: &str, why: &str) -> TableError {
    let why = why.replace('\n', " ");
    content(
        name,
        None,
        format!("not a Parquet file that can be read: {why}; write it again"),
    )
}

/// For each row of a column the number of its text, and the texts.
type ReadColumn = (Vec<u32>, Interner);

/// Why a column cannot be read.
enum Problem {
    File(ParquetError),
    Cell {
        row: usize,
        bytes: usize,
    },
    /// There is more text than there may be.
    Text,
    /// There are more rows than the file says.
    Rows,
}

impl From<ParquetError> for Problem {
    fn from(error: ParquetError) -> Self {
        Problem::File(error)
    }
}

fn read_file<R: ChunkReader + 'static>(
    name: &str,
    file: R,
    options: &LoadOptions,
) -> Result<TableBuilder, TableError> {
    let wrong = |error: ParquetError| damaged(name, &error.to_string());
    check_footer(&file).map_err(wrong)?;
    let file = Arc::new(file);
    let reader = SerializedFileReader::new(Lent(Arc::clone(&file))).map_err(wrong)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let roots = schema.root_schema().get_fields();
    let headers: Vec<String> = roots.iter().map(|root| root.name().to_owned()).collect();
    if headers.is_empty() {
        return Err(content(name, None, "it has no column; a table needs one"));
    }
    if headers.len() > MOST_COLUMNS {
        let problem = format!("it has {} columns; the limit is {MOST_COLUMNS}", headers.len());
        return Err(content(name, None, problem));
    }
    let about = reader.metadata();
    let claimed = usize::try_from(about.file_metadata().num_rows()).unwrap_or(usize::MAX);
    let groups = about.row_groups().iter().map(|group| group.num_rows());
    if groups
        .map(|rows| usize::try_from(rows).unwrap_or(usize::MAX))
        .fold(0, usize::saturating_add)
        != claimed
    {
        return Err(damaged(name, "its parts have not as many rows as it says"));
    }
    let text = check_pages(&*file, about).map_err(wrong)?;
    options.largest.check(name, claimed, headers.len(), 0)?;
    if text > options.largest.text as u64 {
        let problem = format!("its pages unpack to more than {} bytes", options.largest.text);
        return Err(too_large(name, &problem));
    }
    let counts = Counts {
        rows: claimed,
        text: TextCount::new(options.largest),
    };
    // The leaf of each column that is nothing but a leaf.
    let mut leaves: Vec<Option<usize>> = vec![None; roots.len()];
    for (leaf, column) in schema.columns().iter().enumerate() {
        if column.path().parts().len() == 1 && column.max_rep_level() == 0 {
            leaves[schema.get_column_root_idx(leaf)] = Some(leaf);
        }
    }
    let read = |(root, leaf): (usize, &Option<usize>)| {
        let column = caught(|| match leaf {
            Some(leaf) => read_leaf(&reader, *leaf, &counts),
            None => read_nested(&reader, root, &counts),
        });
        let column = column.unwrap_or_else(|| Err(Problem::File(broken(UNFIT))));
        column.map_err(|problem| (root, problem))
    };
    // After the first that fails no other is begun.
    let columns: Result<Vec<ReadColumn>, (usize, Problem)> =
        leaves.par_iter().enumerate().map(read).collect();
    let columns = columns.map_err(|(root, problem)| match problem {
        Problem::File(error) => wrong(error),
        Problem::Cell { row, bytes } => {
            let problem = format!(
                "row {row} of '{}' has {bytes} bytes and the limit is {LONGEST_CELL}; shorten it",
                headers[root]
            );
            content(name, None, problem)
        }
        Problem::Text => too_large(
            name,
            &format!("it has more than {} bytes of text", options.largest.text),
        ),
        Problem::Rows => damaged(name, "it holds more rows than it says"),
    })?;
    let mut filling = Filling::new(0, options.largest);
    filling.columns = columns;
    filling.rows = claimed;
    if filling.columns.iter().any(|(rows, _)| rows.len() != filling.rows) {
        return Err(damaged(name, "its columns have not as many rows as it says"));
    }
    if filling.rows == 0 {
        return Err(content(name, None, "the table has no row; add at least one"));
    }
    filling.push(name, &[])?;
    filling.finish(name, headers)
}

/// What all columns together may have.
struct Counts {
    /// So many rows as the file says.
    rows: usize,
    text: TextCount,
}

/// A file that is lent to the reader of Parquet.
struct Lent<R>(Arc<R>);

impl<R: ChunkReader> Length for Lent<R> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<R: ChunkReader> ChunkReader for Lent<R> {
    type T = R::T;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.0.get_bytes(start, length)
    }
}

fn broken(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// Looks through the description at the end of a file before anybody believes it.
fn check_footer(file: &impl ChunkReader) -> Result<(), ParquetError> {
    const TAIL: u64 = 8;
    let end = file
        .len()
        .checked_sub(TAIL)
        .ok_or_else(|| broken("it is too short"))?;
    let tail = file.get_bytes(end, TAIL as usize)?;
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let start = end
        .checked_sub(length)
        .ok_or_else(|| broken("its description is longer than the file"))?;
    let footer = file.get_bytes(start, length as usize)?;
    look_through(&footer).map_err(|_| broken("its description of itself is damaged"))?;
    Ok(())
}

/// Looks through the headers of all pages; gives the bytes that they claim to unpack to.
fn check_pages(file: &impl ChunkReader, about: &ParquetMetaData) -> Result<u64, ParquetError> {
    let (mut packed, mut unpacked) = (0_u64, 0_u64);
    for chunk in about.row_groups().iter().flat_map(|group| group.columns()) {
        // The crate takes it for granted that none is below zero, and panics.
        let first = chunk.dictionary_page_offset().unwrap_or(0);
        if chunk.data_page_offset().min(first).min(chunk.compressed_size()) < 0 {
            return Err(broken("a column is said to begin before the file"));
        }
        let (start, length) = chunk.byte_range();
        let end = start.saturating_add(length);
        packed = packed.saturating_add(length);
        if end > file.len() || packed > file.len() {
            return Err(broken("its columns are larger than the file"));
        }
        let mut at = start;
        while at < end {
            let (header, page) = page_header(file, at)?;
            unpacked = unpacked.saturating_add(page.unpacked);
            at = at.saturating_add(header).saturating_add(page.packed);
        }
    }
    Ok(unpacked)
}

/// The sizes of a page.
struct PageSize {
    packed: u64,
    unpacked: u64,
}

/// The length of a page's header, and what it says of the page.
fn page_header(file: &impl ChunkReader, at: u64) -> Result<(u64, PageSize), ParquetError> {
    let left = file.len() - at;
    // Most are short; one may hold long texts.
    let mut length = left.min(256);
    loop {
        let bytes = file.get_bytes(at, length as usize)?;
        match look_through(&bytes) {
            Ok((header, fields)) => {
                let size = |field: i64| {
                    let found = fields.iter().find(|(number, _)| *number == field);
                    found.and_then(|(_, size)| u64::try_from(*size).ok())
                };
                let (Some(unpacked), Some(packed)) = (size(2), size(3)) else {
                    return Err(broken("a page does not say how large it is"));
                };
                return Ok((header as u64, PageSize { packed, unpacked }));
            }
            Err(Flaw::CutOff) if length < left => length = left.min(length * 16),
            Err(_) => return Err(broken("the header of a page is damaged")),
        }
    }
}

/// The cells of a column on their way in.
struct Cells<'a> {
    rows: Vec<u32>,
    texts: Interner,
    buffer: String,
    counts: &'a Counts,
}

impl<'a> Cells<'a> {
    fn new(counts: &'a Counts) -> Self {
        Cells {
            rows: Vec::new(),
            texts: Interner::default(),
            buffer: String::new(),
            counts,
        }
    }

    /// Takes what was written into the buffer.
    fn take(&mut self) -> Result<(), Problem> {
        if self.rows.len() >= self.counts.rows {
            return Err(Problem::Rows);
        }
        if self.buffer.len() > LONGEST_CELL {
            return Err(Problem::Cell {
                row: self.rows.len() + 1,
                bytes: self.buffer.len(),
            });
        }
        let before = self.texts.size();
        self.rows.push(self.texts.intern(&self.buffer));
        self.buffer.clear();
        match self.counts.text.has_room_for(self.texts.size() - before) {
            true => Ok(()),
            false => Err(Problem::Text),
        }
    }
}

fn read_leaf<R: ChunkReader + 'static>(
    reader: &SerializedFileReader<R>,
    leaf: usize,
    counts: &Counts,
) -> Result<ReadColumn, Problem> {
    let descriptor = reader.metadata().file_metadata().schema_descr().column(leaf);
    let mut cells = Cells::new(counts);
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let column = &*descriptor;
        let pages = Looked::new(group.get_column_page_reader(leaf)?, column);
        match get_column_reader(Arc::clone(&descriptor), Box::new(pages)) {
            ColumnReader::BoolColumnReader(values) => {
                read_values(values, &mut cells, |value, out| show(out, value))?
            }
            ColumnReader::Int32ColumnReader(values) => read_values(values, &mut cells, |value, out| {
                show_whole(out, i64::from(*value), column)
            })?,
            ColumnReader::Int64ColumnReader(values) => {
                read_values(values, &mut cells, |value, out| show_whole(out, *value, column))?
            }
            ColumnReader::Int96ColumnReader(values) => {
                read_values(values, &mut cells, |value: &Int96, out| {
                    show_moment(
                        out,
                        value.to_seconds(),
                        (value.to_nanos().rem_euclid(1_000_000_000)) as u64,
                    )
                })?
            }
            ColumnReader::FloatColumnReader(values) => {
                read_values(values, &mut cells, |value, out| show(out, value))?
            }
            ColumnReader::DoubleColumnReader(values) => {
                read_values(values, &mut cells, |value, out| show(out, value))?
            }
            ColumnReader::ByteArrayColumnReader(values) => {
                read_values(values, &mut cells, |value: &ByteArray, out| {
                    show_bytes(out, value.data(), column)
                })?
            }
            ColumnReader::FixedLenByteArrayColumnReader(values) => {
                read_values(values, &mut cells, |value, out| {
                    show_bytes(out, value.data(), column)
                })?
            }
        }
        cells.texts.stop_searching_if_most_are_new();
    }
    Ok((cells.rows, cells.texts))
}

fn read_values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    cells: &mut Cells<'_>,
    show: impl Fn(&T::T, &mut String),
) -> Result<(), Problem> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    loop {
        values.clear();
        levels.clear();
        let (records, present, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Ok(());
        }
        let mut values = values.iter();
        for row in 0..records {
            // Where all have a value there are no levels.
            let is_there = present == records || levels.get(row).is_some_and(|level| *level > 0);
            if let (true, Some(value)) = (is_there, is_there.then(|| values.next()).flatten()) {
                show(value, &mut cells.buffer);
            }
            cells.take()?;
        }
    }
}

fn show_whole(out: &mut String, value: i64, column: &ColumnDescriptor) {
    match column.logical_type_ref() {
        Some(LogicalType::Date) => return show_day(out, value),
        Some(LogicalType::Timestamp(stamp)) => return show_timestamp(out, value, per_second(stamp.unit)),
        Some(LogicalType::Time(time)) => return show_time(out, value, per_second(time.unit)),
        Some(LogicalType::Decimal(decimal)) => return show_decimal(out, value.into(), decimal.scale),
        _ => {}
    }
    match column.converted_type() {
        ConvertedType::DATE => show_day(out, value),
        ConvertedType::TIMESTAMP_MILLIS => show_timestamp(out, value, 1_000),
        ConvertedType::TIMESTAMP_MICROS => show_timestamp(out, value, 1_000_000),
        ConvertedType::TIME_MILLIS => show_time(out, value, 1_000),
        ConvertedType::TIME_MICROS => show_time(out, value, 1_000_000),
        ConvertedType::DECIMAL => show_decimal(out, value.into(), column.type_scale()),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 => show(out, value as u32),
        ConvertedType::UINT_64 => show(out, value as u64),
        _ => show(out, value),
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    }
}

fn show_bytes(out: &mut String, bytes: &[u8], column: &ColumnDescriptor) {
    let logical = column.logical_type_ref();
    let is_decimal =
        matches!(logical, Some(LogicalType::Decimal(_))) || column.converted_type() == ConvertedType::DECIMAL;
    if is_decimal && (1..=LONGEST_DECIMAL).contains(&bytes.len()) {
        let scale = match logical {
            Some(LogicalType::Decimal(decimal)) => decimal.scale,
            _ => column.type_scale(),
        };
        let (is_negative, digits) = decimal_digits(bytes);
        return show_digits(out, is_negative, &digits, scale);
    }
    match (logical, bytes) {
        (Some(LogicalType::Float16), [low, high]) => {
            return show(out, half::f16::from_le_bytes([*low, *high]));
        }
        (Some(LogicalType::Uuid), bytes) if bytes.len() == 16 => {
            for (place, byte) in bytes.iter().enumerate() {
                let dash = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
                let _ = write!(out, "{dash}{byte:02x}");
            }
            return;
        }
        _ => {}
    }
    show_binary(out, bytes);
}

/// A column of lists, maps or structures.
fn read_nested<R: ChunkReader + 'static>(
    reader: &SerializedFileReader<R>,
    root: usize,
    counts: &Counts,
) -> Result<ReadColumn, Problem> {
    let schema = reader.metadata().file_metadata().schema_descr().root_schema();
    let only = vec![Arc::clone(&schema.get_fields()[root])];
    let only = Type::group_type_builder(schema.name())
        .with_fields(only)
        .build()?;
    let mut cells = Cells::new(counts);
    for row in reader.get_row_iter(Some(only))? {
        let row = row?;
        match row.get_column_iter().next() {
            None | Some((_, Field::Null)) => {}
            Some((_, Field::Str(text))) => cells.buffer.push_str(text),
            Some((_, field)) => show(&mut cells.buffer, json(field)),
        }
        cells.take()?;
    }
    Ok((cells.rows, cells.texts))
}

fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Byte(value) => (*value).into(),
        Field::Short(value) => (*value).into(),
        Field::Int(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::UByte(value) => (*value).into(),
        Field::UShort(value) => (*value).into(),
        Field::UInt(value) => (*value).into(),
        Field::ULong(value) => (*value).into(),
        Field::Float16(value) => f32::from(*value).into(),
        Field::Float(value) => (*value).into(),
        Field::Double(value) => (*value).into(),
        Field::Str(value) => value.as_str().into(),
        Field::Group(row) => {
            let fields = row
                .get_column_iter()
                .map(|(name, field)| (name.clone(), json(field)));
            Value::Object(fields.collect())
        }
        Field::ListInternal(list) => list.elements().iter().map(json).collect(),
        Field::MapInternal(map) => {
            let key = |field: &Field| match json(field) {
                Value::String(key) => key,
                key => key.to_string(),
            };
            let entries = map.entries().iter().map(|(name, value)| (key(name), json(value)));
            Value::Object(entries.collect())
        }
        other => other.to_string().into(),
    }
}
