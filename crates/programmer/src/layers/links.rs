//! Links between the tokens of a question and the columns: how they see each other.
//!
//! The score of token t and column c is w·f + (A·e)·(B·r)/√width, with f the pair's features, e the token's
//! vector and r the column's. It is used three times, each time with weights w of its own:
//!
//! - a token looks at the columns: what it sees, Σ p(c|t)·r, is added to its vector through a linear layer,
//!   before the encoder reads it;
//! - a column looks at the question: Σ q(t|c)·(encoder's output) is added to its slot through another;
//! - the decoder's attention points at columns: Σ attention(t)·(w·f) is added to the column's logit.
//!
//! Both looks may also be at nothing, whose score is trained.

use super::linear::Linear;
use super::slots::SlotMemory;
use super::{Source, Sources};
use crate::batch::Example;
use crate::kernels::mixture::{
    feature_scores, feature_scores_backward, mix, mix_backward, softmax, softmax_backward,
};
use crate::kernels::rows::Rows;
use crate::kernels::vector::{add_scaled, dots};
use crate::matrix::Matrix;
use crate::parameters::{EntryId, Layout, LinkIds};
use std::ops::Range;

/// Places of the weights by use, as in [`LinkIds::features`].
const TOKEN: usize = 0;
const COLUMN: usize = 1;
const ATTENTION: usize = 2;

/// The layers of the links.
#[derive(Clone, Debug)]
pub struct Links {
    token: Linear,
    column: Linear,
    to_token: Linear,
    to_column: Linear,
    feature_ids: [EntryId; 3],
    features: [Vec<f32>; 3],
    none_ids: [EntryId; 2],
    none: [f32; 2],
    /// Width of the keys.
    width: usize,
}

impl Links {
    /// Layers without weights.
    pub fn new(ids: LinkIds) -> Self {
        Self {
            token: Linear::new(ids.token),
            column: Linear::new(ids.column),
            to_token: Linear::new(ids.to_token),
            to_column: Linear::new(ids.to_column),
            feature_ids: ids.features,
            features: Default::default(),
            none_ids: ids.none,
            none: [0.0; 2],
            width: 0,
        }
    }

    pub(super) fn refresh_features(&mut self, layout: &Layout, values: &[f32]) {
        if let Some(links) = layout.ids.links {
            self.width = layout.entries[links.token.weight].rows;
        }
        for (&id, weights) in self.feature_ids.iter().zip(&mut self.features) {
            weights.clear();
            weights.extend_from_slice(&values[layout.entries[id].range()]);
        }
        for (&id, none) in self.none_ids.iter().zip(&mut self.none) {
            *none = values[layout.entries[id].offset];
        }
    }

    pub(super) fn linears(&mut self) -> [&mut Linear; 4] {
        [
            &mut self.token,
            &mut self.column,
            &mut self.to_token,
            &mut self.to_column,
        ]
    }

    fn scale(&self) -> f32 {
        1.0 / (self.width as f32).sqrt()
    }
}

/// The tokens and columns of one example among those of a shard, and where its pairs start.
#[derive(Clone, Debug)]
struct Place {
    tokens: Range<usize>,
    columns: Range<usize>,
    pairs: usize,
}

impl Place {
    fn pairs(&self) -> Range<usize> {
        self.pairs..self.pairs + self.tokens.len() * self.columns.len()
    }

    /// Where the distribution over the columns of a token of this example is, nothing being its last.
    fn seen(&self, token: usize) -> Range<usize> {
        // Every token before has one number more than it has pairs.
        let width = self.columns.len() + 1;
        let start = self.pairs + self.tokens.start + token * width;
        start..start + width
    }

    /// Where the distribution over the tokens of a column of this example is, nothing being its last.
    fn asked(&self, column: usize) -> Range<usize> {
        let width = self.tokens.len() + 1;
        let start = self.pairs + self.columns.start + column * width;
        start..start + width
    }
}

