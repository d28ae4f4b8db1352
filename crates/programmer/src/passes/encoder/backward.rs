//! The backward pass of the encoder, and where its gradients come from.

use super::EncoderTape;
use crate::batch::Example;
use crate::kernels::rows::Rows;
use crate::kernels::vector::{add_scaled, scatter_add};
use crate::layers::slots::{SlotGradient, SlotMemory};
use crate::layers::{Source, Sources};
use crate::matrix::Matrix;
use crate::network::Network;

impl EncoderTape {
    /// The reverse of [`forward`](Self::forward). `d_initial` holds, for each layer, the gradients of the
    /// decoder's outputs and cells, of which the first rows are the initial states.
    pub fn backward<'t>(
        &mut self,
        network: &Network,
        examples: &[&Example],
        memory: &SlotMemory,
        gradient: &SlotGradient,
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
                    tape.unmask_sum(0..rows, direction.d_output.data_mut());
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
        self.reading
            .backward(network, examples, Rows::all(d_words), d_columns);
    }

    /// Names the sources of all gradients of the encoder and the memory.
    pub fn sources<'a>(
        &'a self,
        network: &Network,
        memory: &'a SlotMemory,
        gradient: &'a SlotGradient,
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
        self.reading
            .sources(network, Rows::all(d_words), d_columns, sources);
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
