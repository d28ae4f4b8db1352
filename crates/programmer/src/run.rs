//! Training and scoring of whole batches on a few threads.
//!
//! Examples are dealt to the threads (shards); each thread runs its examples through the whole network.
//! Weight gradients are products over all rows of the batch, so they are made at the end, each thread taking
//! some rows of every weight matrix. Everything is added in a fixed order: results depend on the number of
//! threads only through rounding, and are the same from run to run.

use crate::batch::{Batch, Example};
use crate::error::{Error, Result};
use crate::forest::Forest;
use crate::kernels::product::{Columns, add_outer};
use crate::kernels::vector::{add_column_sums, add_scaled};
use crate::layers::decoder::{DecoderTape, Loss, Scorer};
use crate::layers::encoder::{Dropout, EncoderTape, Memory, MemoryGradient};
use crate::layers::{Source, Sources};
use crate::matrix::padded;
use crate::network::Network;
use rayon::prelude::*;

/// How a batch is turned into a loss.
#[derive(Clone, Copy, Debug)]
pub struct Objective {
    /// The loss is divided by this: the nominal number of samples of a batch.
    pub divisor: f32,
    /// Added to the loss, times the entropy of every step of every program: positive values penalise entropy,
    /// negative ones reward it.
    pub entropy: f32,
    /// Dropout, or none.
    pub dropout: Option<Dropout>,
    /// Run equal prefixes of an example's programs once. The same without dropout; with it, they share a
    /// mask.
    pub share_prefixes: bool,
}

/// What a training pass found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The loss: (−Σ weight·log π + entropy factor·Σ entropy)/divisor.
    pub loss: f64,
    /// Summed entropy of all steps of all programs.
    pub entropy: f64,
    /// Number of steps of all programs.
    pub steps: usize,
    /// log π of each program, under the dropout masks of this pass.
    pub log_probabilities: Vec<f32>,
}

/// How much work a scoring pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreWork {
    /// Steps of all programs.
    pub steps: usize,
    /// Decoder steps that were run.
    pub decoded: usize,
}

/// The buffers of one thread. They grow to the largest batch and are then reused.
#[derive(Debug, Default)]
struct Shard {
    examples: Vec<u32>,
    programs: Vec<u32>,
    cost: u64,
    encoder: EncoderTape,
    memory: Memory,
    forest: Forest,
    decoder: DecoderTape,
    scorer: Scorer,
    gradient: MemoryGradient,
    loss: f64,
    entropy: f64,
    failure: Option<Error>,
}

/// Runs networks over batches, on its own threads.
#[derive(Debug)]
pub struct Runner {
    pool: rayon::ThreadPool,
    /// One for each thread.
    shards: Vec<Shard>,
    /// How many of them get work.
    active: usize,
    /// The place of each example in its shard.
    local: Vec<u32>,
    costs: Vec<u64>,
}

