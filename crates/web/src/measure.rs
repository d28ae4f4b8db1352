//! How large a table will be, before it is made: a small file can stand for an enormous table.
//!
//! Short lines below a long header, objects with ever new keys, and packed columns of one value repeated are
//! all a few bytes for very many cells. Such files are refused while they are still small.

use crate::error::Problem;
use axum::body::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    pub rows: usize,
    pub columns: usize,
}

impl Measure {
    pub fn cells(self) -> usize {
        self.rows.saturating_mul(self.columns)
    }
}

/// About the size of the table in a file, at least if it has more than `enough` cells. What is no table is
/// told by whoever reads it, not here.
pub(crate) fn measure(name: &str, content: &Bytes, enough: usize) -> Result<Measure, Problem> {
    if content.starts_with(&[0x1f, 0x8b]) {
        return Err(Problem::unusable(format!(
            "{name}: the file is packed by gzip; unpack it first"
        )));
    }
    let name = name.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let first = content.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(if content.starts_with(b"PAR1") || ends(&[".parquet", ".pq"]) {
        of_parquet(content)
    } else if matches!(first, Some(b'{' | b'[')) && !ends(&[".csv", ".tsv"]) {
        of_json(content, enough)
    } else {
        of_lines(content)
    })
}

/// Lines times the cells of the first. Quoted line ends make this too much, never too little.
fn of_lines(content: &[u8]) -> Measure {
    let header = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let cells_of = |separator: u8| header.iter().filter(|byte| **byte == separator).count() + 1;
    Measure {
        rows: content.iter().filter(|byte| **byte == b'\n').count(),
        columns: [b',', b'\t', b';', b'|']
            .into_iter()
            .map(cells_of)
            .max()
            .unwrap_or(1),
    }
}

/// What the file says about itself.
fn of_parquet(content: &Bytes) -> Measure {
    // A damaged file can make the reader panic.
    let read = catch_unwind(AssertUnwindSafe(|| {
        let reader = SerializedFileReader::new(content.clone()).ok()?;
        let about = reader.metadata().file_metadata();
        Some(Measure {
            rows: usize::try_from(about.num_rows()).unwrap_or(usize::MAX),
            columns: about.schema().get_fields().len(),
        })
    }));
    read.ok().flatten().unwrap_or_default()
}

/// Objects and their different keys, until that is enough or something is wrong.
fn of_json(content: &[u8], enough: usize) -> Measure {
    let mut objects = Objects {
        enough,
        ..Objects::default()
    };
    let mut reader = serde_json::Deserializer::from_slice(content);
    while !objects.is_enough() && reader.end().is_err() {
        if objects.deserialize(&mut reader).is_err() {
            break;
        }
    }
    objects.measure()
}

#[derive(Default)]
struct Objects {
    rows: usize,
    keys: HashSet<String>,
    enough: usize,
}

impl Objects {
    fn measure(&self) -> Measure {
        Measure {
            rows: self.rows,
            columns: self.keys.len(),
        }
    }

    fn is_enough(&self) -> bool {
        self.measure().cells() > self.enough
    }
}

impl<'de> DeserializeSeed<'de> for &mut Objects {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Objects {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.rows += 1;
        while let Some(key) = map.next_key::<String>()? {
            self.keys.insert(key);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(&mut *self)?.is_some() {
            if self.is_enough() {
                return Err(serde::de::Error::custom("enough"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, content: &str, enough: usize) -> (usize, usize) {
        let content = Bytes::copy_from_slice(content.as_bytes());
        let measure = measure(name, &content, enough).unwrap();
        (measure.rows, measure.columns)
    }

    #[test]
    fn tables_are_measured_in_every_format() {
        assert_eq!(measured("t.csv", "a,b\n1,2\n3,4\n", 100), (3, 2));
        assert_eq!(measured("t.tsv", "a\tb\tc\n1\t2\t3\n", 100), (2, 3));
        let objects = "{\"a\":1,\"b\":[{\"x\":2}]}\n{\"c\":3}\n";
        assert_eq!(measured("t.jsonl", objects, 100), (2, 3));
        assert_eq!(measured("t.json", "[{\"a\":1}, {\"a\":2}]", 100), (2, 1));
        // What is broken is measured as far as it goes, and what is too large no further than it must.
        assert_eq!(measured("t.jsonl", "{\"a\":1}\n{\"a\":", 100), (2, 1));
        let many: String = (0..1_000).map(|n| format!("{{\"k{n}\":1}}\n")).collect();
        assert_eq!(measured("t.jsonl", &many, 100), (11, 11));
        assert_eq!(measured("t.parquet", "PAR1 and nothing else", 100), (0, 0));
        assert!(measure("t.csv.gz", &Bytes::from_static(b"\x1f\x8b\x08\0"), 100).is_err());
    }
}
