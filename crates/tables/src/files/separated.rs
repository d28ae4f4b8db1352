//! Reading files of cells separated by commas, semicolons, tabs or bars, on all cores.
//!
//! A file is read in waves of some megabytes. Each wave is cut into pieces where a row seems to begin, which
//! cannot be known without reading everything before: a line end may be part of a quoted cell. So the pieces
//! are cut into cells side by side, each in the belief that it begins with a row, and then it is checked that
//! each ends where the next begins. One that was begun wrongly is read again from where the one before it
//! ended. Then all columns take their cells, side by side too.

use super::cells::{Filling, LONGEST_CELL, MOST_COLUMNS, Piece, Span};
use super::header::note_lines_above;
use super::layout::{self, Layout};
use super::source::{Source, content, unreadable};
use super::told::Header;
use super::{LoadOptions, TableError};
use crate::TableBuilder;
use crate::decisions::Decisions;
use memchr::{memchr, memchr3};
use rayon::prelude::*;
use std::str::Utf8Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a wave: so many that the cores' caches hold it until all columns have taken their cells.
const WAVE: usize = 2 << 20;
/// Bytes of a piece, at the least.
const PIECE: usize = 1 << 17;
/// Bytes of the longest row.
const LONGEST_ROW: usize = 1 << 28;

const QUOTE: u8 = b'"';

/// Reads a table.
pub(super) fn read(
    mut source: Source<'_>,
    separator: u8,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let begin = Beginning::find(&source, separator, options)?;
    let reader = Reader {
        name: &name,
        separator,
        spare: &Mutex::default(),
        has_header: begin.header.is_some(),
        notes_below: &Mutex::default(),
    };
    decisions.separator = Some(char::from(separator));
    decisions.header = begin.header;
    decisions.left_out.extend(begin.left_out);
    source.pass(begin.bytes);
    let (mut wave, mut next) = (Vec::new(), Vec::new());
    let mut more = source
        .read_more(WAVE, &mut wave)
        .map_err(|error| unreadable(&name, error))?;
    // Line ends before the wave.
    let mut lines = begin.lines;
    let mut table: Option<(Vec<String>, Filling)> = None;
    loop {
        mapo_stopping::check();
        let (read, taken) = match more {
            true => rayon::join(
                || source.read_more(WAVE, &mut next),
                || reader.take(&wave, lines, true, &mut table, options),
            ),
            false => (Ok(false), reader.take(&wave, lines, false, &mut table, options)),
        };
        let taken = taken?;
        if !more {
            break;
        }
        more = read.map_err(|error| unreadable(&name, error))?;
        if wave.len() - taken > LONGEST_ROW {
            let line = lines + count_lines(&wave[..taken]) + 1;
            let problem = "the row goes on for more than 256 MiB; look for a quote that is never closed";
            return Err(content(&name, Some(line), problem));
        }
        if let (Some((_, filling)), Some(size), true) = (&mut table, source.size, lines == begin.lines) {
            // Room for all rows at once, if the rest is like the beginning.
            let expected = filling.rows as u64 * size / taken.max(1) as u64;
            filling.expect((expected + expected / 32) as usize);
        }
        lines += count_lines(&wave[..taken]);
        next.splice(0..0, wave.drain(taken..));
        wave.clear();
        std::mem::swap(&mut wave, &mut next);
    }
    let below = reader
        .notes_below
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    decisions.left_out.extend(below);
    match table {
        Some((headers, filling)) => filling.finish(&name, headers),
        None => Err(content(&name, None, EMPTY)),
    }
}

const EMPTY: &str = "the file is empty; it needs a header line and at least one row";

/// Line ends: `\n`, `\r\n` and `\r`.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    let feeds = memchr::memchr_iter(b'\n', bytes).count();
    let returns = memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n'));
    (feeds + returns.count()) as u64
}

/// Where the table begins in a file.
struct Beginning {
    /// Bytes before its header, or its first row, and the line ends among them.
    bytes: usize,
    lines: u64,
    /// The line of the header, if there is one.
    header: Option<u64>,
    left_out: Option<String>,
}

