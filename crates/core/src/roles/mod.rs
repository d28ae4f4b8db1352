//! The roles, on one page: who acts, who learns, and the three doors through which they meet.
//!
//! ```text
//!                 ┌──────────────────── store of policies ◀─────────────────────┐
//!          newest ▼                                                     publish │
//!   Env ◀──▶ an actor with a Policy ──────── queue of batches ────────▶ a Learner
//!                 │  └ weighs by an Estimator
//!          append └───────────────────▶ store of memories ────▶ what is kept of a run
//! ```
//!
//! An [`Env`] is where programs are executed. A [`Policy`] says how likely they are. An [`Estimator`] says
//! which programs an actor takes and how they are weighted. A [`Learner`] is a policy that climbs along them.
//!
//! An actor (its life is in the module `run`) and a learner share no memory. An actor gets a [`Place`] in the
//! queue of batches, from which the learner takes them as a [`Queue`]; it acts with the newest of a
//! [`PolicyStore`]; and what it finds travels to a [`MemoryStore`]. Whether those are shared by threads, as
//! in this crate, or reached over a network is not known on either side: doors may fail, with a
//! [`DoorError`]. A learner may have [`Assistants`], who find gradients of further batches for its step.

mod assisting;
mod needs;
mod scoring;
mod settling;

pub use assisting::{Alone, Assistants, average};
pub use needs::{ByReward, FromMemory, FromPolicy, Needs, Unusable};
pub use scoring::{Scores, score_by_level};
pub use settling::settle;
pub(crate) use settling::weigh;

use crate::batch::{MemoryWeight, Sample, TrainingBatch, Trajectory, Visit, WrongBatch};
use crate::memory::Finding;
use crate::program::{Action, PrefixTree, Steps, shared_prefix};

/// A deterministic environment with discrete actions and one reward at the end.
///
/// An environment holds one *prefix* in place: the actions taken since its start. It moves forward by
/// [`step`](Env::step) and back by [`rewind`](Env::rewind), so that a walk over the tree of all prefixes
/// executes each step once and copies nothing. A prefix is in one of three states:
///
/// * *finished*: the prefix is a whole program; it has a reward and no further actions;
/// * *open*: at least one action is valid;
/// * a *dead end*: not finished, and no action is valid. Nothing is earned there.
///
/// The same prefix always has the same state, the same valid actions (no action twice) and the same reward.
/// No sequence of steps goes on for ever.
///
/// None of the methods should allocate in the steady state: they are called for every step of every program.
///
/// ```
/// use mapo_core::{Action, Env};
///
/// /// Three coin tosses; two heads win.
/// #[derive(Default)]
/// struct Coins(Vec<Action>);
///
/// impl Env for Coins {
///     fn actions(&mut self, valid: &mut Vec<Action>) {
///         if !self.is_finished() {
///             valid.extend([Action(0), Action(1)]);
///         }
///     }
///     fn step(&mut self, action: Action) {
///         self.0.push(action);
///     }
///     fn rewind(&mut self, len: usize) {
///         self.0.truncate(len);
///     }
///     fn is_finished(&self) -> bool {
///         self.0.len() == 3
///     }
///     fn reward(&mut self) -> f32 {
///         let heads = self.0.iter().filter(|&&toss| toss == Action(1)).count();
///         if heads == 2 { 1.0 } else { 0.0 }
///     }
/// }
///
/// let mut coins = Coins::default();
/// for toss in [1, 0, 1] {
///     coins.step(Action(toss));
/// }
/// assert!(coins.is_finished());
/// assert_eq!(coins.reward(), 1.0);
/// ```
pub trait Env {
    /// Appends the valid actions of the current prefix to `valid`; what is there already stays. Appends
    /// nothing when the prefix is finished or a dead end.
    fn actions(&mut self, valid: &mut Vec<Action>);

    /// Extends the prefix by `action`, one of those that [`actions`](Env::actions) gives.
    fn step(&mut self, action: Action);

