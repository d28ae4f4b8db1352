//! The words that a model knows.

use mapo_programmer::{Precision, Vectors, Words};
use mapo_tables::{ColumnKind, Example};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::settings::NetworkSettings;
use crate::{Error, Result};

/// Any word that is not known.
pub const UNKNOWN: &str = "<unknown>";
/// An unknown word that is part of a number.
pub const NUMBER: &str = "<number>";
/// An unknown word that is part of a date.
pub const DATE: &str = "<date>";

/// The words that are there whatever the questions are: the unknown ones, and the names of the types of columns.
fn special() -> impl Iterator<Item = &'static str> {
    let types = ColumnKind::ALL.into_iter().map(ColumnKind::suffix);
    [UNKNOWN, NUMBER, DATE].into_iter().chain(types)
}

/// Every word of the questions and of the columns' names, with how often it is there, the first seen first.
fn counted(examples: &[Example]) -> Vec<(&str, usize)> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut words: Vec<(&str, usize)> = Vec::new();
    for example in examples {
        let columns = example.table.columns().iter().flat_map(|column| column.words());
        let tokens = example.question.tokens.iter().map(String::as_str);
        for word in tokens.chain(columns) {
            let place = *places.entry(word).or_insert_with(|| {
                words.push((word, 0));
                words.len() - 1
            });
            words[place].1 += 1;
        }
    }
    words
}

/// A vocabulary without a file of vectors: every word that training has at least `often` times gets a vector of
/// `dimensions` numbers that is trained.
///
/// # Errors
/// Those of [`Words::new`].
pub fn trained(examples: &[Example], often: usize, dimensions: usize) -> Result<Arc<Words>> {
    let none = Vectors {
        dimensions,
        ..Vectors::default()
    };
    with_vectors(examples, often, &none)
}

/// A vocabulary over given vectors, which stay as they are. Words of training that have none are trained if they are
/// there at least `often` times.
///
/// # Errors
/// Those of [`Words::new`].
pub fn with_vectors(examples: &[Example], often: usize, vectors: &Vectors) -> Result<Arc<Words>> {
    let fixed: HashSet<&str> = vectors.words.iter().map(String::as_str).collect();
    let mut known: HashSet<&str> = special().collect();
    let mut names: Vec<String> = special().map(str::to_owned).collect();
    for (word, count) in counted(examples) {
        if count >= often && !fixed.contains(word) && known.insert(word) {
            names.push(word.to_owned());
        }
    }
    Ok(Arc::new(Words::new(&names, vectors, Precision::Half)?))
}

/// The vocabulary of a run: over given vectors, or of training alone.
///
/// # Errors
/// Those of [`Words::new`].
pub fn of(examples: &[Example], network: &NetworkSettings, vectors: Option<&Vectors>) -> Result<Arc<Words>> {
    match vectors {
        Some(vectors) => with_vectors(examples, network.often, vectors),
        None => trained(examples, network.often, network.vector),
    }
}

/// Reads a file of vectors, GloVe's text or wink's JSON, by its name. All its words are kept: questions asked later
/// may need them.
///
/// # Errors
/// If it cannot be read, or is neither.
pub fn read_vectors(file: &Path) -> Result<Vectors> {
    let is_json = file.extension().is_some_and(|extension| extension == "json");
    let vectors = if is_json {
        Vectors::read_wink(file, |_| true)?
    } else {
        Vectors::read_glove(file, |_| true)?
    };
    if vectors.words.is_empty() {
        return Err(Error::Settings(format!("{}: holds no vectors", file.display())));
    }
    Ok(vectors)
}
