//! Where a table's bytes come from: files, standard input and other readers, packed or not, in any of the
//! common encodings.

use super::TableError;
use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, Read};

/// Formats are told apart by this much of a file.
const BEGINNING: u64 = 1 << 16;

/// The bytes of a table on their way in.
pub(super) struct Source<'a> {
    pub name: String,
    /// How it begins, which is still to be read,
    beginning: Vec<u8>,
    /// whether that is all,
    pub whole: bool,
    /// and what follows.
    rest: Box<dyn Read + Send + 'a>,
    /// How many bytes there are, where that is known.
    pub size: Option<u64>,
}

impl<'a> Source<'a> {
    pub fn new(name: &str, reader: impl Read + Send + 'a, size: Option<u64>) -> Result<Self, TableError> {
        let source = Source::begun(name, Box::new(reader), size)?;
        if source.beginning.starts_with(&[0x1f, 0x8b]) {
            let packed = Cursor::new(source.beginning).chain(source.rest);
            let unpacked = Unpacked(MultiGzDecoder::new(packed));
            return Source::begun(name, Box::new(unpacked), None)?.in_utf8();
        }
        source.in_utf8()
    }

    fn begun(name: &str, mut rest: Box<dyn Read + Send + 'a>, size: Option<u64>) -> Result<Self, TableError> {
        let mut beginning = Vec::new();
        rest.by_ref()
            .take(BEGINNING)
            .read_to_end(&mut beginning)
            .map_err(|source| unreadable(name, source))?;
        Ok(Source {
            whole: (beginning.len() as u64) < BEGINNING,
            name: name.to_owned(),
            beginning,
            rest,
            size,
        })
    }

    /// Text in UTF-16 becomes UTF-8, a byte order mark goes, and what is known to be no table is refused.
    fn in_utf8(mut self) -> Result<Self, TableError> {
        if let Some(what) = no_table(&self.beginning) {
            let advice = "save the table as CSV, TSV, JSON lines or Parquet";
            return Err(self.problem(None, format!("the file is {what}; {advice}")));
        }
        let order: Option<fn([u8; 2]) -> u16> = match self.beginning[..] {
            [0xef, 0xbb, 0xbf, ..] => {
                self.beginning.drain(..3);
                None
            }
            [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
            [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
            _ => None,
        };
        let Some(order) = order else { return Ok(self) };
        let (name, bytes) = (self.name.clone(), self.read_all()?);
        let units = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        let mut text = String::with_capacity(bytes.len() / 2);
        let mut line = 1;
        for c in char::decode_utf16(units) {
            match c {
                Ok(c) => {
                    line += u64::from(c == '\n');
                    text.push(c);
                }
                Err(_) => {
                    let problem = "the file is in UTF-16 and damaged here; save it as UTF-8";
                    return Err(content(&name, Some(line), problem));
                }
            }
        }
        Source::begun(&name, Box::new(Cursor::new(text.into_bytes())), None)
    }

    /// How it begins.
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Appends about this many bytes to `out`; whether there may be more.
    pub fn read_more(&mut self, many: usize, out: &mut Vec<u8>) -> io::Result<bool> {
        let before = out.len();
        out.append(&mut self.beginning);
        let missing = many.saturating_sub(out.len() - before);
        out.reserve(missing);
        let read = self.rest.by_ref().take(missing as u64).read_to_end(out)?;
        Ok(read == missing)
    }

    /// All there is.
    pub fn read_all(mut self) -> Result<Vec<u8>, TableError> {
        let mut bytes = std::mem::take(&mut self.beginning);
        let read = self.rest.read_to_end(&mut bytes);
        read.map_err(|source| unreadable(&self.name, source))?;
        Ok(bytes)
    }

    /// The same as a reader.
    pub fn into_reader(self) -> impl Read + 'a {
        Cursor::new(self.beginning).chain(self.rest)
    }

    pub fn problem(&self, line: Option<u64>, problem: impl Into<String>) -> TableError {
        content(&self.name, line, problem)
    }
}

/// What gzip unpacks. What is wrong with the packed file is told apart from what is wrong with the disk.
struct Unpacked<R>(R);

/// A file that gzip cannot unpack.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Damaged(io::Error);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        self.0.read(out).map_err(|error| match error.kind() {
            InvalidData | InvalidInput | UnexpectedEof => io::Error::new(InvalidData, Damaged(error)),
            _ => error,
        })
    }
}

pub(super) fn unreadable(name: &str, source: io::Error) -> TableError {
    if let Some(damaged) = source.get_ref().and_then(|inner| inner.downcast_ref::<Damaged>()) {
        let problem =
            format!("the file is packed by gzip and damaged ({damaged}); pack it again from a good copy");
        return content(name, None, problem);
    }
    TableError::Io {
        file: name.to_owned(),
        source,
    }
}

pub(super) fn content(name: &str, line: Option<u64>, problem: impl Into<String>) -> TableError {
    TableError::Content {
        file: name.to_owned(),
        line,
        problem: problem.into(),
    }
}

/// What a file is that begins as no table does.
fn no_table(beginning: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 7] = [
        (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
        (
            b"\xd0\xcf\x11\xe0",
            "an Excel workbook or another Office document",
        ),
        (b"%PDF", "a PDF document"),
        (b"\x28\xb5\x2f\xfd", "packed by zstd, which is not unpacked here"),
        (b"BZh", "packed by bzip2, which is not unpacked here"),
        (b"\xfd7zXZ", "packed by xz, which is not unpacked here"),
        (b"SQLite format 3", "an SQLite database"),
    ];
    known
        .into_iter()
        .find(|(magic, _)| beginning.starts_with(magic))
        .map(|(_, what)| what)
}
