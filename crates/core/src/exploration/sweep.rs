//! Many new programs in one walk over the tree of prefixes.

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use crate::chance::{Share, split_by_weight, split_evenly};
use crate::program::{Action, PrefixHash};
use crate::roles::Env;

use super::{ExploredSet, Weighing};

/// Draws many programs at once: at each prefix their number is split over the actions that lead to something
/// new, by the probabilities of a [`Weighing`], so a prefix is executed and looked up once for all the
/// programs below it.
///
/// What holds for [`Walk`](crate::Walk) holds here: nothing is tried twice, a finite space is visited
/// completely, and both may be used in turn on one [`ExploredSet`]. What a branch cannot deliver because it
/// is used up goes to its siblings. Whether a prefix is explored is decided on the way back, and only what
/// its parent cannot conclude from it is inserted.
///
/// It goes down the tree by recursion, one level for each prefix with several valid actions.
///
/// This type holds only buffers; keep one per thread.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    prefix: Vec<Action>,
    /// The valid actions of all the forks above the current prefix that are still needed, and then its own.
    valid: Vec<Action>,
    weights: Vec<f32>,
    /// The branches of all the forks above the current prefix, the deepest last.
    branches: Vec<Branch>,
}

/// What a sweep meets on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Met<'a> {
    /// A program that has just been executed and scored, for the first time.
    Program {
        /// Its actions.
        program: &'a [Action],
        /// What the environment gave for it.
        reward: f32,
    },
    /// A prefix that is no program and cannot be continued, seen for the first time.
    DeadEnd,
}

/// What a sweep came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Programs finished, executed and scored: as many as were asked for, unless the space is now used up
    /// or the sweep was broken off.
    pub programs: u32,
    /// Prefixes met that were no programs and could not be continued.
    pub dead_ends: u64,
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    hash: PrefixHash,
    weight: f32,
    share: u32,
    action: Action,
}

impl Share for Branch {
    #[inline]
    fn weight(&self) -> f32 {
        self.weight
    }

    #[inline]
    fn give(&mut self, share: u32) {
        self.share = share;
    }
}

impl Sweep {
    /// Tries up to `wanted` new programs and shows `met` what it meets. There are fewer only if the space is
    /// then used up, or if `met` breaks the sweep off; what has been tried by then stays tried.
    pub fn draw<E, W>(
        &mut self,
        env: &mut E,
        weighing: &mut W,
        explored: &mut ExploredSet,
        rng: &mut impl Rng,
        wanted: u32,
        met: impl FnMut(Met<'_>) -> ControlFlow<()>,
    ) -> Drawn
    where
        E: Env + ?Sized,
        W: Weighing<E> + ?Sized,
    {
        if wanted == 0 || explored.is_complete() {
            return Drawn::default();
        }
        env.rewind(0);
        self.prefix.clear();
        self.branches.clear();
        self.valid.clear();
        let mut descent = Descent {
            env,
            weighing,
            explored,
            rng,
            met,
            dead_ends: 0,
            is_broken_off: false,
            buffers: self,
        };
        let root = descent.descend(PrefixHash::ROOT, wanted);
        let dead_ends = descent.dead_ends;
        if root.is_explored {
            explored.insert(PrefixHash::ROOT);
        }
        Drawn {
            programs: root.programs,
            dead_ends,
        }
    }
}

/// One walk over the tree and all it needs.
struct Descent<'a, E: ?Sized, W: ?Sized, R, F> {
    env: &'a mut E,
    weighing: &'a mut W,
    explored: &'a mut ExploredSet,
    rng: &'a mut R,
    met: F,
    dead_ends: u64,
    is_broken_off: bool,
    buffers: &'a mut Sweep,
}

/// What came from below a prefix. Fewer programs than wanted only if the prefix is explored or the sweep
/// broken off.
struct Harvest {
    programs: u32,
    is_explored: bool,
}

