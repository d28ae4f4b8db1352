//! Where what people say about answers is kept: beside the file of a table, or, for a table that has none here, in a
//! folder of its own under the one that the server was given for that.

use crate::error::Problem;
use crate::limits::bytes;
use axum::body::Bytes;
use axum::http::StatusCode;
use mapo_datasets::corrections::{Correction, Kept, beside, count, learnt_beside};
use mapo_tables::{LoadOptions, Table};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The place of a table's corrections.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    /// The table's file; that of an upload is written with the first correction.
    file: PathBuf,
    /// How it is read.
    reading: LoadOptions,
    /// The content of an upload.
    content: Option<Bytes>,
    /// The folder that holds what is kept for strangers, and the most bytes of all of it.
    shelf: Option<(PathBuf, u64)>,
}

impl Home {
    /// Beside a file.
    pub fn beside(file: &Path, reading: &LoadOptions) -> Self {
        Home {
            file: file.to_owned(),
            reading: reading.clone(),
            content: None,
            shelf: None,
        }
    }

    /// For a table of which there is only the content: a folder that follows from its name, its content and how it is
    /// read, so that whoever brings the same file again finds it. All such folders together take no more bytes than `most`.
    pub fn under(folder: &Path, most: usize, name: &str, content: Bytes, reading: &LoadOptions) -> Self {
        let mut sum = Sha256::new();
        sum.update(&content);
        for (what, said) in reading.said() {
            sum.update(format!("\0{what}={said}"));
        }
        let sum: String = sum
            .finalize()
            .iter()
            .take(12)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = plain_name(name);
        Home {
            file: folder.join(format!("{name}-{sum}")).join(&name),
            reading: reading.clone(),
            content: Some(content),
            shelf: Some((folder.to_owned(), most as u64)),
        }
    }

    /// The file of corrections.
    pub fn corrections(&self) -> PathBuf {
        beside(&self.file)
    }

    /// The model that learnt from them, if there is one.
    pub fn learnt(&self) -> Option<PathBuf> {
        learnt_beside(&self.file)
    }

    /// Bytes that are held in memory for it.
    pub fn bytes(&self) -> usize {
        self.content.as_ref().map_or(0, Bytes::len)
    }

    /// How many corrections there are.
    pub fn count(&self) -> usize {
        count(&self.corrections())
    }

    /// Keeps a correction, and the table where it is nowhere else.
    pub fn keep(&self, table: &Table, question: &str, answer: Vec<String>) -> Result<Kept, Problem> {
        let unusable = |error: mapo_datasets::DatasetError| Problem::unusable(error.to_string());
        let correction =
            Correction::new(&self.file, &self.reading, table, question, answer).map_err(unusable)?;
        let is_new = !self.file.exists();
        if let Some((folder, most)) = &self.shelf {
            let own = if is_new { self.bytes() as u64 } else { 0 };
            if size(folder) + own > *most {
                return Err(Problem::new(
                    StatusCode::INSUFFICIENT_STORAGE,
                    format!(
                        "there is no room for more corrections: {} may be kept here; whoever runs the server can allow more with \
                         --max-corrections, or remove some",
                        bytes(*most as usize)
                    ),
                ));
            }
        }
        if let (Some(content), Some(folder)) = (&self.content, self.file.parent())
            && is_new
        {
            let failed = |problem: String| {
                Problem::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    format!("the table cannot be kept for its corrections: {problem}"),
                )
            };
            std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
            mapo_files::write(&self.file, content).map_err(|error| failed(error.to_string()))?;
        }
        correction.keep(&self.corrections()).map_err(unusable)
    }
}

/// Bytes of the files in the folders of a folder.
fn size(folder: &Path) -> u64 {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries(folder).flat_map(|entry| entries(&entry.path()));
    sizes
        .filter_map(|entry| entry.metadata().ok())
        .map(|about| about.len())
        .sum()
}

/// A name that is one on every system, and none of those that are ours.
fn plain_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "._- ".contains(c) {
            c
        } else {
            '_'
        }
    };
    let plain: String = name.chars().map(plain).take(80).collect();
    let plain = plain.trim_matches([' ', '.']);
    match plain.is_empty() || plain.starts_with("mapo-") {
        true => format!("table-{plain}"),
        false => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_has_a_folder_that_only_the_same_file_leads_to() {
        let folder = Path::new("kept");
        let home = |name: &str, content: &'static [u8], header: Option<&str>| {
            let mut reading = LoadOptions::default();
            if let Some(header) = header {
                reading.tell("header", header).unwrap();
            }
            Home::under(folder, 1_000, name, Bytes::from_static(content), &reading).file
        };
        let one = home("a.csv", b"A\n1\n", None);
        assert_eq!(one, home("a.csv", b"A\n1\n", None));
        assert!(
            one.starts_with("kept") && one.ends_with("a.csv"),
            "{}",
            one.display()
        );
        assert_eq!(one.components().count(), 3);
        for other in [
            home("b.csv", b"A\n1\n", None),
            home("a.csv", b"A\n2\n", None),
            home("a.csv", b"A\n1\n", Some("none")),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn names_lead_nowhere_else() {
        for (given, plain) in [
            ("people.csv", "people.csv"),
            ("..", "table-"),
            ("a:b|c?.csv", "a_b_c_.csv"),
            (".hidden", "hidden"),
            ("mapo-corrections.jsonl", "table-mapo-corrections.jsonl"),
            ("Größe 2.xlsx", "Größe 2.xlsx"),
        ] {
            assert_eq!(plain_name(given), plain);
        }
    }

    #[test]
    fn the_table_is_kept_with_its_first_correction() {
        let folder = tempfile::tempdir().unwrap();
        let content = b"Town,Sales\nOslo,3\nRome,4\n";
        let table = Table::from_reader("t.csv", &content[..], &LoadOptions::default()).unwrap();
        let home = |most: usize, content: &'static [u8]| {
            let content = Bytes::from_static(content);
            Home::under(folder.path(), most, "t.csv", content, &LoadOptions::default())
        };
        let other = home(1_000, b"Town\nOslo\n");
        let home = home(1_000, content);
        assert_eq!(home.count(), 0);
        assert!(
            std::fs::read_dir(folder.path()).unwrap().next().is_none(),
            "nothing is kept yet"
        );
        let kept = home
            .keep(&table, "which town sold the most?", vec!["Rome".to_owned()])
            .unwrap();
        assert_eq!((kept.corrections, home.count()), (1, 1));
        assert_eq!(std::fs::read(&home.file).unwrap(), content);
        assert!(home.keep(&table, "which town?", Vec::new()).is_err());
        assert_eq!(home.count(), 1);
        // There is room for some only, and what is there stays.
        let more = |home: &Home, number: usize| {
            home.keep(
                &table,
                &format!("which town is number {number}?"),
                vec!["Rome".to_owned()],
            )
        };
        let kept = (0..100).take_while(|number| more(&home, *number).is_ok()).count();
        assert!((5..20).contains(&kept), "{kept}");
        assert!(more(&other, 0).is_err());
        assert!(!other.file.exists());
        assert_eq!(home.count(), kept + 1);
    }
}
