//! What an actor does with a batch of examples: Algorithm 2 of the paper, up to the queue.

mod draw;
mod glance;
mod known;
mod new_programs;
mod selection;
mod task;
mod times;

pub use new_programs::NewPrograms;
pub use selection::{LastScores, MemoryScoring};
pub use task::{NotAProgram, Task};
pub use times::ActorTimes;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::batch::{Statistics, TrainingBatch, Visit};
use crate::chance::{example_rng, mix};
use crate::exploration::Walk;
use crate::objective::Objective;
use crate::roles::{Env, Estimator, Policy, Unusable, weigh};
use draw::Locksteps;
use glance::Look;

/// Why an actor cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ActorError<E> {
    /// Its policy cannot be run.
    #[error("{0}")]
    Policy(E),
    /// A memory does not fit its environment.
    #[error(transparent)]
    Memory(#[from] NotAProgram),
}

/// Visits examples with a policy and turns what it sees into weighted trajectories.
///
/// What it does depends on its settings, the numbers that it is given, the examples and the policy, and on
/// nothing that it did before: it holds only buffers, and a watch.
///
/// ```
/// use mapo_core::{Actor, Ascent, Learner, Memory, NewPrograms, Objective, Tabular, Task};
/// # use mapo_core::{Action, Env};
/// # #[derive(Default)]
/// # struct Coins(Vec<Action>);
/// # impl Env for Coins {
/// #     fn actions(&mut self, valid: &mut Vec<Action>) { if self.0.len() < 8 { valid.extend([Action(0), Action(1)]) } }
/// #     fn step(&mut self, action: Action) { self.0.push(action) }
/// #     fn rewind(&mut self, len: usize) { self.0.truncate(len) }
/// #     fn is_finished(&self) -> bool { self.0.len() == 8 }
/// #     fn reward(&mut self) -> f32 { (self.0.iter().map(|toss| toss.0).sum::<u16>() == 8).into() }
/// # }
///
/// // Eight coins to be laid, and the reward is for heads only. The policy sees no more than the number 0.
/// let mut task = Task::new(0, 0, Coins::default(), Memory::default(), 1e-8)?;
/// let objective = Objective::default();
/// let mut actor = Actor::new(objective.clone(), NewPrograms::default(), 1)?;
/// let mut policy = Tabular::new(Ascent::Adam { rate: 0.1 });
/// let mut success = None;
/// for step in 0..500 {
///     let mut batch = actor.act(step, step, &mut [&mut task], &mut policy)?;
///     success = batch.statistics.memory_weight.get();
///     policy.teach(&mut batch, &objective, step, &[&task.context], 1.0)?;
/// }
/// assert!(success > Some(0.95));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Actor {
    objective: Objective,
    new_programs: NewPrograms,
    scoring: MemoryScoring,
    seed: u64,
    times: ActorTimes,
    locksteps: Locksteps,
    walks: Vec<Walk>,
}

impl Actor {
    /// An actor for an objective.
    ///
    /// # Errors
    /// If the objective's settings make no sense.
    pub fn new(objective: Objective, new_programs: NewPrograms, seed: u64) -> Result<Self, Unusable> {
        objective.check()?;
        Ok(Self {
            objective,
            new_programs,
            scoring: MemoryScoring::WHOLE,
            seed,
            times: ActorTimes::default(),
            locksteps: Locksteps::default(),
            walks: Vec::new(),
        })
    }

    /// The same actor, which scores large memories in part.
    ///
    /// # Errors
    /// If the settings make no sense.
    pub fn with_scoring(self, scoring: MemoryScoring) -> Result<Self, Unusable> {
        scoring.check()?;
        Ok(Self { scoring, ..self })
    }

    /// Where the time went since this was last asked.
    pub fn take_times(&mut self) -> ActorTimes {
        std::mem::take(&mut self.times)
    }

