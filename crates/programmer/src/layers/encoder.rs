//! The encoder: questions and columns in, memory out.

use super::embedding::Lookup;
use super::links::LinkTape;
use super::lstm::{LayerTape, Recurrence};
use super::{Source, Sources};
use crate::batch::Example;
use crate::kernels::product::{Rows, Start};
use crate::kernels::vector::{add_scaled, scatter_add};
use crate::matrix::Matrix;
use crate::network::Network;
use crate::random::fill_mask;
use std::ops::Range;

/// Dropout of the LSTM outputs.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// Probability that a number is dropped.
    pub rate: f32,
    /// Seed of the masks; the same seed gives the same masks, however the batch is cut.
    pub seed: u64,
}

/// Where a mask is used; together with an id and a step it names a row of masks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Site {
    Encoder { direction: usize, layer: usize },
    Decoder { layer: usize },
}

impl Dropout {
    /// Fills the mask of one row.
    pub(crate) fn fill(&self, site: Site, id: usize, step: usize, mask: &mut [f32]) {
        let site = match site {
            Site::Encoder { direction, layer } => 2 * layer + direction,
            Site::Decoder { layer } => 128 + layer,
        };
        let place = (site as u64) << 56 | (id as u64) << 24 | step as u64;
        fill_mask(self.seed, place, self.rate, mask);
    }
}

/// What the decoder reads: a slot for each token that a program may contain, and the attention's keys and
/// contents. Slots are rows in the order: built-ins, the input of the first step, columns of all examples,
/// constants of all examples, variables.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The slots.
    pub slots: Matrix,
    /// What a slot's features add to its logit.
    pub slot_bias: Vec<f32>,
    /// What the attention to each token adds to the logits of columns: for each column as many numbers as its
    /// example has tokens; nothing in a network without links.
    pub links: Vec<f32>,
    /// Where the links of each column start, and the end of the last.
    pub link_starts: Vec<usize>,
    /// Keys of all tokens.
    pub keys: Matrix,
    /// Contents of all tokens, already multiplied by the output layer's weights: it is linear, so this gives
    /// the same sum with one product for each token instead of one for each decoder step.
    pub contents: Matrix,
    /// Where the tokens of each example start, and the end of the last.
    pub tokens: Vec<usize>,
    /// The first column slot of each example, and the end of the last.
    columns: Vec<usize>,
    /// The first constant slot of each example, and the end of the last.
    constants: Vec<usize>,
    builtins: usize,
    /// Initial outputs of the decoder, a matrix for each layer with a row for each example.
    pub hidden: Vec<Matrix>,
    /// Initial cells of the decoder.
    pub cell: Vec<Matrix>,
}

/// What a slot number of an example stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotRow {
    /// A row of the memory.
    Fixed(u32),
    /// A variable, by its number.
    Variable(usize),
}

impl Memory {
    /// Number of examples.
    pub fn examples(&self) -> usize {
        self.tokens.len().saturating_sub(1)
    }

    /// The row of the first step's input.
    pub fn start_row(&self) -> u32 {
        self.builtins as u32
    }

    /// Number of rows before the variables.
    pub fn fixed_rows(&self) -> usize {
        self.constants.last().copied().unwrap_or(self.builtins + 1)
    }

    /// Finds a slot of an example.
    pub fn slot(&self, example: usize, slot: u32) -> SlotRow {
        let slot = slot as usize;
        let columns = self.columns[example + 1] - self.columns[example];
        let constants = self.constants[example + 1] - self.constants[example];
        if slot < self.builtins {
            SlotRow::Fixed(slot as u32)
        } else if slot < self.builtins + columns {
            SlotRow::Fixed((self.columns[example] + slot - self.builtins) as u32)
        } else if slot < self.builtins + columns + constants {
            SlotRow::Fixed((self.constants[example] + slot - self.builtins - columns) as u32)
        } else {
            SlotRow::Variable(slot - self.builtins - columns - constants)
        }
    }

    /// Where the links of a slot are, if it is a column's and there are any.
    pub fn link(&self, slot: u32) -> Option<Range<usize>> {
        let column = (slot as usize).checked_sub(self.builtins + 1)?;
        let end = *self.link_starts.get(column + 1)?;
        Some(self.link_starts[column]..end)
    }