    /// Goes back to the first `len` actions of the prefix; `len` is at most its length. `rewind(0)` is the
    /// start.
    fn rewind(&mut self, len: usize);

    /// Whether the prefix is a whole program.
    fn is_finished(&self) -> bool;

    /// The reward of a finished prefix; positive if it belongs in the memory. Not called on any other prefix.
    fn reward(&mut self) -> f32;

    /// Leaves in `offered`, some of the valid actions of the current prefix, those after which something can still
    /// be earned, as far as the environment can tell. Exploration may ask; whoever knows nothing leaves all.
    fn worthwhile(&mut self, _offered: &mut Vec<Action>) {}

    /// Takes the environment from the prefix `here`, where it stands, to the prefix `there`, by way of what
    /// the two share. Every action of `there` must be valid where it is taken.
    fn go_to(&mut self, here: &mut Vec<Action>, there: &[Action]) {
        let shared = shared_prefix(here, there);
        if shared < here.len() {
            self.rewind(shared);
            here.truncate(shared);
        }
        for &action in &there[shared..] {
            self.step(action);
            here.push(action);
        }
    }

    /// Executes a program from the start and notes what was valid at each step. None if it is not a whole
    /// program of this environment.
    fn steps_of(&mut self, program: &[Action]) -> Option<Steps> {
        let mut steps = Steps::default();
        let mut valid = Vec::new();
        self.rewind(0);
        for &action in program {
            valid.clear();
            self.actions(&mut valid);
            if !valid.contains(&action) {
                return None;
            }
            steps.push(action, &valid);
            self.step(action);
        }
        self.is_finished().then_some(steps)
    }

    /// The tree of some programs, in their order. Executes each distinct prefix once where programs that
    /// share prefixes follow each other, as they do in a memory that comes from exploration.
    ///
    /// # Errors
    /// The place of the first that is no program of this environment.
    fn tree_of<'p>(&mut self, programs: impl IntoIterator<Item = &'p [Action]>) -> Result<PrefixTree, usize>
    where
        Self: Sized,
    {
        let mut tree = PrefixTree::default();
        let (mut here, mut valid) = (Vec::new(), Vec::new());
        self.rewind(0);
        for (place, program) in programs.into_iter().enumerate() {
            let mut node = 0;
            for (depth, &action) in program.iter().enumerate() {
                if tree.valid(node).is_empty() {
                    self.go_to(&mut here, &program[..depth]);
                    valid.clear();
                    self.actions(&mut valid);
                    tree.set_valid(node, &valid);
                }
                if !tree.valid(node).contains(&action) {
                    return Err(place);
                }
                node = tree.child_or_new(node, action);
            }
            tree.end_program(node);
        }
        Ok(tree)
    }
}

/// So environments of several kinds can be in one run.
impl<E: Env + ?Sized> Env for Box<E> {
    fn actions(&mut self, valid: &mut Vec<Action>) {
        (**self).actions(valid);
    }

    fn step(&mut self, action: Action) {
        (**self).step(action);
    }

    fn rewind(&mut self, len: usize) {
        (**self).rewind(len);
    }

    fn is_finished(&self) -> bool {
        (**self).is_finished()
    }

    fn reward(&mut self) -> f32 {
        (**self).reward()
    }

    fn worthwhile(&mut self, offered: &mut Vec<Action>) {
        (**self).worthwhile(offered);
    }
}

/// A policy π that advances many partial programs of many examples together.
///
/// `X` is what it sees of an example (the paper's context x: a question with its table's columns, say). A
/// policy with a network reads the contexts of a batch once and then takes one decoder step for all rows at a
/// time; one with a table of numbers may do it row by row. Nobody but the policy itself draws dropout masks,
/// and it does so only in [`Learner::learn`].
///
/// A *row* is a partial program. The rows are numbered from 0 in the order in which [`start`](Self::start) or
/// [`advance`](Self::advance) made them, and those made before are gone.
pub trait Policy<X: ?Sized> {
    /// What can go wrong.
    type Error;

