//! The formats of table files, and telling them apart.

use super::separated::field_counts;
use std::fmt;
use std::str::FromStr;

/// How a table is written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Cells separated by commas, with quotes doubled inside quoted cells.
    Csv,
    /// The same with semicolons.
    Semicolons,
    /// The same with tabs.
    Tsv,
    /// The same with vertical bars.
    Bars,
    /// WikiTableQuestions' comma-separated files: `\"` and `\\` inside quoted cells.
    WtqCsv,
    /// WikiTableQuestions' tab-separated files: `\n`, `\p` and `\\`, no quotes.
    WtqTsv,
    /// A JSON object in each line, or an array of objects.
    JsonLines,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 8] = [
        Format::Csv,
        Format::Semicolons,
        Format::Tsv,
        Format::Bars,
        Format::WtqCsv,
        Format::WtqTsv,
        Format::JsonLines,
        Format::Parquet,
    ];

    /// What the format is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Semicolons => "semicolons",
            Format::Tsv => "tsv",
            Format::Bars => "bars",
            Format::WtqCsv => "wtq-csv",
            Format::WtqTsv => "wtq-tsv",
            Format::JsonLines => "jsonl",
            Format::Parquet => "parquet",
        }
    }

    /// The character between two cells, of formats that are no more than that and quotes.
    pub(super) fn separator(self) -> Option<u8> {
        match self {
            Format::Csv => Some(b','),
            Format::Semicolons => Some(b';'),
            Format::Tsv => Some(b'\t'),
            Format::Bars => Some(b'|'),
            _ => None,
        }
    }

    /// The format of a file by its name and how it begins. The name says what a file is where it can;
    /// WikiTableQuestions' escapes are known by a `\"` in the middle of a cell, which ordinary files
    /// cannot have. `whole` says whether the beginning is all there is.
    pub(super) fn detect(name: &str, beginning: &[u8], whole: bool) -> Format {
        if beginning.starts_with(b"PAR1") {
            return Format::Parquet;
        }
        let name = name.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("tsv" | "tab") => return Format::Tsv,
            Some("jsonl" | "ndjson" | "json") => return Format::JsonLines,
            Some("parquet" | "pq") => return Format::Parquet,
            Some("csv") => {}
            _ if begins_with_an_object(beginning) => return Format::JsonLines,
            _ => {}
        }
        let escaped_quote = |window: &[u8]| window.starts_with(b"\\\"") && !b",\t\r\n\"".contains(&window[2]);
        match separated_by(beginning, whole) {
            Format::Csv if beginning.windows(3).any(escaped_quote) => Format::WtqCsv,
            format => format,
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| {
            let names = Format::ALL.map(Format::name);
            let (last, names) = names
                .split_last()
                .map_or(("", &[][..]), |(last, names)| (*last, names));
            format!("unknown format '{name}'; it is {} or {last}", names.join(", "))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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

/// The format whose separator gives the first rows equally many cells, and more than one; commas if there is
/// none or they do too.
fn separated_by(beginning: &[u8], whole: bool) -> Format {
    let candidates = [Format::Csv, Format::Tsv, Format::Semicolons, Format::Bars];
    let is_even = |format: &Format| {
        let counts = field_counts(beginning, format.separator().unwrap_or(b','), LOOKED_AT, whole);
        counts.len() > 1 && counts[0] > 1 && counts.iter().all(|count| *count == counts[0])
    };
    let first_line = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let by_header = || match first_line.contains(&b',') {
        true => None,
        false => candidates
            .into_iter()
            .find(|format| first_line.contains(&format.separator().unwrap_or(b','))),
    };
    candidates
        .into_iter()
        .find(is_even)
        .or_else(by_header)
        .unwrap_or(Format::Csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn detected(name: &str, beginning: &str, expected: Format) {
        assert_eq!(
            Format::detect(name, beginning.as_bytes(), true),
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
        detected("x.json", "", Format::JsonLines);
        detected("-", " {\"a\": 1}\n", Format::JsonLines);
        detected("-", "[\n {\"a\": 1}]", Format::JsonLines);
        detected("x.csv", "{\"a\"},b\n1,2\n", Format::Csv);
        detected("-", "{a},b\n1,2\n", Format::Csv);
        detected("-", "PAR1\u{15}", Format::Parquet);
        detected("x.csv", "a,b\n\"say \\\"x\\\" y\",2\n", Format::WtqCsv);
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
    }

    #[test]
    fn a_row_that_is_cut_off_says_nothing() {
        assert_eq!(Format::detect("x", b"a;b\n1;2\n3", false), Format::Semicolons);
    }
}
