//! The vocabulary, and the word vectors that a model carries.
//!
//! Words come in two kinds. The first ids belong to words whose vectors are trained (words without a vector
//! of their own, such as numbers and single letters, and the unknown word); the others have fixed vectors,
//! stored in 16 or 8 bits.

use crate::error::{Error, Result};
use crate::vectors::Vectors;
use half::f16;
use std::collections::HashMap;

/// How fixed vectors are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// IEEE half precision: 3 decimal digits.
    Half,
    /// One byte a number with one scale a word: the error is at most 1/254 of the largest number of the
    /// vector.
    Byte,
}

/// The numbers of the fixed vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stored {
    Half(Vec<f16>),
    Byte { values: Vec<i8>, scales: Vec<f32> },
}

/// A vocabulary with its fixed vectors.
#[derive(Clone, Debug)]
pub struct Words {
    names: Vec<String>,
    index: HashMap<String, u32>,
    trained: usize,
    dimensions: usize,
    stored: Stored,
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
        let stored = match precision {
            Precision::Half => Stored::Half(numbers.iter().map(|&x| f16::from_f32(x)).collect()),
            Precision::Byte => {
                let mut values = Vec::with_capacity(numbers.len());
                let mut scales = Vec::new();
                for vector in numbers.chunks(fixed.dimensions) {
                    let scale = vector.iter().fold(0.0f32, |m, x| m.max(x.abs())) / 127.0;
                    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
                    values.extend(vector.iter().map(|x| (x * inverse).round() as i8));
                    scales.push(scale);
                }
                Stored::Byte { values, scales }
            }
        };
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
        match self.stored {
            Stored::Half(_) => Precision::Half,
            Stored::Byte { .. } => Precision::Byte,
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
        let at = word - self.trained;
        match &self.stored {
            Stored::Half(values) => {
                out.iter_mut()
                    .zip(&values[at * d..][..d])
                    .for_each(|(o, x)| *o += factor * x.to_f32());
            }
            Stored::Byte { values, scales } => {
                let factor = factor * scales[at];
                out.iter_mut()
                    .zip(&values[at * d..][..d])
                    .for_each(|(o, &x)| *o += factor * f32::from(x));
            }
        }
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
