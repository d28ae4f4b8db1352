//! The header of a model's file, and its tensors.

use crate::config::Config;
use crate::file::{self, Contents, Tensor};
use crate::optimiser::AdamOptions;
use crate::parameters::Entry;
use crate::words::Words;
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

/// What a file says of what it holds.
#[derive(Serialize, Deserialize)]
pub struct Header {
    pub config: Config,
    pub step: u64,
    pub adam: Option<AdamHeader>,
    pub average: Option<f32>,
    pub notes: serde_json::Value,
    /// Where the fixed vectors come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<String>,
    pub trained_words: usize,
    pub words: Vec<String>,
    /// The word pieces of a published encoder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
pub struct AdamHeader {
    pub steps: u64,
    pub options: AdamOptions,
}

impl Header {
    /// A model's, without what only training needs.
    pub fn model(config: &Config, words: &Words, step: u64, notes: &serde_json::Value) -> Self {
        Self {
            config: config.clone(),
            step,
            adam: None,
            average: None,
            notes: notes.clone(),
            vectors: words.source().map(str::to_owned),
            trained_words: words.trained(),
            words: words.names().to_vec(),
            pieces: words
                .published()
                .map(|published| published.pieces.names().to_vec()),
        }
    }

    /// The header of a file.
    pub fn of(contents: &Contents<'_>) -> std::result::Result<Self, String> {
        match contents.kind() {
            None => contents.description(),
            Some(kind) => Err(format!("holds {kind}, not a model")),
        }
    }
}

/// A matrix of parameters for a file.
pub fn tensor(prefix: &str, entry: &Entry, dtype: Dtype, bytes: Vec<u8>) -> Tensor {
    Tensor {
        name: format!("{prefix}{}", entry.name),
        dtype,
        shape: vec![entry.rows, entry.cols],
        bytes,
    }
}

/// The tensors of a vocabulary's fixed vectors, and of what a published encoder has that is not trained.
pub fn word_tensors(config: &Config, words: &Words) -> Vec<Tensor> {
    let stored = words.stored();
    let mut tensors = stored.tensors(words.len() - words.trained(), words.dimensions());
    if let (Some(encoder), Some(published)) = (&config.encoder, words.published()) {
        tensors.extend(published.tensors(|part| !encoder.trains(part)));
    }
    tensors
}

/// A file for a model alone.
pub(crate) fn model_bytes(
    config: &Config,
    words: &Words,
    parameters: &[Tensor],
    step: u64,
    notes: &serde_json::Value,
) -> std::result::Result<Vec<u8>, String> {
    let header = Header::model(config, words, step, notes);
    let fixed = word_tensors(config, words);
    let tensors: Vec<&Tensor> = parameters.iter().chain(&fixed).collect();
    file::to_bytes(&header, &tensors)
}
