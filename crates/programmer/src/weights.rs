//! The numbers of a published encoder, in parts: the embeddings, then the layers.

use crate::error::{Error, Result};
use crate::file::{read_bytes, read_f32};
use crate::parameters::{Entry, EntryId};
use crate::random::Stream;
use crate::shape::Shape;
use safetensors::{Dtype, SafeTensors};
use std::any::Any;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Entries of the embeddings.
pub(crate) mod embeddings {
    pub const WORDS: usize = 0;
    pub const POSITIONS: usize = 1;
    pub const SEGMENTS: usize = 2;
    pub const GAIN: usize = 3;
    pub const BIAS: usize = 4;
    /// How many there are.
    pub const COUNT: usize = 5;
}

/// Entries of a layer. A weight's bias follows it, and so does a gain's.
pub(crate) mod layer {
    pub const QKV: usize = 0;
    pub const OUTPUT: usize = 2;
    pub const FIRST_NORM: usize = 4;
    pub const INNER: usize = 6;
    pub const OUTER: usize = 8;
    pub const SECOND_NORM: usize = 10;
    /// How many there are.
    pub const COUNT: usize = 12;
}

/// The first entry of a part: of the embeddings (part 0), or of layer `part − 1`.
pub(crate) fn first_entry(part: usize) -> EntryId {
    match part.checked_sub(1) {
        None => 0,
        Some(layer) => embeddings::COUNT + layer * layer::COUNT,
    }
}

/// All numbers of a transformer.
#[derive(Clone, Debug)]
pub struct Weights {
    shape: Shape,
    entries: Vec<Entry>,
    values: Vec<f32>,
    derived: Vec<OnceLock<Arc<dyn Any + Send + Sync>>>,
}

/// The published names of what the matrices of a part hold; of several, one lies below the other.
fn published(part: usize) -> Vec<Vec<String>> {
    let Some(layer) = part.checked_sub(1) else {
        let names = [
            "word_embeddings.weight",
            "position_embeddings.weight",
            "token_type_embeddings.weight",
            "LayerNorm.weight",
            "LayerNorm.bias",
        ];
        return names.map(|name| vec![format!("embeddings.{name}")]).to_vec();
    };
    let pairs: [&[&str]; 6] = [
        &[
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
        ],
        &["attention.output.dense"],
        &["attention.output.LayerNorm"],
        &["intermediate.dense"],
        &["output.dense"],
        &["output.LayerNorm"],
    ];
    let name = |name: &str, part: &str| format!("encoder.layer.{layer}.{name}.{part}");
    let both = |names: &&[&str]| {
        ["weight", "bias"].map(|part| names.iter().map(|n| name(n, part)).collect::<Vec<_>>())
    };
    pairs.iter().flat_map(both).collect()
}

/// The entries of some parts, one after the other.
pub(crate) fn entries_of(shape: &Shape, wanted: impl Fn(usize) -> bool) -> Vec<Entry> {
    let mut offset = 0;
    let parts = (0..=shape.layers).filter(|&part| wanted(part));
    let entry = |(name, rows, cols)| {
        let entry = Entry {
            name,
            rows,
            cols,
            offset,
        };
        offset = entry.range().end;
        entry
    };
    parts.flat_map(|part| shape.matrices(part)).map(entry).collect()
}

/// What 8 bits leave of a row: multiples of its scale, which is one 127th of its largest number with 12 bits, so
/// that products with it are exact and rounding again changes nothing.
pub(crate) fn byte_scale(row: &[f32]) -> f32 {
    const KEPT: u32 = !0xfff;
    let scale = row.iter().fold(0.0f32, |m, x| m.max(x.abs())) / 127.0;
    let cut = f32::from_bits(scale.to_bits() & KEPT);
    if cut < scale {
        f32::from_bits(cut.to_bits() + 0x1000)
    } else {
        cut
    }
}

/// The bytes of a row with this scale.
pub(crate) fn to_bytes(row: &[f32], scale: f32) -> impl Iterator<Item = i8> + '_ {
    row.iter()
        .map(move |x| if scale > 0.0 { (x / scale).round() as i8 } else { 0 })
}

impl Weights {
    /// Weights with these values, in the order of the entries.
    ///
    /// # Errors
    /// [`Error::Config`] if the shape is unusable or the values are of another number.
    pub fn new(shape: Shape, values: Vec<f32>) -> Result<Self> {
        shape.check()?;
        let entries = entries_of(&shape, |_| true);
        let needed = entries.last().map_or(0, |entry| entry.range().end);
        if values.len() != needed {
            return Err(Error::Config(format!(
                "{} numbers for a transformer of {needed}",
                values.len()
            )));
        }
        Ok(Self {
            derived: (0..shape.layers).map(|_| OnceLock::new()).collect(),
            shape,
            entries,
            values,
        })
    }

