//! Telling formats apart, by how files begin and what they are called.

use super::html::is_page;
use super::separated::field_counts;
use crate::format::{Format, PACKED};

impl Format {
    /// The format of a file that is not text, by its first bytes.
    pub(super) fn of_binary(beginning: &[u8]) -> Option<Format> {
        match beginning {
            [b'P', b'A', b'R', b'1', ..] => Some(Format::Parquet),
            [0xd0, 0xcf, 0x11, 0xe0, ..] => Some(Format::Xls),
            _ if beginning.starts_with(b"SQLite format 3\0") => Some(Format::Sqlite),
            // A checksum comes first.
            _ if beginning.get(8..12) == Some(b"DUCK") => Some(Format::DuckDb),
            _ => None,
        }
    }

    /// The format of a file that is text, by how it begins and, where that leaves it open, by its name.
    /// WikiTableQuestions' escapes are known by a `\"` in the middle of a cell, which ordinary files
    /// cannot have. `whole` says whether the beginning is all there is.
    pub(super) fn of_text(name: &str, beginning: &[u8], whole: bool) -> Format {
        let name = name.to_lowercase();
        let name = PACKED
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(&name);
        let by_ending = Format::by_ending(name);
        if is_page(beginning) {
            return Format::Html;
        }
        match by_ending {
            Some(format @ (Format::Tsv | Format::Json | Format::Html)) => return format,
            Some(Format::Csv) => {}
            _ if begins_with_an_object(beginning) => return Format::Json,
            _ => {}
        }
        let escaped_quote = |window: &[u8]| window.starts_with(b"\\\"") && !b",\t\r\n\"".contains(&window[2]);
        match separated_by(beginning, whole) {
            Format::Csv if beginning.windows(3).any(escaped_quote) => Format::WtqCsv,
            format => format,
        }
    }

    /// The format that a name promises, of files that are not text.
    pub(super) fn promised(name: &str) -> Option<Format> {
        Format::by_ending(&name.to_lowercase()).filter(|format| !format.is_text())
    }
}

fn begins_with_an_object(beginning: &[u8]) -> bool {
    let mut bytes = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    let first = match bytes.next() {
        Some(b'[') => bytes.next(),
        first => first,
    };
    first == Some(&b'{') && matches!(bytes.next(), Some(b'"' | b'}'))
}

/// Rows that are looked at to find the separator.
const LOOKED_AT: usize = 20;

/// The format whose separator gives the first rows equally many cells, and more than one; where titles or notes stand
/// above, the one that does so from the earliest row on. Commas if there is none or they do too.
fn separated_by(beginning: &[u8], whole: bool) -> Format {
    let candidates = [Format::Csv, Format::Tsv, Format::Semicolons, Format::Bars];
    // How many of the rows, from the last one looked at upwards, have equally many cells.
    let even = |format: Format| {
        let counts = field_counts(beginning, format.separator().unwrap_or(b','), LOOKED_AT, whole);
        match counts.last() {
            Some(last) if *last > 1 => {
                let even = counts.iter().rev().take_while(|count| *count == last).count();
                (even, counts.len())
            }
            _ => (0, counts.len()),
        }
    };
    let is_even = |format: &Format| matches!(even(*format), (even, all) if even == all && all > 1);
    let first_line = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let by_header = || match first_line.contains(&b',') {
        true => None,
        false => candidates
            .into_iter()
            .find(|format| first_line.contains(&format.separator().unwrap_or(b','))),
    };
    let below_notes = || {
        let best = candidates.into_iter().rev().max_by_key(|format| even(*format).0);
        best.filter(|format| even(*format).0 > 2)
    };
    candidates
        .into_iter()
        .find(is_even)
        .or_else(below_notes)
        .or_else(by_header)
        .unwrap_or(Format::Csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn detected(name: &str, beginning: &str, expected: Format) {
        assert_eq!(
            Format::of_text(name, beginning.as_bytes(), true),
            expected,
            "{name} {beginning:?}"
        );
    }

    #[test]
    fn formats_are_known_by_name_or_by_how_the_file_begins() {
        detected("x.csv", "a,b\n1,2\n", Format::Csv);
        detected("x.csv", "a;b\n1,5;2\n1,7;3\n", Format::Semicolons);
        detected("-", "a\tb\n1, 2, 3\t4\n", Format::Tsv);
        detected("x.txt", "a|b\n1|2\n", Format::Bars);
        detected("x.csv", "name\nonly, one\n", Format::Csv);
        detected("x.csv", "a;b,c\n\"1;,\",2\n", Format::Csv);
        detected("x.csv", "a;b;c\n1\n", Format::Semicolons);
        detected("x.csv.gz", "a,b\n", Format::Csv);
        detected("x.TSV", "a, b\tc\n", Format::Tsv);
        detected("x.tsv.gz", "a\n", Format::Tsv);
        detected("x.json", "", Format::Json);
        detected("-", " {\"a\": 1}\n", Format::Json);
        detected("-", "[\n {\"a\": 1}]", Format::Json);
        detected("x.csv", "{\"a\"},b\n1,2\n", Format::Csv);
        detected("-", "{a},b\n1,2\n", Format::Csv);
        assert_eq!(Format::of_binary(b"PAR1\x15"), Some(Format::Parquet));
        assert_eq!(Format::of_binary(b"12345678DUCK@"), Some(Format::DuckDb));
        detected("x.xls", " <TABLE border=1><tr>", Format::Html);
        detected(
            "x.csv",
            "Sales\nas of May\n\na;b\n1,5;2,5\n1,7;3,1\n",
            Format::Semicolons,
        );
        detected("x.csv", "a,b\n\"say \\\"x\\\" y\",2\n", Format::WtqCsv);
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
    }

    #[test]
    fn a_row_that_is_cut_off_says_nothing() {
        assert_eq!(Format::of_text("x", b"a;b\n1;2\n3", false), Format::Semicolons);
    }
}
