//! Word vectors in few bits.

use crate::file::{Contents, Tensor, f32_bytes, read_f16, read_f32};
use half::f16;
use safetensors::Dtype;

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
    pub fn add(&self, at: usize, factor: f32, out: &mut [f32]) {
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
    pub fn bytes_at(&self, places: &[usize], dimensions: usize) -> Self {
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
