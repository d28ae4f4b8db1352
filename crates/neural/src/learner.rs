//! The network as it learns.

use mapo_core::{Action, Alone, Assistants, Learner, Learnt, Move, Policy, Trajectory};
use mapo_programmer::{
    Adam, AdamOptions, Average, Batch, Dropout, Group, LossTerms, Network, Outcome, Program, Runner,
    WeightedProgram,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::policy::{Input, NeuralPolicy, Plain, Rows, Wording, program};

/// How the learner learns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learning {
    /// Adam's learning rate.
    pub rate: f32,
    /// The part of the learning rate that is left at the last step; it goes down in a straight line. 1 keeps
    /// it.
    pub final_rate: f32,
    /// The share of the steps after which it begins to go down.
    #[serde(default)]
    pub decay_from: f32,
    /// A gradient with a larger norm is scaled down to it.
    pub clip_norm: f32,
    /// The share of numbers that dropout sets to zero.
    pub dropout: f32,
    /// Whether dropout comes after the residual connections: dropout(h + x), as in the published code, and not
    /// dropout(h) + x.
    #[serde(default)]
    pub dropout_after_skip: bool,
    /// Added to the loss, times the entropy of each step: a positive number penalises entropy.
    pub entropy: f32,
    /// Decay of the moving average of the parameters, which is what is evaluated and kept; 0 for none.
    pub average: f32,
}

/// How a published encoder beneath the network learns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EncoderLearning {
    /// How many of its upper layers are trained: none at 0; one more than there are for its word pieces too.
    pub trained: usize,
    /// Their learning rate where the network has all of its own.
    pub rate: f32,
    /// So many steps leave them as they are.
    pub frozen: u64,
    /// Over so many steps after these the rate rises to what it is.
    pub warm_up: u64,
}

impl Default for EncoderLearning {
    fn default() -> Self {
        Self {
            trained: 0,
            rate: 5e-5,
            frozen: 0,
            warm_up: 500,
        }
    }
}

/// A network that learns.
#[derive(Debug)]
pub struct NeuralLearner<W = Plain> {
    network: Network,
    runner: Runner,
    adam: Adam,
    average: Option<Average>,
    learning: Learning,
    /// How many steps there will be, for the learning rate.
    steps: u64,
    seed: u64,
    gradient: Vec<f32>,
    rows: Rows<W>,
    /// Who finds the gradients of further batches for each step.
    assistants: Box<dyn Assistants>,
}

impl<W: Wording> NeuralLearner<W> {
    /// A learner that begins with a network.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn new(network: Network, learning: Learning, steps: u64, seed: u64, threads: usize) -> Result<Self> {
        let options = AdamOptions {
            learning_rate: learning.rate,
            clip_norm: (learning.clip_norm > 0.0).then_some(learning.clip_norm),
            ..AdamOptions::default()
        };
        let adam = Adam::new(&network, options);
        let average = (learning.average > 0.0).then(|| Average::new(&network, learning.average));
        Self::resume(network, adam, average, learning, steps, seed, threads)
    }

    /// A learner that goes on with everything an earlier one had.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn resume(
        network: Network,
        adam: Adam,
        average: Option<Average>,
        learning: Learning,
        steps: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Self> {
        Ok(Self {
            gradient: vec![0.0; network.values().len()],
            runner: Runner::new(threads)?,
            network,
            adam,
            average,
            learning,
            steps,
            seed,
            rows: Rows::default(),
            assistants: Box::new(Alone),
        })
    }

    /// The same learner with a pace for the encoder beneath its network, if that has one.
    pub fn with_encoder(mut self, encoder: EncoderLearning) -> Self {
        let parameters = self.network.layout().encoder();
        self.adam.groups = if parameters.is_empty() {
            Vec::new()
        } else {
            vec![Group {
                parameters,
                rate: encoder.rate / self.learning.rate,
                frozen: encoder.frozen,
                warm_up: encoder.warm_up,
            }]
        };
        self
    }

    /// Lets others find the gradients of further batches for each step from now on.
    pub fn set_assistants(&mut self, assistants: Box<dyn Assistants>) {
        self.assistants = assistants;
    }

    /// Takes over the parameters of another learner, to find a gradient for it. The seed decides about dropout: who
    /// assists drops other numbers than the one whom it assists.
    ///
    /// # Errors
    /// If there are more or fewer than the network has.
    pub fn follow(&mut self, values: &[f32], seed: u64) -> Result<()> {
        let (config, words) = (self.network.config().clone(), self.network.shared_words());
        self.network = Network::with_values(config, words, values.to_vec(), true)?;
        self.seed = seed;
        Ok(())
    }

    /// The network as it is after the last step.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The optimiser.
    pub fn adam(&self) -> &Adam {
        &self.adam
    }

    /// The moving average, if there is one.
    pub fn average(&self) -> Option<&Average> {
        self.average.as_ref()
    }

    /// Where the learner's threads are.
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// A copy to be evaluated: the averaged parameters if there are any.
    ///
    /// # Errors
    /// Those of the network.
    pub fn model(&self) -> Result<Arc<Network>> {
        self.copy(
            self.average
                .as_ref()
                .map_or(self.network.values(), Average::values),
        )
    }

    /// The gradient that a step would go along, without the step: one number for each parameter. Nothing where no
    /// program counts.
    ///
    /// # Errors
    /// Those of the network, and a loss that is not finite.
    pub fn gradient(
        &mut self,
        contexts: &[&Input],
        trajectories: &[Trajectory],
        divisor: f64,
    ) -> Result<Option<&[f32]>> {
        let found = self.find_gradient(contexts, trajectories, divisor)?;
        Ok(found.map(|_| self.gradient.as_slice()))
    }

    /// Writes the gradient of a batch to where it is kept; nothing where no program counts.
    fn find_gradient(
        &mut self,
        contexts: &[&Input],
        trajectories: &[Trajectory],
        divisor: f64,
    ) -> Result<Option<Outcome>> {
        let counts = |trajectory: &&Trajectory| trajectory.weight != 0.0 || self.learning.entropy != 0.0;
        let kept: Vec<&Trajectory> = trajectories.iter().filter(counts).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        let programs: Vec<Program> = kept
            .iter()
            .map(|trajectory| program::<W>(&trajectory.steps))
            .collect();
        let weighted: Vec<WeightedProgram<'_>> = kept
            .iter()
            .zip(&programs)
            .map(|(trajectory, steps)| WeightedProgram {
                example: trajectory.example,
                weight: trajectory.weight as f32,
                steps,
            })
            .collect();
        let examples: Vec<_> = contexts.iter().map(|input| &***input).collect();
        let batch = Batch {
            examples: &examples,
            weighted: &weighted,
        };
        let terms = LossTerms {
            divisor: divisor as f32,
            entropy: self.learning.entropy,
            dropout: (self.learning.dropout > 0.0).then_some(Dropout {
                rate: self.learning.dropout,
                seed: self.seed ^ self.adam.steps().wrapping_mul(0x9e37_79b9_7f4a_7c15),
                after_skip: self.learning.dropout_after_skip,
            }),
        };
        let outcome = self
            .runner
            .train(&self.network, &batch, &terms, &mut self.gradient)?;
        if !outcome.loss.is_finite() {
            return Err(Error::Loss {
                step: self.adam.steps(),
                loss: outcome.loss,
            });
        }
        Ok(Some(outcome))
    }

    fn copy(&self, values: &[f32]) -> Result<Arc<Network>> {
        let config = self.network.config().clone();
        let network = Network::with_values(config, self.network.shared_words(), values.to_vec(), false)?;
        Ok(Arc::new(network))
    }
}

