//! The vocabulary, and the word vectors that a model carries.
//!
//! Words come in two kinds. The first ids belong to words whose vectors are trained (words without a vector
//! of their own, such as numbers and single letters, and the unknown word); the others have fixed vectors,
//! stored in 16 or 8 bits.

use crate::error::{Error, Result};
use crate::file::{Contents, Tensor, f32_bytes, read_f16, read_f32};
use crate::vectors::Vectors;
use half::f16;
use safetensors::Dtype;
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

impl Precision {
    /// Bits of a number.
    pub fn bits(self) -> u32 {
        match self {
            Precision::Half => 16,
            Precision::Byte => 8,
        }
    }
}

/// The numbers of fixed vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stored {
    Half(Vec<f16>),
    Byte { values: Vec<i8>, scales: Vec<f32> },
}

/// The tensors that hold them in files.
pub(crate) const VALUES: &str = "words.fixed";
const SCALES: &str = "words.scale";

impl Stored {
    /// Vectors of `dimensions` numbers, one after the other.
    pub fn new(numbers: &[f32], dimensions: usize, precision: Precision) -> Self {
        match precision {
            Precision::Half => Stored::Half(numbers.iter().map(|&x| f16::from_f32(x)).collect()),
            Precision::Byte => {
                let mut values = Vec::with_capacity(numbers.len());
                let mut scales = Vec::new();
                for vector in numbers.chunks(dimensions.max(1)) {
                    let scale = vector.iter().fold(0.0f32, |m, x| m.max(x.abs())) / 127.0;
                    // Divided, not multiplied by the inverse, which is infinite for the smallest scales.
                    let byte = |x: &f32| if scale > 0.0 { (x / scale).round() as i8 } else { 0 };
                    values.extend(vector.iter().map(byte));
                    scales.push(scale);
                }
                Stored::Byte { values, scales }
            }
        }
    }

    pub fn precision(&self) -> Precision {
        match self {
            Stored::Half(_) => Precision::Half,
            Stored::Byte { .. } => Precision::Byte,
        }
    }

    /// out += factor·the vector at a place.
    fn add(&self, at: usize, factor: f32, out: &mut [f32]) {
        let d = out.len();
        match self {
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

    /// All numbers.
    pub fn numbers(&self, dimensions: usize) -> Vec<f32> {
        match self {
            Stored::Half(values) => values.iter().map(|x| x.to_f32()).collect(),
            Stored::Byte { values, scales } => {
                let vectors = values.chunks(dimensions.max(1)).zip(scales);
                vectors
                    .flat_map(|(vector, &scale)| vector.iter().map(move |&x| scale * f32::from(x)))
                    .collect()
            }
        }
    }

    /// Only the vectors at some places, in 8 bits. What is in 8 bits already stays as it is.
    fn bytes_at(&self, places: &[usize], dimensions: usize) -> Self {
        match self {
            Stored::Byte { values, scales } => Stored::Byte {
                values: places
                    .iter()
                    .flat_map(|&at| &values[at * dimensions..][..dimensions])
                    .copied()
                    .collect(),
                scales: places.iter().map(|&at| scales[at]).collect(),
            },
            Stored::Half(values) => {
                let chosen = places
                    .iter()
                    .flat_map(|&at| &values[at * dimensions..][..dimensions]);
                let numbers: Vec<f32> = chosen.map(|x| x.to_f32()).collect();
                Self::new(&numbers, dimensions, Precision::Byte)
            }
        }
    }

    /// The tensors of a file, for `count` vectors.
    pub fn tensors(&self, count: usize, dimensions: usize) -> Vec<Tensor> {
        let tensor = |name: &str, dtype, shape, bytes| Tensor {
            name: name.to_owned(),
            dtype,
            shape,
            bytes,
        };
        let shape = vec![count, dimensions];
        match self {
            Stored::Half(values) => {
                let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                vec![tensor(VALUES, Dtype::F16, shape, bytes)]
            }
            Stored::Byte { values, scales } => {
                let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                vec![
                    tensor(SCALES, Dtype::F32, vec![count], f32_bytes(scales)),
                    tensor(VALUES, Dtype::I8, shape, bytes),
                ]
            }
        }
    }

    /// The vectors of a file, which should be `count`.
    pub fn read(file: &Contents<'_>, count: usize, dimensions: usize) -> std::result::Result<Self, String> {
        let shape = [count, dimensions];
        let stored = if file.has(SCALES) {
            let values = file.tensor(VALUES, Dtype::I8, &shape)?;
            Stored::Byte {
                values: values.iter().map(|&b| b as i8).collect(),
                scales: read_f32(file.tensor(SCALES, Dtype::F32, &[count])?),
            }
        } else {
            Stored::Half(read_f16(file.tensor(VALUES, Dtype::F16, &shape)?))
        };
        let are_finite = match &stored {
            Stored::Half(values) => values.iter().all(|x| x.is_finite()),
            Stored::Byte { scales, .. } => scales.iter().all(|x| x.is_finite()),
        };
        match are_finite {
            true => Ok(stored),
            false => Err("a word's vector has infinite or undefined numbers: the file is damaged".to_owned()),
        }
    }
}

/// A vocabulary with its fixed vectors.
#[derive(Clone, Debug)]
pub struct Words {
    names: Vec<String>,
    index: HashMap<String, u32>,
    trained: usize,
    dimensions: usize,
    stored: Stored,
    source: Option<String>,
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