impl Beginning {
    fn find(source: &Source<'_>, separator: u8, options: &LoadOptions) -> Result<Beginning, TableError> {
        let beginning = source.beginning();
        if source.whole && beginning.iter().all(u8::is_ascii_whitespace) {
            return Err(source.problem(None, EMPTY));
        }
        let (rows, begins) = first_rows(beginning, separator, source.whole);
        let line_of = |begin: usize| count_lines(&beginning[..begin]) + 1;
        // The first row goes on beyond what was looked at.
        if rows.is_empty() {
            return Ok(Beginning {
                bytes: 0,
                lines: 0,
                header: Some(1),
                left_out: None,
            });
        }
        let layout = match options.header {
            None => Layout::of(&rows),
            Some(Header::Nowhere) => Layout::default(),
            Some(Header::Line(line)) => {
                let Some(header) = begins.iter().position(|begin| line_of(*begin) == line) else {
                    let problem = "no row begins in this line near the beginning of the file; name another with --header";
                    return Err(source.problem(Some(line), problem));
                };
                Layout {
                    header: Some(header),
                    first: header + 1,
                }
            }
        };
        let begin = layout.header.unwrap_or(layout.first);
        let bytes = begins.get(begin).copied().unwrap_or(0);
        let text = |row: &[String]| row.iter().find(|cell| !cell.trim().is_empty()).cloned();
        let above: Vec<(u64, String)> = rows[..begin.min(rows.len())]
            .iter()
            .zip(&begins)
            .filter_map(|(row, begin)| Some((line_of(*begin), text(row)?)))
            .collect();
        let above: Vec<(u64, &str)> = above.iter().map(|(line, text)| (*line, text.as_str())).collect();
        Ok(Beginning {
            bytes,
            lines: count_lines(&beginning[..bytes]),
            header: layout.header.map(|_| line_of(bytes)),
            left_out: note_lines_above(&above),
        })
    }
}

/// The cells of the first rows that are whole, and where each begins.
fn first_rows(beginning: &[u8], separator: u8, whole: bool) -> (Vec<Vec<String>>, Vec<usize>) {
    let mut walk = Walk {
        bytes: beginning,
        separator,
        at: 0,
        more: !whole,
    };
    let (mut rows, mut begins) = (Vec::new(), Vec::new());
    while rows.len() < layout::LOOKED_AT && walk.begin_row() {
        let begin = walk.at;
        let mut row = Vec::new();
        let is_whole = loop {
            let mut parts = Vec::new();
            let Some((cell, end)) = walk.cell(&mut |part| parts.extend_from_slice(part)) else {
                break false;
            };
            let bytes = match cell {
                Raw::Plain { start, end } => &beginning[start..end],
                Raw::Parts => &parts,
            };
            row.push(String::from_utf8_lossy(bytes).into_owned());
            if end == End::Row {
                break true;
            }
        };
        if !is_whole {
            break;
        }
        rows.push(row);
        begins.push(begin);
    }
    (rows, begins)
}

/// How many cells the first rows have.
pub(super) fn field_counts(beginning: &[u8], separator: u8, rows: usize, whole: bool) -> Vec<usize> {
    let mut walk = Walk {
        bytes: beginning,
        separator,
        at: 0,
        more: !whole,
    };
    let mut counts = Vec::new();
    while counts.len() < rows && walk.begin_row() {
        let mut count = 0;
        let complete = loop {
            match walk.cell(&mut |_| {}) {
                Some((_, End::Cell)) => count += 1,
                Some((_, End::Row)) => break true,
                None => break false,
            }
        };
        match complete {
            true => counts.push(count + 1),
            false => break,
        }
    }
    counts
}

/// What ended a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Cell,
    Row,
}

/// A cell as it lies in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Raw {
    /// As it stands.
    Plain { start: usize, end: usize },
    /// Joined from parts that were handed out.
    Parts,
}

/// Goes through the cells of a text. Quotes have a meaning only at the beginning of a cell; what follows the
/// closing one belongs to the cell as it stands. `\n`, `\r\n` and `\r` end a row, and empty lines are no
/// rows.
struct Walk<'a> {
    bytes: &'a [u8],
    separator: u8,
    at: usize,
    /// Whether the text goes on behind the bytes.
    more: bool,
}

