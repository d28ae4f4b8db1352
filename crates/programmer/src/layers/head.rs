//! From the decoder's state to its output: additive attention and a linear layer.
//!
//! output = A·state + C·Σ probability·content + b. C is applied to the contents of all tokens beforehand
//! ([`SlotMemory::contents`]), which gives the same numbers for fewer products.

use super::linear::Linear;
use super::slots::{SlotGradient, SlotMemory};
use super::{Source, Sources};
use crate::kernels::attention;
use crate::kernels::rows::Rows;
use crate::matrix::{Matrix, padded};
use crate::parameters::{EntryId, Ids, Layout};

/// The layers of attention and output.
#[derive(Clone, Debug)]
pub struct Head {
    key: Linear,
    content: Linear,
    query: Linear,
    output_state: Linear,
    output_context: Linear,
    score_id: EntryId,
    score: Vec<f32>,
}

impl Head {
    /// Layers without weights.
    pub fn new(ids: &Ids) -> Self {
        Self {
            key: Linear::new(ids.key),
            content: Linear::new(ids.content),
            query: Linear::new(ids.query),
            output_state: Linear::new(ids.output_state),
            output_context: Linear::new(ids.output_context),
            score_id: ids.score,
            score: Vec::new(),
        }
    }

    pub(super) fn refresh_score(&mut self, layout: &Layout, values: &[f32]) {
        let entry = &layout.entries[self.score_id];
        self.score.resize(padded(entry.cols), 0.0);
        self.score[..entry.cols].copy_from_slice(&values[entry.range()]);
    }

    pub(super) fn linears(&mut self) -> [&mut Linear; 5] {
        [
            &mut self.key,
            &mut self.content,
            &mut self.query,
            &mut self.output_state,
            &mut self.output_context,
        ]
    }

    /// Padded width of queries.
    pub fn query_width(&self) -> usize {
        self.score.len()
    }

    /// Keys and contents of all tokens.
    pub fn project(&self, encoded: &Matrix, raw_contents: &mut Matrix, memory: &mut SlotMemory) {
        let (rows, hidden) = (encoded.rows(), encoded.cols());
        memory.keys.shape(rows, self.query_width());
        let stride = memory.keys.stride();
        self.key
            .forward(Rows::all(encoded), memory.keys.data_mut(), stride);
        raw_contents.shape(rows, hidden);
        memory.contents.shape(rows, hidden);
        let stride = raw_contents.stride();
        self.content
            .forward(Rows::all(encoded), raw_contents.data_mut(), stride);
        self.output_context
            .forward(Rows::all(raw_contents), memory.contents.data_mut(), stride);
    }

    /// The reverse of [`project`](Self::project): writes the gradient of the encoder's outputs.
    pub fn project_backward(
        &self,
        gradient: &SlotGradient,
        d_raw_contents: &mut Matrix,
        d_encoded: &mut Matrix,
    ) {
        d_raw_contents.shape(d_encoded.rows(), d_encoded.cols());
        let stride = d_encoded.stride();
        self.output_context.backward(
            Rows::all(&gradient.contents),
            false,
            d_raw_contents.data_mut(),
            stride,
        );
        self.content
            .backward(Rows::all(d_raw_contents), false, d_encoded.data_mut(), stride);
        self.key
            .backward(Rows::all(&gradient.keys), true, d_encoded.data_mut(), stride);
    }

    /// Names the sources of the gradients of what [`project`](Self::project) used.
    pub fn project_sources<'a>(
        &self,
        gradient: &'a SlotGradient,
        d_raw_contents: &'a Matrix,
        encoded: &'a Matrix,
        raw_contents: &'a Matrix,
        sources: &mut Sources<'a>,
    ) {
        self.key
            .sources(Rows::all(&gradient.keys), Rows::all(encoded), sources);
        self.content
            .sources(Rows::all(d_raw_contents), Rows::all(encoded), sources);
        self.output_context
            .sources(Rows::all(&gradient.contents), Rows::all(raw_contents), sources);
    }

    fn source<'a>(&'a self, memory: &'a SlotMemory, example: usize) -> attention::Source<'a> {
        let (from, to) = (memory.tokens[example], memory.tokens[example + 1]);
        attention::Source {
            keys: memory.keys.span(from, to),
            key_width: memory.keys.stride(),
            contents: memory.contents.span(from, to),
            content_width: memory.contents.stride(),
            score: &self.score,
        }
    }

    /// Outputs for some states. `examples` names the example of each row; `probability` has as many numbers
    /// for a row as its example has tokens, `query` a row for each.
    pub fn forward(
        &self,
        memory: &SlotMemory,
        state: Rows<'_>,
        examples: &[u32],
        query: &mut [f32],
        mut probability: &mut [f32],
        out: &mut [f32],
    ) {
        let (query_width, width) = (self.query_width(), memory.contents.stride());
        self.query.forward(state, query, query_width);
        self.output_state.forward(state, out, width);
        for (row, &example) in examples.iter().enumerate() {
            let source = self.source(memory, example as usize);
            let (mine, rest) = probability.split_at_mut(source.keys.len() / query_width);
            attention::forward(
                source,
                &query[row * query_width..(row + 1) * query_width],
                mine,
                &mut out[row * width..(row + 1) * width],
            );
            probability = rest;
        }
    }

    /// The reverse of [`forward`](Self::forward): writes the gradients of queries and states, adds to those
    /// of memory and score weights. `d_probability` comes with what the probabilities' gradient has from
    /// elsewhere.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        &self,
        memory: &SlotMemory,
        examples: &[u32],
        query: &[f32],
        mut probability: &[f32],
        d_out: Rows<'_>,
        gradient: &mut SlotGradient,
        d_score: &mut [f32],
        mut d_probability: &mut [f32],
        d_query: &mut [f32],
        d_state: &mut [f32],
    ) {
        let (query_width, width) = (self.query_width(), memory.contents.stride());
        for (row, &example) in examples.iter().enumerate() {
            let source = self.source(memory, example as usize);
            let (from, to) = (
                memory.tokens[example as usize],
                memory.tokens[example as usize + 1],
            );
            let (mine, rest) = probability.split_at(to - from);
            let (d_mine, d_rest) = d_probability.split_at_mut(to - from);
            attention::backward(
                source,
                &query[row * query_width..(row + 1) * query_width],
                mine,
                d_out.row(row),
                d_mine,
                attention::SourceGradient {
                    keys: gradient.keys.span_mut(from, to),
                    contents: gradient.contents.span_mut(from, to),
                    score: d_score,
                },
                &mut d_query[row * query_width..(row + 1) * query_width],
            );
            probability = rest;
            d_probability = d_rest;
        }
        self.output_state.backward(d_out, false, d_state, width);
        self.query
            .backward(Rows::slice(d_query, query_width), true, d_state, width);
    }

    /// Names the sources of the gradients of what [`forward`](Self::forward) used.
    pub fn sources<'a>(
        &self,
        state: Rows<'a>,
        d_out: Rows<'a>,
        d_query: Rows<'a>,
        d_score: &'a [f32],
        sources: &mut Sources<'a>,
    ) {
        self.output_state.sources(d_out, state, sources);
        self.query.sources(d_query, state, sources);
        sources.push((self.score_id, Source::Plain(d_score)));
    }
}
