//! What a published encoder adds to tokens and columns: it reads them as one sequence, and what it gives for the
//! pieces of each is averaged.
//!
//! Layers below the lowest trained one give the same for a question every time, so that is kept with the example:
//! if nothing is trained, the averages themselves.

use crate::batch::{Example, Reading};
use crate::dropout::Dropout;
use crate::kernels::rows::Rows;
use crate::kernels::vector::add_scaled;
use crate::layers::Sources;
use crate::matrix::Matrix;
use crate::network::Network;
use crate::transformer::{Transformer, TransformerTape};
use half::f16;
use half::slice::HalfFloatSliceExt;
use std::ops::Range;

/// Published encoders were trained with this dropout; the layers above may have more.
const MOST_DROPOUT: f32 = 0.1;

/// The averages of a shard, and the way back to the encoder's trained layers.
#[derive(Clone, Debug, Default)]
pub struct ReadingTape {
    tape: TransformerTape,
    /// A row for each token.
    pub tokens: Matrix,
    /// A row for each column.
    pub columns: Matrix,
    d_tokens: Matrix,
    d_columns: Matrix,
}

impl ReadingTape {
    /// Reads the examples, if the network has an encoder beneath it. `ids` are their places in the whole batch.
    pub fn forward(
        &mut self,
        network: &Network,
        examples: &[&Example],
        ids: &[u32],
        dropout: Option<Dropout>,
    ) {
        let Some((transformer, values)) = network.encoder() else {
            return;
        };
        let dropout = dropout.map(|dropout| Dropout {
            rate: dropout.rate.min(MOST_DROPOUT),
            ..dropout
        });
        let frozen = !transformer.trained().any();
        if transformer.fixed_layers() > 0 {
            self.fill_kept(transformer, values, examples, frozen);
        }
        let w = transformer.shape().width;
        self.tokens
            .reset(examples.iter().map(|e| e.reading.tokens.len()).sum(), w);
        self.columns
            .reset(examples.iter().map(|e| e.reading.columns.len()).sum(), w);
        if frozen {
            self.take_kept(examples, w);
            return;
        }
        let sequences: Vec<&[u32]> = examples.iter().map(|e| e.reading.pieces.as_slice()).collect();
        if transformer.fixed_layers() > 0 {
            self.tape.found_on(transformer, &sequences, |rows| {
                let mut rest = rows.data_mut();
                for kept in examples.iter().filter_map(|e| e.reading.kept.0.get()) {
                    let (mine, after) = rest.split_at_mut(kept.len());
                    kept.convert_to_f32_slice(mine);
                    rest = after;
                }
            });
        } else {
            self.tape.below(transformer, values, &sequences, ids, dropout);
        }
        self.tape.above(transformer, ids, dropout, network.trainable());
        let (mut token, mut column) = (0, 0);
        for (example, &start) in examples.iter().zip(self.tape.starts()) {
            let reading = &example.reading;
            for range in &reading.tokens {
                average(self.tape.output(), start, range, self.tokens.row_mut(token));
                token += 1;
            }
            for range in &reading.columns {
                average(self.tape.output(), start, range, self.columns.row_mut(column));
                column += 1;
            }
        }
    }

    /// Computes what is to be kept with the examples that do not have it yet.
    fn fill_kept(&mut self, transformer: &Transformer, values: &[f32], examples: &[&Example], frozen: bool) {
        let mut missing: Vec<&Reading> = Vec::new();
        for example in examples {
            let reading = &example.reading;
            // The same example may be there twice.
            if reading.kept.0.get().is_none() && !missing.iter().any(|other| std::ptr::eq(*other, reading)) {
                missing.push(reading);
            }
        }
        if missing.is_empty() {
            return;
        }
        let sequences: Vec<&[u32]> = missing.iter().map(|reading| reading.pieces.as_slice()).collect();
        self.tape.below(transformer, values, &sequences, &[], None);
        let (outputs, starts) = (self.tape.foundation(), self.tape.starts());
        let mut mean = vec![0.0; transformer.shape().width];
        for (reading, ends) in missing.iter().zip(starts.windows(2)) {
            let mut kept = Vec::new();
            let mut keep = |row: &[f32]| kept.extend(row.iter().map(|&x| f16::from_f32(x)));
            if frozen {
                for range in reading.tokens.iter().chain(&reading.columns) {
                    mean.fill(0.0);
                    average(outputs, ends[0], range, &mut mean);
                    keep(&mean);
                }
            } else {
                keep(outputs.span(ends[0], ends[1]));
            }
            // Another thread may have been faster, with the same.
            let _ = reading.kept.0.set(kept);
        }
    }

