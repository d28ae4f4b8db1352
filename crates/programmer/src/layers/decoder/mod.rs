//! The decoder: all programs of a forest, level by level.
//!
//! [`DecoderTape`] records a forward pass for training; [`States`] with [`advance`] keeps no more than the
//! last level, for scoring and stepping. Both run the same layers.

mod scorer;
mod tape;

pub use scorer::{AdvanceScratch, Scorer, States, advance};
pub use tape::{DecoderTape, Loss};

use super::encoder::Memory;
use super::pointer;
use crate::forest::Forest;
use crate::kernels::product::Rows;
use crate::matrix::Matrix;
use crate::network::Network;
use std::ops::Range;

/// The distinct inputs of a forest, and the first layer's projection of them. Those of a level that are variables are
/// known only when the levels before it have run.
#[derive(Clone, Debug, Default)]
struct Inputs {
    values: Matrix,
    projected: Matrix,
}

impl Inputs {
    /// Those of the first level.
    fn begin(&mut self, network: &Network, forest: &Forest, memory: &Memory) {
        let inputs = forest.inputs.len();
        self.values.shape(inputs, network.config().hidden);
        self.projected
            .shape(inputs, network.layers().decoder[0].gate_width());
        self.project(network, forest, memory, 0..forest.inputs_after[0]);
    }

    /// Those that are new after a level has run.
    fn follow(&mut self, network: &Network, forest: &Forest, memory: &Memory, level: usize) {
        let new = forest.inputs_after[level]..forest.inputs_after[level + 1];
        self.project(network, forest, memory, new);
    }

    fn project(&mut self, network: &Network, forest: &Forest, memory: &Memory, new: Range<usize>) {
        for input in new.clone() {
            let slot = forest.inputs[input] as usize;
            self.values.row_mut(input).copy_from_slice(memory.slots.row(slot));
        }
        let values = Rows::span(&self.values, new.start, new.end);
        network.layers().decoder[0].project(values, self.projected.span_mut(new.start, new.end));
    }

    /// All of them.
    fn all(&self) -> Rows<'_> {
        Rows::all(&self.values)
    }

    /// What the first layer reads at some nodes.
    fn of<'a>(&'a self, forest: &'a Forest, nodes: Range<usize>) -> Rows<'a> {
        Rows::indexed(&self.projected, &forest.input[nodes])
    }
}

/// Points at a node's candidates; if the node ends an expression, its output becomes the variable.
fn point(
    forest: &Forest,
    memory: &mut Memory,
    node: usize,
    output: &[f32],
    attention: &[f32],
    log_probability: &mut [f32],
) {
    let candidates = forest.candidate_starts[node]..forest.candidate_starts[node + 1];
    pointer::forward(
        memory,
        output,
        attention,
        forest.candidates(node),
        &mut log_probability[candidates],
    );
    if let Some(slot) = forest.variable[node] {
        memory.slots.row_mut(slot as usize).copy_from_slice(output);
    }
}