impl Learning {
    /// The learning rate after this many of the steps of a run.
    pub fn rate_at(&self, step: u64, steps: u64) -> f32 {
        let done = (step as f32 / steps.max(1) as f32).min(1.0);
        let falling = ((done - self.decay_from) / (1.0 - self.decay_from)).max(0.0);
        // Averages over the last steps do better when those are small.
        self.rate * (1.0 - (1.0 - self.final_rate) * falling)
    }
}

impl<W: Wording> Learner<Input> for NeuralLearner<W> {
    type Published = NeuralPolicy<W>;

    fn publish(&self) -> Result<NeuralPolicy<W>> {
        Ok(NeuralPolicy::new(self.copy(self.network.values())?))
    }

    fn use_threads(&mut self, threads: usize) {
        self.runner.use_threads(threads);
    }

    fn learn(&mut self, contexts: &[&Input], trajectories: &[Trajectory], divisor: f64) -> Result<Learnt> {
        self.assistants.begin(self.adam.steps(), self.network.values());
        let found = self.find_gradient(contexts, trajectories, divisor)?;
        if found.is_none() {
            self.gradient.fill(0.0);
        }
        let joined = self.assistants.join(&mut self.gradient);
        if found.is_none() && joined == 0 {
            return Ok(Learnt::default());
        }
        self.adam.options.learning_rate = self.learning.rate_at(self.adam.steps(), self.steps);
        let norm = self.adam.step(&self.runner, &mut self.network, &self.gradient)?;
        if let Some(average) = &mut self.average {
            average.update(&self.network);
        }
        self.assistants.stepped();
        let Some(outcome) = found else {
            return Ok(Learnt {
                gradient_norm: norm,
                ..Learnt::default()
            });
        };
        Ok(Learnt {
            loss: outcome.loss,
            gradient_norm: norm,
            entropy: outcome.entropy / outcome.steps.max(1) as f64,
        })
    }
}

impl<W: Wording> Policy<Input> for NeuralLearner<W> {
    type Error = Error;

    fn read(&mut self, contexts: &[&Input]) -> Result<()> {
        Ok(self.rows.read(&self.network, contexts)?)
    }

    fn start(&mut self, examples: &[usize]) -> Result<()> {
        Ok(self.rows.start(&self.network, examples)?)
    }

    fn advance(&mut self, moves: &[Move]) -> Result<()> {
        Ok(self.rows.advance(&self.network, moves)?)
    }

    fn log_probabilities(&mut self, row: usize, valid: &[Action], out: &mut Vec<f32>) -> Result<()> {
        Ok(self.rows.log_probabilities(row, valid, out)?)
    }
}
