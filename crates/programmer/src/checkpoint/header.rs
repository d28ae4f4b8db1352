//! The header of a model's file, and its tensors.

use crate::config::Config;
use crate::file::{self, Contents, Tensor};
use crate::optimiser::AdamOptions;
use crate::parameters::Entry;
use crate::words::Words;
use half::f16;
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

/// The tensors of a vocabulary's fixed vectors.
pub fn word_tensors(words: &Words) -> Vec<Tensor> {
    words
        .stored()
        .tensors(words.len() - words.trained(), words.dimensions())
}

/// A file for a model alone: parameters in 16 bits.
pub(crate) fn model_bytes(
    config: &Config,
    words: &Words,
    parameters: &[(Entry, Vec<f16>)],
    step: u64,
    notes: &serde_json::Value,
) -> std::result::Result<Vec<u8>, String> {
    let header = Header::model(config, words, step, notes);
    let bytes = |values: &[f16]| values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut tensors: Vec<Tensor> = parameters
        .iter()
        .map(|(entry, values)| tensor("", entry, Dtype::F16, bytes(values)))
        .collect();
    tensors.extend(word_tensors(words));
    file::to_bytes(&header, &tensors)
}
