//! The network as a policy.

use mapo_core::{Action, Move, Policy, Steps};
use mapo_programmer::{Error, Example, Network, NextToken, Program, Result, Stepper};
use std::marker::PhantomData;
use std::sync::Arc;

/// What the network sees of an example; actors and the learner share it.
pub type Input = Arc<Example>;

/// What the network must know of the actions beside their numbers, which are those of its slots.
pub trait Wording: 'static {
    /// Whether an action ends a part of a program whose result later actions may name: the next variable.
    fn defines(action: Action) -> bool;
}

/// Actions of which none names the result of others.
#[derive(Debug)]
pub enum Plain {}

impl Wording for Plain {
    fn defines(_: Action) -> bool {
        false
    }
}

/// Partial programs of a network, with the buffers that turn core's words into the network's. Whoever holds a
/// network and rows is a policy.
#[derive(Debug)]
pub(crate) struct Rows<W> {
    stepper: Stepper,
    valid: Vec<u32>,
    logs: Vec<f32>,
    next: Vec<NextToken>,
    wording: PhantomData<fn() -> W>,
}

impl<W> Default for Rows<W> {
    fn default() -> Self {
        Self {
            stepper: Stepper::default(),
            valid: Vec::new(),
            logs: Vec::new(),
            next: Vec::new(),
            wording: PhantomData,
        }
    }
}

impl<W: Wording> Rows<W> {
    /// Reads the contexts of a batch.
    ///
    /// # Errors
    /// Those of the network.
    pub fn read(&mut self, network: &Network, inputs: &[&Input]) -> Result<()> {
        let examples: Vec<_> = inputs.iter().map(|input| &***input).collect();
        self.stepper.read(network, &examples)
    }

    /// Makes an empty row for each example.
    ///
    /// # Errors
    /// Those of the network.
    pub fn start(&mut self, network: &Network, examples: &[usize]) -> Result<()> {
        let examples: Vec<u32> = examples.iter().map(|&example| example as u32).collect();
        self.stepper.start(network, &examples)
    }

    /// Makes a row for each move.
    ///
    /// # Errors
    /// Those of the network.
    pub fn advance(&mut self, network: &Network, moves: &[Move]) -> Result<()> {
        self.next.clear();
        self.next.extend(moves.iter().map(|next| NextToken {
            row: next.row as u32,
            slot: next.action.0.into(),
            defines: W::defines(next.action),
        }));
        self.stepper.advance(network, &self.next)
    }

    /// The log-probabilities of the valid actions of a row.
    ///
    /// # Errors
    /// Those of the network.
    pub fn log_probabilities(&mut self, row: usize, valid: &[Action], out: &mut Vec<f32>) -> Result<()> {
        // A softmax over one action says nothing.
        if valid.len() == 1 {
            out.push(0.0);
            return Ok(());
        }
        self.valid.clear();
        self.valid.extend(valid.iter().map(|action| u32::from(action.0)));
        self.stepper.log_probabilities(row, &self.valid, &mut self.logs)?;
        out.extend_from_slice(&self.logs);
        Ok(())
    }
}

/// A network that acts: the actors' stale copy, or a model to be evaluated.
#[derive(Debug)]
pub struct NeuralPolicy<W = Plain> {
    network: Arc<Network>,
    rows: Rows<W>,
}

impl<W> NeuralPolicy<W> {
    /// A policy with these parameters.
    pub fn new(network: Arc<Network>) -> Self {
        Self {
            network,
            rows: Rows::default(),
        }
    }

    /// Its network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }
}

/// A copy has the same parameters, and has read nothing yet.
impl<W> Clone for NeuralPolicy<W> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.network))
    }
}

impl<W: Wording> Policy<Input> for NeuralPolicy<W> {
    type Error = Error;

    fn read(&mut self, contexts: &[&Input]) -> Result<()> {
        self.rows.read(&self.network, contexts)
    }

    fn start(&mut self, examples: &[usize]) -> Result<()> {
        self.rows.start(&self.network, examples)
    }

    fn advance(&mut self, moves: &[Move]) -> Result<()> {
        self.rows.advance(&self.network, moves)
    }

    fn log_probabilities(&mut self, row: usize, valid: &[Action], out: &mut Vec<f32>) -> Result<()> {
        self.rows.log_probabilities(row, valid, out)
    }
}

/// A program as the network takes it.
pub fn program<W: Wording>(steps: &Steps) -> Program {
    let mut out = Program::default();
    let mut slots: Vec<u32> = Vec::new();
    for (action, valid) in steps.iter() {
        slots.clear();
        slots.extend(valid.iter().map(|action| u32::from(action.0)));
        out.push(action.0.into(), &slots, W::defines(action));
    }
    out
}
