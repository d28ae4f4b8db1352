//! Files that are read from where they lie.

use crate::parts::two;
use mapo_datasets::corrections::{self, Correction, beside};
use mapo_datasets::{Dataset, Reader, ReadingChoice, Selection, scoring};
use mapo_programmer::{Pieces, Vectors};
use mapo_tables::{LoadOptions, Table};
use mapo_training::Origin;
use mapo_training::store::StoreReader;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Where the bytes are put: a folder of this process, away from all others.
fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    FOLDER
        .get_or_init(|| TempDir::new().ok())
        .as_ref()
        .map(TempDir::path)
}

/// Writes the files of a trial and tries them; nothing where there is no place for them.
fn with(files: &[(&str, &[u8])], tried: impl FnOnce(&Path)) {
    let Some(folder) = folder() else {
        return;
    };
    for (name, bytes) in files {
        let file = folder.join(name);
        if let Some(above) = file.parent().filter(|above| !above.exists()) {
            let _ = fs::create_dir_all(above);
        }
        if fs::write(file, bytes).is_err() {
            return;
        }
    }
    tried(folder);
}

pub(crate) fn store(bytes: &[u8]) {
    with(&[("store.jsonl", bytes)], |folder| {
        if let Ok(store) = StoreReader::open(&folder.join("store.jsonl")) {
            for entry in store.take(1_000) {
                let _ = entry;
            }
        }
    });
}

pub(crate) fn mix(bytes: &[u8]) {
    with(&[("mix.toml", bytes)], |folder| {
        let _ = Origin::mixed(&folder.join("mix.toml"), 1, 1);
    });
}

pub(crate) fn vectors(bytes: &[u8]) {
    with(&[("vectors", bytes)], |folder| {
        let file = folder.join("vectors");
        let _ = (
            Vectors::read_compact(&file),
            Vectors::read_glove(&file, |_| true),
            Vectors::read_wink(&file, |_| true),
        );
    });
}

/// A list of word pieces and, behind a NUL, a text that is cut into them.
pub(crate) fn pieces(bytes: &[u8]) {
    let (list, text) = two(bytes);
    with(&[("vocab.txt", list)], |folder| {
        if let Ok(pieces) = Pieces::read(&folder.join("vocab.txt")) {
            let cut = pieces.sequence(&String::from_utf8_lossy(text));
            assert!(cut.iter().all(|piece| (*piece as usize) < pieces.names().len()));
        }
    });
}

pub(crate) fn predictions(bytes: &[u8]) {
    with(&[("predictions", bytes)], |folder| {
        let file = folder.join("predictions");
        let _ = scoring::wikisql::predictions::read(&file);
        let _ = scoring::wtq::predictions::read(&file);
    });
}

const TABLE: &[u8] = b"Name,Points\nAnne,3\nBob,4\n";

fn all_of(data: &str, folder: &Path, split: Option<&str>, reader: Option<Reader>) {
    let Ok(data) = format!("{data}:{}", folder.display()).parse::<Dataset>() else {
        return;
    };
    let selection = Selection {
        split: split.map(str::to_owned),
        limit: Some(100),
        reading: ReadingChoice {
            reader,
            ..ReadingChoice::default()
        },
        ..Selection::default()
    };
    if let Ok(examples) = data.examples(&selection) {
        for example in examples {
            let _ = example;
        }
    }
}

pub(crate) fn json_questions(bytes: &[u8]) {
    with(&[("t.csv", TABLE), ("questions.jsonl", bytes)], |folder| {
        all_of("jsonl", &folder.join("questions.jsonl"), None, None);
    });
}

/// A file of corrections to which one is added: what others said stays, or nothing is changed.
pub(crate) fn corrections(bytes: &[u8]) {
    static ONE: OnceLock<Option<Correction>> = OnceLock::new();
    let files = [("kept/t.csv", TABLE), ("kept/mapo-corrections.jsonl", bytes)];
    with(&files, |folder| {
        let table = folder.join("kept/t.csv");
        let one = ONE.get_or_init(|| {
            let options = LoadOptions::default();
            let read = Table::open(&table, &options).ok()?;
            Correction::new(&table, &options, &read, "who won?", vec!["Anne".to_owned()]).ok()
        });
        let (Some(one), file) = (one, beside(&table)) else {
            return;
        };
        let kept = one.keep(&file);
        let Ok(now) = fs::read(&file) else {
            panic!("the corrections are gone");
        };
        let Ok(kept) = kept else {
            assert_eq!(now, bytes, "refused, and changed");
            return;
        };
        assert_eq!(corrections::count(&file), kept.corrections);
        let (before, now) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&now));
        for (place, (before, now)) in before.lines().zip(now.lines()).enumerate() {
            assert!(
                place + 1 == kept.line || before.trim_end() == now.trim_end(),
                "line {place}"
            );
        }
        assert!(matches!(one.keep(&file), Ok(again) if again.line == kept.line && !again.replaced));
    });
}

/// A file of questions and, behind a NUL, the table that they are about.
pub(crate) fn wtq_questions(bytes: &[u8]) {
    let (questions, table) = two(bytes);
    let table = if table.is_empty() { TABLE } else { table };
    let files = [
        ("wtq/data/training.tsv", questions),
        ("wtq/csv/200-csv/0.csv", table),
    ];
    with(&files, |folder| {
        all_of("wtq", &folder.join("wtq"), Some("training"), Some(Reader::Mapo));
    });
}

/// Tagged questions and, behind a NUL, a tagged table.
pub(crate) fn wtq_tagged(bytes: &[u8]) {
    let (questions, table) = two(bytes);
    let split = b"id\tutterance\tcontext\ttargetValue\nnt-0\twho won?\tcsv/200-csv/0.csv\tAnne\n";
    let files = [
        ("tagged/data/training.tsv", &split[..]),
        ("tagged/tagged/data/training.tagged", questions),
        ("tagged/tagged/200-tagged/0.tagged", table),
    ];
    with(&files, |folder| {
        all_of(
            "wtq",
            &folder.join("tagged"),
            Some("training"),
            Some(Reader::CoreNlp),
        );
    });
}

/// Questions and, behind a NUL, tables.
pub(crate) fn wikisql(bytes: &[u8]) {
    let (questions, tables) = two(bytes);
    let files = [
        ("wikisql/dev.jsonl", questions),
        ("wikisql/dev.tables.jsonl", tables),
    ];
    with(&files, |folder| {
        all_of("wikisql", &folder.join("wikisql"), Some("dev"), None);
    });
}
