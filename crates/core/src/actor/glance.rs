//! What an actor sees of the examples of a batch, on one snapshot of their memories.

use std::borrow::Cow;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::draw::{Locksteps, Request};
use super::selection::Selection;
use super::{ActorError, ActorTimes, MemoryScoring, NotAProgram, Task, known};
use crate::batch::{Sample, Stratum, Visit};
use crate::chance::choose;
use crate::objective::Objective;
use crate::program::{PrefixTree, Steps};
use crate::roles::{Env, Estimator, FromMemory, FromPolicy, Policy, Scores, score_by_level};

/// What the published code adds to the share of each program before it draws one.
const SMOOTHING: f64 = 1e-8;

/// How to look.
pub(super) struct Look<'a> {
    pub objective: &'a Objective,
    pub scoring: MemoryScoring,
    pub locksteps: &'a mut Locksteps,
    pub times: &'a mut ActorTimes,
}

impl Look<'_> {
    /// One snapshot of every memory, scored if need be; what is taken from it; and what is drawn. Visits have
    /// the places of the tasks.
    pub fn at<E, X, P>(
        self,
        tasks: &mut [&mut Task<E, X>],
        rngs: &mut [Xoshiro256PlusPlus],
        policy: &mut P,
    ) -> Result<Vec<Visit>, ActorError<P::Error>>
    where
        E: Env,
        P: Policy<X>,
    {
        let (objective, scoring) = (self.objective, self.scoring);
        let glances = self.times.of(
            |times| &mut times.scoring,
            || {
                let visited = tasks.iter_mut().zip(&mut *rngs);
                let mut glances: Vec<Glance> = visited
                    .map(|(task, rng)| Glance::new(task, objective, scoring, rng))
                    .collect::<Result<_, _>>()?;
                score(&mut glances, policy).map_err(ActorError::Policy)?;
                for (glance, (task, rng)) in glances.iter_mut().zip(tasks.iter_mut().zip(&mut *rngs)) {
                    task.last_scores
                        .note(&glance.selection.places, &glance.believed());
                    glance.take_from_memory(task, rng)?;
                }
                Ok::<_, ActorError<P::Error>>(glances)
            },
        )?;
        let requests: Vec<Request<'_>> = glances.iter().enumerate().map(Glance::request).collect();
        let (mut envs, memories): (Vec<_>, Vec<_>) = tasks
            .iter_mut()
            .map(|task| {
                let Task { env, memory, .. } = &mut **task;
                (env, &*memory)
            })
            .unzip();
        let mut drawn: Vec<Vec<Sample>> = vec![Vec::new(); glances.len()];
        let keep = |example: usize, steps: Steps, reward| {
            drawn[example].push(Sample {
                is_in_memory: memories[example].contains(steps.actions()),
                steps,
                reward,
                log_probability: None,
                prior: None,
            });
        };
        let locksteps = self.locksteps;
        self.times
            .of(
                |times| &mut times.drawing,
                || locksteps.draw(policy, &mut envs, rngs, &requests, keep),
            )
            .map_err(ActorError::Policy)?;
        drop(requests);
        let visits = glances.into_iter().zip(drawn).enumerate();
        Ok(visits
            .map(|(example, (glance, drawn))| glance.visit(example, drawn))
            .collect())
    }
}

/// An example while it is looked at.
struct Glance {
    memory_len: usize,
    /// What is scored of the memory; from here on programs are known by their places in it.
    selection: Selection,
    from_memory: FromMemory,
    from_policy: FromPolicy,
    /// Present if the memory has to be scored and is not empty.
    tree: Option<PrefixTree>,
    /// log π(a) of the selected programs, once they are scored.
    logs: Vec<f64>,
    rewards: Vec<f32>,
    /// How far the selected programs are believed to mean the right thing; empty if nothing is said.
    priors: Vec<f32>,
    scores: Option<Scores>,
    /// For each node of the tree the part of the mass below that is outside what was chosen.
    outside: Option<Vec<f64>>,
    stratum: Stratum,
    /// The programs taken from memory.
    chosen: Vec<usize>,
    inside: Vec<Sample>,
}

