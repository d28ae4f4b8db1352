//! Exploration of many examples on all cores.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::roles::Env;

use super::{Exploration, Explorer, Plan, Weighing};

/// How far a run is, and the way to stop it. Share it with whatever shows the one or does the other.
#[derive(Debug, Default)]
pub struct Progress {
    programs: AtomicU64,
    examples: AtomicU64,
    solved: AtomicU64,
    complete: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Programs tried so far, those of unfinished examples included.
    pub fn programs(&self) -> u64 {
        self.programs.load(Relaxed)
    }

    /// Examples finished.
    pub fn examples(&self) -> u64 {
        self.examples.load(Relaxed)
    }

    /// Finished examples with at least one rewarded program.
    pub fn solved(&self) -> u64 {
        self.solved.load(Relaxed)
    }

    /// Finished examples of which every program has been tried.
    pub fn complete(&self) -> u64 {
        self.complete.load(Relaxed)
    }

    /// Asks the run to end as soon as it can.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the run has been asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    fn add(&self, exploration: &Exploration) {
        self.examples.fetch_add(1, Relaxed);
        self.solved.fetch_add(exploration.is_solved().into(), Relaxed);
        self.complete.fetch_add(exploration.is_complete.into(), Relaxed);
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every example was explored and delivered.
    Finished,
    /// The run was stopped. What had been delivered stays; the rest starts anew next time.
    Stopped,
}

/// Explores `examples` on the current rayon pool; `env_of` makes the environment of an example, on the thread
/// that explores it.
///
/// Each result is given to `deliver` as soon as those of all the examples before it have been, so a store to
/// which they are appended always holds examples from the first on, without a gap, whatever the number of
/// threads. To resume a run, leave out the examples that the store has: what an example yields does not
/// depend on the others, so the whole is the same as if nothing had happened. An example that was under way
/// at the stop is explored again from its beginning.
///
/// An error of `deliver` ends the run and is returned.
///
/// ```
/// use mapo_core::{Ending, Plan, Progress, Uniform, explore_all};
/// # use mapo_core::{Action, Env};
/// # #[derive(Default)]
/// # struct Coins(Vec<Action>);
/// # impl Env for Coins {
/// #     fn actions(&mut self, valid: &mut Vec<Action>) { if self.0.len() < 3 { valid.extend([Action(0), Action(1)]) } }
/// #     fn step(&mut self, action: Action) { self.0.push(action) }
/// #     fn rewind(&mut self, len: usize) { self.0.truncate(len) }
/// #     fn is_finished(&self) -> bool { self.0.len() == 3 }
/// #     fn reward(&mut self) -> f32 { (self.0.iter().map(|toss| toss.0).sum::<u16>() == 2).into() }
/// # }
///
/// let progress = Progress::default();
/// let mut found = Vec::new();
/// let ending = explore_all(0..4, |_| Coins::default(), &Uniform, &Plan::default(), &progress, |example, exploration| {
///     found.push((example, exploration.memory.len()));
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert_eq!(ending, Ending::Finished);
/// // Three of the eight ways to toss three coins give two heads.
/// assert_eq!(found, [(0, 3), (1, 3), (2, 3), (3, 3)]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn explore_all<I, E, W, X>(
    examples: I,
    env_of: impl Fn(u64) -> E + Sync,
    weighing: &W,
    plan: &Plan,
    progress: &Progress,
    deliver: impl FnMut(u64, Exploration) -> Result<(), X> + Send,
) -> Result<Ending, X>
where
    I: IntoIterator<Item = u64, IntoIter: Send>,
    E: Env,
    W: Weighing<E> + Clone + Sync,
    X: Send,
{
    let delivery = Mutex::new(Delivery {
        deliver,
        due: 0,
        early: BTreeMap::new(),
        error: None,
    });
    // The bridge hands out the examples one by one in their order, so few results wait for an earlier one.
    let ended = examples.into_iter().enumerate().par_bridge().try_for_each_init(
        || Explorer::new(*plan),
        |explorer, (position, example)| {
            if progress.is_stopped() {
                return Err(Halt);
            }
            let mut env = env_of(example);
            let exploration = explorer.explore(example, &mut env, &mut weighing.clone(), |drawn| {
                progress.programs.fetch_add(drawn.programs.into(), Relaxed);
                !progress.is_stopped()
            });
            let exploration = exploration.ok_or(Halt)?;
            progress.add(&exploration);
            let mut delivery = delivery.lock().unwrap_or_else(PoisonError::into_inner);
            delivery.accept(position, example, exploration)
        },
    );
    let delivery = delivery.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (delivery.error, ended) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(Ending::Finished),
        (None, Err(Halt)) => Ok(Ending::Stopped),
    }
}

/// The run ends before its last example.
struct Halt;

/// Puts results that come as they are ready into the order of their examples.
struct Delivery<F, X> {
    deliver: F,
    /// Position of the result to be delivered next.
    due: usize,
    early: BTreeMap<usize, (u64, Exploration)>,
    error: Option<X>,
}

impl<F, X> Delivery<F, X>
where
    F: FnMut(u64, Exploration) -> Result<(), X>,
{
    fn accept(&mut self, position: usize, example: u64, exploration: Exploration) -> Result<(), Halt> {
        self.early.insert(position, (example, exploration));
        while let Some((example, exploration)) = self.early.remove(&self.due) {
            if self.error.is_some() {
                return Err(Halt);
            }
            if let Err(error) = (self.deliver)(example, exploration) {
                self.error = Some(error);
                return Err(Halt);
            }
            self.due += 1;
        }
        Ok(())
    }
}
