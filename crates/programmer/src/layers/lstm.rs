//! An LSTM layer over rows that advance in levels.
//!
//! A [`Recurrence`] says which rows are computed together and which row each continues. It describes the
//! packed time steps of questions, flat programs and prefix trees alike: in a tree several rows continue the
//! same one.

use super::{Source, Sources};
use crate::kernels::gates::{self, CellState};
use crate::kernels::product::{Packed, Start, product};
use crate::kernels::rows::Rows;
use crate::kernels::vector::{multiply, scatter_add};
use crate::matrix::{Matrix, padded};
use crate::parameters::{Layout, LstmIds};
use std::ops::Range;

/// Rows in levels. State matrices have `initial` rows for the states before the first level, then one for
/// each row.
#[derive(Clone, Debug, Default)]
pub struct Recurrence {
    /// Where each level starts, and the end of the last.
    pub levels: Vec<usize>,
    /// For each row, the state row that it continues. Rows of the first level have one only if `initial` is
    /// not zero.
    pub parents: Vec<u32>,
    /// Number of initial states; with none, rows of the first level start from zeros.
    pub initial: usize,
}

impl Recurrence {
    /// Number of levels.
    pub fn len(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.levels.last().copied().unwrap_or(0)
    }

    /// The rows of a level.
    pub fn level(&self, level: usize) -> Range<usize> {
        self.levels[level]..self.levels[level + 1]
    }

    fn continues(&self, level: usize) -> bool {
        level > 0 || self.initial > 0
    }

    /// The first row that continues another.
    fn first_continuing(&self) -> usize {
        if self.initial > 0 || self.len() == 0 {
            0
        } else {
            self.levels[1]
        }
    }
}

/// The weights of a layer.
#[derive(Clone, Debug)]
pub struct Lstm {
    ids: LstmIds,
    hidden: usize,
    input: Packed,
    input_backward: Packed,
    recurrent: Packed,
    recurrent_backward: Packed,
    bias: Vec<f32>,
}

/// Everything that a layer computes in a forward pass and needs again in the backward pass.
#[derive(Clone, Debug, Default)]
pub struct LayerTape {
    /// Gate activations; the gradients of the pre-activations after the backward pass.
    pub gates: Matrix,
    /// Cells, with the initial ones first.
    pub cell: Matrix,
    /// Outputs that the next step reads, with the initial ones first.
    pub hidden: Matrix,
    tanh_cell: Matrix,
    /// Outputs that the next layer reads.
    pub output: Matrix,
    /// Dropout masks of the outputs; no rows when there is no dropout.
    pub mask: Matrix,
    /// Whether the masks are those of the sum with what a residual connection brings.
    pub masks_sum: bool,
    /// Gradients of `hidden`.
    pub d_hidden: Matrix,
    /// Gradients of `cell`.
    pub d_cell: Matrix,
    /// What each row continued, gathered for the weight gradient.
    previous: Matrix,
    first_continuing: usize,
    scratch: Matrix,
}

impl LayerTape {
    /// Makes room for a forward pass.
    pub fn prepare(&mut self, recurrence: &Recurrence, hidden: usize) {
        let rows = recurrence.rows();
        self.gates.shape(rows, 4 * padded(hidden));
        self.cell.shape(recurrence.initial + rows, hidden);
        self.hidden.shape(recurrence.initial + rows, hidden);
        self.tanh_cell.shape(rows, hidden);
        self.output.shape(rows, hidden);
        self.mask.shape(0, hidden);
        self.masks_sum = false;
    }

    /// Turns the gradient of some rows' sum of output and input into that of the two: both were masked, if the sum was.
    pub fn unmask_sum(&self, rows: Range<usize>, d_sum: &mut [f32]) {
        if self.masks_sum && self.mask.rows() > 0 {
            multiply(self.mask.span(rows.start, rows.end), d_sum);
        }
    }

    /// Makes room for a backward pass.
    pub fn prepare_backward(&mut self, recurrence: &Recurrence, hidden: usize) {
        self.d_hidden
            .reset(recurrence.initial + recurrence.rows(), hidden);
        self.d_cell.reset(recurrence.initial + recurrence.rows(), hidden);
    }
}