impl<E, W, R, F> Descent<'_, E, W, R, F>
where
    E: Env + ?Sized,
    W: Weighing<E> + ?Sized,
    R: Rng,
    F: FnMut(Met<'_>) -> ControlFlow<()>,
{
    /// Tries `wanted` programs below the current prefix. Leaves the environment somewhere below it.
    fn descend(&mut self, mut hash: PrefixHash, wanted: u32) -> Harvest {
        loop {
            if self.env.is_finished() {
                let reward = self.env.reward();
                let program = &self.buffers.prefix[..];
                self.is_broken_off |= (self.met)(Met::Program { program, reward }).is_break();
                return Harvest {
                    programs: 1,
                    is_explored: true,
                };
            }
            let first = self.buffers.valid.len();
            self.env.actions(&mut self.buffers.valid);
            match self.buffers.valid[first..] {
                [] => {
                    self.dead_ends += 1;
                    self.is_broken_off |= (self.met)(Met::DeadEnd).is_break();
                    return Harvest {
                        programs: 0,
                        is_explored: true,
                    };
                }
                // The only way on has been tried if and only if this prefix has: no look-up, no mark of its
                // own.
                [only] => {
                    self.weigh(first);
                    self.buffers.valid.truncate(first);
                    self.step(only);
                    hash = hash.extend(only);
                }
                _ => {
                    self.weigh(first);
                    let harvest = if wanted == 1 && self.buffers.weights.is_empty() {
                        self.pick(hash, first)
                    } else {
                        self.fork(hash, first, wanted)
                    };
                    self.buffers.valid.truncate(first);
                    return harvest;
                }
            }
        }
    }

    /// Tries one program below the current prefix, whose valid actions are equally likely.
    ///
    /// Most prefixes are met with only one program left to draw. So branches are looked up as they are drawn,
    /// not all of them beforehand: that leaves the open ones equally likely, and a wide prefix costs little
    /// more than a narrow one.
    fn pick(&mut self, hash: PrefixHash, first: usize) -> Harvest {
        let depth = self.buffers.prefix.len();
        while self.buffers.valid.len() > first && !self.is_broken_off {
            let drawn = self.rng.random_range(first..self.buffers.valid.len());
            let action = self.buffers.valid.swap_remove(drawn);
            let branch = hash.extend(action);
            if self.explored.contains(branch) {
                continue;
            }
            self.step(action);
            let Harvest {
                programs,
                is_explored,
            } = self.descend(branch, 1);
            self.env.rewind(depth);
            self.buffers.prefix.truncate(depth);
            let is_last = is_explored && self.is_explored(hash, first);
            if is_explored && !is_last {
                self.explored.insert(branch);
            }
            // Neither means that the sweep was broken off below.
            if programs > 0 || !is_explored {
                return Harvest {
                    programs,
                    is_explored: is_last,
                };
            }
        }
        Harvest {
            programs: 0,
            is_explored: self.is_explored(hash, first),
        }
    }

    /// Whether all the branches left in `valid` are explored. Ends at the first that is not.
    fn is_explored(&self, hash: PrefixHash, first: usize) -> bool {
        self.buffers.valid[first..]
            .iter()
            .all(|&action| self.explored.contains(hash.extend(action)))
    }

    /// Splits `wanted` over those branches of the current prefix that lead to something new.
    fn fork(&mut self, hash: PrefixHash, first: usize, wanted: u32) -> Harvest {
        let depth = self.buffers.prefix.len();
        let start = self.buffers.branches.len();
        let is_weighted = self.push_branches(hash, first);
        let end = self.buffers.branches.len();
        // The branches `start..alive` may still hold something new, `alive..end` have been used up just now.
        let mut alive = end;
        let mut programs = 0;
        while programs < wanted && alive > start && !self.is_broken_off {
            let live = &mut self.buffers.branches[start..alive];
            let takers = if is_weighted {
                split_by_weight(wanted - programs, live, self.rng)
            } else {
                split_evenly(wanted - programs, live, self.rng)
            };
            // Backwards, so that what is swapped down from `alive` has been dealt with.
            for index in (start..start + takers).rev() {
                let branch = self.buffers.branches[index];
                if branch.share == 0 {
                    continue;
                }
                self.step(branch.action);
                let harvest = self.descend(branch.hash, branch.share);
                self.env.rewind(depth);
                self.buffers.prefix.truncate(depth);
                programs += harvest.programs;
                if harvest.is_explored {
                    alive -= 1;
                    self.buffers.branches.swap(index, alive);
                }
                if self.is_broken_off {
                    break;
                }
            }
        }
        let is_explored = alive == start;
        if !is_explored {
            // Otherwise the mark that this prefix gets covers them.
            self.buffers.branches[alive..end]
                .iter()
                .for_each(|branch| self.explored.insert(branch.hash));
        }
        self.buffers.branches.truncate(start);
        Harvest {
            programs,
            is_explored,
        }
    }

    /// Puts the branches that lead to something new onto the stack. Says whether they are weighted.
    fn push_branches(&mut self, hash: PrefixHash, first: usize) -> bool {
        let Sweep {
            valid,
            branches,
            weights,
            ..
        } = &mut *self.buffers;
        for (index, &action) in valid[first..].iter().enumerate() {
            let hash = hash.extend(action);
            if !self.explored.contains(hash) {
                let weight = weights.get(index).copied().unwrap_or(1.0);
                branches.push(Branch {
                    hash,
                    weight,
                    share: 0,
                    action,
                });
            }
        }
        !weights.is_empty()
    }

    #[inline]
    fn weigh(&mut self, first: usize) {
        let Sweep {
            prefix,
            valid,
            weights,
            ..
        } = &mut *self.buffers;
        weights.clear();
        self.weighing.weigh(self.env, prefix, &valid[first..], weights);
    }

    #[inline]
    fn step(&mut self, action: Action) {
        self.buffers.prefix.push(action);
        self.env.step(action);
    }
}