/// What the links computed for a shard, for their backward pass.
#[derive(Clone, Debug, Default)]
pub struct LinkTape {
    places: Vec<Place>,
    /// Vectors of the tokens before they see columns.
    words: Matrix,
    token_keys: Matrix,
    column_keys: Matrix,
    /// (A·e)·(B·r)/√width of all pairs, token after token.
    likeness: Vec<f32>,
    /// Distributions of the tokens over columns, and of the columns over tokens.
    seen: Vec<f32>,
    asked: Vec<f32>,
    token_context: Matrix,
    column_context: Matrix,
    /// Numbers for all pairs of one example.
    scores: Vec<f32>,
    d_likeness: Vec<f32>,
    d_features: [Vec<f32>; 3],
    d_none: [[f32; 1]; 2],
    d_token_keys: Matrix,
    d_column_keys: Matrix,
    d_token_context: Matrix,
    d_column_context: Matrix,
    /// Gradients of the tokens' vectors before they see columns.
    pub d_words: Matrix,
    d_row: Vec<f32>,
}

impl LinkTape {
    fn arrange(&mut self, examples: &[&Example]) {
        self.places.clear();
        let (mut token, mut column, mut pairs) = (0, 0, 0);
        for example in examples {
            let (n, m) = (example.tokens.len(), example.columns.len());
            self.places.push(Place {
                tokens: token..token + n,
                columns: column..column + m,
                pairs,
            });
            token += n;
            column += m;
            pairs += n * m;
        }
        self.likeness.resize(pairs, 0.0);
        self.seen.resize(pairs + token, 0.0);
        self.asked.resize(pairs + column, 0.0);
    }

    /// Tokens look at columns: what each sees is added to the first numbers of its row of `embedded`.
    pub fn see_columns(
        &mut self,
        links: &Links,
        examples: &[&Example],
        columns: &Matrix,
        embedded: &mut Matrix,
    ) {
        self.arrange(examples);
        let h = columns.cols();
        let tokens = embedded.rows();
        self.words.shape(tokens, h);
        for token in 0..tokens {
            self.words.row_mut(token)[..h].copy_from_slice(&embedded.row(token)[..h]);
        }
        self.token_keys.shape(tokens, links.width);
        self.column_keys.shape(columns.rows(), links.width);
        let stride = self.token_keys.stride();
        links
            .token
            .forward(Rows::all(&self.words), self.token_keys.data_mut(), stride);
        links
            .column
            .forward(Rows::all(columns), self.column_keys.data_mut(), stride);
        self.token_context.shape(tokens, h);
        for (place, example) in self.places.iter().zip(examples) {
            let m = place.columns.len();
            let rows = |matrix| Rows::span(matrix, place.columns.start, place.columns.end);
            self.scores.resize(place.pairs().len(), 0.0);
            feature_scores(&example.pair_features, &links.features[TOKEN], &mut self.scores);
            for (t, token) in place.tokens.clone().enumerate() {
                let likeness = &mut self.likeness[place.pairs()][t * m..(t + 1) * m];
                dots(self.token_keys.row(token), rows(&self.column_keys), likeness);
                likeness.iter_mut().for_each(|x| *x *= links.scale());
                let seen = &mut self.seen[place.seen(t)];
                let scores = self.scores[t * m..].iter().zip(&*likeness);
                seen.iter_mut().zip(scores).for_each(|(s, (f, l))| *s = f + l);
                seen[m] = links.none[TOKEN];
                softmax(seen);
                mix(&seen[..m], rows(columns), self.token_context.row_mut(token));
            }
        }
        let stride = embedded.stride();
        links
            .to_token
            .add(Rows::all(&self.token_context), embedded.data_mut(), stride);
    }

