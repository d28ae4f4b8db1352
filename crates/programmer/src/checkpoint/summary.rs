//! What a model's file says of itself.

use super::header::Header;
use crate::config::Config;
use crate::error::Result;
use crate::file;
use crate::parameters::{ENCODER, Layout};
use crate::stored::{Precision, VALUES};
use safetensors::Dtype;
use std::path::Path;

/// What a model's file says of itself, without the model.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The size of the file.
    pub bytes: u64,
    /// The shape of the network.
    pub config: Config,
    /// Number of parameters, those of a published encoder that are not trained left out.
    pub parameters: usize,
    /// Bits of a parameter.
    pub parameter_bits: u32,
    /// Number of words.
    pub words: usize,
    /// How many of them have trained vectors.
    pub trained_words: usize,
    /// How the vectors of the others are stored.
    pub precision: Precision,
    /// Where these come from, if that was said.
    pub vectors: Option<String>,
    /// Whether training can go on from it.
    pub has_optimiser: bool,
    /// The training step.
    pub step: u64,
    /// What the caller kept beside.
    pub notes: serde_json::Value,
}

impl Summary {
    /// Reads what a model's file says of itself.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if it cannot be read, [`Error::Format`](crate::Error::Format) if
    /// it is not a model.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        file::read(path, |contents| {
            let header = Header::of(contents)?;
            header.config.check().map_err(|e| e.to_string())?;
            let layout = Layout::new(&header.config, header.trained_words);
            // Of a published encoder a small file has bytes, and vectors as they are.
            let ours = layout
                .entries
                .iter()
                .filter(|entry| !entry.name.starts_with(ENCODER));
            let types = ours.map(|entry| contents.dtype(&entry.name));
            let types = types.collect::<std::result::Result<Vec<_>, _>>()?;
            Ok(Self {
                bytes,
                parameters: layout.len(),
                parameter_bits: if types.contains(&Dtype::F32) { 32 } else { 16 },
                words: header.words.len(),
                trained_words: header.trained_words,
                precision: match contents.dtype(VALUES)? {
                    Dtype::I8 => Precision::Byte,
                    _ => Precision::Half,
                },
                vectors: header.vectors,
                has_optimiser: header.adam.is_some(),
                step: header.step,
                notes: header.notes,
                config: header.config,
            })
        })
    }
}