impl Lstm {
    /// A layer without weights.
    pub fn new(ids: LstmIds) -> Self {
        Self {
            ids,
            hidden: 0,
            input: Packed::default(),
            input_backward: Packed::default(),
            recurrent: Packed::default(),
            recurrent_backward: Packed::default(),
            bias: Vec::new(),
        }
    }

    /// Packs new weights.
    pub fn refresh(&mut self, layout: &Layout, values: &[f32], backward: bool) {
        let (input, recurrent) = (
            &layout.entries[self.ids.input],
            &layout.entries[self.ids.recurrent],
        );
        self.hidden = recurrent.cols;
        let (x, h) = (&values[input.range()], &values[recurrent.range()]);
        self.input.pack_transposed(x, input.rows, input.cols, 4);
        self.recurrent
            .pack_transposed(h, recurrent.rows, recurrent.cols, 4);
        if backward {
            self.input_backward.pack_plain(x, input.rows, input.cols, 4);
            self.recurrent_backward
                .pack_plain(h, recurrent.rows, recurrent.cols, 4);
        }
        let width = padded(self.hidden);
        self.bias.resize(4 * width, 0.0);
        let bias = &values[layout.entries[self.ids.bias].range()];
        for gate in 0..4 {
            self.bias[gate * width..][..self.hidden]
                .copy_from_slice(&bias[gate * self.hidden..][..self.hidden]);
        }
    }

    /// Width of a row of gates.
    pub fn gate_width(&self) -> usize {
        4 * padded(self.hidden)
    }

    /// The input's part of the pre-activations, with the bias.
    pub fn project(&self, input: Rows<'_>, out: &mut [f32]) {
        product(
            input,
            &self.input,
            Start::Bias(&self.bias),
            out,
            self.gate_width(),
        );
    }

    /// The gradient of the input, from the gradient of the pre-activations; added to `out` or written.
    pub fn project_backward(&self, d_gates: Rows<'_>, add: bool, out: &mut [f32], stride: usize) {
        let start = if add { Start::Output } else { Start::Zero };
        product(d_gates, &self.input_backward, start, out, stride);
    }

    /// One step for some rows: `projected` is what [`project`](Self::project) gave for their inputs (or
    /// [`Start::Output`] if it is in `gates` already), `previous` the outputs and cells that they continue.
    pub fn step(
        &self,
        projected: Start<'_>,
        previous: Option<(Rows<'_>, Rows<'_>)>,
        mask: Option<&[f32]>,
        residual: Option<&[f32]>,
        gates: &mut [f32],
        out: CellState<'_>,
    ) {
        let cells = match previous {
            Some((hidden, cells)) => {
                product(hidden, &self.recurrent, projected, gates, self.gate_width());
                Some(cells)
            }
            None => {
                debug_assert!(
                    matches!(projected, Start::Output),
                    "first steps are projected in place"
                );
                None
            }
        };
        gates::forward(padded(self.hidden), gates, cells, mask, residual, out);
    }

    /// One level of a recorded forward pass; see [`step`](Self::step).
    pub fn forward_level(
        &self,
        recurrence: &Recurrence,
        level: usize,
        projected: Start<'_>,
        residual: Option<&Matrix>,
        tape: &mut LayerTape,
    ) {
        let rows = recurrence.level(level);
        let state = recurrence.initial + rows.start;
        let width = padded(self.hidden);
        let (cells_before, cells) = tape.cell.data_mut().split_at_mut(state * width);
        let (hidden_before, hidden) = tape.hidden.data_mut().split_at_mut(state * width);
        let count = rows.len() * width;
        let parents = &recurrence.parents[rows.clone()];
        let previous = recurrence.continues(level).then(|| {
            (
                Rows::slice(hidden_before, width).at(parents),
                Rows::slice(cells_before, width).at(parents),
            )
        });
        let mask = (tape.mask.rows() > 0).then(|| tape.mask.span(rows.start, rows.end));
        let (mask, mask_of_sum) = match tape.masks_sum && residual.is_some() {
            true => (None, mask),
            false => (mask, None),
        };
        self.step(
            projected,
            previous,
            mask,
            residual.map(|x| x.span(rows.start, rows.end)),
            tape.gates.span_mut(rows.start, rows.end),
            CellState {
                cell: &mut cells[..count],
                hidden: &mut hidden[..count],
                tanh_cell: Some(tape.tanh_cell.span_mut(rows.start, rows.end)),
                output: tape.output.span_mut(rows.start, rows.end),
            },
        );
        if let Some(mask) = mask_of_sum {
            multiply(mask, tape.output.span_mut(rows.start, rows.end));
        }
    }

