//! A pre-trained transformer of BERT's kind, read from its published file: the encoder under ours.
//!
//! [`Weights`] are its numbers as they were read. A [`Transformer`] is made of them and of a choice of parts that
//! are trained: the numbers of these are the caller's, in one vector whose [`Entry`] list it gives; the others
//! are shared and never change. A [`Reader`] leads sequences of word pieces through it, packed one after the other
//! without padding, and back.
//!
//! ```
//! use mapo_programmer::transformer::{Reader, Shape, Trained, Transformer, Weights};
//!
//! # fn main() -> mapo_programmer::Result<()> {
//! let shape = Shape { pieces: 50, positions: 16, segments: 1, width: 32, heads: 2, inner: 64, layers: 2 };
//! let weights = Weights::random(shape, 1)?;
//! // The upper layer is trained, the lower one and the embeddings stay as they are.
//! let transformer = Transformer::new(weights.into(), Trained::upper(&shape, 1))?;
//! let values = transformer.initial();
//! let mut reader = Reader::new(1)?;
//! reader.read(&transformer, &values, &[&[1, 7, 4], &[1, 9]], None)?;
//! assert_eq!(reader.output(1).count(), 2);
//! let mut gradient = vec![0.0; values.len()];
//! reader.learn(&transformer, &values, |_sequence, d_output| d_output.fill(0.1), &mut gradient)?;
//! # Ok(())
//! # }
//! ```

mod block;
mod reader;
mod tape;
#[cfg(test)]
mod tests;

pub use crate::shape::Shape;
pub use crate::weights::Weights;
pub use reader::Reader;

pub(crate) use tape::TransformerTape;

use crate::error::{Error, Result};
use crate::parameters::{Entry, EntryId};
use crate::weights::{entries_of, first_entry};
use block::Block;
use rayon::prelude::*;
use std::sync::Arc;

/// Which parts of a transformer are trained: the embeddings, and each layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trained(Vec<bool>);

impl Trained {
    /// Nothing.
    pub fn none(shape: &Shape) -> Self {
        Self(vec![false; shape.layers + 1])
    }

    /// Everything.
    pub fn all(shape: &Shape) -> Self {
        Self(vec![true; shape.layers + 1])
    }

    /// The `n` uppermost layers; one more than there are for the embeddings too.
    pub fn upper(shape: &Shape, n: usize) -> Self {
        Self((0..=shape.layers).map(|part| part + n > shape.layers).collect())
    }

    /// These layers, and the embeddings if that is wanted.
    pub fn layers(shape: &Shape, layers: &[usize], embeddings: bool) -> Self {
        let trained = |part: usize| {
            part.checked_sub(1)
                .map_or(embeddings, |layer| layers.contains(&layer))
        };
        Self((0..=shape.layers).map(trained).collect())
    }

    /// Whether anything is trained.
    pub fn any(&self) -> bool {
        self.lowest().is_some()
    }

    /// The lowest part that is trained; 0 are the embeddings.
    fn lowest(&self) -> Option<usize> {
        self.0.iter().position(|&trained| trained)
    }
}

/// A transformer with its weights packed for products.
#[derive(Clone, Debug)]
pub struct Transformer {
    weights: Arc<Weights>,
    trained: Trained,
    /// The entries of the trained parts.
    entries: Arc<Vec<Entry>>,
    /// The first of them that belongs to each part.
    first: Vec<EntryId>,
    /// Shared as long as nobody trains them.
    blocks: Vec<Arc<Block>>,
    /// Whether they are packed for the way back too.
    learns: bool,
}

impl Transformer {
    /// A transformer of which some parts are trained.
    ///
    /// # Errors
    /// [`Error::Config`] if the choice of parts is for another number of layers.
    pub fn new(weights: Arc<Weights>, trained: Trained) -> Result<Self> {
        let mut transformer = Self::unpacked(weights, trained)?;
        let values = transformer.initial();
        transformer.pack(&values, true, |_| true);
        Ok(transformer)
    }

    /// A transformer with these trained numbers; unless it `learns`, there is no way back through it.
    pub(crate) fn with_values(
        weights: Arc<Weights>,
        trained: Trained,
        values: &[f32],
        learns: bool,
    ) -> Result<Self> {
        let mut transformer = Self::unpacked(weights, trained)?;
        check_values(&transformer, values)?;
        transformer.pack(values, learns, |_| true);
        Ok(transformer)
    }

