//! A forward pass that keeps the last level only: scoring and stepping.

use super::super::encoder::Memory;
use super::{Inputs, point};
use crate::forest::Forest;
use crate::kernels::gates::CellState;
use crate::kernels::product::{Rows, Start};
use crate::matrix::Matrix;
use crate::network::Network;

/// The decoder's state for some partial programs: a matrix for each layer.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// Outputs.
    pub hidden: Vec<Matrix>,
    /// Cells.
    pub cell: Vec<Matrix>,
}

/// Buffers for [`advance`].
#[derive(Clone, Debug, Default)]
pub struct AdvanceScratch {
    gates: Matrix,
    outputs: Vec<Matrix>,
    query: Matrix,
    probability: Vec<f32>,
    /// Where the probabilities of each row start, and the end of the last.
    starts: Vec<usize>,
}

impl AdvanceScratch {
    /// The attention of a row of the last step to the tokens of its question.
    pub fn attention(&self, row: usize) -> &[f32] {
        &self.probability[self.starts[row]..self.starts[row + 1]]
    }
}

/// One step for some partial programs, without a record: row i continues row `parents[i]` of `before`, reads
/// the projected input i and leaves its state in `after` and its output in `out`.
#[allow(clippy::too_many_arguments)]
pub fn advance(
    network: &Network,
    memory: &Memory,
    projected: Rows<'_>,
    examples: &[u32],
    parents: &[u32],
    before: (&[Matrix], &[Matrix]),
    after: &mut States,
    scratch: &mut AdvanceScratch,
    out: &mut Matrix,
) {
    let (config, layers) = (network.config(), network.layers());
    let (h, rows) = (config.hidden, examples.len());
    after.hidden.resize_with(config.layers, Matrix::default);
    after.cell.resize_with(config.layers, Matrix::default);
    scratch.outputs.resize_with(config.layers, Matrix::default);
    scratch.gates.shape(rows, layers.decoder[0].gate_width());
    for (l, lstm) in layers.decoder.iter().enumerate() {
        let previous = (
            Rows::indexed(&before.0[l], parents),
            Rows::indexed(&before.1[l], parents),
        );
        after.hidden[l].shape(rows, h);
        after.cell[l].shape(rows, h);
        let (below, above) = scratch.outputs.split_at_mut(l);
        above[0].shape(rows, h);
        let start = match below.last() {
            None => Start::Rows(projected),
            Some(below) => {
                lstm.project(Rows::all(below), scratch.gates.data_mut());
                Start::Output
            }
        };
        lstm.step(
            start,
            Some(previous),
            None,
            below.last().map(|below| below.data()),
            scratch.gates.data_mut(),
            CellState {
                cell: after.cell[l].data_mut(),
                hidden: after.hidden[l].data_mut(),
                tanh_cell: None,
                output: above[0].data_mut(),
            },
        );
    }
    scratch.query.shape(rows, config.attention);
    let tokens = |e: u32| memory.tokens[e as usize + 1] - memory.tokens[e as usize];
    let mut end = 0;
    scratch.starts.clear();
    scratch.starts.push(0);
    scratch.starts.extend(examples.iter().map(|&e| {
        end += tokens(e);
        end
    }));
    scratch.probability.resize(end, 0.0);
    out.shape(rows, h);
    layers.head.forward(
        memory,
        Rows::all(&scratch.outputs[config.layers - 1]),
        examples,
        scratch.query.data_mut(),
        &mut scratch.probability,
        out.data_mut(),
    );
}

/// Scores the programs of a forest.
#[derive(Clone, Debug, Default)]
pub struct Scorer {
    states: [States; 2],
    scratch: AdvanceScratch,
    inputs: Inputs,
    output: Matrix,
    parents: Vec<u32>,
    /// Log-probabilities of all candidates of the forest.
    pub log_probability: Vec<f32>,
}

impl Scorer {
    /// Runs all nodes. Variables are written into the memory's slots.
    pub fn run(&mut self, network: &Network, forest: &Forest, memory: &mut Memory) {
        let h = network.config().hidden;
        let rec = &forest.recurrence;
        memory.slots.shape(memory.fixed_rows() + forest.variables, h);
        self.log_probability.resize(forest.candidates.len(), 0.0);
        self.inputs.begin(network, forest, memory);
        for level in 0..rec.len() {
            let rows = rec.level(level);
            let base = if level == 0 {
                0
            } else {
                rec.initial + rec.levels[level - 1]
            };
            self.parents.clear();
            self.parents
                .extend(rec.parents[rows.clone()].iter().map(|&p| p - base as u32));
            let (one, two) = self.states.split_at_mut(1);
            let (before, after) = if level % 2 == 0 {
                (&two[0], &mut one[0])
            } else {
                (&one[0], &mut two[0])
            };
            let before = match level {
                0 => (&memory.hidden[..], &memory.cell[..]),
                _ => (&before.hidden[..], &before.cell[..]),
            };
            advance(
                network,
                memory,
                self.inputs.of(forest, rows.clone()),
                &forest.example[rows.clone()],
                &self.parents,
                before,
                after,
                &mut self.scratch,
                &mut self.output,
            );
            for (row, node) in rows.enumerate() {
                point(
                    forest,
                    memory,
                    node,
                    self.output.row(row),
                    self.scratch.attention(row),
                    &mut self.log_probability,
                );
            }
            self.inputs.follow(network, forest, memory, level);
        }
    }
}
