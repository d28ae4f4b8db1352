//! Looking through the sheets of old workbooks (`.xls`) before they are believed.
//!
//! The library that reads them makes room for as many cells as a sheet says it has, and for all cells between the
//! first and the last that it holds, so that a few bytes can cost more memory than there is. Here the records of a
//! workbook are gone through as they are there, and nothing is kept.

use std::io::{self, Read, Seek};

/// Rows times columns of a sheet of an old workbook, which it cannot have more of.
const MOST: u64 = 65_536 * 256;

/// Records, by their numbers in the format's description.
mod record {
    pub const END: u16 = 0x000A;
    pub const BEGINNING: u16 = 0x0809;
    pub const SHEET: u16 = 0x0085;
    pub const DIMENSIONS: u16 = 0x0200;
    /// Several cells of a row.
    pub const CELLS: u16 = 0x00BD;
    /// One cell: numbers, texts, truths and formulas.
    pub const CELL: [u16; 7] = [0x0203, 0x0204, 0x00D6, 0x0205, 0x027E, 0x00FD, 0x0006];
}

/// Why a workbook is not to be given to the library.
pub(super) type Flaw = &'static str;

const TOO_LARGE: Flaw = "a sheet claims more cells than such a workbook can have";

/// Goes through the sheets of a workbook, as far as their records can be followed.
///
/// # Errors
/// If the file cannot be read, or is not packed as old workbooks are.
pub(super) fn look_through(file: impl Read + Seek) -> io::Result<Result<(), Flaw>> {
    let mut file = cfb::CompoundFile::open(file)?;
    // Some of the names are written in capitals.
    let is_book = |name: &str| name.eq_ignore_ascii_case("workbook") || name.eq_ignore_ascii_case("book");
    let books = file
        .walk()
        .filter(|entry| entry.is_stream() && is_book(entry.name()));
    let books: Vec<_> = books.map(|entry| entry.path().to_owned()).collect();
    for book in books {
        let mut stream = Vec::new();
        file.open_stream(book)?.read_to_end(&mut stream)?;
        if sheets(&stream).any(|sheet| !is_believable(sheet)) {
            return Ok(Err(TOO_LARGE));
        }
    }
    Ok(Ok(()))
}

/// Where the sheets of a workbook's records begin, to its end.
fn sheets(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let named = Records(stream).filter(|(kind, _)| *kind == record::SHEET);
    named.filter_map(|(_, data)| stream.get(long(data, 0)? as usize..))
}

/// Whether a sheet has no more cells than it can have, said and there.
fn is_believable(sheet: &[u8]) -> bool {
    let (mut rows, mut columns) = (Span::default(), Span::default());
    let mut depth = 0;
    for (kind, data) in Records(sheet) {
        match kind {
            record::BEGINNING => depth += 1,
            record::END if depth <= 1 => break,
            record::END => depth -= 1,
            record::DIMENSIONS if claimed(data).is_some_and(|cells| cells > MOST) => return false,
            record::CELLS => {
                let last = data.len().checked_sub(2).and_then(|at| short(data, at));
                rows.add(short(data, 0));
                columns.add(short(data, 2));
                columns.add(last);
            }
            kind if record::CELL.contains(&kind) => {
                rows.add(short(data, 0));
                columns.add(short(data, 2));
            }
            _ => {}
        }
    }
    rows.len() * columns.len() <= MOST
}

/// How many cells a sheet says that it has; nothing is known where there is no telling.
fn claimed(data: &[u8]) -> Option<u64> {
    let (rows, columns) = match data.len() {
        10 => (short(data, 0)?..short(data, 2)?, short(data, 4)?..short(data, 6)?),
        14 | 16 => (long(data, 0)?..long(data, 4)?, short(data, 8)?..short(data, 10)?),
        _ => return None,
    };
    if rows.end == 0 || columns.end == 0 {
        return Some(1);
    }
    // Writers that put something else there mean the first.
    let first = if columns.start > 0xFF || columns.end < columns.start {
        0
    } else {
        columns.start
    };
    let rows = if rows.end < rows.start {
        return Some(u64::MAX);
    } else {
        rows.end - rows.start
    };
    Some(rows.saturating_mul(columns.end - first))
}

/// What lies between the least and the largest of some numbers.
#[derive(Default)]
struct Span(Option<(u64, u64)>);

impl Span {
    fn add(&mut self, number: Option<u64>) {
        let Some(number) = number else { return };
        let (least, largest) = self.0.unwrap_or((number, number));
        self.0 = Some((least.min(number), largest.max(number)));
    }

    fn len(&self) -> u64 {
        self.0.map_or(0, |(least, largest)| largest - least + 1)
    }
}

/// The records of a stream, by kind, until one is cut off.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = short(self.0, 0)? as u16;
        let end = 4 + short(self.0, 2)? as usize;
        let data = self.0.get(4..end)?;
        self.0 = &self.0[end..];
        Some((kind, data))
    }
}

fn short(data: &[u8], at: usize) -> Option<u64> {
    let bytes = data.get(at..at + 2)?;
    Some(u64::from(bytes[0]) | u64::from(bytes[1]) << 8)
}

fn long(data: &[u8], at: usize) -> Option<u64> {
    Some(short(data, at)? | short(data, at + 2)? << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((data.len() as u16).to_le_bytes());
        bytes.extend(data);
        bytes
    }

    fn dimensions(rows: [u32; 2], columns: [u16; 2]) -> Vec<u8> {
        let mut data: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        data.extend(columns.iter().flat_map(|column| column.to_le_bytes()));
        data.extend([0, 0]);
        record(record::DIMENSIONS, &data)
    }

    fn number(row: u16, column: u16) -> Vec<u8> {
        let mut data = row.to_le_bytes().to_vec();
        data.extend(column.to_le_bytes());
        data.extend([0; 10]);
        record(0x0203, &data)
    }

    #[test]
    fn sheets_have_as_many_cells_as_sheets_can_have() {
        assert!(is_believable(&dimensions([0, 65_536], [0, 256])));
        assert!(is_believable(&dimensions([0, 0], [0, 0])));
        // Columns that begin nowhere, as some writers have them.
        assert!(is_believable(&dimensions([0, 10], [0x300, 4])));
        assert!(!is_believable(&dimensions([0, u32::MAX], [0, 4])));
        assert!(!is_believable(&dimensions([9, 3], [0, 4])));
        assert!(is_believable(&[number(0, 0), number(65_535, 255)].concat()));
        assert!(!is_believable(&[number(0, 0), number(65_535, 65_535)].concat()));
    }

    #[test]
    fn what_a_sheet_holds_within_it_is_a_part_of_it() {
        let begin = record(record::BEGINNING, &[0; 16]);
        let end = record(record::END, &[]);
        let behind = dimensions([0, u32::MAX], [0, 4]);
        let chart = [begin.clone(), end.clone()].concat();
        assert!(is_believable(
            &[begin.clone(), chart.clone(), end, behind.clone()].concat()
        ));
        assert!(!is_believable(&[begin, chart, behind].concat()));
    }

    #[test]
    fn sheets_begin_where_the_workbook_says() {
        let mut book = record(record::SHEET, &[14, 0, 0, 0, 0, 0]);
        book.extend(record(record::END, &[]));
        book.extend(dimensions([0, u32::MAX], [0, 4]));
        assert!(sheets(&book).any(|sheet| !is_believable(sheet)));
        assert_eq!(Records(&book[..book.len() - 1]).count(), 2);
    }
}
