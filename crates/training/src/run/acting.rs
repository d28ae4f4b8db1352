//! What an actor's thread does.

use mapo_core::Actor;
use mapo_programmer::Network;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::Result;
use crate::run::TableTask;
use crate::run::exchange::{Acted, Place};
use crate::run::order::Order;
use crate::run::times::Times;
use crate::settings::Settings;
use mapo_model::NeuralPolicy;

/// What the learner tells the actors.
pub(crate) struct Board {
    /// The parameters that actors use, and their step.
    published: Mutex<(u64, Arc<Network>)>,
    /// The learner's step.
    pub step: AtomicU64,
}

impl Board {
    pub fn new(step: u64, network: Arc<Network>) -> Self {
        Self {
            published: Mutex::new((step, network)),
            step: AtomicU64::new(step),
        }
    }

    /// Hands out parameters.
    pub fn publish(&self, step: u64, network: Arc<Network>) {
        *self.published.lock().unwrap_or_else(PoisonError::into_inner) = (step, network);
    }

    fn published(&self) -> (u64, Arc<Network>) {
        let published = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        published.clone()
    }
}

/// Makes batches from its share of the examples.
pub(crate) struct Acting<'a> {
    settings: &'a Settings,
    seed: u64,
    actor: Actor,
    is_warm_up: bool,
    order: Order,
    policy: NeuralPolicy,
    /// The step of the policy.
    step: u64,
}

impl<'a> Acting<'a> {
    /// Acts on so many examples, in an order of its own; the policy is that of a step.
    pub fn new(
        settings: &'a Settings,
        seed: u64,
        examples: usize,
        order_seed: u64,
        (step, network): (u64, Arc<Network>),
    ) -> Result<Self> {
        let is_warm_up = settings.is_warm_up(step);
        Ok(Self {
            settings,
            seed,
            actor: actor(settings, seed, is_warm_up)?,
            is_warm_up,
            order: Order::new(examples, settings.batch, order_seed),
            policy: NeuralPolicy::new(network),
            step,
        })
    }

    /// Takes the parameters of a step.
    pub fn refresh(&mut self, (step, network): (u64, Arc<Network>)) {
        if step != self.step {
            self.policy.set_network(network);
            self.step = step;
        }
    }

    /// The batch of a round over the examples. No two batches of a run have the same `number`; `step` is the learner's.
    pub fn act(&mut self, round: u64, number: u64, step: u64, tasks: &mut [TableTask]) -> Result<Acted> {
        let is_warm_up = self.settings.is_warm_up(step);
        if is_warm_up != self.is_warm_up {
            self.actor = actor(self.settings, self.seed, is_warm_up)?;
            self.is_warm_up = is_warm_up;
        }
        let mut picked = pick(tasks, &self.order.batch(round));
        let batch = self.actor.act(number, step, &mut picked, &mut self.policy)?;
        Ok(Acted {
            batch,
            policy: self.step,
            is_warm_up,
        })
    }

    /// Where the time went since this was last asked.
    pub fn take_times(&mut self) -> Times {
        Times {
            acting: self.actor.take_times(),
            ..Times::default()
        }
    }
}

fn actor(settings: &Settings, seed: u64, is_warm_up: bool) -> Result<Actor> {
    let objective = settings.objective_of(is_warm_up).clone();
    Ok(Actor::new(objective, settings.exploring, seed)?.with_scoring(settings.memory)?)
}

/// The tasks at some places, in the order of the places' numbers.
fn pick<'t>(tasks: &'t mut [TableTask], places: &[usize]) -> Vec<&'t mut TableTask> {
    let mut is_picked = vec![false; tasks.len()];
    places.iter().for_each(|&place| is_picked[place] = true);
    let picked = tasks
        .iter_mut()
        .zip(is_picked)
        .filter(|(_, is_picked)| *is_picked);
    picked.map(|(task, _)| task).collect()
}

/// All that an actor's thread is born with.
pub(crate) struct ActorLife<'a> {
    pub number: u64,
    pub actors: u64,
    /// Its batches so far.
    pub round: &'a mut u64,
    pub tasks: &'a mut [TableTask],
    pub settings: &'a Settings,
    pub seed: u64,
}

impl ActorLife<'_> {
    /// Acts until nobody wants its batches.
    pub fn live(self, board: &Board, mut place: Place<'_>) -> Result<()> {
        if self.tasks.is_empty() {
            return Ok(());
        }
        let order_seed = self.seed.wrapping_add(self.number);
        let mut acting = Acting::new(
            self.settings,
            self.seed,
            self.tasks.len(),
            order_seed,
            board.published(),
        )?;
        loop {
            let began = Instant::now();
            if !place.begin() {
                return Ok(());
            }
            let waited = began.elapsed().as_secs_f64();
            acting.refresh(board.published());
            let number = *self.round * self.actors + self.number;
            let acted = acting.act(*self.round, number, board.step.load(Relaxed), self.tasks)?;
            *self.round += 1;
            let times = Times {
                actors_waited: waited,
                ..acting.take_times()
            };
            place.deliver(acted, times);
        }
    }
}
