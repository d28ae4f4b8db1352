//! The shape of a network.

use crate::error::{Error, Result};
use crate::shape::Shape;
use serde::{Deserialize, Serialize};

/// The sizes that define a network. Two networks with equal configurations and equally many trained words
/// have the same parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Numbers in a word vector.
    pub vector: usize,
    /// Width of the LSTMs, the encoder's outputs and the memory slots.
    pub hidden: usize,
    /// Width of the attention's keys and queries.
    pub attention: usize,
    /// Layers of each LSTM stack; every layer after the first has a residual connection around it.
    pub layers: usize,
    /// Built-in tokens: functions, parentheses, the end and whatever else is the same in every example.
    pub builtins: usize,
    /// Features of a question token.
    pub token_features: usize,
    /// Features of a column.
    pub column_features: usize,
    /// Features of a pair of a question token and a column. With none, the paper's network; with some,
    /// tokens and columns see each other through links that start from these features.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pair_features: usize,
    /// Whether a column's vector also has the words of some of its cells.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cells: bool,
    /// Kinds of constants: each has a trained vector that is added to the slots of its constants; 0 for
    /// none, as in the paper.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub constant_kinds: usize,
    /// Whether the words of numbers and dates are read as their kind alone, as in the published code.
    #[serde(default, skip_serializing_if = "is_false")]
    pub kinds_for_values: bool,
    /// The published encoder that reads question and columns beneath this network, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EncoderConfig>,
}

/// A published encoder beneath a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderConfig {
    /// Its sizes.
    pub shape: Shape,
    /// How many of its upper layers are trained; one more than there are for the embeddings too.
    pub trained: usize,
}

impl EncoderConfig {
    /// Whether a part is trained: 0 are the embeddings, then come the layers.
    pub fn trains(&self, part: usize) -> bool {
        part + self.trained > self.shape.layers
    }
}

// What is not used is not written, so that files of the paper's network stay as they were.
fn is_zero(size: &usize) -> bool {
    *size == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_false(switch: &bool) -> bool {
    !switch
}

impl Config {
    /// The paper's network over word vectors of 100 numbers, for a language with `builtins` fixed tokens.
    pub fn paper(builtins: usize) -> Self {
        Self {
            vector: 100,
            hidden: 200,
            attention: 200,
            layers: 2,
            builtins,
            token_features: 1,
            column_features: 1,
            pair_features: 0,
            cells: false,
            constant_kinds: 0,
            kinds_for_values: false,
            encoder: None,
        }
    }

    /// Width of the keys by which tokens and columns find each other.
    pub(crate) fn link_width(&self) -> usize {
        self.hidden.div_ceil(4)
    }

    /// Checks that every size is usable.
    ///
    /// # Errors
    /// [`Error::Config`] names the size that is not.
    pub fn check(&self) -> Result<()> {
        for (name, size) in [
            ("vector", self.vector),
            ("hidden", self.hidden),
            ("attention", self.attention),
            ("layers", self.layers),
            ("builtins", self.builtins),
        ] {
            if size == 0 {
                return Err(Error::Config(format!("{name} must be at least 1")));
            }
        }
        match &self.encoder {
            Some(encoder) => encoder.shape.check(),
            None => Ok(()),
        }
    }
}
