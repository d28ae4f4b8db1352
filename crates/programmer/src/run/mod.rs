//! Training on whole batches, with a few threads.
//!
//! Examples are dealt to the threads (shards); each thread runs its examples through the whole network.
//! Weight gradients are products over all rows of the batch, so they are made at the end, each thread taking
//! some rows of every weight matrix. Everything is added in a fixed order: results depend on the number of
//! threads only through rounding, and are the same from run to run.

use crate::batch::{Batch, Example};
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::layers::gradient::collect;
use crate::layers::slots::{SlotGradient, SlotMemory};
use crate::layers::{Source, Sources};
use crate::network::Network;
use crate::passes::decoder::{DecoderTape, Loss};
use crate::passes::encoder::EncoderTape;
use crate::passes::forest::Forest;
use rayon::prelude::*;

/// How a batch is turned into a loss.
#[derive(Clone, Copy, Debug)]
pub struct LossTerms {
    /// The loss is divided by this: the nominal number of samples of a batch.
    pub divisor: f32,
    /// Added to the loss, times the entropy of every step of every program: positive values penalise
    /// entropy, negative ones reward it.
    pub entropy: f32,
    /// Dropout, or none.
    pub dropout: Option<Dropout>,
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

/// The buffers of one thread. They grow to the largest batch and are then reused.
#[derive(Debug, Default)]
struct Shard {
    examples: Vec<u32>,
    programs: Vec<u32>,
    cost: u64,
    encoder: EncoderTape,
    memory: SlotMemory,
    forest: Forest,
    decoder: DecoderTape,
    gradient: SlotGradient,
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

    /// Deals batches to this many of the threads from now on, for when the others are wanted elsewhere.
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
        for weighted in batch.weighted {
            self.costs[weighted.example] += weighted.steps.len() as u64;
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
        for (program, weighted) in batch.weighted.iter().enumerate() {
            self.shards[home[weighted.example]].programs.push(program as u32);
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
    /// An error names the example or program that breaks an invariant, or says that the network is not
    /// trainable.
    pub fn train(
        &mut self,
        network: &Network,
        batch: &Batch<'_>,
        terms: &LossTerms,
        gradient: &mut [f32],
    ) -> Result<Outcome> {
        if !network.trainable() {
            return Err(Error::Config("the network was made for inference only".into()));
        }
        network.check_whole()?;
        if gradient.len() != network.values().len() {
            return Err(Error::Config(format!(
                "a gradient of {} numbers for {} parameters",
                gradient.len(),
                network.values().len()
            )));
        }
        if !(terms.divisor > 0.0 && terms.divisor.is_finite()) {
            return Err(Error::Config(format!("divisor {}", terms.divisor)));
        }
        if let Some(dropout) = terms.dropout.filter(|d| !(0.0..1.0).contains(&d.rate)) {
            return Err(Error::Config(format!("dropout rate {}", dropout.rate)));
        }
        batch.check(network.config(), network.words().len())?;
        self.deal(batch);
        let dropout = terms.dropout.filter(|d| d.rate > 0.0);
        let loss = Loss {
            scale: 1.0 / terms.divisor,
            entropy: terms.entropy,
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
            shard.forest.build(batch, &shard.programs, local, &shard.memory)?;
            shard
                .decoder
                .forward(network, &shard.forest, &mut shard.memory, dropout);
            (shard.loss, shard.entropy) = shard.decoder.loss(&shard.forest, loss);
            Ok(())
        })?;
        let mut outcome = Outcome {
            log_probabilities: vec![0.0; batch.weighted.len()],
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
        let entries = &network.layout().entries;
        let mut by_entry: Vec<Vec<Source<'_>>> = vec![Vec::new(); entries.len()];
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
        collect(&self.pool, self.active, entries, &by_entry, gradient);
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