impl Runner {
    /// A runner with this many threads.
    ///
    /// # Errors
    /// [`Error::Threads`] if they cannot be started.
    pub fn new(threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("programmer-{i}"))
            .build()?;
        let shards = (0..threads).map(|_| Shard::default()).collect();
        Ok(Self {
            pool,
            shards,
            active: threads,
            local: Vec::new(),
            costs: Vec::new(),
        })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.shards.len()
    }

    /// Deals batches to so many of the threads from now on, for when the others are wanted elsewhere.
    pub fn use_threads(&mut self, threads: usize) {
        self.active = threads.clamp(1, self.threads());
    }

    /// The pool, for work that belongs to training.
    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    /// Deals the examples to the shards: the most expensive first, each to the shard with the least work so
    /// far.
    fn deal(&mut self, batch: &Batch<'_>) {
        // One token costs about as much as two decoder steps: four LSTM layers of two products against two.
        self.costs.clear();
        self.costs
            .extend(batch.examples.iter().map(|e| 2 * e.tokens.len() as u64));
        for trajectory in batch.trajectories {
            self.costs[trajectory.example] += trajectory.steps.len() as u64;
        }
        let mut order: Vec<u32> = (0..batch.examples.len() as u32).collect();
        order.sort_by_key(|&e| std::cmp::Reverse(self.costs[e as usize]));
        for shard in &mut self.shards {
            shard.examples.clear();
            shard.programs.clear();
            shard.cost = 0;
        }
        self.local.clear();
        self.local.resize(batch.examples.len(), 0);
        let mut home = vec![0; batch.examples.len()];
        for &e in &order {
            let lightest = (0..self.active).min_by_key(|&s| self.shards[s].cost).unwrap_or(0);
            let shard = &mut self.shards[lightest];
            home[e as usize] = lightest;
            self.local[e as usize] = shard.examples.len() as u32;
            shard.examples.push(e);
            shard.cost += self.costs[e as usize];
        }
        for (program, trajectory) in batch.trajectories.iter().enumerate() {
            self.shards[home[trajectory.example]]
                .programs
                .push(program as u32);
        }
    }

    fn each_shard(&mut self, run: impl Fn(&mut Shard, &[u32]) -> Result<()> + Sync) -> Result<()> {
        let local = &self.local;
        let shards = &mut self.shards;
        self.pool.install(|| {
            shards.par_iter_mut().with_max_len(1).for_each(|shard| {
                shard.failure = if shard.examples.is_empty() {
                    None
                } else {
                    run(shard, local).err()
                };
            });
        });
        self.shards
            .iter_mut()
            .find_map(|shard| shard.failure.take())
            .map_or(Ok(()), Err)
    }

    /// Computes the loss of a batch and its gradient, which is written to `gradient` (one number for each
    /// parameter).
    ///
    /// # Errors
    /// An error names the example or trajectory that breaks an invariant, or says that the network is not
    /// trainable.
    pub fn train(
        &mut self,
        network: &Network,
        batch: &Batch<'_>,
        objective: &Objective,
        gradient: &mut [f32],
    ) -> Result<Outcome> {
        if !network.trainable() {
            return Err(Error::Config("the network was made for inference only".into()));
        }
        if gradient.len() != network.values().len() {
            return Err(Error::Config(format!(
                "a gradient of {} numbers for {} parameters",
                gradient.len(),
                network.values().len()
            )));
        }
        if !(objective.divisor > 0.0 && objective.divisor.is_finite()) {
            return Err(Error::Config(format!("divisor {}", objective.divisor)));
        }
        if let Some(dropout) = objective.dropout.filter(|d| !(0.0..1.0).contains(&d.rate)) {
            return Err(Error::Config(format!("dropout rate {}", dropout.rate)));
        }
        batch.check(network.config(), network.words().len())?;
        self.deal(batch);
        let dropout = objective.dropout.filter(|d| d.rate > 0.0);
        let loss = Loss {
            scale: 1.0 / objective.divisor,
            entropy: objective.entropy,
        };
        self.each_shard(|shard, local| {
            let examples: Vec<&Example> = shard
                .examples
                .iter()
                .map(|&e| batch.examples[e as usize])
                .collect();
            shard
                .encoder
                .forward(network, &examples, &shard.examples, dropout, &mut shard.memory);
            shard.forest.build(
                batch,
                &shard.programs,
                local,
                &shard.memory,
                objective.share_prefixes,
            )?;
            shard
                .decoder
                .forward(network, &shard.forest, &mut shard.memory, dropout);
            (shard.loss, shard.entropy) = shard.decoder.loss(&shard.forest, loss);
            Ok(())
        })?;
        let mut outcome = Outcome {
            log_probabilities: vec![0.0; batch.trajectories.len()],
            ..Outcome::default()
        };
        for shard in self.shards.iter().filter(|s| !s.examples.is_empty()) {
            outcome.loss += shard.loss;
            outcome.entropy += shard.entropy;
            outcome.steps += shard.forest.path.len();
            read_programs(
                &shard.forest,
                &shard.decoder.log_probability,
                &mut outcome.log_probabilities,
            );
        }
        self.each_shard(|shard, _| {
            let examples: Vec<&Example> = shard
                .examples
                .iter()
                .map(|&e| batch.examples[e as usize])
                .collect();
            shard
                .decoder
                .backward(network, &shard.forest, &shard.memory, loss, &mut shard.gradient);
            let decoder = &shard.decoder;
            shard
                .encoder
                .backward(network, &examples, &shard.memory, &shard.gradient, |l| {
                    decoder.d_states(l)
                });
            Ok(())
        })?;
        self.collect(network, gradient);
        Ok(outcome)
    }

    /// Makes the gradients of all parameters from what the shards left.
    fn collect(&self, network: &Network, gradient: &mut [f32]) {
        let layout = network.layout();
        let mut by_entry: Vec<Vec<Source<'_>>> = vec![Vec::new(); layout.entries.len()];
        let mut sources = Sources::new();
        for shard in self.shards.iter().filter(|s| !s.examples.is_empty()) {
            shard
                .encoder
                .sources(network, &shard.memory, &shard.gradient, &mut sources);
            shard.decoder.sources(network, &mut sources);
            for (entry, source) in sources.drain(..) {
                by_entry[entry].push(source);
            }
        }
        // Each thread takes its share of the rows of every entry; entries follow each other without gaps.
        let threads = self.active;
        let mut tasks: Vec<Vec<Task<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        let mut rest = gradient;
        for (entry, sources) in layout.entries.iter().zip(&by_entry) {
            let (mut part, after) = rest.split_at_mut(entry.rows * entry.cols);
            rest = after;
            let row_like = entry.rows > 1;
            for (thread, tasks) in tasks.iter_mut().enumerate() {
                let (from, to) = if row_like {
                    (thread * entry.rows / threads, (thread + 1) * entry.rows / threads)
                } else if thread == 0 {
                    (0, entry.rows)
                } else {
                    (0, 0)
                };
                let (mine, others) = part.split_at_mut((to - from) * entry.cols);
                part = others;
                if from < to {
                    tasks.push(Task {
                        sources,
                        from,
                        to,
                        rows: entry.rows,
                        cols: entry.cols,
                        out: mine,
                    });
                }
            }
        }
        self.pool.install(|| {
            tasks
                .into_par_iter()
                .with_max_len(1)
                .for_each(|tasks| tasks.into_iter().for_each(Task::run));
        });
    }

    /// log π of each program of the batch. With `share_prefixes` each distinct prefix of an example's
    /// programs is decoded once; the result is the same.
    ///
    /// # Errors
    /// An error names the example or trajectory that breaks an invariant.
    pub fn score(
        &mut self,
        network: &Network,
        batch: &Batch<'_>,
        share_prefixes: bool,
    ) -> Result<(Vec<f32>, ScoreWork)> {
        batch.check(network.config(), network.words().len())?;
        self.deal(batch);
        self.each_shard(|shard, local| {
            let examples: Vec<&Example> = shard
                .examples
                .iter()
                .map(|&e| batch.examples[e as usize])
                .collect();
            shard
                .encoder
                .forward(network, &examples, &shard.examples, None, &mut shard.memory);
            shard
                .forest
                .build(batch, &shard.programs, local, &shard.memory, share_prefixes)?;
            shard.scorer.run(network, &shard.forest, &mut shard.memory);
            Ok(())
        })?;
        let mut scores = vec![0.0; batch.trajectories.len()];
        let mut work = ScoreWork::default();
        for shard in self.shards.iter().filter(|s| !s.examples.is_empty()) {
            work.steps += shard.forest.path.len();
            work.decoded += shard.forest.len();
            read_programs(&shard.forest, &shard.scorer.log_probability, &mut scores);
        }
        Ok((scores, work))
    }
}