    /// Columns look at the question: what each sees is added to its slot. `slots` are the columns' slots,
    /// `stride` apart.
    pub fn see_question(
        &mut self,
        links: &Links,
        examples: &[&Example],
        encoded: &Matrix,
        slots: &mut [f32],
        stride: usize,
    ) {
        self.column_context.shape(self.column_keys.rows(), encoded.cols());
        for (place, example) in self.places.iter().zip(examples) {
            let (n, m) = (place.tokens.len(), place.columns.len());
            let rows = Rows::span(encoded, place.tokens.start, place.tokens.end);
            self.scores.resize(n * m, 0.0);
            feature_scores(&example.pair_features, &links.features[COLUMN], &mut self.scores);
            add_scaled(1.0, &self.likeness[place.pairs()], &mut self.scores);
            for (c, column) in place.columns.clone().enumerate() {
                let asked = &mut self.asked[place.asked(c)];
                for (t, score) in asked[..n].iter_mut().enumerate() {
                    *score = self.scores[t * m + c];
                }
                asked[n] = links.none[COLUMN];
                softmax(asked);
                mix(&asked[..n], rows, self.column_context.row_mut(column));
            }
        }
        links
            .to_column
            .add(Rows::all(&self.column_context), slots, stride);
    }

    /// What the decoder's attention to each token adds to the logit of each column: for each column as many
    /// numbers as its example has tokens.
    pub fn point(&mut self, links: &Links, examples: &[&Example], memory: &mut SlotMemory) {
        memory.links.clear();
        memory.link_starts.clear();
        memory.link_starts.push(0);
        for (place, example) in self.places.iter().zip(examples) {
            let (n, m) = (place.tokens.len(), place.columns.len());
            self.scores.resize(n * m, 0.0);
            feature_scores(
                &example.pair_features,
                &links.features[ATTENTION],
                &mut self.scores,
            );
            for c in 0..m {
                memory.links.extend((0..n).map(|t| self.scores[t * m + c]));
                memory.link_starts.push(memory.links.len());
            }
        }
    }

    /// The reverse of [`point`](Self::point) and [`see_question`](Self::see_question), for the gradients of
    /// the links in memory and of the columns' slots; adds to the gradient of the encoder's outputs. This
    /// comes before [`see_columns_backward`](Self::see_columns_backward).
    pub fn see_question_backward(
        &mut self,
        links: &Links,
        examples: &[&Example],
        encoded: &Matrix,
        d_links: &[f32],
        d_slots: &Matrix,
        d_encoded: &mut Matrix,
    ) {
        for (d, weights) in self.d_features.iter_mut().zip(&links.features) {
            d.clear();
            d.resize(weights.len(), 0.0);
        }
        self.d_none = [[0.0]; 2];
        self.d_likeness.clear();
        self.d_likeness.resize(self.likeness.len(), 0.0);
        self.d_column_context.shape(d_slots.rows(), d_slots.cols());
        let stride = self.d_column_context.stride();
        links.to_column.backward(
            Rows::all(d_slots),
            false,
            self.d_column_context.data_mut(),
            stride,
        );
        let stride = d_encoded.stride();
        for (place, example) in self.places.iter().zip(examples) {
            let (n, m) = (place.tokens.len(), place.columns.len());
            let d_likeness = &mut self.d_likeness[place.pairs()];
            self.d_row.resize(n + 1, 0.0);
            for (c, column) in place.columns.clone().enumerate() {
                let asked = &self.asked[place.asked(c)];
                self.d_row[n] = 0.0;
                mix_backward(
                    &asked[..n],
                    Rows::span(encoded, place.tokens.start, place.tokens.end),
                    self.d_column_context.row(column),
                    &mut self.d_row[..n],
                    d_encoded.span_mut(place.tokens.start, place.tokens.end),
                    stride,
                );
                softmax_backward(asked, &mut self.d_row);
                self.d_none[COLUMN][0] += self.d_row[n];
                for (t, d) in self.d_row[..n].iter().enumerate() {
                    d_likeness[t * m + c] = *d;
                }
            }
            let features = &example.pair_features;
            feature_scores_backward(features, d_likeness, &mut self.d_features[COLUMN]);
            self.scores.resize(n * m, 0.0);
            // In memory the columns come first, here the tokens.
            for (c, d_link) in d_links[place.pairs()].chunks_exact(n).enumerate() {
                d_link
                    .iter()
                    .enumerate()
                    .for_each(|(t, d)| self.scores[t * m + c] = *d);
            }
            feature_scores_backward(features, &self.scores, &mut self.d_features[ATTENTION]);
        }
    }