    /// Everything but the weights of those layers that are not shared.
    fn unpacked(weights: Arc<Weights>, trained: Trained) -> Result<Self> {
        let shape = *weights.shape();
        if trained.0.len() != shape.layers + 1 {
            return Err(Error::Config(format!(
                "which of {} parts are trained was said of a transformer of {}",
                trained.0.len(),
                shape.layers + 1
            )));
        }
        let first = (0..=shape.layers)
            .scan(0, |next, part| {
                let first = *next;
                *next += usize::from(trained.0[part]) * (first_entry(part + 1) - first_entry(part));
                Some(first)
            })
            .collect::<Vec<_>>();
        let entries = Arc::new(entries_of(&shape, |part| trained.0[part]));
        let blocks = (0..shape.layers).map(|layer| Arc::new(Block::new(first[layer + 1])));
        Ok(Self {
            blocks: blocks.collect(),
            weights,
            trained,
            entries,
            first,
            learns: false,
        })
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        self.weights.shape()
    }

    /// The weights that it was made of.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// What is trained.
    pub fn trained(&self) -> &Trained {
        &self.trained
    }

    /// Where each trained matrix lies among the trained numbers.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Layers below the lowest trained part: what they give never changes.
    pub(crate) fn fixed_layers(&self) -> usize {
        let lowest = self.trained.lowest();
        lowest.map_or(self.blocks.len(), |part| part.saturating_sub(1))
    }

    /// Number of trained numbers.
    pub fn trained_numbers(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.range().end)
    }

    /// The trained numbers as the file had them.
    pub fn initial(&self) -> Vec<f32> {
        let entries = self.weights.entries();
        let parts = (0..self.trained.0.len()).filter(|&part| self.trained.0[part]);
        parts
            .flat_map(|part| &entries[first_entry(part)..first_entry(part + 1)])
            .flat_map(|entry| &self.weights.values()[entry.range()])
            .copied()
            .collect()
    }

    /// Packs new trained numbers. On a thread of a pool the layers are packed in parallel.
    pub fn refresh(&mut self, values: &[f32]) {
        let trained = self.trained.0.clone();
        self.pack(values, self.learns, |layer| trained[layer + 1]);
    }

    fn pack(&mut self, values: &[f32], learns: bool, wanted: impl Fn(usize) -> bool + Sync) {
        self.learns = learns;
        // A gradient goes down to the lowest trained part, and through whatever lies above it.
        let lowest = self.trained.lowest();
        let mut blocks = std::mem::take(&mut self.blocks);
        let this = &*self;
        let pack = |(layer, block): (usize, &mut Arc<Block>)| {
            let backward = learns && lowest.is_some_and(|lowest| lowest <= layer + 1);
            if !this.trained.0[layer + 1] && !backward {
                *block = this.shared(layer);
            } else if wanted(layer) {
                Arc::make_mut(block).pack(
                    |entry| this.entry(values, layer + 1, entry),
                    this.shape(),
                    backward,
                );
            }
        };
        if rayon::current_thread_index().is_some() {
            blocks.par_iter_mut().enumerate().for_each(pack);
        } else {
            blocks.iter_mut().enumerate().for_each(pack);
        }
        self.blocks = blocks;
    }

    /// A layer packed for reading alone, which all who do not train it share.
    fn shared(&self, layer: usize) -> Arc<Block> {
        self.weights.derived(layer, || {
            let mut block = Block::new(0);
            block.pack(|entry| self.fixed(layer + 1, entry), self.shape(), false);
            block
        })
    }

    /// A matrix of a part as the file had it.
    fn fixed(&self, part: usize, entry: EntryId) -> &[f32] {
        &self.weights.values()[self.weights.entries()[first_entry(part) + entry].range()]
    }

    /// A matrix of a part, by its place there: from the trained numbers, or from those that stay.
    fn entry<'a>(&'a self, values: &'a [f32], part: usize, entry: EntryId) -> &'a [f32] {
        if self.trained.0[part] {
            &values[self.entries[self.first[part] + entry].range()]
        } else {
            self.fixed(part, entry)
        }
    }

    /// Checks a sequence; `position` is its place for messages.
    fn check(&self, sequence: &[u32], position: usize) -> Result<()> {
        let shape = self.shape();
        let fail = |reason: String| Error::Example {
            example: position,
            reason,
        };
        if sequence.is_empty() || sequence.len() > shape.positions {
            return Err(fail(format!(
                "a sequence of {} pieces: 1 to {} can be read",
                sequence.len(),
                shape.positions
            )));
        }
        match sequence.iter().find(|&&piece| piece as usize >= shape.pieces) {
            Some(piece) => Err(fail(format!("piece {piece} of a vocabulary of {}", shape.pieces))),
            None => Ok(()),
        }
    }
}

/// Whether there are as many numbers as are trained.
fn check_values(transformer: &Transformer, values: &[f32]) -> Result<()> {
    let needed = transformer.trained_numbers();
    if values.len() == needed {
        return Ok(());
    }
    Err(Error::Config(format!(
        "{} numbers for the {needed} trained ones of a transformer",
        values.len()
    )))
}
