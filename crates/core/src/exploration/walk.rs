//! Algorithm 1 of the paper: one program at a time.

use rand::Rng;

use crate::chance::choose;
use crate::program::{Action, PrefixHash};
use crate::roles::Env;

use super::{ExploredSet, Weighing};

/// One walk from the empty prefix to a program that was never tried.
///
/// [`draw`](Walk::draw) does a whole walk by the probabilities of a [`Weighing`]. Whoever advances many walks
/// together, to ask a network about all of them at once, alternates [`turn`](Walk::turn) and
/// [`take`](Walk::take) instead.
///
/// Three things differ from the paper's listing; none changes what can ever be tried. A prefix whose last
/// branch is used up is known to be explored as soon as that happens, not when a later walk runs into it; and
/// since a mark on a prefix covers all that lies below, only the shortest prefix of those that have just
/// become explored is inserted. Where only one action is valid, the prefix before it and the one after it
/// have the same fate: the mark goes to the former, and no look-up is spent on the latter.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    prefix: Vec<Action>,
    open: Vec<Action>,
    weights: Vec<f32>,
    forks: Vec<Fork>,
    path: Path,
    /// Whether what can earn nothing is left aside.
    is_frugal: bool,
}

/// Where the walk stands: the hash of the prefix, and the hash under which it is marked.
#[derive(Clone, Copy, Debug)]
struct Path {
    hash: PrefixHash,
    mark: PrefixHash,
    /// Whether several actions were valid here.
    is_fork: bool,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            hash: PrefixHash::ROOT,
            mark: PrefixHash::ROOT,
            is_fork: false,
        }
    }
}

/// A prefix with several valid actions that the walk has passed.
#[derive(Clone, Copy, Debug)]
struct Fork {
    mark: PrefixHash,
    /// How many actions still led to something new, the one taken included.
    open: usize,
}

/// What a walk meets at a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn<'a> {
    /// These actions lead to something new: take one.
    Choose(&'a [Action]),
    /// A whole program, never tried before. It is now marked as tried.
    Finished,
    /// Nothing new lies below this prefix. It is now marked as explored.
    Exhausted,
}

/// What one walk came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// A program never tried before, with its reward.
    Program {
        /// What the environment gave for it.
        reward: f32,
    },
    /// A prefix that could not be continued, now marked; there may be programs elsewhere.
    DeadEnd,
    /// Everything has been tried.
    Complete,
}

impl Walk {
    /// Goes back to the empty prefix.
    pub fn start<E: Env + ?Sized>(&mut self, env: &mut E) {
        env.rewind(0);
        self.prefix.clear();
        self.forks.clear();
        self.path = Path::default();
    }

    /// Leaves aside, or not, what the environment says can earn nothing. Where nothing else is left below a prefix, it
    /// counts as explored.
    pub fn frugal(&mut self, is_frugal: bool) {
        self.is_frugal = is_frugal;
    }

    /// Looks at the current prefix: which actions lead to something new?
    pub fn turn<E: Env + ?Sized>(&mut self, env: &mut E, explored: &mut ExploredSet) -> Turn<'_> {
        if explored.is_complete() {
            return Turn::Exhausted;
        }
        if env.is_finished() {
            self.mark(explored);
            return Turn::Finished;
        }
        self.open.clear();
        env.actions(&mut self.open);
        self.path.is_fork = self.open.len() > 1;
        if self.path.is_fork {
            let hash = self.path.hash;
            self.open
                .retain(|&action| !explored.contains(hash.extend(action)));
        }
        if self.is_frugal {
            env.worthwhile(&mut self.open);
        }
        if self.open.is_empty() {
            self.mark(explored);
            return Turn::Exhausted;
        }
        Turn::Choose(&self.open)
    }

    /// Takes one of the actions that the last [`turn`](Walk::turn) offered.
    pub fn take<E: Env + ?Sized>(&mut self, env: &mut E, action: Action) {
        debug_assert!(self.open.contains(&action), "{action:?} was not offered");
        let path = &mut self.path;
        path.hash = path.hash.extend(action);
        if path.is_fork {
            self.forks.push(Fork {
                mark: path.mark,
                open: self.open.len(),
            });
            path.mark = path.hash;
        }
        self.prefix.push(action);
        env.step(action);
    }

    /// Marks the current prefix, or the shortest one that is used up with it.
    fn mark(&mut self, explored: &mut ExploredSet) {
        let mut mark = self.path.mark;
        while let Some(fork) = self.forks.pop_if(|fork| fork.open == 1) {
            mark = fork.mark;
        }
        explored.insert(mark);
    }

    /// Does one whole walk. The program is then [`prefix`](Walk::prefix).
    ///
    /// ```
    /// use mapo_core::{Draw, ExploredSet, Uniform, Walk, example_rng};
    /// # use mapo_core::{Action, Env};
    /// # #[derive(Default)]
    /// # struct Coins(Vec<Action>);
    /// # impl Env for Coins {
    /// #     fn actions(&mut self, valid: &mut Vec<Action>) { if self.0.len() < 3 { valid.extend([Action(0), Action(1)]) } }
    /// #     fn step(&mut self, action: Action) { self.0.push(action) }
    /// #     fn rewind(&mut self, len: usize) { self.0.truncate(len) }
    /// #     fn is_finished(&self) -> bool { self.0.len() == 3 }
    /// #     fn reward(&mut self) -> f32 { 0.0 }
    /// # }
    ///
    /// // Three coin tosses: eight programs, and then no more.
    /// let mut coins = Coins::default();
    /// let (mut walk, mut explored, mut rng) = (Walk::default(), ExploredSet::new(1e-8), example_rng(0, 0));
    /// let mut tried = 0;
    /// while walk.draw(&mut coins, &mut Uniform, &mut explored, &mut rng) != Draw::Complete {
    ///     tried += 1;
    /// }
    /// assert_eq!(tried, 8);
    /// ```
    pub fn draw<E, W>(
        &mut self,
        env: &mut E,
        weighing: &mut W,
        explored: &mut ExploredSet,
        rng: &mut impl Rng,
    ) -> Draw
    where
        E: Env + ?Sized,
        W: Weighing<E> + ?Sized,
    {
        if explored.is_complete() {
            return Draw::Complete;
        }
        self.start(env);
        loop {
            match self.turn(env, explored) {
                Turn::Finished => return Draw::Program { reward: env.reward() },
                Turn::Exhausted => return Draw::DeadEnd,
                Turn::Choose(_) => {
                    self.weights.clear();
                    weighing.weigh(env, &self.prefix, &self.open, &mut self.weights);
                    let action = self.open[choose(self.open.len(), &self.weights, rng)];
                    self.take(env, action);
                }
            }
        }
    }

    /// Marks a program as tried without drawing it, so that no walk comes to it again: this is how an
    /// explored set starts from a memory. Says whether it was a whole program of the environment and new.
    pub fn visit<E: Env + ?Sized>(
        &mut self,
        env: &mut E,
        explored: &mut ExploredSet,
        program: &[Action],
    ) -> bool {
        self.start(env);
        for &action in program {
            let is_open = matches!(self.turn(env, explored), Turn::Choose(open) if open.contains(&action));
            if !is_open {
                return false;
            }
            self.take(env, action);
        }
        self.turn(env, explored) == Turn::Finished
    }

    /// The actions taken so far.
    pub fn prefix(&self) -> &[Action] {
        &self.prefix
    }
}
