//! A pass of some sequences through all layers, and back.

use super::Transformer;
use super::block::{BlockTape, Buffers, NormTape};
use crate::dropout::{Dropout, Site};
use crate::kernels::norm::Norm;
use crate::kernels::vector::{add_scaled, multiply};
use crate::layers::{Source, Sources};
use crate::matrix::Matrix;
use crate::weights::embeddings::{BIAS, GAIN, POSITIONS, SEGMENTS, WORDS};

/// What a transformer computed for some sequences, which lie one after the other without padding.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransformerTape {
    /// Where each sequence starts, and the end of the last.
    starts: Vec<usize>,
    /// (piece, row, 1) and (position, row, 1) of every row.
    pieces: Vec<(u32, u32, f32)>,
    positions: Vec<(u32, u32, f32)>,
    norm: NormTape,
    /// What the embeddings gave, or, if it was `given`, the layers below the lowest trained one.
    embedded: Matrix,
    given: bool,
    /// The dropout of the embeddings, which comes after their normalisation.
    mask: Matrix,
    /// The layers from the lowest trained one on; those below need no record and take turns.
    blocks: Vec<BlockTape>,
    turns: [BlockTape; 2],
    /// Layers below the lowest trained part.
    fixed: usize,
    d: Matrix,
    /// Gradient of the vector of the first segment, which all pieces share.
    d_segment: Vec<f32>,
    buffers: Buffers,
}

impl TransformerTape {
    /// Reads the sequences. `ids` are their places in the whole batch, for dropout masks. With `learn` the tape
    /// has what [`backward`](Self::backward) needs. Dropout begins at the lowest trained part: what lies below
    /// gives the same every time.
    pub fn forward(
        &mut self,
        transformer: &Transformer,
        values: &[f32],
        sequences: &[&[u32]],
        ids: &[u32],
        dropout: Option<Dropout>,
        learn: bool,
    ) {
        self.below(transformer, values, sequences, ids, dropout);
        self.above(transformer, ids, dropout, learn);
    }

    /// Reads the sequences up to the lowest trained part; [`foundation`](Self::foundation) is what that gave.
    pub fn below(
        &mut self,
        transformer: &Transformer,
        values: &[f32],
        sequences: &[&[u32]],
        ids: &[u32],
        dropout: Option<Dropout>,
    ) {
        let lowest = transformer.trained.lowest();
        self.given = false;
        self.blocks
            .resize_with(transformer.blocks.len(), BlockTape::default);
        self.fixed = transformer.fixed_layers();
        self.lay_out(sequences);
        self.embed(transformer, values, ids, dropout.filter(|_| lowest == Some(0)));
        for layer in 0..self.fixed {
            self.pass(transformer, layer, ids, None, false);
        }
    }

    /// What [`below`](Self::below) gave, a row for each piece.
    pub fn foundation(&self) -> &Matrix {
        self.output_of(self.fixed)
    }

    /// Takes what [`below`](Self::below) gave for these sequences on another day from rows that `fill` writes.
    pub fn found_on(
        &mut self,
        transformer: &Transformer,
        sequences: &[&[u32]],
        fill: impl FnOnce(&mut Matrix),
    ) {
        self.blocks
            .resize_with(transformer.blocks.len(), BlockTape::default);
        self.fixed = transformer.fixed_layers();
        self.lay_out(sequences);
        self.given = true;
        self.embedded.shape(self.pieces.len(), transformer.shape().width);
        fill(&mut self.embedded);
    }

    /// Goes on from there to the last layer.
    pub fn above(&mut self, transformer: &Transformer, ids: &[u32], dropout: Option<Dropout>, learn: bool) {
        for layer in self.fixed..transformer.blocks.len() {
            self.pass(transformer, layer, ids, dropout, learn);
        }
    }

    fn pass(
        &mut self,
        transformer: &Transformer,
        layer: usize,
        ids: &[u32],
        dropout: Option<Dropout>,
        keep: bool,
    ) {
        // The layer's own tape is taken out, so that the one below can be read.
        let mut tape = std::mem::take(self.tape_of(layer));
        let mut buffers = std::mem::take(&mut self.buffers);
        for (branch, norm) in tape.norms.iter_mut().enumerate() {
            let (branch, width) = (1 + 2 * layer + branch, transformer.shape().width);
            mask(&mut norm.mask, branch, &self.starts, ids, width, dropout);
        }
        let x = self.output_of(layer);
        transformer.blocks[layer].forward(x, &self.starts, keep, &mut tape, &mut buffers);
        self.buffers = buffers;
        *self.tape_of(layer) = tape;
    }

    fn tape_of(&mut self, layer: usize) -> &mut BlockTape {
        if layer < self.fixed {
            &mut self.turns[layer % 2]
        } else {
            &mut self.blocks[layer]
        }
    }