    /// The reverse of [`forward_level`](Self::forward_level): turns the level's gates into gradients of the
    /// pre-activations and adds to the gradients of the states that the level continued. `d_output` has the
    /// level's rows alone.
    pub fn backward_level(
        &self,
        recurrence: &Recurrence,
        level: usize,
        d_output: &[f32],
        tape: &mut LayerTape,
    ) {
        let rows = recurrence.level(level);
        let state = recurrence.initial + rows.start;
        let width = padded(self.hidden);
        let count = rows.len() * width;
        let parents = &recurrence.parents[rows.clone()];
        let continues = recurrence.continues(level);
        let (d_hidden_before, d_hidden) = tape.d_hidden.data_mut().split_at_mut(state * width);
        let (d_cell_before, d_cell) = tape.d_cell.data_mut().split_at_mut(state * width);
        let d_cell = &mut d_cell[..count];
        let cells = continues.then(|| Rows::slice(&tape.cell.data()[..state * width], width).at(parents));
        let mask = (tape.mask.rows() > 0).then(|| tape.mask.span(rows.start, rows.end));
        gates::backward(
            width,
            tape.gates.span_mut(rows.start, rows.end),
            cells,
            mask,
            tape.tanh_cell.span(rows.start, rows.end),
            d_output,
            &d_hidden[..count],
            d_cell,
        );
        if continues {
            tape.scratch.shape(rows.len(), self.hidden);
            let d_gates = Rows::span(&tape.gates, rows.start, rows.end);
            product(
                d_gates,
                &self.recurrent_backward,
                Start::Zero,
                tape.scratch.data_mut(),
                width,
            );
            scatter_add(Rows::all(&tape.scratch), parents, d_hidden_before, width);
            scatter_add(Rows::slice(d_cell, width), parents, d_cell_before, width);
        }
    }

    /// Gathers what the recurrent weights' gradient needs, once all levels are done.
    pub fn finish_backward(&self, recurrence: &Recurrence, tape: &mut LayerTape) {
        let first = recurrence.first_continuing();
        tape.first_continuing = first;
        tape.previous.shape(recurrence.rows() - first, self.hidden);
        for (r, &parent) in recurrence.parents[first..].iter().enumerate() {
            tape.previous
                .row_mut(r)
                .copy_from_slice(tape.hidden.row(parent as usize));
        }
    }

    /// Names the sources of the recurrent weights' gradient.
    pub fn recurrent_source<'a>(&self, tape: &'a LayerTape, sources: &mut Sources<'a>) {
        let d_output = Rows::span(&tape.gates, tape.first_continuing, tape.gates.rows());
        let input = Rows::all(&tape.previous);
        sources.push((
            self.ids.recurrent,
            Source::Outer {
                d_output,
                input,
                blocks: 4,
            },
        ));
    }

    /// Names the sources of the input weights' and the bias's gradient.
    pub fn input_sources<'a>(&self, d_gates: Rows<'a>, input: Rows<'a>, sources: &mut Sources<'a>) {
        sources.push((
            self.ids.input,
            Source::Outer {
                d_output: d_gates,
                input,
                blocks: 4,
            },
        ));
        sources.push((
            self.ids.bias,
            Source::Sum {
                d_output: d_gates,
                blocks: 4,
            },
        ));
    }
}
