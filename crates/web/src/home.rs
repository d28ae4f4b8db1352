//! Where what people say about answers is kept: beside the file of a table, or, for a table that has none here, in a
//! folder of its own under the one that the server was given for that.

use crate::error::Problem;
use crate::shelf::Shelf;
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
    /// The content of an upload, and where it is kept.
    upload: Option<(Bytes, Shelf)>,
}

/// Bytes that a correction may take beside its question and answer: names, signs, how the file was read.
const AROUND: usize = 1_000;

impl Home {
    /// Beside a file.
    pub fn beside(file: &Path, reading: &LoadOptions) -> Self {
        Home {
            file: file.to_owned(),
            reading: reading.clone(),
            upload: None,
        }
    }

    /// For a table of which there is only the content: a folder that follows from its name, its content and how it is
    /// read, so that whoever brings the same file again finds it.
    pub fn under(shelf: &Shelf, name: &str, content: Bytes, reading: &LoadOptions) -> Self {
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
            file: shelf.folder().join(format!("{name}-{sum}")).join(&name),
            reading: reading.clone(),
            upload: Some((content, shelf.clone())),
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
        self.upload.as_ref().map_or(0, |(content, _)| content.len())
    }

    /// Says no where so many bytes more have no room.
    pub fn has_room(&self, more: usize) -> Result<(), Problem> {
        match &self.upload {
            Some((_, shelf)) => shelf.has_room(more),
            None => Ok(()),
        }
    }

    /// How many corrections there are.
    pub fn count(&self) -> usize {
        count(&self.corrections())
    }

    /// Keeps a correction, and the table where it is nowhere else.
    pub fn keep(&self, table: &Table, question: &str, answer: Vec<String>) -> Result<Kept, Problem> {
        let unusable = |error: mapo_datasets::DatasetError| Problem::unusable(error.to_string());
        let is_new = self.upload.is_some() && !self.file.exists();
        let said = question.len() + answer.iter().map(String::len).sum::<usize>() + AROUND;
        self.has_room(said + if is_new { self.bytes() } else { 0 })?;
        let correction =
            Correction::new(&self.file, &self.reading, table, question, answer).map_err(unusable)?;
        if let (Some((content, _)), Some(folder), true) = (&self.upload, self.file.parent(), is_new) {
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

/// A name that is one on every system, and none of those that are ours.
fn plain_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "._- ".contains(c) {
            c
        } else {
            '_'
        }
    };
    let plain = cut(name.chars().map(plain).collect());
    let plain = plain.trim_matches([' ', '.']);
    match plain.is_empty() || plain.starts_with("mapo-") {
        true => format!("table-{plain}"),
        false => plain.to_owned(),
    }
}

/// A name that file systems take, with its ending, which may say what the file is.
fn cut(name: String) -> String {
    const CHARACTERS: usize = 80;
    const BYTES: usize = 160;
    const BEGINNING: usize = 25;
    const ENDING: usize = 15;
    let count = name.chars().count();
    if count <= CHARACTERS && name.len() <= BYTES {
        return name;
    }
    let ending = name.chars().skip(count.saturating_sub(ENDING).max(BEGINNING));
    name.chars().take(BEGINNING).chain(ending).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_has_a_folder_that_only_the_same_file_leads_to() {
        let shelf = Shelf::new(PathBuf::from("kept"), 1 << 20);
        let home = |name: &str, content: &'static [u8], header: Option<&str>| {
            let mut reading = LoadOptions::default();
            if let Some(header) = header {
                reading.tell("header", header).unwrap();
            }
            Home::under(&shelf, name, Bytes::from_static(content), &reading).file
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
        // Long ones keep their ending, and are short enough whatever letters they have.
        for letter in ["a", "ö", "𠀀"] {
            let long = plain_name(&format!("{}.csv.gz", letter.repeat(300)));
            assert!(long.len() <= 160 && long.ends_with(".csv.gz"), "{long}");
        }
    }

    #[test]
    fn the_table_is_kept_with_its_first_correction() {
        let folder = tempfile::tempdir().unwrap();
        let content = b"Town,Sales\nOslo,3\nRome,4\n";
        let table = Table::from_reader("t.csv", &content[..], &LoadOptions::default()).unwrap();
        let shelf = Shelf::new(folder.path().to_owned(), 5_000);
        let home = Home::under(
            &shelf,
            "t.csv",
            Bytes::from_static(content),
            &LoadOptions::default(),
        );
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
        // More than the folder may hold is not kept, and what is there stays.
        assert!(home.keep(&table, "which town?", vec!["x".repeat(5_000)]).is_err());
        std::fs::write(folder.path().join("t.csv-other"), "no folder").unwrap();
        assert!(home.has_room(3_000).is_ok() && home.has_room(5_000).is_err());
        assert_eq!(home.count(), 1);
    }
}