    /// The reverse of [`see_columns`](Self::see_columns), for the gradient of the rows that it changed: adds
    /// to the gradient of the columns' vectors and writes that of the tokens' ([`d_words`](Self::d_words)).
    pub fn see_columns_backward(
        &mut self,
        links: &Links,
        examples: &[&Example],
        columns: &Matrix,
        d_embedded: &Matrix,
        d_columns: &mut Matrix,
    ) {
        let h = columns.cols();
        let tokens = d_embedded.rows();
        self.d_token_context.shape(tokens, h);
        let stride = self.d_token_context.stride();
        links.to_token.backward(
            Rows::all(d_embedded),
            false,
            self.d_token_context.data_mut(),
            stride,
        );
        self.d_token_keys.reset(tokens, links.width);
        self.d_column_keys.reset(columns.rows(), links.width);
        let (stride, key_stride) = (d_columns.stride(), self.d_column_keys.stride());
        for (place, example) in self.places.iter().zip(examples) {
            let (m, span) = (place.columns.len(), place.columns.clone());
            self.scores.resize(place.pairs().len(), 0.0);
            self.d_row.resize(m + 1, 0.0);
            for (t, token) in place.tokens.clone().enumerate() {
                let seen = &self.seen[place.seen(t)];
                self.d_row[m] = 0.0;
                mix_backward(
                    &seen[..m],
                    Rows::span(columns, span.start, span.end),
                    self.d_token_context.row(token),
                    &mut self.d_row[..m],
                    d_columns.span_mut(span.start, span.end),
                    stride,
                );
                softmax_backward(seen, &mut self.d_row);
                self.d_none[TOKEN][0] += self.d_row[m];
                self.scores[t * m..(t + 1) * m].copy_from_slice(&self.d_row[..m]);
                // Both looks share the likeness; from here on its scaled gradient.
                let d_likeness = &mut self.d_likeness[place.pairs()][t * m..(t + 1) * m];
                let both = d_likeness.iter_mut().zip(&self.d_row);
                both.for_each(|(d, more)| *d = links.scale() * (*d + more));
                let d_key = self.d_token_keys.row_mut(token);
                for (&d, c) in d_likeness.iter().zip(span.clone()) {
                    add_scaled(d, self.column_keys.row(c), d_key);
                }
                let d_keys = self.d_column_keys.span_mut(span.start, span.end);
                for (&d, d_key) in d_likeness.iter().zip(d_keys.chunks_exact_mut(key_stride)) {
                    add_scaled(d, self.token_keys.row(token), d_key);
                }
            }
            feature_scores_backward(&example.pair_features, &self.scores, &mut self.d_features[TOKEN]);
        }
        links
            .column
            .backward(Rows::all(&self.d_column_keys), true, d_columns.data_mut(), stride);
        self.d_words.shape(tokens, h);
        for token in 0..tokens {
            self.d_words.row_mut(token)[..h].copy_from_slice(&d_embedded.row(token)[..h]);
        }
        links.token.backward(
            Rows::all(&self.d_token_keys),
            true,
            self.d_words.data_mut(),
            stride,
        );
    }

    /// Names the sources of the links' gradients, given the gradients of what the looks were added to.
    pub fn sources<'a>(
        &'a self,
        links: &Links,
        columns: &'a Matrix,
        d_embedded: &'a Matrix,
        d_slots: &'a Matrix,
        sources: &mut Sources<'a>,
    ) {
        links
            .token
            .sources(Rows::all(&self.d_token_keys), Rows::all(&self.words), sources);
        links
            .column
            .sources(Rows::all(&self.d_column_keys), Rows::all(columns), sources);
        links
            .to_token
            .sources(Rows::all(d_embedded), Rows::all(&self.token_context), sources);
        links
            .to_column
            .sources(Rows::all(d_slots), Rows::all(&self.column_context), sources);
        for (&id, d) in links.feature_ids.iter().zip(&self.d_features) {
            sources.push((id, Source::Plain(d)));
        }
        for (&id, d) in links.none_ids.iter().zip(&self.d_none) {
            sources.push((id, Source::Plain(d)));
        }
    }
}