    fn prepare(&mut self, builtins: usize, examples: &[&Example], hidden: usize) {
        fn starts(out: &mut Vec<usize>, first: usize, counts: impl Iterator<Item = usize>) -> usize {
            out.clear();
            out.push(first);
            let mut sum = first;
            out.extend(counts.map(|n| {
                sum += n;
                sum
            }));
            sum
        }
        self.builtins = builtins;
        starts(&mut self.tokens, 0, examples.iter().map(|e| e.tokens.len()));
        let next = starts(
            &mut self.columns,
            builtins + 1,
            examples.iter().map(|e| e.columns.len()),
        );
        let rows = starts(
            &mut self.constants,
            next,
            examples.iter().map(|e| e.constants.len()),
        );
        self.slots.shape(rows, hidden);
    }
}

/// Gradients of a [`Memory`].
#[derive(Clone, Debug, Default)]
pub struct MemoryGradient {
    /// Of the slots, variables included.
    pub slots: Matrix,
    /// Of the slots' biases.
    pub slot_bias: Vec<f32>,
    /// Of the links.
    pub links: Vec<f32>,
    /// Of the keys.
    pub keys: Matrix,
    /// Of the contents.
    pub contents: Matrix,
}

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
        memory: &mut Memory,
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
    }

    fn fill_memory(&mut self, network: &Network, examples: &[&Example], memory: &mut Memory) {
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

    /// The reverse of [`forward`](Self::forward). `d_initial` holds, for each layer, the gradients of the
    /// decoder's outputs and cells, of which the first rows are the initial states.
    pub fn backward<'t>(
        &mut self,
        network: &Network,
        examples: &[&Example],
        memory: &Memory,
        gradient: &MemoryGradient,
        d_initial: impl Fn(usize) -> (&'t Matrix, &'t Matrix),
    ) {
        let (config, layers) = (network.config(), network.layers());
        let (h, f) = (config.hidden, config.token_features);
        let rows = self.recurrence.rows();

        // What the memory gives back to the encoder's outputs, to columns and to features.
        self.d_encoded.shape(rows, h);
        layers
            .head
            .project_backward(gradient, &mut self.d_raw_contents, &mut self.d_encoded);
        let mut row = memory.constants[0];
        for (example, &from) in examples.iter().zip(&memory.tokens) {
            for span in &example.constants {
                let d_slot = gradient.slots.row(row);
                add_scaled(0.5, d_slot, self.d_encoded.row_mut(from + span.first as usize));
                add_scaled(0.5, d_slot, self.d_encoded.row_mut(from + span.last as usize));
                row += 1;
            }
        }
        let (first, count) = (memory.columns[0], self.columns.vectors.rows());
        self.d_column_slots.shape(count, h);
        self.d_column_slots
            .data_mut()
            .copy_from_slice(gradient.slots.span(first, first + count));
        self.d_column_vectors.shape(count, h);
        self.d_column_vectors
            .data_mut()
            .copy_from_slice(self.d_column_slots.data());
        if let Some(links) = &layers.links {
            self.links.see_question_backward(
                links,
                examples,
                &self.encoded,
                &gradient.links,
                &self.d_column_slots,
                &mut self.d_encoded,
            );
        }
        self.d_feature.clear();
        self.d_feature.resize(config.column_features, 0.0);
        let features = examples
            .iter()
            .flat_map(|e| e.columns.features().chunks_exact(config.column_features.max(1)));
        for (features, d) in features.zip(&gradient.slot_bias[first..]) {
            self.d_feature
                .iter_mut()
                .zip(features)
                .for_each(|(sum, x)| *sum += d * x);
        }

        self.d_embedded.reset(rows, h + f);
        for (d, direction) in self.directions.iter_mut().enumerate() {
            let lstms = &layers.encoder[d];
            gather(&self.d_encoded, &direction.token, &mut direction.d_encoded);
            direction.d_output.shape(rows, h);
            let stride = direction.d_output.stride();
            let d_encoded = Rows::all(&direction.d_encoded);
            layers.encoder_output[d].backward(d_encoded, false, direction.d_output.data_mut(), stride);
            for (l, lstm) in lstms.iter().enumerate().rev() {
                let tape = &mut direction.layers[l];
                tape.prepare_backward(&self.recurrence, h);
                if d == 0 {
                    let (d_hidden, d_cell) = d_initial(l);
                    for (e, &row) in self.last.iter().enumerate() {
                        tape.d_hidden
                            .row_mut(row as usize)
                            .copy_from_slice(d_hidden.row(e));
                        tape.d_cell.row_mut(row as usize).copy_from_slice(d_cell.row(e));
                    }
                }
                for level in (0..self.recurrence.len()).rev() {
                    let span = self.recurrence.level(level);
                    lstm.backward_level(
                        &self.recurrence,
                        level,
                        direction.d_output.span(span.start, span.end),
                        tape,
                    );
                }
                lstm.finish_backward(&self.recurrence, tape);
                let d_gates = Rows::all(&tape.gates);
                if l > 0 {
                    // The residual connection: the input's gradient joins the output's.
                    lstm.project_backward(d_gates, true, direction.d_output.data_mut(), stride);
                } else {
                    self.d_inputs.shape(rows, h + f);
                    let stride = self.d_inputs.stride();
                    lstm.project_backward(d_gates, false, self.d_inputs.data_mut(), stride);
                    scatter_add(
                        Rows::all(&self.d_inputs),
                        &direction.token,
                        self.d_embedded.data_mut(),
                        stride,
                    );
                }
            }
            gather(&self.embedded, &direction.token, &mut direction.inputs);
        }
        if let Some(links) = &layers.links {
            self.links.see_columns_backward(
                links,
                examples,
                &self.column_vectors,
                &self.d_embedded,
                &mut self.d_column_vectors,
            );
        }
        self.d_columns.shape(count, config.vector);
        let stride = self.d_columns.stride();
        let d_columns = Rows::all(&self.d_column_vectors);
        layers
            .column_projection
            .backward(d_columns, false, self.d_columns.data_mut(), stride);
        if let Some(projection) = &layers.cell_projection {
            self.d_cells.shape(count, config.vector);
            projection.backward(d_columns, false, self.d_cells.data_mut(), stride);
        }
        self.d_tokens.shape(rows, config.vector);
        let d_words = match &layers.links {
            Some(_) => &self.links.d_words,
            None => &self.d_embedded,
        };
        layers
            .word_projection
            .backward(Rows::all(d_words), false, self.d_tokens.data_mut(), stride);
    }

    /// Names the sources of all gradients of the encoder and the memory.
    pub fn sources<'a>(
        &'a self,
        network: &Network,
        memory: &'a Memory,
        gradient: &'a MemoryGradient,
        sources: &mut Sources<'a>,
    ) {
        let (layers, ids) = (network.layers(), network.ids());
        sources.push((ids.word_rows, Source::Lookup(&self.d_tokens, &self.tokens.uses)));
        sources.push((ids.word_rows, Source::Lookup(&self.d_columns, &self.columns.uses)));
        let d_words = match &layers.links {
            Some(_) => &self.links.d_words,
            None => &self.d_embedded,
        };
        layers
            .word_projection
            .sources(Rows::all(d_words), Rows::all(&self.tokens.vectors), sources);
        let d_columns = Rows::all(&self.d_column_vectors);
        layers
            .column_projection
            .sources(d_columns, Rows::all(&self.columns.vectors), sources);
        if let Some(projection) = &layers.cell_projection {
            sources.push((ids.word_rows, Source::Lookup(&self.d_cells, &self.cells.uses)));
            projection.sources(d_columns, Rows::all(&self.cells.vectors), sources);
        }
        if let Some(links) = &layers.links {
            self.links.sources(
                links,
                &self.column_vectors,
                &self.d_embedded,
                &self.d_column_slots,
                sources,
            );
        }
        if let Some(kinds) = ids.constant_kinds {
            sources.push((kinds, Source::Lookup(&gradient.slots, &self.constant_kinds)));
        }
        for (d, direction) in self.directions.iter().enumerate() {
            for (l, (lstm, tape)) in layers.encoder[d].iter().zip(&direction.layers).enumerate() {
                let input = if l == 0 {
                    &direction.inputs
                } else {
                    &direction.layers[l - 1].output
                };
                lstm.input_sources(Rows::all(&tape.gates), Rows::all(input), sources);
                lstm.recurrent_source(tape, sources);
            }
            let top = &direction.layers[direction.layers.len() - 1].output;
            layers.encoder_output[d].sources(Rows::all(&direction.d_encoded), Rows::all(top), sources);
        }
        sources.push((ids.builtins, Source::Rows(&gradient.slots, 0)));
        sources.push((ids.start, Source::Rows(&gradient.slots, memory.builtins)));
        sources.push((ids.column_feature, Source::Plain(&self.d_feature)));
        layers.head.project_sources(
            gradient,
            &self.d_raw_contents,
            &self.encoded,
            &self.raw_contents,
            sources,
        );
    }
}

/// Row i of `out` becomes row `index[i]` of `from`.
fn gather(from: &Matrix, index: &[u32], out: &mut Matrix) {
    out.shape(index.len(), from.cols());
    for (row, &at) in index.iter().enumerate() {
        out.row_mut(row).copy_from_slice(from.row(at as usize));
    }
}
