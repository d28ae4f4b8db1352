//! A linear layer: y = W·x + b.

use super::{Source, Sources};
use crate::kernels::product::{Packed, Start, product};
use crate::kernels::rows::Rows;
use crate::matrix::padded;
use crate::parameters::{Layout, LinearIds};

/// A linear layer with its weights packed in both directions.
#[derive(Clone, Debug)]
pub struct Linear {
    ids: LinearIds,
    forward: Packed,
    backward: Packed,
    bias: Vec<f32>,
}

impl Linear {
    /// A layer without weights.
    pub fn new(ids: LinearIds) -> Self {
        Self {
            ids,
            forward: Packed::default(),
            backward: Packed::default(),
            bias: Vec::new(),
        }
    }

    /// Packs new weights, for the backward pass too if that is wanted.
    pub fn refresh(&mut self, layout: &Layout, values: &[f32], backward: bool) {
        let entry = &layout.entries[self.ids.weight];
        let bias = self.ids.bias.map(|bias| &values[layout.entries[bias].range()]);
        self.pack(&values[entry.range()], (entry.rows, entry.cols), bias, backward);
    }

    /// Packs these weights, of a shape of outputs and inputs.
    pub fn pack(&mut self, weight: &[f32], shape: (usize, usize), bias: Option<&[f32]>, backward: bool) {
        let (outputs, inputs) = shape;
        self.forward.pack_transposed(weight, outputs, inputs, 1);
        if backward {
            self.backward.pack_plain(weight, outputs, inputs, 1);
        }
        self.bias.resize(padded(outputs), 0.0);
        if let Some(bias) = bias {
            self.bias[..outputs].copy_from_slice(bias);
        }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.forward.n()
    }

    /// out = W·x + b for each row.
    pub fn forward(&self, x: Rows<'_>, out: &mut [f32], stride: usize) {
        product(x, &self.forward, Start::Bias(&self.bias), out, stride);
    }

    /// out += W·x for each row, without the bias.
    pub fn add(&self, x: Rows<'_>, out: &mut [f32], stride: usize) {
        product(x, &self.forward, Start::Output, out, stride);
    }

    /// The gradient of the input: Wᵀ·d_output, added to `out` or written.
    pub fn backward(&self, d_output: Rows<'_>, add: bool, out: &mut [f32], stride: usize) {
        let start = if add { Start::Output } else { Start::Zero };
        self.backward_from(d_output, start, out, stride);
    }

    /// out = start + Wᵀ·d_output.
    pub fn backward_from(&self, d_output: Rows<'_>, start: Start<'_>, out: &mut [f32], stride: usize) {
        product(d_output, &self.backward, start, out, stride);
    }

    /// Names the sources of this layer's gradients.
    pub fn sources<'a>(&self, d_output: Rows<'a>, input: Rows<'a>, sources: &mut Sources<'a>) {
        sources.push((
            self.ids.weight,
            Source::Outer {
                d_output,
                input,
                blocks: 1,
            },
        ));
        if let Some(bias) = self.ids.bias {
            sources.push((bias, Source::Sum { d_output, blocks: 1 }));
        }
    }
}