impl Glance {
    fn new<E: Env, X>(
        task: &mut Task<E, X>,
        objective: &Objective,
        scoring: MemoryScoring,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Self, NotAProgram> {
        let memory_len = task.memory.len();
        let needs = match task.is_known {
            true => known::needs(memory_len),
            false => objective.needs(memory_len),
        };
        // A part will do for what can be weighted by the chance to be in it, and for the best; not where all
        // are wanted or all are to be avoided.
        let is_part_enough = match (needs.memory, needs.policy) {
            (FromMemory::Best(_), _) => true,
            (FromMemory::Draws(_) | FromMemory::SmoothedDraws(_), policy) => {
                !matches!(policy, FromPolicy::OutsideDraws(_))
            }
            _ => false,
        };
        let selection = if needs.scores && is_part_enough {
            scoring.select(memory_len, &mut task.last_scores, rng)
        } else {
            Selection::whole(memory_len)
        };
        let memory = &task.memory;
        let programs = selection.places.iter().map(|&place| memory.program(place));
        let tree = (needs.scores && memory_len > 0).then(|| task.env.tree_of(programs));
        let tree = tree.transpose().map_err(|place| NotAProgram {
            example: task.example,
            program: selection.places[place],
        })?;
        let places = selection.places.iter();
        let rewards: Vec<f32> = places.clone().map(|&place| memory.reward(place)).collect();
        let priors = memory
            .priors()
            .map_or(Vec::new(), |priors| places.map(|&place| priors[place]).collect());
        Ok(Self {
            memory_len,
            from_memory: needs.memory,
            from_policy: needs.policy,
            tree,
            logs: Vec::new(),
            priors: needs.by_reward.believed(priors, &rewards),
            rewards,
            selection,
            scores: None,
            outside: None,
            stratum: Stratum::default(),
            chosen: Vec::new(),
            inside: Vec::new(),
        })
    }

    /// log π(a) of the selected programs, and of what is believed of them.
    fn believed(&self) -> Cow<'_, [f64]> {
        if self.priors.is_empty() || self.logs.is_empty() {
            return Cow::Borrowed(&self.logs);
        }
        let believed = self.logs.iter().zip(&self.priors);
        Cow::Owned(
            believed
                .map(|(log, &prior)| log + f64::from(prior).ln())
                .collect(),
        )
    }

    /// Chooses programs from memory.
    fn take_from_memory<E: Env, X>(
        &mut self,
        task: &mut Task<E, X>,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<(), NotAProgram> {
        let count = self.selection.places.len();
        if count == 0 {
            return Ok(());
        }
        self.chosen = match self.from_memory {
            FromMemory::Nothing => Vec::new(),
            FromMemory::All => (0..count).collect(),
            FromMemory::Best(k) => best(&self.believed(), k),
            FromMemory::Draws(draws) => (0..draws)
                .map(|_| choose(count, &self.stratum.shares, rng))
                .collect(),
            FromMemory::SmoothedDraws(draws) => {
                let smoothed: Vec<f64> = self
                    .stratum
                    .shares
                    .iter()
                    .map(|share| share + SMOOTHING)
                    .collect();
                (0..draws).map(|_| choose(count, &smoothed, rng)).collect()
            }
            FromMemory::UniformDraws(draws) => (0..draws).map(|_| choose(count, &self.priors, rng)).collect(),
        };
        for &place in &self.chosen {
            let steps = match &self.tree {
                Some(tree) => tree.steps(place),
                None => {
                    let program = self.selection.places[place];
                    let steps = task.env.steps_of(task.memory.program(program));
                    steps.ok_or(NotAProgram {
                        example: task.example,
                        program,
                    })?
                }
            };
            self.inside.push(Sample {
                steps,
                reward: self.rewards[place],
                log_probability: self.logs.get(place).copied(),
                is_in_memory: true,
                prior: self.priors.get(place).copied(),
            });
        }
        if let (Some(tree), Some(scores)) = (&self.tree, &self.scores) {
            self.outside = Some(match self.from_memory {
                FromMemory::Best(_) => scores.outside(tree, self.chosen.iter().copied()),
                _ => scores.outside(tree, 0..count),
            });
        }
        Ok(())
    }

    fn request((example, glance): (usize, &Self)) -> Request<'_> {
        let outside = glance.tree.as_ref().zip(glance.outside.as_deref());
        let (draws, outside) = match glance.from_policy {
            FromPolicy::Nothing => (0, None),
            FromPolicy::Draws(draws) => (draws, None),
            FromPolicy::OutsideDraws(draws) => (draws, outside),
        };
        Request {
            example,
            draws,
            outside,
        }
    }