    /// Random weights, for tests and for training from nothing: uniform with the deviation 0.02 that is usual,
    /// gains around one.
    ///
    /// # Errors
    /// [`Error::Config`] if the shape is unusable.
    pub fn random(shape: Shape, seed: u64) -> Result<Self> {
        let mut stream = Stream::new(seed, 0x7a);
        let mut values = Vec::new();
        for entry in entries_of(&shape, |_| true) {
            let centre = if entry.name.ends_with("gain") { 1.0 } else { 0.0 };
            let spread = 0.02 * 3.0f32.sqrt();
            let numbers =
                (0..entry.rows * entry.cols).map(|_| centre + spread * (2.0 * stream.uniform() - 1.0));
            values.extend(numbers);
        }
        Self::new(shape, values)
    }

    /// Reads a published file of BERT's kind: safetensors with the usual names. The sizes come from the tensors,
    /// except that a head has 32 numbers.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Format`] saying what is missing or does not fit.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = read_bytes(path)?;
        Self::of(&bytes).map_err(|reason| Error::Format {
            path: path.to_owned(),
            reason,
        })
    }

    fn of(bytes: &[u8]) -> std::result::Result<Self, String> {
        /// Numbers of a head in the published encoders of this width.
        const HEAD: usize = 32;
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| format!("not a safetensors file: {e}"))?;
        // Some files carry all names behind a prefix.
        let prefix = ["", "bert."]
            .into_iter()
            .find(|p| {
                tensors
                    .tensor(&format!("{p}embeddings.word_embeddings.weight"))
                    .is_ok()
            })
            .ok_or("no `embeddings.word_embeddings.weight`: not the weights of a BERT encoder")?;
        let size = |name: &str, at: usize| {
            let view = tensors.tensor(&format!("{prefix}{name}")).ok();
            view.and_then(|view| view.shape().get(at).copied())
                .ok_or_else(|| format!("the tensor {prefix}{name} is missing"))
        };
        let width = size("embeddings.word_embeddings.weight", 1)?;
        let layer = |l: usize| format!("encoder.layer.{l}.intermediate.dense.weight");
        let shape = Shape {
            pieces: size("embeddings.word_embeddings.weight", 0)?,
            positions: size("embeddings.position_embeddings.weight", 0)?,
            segments: size("embeddings.token_type_embeddings.weight", 0)?,
            width,
            heads: width / HEAD,
            inner: size(&layer(0), 0)?,
            layers: (0..).take_while(|&l| size(&layer(l), 0).is_ok()).count(),
        };
        shape.check().map_err(|e| e.to_string())?;
        let mut values = Vec::new();
        let matrices =
            (0..=shape.layers).flat_map(|part| shape.matrices(part).into_iter().zip(published(part)));
        for ((_, rows, cols), names) in matrices {
            let before = values.len();
            for name in &names {
                let name = format!("{prefix}{name}");
                let view = tensors.tensor(&name);
                let view = view.map_err(|_| format!("the tensor {name} is missing"))?;
                if view.dtype() != Dtype::F32 {
                    return Err(format!(
                        "the tensor {name} is {:?} and should be F32",
                        view.dtype()
                    ));
                }
                values.extend(read_f32(view.data()));
            }
            let (found, needed) = (values.len() - before, rows * cols);
            if found != needed {
                return Err(format!(
                    "{} has {found} numbers and should have {needed}",
                    names.join(" + ")
                ));
            }
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err("a weight is infinite or undefined: the file is damaged".to_owned());
        }
        Self::new(shape, values).map_err(|e| e.to_string())
    }

    /// The same weights as 8 bits hold them, with a scale for each row of a matrix; vectors stay as they are.
    pub fn in_bytes(mut self) -> Self {
        self.derived
            .iter_mut()
            .for_each(|derived| *derived = OnceLock::new());
        for entry in self.entries.iter().filter(|entry| entry.rows > 1) {
            for row in self.values[entry.range()].chunks_exact_mut(entry.cols) {
                let scale = byte_scale(row);
                let bytes: Vec<i8> = to_bytes(row, scale).collect();
                row.iter_mut()
                    .zip(bytes)
                    .for_each(|(x, byte)| *x = scale * f32::from(byte));
            }
        }
        self
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What is made of a layer's weights, once for all who share them. It is always of the same type.
    pub(crate) fn derived<T: Send + Sync + 'static>(&self, layer: usize, make: impl Fn() -> T) -> Arc<T> {
        let kept = self.derived[layer].get_or_init(|| Arc::new(make()));
        Arc::clone(kept).downcast().unwrap_or_else(|_| Arc::new(make()))
    }

    /// Where each matrix lies.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All numbers.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}
