//! The sizes of a transformer.

use crate::error::{Error, Result};
use crate::kernels::self_attention::Heads;
use crate::matrix::LINE;
use serde::{Deserialize, Serialize};

/// The sizes that define a transformer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Word pieces that have a vector.
    pub pieces: usize,
    /// The longest sequence.
    pub positions: usize,
    /// Kinds of segments; all pieces are of the first.
    pub segments: usize,
    /// Width of a piece's vector.
    pub width: usize,
    /// Heads of the attention.
    pub heads: usize,
    /// Width between the two products after the attention.
    pub inner: usize,
    /// Layers.
    pub layers: usize,
}

impl Shape {
    /// all-MiniLM-L6-v2.
    pub const MINILM: Self = Self {
        pieces: 30_522,
        positions: 512,
        segments: 2,
        width: 384,
        heads: 12,
        inner: 1536,
        layers: 6,
    };

    /// Checks that every size is usable by the kernels.
    ///
    /// # Errors
    /// [`Error::Config`] names the size that is not.
    pub fn check(&self) -> Result<()> {
        let sizes = [
            self.pieces,
            self.positions,
            self.segments,
            self.heads,
            self.layers,
        ];
        if sizes.contains(&0) {
            return Err(Error::Config("a size of the transformer is 0".into()));
        }
        if !self.width.is_multiple_of(self.heads * LINE) {
            return Err(Error::Config(format!(
                "a transformer of width {} with {} heads: each needs a multiple of {LINE} numbers",
                self.width, self.heads
            )));
        }
        if self.inner == 0 || !self.inner.is_multiple_of(LINE) {
            return Err(Error::Config(format!(
                "a transformer's inner width of {}: it must be a multiple of {LINE}",
                self.inner
            )));
        }
        Ok(())
    }

    pub(crate) fn heads(&self) -> Heads {
        Heads {
            count: self.heads,
            size: self.width / self.heads,
        }
    }

    /// Floating-point operations of products in a forward pass over a sequence of `n` pieces: a multiplication and
    /// an addition are two. A backward pass through a layer takes twice as many.
    pub fn operations(&self, n: usize) -> u64 {
        let (n, w, inner) = (n as u64, self.width as u64, self.inner as u64);
        let layer = 2 * n * (4 * w * w + 2 * w * inner) + 4 * n * n * w;
        self.layers as u64 * layer
    }

    /// The part of each matrix, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..=self.layers).flat_map(|part| self.matrices(part).into_iter().map(move |_| part))
    }

    /// The matrices of a part, with their rows and columns: of the embeddings (part 0), or of layer `part − 1`.
    pub(crate) fn matrices(&self, part: usize) -> Vec<(String, usize, usize)> {
        let (w, inner) = (self.width, self.inner);
        let (prefix, matrices) = match part.checked_sub(1) {
            None => (
                "embeddings".to_owned(),
                vec![
                    ("words", self.pieces, w),
                    ("positions", self.positions, w),
                    ("segments", self.segments, w),
                    ("norm.gain", 1, w),
                    ("norm.bias", 1, w),
                ],
            ),
            Some(layer) => (
                format!("layer.{layer}"),
                vec![
                    ("qkv.weight", 3 * w, w),
                    ("qkv.bias", 1, 3 * w),
                    ("output.weight", w, w),
                    ("output.bias", 1, w),
                    ("first_norm.gain", 1, w),
                    ("first_norm.bias", 1, w),
                    ("inner.weight", inner, w),
                    ("inner.bias", 1, inner),
                    ("outer.weight", w, inner),
                    ("outer.bias", 1, w),
                    ("second_norm.gain", 1, w),
                    ("second_norm.bias", 1, w),
                ],
            ),
        };
        let named = matrices.into_iter();
        named
            .map(|(name, rows, cols)| (format!("{prefix}.{name}"), rows, cols))
            .collect()
    }
}
