//! The words that a model knows.

use mapo_datasets::Example;
use mapo_programmer::{Precision, Vectors, Words};
use mapo_questions::column_words;
use mapo_tables::ColumnKind;
use mapo_text::read::tokenize;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;

use crate::{Error, Result};

/// Any word that is not known.
pub const UNKNOWN: &str = "<unknown>";
/// An unknown word that is part of a number.
pub const NUMBER: &str = "<number>";
/// An unknown word that is part of a date.
pub const DATE: &str = "<date>";

/// The words that are there whatever the questions are: the unknown ones, and the names of the types of
/// columns.
fn special() -> impl Iterator<Item = &'static str> {
    let types = ColumnKind::ALL.into_iter().map(ColumnKind::suffix);
    [UNKNOWN, NUMBER, DATE].into_iter().chain(types)
}

/// Every word of the questions and of the columns' names, with how often it is there, the first seen first.
pub fn counted(examples: &[Example]) -> Vec<(&str, usize)> {
    count(examples.iter().flat_map(|example| {
        let linking = example.question.linking;
        let columns = example.table.columns().iter();
        let columns = columns.flat_map(move |column| column_words(&example.table, column, linking));
        example.question.tokens.iter().map(String::as_str).chain(columns)
    }))
}

/// Every word of the cells, each table counted once, with how often it is there, the first seen first.
pub fn counted_cells(examples: &[Example]) -> Vec<(String, usize)> {
    let mut seen = HashSet::new();
    let tables = examples.iter().map(|example| &example.table);
    let cells = tables
        .filter(|table| seen.insert(Arc::as_ptr(table)))
        .flat_map(|table| {
            let cells = (0..table.rows()).flat_map(|row| (0..table.headers().len()).map(move |at| (row, at)));
            cells.map(|(row, source)| table.cell(row, source))
        });
    count(cells.flat_map(tokenize).map(|token| token.text))
}

fn count<W: Eq + Hash + Clone>(words: impl Iterator<Item = W>) -> Vec<(W, usize)> {
    let mut places: HashMap<W, usize> = HashMap::new();
    let mut counted: Vec<(W, usize)> = Vec::new();
    for word in words {
        match places.get(&word) {
            Some(&place) => counted[place].1 += 1,
            None => {
                places.insert(word.clone(), counted.len());
                counted.push((word, 1));
            }
        }
    }
    counted
}

/// A vocabulary without a file of vectors: every word that training has at least `often` times gets a vector
/// of `dimensions` numbers that is trained.
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

/// A vocabulary over given vectors, which stay as they are. Words of training that have none are trained if
/// they are there at least `often` times.
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
    let words = Words::new(&names, vectors, Precision::Half)?;
    Ok(Arc::new(match &vectors.source {
        Some(source) => words.from_source(source),
        None => words,
    }))
}

/// The vocabulary of a run: over given vectors, or of training alone.
///
/// # Errors
/// Those of [`Words::new`].
pub fn of(
    examples: &[Example],
    often: usize,
    dimensions: usize,
    vectors: Option<&Vectors>,
) -> Result<Arc<Words>> {
    match vectors {
        Some(vectors) => with_vectors(examples, often, vectors),
        None => trained(examples, often, dimensions),
    }
}

/// Reads a file of vectors by its name: wink's JSON (`.json`), ours (`.safetensors`, as `mapo words` writes
/// it), or else GloVe's text. All its words are kept: questions asked later may need them.
///
/// # Errors
/// If it cannot be read, or is none of these.
pub fn read_vectors(file: &Path) -> Result<Vectors> {
    let mut vectors = match file.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Vectors::read_wink(file, |_| true)?,
        Some("safetensors") => Vectors::read_compact(file)?,
        _ => Vectors::read_glove(file, |_| true)?,
    };
    if vectors.words.is_empty() {
        return Err(Error::File {
            file: file.to_owned(),
            problem: "holds no vectors".to_owned(),
        });
    }
    let name = file.file_name().unwrap_or_default();
    vectors.source = Some(name.to_string_lossy().into_owned());
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::toy::{SEED, Split, generate};

    #[test]
    fn words_are_counted_in_questions_columns_and_cells() {
        let generated = generate(Split::Train, SEED, 20);
        let examples: Vec<Example> = generated.into_iter().map(Example::from).collect();
        let words = counted(&examples);
        let tokens: usize = examples.iter().map(|example| example.question.tokens.len()).sum();
        let columns = examples.iter().flat_map(|example| example.table.columns());
        let columns: usize = columns.map(|column| column.words().count()).sum();
        assert_eq!(
            words.iter().map(|(_, count)| count).sum::<usize>(),
            tokens + columns
        );
        assert_eq!(words[0].0, examples[0].question.tokens[0]);
        let twice: Vec<Example> = examples.iter().chain(&examples).cloned().collect();
        // Questions count as often as they are asked, a table's cells once.
        assert_eq!(counted(&twice)[0].1, 2 * words[0].1);
        assert_eq!(counted_cells(&twice), counted_cells(&examples));
        let cells = counted_cells(&examples);
        assert!(
            cells
                .iter()
                .any(|(word, _)| !words.iter().any(|(known, _)| known == word))
        );
    }

    #[test]
    fn a_compact_file_gives_the_vocabulary_of_its_original() {
        let generated = generate(Split::Train, SEED, 20);
        let examples: Vec<Example> = generated.into_iter().map(Example::from).collect();
        let dir = tempfile::tempdir().unwrap();
        let (text, compact) = (dir.path().join("v.txt"), dir.path().join("v.safetensors"));
        std::fs::write(&text, "the 0.1 0.2\nof 0.3 -0.7\nname 1.5 2.5\n").unwrap();
        let vectors = read_vectors(&text).unwrap();
        vectors.save(&compact, Precision::Half).unwrap();
        let one = with_vectors(&examples, 2, &vectors).unwrap();
        let two = with_vectors(&examples, 2, &read_vectors(&compact).unwrap()).unwrap();
        assert_eq!(
            (one.source(), two.source()),
            (Some("v.txt"), Some("v.safetensors"))
        );
        assert_eq!(one.names(), two.names());
        for word in one.trained()..one.len() {
            let vector = |words: &Words| {
                let mut out = vec![0.0; 2];
                words.add_vector(word as u32, &[], 1.0, &mut out);
                out
            };
            assert_eq!(vector(&one), vector(&two));
        }
    }
}
