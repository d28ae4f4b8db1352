//! The encoder: questions and columns in, memory out.

mod backward;

use super::reading::ReadingTape;
use crate::batch::Example;
use crate::dropout::{Dropout, Site};
use crate::kernels::product::Start;
use crate::kernels::rows::Rows;
use crate::kernels::vector::add_scaled;
use crate::layers::embedding::Lookup;
use crate::layers::links::LinkTape;
use crate::layers::lstm::{LayerTape, Recurrence};
use crate::layers::slots::SlotMemory;
use crate::matrix::Matrix;
use crate::network::Network;

/// One direction of the encoder.
#[derive(Clone, Debug, Default)]
struct Direction {
    layers: Vec<LayerTape>,
    /// The token of each row, and the row of each token.
    token: Vec<u32>,
    row: Vec<u32>,
    /// The inputs in the order of the rows, for the weight gradient.
    inputs: Matrix,
    /// The gradient of the encoder's output, in the order of the rows.
    d_encoded: Matrix,
    d_output: Matrix,
}

/// What the encoder computed, for its backward pass.
#[derive(Clone, Debug, Default)]
pub struct EncoderTape {
    recurrence: Recurrence,
    /// For each row, its example and time step.
    places: Vec<(u32, u32)>,
    /// For each example, the row of its last time step.
    last: Vec<u32>,
    reading: ReadingTape,
    tokens: Lookup,
    columns: Lookup,
    cells: Lookup,
    /// (kind, slot, 1) of every constant whose kind is known.
    constant_kinds: Vec<(u32, u32, f32)>,
    /// The columns' vectors: their slots before they see the question.
    column_vectors: Matrix,
    links: LinkTape,
    embedded: Matrix,
    directions: [Direction; 2],
    /// The encoder's outputs, token after token.
    pub encoded: Matrix,
    raw_contents: Matrix,
    d_embedded: Matrix,
    d_encoded: Matrix,
    d_raw_contents: Matrix,
    d_tokens: Matrix,
    d_columns: Matrix,
    d_cells: Matrix,
    d_column_vectors: Matrix,
    d_feature: Vec<f32>,
    d_column_slots: Matrix,
    d_inputs: Matrix,
    order: Vec<u32>,
}

impl EncoderTape {
    /// Lays the questions side by side, the longest first, so that the rows of a time step are those of the
    /// time step before that go on.
    fn arrange(&mut self, examples: &[&Example], starts: &[usize]) {
        self.order.clear();
        self.order.extend(0..examples.len() as u32);
        self.order
            .sort_by_key(|&e| std::cmp::Reverse(examples[e as usize].tokens.len()));
        let rec = &mut self.recurrence;
        rec.levels.clear();
        rec.levels.push(0);
        rec.parents.clear();
        rec.initial = 0;
        self.places.clear();
        self.last.clear();
        self.last.resize(examples.len(), 0);
        let longest = self
            .order
            .first()
            .map_or(0, |&e| examples[e as usize].tokens.len());
        for step in 0..longest {
            let before = if step > 0 { rec.levels[step - 1] } else { 0 };
            for (position, &e) in self.order.iter().enumerate() {
                let length = examples[e as usize].tokens.len();
                if length <= step {
                    break;
                }
                if length == step + 1 {
                    self.last[e as usize] = self.places.len() as u32;
                }
                self.places.push((e, step as u32));
                rec.parents.push((before + position) as u32);
            }
            rec.levels.push(self.places.len());
        }
        for (d, direction) in self.directions.iter_mut().enumerate() {
            direction.token.clear();
            direction.token.extend(self.places.iter().map(|&(e, step)| {
                let (from, to) = (starts[e as usize], starts[e as usize + 1]);
                (if d == 0 {
                    from + step as usize
                } else {
                    to - 1 - step as usize
                }) as u32
            }));
            direction.row.clear();
            direction.row.resize(self.places.len(), 0);
            for (row, &token) in direction.token.iter().enumerate() {
                direction.row[token as usize] = row as u32;
            }
        }
    }

    /// Reads the examples. `ids` are their places in the whole batch, for dropout masks.
    pub fn forward(
        &mut self,
        network: &Network,
        examples: &[&Example],
        ids: &[u32],
        dropout: Option<Dropout>,
        memory: &mut SlotMemory,
    ) {
        let (config, layers) = (network.config(), network.layers());
        let (h, f) = (config.hidden, config.token_features);
        memory.prepare(config.builtins, examples, h);
        self.arrange(examples, &memory.tokens);
        let rows = self.recurrence.rows();
        let trained = network.entry(network.ids().word_rows);

        self.tokens.tokens(network.words(), trained, examples);
        self.embedded.shape(rows, h + f);
        let stride = self.embedded.stride();
        layers
            .word_projection
            .forward(Rows::all(&self.tokens.vectors), self.embedded.data_mut(), stride);
        if let Some([reading, _]) = &layers.reading {
            self.reading.forward(network, examples, ids, dropout);
            let tokens = Rows::all(&self.reading.tokens);
            reading.add(tokens, self.embedded.data_mut(), stride);
        }
        for (token, features) in examples
            .iter()
            .flat_map(|e| (0..e.tokens.len()).map(|t| &e.token_features[t * f..(t + 1) * f]))
            .enumerate()
        {
            self.embedded.row_mut(token)[h..h + f].copy_from_slice(features);
        }
        self.read_columns(network, examples);
        if let Some(links) = &layers.links {
            self.links
                .see_columns(links, examples, &self.column_vectors, &mut self.embedded);
        }

        for (d, direction) in self.directions.iter_mut().enumerate() {
            direction.layers.resize_with(config.layers, LayerTape::default);
            for (l, lstm) in layers.encoder[d].iter().enumerate() {
                let (below, above) = direction.layers.split_at_mut(l);
                let tape = &mut above[0];
                tape.prepare(&self.recurrence, h);
                if let Some(dropout) = dropout {
                    tape.mask.shape(rows, h);
                    tape.masks_sum = dropout.after_skip;
                    for (row, &(e, step)) in self.places.iter().enumerate() {
                        let site = Site::Encoder {
                            direction: d,
                            layer: l,
                        };
                        let mask = &mut tape.mask.row_mut(row)[..h];
                        dropout.fill(site, ids[e as usize] as usize, step as usize, mask);
                    }
                }
                let input = match below.last() {
                    None => Rows::indexed(&self.embedded, &direction.token),
                    Some(below) => Rows::all(&below.output),
                };
                lstm.project(input, tape.gates.data_mut());
                for level in 0..self.recurrence.len() {
                    let residual = below.last().map(|below| &below.output);
                    lstm.forward_level(&self.recurrence, level, Start::Output, residual, tape);
                }
            }
        }

        self.encoded.shape(rows, h);
        let stride = self.encoded.stride();
        let top = |direction: usize| {
            let direction = &self.directions[direction];
            Rows::indexed(&direction.layers[config.layers - 1].output, &direction.row)
        };
        layers.encoder_output[0].forward(top(0), self.encoded.data_mut(), stride);
        layers.encoder_output[1].add(top(1), self.encoded.data_mut(), stride);
        self.fill_memory(network, examples, memory);
    }