    /// The output of the embeddings (0) or of the layer before `layer`.
    fn output_of(&self, layer: usize) -> &Matrix {
        match layer.checked_sub(1) {
            None => &self.embedded,
            Some(below) if below >= self.fixed => &self.blocks[below].output,
            Some(_) if self.given => &self.embedded,
            Some(below) => &self.turns[below % 2].output,
        }
    }

    /// The last layer's outputs, a row for each piece of all sequences.
    pub fn output(&self) -> &Matrix {
        self.output_of(self.blocks.len())
    }

    /// Where each sequence starts among the rows, and the end of the last.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    fn lay_out(&mut self, sequences: &[&[u32]]) {
        self.starts.clear();
        self.starts.push(0);
        self.pieces.clear();
        self.positions.clear();
        for sequence in sequences {
            for (position, &piece) in sequence.iter().enumerate() {
                let row = self.pieces.len() as u32;
                self.pieces.push((piece, row, 1.0));
                self.positions.push((position as u32, row, 1.0));
            }
            self.starts.push(self.pieces.len());
        }
    }

    fn embed(&mut self, transformer: &Transformer, values: &[f32], ids: &[u32], dropout: Option<Dropout>) {
        let w = transformer.shape().width;
        let [words, positions, segments, gain, bias] =
            [WORDS, POSITIONS, SEGMENTS, GAIN, BIAS].map(|entry| transformer.entry(values, 0, entry));
        self.norm.branch.shape(self.pieces.len(), w);
        for (&(piece, row, _), &(position, ..)) in self.pieces.iter().zip(&self.positions) {
            let out = self.norm.branch.row_mut(row as usize);
            out.copy_from_slice(&words[piece as usize * w..][..w]);
            add_scaled(1.0, &positions[position as usize * w..][..w], out);
            add_scaled(1.0, &segments[..w], out);
        }
        self.norm.forward(Norm { gain, bias }, &[], &mut self.embedded);
        mask(&mut self.mask, 0, &self.starts, ids, w, dropout);
        multiply(self.mask.data(), self.embedded.data_mut());
    }

    /// Where the caller writes the gradient of the outputs before [`backward`](Self::backward).
    pub fn d_output(&mut self, width: usize) -> &mut Matrix {
        self.d.shape(self.pieces.len(), width);
        &mut self.d
    }

    /// Leads the gradient of the outputs down to the lowest trained part.
    pub fn backward(&mut self, transformer: &Transformer, values: &[f32]) {
        let Some(lowest) = transformer.trained.lowest() else {
            return;
        };
        for (layer, block) in transformer.blocks.iter().enumerate().skip(self.fixed).rev() {
            let wanted = layer + 1 > lowest;
            block.backward(
                &self.starts,
                &mut self.blocks[layer],
                &mut self.d,
                wanted,
                &mut self.buffers,
            );
        }
        if lowest == 0 {
            multiply(self.mask.data(), self.d.data_mut());
            let gain = transformer.entry(values, 0, GAIN);
            self.norm.backward(gain, &self.d, &mut Matrix::default());
            let w = transformer.shape().width;
            self.d_segment.clear();
            self.d_segment.resize(transformer.shape().segments * w, 0.0);
            for row in 0..self.norm.d_branch.rows() {
                add_scaled(1.0, self.norm.d_branch.row(row), &mut self.d_segment[..w]);
            }
        }
    }

    /// Names the sources of the gradients of all trained parts.
    pub fn sources<'a>(&'a self, transformer: &Transformer, sources: &mut Sources<'a>) {
        if transformer.trained.0[0] {
            let first = transformer.first[0];
            let d = &self.norm.d_branch;
            sources.push((first + WORDS, Source::Lookup(d, &self.pieces)));
            sources.push((first + POSITIONS, Source::Lookup(d, &self.positions)));
            sources.push((first + SEGMENTS, Source::Plain(&self.d_segment)));
            self.norm.sources(first + GAIN, sources);
        }
        for (layer, block) in transformer.blocks.iter().enumerate() {
            if transformer.trained.0[layer + 1] {
                block.sources(self.output_of(layer), &self.blocks[layer], sources);
            }
        }
    }
}

/// Fills the mask of a branch, or empties it.
fn mask(
    mask: &mut Matrix,
    branch: usize,
    starts: &[usize],
    ids: &[u32],
    width: usize,
    dropout: Option<Dropout>,
) {
    let Some(dropout) = dropout else {
        mask.shape(0, width);
        return;
    };
    mask.shape(starts.last().copied().unwrap_or(0), width);
    for (ends, &id) in starts.windows(2).zip(ids) {
        for row in ends[0]..ends[1] {
            let site = Site::Transformer { branch };
            dropout.fill(site, id as usize, row - ends[0], mask.row_mut(row));
        }
    }
}
