//! Reading tables of JSON objects, one in a line, all in an array, or in an array within an object. The columns are the keys in the order in
//! which they first appear; an object that lacks a key has an empty cell there, and so has `null`. A value
//! that is itself an object or an array becomes its JSON text.

use super::cells::{Filling, LONGEST_CELL, MOST_COLUMNS, Piece};
use super::json_document;
use super::separated::count_lines;
use super::source::{Source, content, unreadable};
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::decisions::Decisions;
use rayon::prelude::*;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::{self, Write};

/// Bytes of a wave, and of a piece of it at the least.
const WAVE: usize = 8 << 20;
const PIECE: usize = 1 << 18;
/// Bytes of the longest line.
const LONGEST_LINE: usize = 1 << 28;
/// Objects that share few keys make a table of almost nothing but empty cells, from a small file an enormous
/// one. There may be so many cells for each byte; a few are always allowed, of a piece and of a table.
const CELLS_PER_BYTE: usize = 16;
const FEW_OF_A_PIECE: usize = 1 << 20;
const FEW: usize = 1 << 24;

pub(super) fn read(
    mut source: Source<'_>,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let is_array = source.beginning().iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if !is_array && is_one_object(source.beginning(), source.whole) {
        let bytes = source.read_all()?;
        if let Some(found) = json_document::array(&name, &bytes, options, decisions)? {
            let mut table = Table::new(&name, options);
            table.bytes = bytes.len();
            table.add_values(found)?;
            return table.finish();
        }
        // Lines after all, or wrong in a way that lines tell better.
        source = Source::new(&name, std::io::Cursor::new(bytes))?;
    }
    let mut table = Table::new(&name, options);
    if is_array {
        let bytes = source.read_all()?;
        table.bytes = bytes.len();
        let mut object = Objects::of(bytes.len().max(FEW / CELLS_PER_BYTE));
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let read = List(&mut object)
            .deserialize(&mut reader)
            .and_then(|()| reader.end());
        read.map_err(|error| table.problem(error.line() as u64, &error))?;
        table.add(vec![object])?;
        return table.finish();
    }
    let mut wave = Vec::new();
    let mut lines = 0;
    loop {
        mapo_stopping::check();
        let more = source
            .read_more(WAVE, &mut wave)
            .map_err(|error| unreadable(&name, error))?;
        let taken = match more {
            // Old files have `\r` alone at the ends of lines.
            true => memchr::memrchr(b'\n', &wave)
                .or_else(|| memchr::memrchr(b'\r', &wave))
                .map_or(0, |end| end + 1),
            false => wave.len(),
        };
        table.take(&wave[..taken], lines)?;
        if !more {
            return table.finish();
        }
        if wave.len() - taken > LONGEST_LINE {
            let problem = "the line goes on for more than 256 MiB; write one object in a line";
            return Err(content(&name, Some(lines + 1), problem));
        }
        lines += count_lines(&wave[..taken]);
        wave.drain(..taken);
    }
}

/// Whether a file is one object, and not one in each line, as far as its beginning tells.
fn is_one_object(beginning: &[u8], whole: bool) -> bool {
    let text = beginning.trim_ascii_start();
    let end = memchr::memchr2(b'\n', b'\r', text);
    let line = &text[..end.unwrap_or(text.len())];
    match serde_json::from_slice::<serde::de::IgnoredAny>(line) {
        // The one line there is, or the first of several.
        Ok(_) => whole && text[line.len()..].trim_ascii().is_empty(),
        Err(error) => error.is_eof(),
    }
}

/// The keys, numbered as they first appear.
#[derive(Default)]
struct Keys {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Keys {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

struct Table<'a> {
    name: &'a str,
    keys: Keys,
    filling: Filling,
    /// How many were read.
    bytes: usize,
}

impl<'a> Table<'a> {
    fn new(name: &'a str, options: &LoadOptions) -> Self {
        Table {
            name,
            keys: Keys::default(),
            filling: Filling::new(0, options.largest),
            bytes: 0,
        }
    }

