//! A forward pass with a record of everything, and its backward pass: training.

use super::super::forest::Forest;
use super::inputs::Inputs;
use crate::dropout::{Dropout, Site};
use crate::kernels::product::Start;
use crate::kernels::rows::Rows;
use crate::kernels::vector::{add_scaled, scatter_add};
use crate::layers::Sources;
use crate::layers::lstm::LayerTape;
use crate::layers::pointer::{self, Wish};
use crate::layers::slots::{SlotGradient, SlotMemory};
use crate::matrix::Matrix;
use crate::network::Network;

/// What the decoder computed for a forest, for its backward pass.
#[derive(Clone, Debug, Default)]
pub struct DecoderTape {
    layers: Vec<LayerTape>,
    inputs: Inputs,
    query: Matrix,
    probability: Vec<f32>,
    output: Matrix,
    /// Log-probabilities of all candidates; the gradients of their logits after the backward pass.
    pub log_probability: Vec<f32>,
    d_projected: Matrix,
    d_output: Matrix,
    d_query: Matrix,
    d_state: Matrix,
    d_score: Vec<f32>,
    d_inputs: Matrix,
    d_probability: Vec<f32>,
}

/// The loss of a decoder step, apart from the programs' weights.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Multiplies everything.
    pub scale: f32,
    /// The loss has this times the entropy of each step of each program.
    pub entropy: f32,
}

impl DecoderTape {
    /// Runs all nodes. Variables are written into the memory's slots.
    pub fn forward(
        &mut self,
        network: &Network,
        forest: &Forest,
        memory: &mut SlotMemory,
        dropout: Option<Dropout>,
    ) {
        let (config, layers) = (network.config(), network.layers());
        let h = config.hidden;
        let rec = &forest.recurrence;
        let nodes = forest.len();
        memory.slots.shape(memory.fixed_rows() + forest.variables, h);
        self.layers.resize_with(config.layers, LayerTape::default);
        for (l, tape) in self.layers.iter_mut().enumerate() {
            tape.prepare(rec, h);
            for e in 0..rec.initial {
                tape.hidden.row_mut(e).copy_from_slice(memory.hidden[l].row(e));
                tape.cell.row_mut(e).copy_from_slice(memory.cell[l].row(e));
            }
            if let Some(dropout) = dropout {
                tape.mask.shape(nodes, h);
                tape.masks_sum = dropout.after_skip;
                for level in 0..rec.len() {
                    for node in rec.level(level) {
                        let mask = &mut tape.mask.row_mut(node)[..h];
                        dropout.fill(
                            Site::Decoder { layer: l },
                            forest.maker[node] as usize,
                            level,
                            mask,
                        );
                    }
                }
            }
        }
        self.query.shape(nodes, config.attention);
        self.output.shape(nodes, h);
        self.probability.resize(forest.attention_starts[nodes], 0.0);
        self.log_probability.resize(forest.candidates.len(), 0.0);
        self.inputs.begin(network, forest, memory);
        for level in 0..rec.len() {
            let rows = rec.level(level);
            for (l, lstm) in layers.decoder.iter().enumerate() {
                let (below, above) = self.layers.split_at_mut(l);
                let tape = &mut above[0];
                match below.last() {
                    None => {
                        let projected = self.inputs.of(forest, rows.clone());
                        lstm.forward_level(rec, level, Start::Rows(projected), None, tape);
                    }
                    Some(below) => {
                        let input = Rows::span(&below.output, rows.start, rows.end);
                        lstm.project(input, tape.gates.span_mut(rows.start, rows.end));
                        lstm.forward_level(rec, level, Start::Output, Some(&below.output), tape);
                    }
                }
            }
            let state = Rows::span(&self.layers[config.layers - 1].output, rows.start, rows.end);
            layers.head.forward(
                memory,
                state,
                &forest.example[rows.clone()],
                self.query.span_mut(rows.start, rows.end),
                &mut self.probability[forest.attention_starts[rows.start]..forest.attention_starts[rows.end]],
                self.output.span_mut(rows.start, rows.end),
            );
            for node in rows {
                point(
                    forest,
                    memory,
                    node,
                    self.output.row(node),
                    &self.probability[forest.attention(node)],
                    &mut self.log_probability,
                );
            }
            self.inputs.follow(network, forest, memory, level);
        }
    }

    /// The loss and the summed entropy of all steps of all programs.
    pub fn loss(&self, forest: &Forest, loss: Loss) -> (f64, f64) {
        let (mut sum, mut entropy) = (0.0f64, 0.0f64);
        for node in 0..forest.len() {
            let log_probability =
                &self.log_probability[forest.candidate_starts[node]..forest.candidate_starts[node + 1]];
            for &(position, weight) in forest.choices(node) {
                sum -= f64::from(weight) * f64::from(log_probability[position as usize]);
            }
            entropy += f64::from(forest.count[node] * pointer::entropy(log_probability));
        }
        (
            f64::from(loss.scale) * (sum + f64::from(loss.entropy) * entropy),
            entropy,
        )
    }

