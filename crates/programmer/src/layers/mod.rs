//! The layers: each with its forward and backward pass, serving training, scoring and stepping alike.

pub mod embedding;
pub mod gradient;
pub mod head;
pub mod linear;
pub mod links;
pub mod lstm;
pub mod pointer;
pub mod slots;

use crate::matrix::Matrix;
use crate::parameters::{EntryId, Ids, Layout};
use head::Head;
use linear::Linear;
use links::Links;
use lstm::Lstm;
use rayon::prelude::*;

/// All layers with their weights packed for products.
#[derive(Clone, Debug)]
pub struct Layers {
    /// Word vector → token vector.
    pub word_projection: Linear,
    /// Mean word vector → column slot.
    pub column_projection: Linear,
    /// The encoder's stacks, left to right and right to left.
    pub encoder: [Vec<Lstm>; 2],
    /// The halves of the encoder's output projection.
    pub encoder_output: [Linear; 2],
    /// The decoder's stack.
    pub decoder: Vec<Lstm>,
    /// Attention and output.
    pub head: Head,
    /// Mean word vector of a column's cells → what is added to the column's vector.
    pub cell_projection: Option<Linear>,
    /// The links between tokens and columns.
    pub links: Option<Links>,
    /// A published encoder's outputs → what is added to tokens and to columns.
    pub reading: Option<[Linear; 2]>,
}

/// Anything that keeps a packed copy of parameters.
enum Part<'a> {
    Linear(&'a mut Linear),
    Lstm(&'a mut Lstm),
}

impl Layers {
    /// Layers without weights; [`refresh`](Self::refresh) fills them.
    pub fn new(ids: &Ids) -> Self {
        let stack = |lstms: &[crate::parameters::LstmIds]| lstms.iter().map(|&ids| Lstm::new(ids)).collect();
        Self {
            word_projection: Linear::new(ids.word_projection),
            column_projection: Linear::new(ids.column_projection),
            encoder: [stack(&ids.encoder[0]), stack(&ids.encoder[1])],
            encoder_output: ids.encoder_output.map(Linear::new),
            decoder: stack(&ids.decoder),
            head: Head::new(ids),
            cell_projection: ids.cell_projection.map(Linear::new),
            links: ids.links.map(Links::new),
            reading: ids
                .reading
                .map(|reading| [reading.token, reading.column].map(Linear::new)),
        }
    }

    /// Packs new parameter values. On a thread of a pool the parts are packed in parallel.
    pub fn refresh(&mut self, layout: &Layout, values: &[f32], backward: bool) {
        self.head.refresh_score(layout, values);
        if let Some(links) = &mut self.links {
            links.refresh_features(layout, values);
        }
        let [forth, back] = &mut self.encoder;
        let lstms = forth
            .iter_mut()
            .chain(back)
            .chain(&mut self.decoder)
            .map(Part::Lstm);
        let [first, second] = &mut self.encoder_output;
        let linears = [
            &mut self.word_projection,
            &mut self.column_projection,
            first,
            second,
        ];
        let linears = linears
            .into_iter()
            .chain(self.head.linears())
            .chain(&mut self.cell_projection)
            .chain(self.links.iter_mut().flat_map(Links::linears))
            .chain(self.reading.iter_mut().flatten())
            .map(Part::Linear);
        let parts: Vec<Part<'_>> = lstms.chain(linears).collect();
        let pack = |part: Part<'_>| match part {
            Part::Linear(linear) => linear.refresh(layout, values, backward),
            Part::Lstm(lstm) => lstm.refresh(layout, values, backward),
        };
        if rayon::current_thread_index().is_some() {
            parts.into_par_iter().for_each(pack);
        } else {
            parts.into_iter().for_each(pack);
        }
    }
}

/// Where the gradient of an entry comes from in one shard of a batch. Weight gradients are products over all
/// rows of the shard, made once at the end.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// d_outputᵀ·input, for weights.
    Outer {
        /// Gradient of the outputs.
        d_output: crate::kernels::rows::Rows<'a>,
        /// The inputs, in the same order.
        input: crate::kernels::rows::Rows<'a>,
        /// The outputs come in this many blocks, each padded.
        blocks: usize,
    },
    /// Column sums, for biases.
    Sum {
        /// Gradient of the outputs.
        d_output: crate::kernels::rows::Rows<'a>,
        /// The outputs come in this many blocks, each padded.
        blocks: usize,
    },
    /// Rows that are the gradient itself, from this row of the matrix on.
    Rows(&'a Matrix, usize),
    /// Numbers that are the gradient itself.
    Plain(&'a [f32]),
    /// Rows of a matrix that are added to rows of the entry: (row of the entry, row of the matrix, factor).
    Lookup(&'a Matrix, &'a [(u32, u32, f32)]),
}

/// The sources of one shard, by entry.
pub type Sources<'a> = Vec<(EntryId, Source<'a>)>;