    /// Reads the contexts of a batch. From here on an example is its place in `contexts`.
    ///
    /// # Errors
    /// If a context cannot be read.
    fn read(&mut self, contexts: &[&X]) -> Result<(), Self::Error>;

    /// Makes one row, the empty program, for each of `examples`, which holds none twice. May be called many
    /// times for contexts that were read once.
    ///
    /// # Errors
    /// If the policy cannot be run.
    fn start(&mut self, examples: &[usize]) -> Result<(), Self::Error>;

    /// Makes one row for each move, in their order. Several moves may continue one row, and rows that no move
    /// continues are dropped.
    ///
    /// # Errors
    /// If the policy cannot be run, or a move not made.
    fn advance(&mut self, moves: &[Move]) -> Result<(), Self::Error>;

    /// Appends to `out` the log-probabilities of `valid` (never empty, not always all that the environment
    /// offers) as the next action of a row: those of a softmax over them.
    ///
    /// # Errors
    /// If the policy knows nothing of one of the actions.
    fn log_probabilities(
        &mut self,
        row: usize,
        valid: &[Action],
        out: &mut Vec<f32>,
    ) -> Result<(), Self::Error>;
}

/// The next action of a partial program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The row that is continued.
    pub row: usize,
    /// How.
    pub action: Action,
}

/// One way to turn what was seen of an example into weighted trajectories.
///
/// `step` is the number of the learner's step, from 0.
pub trait Estimator {
    /// What it needs of an example with this many programs in memory.
    fn needs(&self, memory: usize) -> Needs;

    /// Gives every trajectory that counts, with its weight c, to `keep`. Says how much the memory weighed,
    /// where that has a part in it.
    fn weigh(&self, step: u64, visit: &Visit, keep: &mut dyn FnMut(&Sample, f64)) -> Option<MemoryWeight>;

    /// Whether it has any use for a memory, and so for exploration.
    fn uses_memory(&self) -> bool {
        true
    }

    /// Whether the weights are made from the learner's own probabilities. Then the learner must do a forward
    /// pass over the programs from memory before it knows them.
    fn asks_learner(&self) -> bool {
        false
    }

    /// Whether its settings make sense.
    ///
    /// # Errors
    /// Says which setting does not.
    fn check(&self) -> Result<(), Unusable> {
        Ok(())
    }
}

/// A policy that learns. It can be asked for its own probabilities too: an objective may want those of the
/// parameters that are about to change.
pub trait Learner<X: ?Sized>: Policy<X> {
    /// What actors act with: a policy as it was when it was published.
    type Published: Policy<X, Error: Into<Self::Error>>;

    /// Climbs along Σ c·∇log π(a) / `divisor`, one step, with what else the learner has been told to do
    /// (entropy, dropout, clipping). `contexts` are those of the batch; trajectories refer to them by place.
    ///
    /// # Errors
    /// If the policy cannot be run, or a number is not finite.
    fn learn(
        &mut self,
        contexts: &[&X],
        trajectories: &[Trajectory],
        divisor: f64,
    ) -> Result<Learnt, Self::Error>;

    /// One step on a batch: weighs what the actor could not ([`settle`]), and learns.
    ///
    /// # Errors
    /// Those of the policy.
    fn teach<O: Estimator + ?Sized>(
        &mut self,
        batch: &mut TrainingBatch,
        objective: &O,
        step: u64,
        contexts: &[&X],
        divisor: f64,
    ) -> Result<Learnt, Self::Error> {
        settle(batch, objective, step, contexts, self)?;
        self.learn(contexts, &batch.trajectories, divisor)
    }

    /// A copy for actors, as it is after the last step.
    ///
    /// # Errors
    /// Those of the policy.
    fn publish(&self) -> Result<Self::Published, Self::Error>;

    /// Learns on this many threads from now on, if it has several. They give the same but for rounding.
    fn use_threads(&mut self, _threads: usize) {}
}