    /// Back-propagates the loss into the layers' tapes and `gradient`.
    pub fn backward(
        &mut self,
        network: &Network,
        forest: &Forest,
        memory: &SlotMemory,
        loss: Loss,
        gradient: &mut SlotGradient,
    ) {
        let (config, layers) = (network.config(), network.layers());
        let h = config.hidden;
        let rec = &forest.recurrence;
        let nodes = forest.len();
        gradient.slots.reset(memory.slots.rows(), h);
        gradient.slot_bias.clear();
        gradient.slot_bias.resize(memory.fixed_rows(), 0.0);
        gradient.links.clear();
        gradient.links.resize(memory.links.len(), 0.0);
        gradient.keys.reset(memory.keys.rows(), memory.keys.cols());
        gradient.contents.reset(memory.contents.rows(), h);
        self.layers
            .iter_mut()
            .for_each(|tape| tape.prepare_backward(rec, h));
        let gate_width = layers.decoder[0].gate_width();
        self.d_projected.reset(forest.inputs.len(), gate_width);
        self.d_output.shape(nodes, h);
        self.d_query.shape(nodes, config.attention);
        self.d_probability.clear();
        self.d_probability.resize(forest.attention_starts[nodes], 0.0);
        self.d_score.clear();
        self.d_score.resize(layers.head.query_width(), 0.0);
        for level in (0..rec.len()).rev() {
            let rows = rec.level(level);
            self.gather_input_gradients(
                network,
                forest,
                forest.inputs_after[level],
                forest.inputs_after[level + 1],
                gradient,
            );
            for node in rows.clone() {
                let span = forest.candidate_starts[node]..forest.candidate_starts[node + 1];
                let logits = &mut self.log_probability[span];
                let wish = Wish {
                    chosen: forest.choices(node),
                    scale: loss.scale,
                    entropy: loss.scale * loss.entropy * forest.count[node],
                };
                let d_output = self.d_output.row_mut(node);
                let candidates = forest.candidates(node);
                pointer::backward(
                    memory,
                    self.output.row(node),
                    &self.probability[forest.attention(node)],
                    candidates,
                    wish,
                    logits,
                    gradient,
                    d_output,
                    &mut self.d_probability[forest.attention(node)],
                );
                if let Some(slot) = forest.variable[node] {
                    add_scaled(1.0, gradient.slots.row(slot as usize), d_output);
                }
            }
            self.d_state.shape(rows.len(), h);
            let stride = self.d_state.stride();
            let attention = forest.attention_starts[rows.start]..forest.attention_starts[rows.end];
            layers.head.backward(
                memory,
                &forest.example[rows.clone()],
                self.query.span(rows.start, rows.end),
                &self.probability[attention.clone()],
                Rows::span(&self.d_output, rows.start, rows.end),
                gradient,
                &mut self.d_score,
                &mut self.d_probability[attention],
                self.d_query.span_mut(rows.start, rows.end),
                self.d_state.data_mut(),
            );
            for (l, lstm) in layers.decoder.iter().enumerate().rev() {
                let tape = &mut self.layers[l];
                lstm.backward_level(rec, level, self.d_state.data(), tape);
                let d_gates = Rows::span(&tape.gates, rows.start, rows.end);
                if l > 0 {
                    tape.unmask_sum(rows.clone(), self.d_state.data_mut());
                    lstm.project_backward(d_gates, true, self.d_state.data_mut(), stride);
                } else {
                    scatter_add(
                        d_gates,
                        &forest.input[rows.clone()],
                        self.d_projected.data_mut(),
                        gate_width,
                    );
                }
            }
        }
        self.gather_input_gradients(network, forest, 0, forest.inputs_after[0], gradient);
        for (lstm, tape) in layers.decoder.iter().zip(&mut self.layers) {
            lstm.finish_backward(rec, tape);
        }
    }

    /// From the gradients of projected inputs to those of the slots.
    fn gather_input_gradients(
        &mut self,
        network: &Network,
        forest: &Forest,
        from: usize,
        to: usize,
        gradient: &mut SlotGradient,
    ) {
        self.d_inputs.shape(to - from, network.config().hidden);
        let stride = self.d_inputs.stride();
        let d_projected = Rows::span(&self.d_projected, from, to);
        network.layers().decoder[0].project_backward(d_projected, false, self.d_inputs.data_mut(), stride);
        scatter_add(
            Rows::all(&self.d_inputs),
            &forest.inputs[from..to],
            gradient.slots.data_mut(),
            stride,
        );
    }

    /// The gradients of a layer's outputs and cells, initial states first.
    pub fn d_states(&self, layer: usize) -> (&Matrix, &Matrix) {
        (&self.layers[layer].d_hidden, &self.layers[layer].d_cell)
    }

    /// Names the sources of all gradients of the decoder.
    pub fn sources<'a>(&'a self, network: &Network, sources: &mut Sources<'a>) {
        let layers = network.layers();
        for (l, (lstm, tape)) in layers.decoder.iter().zip(&self.layers).enumerate() {
            if l == 0 {
                lstm.input_sources(Rows::all(&self.d_projected), self.inputs.all(), sources);
            } else {
                lstm.input_sources(
                    Rows::all(&tape.gates),
                    Rows::all(&self.layers[l - 1].output),
                    sources,
                );
            }
            lstm.recurrent_source(tape, sources);
        }
        let top = &self.layers[self.layers.len() - 1].output;
        layers.head.sources(
            Rows::all(top),
            Rows::all(&self.d_output),
            Rows::all(&self.d_query),
            &self.d_score,
            sources,
        );
    }
}

/// Points at a node's candidates; if the node ends an expression, its output becomes the variable.
fn point(
    forest: &Forest,
    memory: &mut SlotMemory,
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