    /// Takes objects that are already read.
    fn add_values(&mut self, values: Vec<Value>) -> Result<(), TableError> {
        let mut objects = Objects::of(self.bytes.max(FEW / CELLS_PER_BYTE));
        for value in values {
            let read = Object(&mut objects).deserialize(value);
            read.map_err(|error: serde_json::Error| content(self.name, None, error.to_string()))?;
        }
        self.add(vec![objects])
    }

    /// Takes whole lines; `before` lines come before them.
    fn take(&mut self, lines: &[u8], before: u64) -> Result<(), TableError> {
        self.bytes += lines.len();
        let pieces = split(lines);
        let read: Vec<(Objects, u64, Option<serde_json::Error>)> = match pieces.len() {
            1 => pieces.iter().map(|piece| objects(piece)).collect(),
            _ => pieces.par_iter().map(|piece| objects(piece)).collect(),
        };
        let mut line = before;
        let mut good = Vec::with_capacity(read.len());
        for (objects, lines, error) in read {
            line += lines;
            if let Some(error) = error {
                return Err(self.problem(line, &error));
            }
            good.push(objects);
        }
        self.add(good)
    }

    fn add(&mut self, objects: Vec<Objects>) -> Result<(), TableError> {
        // All is counted before any of it is made.
        let mut rows = self.filling.rows;
        let mut numbered = Vec::with_capacity(objects.len());
        for part in objects {
            rows += part.piece.rows;
            let names = part.keys.names.iter();
            let numbers: Vec<usize> = names.map(|name| self.keys.number(name)).collect();
            numbered.push((numbers, part));
            if self.keys.names.len() > MOST_COLUMNS {
                return Err(content(self.name, None, too_many_keys()));
            }
        }
        let columns = self.keys.names.len();
        self.filling.largest.check(self.name, rows, columns, 0)?;
        if rows.saturating_mul(columns) > self.bytes.saturating_mul(CELLS_PER_BYTE).max(FEW) {
            return Err(content(self.name, None, MOSTLY_EMPTY));
        }
        let mut pieces = Vec::with_capacity(numbered.len());
        for (numbers, mut part) in numbered {
            // A key that only some of the pieces have is empty in the others.
            let mut columns = vec![Vec::new(); self.keys.names.len()];
            let own = std::mem::take(&mut part.piece.columns);
            for (number, spans) in numbers.into_iter().zip(own) {
                columns[number] = spans;
            }
            for spans in &mut columns {
                spans.resize(part.piece.rows, Default::default());
            }
            part.piece.columns = columns;
            pieces.push(part.piece);
        }
        while self.filling.columns.len() < self.keys.names.len() {
            self.filling.add_column();
        }
        self.filling.push(self.name, &pieces)
    }

    fn finish(self) -> Result<TableBuilder, TableError> {
        if self.filling.rows == 0 {
            let problem = "the file is empty; it needs an object with keys and values in each line";
            return Err(content(self.name, None, problem));
        }
        if self.keys.names.is_empty() {
            return Err(content(
                self.name,
                None,
                "no object has a key; a table needs a column",
            ));
        }
        self.filling.finish(self.name, self.keys.names)
    }

