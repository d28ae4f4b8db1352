//! Reading many sequences on a few threads, and the gradient of what was read.

use super::{Transformer, TransformerTape, check_values};
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::kernels::rows::Rows;
use crate::layers::gradient::collect;
use crate::layers::{Source, Sources};
use rayon::prelude::*;

/// What one thread reads.
#[derive(Debug, Default)]
struct Shard {
    sequences: Vec<u32>,
    cost: u64,
    tape: TransformerTape,
}

/// Leads sequences through a transformer, on its own threads. Buffers grow to the largest batch and are reused.
#[derive(Debug)]
pub struct Reader {
    pool: rayon::ThreadPool,
    shards: Vec<Shard>,
    /// The shard of each sequence, and its place there.
    places: Vec<(usize, usize)>,
    learn: bool,
}

impl Reader {
    /// A reader with this many threads.
    ///
    /// # Errors
    /// [`Error::Threads`] if they cannot be started.
    pub fn new(threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("reader-{i}"))
            .build()?;
        Ok(Self {
            pool,
            shards: (0..threads).map(|_| Shard::default()).collect(),
            places: Vec::new(),
            learn: false,
        })
    }

    /// The pool, for work that belongs to reading.
    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    /// Reads sequences of pieces; [`output`](Self::output) has the result. `values` are the transformer's trained
    /// numbers; if there are none, nothing is kept for a way back.
    ///
    /// # Errors
    /// [`Error::Example`] names the sequence that cannot be read, [`Error::Config`] trained numbers of another
    /// number.
    pub fn read(
        &mut self,
        transformer: &Transformer,
        values: &[f32],
        sequences: &[&[u32]],
        dropout: Option<Dropout>,
    ) -> Result<()> {
        check_values(transformer, values)?;
        for (position, sequence) in sequences.iter().enumerate() {
            transformer.check(sequence, position)?;
        }
        self.deal(transformer, sequences);
        self.learn = transformer.trained().any();
        let (shards, learn) = (&mut self.shards, self.learn);
        self.pool.install(|| {
            shards.par_iter_mut().with_max_len(1).for_each(|shard| {
                let Shard {
                    sequences: ids, tape, ..
                } = shard;
                let mine: Vec<&[u32]> = ids.iter().map(|&s| sequences[s as usize]).collect();
                tape.forward(transformer, values, &mine, ids, dropout, learn);
            });
        });
        Ok(())
    }

    /// Deals the sequences to the threads: the most expensive first, each to the one with the least work so far.
    fn deal(&mut self, transformer: &Transformer, sequences: &[&[u32]]) {
        for shard in &mut self.shards {
            shard.sequences.clear();
            shard.cost = 0;
        }
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.sort_by_key(|&s| std::cmp::Reverse(sequences[s].len()));
        self.places.clear();
        self.places.resize(sequences.len(), (0, 0));
        for s in order {
            let lightest = (0..self.shards.len())
                .min_by_key(|&i| self.shards[i].cost)
                .unwrap_or(0);
            let shard = &mut self.shards[lightest];
            self.places[s] = (lightest, shard.sequences.len());
            shard.sequences.push(s as u32);
            shard.cost += transformer.shape().operations(sequences[s].len());
        }
    }

    /// The outputs of a sequence that was read last: a row for each piece.
    ///
    /// # Panics
    /// If there was no such sequence.
    pub fn output(&self, sequence: usize) -> Rows<'_> {
        let (shard, place) = self.places[sequence];
        let tape = &self.shards[shard].tape;
        Rows::span(tape.output(), tape.starts()[place], tape.starts()[place + 1])
    }

    /// Computes the gradient of the trained numbers, which is written to `gradient`. `d_output` fills in the gradient
    /// of the outputs of a sequence, row after row.
    ///
    /// # Errors
    /// [`Error::Config`] if nothing was read for training, or numbers are of another number.
    pub fn learn(
        &mut self,
        transformer: &Transformer,
        values: &[f32],
        d_output: impl Fn(usize, &mut [f32]) + Sync,
        gradient: &mut [f32],
    ) -> Result<()> {
        check_values(transformer, values)?;
        check_values(transformer, gradient)?;
        if !self.learn || !transformer.trained().any() {
            return Err(Error::Config("nothing was read with trained layers".into()));
        }
        let width = transformer.shape().width;
        let shards = &mut self.shards;
        self.pool.install(|| {
            shards.par_iter_mut().with_max_len(1).for_each(|shard| {
                let starts = shard.tape.starts().to_vec();
                let d = shard.tape.d_output(width);
                for (place, &sequence) in shard.sequences.iter().enumerate() {
                    d_output(sequence as usize, d.span_mut(starts[place], starts[place + 1]));
                }
                shard.tape.backward(transformer, values);
            });
        });
        let entries = transformer.entries();
        let mut by_entry: Vec<Vec<Source<'_>>> = vec![Vec::new(); entries.len()];
        let mut sources = Sources::new();
        for shard in self.shards.iter().filter(|shard| !shard.sequences.is_empty()) {
            shard.tape.sources(transformer, &mut sources);
            for (entry, source) in sources.drain(..) {
                by_entry[entry].push(source);
            }
        }
        collect(&self.pool, self.shards.len(), entries, &by_entry, gradient);
        Ok(())
    }
}
