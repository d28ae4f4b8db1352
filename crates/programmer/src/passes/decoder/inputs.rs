//! What the decoder reads at the nodes of a forest.

use super::super::forest::Forest;
use crate::kernels::rows::Rows;
use crate::layers::slots::SlotMemory;
use crate::matrix::Matrix;
use crate::network::Network;
use std::ops::Range;

/// The distinct inputs of a forest, and the first layer's projection of them. Those of a level that are
/// variables are known only when the levels before it have run.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    values: Matrix,
    projected: Matrix,
}

impl Inputs {
    /// Those of the first level.
    pub fn begin(&mut self, network: &Network, forest: &Forest, memory: &SlotMemory) {
        let inputs = forest.inputs.len();
        self.values.shape(inputs, network.config().hidden);
        self.projected
            .shape(inputs, network.layers().decoder[0].gate_width());
        self.project(network, forest, memory, 0..forest.inputs_after[0]);
    }

    /// Those that are new after a level has run.
    pub fn follow(&mut self, network: &Network, forest: &Forest, memory: &SlotMemory, level: usize) {
        let new = forest.inputs_after[level]..forest.inputs_after[level + 1];
        self.project(network, forest, memory, new);
    }

    fn project(&mut self, network: &Network, forest: &Forest, memory: &SlotMemory, new: Range<usize>) {
        for input in new.clone() {
            let slot = forest.inputs[input] as usize;
            self.values.row_mut(input).copy_from_slice(memory.slots.row(slot));
        }
        let values = Rows::span(&self.values, new.start, new.end);
        network.layers().decoder[0].project(values, self.projected.span_mut(new.start, new.end));
    }

    /// All of them.
    pub fn all(&self) -> Rows<'_> {
        Rows::all(&self.values)
    }

    /// What the first layer reads at some nodes.
    pub fn of<'a>(&'a self, forest: &'a Forest, nodes: Range<usize>) -> Rows<'a> {
        Rows::indexed(&self.projected, &forest.input[nodes])
    }
}