impl Walk<'_> {
    /// Goes to the beginning of the next row; false where the bytes end.
    fn begin_row(&mut self) -> bool {
        while let Some(b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.at < self.bytes.len()
    }

    /// Takes the next cell. One that is not a stretch of the text is handed to `part` in parts. None where
    /// the bytes end before the cell does.
    fn cell(&mut self, part: &mut impl FnMut(&[u8])) -> Option<(Raw, End)> {
        if self.bytes.get(self.at) == Some(&QUOTE) {
            return self.quoted(part);
        }
        let start = self.at;
        let end = self.plain_end(start)?;
        Some((Raw::Plain { start, end }, self.pass(end)?))
    }

    /// Where a cell without quotes ends.
    fn plain_end(&self, start: usize) -> Option<usize> {
        // Most cells are short, and then a plain loop is faster.
        const SHORT: usize = 16;
        let rest = &self.bytes[start..];
        let is_end = |byte: &u8| *byte == self.separator || *byte == b'\n' || *byte == b'\r';
        if let Some(length) = rest.iter().take(SHORT).position(is_end) {
            return Some(start + length);
        }
        let skipped = rest.len().min(SHORT);
        match memchr3(self.separator, b'\n', b'\r', &rest[skipped..]) {
            Some(length) => Some(start + skipped + length),
            None if self.more => None,
            None => Some(self.bytes.len()),
        }
    }

    /// Goes past what ends a cell.
    fn pass(&mut self, end: usize) -> Option<End> {
        match self.bytes.get(end) {
            Some(byte) if *byte == self.separator => {
                self.at = end + 1;
                Some(End::Cell)
            }
            // The other half of `\r\n` is passed as an empty line.
            Some(_) => {
                self.at = end + 1;
                Some(End::Row)
            }
            None => {
                self.at = end;
                (!self.more).then_some(End::Row)
            }
        }
    }

    fn quoted(&mut self, part: &mut impl FnMut(&[u8])) -> Option<(Raw, End)> {
        let start = self.at + 1;
        let mut from = start;
        let mut parts = false;
        loop {
            let Some(length) = memchr(QUOTE, &self.bytes[from..]) else {
                // Never closed: not in these bytes, or not at all.
                return None;
            };
            let quote = from + length;
            match self.bytes.get(quote + 1) {
                Some(&QUOTE) => {
                    part(&self.bytes[from..=quote]);
                    parts = true;
                    from = quote + 2;
                }
                None if self.more => return None,
                after => {
                    let ends = |byte: &u8| *byte == self.separator || *byte == b'\n' || *byte == b'\r';
                    if after.is_none_or(ends) && !parts {
                        return Some((Raw::Plain { start, end: quote }, self.pass(quote + 1)?));
                    }
                    part(&self.bytes[from..quote]);
                    // What follows a closing quote is taken as it stands.
                    let end = self.plain_end(quote + 1)?;
                    part(&self.bytes[quote + 1..end]);
                    return Some((Raw::Parts, self.pass(end)?));
                }
            }
        }
    }
}

/// A piece of a wave with what came of it.
struct Cut<'a> {
    piece: Piece<'a>,
    /// Where its first row begins and where the first that is not its own does.
    begin: usize,
    end: usize,
    /// What is wrong, and in the row that begins where.
    problem: Option<(usize, String)>,
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    name: &'a str,
    separator: u8,
    /// Memory of earlier pieces, for later ones.
    spare: &'a Mutex<Vec<Vec<Vec<Span>>>>,
    /// Whether the first row has the names of the columns.
    has_header: bool,
    /// What is said of lines below the table.
    notes_below: &'a Mutex<Option<String>>,
}