/// What a step of learning came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learnt {
    /// −Σ c·log π(a) / divisor, before the step.
    pub loss: f64,
    /// Length of the gradient, before it was clipped.
    pub gradient_norm: f64,
    /// Mean entropy of the steps of all trajectories, in nats.
    pub entropy: f64,
}

/// The first door, seen by an actor: its place in the queue of batches. An actor that ends, in whatever way,
/// gives its place up by dropping it.
pub trait Place {
    /// Waits until there is room for one more batch. False if none is wanted any more.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    fn begin(&mut self) -> Result<bool, DoorError>;

    /// Hands over the batch for which there is room since [`begin`](Self::begin).
    ///
    /// # Errors
    /// If the queue cannot be reached.
    fn deliver(&mut self, batch: TrainingBatch) -> Result<(), DoorError>;
}

/// The first door, seen by a learner: the queue of batches, the oldest first. It is bounded, so that a fast
/// actor waits and no batch is much older than the policy that is about to learn from it.
pub trait Queue {
    /// Waits for the next batch; nothing if the last actor has ended and left none.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    fn take(&mut self) -> Result<Option<Taken>, DoorError>;

    /// Says that the batch that was taken last has been learnt from, and need not be kept any longer. The
    /// stores know of it already.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    fn learnt(&mut self) -> Result<(), DoorError>;

    /// Says that the batch that was taken last cannot be right. Whoever takes batches from strangers drops it
    /// and goes on.
    ///
    /// # Errors
    /// What was said, if no batch may ever be wrong.
    fn refused(&mut self, wrong: WrongBatch) -> Result<(), WrongBatch> {
        Err(wrong)
    }
}

/// A batch for the learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The batch, as it came: not looked at by anyone yet.
    pub batch: TrainingBatch,
    /// Batches that were in the queue, this one among them.
    pub depth: usize,
    /// Threads that the learner may use for it.
    pub threads: usize,
}

/// The second door: policies, each with its version, the number of steps that its learner had made.
pub trait PolicyStore<P>: Sync {
    /// Puts a policy into the store, in place of the one that was newest.
    ///
    /// # Errors
    /// If the store cannot be reached.
    fn publish(&self, version: u64, policy: P) -> Result<(), DoorError>;

    /// The newest policy and its version; nothing if that is the version which is held already.
    ///
    /// # Errors
    /// If the store cannot be reached, or is empty.
    fn newest(&self, held: Option<u64>) -> Result<Option<(u64, P)>, DoorError>;

    /// Says how far the learner has come.
    ///
    /// # Errors
    /// If the store cannot be reached.
    fn reached(&self, step: u64) -> Result<(), DoorError>;

    /// How far the learner has come, as far as is known here.
    ///
    /// # Errors
    /// If the store cannot be reached.
    fn step(&self) -> Result<u64, DoorError>;
}

/// The third door: what actors have found, by shard, in the order of finding. Nothing is ever changed or
/// taken away.
pub trait MemoryStore: Sync {
    /// Adds what was found in a shard.
    ///
    /// # Errors
    /// If the store cannot be reached, or has no such shard.
    fn append(&self, shard: u32, found: Vec<Finding>) -> Result<(), DoorError>;

    /// What was found in a shard, but for the first `from` of it.
    ///
    /// # Errors
    /// If the store cannot be reached, or has no such shard.
    fn read(&self, shard: u32, from: usize) -> Result<Vec<Finding>, DoorError>;
}

/// The doors of a run whose actors are elsewhere, as its learner has them.
pub trait Doors<P> {
    /// All three.
    fn open(&mut self) -> (&mut dyn Queue, &dyn PolicyStore<P>, &dyn MemoryStore);

    /// Says that the run has come to its end: nothing is found any more from now on.
    ///
    /// # Errors
    /// If the doors cannot be reached.
    fn close(&mut self) -> Result<(), DoorError>;
}

/// A door that does not open.
#[derive(Debug, thiserror::Error)]
#[error("{door}: {source}")]
pub struct DoorError {
    /// Which.
    pub door: &'static str,
    /// Why.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
