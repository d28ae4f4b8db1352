//! The vocabulary, and the word vectors that a model carries; also a published encoder, where it carries one.
//!
//! Words come in two kinds. The first ids belong to words whose vectors are trained (words without a vector
//! of their own, such as numbers and single letters, and the unknown word); the others have fixed vectors,
//! stored in 16 or 8 bits.

use crate::error::{Error, Result};
use crate::published::Published;
use crate::stored::{Precision, Stored};
use crate::vectors::Vectors;
use std::collections::HashMap;

/// A vocabulary with its fixed vectors.
#[derive(Clone, Debug)]
pub struct Words {
    names: Vec<String>,
    index: HashMap<String, u32>,
    trained: usize,
    dimensions: usize,
    stored: Stored,
    source: Option<String>,
    published: Option<Published>,
}

impl Words {
    /// A vocabulary: `trained` words get the first ids and trained vectors, those of `fixed` come after. A
    /// word that is in both is trained.
    ///
    /// # Errors
    /// [`Error::Config`] if a trained word is listed twice.
    pub fn new(trained: &[String], fixed: &Vectors, precision: Precision) -> Result<Self> {
        let mut names: Vec<String> = trained.to_vec();
        let taken: std::collections::HashSet<&str> = trained.iter().map(String::as_str).collect();
        let mut numbers = Vec::new();
        for (word, vector) in fixed.iter() {
            if !taken.contains(word) {
                names.push(word.to_owned());
                numbers.extend_from_slice(vector);
            }
        }
        let stored = Stored::new(&numbers, fixed.dimensions, precision);
        Self::from_parts(names, trained.len(), fixed.dimensions, stored).map_err(Error::Config)
    }

    pub(crate) fn from_parts(
        names: Vec<String>,
        trained: usize,
        dimensions: usize,
        stored: Stored,
    ) -> std::result::Result<Self, String> {
        let fixed = names
            .len()
            .checked_sub(trained)
            .ok_or("more trained words than words")?;
        let (numbers, scales) = match &stored {
            Stored::Half(values) => (values.len(), fixed),
            Stored::Byte { values, scales } => (values.len(), scales.len()),
        };
        if numbers != fixed * dimensions || scales != fixed {
            return Err(format!("{numbers} numbers for {fixed} vectors of {dimensions}"));
        }
        let mut index = HashMap::with_capacity(names.len());
        for (id, name) in names.iter().enumerate() {
            if index.insert(name.clone(), id as u32).is_some() {
                return Err(format!("the word {name:?} is listed twice"));
            }
        }
        Ok(Self {
            names,
            index,
            trained,
            dimensions,
            stored,
            source: None,
            published: None,
        })
    }

    /// The id of a word.
    pub fn id(&self, word: &str) -> Option<u32> {
        self.index.get(word).copied()
    }

    /// All words, by id.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Number of words with trained vectors: the ids below it.
    pub fn trained(&self) -> usize {
        self.trained
    }

    /// Numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How the fixed vectors are stored.
    pub fn precision(&self) -> Precision {
        self.stored.precision()
    }

    /// Where the fixed vectors come from, if that was said.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Says where the fixed vectors come from.
    pub fn from_source(self, source: impl Into<String>) -> Self {
        Self {
            source: Some(source.into()),
            ..self
        }
    }

    /// The published encoder that reads beneath the network, if the model carries one.
    pub fn published(&self) -> Option<&Published> {
        self.published.as_ref()
    }

    /// The same vocabulary with a published encoder.
    pub fn with_published(self, published: Published) -> Self {
        Self {
            published: Some(published),
            ..self
        }
    }

    /// The trained words and the fixed ones at some places among the fixed, in 8 bits.
    pub(crate) fn with_fixed(&self, places: &[usize]) -> Self {
        let (trained, fixed) = self.names.split_at(self.trained);
        let chosen = places.iter().map(|&at| &fixed[at]);
        let names: Vec<String> = trained.iter().chain(chosen).cloned().collect();
        let index = names.iter().zip(0..).map(|(name, id)| (name.clone(), id));
        Self {
            index: index.collect(),
            names,
            trained: self.trained,
            dimensions: self.dimensions,
            stored: self.stored.bytes_at(places, self.dimensions),
            source: self.source.clone(),
            published: self.published.clone(),
        }
    }

    pub(crate) fn stored(&self) -> &Stored {
        &self.stored
    }

    /// out += factor·vector of a word; `trained` holds the trained vectors.
    pub fn add_vector(&self, word: u32, trained: &[f32], factor: f32, out: &mut [f32]) {
        let d = self.dimensions;
        let word = word as usize;
        if word < self.trained {
            out.iter_mut()
                .zip(&trained[word * d..][..d])
                .for_each(|(o, x)| *o += factor * x);
            return;
        }
        self.stored.add(word - self.trained, factor, &mut out[..d]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_vectors_are_close_to_the_originals() {
        let numbers: Vec<f32> = (0..20).map(|i| (i as f32 * 0.7).sin() * 3.0).collect();
        let vectors = Vectors {
            dimensions: 10,
            words: vec!["x".into(), "y".into()],
            numbers: numbers.clone(),
            source: None,
        };
        for (precision, tolerance) in [(Precision::Half, 2e-3), (Precision::Byte, 3.0 / 254.0 + 1e-6)] {
            let words = Words::new(&["<unk>".into(), "7".into()], &vectors, precision).unwrap();
            assert_eq!((words.len(), words.trained(), words.id("y")), (4, 2, Some(3)));
            let trained: Vec<f32> = (0..20).map(|i| i as f32).collect();
            let mut out = vec![1.0; 10];
            words.add_vector(3, &trained, 2.0, &mut out);
            assert!((0..10).all(|i| (out[i] - 1.0 - 2.0 * numbers[10 + i]).abs() < 2.0 * tolerance));
            let mut out = vec![0.0; 10];
            words.add_vector(1, &trained, 1.0, &mut out);
            assert_eq!(out[3], 13.0);
        }
        assert!(Words::new(&["a".into(), "a".into()], &vectors, Precision::Half).is_err());
    }
}