impl Reader<'_> {
    /// Takes the rows of a wave that are whole, or all if no `more` follows; says how many bytes these were.
    /// `lines` end before it.
    fn take(
        self,
        wave: &[u8],
        lines: u64,
        more: bool,
        table: &mut Option<(Vec<String>, Filling)>,
        options: &LoadOptions,
    ) -> Result<usize, TableError> {
        let problem = |(at, problem): (usize, String)| {
            let line = lines + count_lines(&wave[..at]) + 1;
            content(self.name, Some(line), problem)
        };
        let (text, wrong) = match std::str::from_utf8(wave) {
            Ok(text) => (text, None),
            Err(error) => {
                let text = std::str::from_utf8(&wave[..error.valid_up_to()]).unwrap_or_default();
                (
                    text,
                    Some(error).filter(|error| !more || error.error_len().is_some()),
                )
            }
        };
        // What is no text is wrong where it stands, but a row before it may be wrong too.
        let more = more || wrong.is_some();
        let mut from = 0;
        let begins = table.is_none();
        if begins {
            let cut = self.cut(text, 0, text.len(), None, more, 1);
            if let Some(at) = cut.problem {
                return Err(problem(at));
            }
            if cut.piece.rows == 0 {
                return match wrong {
                    Some(error) => Err(self.not_text(wave, 0, lines, error)),
                    None => Ok(match more {
                        true => 0,
                        false => wave.len(),
                    }),
                };
            }
            let headers: Vec<String> = cut
                .piece
                .columns
                .iter()
                .flatten()
                .map(|span| cut.piece.cell(*span).to_owned())
                .collect();
            if headers.len() > MOST_COLUMNS {
                let what = format!("it has {} columns; the limit is {MOST_COLUMNS}", headers.len());
                return Err(content(self.name, Some(1), what));
            }
            let filling = Filling::new(headers.len(), options.largest);
            match self.has_header {
                true => {
                    from = cut.end;
                    *table = Some((headers, filling));
                }
                false => *table = Some((vec![String::new(); headers.len()], filling)),
            }
        }
        let Some((_, filling)) = table else {
            return Ok(from);
        };
        let mut cuts = self.cut_all(text, from, filling.columns.len(), more);
        let taken = cuts.last().map_or(from, |cut| cut.end);
        if let Some(at) = cuts.iter_mut().find_map(|cut| cut.problem.take()) {
            if more || at.0 <= from || !self.are_notes(wave, at.0, lines) {
                return Err(problem(at));
            }
            if begins {
                *table = None;
            }
            return self.take(&wave[..at.0], lines, false, table, options);
        }
        if let Some(error) = wrong {
            return Err(self.not_text(wave, taken, lines, error));
        }
        let pieces: Vec<Piece<'_>> = cuts.into_iter().map(|cut| cut.piece).collect();
        filling.push(self.name, &pieces)?;
        let used = pieces.into_iter().map(|piece| piece.columns);
        self.spare().extend(used);
        Ok(taken)
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Vec<Vec<Span>>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cuts a text from a row's beginning on into cells.
    fn cut_all<'t>(self, text: &'t str, from: usize, columns: usize, more: bool) -> Vec<Cut<'t>> {
        let count = match text.len() - from < 2 * PIECE {
            true => 1,
            false => (rayon::current_num_threads() * 2).min((text.len() - from) / PIECE),
        };
        let mut begins = vec![from];
        for place in 1..count {
            let about = from + (text.len() - from) / count * place;
            let begin = self.likely_row(text, about, columns);
            begins.extend(begin.filter(|begin| begins.last().is_some_and(|last| begin > last)));
        }
        let ends: Vec<usize> = begins[1..].iter().copied().chain([text.len()]).collect();
        let cut = |(begin, end): (usize, usize)| self.cut(text, begin, end, Some(columns), more, usize::MAX);
        let ranges: Vec<(usize, usize)> = begins.into_iter().zip(ends.iter().copied()).collect();
        let guessed: Vec<Cut<'_>> = match ranges.len() {
            1 => ranges.into_iter().map(cut).collect(),
            _ => ranges.into_par_iter().map(cut).collect(),
        };
        let mut right: Vec<Cut<'_>> = Vec::with_capacity(guessed.len());
        for (guess, end) in guessed.into_iter().zip(ends) {
            let begin = right.last().map_or(guess.begin, |before| before.end);
            if right.last().is_some_and(|before| before.problem.is_some()) {
                break;
            }
            if guess.begin == begin {
                right.push(guess);
            } else if begin < end {
                right.push(cut((begin, end)));
            }
        }
        right
    }

    /// Where a row seems to begin, at or behind a place: behind a line end, with rows of as many cells as
    /// there are columns.
    fn likely_row(self, text: &str, about: usize, columns: usize) -> Option<usize> {
        const TRIED: usize = 64;
        let bytes = text.as_bytes();
        let ends = memchr::memchr_iter(b'\n', &bytes[about..]).take(TRIED);
        let mut begins = ends.map(|end| about + end + 1);
        begins.find(|begin| {
            let counts = field_counts(&bytes[*begin..], self.separator, 3, false);
            counts.len() == 3 && counts.iter().all(|count| *count == columns)
        })
    }

    /// Cuts the rows that begin in a stretch of a text into cells, `most` at the most.
    fn cut<'t>(
        self,
        text: &'t str,
        begin: usize,
        end: usize,
        columns: Option<usize>,
        more: bool,
        most: usize,
    ) -> Cut<'t> {
        let mut walk = Walk {
            bytes: text.as_bytes(),
            separator: self.separator,
            at: begin,
            more,
        };
        let mut piece = Piece::new(text, columns.unwrap_or(0));
        if let Some(spare) = columns.and_then(|_| self.spare().pop()) {
            piece.columns = spare;
            piece.columns.iter_mut().for_each(Vec::clear);
        }
        walk.begin_row();
        let mut cut = Cut {
            begin: walk.at,
            end: walk.at,
            problem: None,
            piece: Piece::default(),
        };
        while cut.end < end && piece.rows < most {
            let mut column = 0;
            let last = loop {
                let start = piece.rewritten.len();
                let rewritten = &mut piece.rewritten;
                // Cells are cut at plain characters, so the parts of a text are text.
                let mut push =
                    |part: &[u8]| rewritten.push_str(std::str::from_utf8(part).unwrap_or_default());
                let Some((cell, last)) = walk.cell(&mut push) else {
                    break None;
                };
                let span = match cell {
                    Raw::Plain { start, end } => Span {
                        start: start as u32,
                        length: (end - start) as u32,
                    },
                    Raw::Parts => piece.rewritten_from(start),
                };
                if span.length as usize > LONGEST_CELL {
                    let problem = format!(
                        "cell {} has {} bytes and the limit is {LONGEST_CELL}; shorten it, or look for a quote that is never closed",
                        column + 1,
                        span.length
                    );
                    cut.problem = Some((cut.end, problem));
                    break None;
                }
                match piece.columns.get_mut(column) {
                    Some(cells) => cells.push(span),
                    None if columns.is_none() => piece.columns.push(vec![span]),
                    None => {}
                }
                column += 1;
                if last == End::Row {
                    break Some(());
                }
            };
            let complete = last.is_some();
            // Where nothing follows, only an open quote keeps a cell from its end.
            if !complete && !more && cut.problem.is_none() {
                let problem = "the quote that opens here is never closed, and all that follows would be one cell; \
                               close it, or write it twice where it is part of the text";
                cut.problem = Some((walk.at, problem.to_owned()));
            }
            if complete && columns.is_some_and(|columns| columns != column) {
                let columns = columns.unwrap_or_default();
                let cells = match column {
                    1 => "1 cell".to_owned(),
                    cells => format!("{cells} cells"),
                };
                let problem = format!(
                    "the row has {cells} and the header {columns}; add or remove cells, and put quotes around cells that hold a separator"
                );
                cut.problem = Some((cut.end, problem));
            }
            if !complete || cut.problem.is_some() {
                // The cells of a row that is not whole go again.
                piece
                    .columns
                    .iter_mut()
                    .for_each(|cells| cells.truncate(piece.rows));
                break;
            }
            piece.rows += 1;
            walk.begin_row();
            cut.end = walk.at;
        }
        cut.piece = piece;
        cut
    }

    /// Whether the rest of a wave is notes below the table: a few lines of one cell each, behind an empty line.
    fn are_notes(self, wave: &[u8], from: usize, lines: u64) -> bool {
        const MOST: usize = 8;
        let is_apart = [&b"\n\n"[..], b"\r\r", b"\n\r\n"]
            .iter()
            .any(|end| wave[..from].ends_with(end));
        let counts = field_counts(&wave[from..], self.separator, MOST + 1, true);
        let below: Vec<&[u8]> = wave[from..]
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty())
            .collect();
        // A single word may be what is left of a row.
        let are_words = below.iter().all(|line| line.contains(&b' '));
        // Behind a quote that is never closed there are fewer cells than lines.
        let are_cells = counts.len() == below.len() && counts.iter().all(|count| *count == 1);
        let are_notes = is_apart && are_words && are_cells && counts.len() <= MOST;
        if are_notes {
            let line = lines + count_lines(&wave[..from]) + 1;
            let said = format!("what stands below the table, from line {line} on, was left out");
            *self.notes_below.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
        }
        are_notes
    }

    /// What is said of bytes that are no text; `from` is the beginning of a row.
    fn not_text(self, wave: &[u8], from: usize, lines: u64, error: Utf8Error) -> TableError {
        let mut walk = Walk {
            bytes: wave,
            separator: self.separator,
            at: from,
            more: false,
        };
        let (mut row, mut cell) = (from, 0);
        'rows: while walk.begin_row() {
            row = walk.at;
            cell = 0;
            loop {
                cell += 1;
                let last = walk.cell(&mut |_| {});
                if walk.at > error.valid_up_to() || last.is_none() {
                    break 'rows;
                }
                if matches!(last, Some((_, End::Row))) {
                    break;
                }
            }
        }
        TableError::NotUtf8 {
            file: self.name.to_owned(),
            line: lines + count_lines(&wave[..row]) + 1,
            cell,
        }
    }
}
