//! The formats of table files; `files` tells them apart.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
    /// JSON: an object in each line, an array of objects, or such an array within an object.
    Json,
    /// Apache Parquet.
    Parquet,
    /// A workbook of Excel since 2007, also with macros.
    Xlsx,
    /// A binary workbook of Excel since 2007.
    Xlsb,
    /// A workbook of Excel before 2007.
    Xls,
    /// A workbook of LibreOffice and others: OpenDocument.
    Ods,
    /// A page with tables.
    Html,
    /// An SQLite database.
    Sqlite,
    /// A DuckDB database.
    DuckDb,
}

/// What a format is called, how its files end, and what one of several tables in such a file is.
struct About {
    name: &'static str,
    endings: &'static [&'static str],
    part: &'static str,
}

const fn about(name: &'static str, endings: &'static [&'static str], part: &'static str) -> About {
    About { name, endings, part }
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 15] = [
        Format::Csv,
        Format::Semicolons,
        Format::Tsv,
        Format::Bars,
        Format::WtqCsv,
        Format::WtqTsv,
        Format::Json,
        Format::Parquet,
        Format::Xlsx,
        Format::Xlsb,
        Format::Xls,
        Format::Ods,
        Format::Html,
        Format::Sqlite,
        Format::DuckDb,
    ];

    fn about(self) -> About {
        match self {
            Format::Csv => about("csv", &["csv"], "file"),
            Format::Semicolons => about("semicolons", &[], "file"),
            Format::Tsv => about("tsv", &["tsv", "tab"], "file"),
            Format::Bars => about("bars", &[], "file"),
            Format::WtqCsv => about("wtq-csv", &[], "file"),
            Format::WtqTsv => about("wtq-tsv", &[], "file"),
            Format::Json => about("json", &["json", "jsonl", "ndjson", "geojson"], "array"),
            Format::Parquet => about("parquet", &["parquet", "pq"], "file"),
            Format::Xlsx => about("xlsx", &["xlsx", "xlsm"], "sheet"),
            Format::Xlsb => about("xlsb", &["xlsb"], "sheet"),
            Format::Xls => about("xls", &["xls"], "sheet"),
            Format::Ods => about("ods", &["ods"], "sheet"),
            Format::Html => about("html", &["html", "htm"], "table"),
            Format::Sqlite => about("sqlite", &["sqlite", "sqlite3", "db", "db3"], "table"),
            Format::DuckDb => about("duckdb", &["duckdb", "ddb"], "table"),
        }
    }

    /// What the format is called on the command line.
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// What one of several tables in such a file is called: `sheet`, `table`…
    pub fn part_is_a(self) -> &'static str {
        self.about().part
    }

    /// Whether a file of this name may be a table, packed or not: that is what is looked for in a folder.
    pub fn may_be(name: &str) -> bool {
        let name = name.to_lowercase();
        let name = PACKED
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(&name);
        name.ends_with(".zip") || Format::by_ending(name).is_some()
    }

    pub(crate) fn by_ending(name: &str) -> Option<Format> {
        let (_, ending) = name.rsplit_once('.')?;
        let is_so = |format: &Format| format.about().endings.contains(&ending);
        Format::ALL.into_iter().find(is_so)
    }

    /// Whether its files are text.
    pub(crate) fn is_text(self) -> bool {
        use Format::{Bars, Csv, Html, Json, Semicolons, Tsv, WtqCsv, WtqTsv};
        matches!(
            self,
            Csv | Semicolons | Tsv | Bars | WtqCsv | WtqTsv | Json | Html
        )
    }

    /// The character between two cells, of formats that are no more than that and quotes.
    pub(crate) fn separator(self) -> Option<u8> {
        match self {
            Format::Csv => Some(b','),
            Format::Semicolons => Some(b';'),
            Format::Tsv => Some(b'\t'),
            Format::Bars => Some(b'|'),
            _ => None,
        }
    }
}

/// How packed files end.
pub(crate) const PACKED: [&str; 4] = [".gz", ".zst", ".zstd", ".zip"];

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let name = if name == "jsonl" { "json" } else { name };
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

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        name.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
