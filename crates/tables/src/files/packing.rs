//! Files that are packed: by gzip, by zstd, or in a ZIP archive. What is unpacked is counted on the way, so that a small
//! file cannot become more than there may be.

use super::source::{Source, content, unreadable};
use super::{Format, LoadOptions, TableError};
use crate::decisions::{Decisions, listed};
use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Archives within archives are followed so far.
const DEEPEST: usize = 4;

/// Unpacks a file as often as it is packed. A workbook, which is an archive too, stays as it is.
pub(super) fn unpacked<'a>(
    mut source: Source<'a>,
    options: &mut LoadOptions,
    decisions: &mut Decisions,
) -> Result<Source<'a>, TableError> {
    for _ in 0..DEEPEST {
        let name = source.name.clone();
        let most = options.largest.unpacked();
        let unreadable = |error| unreadable(&name, error);
        source = match source.beginning() {
            [0x1f, 0x8b, ..] => {
                decisions.packed.push("gzip".to_owned());
                let reader = MultiGzDecoder::new(source.into_reader());
                Source::new(&name, Counted::new(reader, "gzip", most))?
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                decisions.packed.push("zstd".to_owned());
                let reader = zstd::stream::read::Decoder::new(source.into_reader()).map_err(unreadable)?;
                Source::new(&name, Counted::new(reader, "zstd", most))?
            }
            [b'P', b'K', 3, 4, ..] if options.format.is_none_or(|format| !is_archive(format)) => {
                let archive = Archive::open(&name, source)?;
                if let Some(format) = archive.workbook()? {
                    options.format = Some(format);
                    return archive.into_source();
                }
                decisions.packed.push("zip".to_owned());
                archive.choose(options, decisions)?
            }
            _ => return Ok(source),
        };
    }
    Err(source.problem(None, "it is packed again and again; unpack it first"))
}

/// Whether files of a format are archives themselves.
fn is_archive(format: Format) -> bool {
    matches!(format, Format::Xlsx | Format::Xlsb | Format::Ods)
}

/// A file that cannot be unpacked.
#[derive(Debug, thiserror::Error)]
#[error("packed by {packing} and damaged ({why})")]
pub(super) struct Damaged {
    packing: &'static str,
    why: io::Error,
}

/// A file that unpacks to too much.
#[derive(Debug, thiserror::Error)]
#[error("it is packed by {packing} and unpacks to more than {most} bytes")]
pub(super) struct TooMuch {
    packing: &'static str,
    most: u64,
}

/// What is unpacked, counted. What is wrong with the packed file is told apart from what is wrong with the disk.
struct Counted<R> {
    reader: R,
    packing: &'static str,
    most: u64,
    left: u64,
}

impl<R> Counted<R> {
    fn new(reader: R, packing: &'static str, most: u64) -> Self {
        Counted {
            reader,
            packing,
            most,
            left: most,
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
        let packing = self.packing;
        let read = self.reader.read(out).map_err(|error| match error.kind() {
            InvalidData | InvalidInput | UnexpectedEof | Other if error.raw_os_error().is_none() => {
                io::Error::new(InvalidData, Damaged { packing, why: error })
            }
            _ => error,
        })?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                let most = self.most;
                return Err(io::Error::other(TooMuch { packing, most }));
            }
        }
        Ok(read)
    }
}

/// A ZIP archive, which may be a workbook.
struct Archive<'a> {
    name: &'a str,
    zip: ZipArchive<Cursor<Vec<u8>>>,
}

impl<'a> Archive<'a> {
    fn open(name: &'a str, source: Source<'_>) -> Result<Self, TableError> {
        let bytes = source.read_all()?;
        match ZipArchive::new(Cursor::new(bytes)) {
            Ok(zip) => Ok(Archive { name, zip }),
            Err(error) => Err(damaged(name, &error)),
        }
    }

    fn into_source(self) -> Result<Source<'static>, TableError> {
        // From its beginning again.
        Source::new(self.name, Cursor::new(self.zip.into_inner().into_inner()))
    }

    /// Which kind of workbook it is, if it is one.
    fn workbook(&self) -> Result<Option<Format>, TableError> {
        let has = |name: &str| self.zip.index_for_name(name).is_some();
        if has("word/document.xml") || has("ppt/presentation.xml") {
            let problem =
                "the file is an Office document that is no workbook; save its table as .xlsx or CSV";
            return Err(content(self.name, None, problem));
        }
        Ok(match () {
            () if has("xl/workbook.xml") => Some(Format::Xlsx),
            () if has("xl/workbook.bin") => Some(Format::Xlsb),
            () if has("mimetype") && has("content.xml") => Some(Format::Ods),
            () => None,
        })
    }

    /// Unpacks the file that is asked for, or the largest that may be a table.
    fn choose(
        mut self,
        options: &mut LoadOptions,
        decisions: &mut Decisions,
    ) -> Result<Source<'static>, TableError> {
        let mut files = Vec::new();
        for index in 0..self.zip.len() {
            let entry = self
                .zip
                .by_index_raw(index)
                .map_err(|error| damaged(self.name, &error))?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let last = name.rsplit('/').next().unwrap_or_default();
            if entry.is_file() && !last.starts_with('.') && !name.starts_with("__MACOSX/") {
                files.push((index, name, entry.size()));
            }
        }
        if files.len() > 1 {
            files.retain(|(_, name, _)| Format::may_be(name));
        }
        let names: Vec<&str> = files.iter().map(|(_, name, _)| name.as_str()).collect();
        let asked = options.part.clone();
        let is_asked = |name: &str| {
            let last = name.rsplit('/').next().unwrap_or_default();
            asked
                .as_deref()
                .is_some_and(|asked| asked == name || asked == last)
        };
        let chosen = match (&files[..], files.iter().find(|(_, name, _)| is_asked(name))) {
            ([], _) => {
                let problem = "the archive holds no table; put a CSV file or a workbook into it";
                return Err(content(self.name, None, problem));
            }
            (_, Some(chosen)) => {
                // It was the name of the file, not of what is in it.
                options.part = None;
                chosen
            }
            ([only], None) => only,
            (_, None) if asked.is_some() => {
                let asked = asked.unwrap_or_default();
                let problem = format!("the archive has no table '{asked}'; it has {}", listed(&names));
                return Err(content(self.name, None, problem));
            }
            (files, None) => files
                .iter()
                .max_by_key(|(index, _, size)| (*size, usize::MAX - index))
                .unwrap_or(&files[0]),
        };
        let (index, name, _) = chosen.clone();
        if files.len() > 1 {
            decisions.notes.push(format!(
                "of the archive's {} files '{name}' is read{}",
                files.len(),
                if asked.is_some() {
                    ""
                } else {
                    ", the largest; --table names another"
                },
            ));
        }
        decisions.packed.push(format!("zip, as '{name}'"));
        decisions.packed.retain(|packing| packing != "zip");
        let within = format!("{}, {name}", self.name);
        let entry = self
            .zip
            .by_index(index)
            .map_err(|error| damaged(self.name, &error))?;
        let mut bytes = Vec::new();
        Counted::new(entry, "zip", options.largest.unpacked())
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(self.name, error))?;
        Source::new(&within, Cursor::new(bytes))
    }
}

fn damaged(name: &str, error: &ZipError) -> TableError {
    let problem = match error {
        ZipError::UnsupportedArchive(what) if what.to_string().contains("assword") => {
            "the archive is locked by a password; unpack it first".to_owned()
        }
        error => format!(
            "the file is packed by zip and cannot be unpacked ({error}); unpack it first, or pack it again"
        ),
    };
    content(name, None, problem)
}