    fn problem(&self, line: u64, error: &serde_json::Error) -> TableError {
        let told = error.to_string();
        // It counts lines within what it was given.
        let told = told
            .rsplit_once(" at line ")
            .map_or(told.as_str(), |(told, _)| told);
        // What we refuse ourselves is JSON, only too much of it.
        if told.starts_with("the objects ") {
            return content(self.name, Some(line), told);
        }
        let problem = format!(
            "not a JSON object at column {}: {told}; each line is one object: {{\"key\": \"value\", …}}",
            error.column()
        );
        content(self.name, Some(line), problem)
    }
}

fn too_many_keys() -> String {
    format!("the objects have more than {MOST_COLUMNS} different keys, which is the limit")
}

const MOSTLY_EMPTY: &str = "the objects have so many different keys that almost all cells of a table would be \
                            empty; write a table of keys and values instead";

/// Cuts lines into pieces that are read side by side.
fn split(lines: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = lines;
    while rest.len() > 2 * PIECE {
        let Some(end) = memchr::memchr(b'\n', &rest[PIECE..]) else {
            break;
        };
        let (piece, other) = rest.split_at(PIECE + end + 1);
        pieces.push(piece);
        rest = other;
    }
    pieces.push(rest);
    pieces
}

/// The objects of some lines, how many lines were read and what is wrong with the last of them.
fn objects(lines: &[u8]) -> (Objects, u64, Option<serde_json::Error>) {
    let mut objects = Objects::of(lines.len().max(FEW_OF_A_PIECE / CELLS_PER_BYTE));
    let mut count = 0;
    // No string of JSON has a line end in it.
    let mut rest = lines;
    while !rest.is_empty() {
        let end = match memchr::memchr2(b'\n', b'\r', rest) {
            Some(end) if rest[end..].starts_with(b"\r\n") => end + 2,
            Some(end) => end + 1,
            None => rest.len(),
        };
        let (line, behind) = rest.split_at(end);
        rest = behind;
        count += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut reader = serde_json::Deserializer::from_slice(line);
        let read = Object(&mut objects)
            .deserialize(&mut reader)
            .and_then(|()| reader.end());
        if let Err(error) = read {
            return (objects, count, Some(error));
        }
    }
    (objects, count, None)
}

/// Objects as rows of cells, all of them written behind an empty text.
#[derive(Default)]
struct Objects {
    keys: Keys,
    piece: Piece<'static>,
    most_cells: usize,
}

impl Objects {
    /// Of a piece of so many bytes.
    fn of(bytes: usize) -> Self {
        Objects {
            most_cells: bytes.saturating_mul(CELLS_PER_BYTE),
            ..Objects::default()
        }
    }
}

/// Reads a list of objects.
struct List<'a>(&'a mut Objects);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Object(self.0))?.is_some() {}
        Ok(())
    }
}

/// Reads an object as a row.
struct Object<'a>(&'a mut Objects);

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let Objects {
            keys,
            piece,
            most_cells,
        } = self.0;
        while let Some(key) = object.next_key::<std::borrow::Cow<'de, str>>()? {
            let number = keys.number(&key);
            if number == piece.columns.len() {
                if number == MOST_COLUMNS {
                    return Err(A::Error::custom(too_many_keys()));
                }
                if (piece.rows + 1) * (number + 1) > *most_cells {
                    return Err(A::Error::custom(MOSTLY_EMPTY));
                }
                piece.columns.push(vec![Default::default(); piece.rows]);
            }
            let start = piece.rewritten.len();
            object.next_value_seed(Cell(&mut piece.rewritten))?;
            if u32::try_from(piece.rewritten.len()).is_err() {
                let problem =
                    "the objects have more than 4 GiB of text; write one in a line, without an array";
                return Err(A::Error::custom(problem));
            }
            let span = piece.rewritten_from(start);
            if span.length as usize > LONGEST_CELL {
                let problem = format!(
                    "the value of '{key}' has {} bytes and the limit is {LONGEST_CELL}",
                    span.length
                );
                return Err(A::Error::custom(problem));
            }
            let cells = &mut piece.columns[number];
            // Of equal keys in an object the last counts.
            cells.truncate(piece.rows);
            cells.push(span);
        }
        piece.rows += 1;
        if piece.rows * piece.columns.len() > *most_cells {
            return Err(A::Error::custom(MOSTLY_EMPTY));
        }
        for cells in &mut piece.columns {
            cells.resize(piece.rows, Default::default());
        }
        Ok(())
    }
}

/// Writes a value as a cell.
struct Cell<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Cell<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl Cell<'_> {
    fn write<E: Error>(self, value: impl fmt::Display) -> Result<(), E> {
        write!(self.0, "{value}").map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for Cell<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.push_str(text);
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.write(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.write(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.write(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.write(value)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.push('[');
        let mut first = true;
        while let Some(value) = list.next_element::<Value>()? {
            let comma = if std::mem::take(&mut first) { "" } else { "," };
            write!(self.0, "{comma}{value}").map_err(A::Error::custom)?;
        }
        self.0.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        self.0.push('{');
        let mut first = true;
        while let Some((key, value)) = object.next_entry::<String, Value>()? {
            let comma = if std::mem::take(&mut first) { "" } else { "," };
            write!(self.0, "{comma}{}:{value}", Value::String(key)).map_err(A::Error::custom)?;
        }
        self.0.push('}');
        Ok(())
    }
}
