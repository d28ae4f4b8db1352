//! Dropout of the outputs of LSTMs and of a transformer's branches.

use crate::random::fill_mask;

/// Dropout of the outputs of LSTMs and of a transformer's branches.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// Probability that a number is dropped.
    pub rate: f32,
    /// Seed of the masks; the same seed gives the same masks, however the batch is cut.
    pub seed: u64,
    /// Whether the masks of a layer with a residual connection are those of the sum, dropout(h + x), as in the published
    /// code, and not of the layer's output alone, dropout(h) + x.
    pub after_skip: bool,
}

/// Where a mask is used; together with an id and a step it names a row of masks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Site {
    Encoder { direction: usize, layer: usize },
    Decoder { layer: usize },
    Transformer { branch: usize },
}

impl Dropout {
    /// Fills the mask of one row.
    pub(crate) fn fill(&self, site: Site, id: usize, step: usize, mask: &mut [f32]) {
        let site = match site {
            Site::Encoder { direction, layer } => 2 * layer + direction,
            Site::Decoder { layer } => 128 + layer,
            Site::Transformer { branch } => 192 + branch,
        };
        let place = (site as u64) << 56 | (id as u64) << 24 | step as u64;
        fill_mask(self.seed, place, self.rate, mask);
    }
}
