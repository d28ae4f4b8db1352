//! All trained numbers in one vector, with a table that says where each matrix lies.

use crate::config::Config;
use std::ops::Range;

/// One matrix (or row) among the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in checkpoints.
    pub name: String,
    /// Rows; a vector has one.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Where it starts.
    pub offset: usize,
}

impl Entry {
    /// Its place in the vector.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.rows * self.cols
    }
}

/// The index of an [`Entry`] in its [`Layout`].
pub type EntryId = usize;

/// A linear layer's entries.
#[derive(Clone, Copy, Debug)]
pub struct LinearIds {
    /// Weights, outputs × inputs.
    pub weight: EntryId,
    /// Bias, if it has one.
    pub bias: Option<EntryId>,
}

/// An LSTM layer's entries; the rows are the input, forget, candidate and output gates.
#[derive(Clone, Copy, Debug)]
pub struct LstmIds {
    /// Weights of the input.
    pub input: EntryId,
    /// Weights of the previous output.
    pub recurrent: EntryId,
    /// Bias.
    pub bias: EntryId,
}

/// The entries of the links between question tokens and columns.
#[derive(Clone, Copy, Debug)]
pub struct LinkIds {
    /// Token vector → key.
    pub token: LinearIds,
    /// Column vector → key.
    pub column: LinearIds,
    /// What a token sees of the columns → what is added to its vector.
    pub to_token: LinearIds,
    /// What a column sees of the question → what is added to its slot.
    pub to_column: LinearIds,
    /// Weights of the pair features: where tokens look at columns, where columns look at tokens, and where
    /// the decoder's attention points at columns.
    pub features: [EntryId; 3],
    /// Scores of looking at nothing: of tokens, and of columns.
    pub none: [EntryId; 2],
}

/// The entries of the whole network, by the part that uses them.
#[derive(Clone, Debug)]
pub struct Ids {
    /// Trained word vectors, one row for each word that has no fixed one.
    pub word_rows: EntryId,
    /// Word vector → token vector.
    pub word_projection: LinearIds,
    /// Mean word vector → column slot.
    pub column_projection: LinearIds,
    /// The encoder's two stacks: left to right, and right to left.
    pub encoder: [Vec<LstmIds>; 2],
    /// The two halves of the projection of the stacks' outputs; the first has the bias.
    pub encoder_output: [LinearIds; 2],
    /// Slots of the built-ins.
    pub builtins: EntryId,
    /// The input of the first step.
    pub start: EntryId,
    /// The decoder's stack.
    pub decoder: Vec<LstmIds>,
    /// Encoder output → key.
    pub key: LinearIds,
    /// Encoder output → content.
    pub content: LinearIds,
    /// Decoder state → query.
    pub query: LinearIds,
    /// Score weights of the attention.
    pub score: EntryId,
    /// Decoder state → output.
    pub output_state: LinearIds,
    /// Attention → output.
    pub output_context: LinearIds,
    /// Weights of the column features in the logits.
    pub column_feature: EntryId,
    /// Mean word vector of a column's cells → what is added to the column's vector.
    pub cell_projection: Option<LinearIds>,
    /// The links between tokens and columns.
    pub links: Option<LinkIds>,
    /// What is added to the slots of constants, a row for each kind.
    pub constant_kinds: Option<EntryId>,
    /// What a published encoder adds.
    pub reading: Option<ReadingIds>,
}

/// The entries of what a published encoder adds to tokens and columns.
#[derive(Clone, Copy, Debug)]
pub struct ReadingIds {
    /// The encoder's output for a token → what is added to its vector.
    pub token: LinearIds,
    /// The encoder's output for a column → what is added to its vector.
    pub column: LinearIds,
    /// The first entry of the encoder's trained layers, which come last of all.
    pub encoder: EntryId,
}

/// The score of looking at nothing at first: about that of twenty tokens or columns of which nothing is
/// known.
const NONE_AT_FIRST: f32 = 3.0;

/// How the names of a published encoder's trained matrices begin.
pub(crate) const ENCODER: &str = "reading.encoder.";

/// Where every parameter lies.
#[derive(Clone, Debug)]
pub struct Layout {
    /// All entries, in order, without gaps.
    pub entries: Vec<Entry>,
    /// The entries by use.
    pub ids: Ids,
}

