//! A forward pass that keeps the last level only: stepping.

use crate::kernels::gates::CellState;
use crate::kernels::product::Start;
use crate::kernels::rows::Rows;
use crate::layers::slots::SlotMemory;
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
    memory: &SlotMemory,
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
