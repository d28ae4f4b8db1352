//! The numbers of a transformer, in parts: the embeddings, then the layers.

use super::Shape;
use crate::error::{Error, Result};
use crate::file::{read_bytes, read_f32};
use crate::parameters::{Entry, EntryId};
use crate::random::Stream;
use safetensors::{Dtype, SafeTensors};
use std::path::Path;

/// Entries of the embeddings.
pub(super) mod embeddings {
    pub const WORDS: usize = 0;
    pub const POSITIONS: usize = 1;
    pub const SEGMENTS: usize = 2;
    pub const GAIN: usize = 3;
    pub const BIAS: usize = 4;
    /// How many there are.
    pub const COUNT: usize = 5;
}

/// Entries of a layer. A weight's bias follows it, and so does a gain's.
pub(super) mod layer {
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
pub(super) fn first_entry(part: usize) -> EntryId {
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
}

/// The published names of what an entry holds, one below the other, and their rows and columns together.
fn entries(shape: &Shape) -> Vec<(String, Vec<String>, usize, usize)> {
    let (w, inner) = (shape.width, shape.inner);
    let one = |ours: &str, theirs: &str, rows, cols| {
        let prefix = |name: &str| format!("embeddings.{name}");
        (prefix(ours), vec![prefix(theirs)], rows, cols)
    };
    let mut all = vec![
        one("words", "word_embeddings.weight", shape.pieces, w),
        one("positions", "position_embeddings.weight", shape.positions, w),
        one("segments", "token_type_embeddings.weight", shape.segments, w),
        one("norm.gain", "LayerNorm.weight", 1, w),
        one("norm.bias", "LayerNorm.bias", 1, w),
    ];
    for l in 0..shape.layers {
        let mut add = |ours: &str, theirs: &[&str], rows, cols| {
            let published = |name: &&str| format!("encoder.layer.{l}.{name}");
            all.push((
                format!("layer.{l}.{ours}"),
                theirs.iter().map(published).collect(),
                rows,
                cols,
            ));
        };
        let qkv = [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
        ];
        let [weight, bias] = ["weight", "bias"].map(|part| qkv.map(|name| format!("{name}.{part}")));
        add("qkv.weight", &weight.each_ref().map(String::as_str), 3 * w, w);
        add("qkv.bias", &bias.each_ref().map(String::as_str), 1, 3 * w);
        add("output.weight", &["attention.output.dense.weight"], w, w);
        add("output.bias", &["attention.output.dense.bias"], 1, w);
        add("first_norm.gain", &["attention.output.LayerNorm.weight"], 1, w);
        add("first_norm.bias", &["attention.output.LayerNorm.bias"], 1, w);
        add("inner.weight", &["intermediate.dense.weight"], inner, w);
        add("inner.bias", &["intermediate.dense.bias"], 1, inner);
        add("outer.weight", &["output.dense.weight"], w, inner);
        add("outer.bias", &["output.dense.bias"], 1, w);
        add("second_norm.gain", &["output.LayerNorm.weight"], 1, w);
        add("second_norm.bias", &["output.LayerNorm.bias"], 1, w);
    }
    all
}

/// The entries of some parts, one after the other.
pub(super) fn entries_of(shape: &Shape, wanted: impl Fn(usize) -> bool) -> Vec<Entry> {
    let all = entries(shape);
    let mut offset = 0;
    let mut kept = Vec::new();
    for part in (0..=shape.layers).filter(|&part| wanted(part)) {
        for (name, _, rows, cols) in &all[first_entry(part)..first_entry(part + 1)] {
            kept.push(Entry {
                name: name.clone(),
                rows: *rows,
                cols: *cols,
                offset,
            });
            offset += rows * cols;
        }
    }
    kept
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
        for (_, names, rows, cols) in entries(&shape) {
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

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
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
