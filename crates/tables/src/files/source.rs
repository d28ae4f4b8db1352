//! Where a table's bytes come from: files, standard input and other readers.

use super::TableError;
use super::encoding::Malformed;
use super::largest::too_large;
use super::packing::{Damaged, TooMuch};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::PathBuf;

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
    /// The same once more, where it is a file that can be read at any place.
    pub file: Option<(PathBuf, File)>,
}

/// What can be read at any place.
pub(super) trait Anywhere: Read + Seek + Send {}

impl<T: Read + Seek + Send> Anywhere for T {}

impl<'a> Source<'a> {
    pub fn new(name: &str, reader: impl Read + Send + 'a) -> Result<Self, TableError> {
        let mut rest: Box<dyn Read + Send + 'a> = Box::new(reader);
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
            size: None,
            file: None,
        })
    }

    /// A file; one that is a pipe or the like is read as any other reader.
    pub fn of_file(path: PathBuf, file: File) -> Result<Source<'static>, TableError> {
        let name = path.display().to_string();
        let unreadable = |error| unreadable(&name, error);
        let about = file.metadata().map_err(unreadable)?;
        let again = file.try_clone().map_err(unreadable)?;
        Ok(Source {
            size: about.is_file().then_some(about.len()),
            file: about.is_file().then_some((path, again)),
            ..Source::new(&name, file)?
        })
    }

    /// How it begins.
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Passes over the first of the bytes that are its beginning.
    pub fn pass(&mut self, bytes: usize) {
        self.beginning.drain(..bytes.min(self.beginning.len()));
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
    pub fn into_reader(self) -> impl Read + Send + 'a {
        Cursor::new(self.beginning).chain(self.rest)
    }

    /// The same to be read at any place: the file itself, or all of it in memory.
    pub fn anywhere(mut self) -> Result<Box<dyn Anywhere>, TableError> {
        let Some((_, mut file)) = self.file.take() else {
            return Ok(Box::new(Cursor::new(self.read_all()?)));
        };
        file.rewind().map_err(|error| unreadable(&self.name, error))?;
        Ok(Box::new(BufReader::new(file)))
    }

    pub fn problem(&self, line: Option<u64>, problem: impl Into<String>) -> TableError {
        content(&self.name, line, problem)
    }
}

/// Why bytes did not come: the disk, or what they are packed by or written in.
pub(super) fn unreadable(name: &str, source: io::Error) -> TableError {
    let inner = source.get_ref();
    if let Some(damaged) = inner.and_then(|inner| inner.downcast_ref::<Damaged>()) {
        let problem = format!("the file is {damaged}; pack it again from a good copy");
        return content(name, None, problem);
    }
    if let Some(too_much) = inner.and_then(|inner| inner.downcast_ref::<TooMuch>()) {
        return too_large(name, &too_much.to_string());
    }
    if let Some(malformed) = inner.and_then(|inner| inner.downcast_ref::<Malformed>()) {
        return content(name, Some(malformed.line), malformed.to_string());
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