    /// The averages as they were kept.
    fn take_kept(&mut self, examples: &[&Example], width: usize) {
        let (mut tokens, mut columns) = (self.tokens.data_mut(), self.columns.data_mut());
        for reading in examples.iter().map(|e| &e.reading) {
            let kept = reading.kept.0.get().map_or(&[][..], Vec::as_slice);
            let (of_tokens, of_columns) = kept.split_at(reading.tokens.len() * width);
            let (mine, after) = tokens.split_at_mut(of_tokens.len());
            of_tokens.convert_to_f32_slice(mine);
            tokens = after;
            let (mine, after) = columns.split_at_mut(of_columns.len());
            of_columns.convert_to_f32_slice(mine);
            columns = after;
        }
    }

    /// Leads the gradients of what was added to tokens and columns back through the encoder's trained layers.
    pub fn backward(
        &mut self,
        network: &Network,
        examples: &[&Example],
        d_tokens: Rows<'_>,
        d_columns: Rows<'_>,
    ) {
        let (Some([token, column]), Some((transformer, values))) =
            (&network.layers().reading, network.encoder())
        else {
            return;
        };
        if !transformer.trained().any() {
            return;
        }
        let w = transformer.shape().width;
        self.d_tokens.shape(self.tokens.rows(), w);
        token.backward(d_tokens, false, self.d_tokens.data_mut(), w);
        self.d_columns.shape(self.columns.rows(), w);
        column.backward(d_columns, false, self.d_columns.data_mut(), w);
        let starts = self.tape.starts().to_vec();
        let d_output = self.tape.d_output(w);
        d_output.clear();
        let (mut token, mut column) = (0, 0);
        for (example, &start) in examples.iter().zip(&starts) {
            for range in &example.reading.tokens {
                spread(self.d_tokens.row(token), start, range, d_output);
                token += 1;
            }
            for range in &example.reading.columns {
                spread(self.d_columns.row(column), start, range, d_output);
                column += 1;
            }
        }
        self.tape.backward(transformer, values);
    }

    /// Names the sources of the gradients.
    pub fn sources<'a>(
        &'a self,
        network: &Network,
        d_tokens: Rows<'a>,
        d_columns: Rows<'a>,
        sources: &mut Sources<'a>,
    ) {
        let (Some([token, column]), Some(ids), Some((transformer, _))) = (
            &network.layers().reading,
            network.ids().reading,
            network.encoder(),
        ) else {
            return;
        };
        token.sources(d_tokens, Rows::all(&self.tokens), sources);
        column.sources(d_columns, Rows::all(&self.columns), sources);
        if transformer.trained().any() {
            let mut encoder = Sources::new();
            self.tape.sources(transformer, &mut encoder);
            sources.extend(
                encoder
                    .into_iter()
                    .map(|(entry, source)| (ids.encoder + entry, source)),
            );
        }
    }
}

/// out += the mean of the rows of some pieces of the sequence that starts at `start`.
fn average(rows: &Matrix, start: usize, pieces: &Range<u32>, out: &mut [f32]) {
    let share = 1.0 / pieces.len().max(1) as f32;
    for piece in pieces.clone() {
        add_scaled(share, rows.row(start + piece as usize), out);
    }
}

/// The reverse of [`average`].
fn spread(d: &[f32], start: usize, pieces: &Range<u32>, d_rows: &mut Matrix) {
    let share = 1.0 / pieces.len().max(1) as f32;
    for piece in pieces.clone() {
        add_scaled(share, d, d_rows.row_mut(start + piece as usize));
    }
}