    fn visit(self, example: usize, outside: Vec<Sample>) -> Visit {
        let is_scored = self.tree.is_some();
        Visit {
            example,
            memory: self.memory_len,
            scored: self.logs.len(),
            memory_weight: is_scored.then_some(self.stratum.weight),
            expected_return: self.expected_return(&outside),
            inside: self.inside,
            outside,
        }
    }

    /// What is known of the memory is added up, and only the rest taken from the draws.
    fn expected_return(&self, drawn: &[Sample]) -> Option<f64> {
        let (FromPolicy::Draws(draws) | FromPolicy::OutsideDraws(draws)) = self.from_policy else {
            return None;
        };
        if draws == 0 {
            return None;
        }
        let known = |place: usize| self.logs[place].exp() * f64::from(self.rewards[place]);
        let all = || -> f64 {
            let counts = self.selection.counts.iter().enumerate();
            counts.map(|(place, count)| count * known(place)).sum()
        };
        let earned = |is_known: bool| -> f64 {
            drawn
                .iter()
                .filter(|sample| !(is_known && sample.is_in_memory))
                .map(|sample| f64::from(sample.reward))
                .sum::<f64>()
                / draws as f64
        };
        Some(match (&self.outside, self.from_memory) {
            (Some(outside), FromMemory::Best(_)) => {
                self.chosen.iter().map(|&place| known(place)).sum::<f64>() + outside[0] * earned(false)
            }
            (Some(outside), _) => all() + outside[0] * earned(false),
            (None, _) if self.tree.is_some() => all() + earned(true),
            (None, _) => earned(false),
        })
    }
}

/// Scores the memories that have to be.
fn score<X, P: Policy<X>>(glances: &mut [Glance], policy: &mut P) -> Result<(), P::Error> {
    let trees: Vec<(usize, &PrefixTree)> = glances
        .iter()
        .enumerate()
        .filter_map(|(example, glance)| Some((example, glance.tree.as_ref()?)))
        .collect();
    if trees.is_empty() {
        return Ok(());
    }
    let scores = score_by_level(policy, &trees)?;
    let scored: Vec<(usize, Vec<f64>, Scores)> = trees
        .iter()
        .zip(scores)
        .map(|(&(example, tree), scores)| (example, scores.programs(tree), scores))
        .collect();
    for (example, logs, scores) in scored {
        let glance = &mut glances[example];
        glance.stratum = if glance.selection.is_whole {
            Stratum::new(logs.iter().copied())
        } else {
            let counted = logs.iter().zip(&glance.selection.counts);
            Stratum::estimated(counted.map(|(log, count)| log + count.ln()))
        };
        glance.logs = logs;
        if !glance.priors.is_empty() {
            // Draws inside are by what is believed, too; how much the memory weighs is the policy's alone.
            let believed = glance.believed();
            let counted = believed.iter().zip(&glance.selection.counts);
            let shares = Stratum::estimated(counted.map(|(log, count)| log + count.ln())).shares;
            glance.stratum.shares = shares;
        }
        // Drawing from π⁻ takes every prefix's probabilities, the rest only those of whole programs.
        let is_outside_drawn = matches!(glance.from_policy, FromPolicy::OutsideDraws(_));
        glance.scores = is_outside_drawn.then_some(scores);
    }
    Ok(())
}

/// Places of the `k` largest numbers, the largest first; of equal ones the first comes first.
fn best(numbers: &[f64], k: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|&one, &other| numbers[other].total_cmp(&numbers[one]));
    places.truncate(k);
    places
}