    /// The vectors of the columns: name, type and cells.
    fn read_columns(&mut self, network: &Network, examples: &[&Example]) {
        let (layers, words) = (network.layers(), network.words());
        let trained = network.entry(network.ids().word_rows);
        self.columns.columns(words, trained, examples);
        self.column_vectors
            .shape(self.columns.vectors.rows(), network.config().hidden);
        let stride = self.column_vectors.stride();
        layers.column_projection.forward(
            Rows::all(&self.columns.vectors),
            self.column_vectors.data_mut(),
            stride,
        );
        if let Some(projection) = &layers.cell_projection {
            self.cells.cells(words, trained, examples);
            let cells = Rows::all(&self.cells.vectors);
            projection.add(cells, self.column_vectors.data_mut(), stride);
        }
        if let Some([_, reading]) = &layers.reading {
            let columns = Rows::all(&self.reading.columns);
            reading.add(columns, self.column_vectors.data_mut(), stride);
        }
    }

    fn fill_memory(&mut self, network: &Network, examples: &[&Example], memory: &mut SlotMemory) {
        let (config, layers, ids) = (network.config(), network.layers(), network.ids());
        let h = config.hidden;
        let rows = self.encoded.rows();
        layers.head.project(&self.encoded, &mut self.raw_contents, memory);

        // Slots.
        let (builtins, start) = (network.entry(ids.builtins), network.entry(ids.start));
        for (row, slot) in builtins.chunks_exact(h).chain(std::iter::once(start)).enumerate() {
            memory.slots.row_mut(row)[..h].copy_from_slice(slot);
        }
        let stride = memory.slots.stride();
        let first = memory.columns[0];
        let slots = memory.slots.span_mut(first, first + self.column_vectors.rows());
        slots.copy_from_slice(self.column_vectors.data());
        match &layers.links {
            Some(links) => {
                self.links
                    .see_question(links, examples, &self.encoded, slots, stride);
                self.links.point(links, examples, memory);
            }
            None => {
                memory.links.clear();
                memory.link_starts.clear();
            }
        }
        memory.slot_bias.clear();
        memory.slot_bias.resize(memory.slots.rows(), 0.0);
        let weights = network.entry(ids.column_feature);
        let features = examples
            .iter()
            .flat_map(|e| e.columns.features().chunks_exact(config.column_features.max(1)));
        for (bias, features) in memory.slot_bias[first..].iter_mut().zip(features) {
            *bias = features.iter().zip(weights).map(|(x, w)| x * w).sum();
        }
        let kinds = ids.constant_kinds.map(|kinds| network.entry(kinds));
        self.constant_kinds.clear();
        let mut row = memory.constants[0];
        for (example, &from) in examples.iter().zip(&memory.tokens) {
            for (constant, span) in example.constants.iter().enumerate() {
                let slot = memory.slots.row_mut(row);
                slot.fill(0.0);
                add_scaled(0.5, self.encoded.row(from + span.first as usize), slot);
                add_scaled(0.5, self.encoded.row(from + span.last as usize), slot);
                if let Some(kinds) = kinds {
                    let kind = example.constant_kinds[constant];
                    add_scaled(1.0, &kinds[kind as usize * h..][..h], &mut slot[..h]);
                    self.constant_kinds.push((kind, row as u32, 1.0));
                }
                row += 1;
            }
        }

        // Initial states of the decoder: the final states of the first direction.
        debug_assert!(rows >= examples.len());
        memory.hidden.resize_with(config.layers, Matrix::default);
        memory.cell.resize_with(config.layers, Matrix::default);
        for (l, tape) in self.directions[0].layers.iter().enumerate() {
            memory.hidden[l].shape(examples.len(), h);
            memory.cell[l].shape(examples.len(), h);
            for (e, &row) in self.last.iter().enumerate() {
                memory.hidden[l]
                    .row_mut(e)
                    .copy_from_slice(tape.hidden.row(row as usize));
                memory.cell[l]
                    .row_mut(e)
                    .copy_from_slice(tape.cell.row(row as usize));
            }
        }
    }
}