impl Layout {
    /// The parameters of a network with this many trained words.
    pub fn new(config: &Config, trained_words: usize) -> Self {
        let (h, a) = (config.hidden, config.attention);
        let mut entries = Vec::new();
        let mut offset = 0;
        let mut add = |name: String, rows: usize, cols: usize| -> EntryId {
            entries.push(Entry {
                name,
                rows,
                cols,
                offset,
            });
            offset += rows * cols;
            entries.len() - 1
        };
        let linear =
            |add: &mut dyn FnMut(String, usize, usize) -> EntryId, name: &str, out, inputs, bias: bool| {
                LinearIds {
                    weight: add(format!("{name}.weight"), out, inputs),
                    bias: bias.then(|| add(format!("{name}.bias"), 1, out)),
                }
            };
        let stack = |add: &mut dyn FnMut(String, usize, usize) -> EntryId, name: &str, inputs: usize| {
            (0..config.layers)
                .map(|layer| LstmIds {
                    input: add(
                        format!("{name}.{layer}.input"),
                        4 * h,
                        if layer == 0 { inputs } else { h },
                    ),
                    recurrent: add(format!("{name}.{layer}.recurrent"), 4 * h, h),
                    bias: add(format!("{name}.{layer}.bias"), 1, 4 * h),
                })
                .collect::<Vec<_>>()
        };
        let ids = Ids {
            word_rows: add("words.rows".into(), trained_words, config.vector),
            word_projection: linear(&mut add, "words.projection", h, config.vector, true),
            column_projection: linear(&mut add, "columns.projection", h, config.vector, true),
            encoder: [
                stack(&mut add, "encoder.forward", h + config.token_features),
                stack(&mut add, "encoder.backward", h + config.token_features),
            ],
            encoder_output: [
                linear(&mut add, "encoder.output.forward", h, h, true),
                linear(&mut add, "encoder.output.backward", h, h, false),
            ],
            builtins: add("slots.builtin".into(), config.builtins, h),
            start: add("slots.start".into(), 1, h),
            decoder: stack(&mut add, "decoder", h),
            key: linear(&mut add, "attention.key", a, h, true),
            content: linear(&mut add, "attention.content", h, h, true),
            query: linear(&mut add, "attention.query", a, h, false),
            score: add("attention.score".into(), 1, a),
            output_state: linear(&mut add, "output.state", h, h, true),
            output_context: linear(&mut add, "output.context", h, h, false),
            column_feature: add("columns.feature".into(), 1, config.column_features),
            // What the paper's network does not have comes last: the rest then starts with the same numbers.
            cell_projection: config
                .cells
                .then(|| linear(&mut add, "columns.cells", h, config.vector, false)),
            links: (config.pair_features > 0).then(|| {
                let (p, w) = (config.pair_features, config.link_width());
                LinkIds {
                    token: linear(&mut add, "links.token", w, h, false),
                    column: linear(&mut add, "links.column", w, h, false),
                    to_token: linear(&mut add, "links.to_token", h, h, false),
                    to_column: linear(&mut add, "links.to_column", h, h, false),
                    features: ["token", "column", "attention"]
                        .map(|part| add(format!("links.features.{part}"), 1, p)),
                    none: ["token", "column"].map(|part| add(format!("links.none.{part}"), 1, 1)),
                }
            }),
            constant_kinds: (config.constant_kinds > 0)
                .then(|| add("constants.kind".into(), config.constant_kinds, h)),
            reading: config.encoder.map(|encoder| {
                let w = encoder.shape.width;
                let (token, column) = (
                    linear(&mut add, "reading.token", h, w, false),
                    linear(&mut add, "reading.column", h, w, false),
                );
                let parts = (0..=encoder.shape.layers).filter(|&part| encoder.trains(part));
                for (name, rows, cols) in parts.flat_map(|part| encoder.shape.matrices(part)) {
                    add(format!("{ENCODER}{name}"), rows, cols);
                }
                ReadingIds {
                    encoder: column.weight + 1,
                    token,
                    column,
                }
            }),
        };
        Self { entries, ids }
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.range().end)
    }

    /// Whether there is no parameter.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the trained numbers of a published encoder lie: the last of all, or none.
    pub fn encoder(&self) -> Range<usize> {
        let first = self
            .ids
            .reading
            .and_then(|reading| self.entries.get(reading.encoder));
        first.map_or(self.len(), |entry| entry.offset)..self.len()
    }

    /// Initial values: uniform in ±√(6/(inputs+outputs)) for matrices, ±√(3/width) for rows that are looked
    /// up, zero for biases, one for the bias of forget gates (so that memory is kept until the network learns
    /// to drop it), one for pair features, zero for what the kind of a constant adds. Those of a published encoder
    /// are zero here: its own file has them.
    pub fn initial(&self, config: &Config, seed: u64) -> Vec<f32> {
        let mut values = vec![0.0; self.len()];
        let mut random = crate::random::Stream::new(seed, 0x9a7a);
        let lookups = [self.ids.word_rows, self.ids.builtins, self.ids.start];
        let biases: Vec<EntryId> = self.ids.lstms().map(|lstm| lstm.bias).collect();
        let ours = self
            .ids
            .reading
            .map_or(self.entries.len(), |reading| reading.encoder);
        for (id, entry) in self.entries[..ours].iter().enumerate() {
            let part = &mut values[entry.range()];
            if biases.contains(&id) {
                part[config.hidden..2 * config.hidden].fill(1.0);
                continue;
            }
            if let Some(links) = &self.ids.links {
                if links.features.contains(&id) {
                    part.fill(1.0);
                    continue;
                }
                if links.none.contains(&id) {
                    part.fill(NONE_AT_FIRST);
                    continue;
                }
            }
            if self.ids.constant_kinds == Some(id) {
                continue;
            }
            let limit = if lookups.contains(&id) {
                (3.0 / entry.cols as f32).sqrt()
            } else if entry.rows > 1 {
                (6.0 / (entry.rows + entry.cols) as f32).sqrt()
            } else if id == self.ids.score {
                (3.0 / entry.cols as f32).sqrt()
            } else {
                0.0
            };
            part.iter_mut()
                .for_each(|x| *x = limit * (2.0 * random.uniform() - 1.0));
        }
        values
    }
}

impl Ids {
    /// All LSTM layers.
    pub fn lstms(&self) -> impl Iterator<Item = LstmIds> + '_ {
        self.encoder.iter().flatten().chain(&self.decoder).copied()
    }
}