    /// Visits the examples of a batch: explores, looks at each of them on one snapshot of its memory, and
    /// then lets the memory have what was drawn and earned a reward. Of a [known](Task::known) example the
    /// policy is asked only where there are several programs to choose from.
    ///
    /// `number` is that of the batch: the same number, with everything else the same, gives the same draws.
    /// `step` is the learner's, as far as the actor knows.
    ///
    /// # Errors
    /// If the policy cannot be run, or a memory does not fit its environment.
    pub fn act<E, X, P>(
        &mut self,
        number: u64,
        step: u64,
        tasks: &mut [&mut Task<E, X>],
        policy: &mut P,
    ) -> Result<TrainingBatch, ActorError<P::Error>>
    where
        E: Env,
        P: Policy<X>,
    {
        let mut batch = TrainingBatch {
            examples: tasks.iter().map(|task| task.example).collect(),
            ..TrainingBatch::default()
        };
        // Places in the batch of those for which the policy must be asked.
        let (mut asked, mut places) = (Vec::with_capacity(tasks.len()), Vec::with_capacity(tasks.len()));
        let mut visits = Vec::with_capacity(tasks.len());
        for (place, task) in tasks.iter_mut().enumerate() {
            if known::is_certain(task) {
                visits.push((true, known::recite(place, task)?));
            } else {
                asked.push(&mut **task);
                places.push(place);
            }
        }
        if !asked.is_empty() {
            let seen = self.ask(number, &mut asked, policy, &mut batch.statistics)?;
            for (visit, (task, &place)) in seen.into_iter().zip(asked.iter_mut().zip(&places)) {
                batch.statistics.found_drawing += self.remember(task, &visit);
                visits.push((
                    task.is_known,
                    Visit {
                        example: place,
                        ..visit
                    },
                ));
            }
        }
        visits.iter().for_each(|(_, visit)| batch.statistics.see(visit));
        let (known, others): (Vec<_>, Vec<_>) = visits.into_iter().partition(|(is_known, _)| *is_known);
        batch.unweighted = known.into_iter().map(|(_, visit)| visit).collect();
        weigh(&mut batch, &known::LIKELIHOOD, step);
        batch.unweighted = others.into_iter().map(|(_, visit)| visit).collect();
        if !self.objective.asks_learner() {
            weigh(&mut batch, &self.objective, step);
        }
        Ok(batch)
    }

    /// Explores for examples and looks at them, with the policy. Visits have the places of the tasks.
    fn ask<E, X, P>(
        &mut self,
        number: u64,
        tasks: &mut [&mut Task<E, X>],
        policy: &mut P,
        statistics: &mut Statistics,
    ) -> Result<Vec<Visit>, ActorError<P::Error>>
    where
        E: Env,
        P: Policy<X>,
    {
        let contexts: Vec<&X> = tasks.iter().map(|task| &task.context).collect();
        let times = &mut self.times;
        times
            .of(|times| &mut times.reading, || policy.read(&contexts))
            .map_err(ActorError::Policy)?;
        let mut rngs = self.rngs(number, tasks);
        if self.objective.uses_memory() {
            let (new_programs, walks) = (self.new_programs, &mut self.walks);
            self.times
                .of(
                    |times| &mut times.exploring,
                    || new_programs.explore(walks, tasks, &mut rngs, policy, statistics),
                )
                .map_err(ActorError::Policy)?;
        }
        let look = Look {
            objective: &self.objective,
            scoring: self.scoring,
            locksteps: &mut self.locksteps,
            times: &mut self.times,
        };
        look.at(tasks, &mut rngs, policy)
    }

    fn rngs<E, X>(&self, number: u64, tasks: &[&mut Task<E, X>]) -> Vec<Xoshiro256PlusPlus> {
        let seed = self.seed ^ mix(number.wrapping_add(1));
        tasks.iter().map(|task| example_rng(seed, task.example)).collect()
    }

    /// Adds to the memory what was drawn and earned a reward, and says how many programs that were.
    fn remember<E: Env, X>(&mut self, task: &mut Task<E, X>, visit: &Visit) -> u64 {
        let mut found = 0;
        for sample in visit.outside.iter().filter(|sample| sample.reward > 0.0) {
            if task.memory.insert(sample.steps.actions(), sample.reward) {
                found += 1;
                if self.new_programs != NewPrograms::OFF {
                    // Exploration need not come to it again.
                    let mut walk = Walk::default();
                    walk.visit(&mut task.env, &mut task.explored, sample.steps.actions());
                }
            }
        }
        found
    }
}
