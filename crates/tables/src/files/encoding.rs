//! The encodings of text: found by a byte order mark, by zeros, or because bytes are no UTF-8.

use super::TableError;
use super::source::Source;
use super::told::TextEncoding;
use encoding_rs::{Decoder, DecoderResult, UTF_8, UTF_16BE, UTF_16LE};
use std::io::{self, Read};

/// Makes UTF-8 of a text, and says what it was. Text without a mark that is no UTF-8 from its first letter beyond ASCII on
/// is taken for Windows-1252, which is what Excel writes in the west of Europe; later ones are refused by whoever
/// reads them.
pub(super) fn in_utf8(
    mut source: Source<'_>,
    told: Option<TextEncoding>,
) -> Result<(Source<'_>, TextEncoding), TableError> {
    if let Some(what) = no_table(source.beginning()) {
        let advice = "save the table as CSV, .xlsx, JSON or Parquet";
        return Err(source.problem(None, format!("the file is {what}; {advice}")));
    }
    let (marked, length) = match source.beginning() {
        [0xef, 0xbb, 0xbf, ..] => (Some(UTF_8), 3),
        [0xff, 0xfe, ..] => (Some(UTF_16LE), 2),
        [0xfe, 0xff, ..] => (Some(UTF_16BE), 2),
        beginning => (by_zeros(beginning), 0),
    };
    let found = match (told, marked) {
        (Some(told), _) => told.0,
        (None, Some(marked)) => marked,
        (None, None) if is_windows(source.beginning(), source.whole) => TextEncoding::WINDOWS.0,
        (None, None) => UTF_8,
    };
    if marked == Some(found) {
        source.pass(length);
    }
    if found == UTF_8 {
        return Ok((source, TextEncoding(UTF_8)));
    }
    let name = source.name.clone();
    let decoded = Decoded {
        reader: Box::new(source.into_reader()),
        decoder: found.new_decoder_without_bom_handling(),
        raw: Vec::new(),
        text: Vec::new(),
        at: 0,
        is_over: false,
        line: 1,
        encoding: found.name(),
    };
    Ok((Source::new(&name, decoded)?, TextEncoding(found)))
}

/// Whether the first bytes of a text beyond ASCII are no UTF-8 but may be Windows-1252. What is cut off at the end of a text
/// that is not whole is no error.
pub(super) fn is_windows(bytes: &[u8], whole: bool) -> bool {
    let Some(first) = bytes.iter().position(|byte| !byte.is_ascii()) else {
        return false;
    };
    let is_damaged = match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.valid_up_to() == first && (whole || error.error_len().is_some()),
    };
    let is_no_letter = |byte: &u8| matches!(byte, 0x00 | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
    is_damaged && !bytes.iter().any(is_no_letter)
}

/// UTF-16 without a mark: every other byte of most letters is zero.
fn by_zeros(beginning: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let pairs = beginning.chunks_exact(2);
    let all = pairs.len();
    let first = pairs.clone().filter(|pair| pair[0] == 0).count();
    let second = pairs.filter(|pair| pair[1] == 0).count();
    match all >= 4 {
        true if second * 2 > all && first * 20 < all => Some(UTF_16LE),
        true if first * 2 > all && second * 20 < all => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether a text is in UTF-16.
pub(super) fn is_utf_16(beginning: &[u8]) -> bool {
    matches!(beginning, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || by_zeros(beginning).is_some()
}

/// Text that is not in its encoding.
#[derive(Debug, thiserror::Error)]
#[error("the file is in {encoding} and damaged here; save it as UTF-8, or name its encoding with --encoding")]
pub(super) struct Malformed {
    pub line: u64,
    encoding: &'static str,
}

/// A text that becomes UTF-8 while it is read.
struct Decoded<'a> {
    reader: Box<dyn Read + Send + 'a>,
    decoder: Decoder,
    raw: Vec<u8>,
    /// What was decoded, and how much of it was handed on.
    text: Vec<u8>,
    at: usize,
    is_over: bool,
    line: u64,
    encoding: &'static str,
}

impl Decoded<'_> {
    /// Decodes some more.
    fn go_on(&mut self) -> io::Result<()> {
        const ONCE: u64 = 1 << 16;
        self.raw.clear();
        self.is_over = self.reader.by_ref().take(ONCE).read_to_end(&mut self.raw)? == 0;
        let most = self
            .decoder
            .max_utf8_buffer_length_without_replacement(self.raw.len());
        self.text.resize(most.unwrap_or(4 * self.raw.len() + 64), 0);
        self.at = 0;
        let (result, _, written) =
            self.decoder
                .decode_to_utf8_without_replacement(&self.raw, &mut self.text, self.is_over);
        self.text.truncate(written);
        self.line += memchr::memchr_iter(b'\n', &self.text).count() as u64;
        match result {
            DecoderResult::Malformed(..) => {
                let (line, encoding) = (self.line, self.encoding);
                Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    Malformed { line, encoding },
                ))
            }
            DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
        }
    }
}

impl Read for Decoded<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.is_over {
            self.go_on()?;
        }
        let many = out.len().min(self.text.len() - self.at);
        out[..many].copy_from_slice(&self.text[self.at..self.at + many]);
        self.at += many;
        Ok(many)
    }
}

/// What a file is that begins as no table does.
fn no_table(beginning: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 7] = [
        (b"%PDF", "a PDF document"),
        (b"{\\rtf", "a text document (RTF)"),
        (b"BZh", "packed by bzip2, which is not unpacked here"),
        (b"\xfd7zXZ", "packed by xz, which is not unpacked here"),
        (
            b"7z\xbc\xaf\x27\x1c",
            "packed by 7-Zip, which is not unpacked here",
        ),
        (b"\x89PNG", "a picture"),
        (b"\xff\xd8\xff", "a picture"),
    ];
    known
        .into_iter()
        .find(|(magic, _)| beginning.starts_with(magic))
        .map(|(_, what)| what)
}