/// Adds up the log-probabilities of each program's choices.
fn read_programs(forest: &Forest, log_probability: &[f32], out: &mut [f32]) {
    let mut from = 0;
    for &(program, to) in &forest.programs {
        let sum: f64 = forest.path[from..to]
            .iter()
            .map(|&at| f64::from(log_probability[at]))
            .sum();
        out[program as usize] = sum as f32;
        from = to;
    }
}

/// Some rows of one entry's gradient.
struct Task<'a> {
    sources: &'a [Source<'a>],
    from: usize,
    to: usize,
    rows: usize,
    cols: usize,
    out: &'a mut [f32],
}

impl Task<'_> {
    fn run(self) {
        let Self {
            sources,
            from,
            to,
            rows,
            cols,
            out,
        } = self;
        out.fill(0.0);
        for source in sources {
            match *source {
                Source::Outer {
                    d_output,
                    input,
                    blocks,
                } => {
                    let block = rows / blocks;
                    for b in from / block..to.div_ceil(block) {
                        let (first, last) = (from.max(b * block), to.min((b + 1) * block));
                        let column = if blocks == 1 {
                            first
                        } else {
                            b * padded(block) + first - b * block
                        };
                        let a = Columns {
                            rows: d_output,
                            from: column,
                            count: last - first,
                        };
                        add_outer(
                            a,
                            input,
                            cols,
                            &mut out[(first - from) * cols..(last - from) * cols],
                        );
                    }
                }
                Source::Sum { d_output, blocks } => {
                    let block = cols / blocks;
                    for (b, out) in out.chunks_exact_mut(block).enumerate() {
                        add_column_sums(d_output, b * padded(block) * usize::from(blocks > 1), out);
                    }
                }
                Source::Rows(matrix, first) => {
                    for (r, out) in out.chunks_exact_mut(cols).enumerate() {
                        add_scaled(1.0, &matrix.row(first + from + r)[..cols], out);
                    }
                }
                Source::Plain(values) => add_scaled(1.0, &values[from * cols..to * cols], out),
                Source::Lookup(matrix, uses) => {
                    for &(word, row, factor) in uses {
                        if (from..to).contains(&(word as usize)) {
                            let out = &mut out[(word as usize - from) * cols..][..cols];
                            add_scaled(factor, &matrix.row(row as usize)[..cols], out);
                        }
                    }
                }
            }
        }
    }
}
