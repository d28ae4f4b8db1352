//! What an actor sees of the examples of a batch, on one snapshot of their memories.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::chance::choose;
use crate::sampling::{Locksteps, Request};
use crate::{
    BatchPolicy, Env, Estimator, FromMemory, FromPolicy, Objective, PrefixTree, Sample, Scores, Steps,
    Stratum, Task, Visit, score_by_level,
};

/// One snapshot of every memory, scored if need be; what is taken from it; and what is drawn.
pub(super) fn look<E, X, P>(
    objective: &Objective,
    locksteps: &mut Locksteps,
    tasks: &mut [&mut Task<E, X>],
    rngs: &mut [Xoshiro256PlusPlus],
    policy: &mut P,
) -> Result<Vec<Visit>, P::Error>
where
    E: Env,
    P: BatchPolicy<X>,
{
    let mut glances: Vec<Glance> = tasks
        .iter_mut()
        .map(|task| Glance::new(task, objective))
        .collect();
    score(&mut glances, policy)?;
    for (glance, (task, rng)) in glances.iter_mut().zip(tasks.iter_mut().zip(&mut *rngs)) {
        glance.take_from_memory(task, rng);
    }
    let requests: Vec<Request<'_>> = glances.iter().enumerate().map(Glance::request).collect();
    let (mut envs, memories): (Vec<_>, Vec<_>) = tasks
        .iter_mut()
        .map(|task| {
            let Task { env, memory, .. } = &mut **task;
            (env, &*memory)
        })
        .unzip();
    let mut drawn: Vec<Vec<Sample>> = vec![Vec::new(); glances.len()];
    locksteps.draw(policy, &mut envs, rngs, &requests, |example, steps, reward| {
        drawn[example].push(Sample {
            is_in_memory: memories[example].contains(steps.actions()),
            steps,
            reward,
            log_probability: None,
        });
    })?;
    drop(requests);
    let visits = glances.into_iter().zip(drawn).enumerate();
    Ok(visits
        .map(|(example, (glance, drawn))| glance.visit(example, drawn))
        .collect())
}

/// An example while it is looked at.
struct Glance {
    memory_len: usize,
    from_memory: FromMemory,
    from_policy: FromPolicy,
    /// Present if the memory has to be scored and is not empty.
    tree: Option<PrefixTree>,
    /// log π(a) of all programs in memory, once it is scored.
    logs: Vec<f64>,
    rewards: Vec<f32>,
    scores: Option<Scores>,
    /// For each node of the tree the part of the mass below that is outside what was chosen.
    outside: Option<Vec<f64>>,
    stratum: Stratum,
    /// Places of the programs taken from memory.
    chosen: Vec<usize>,
    inside: Vec<Sample>,
}

impl Glance {
    fn new<E: Env, X>(task: &mut Task<E, X>, objective: &Objective) -> Self {
        let memory_len = task.memory.len();
        let needs = objective.needs(memory_len);
        let tree =
            (needs.scores && memory_len > 0).then(|| PrefixTree::of_memory(&mut task.env, &task.memory));
        Self {
            memory_len,
            from_memory: needs.memory,
            from_policy: needs.policy,
            tree,
            logs: Vec::new(),
            rewards: task.memory.iter().map(|(_, reward)| reward).collect(),
            scores: None,
            outside: None,
            stratum: Stratum::default(),
            chosen: Vec::new(),
            inside: Vec::new(),
        }
    }

    /// Chooses programs from memory.
    fn take_from_memory<E: Env, X>(&mut self, task: &mut Task<E, X>, rng: &mut Xoshiro256PlusPlus) {
        let count = self.memory_len;
        if count == 0 {
            return;
        }
        self.chosen = match self.from_memory {
            FromMemory::Nothing => Vec::new(),
            FromMemory::All => (0..count).collect(),
            FromMemory::Best(k) => best(&self.logs, k),
            FromMemory::Draws(draws) => (0..draws)
                .map(|_| choose(count, &self.stratum.shares, rng))
                .collect(),
            FromMemory::UniformDraws(draws) => (0..draws).map(|_| choose::<f64>(count, &[], rng)).collect(),
        };
        for &place in &self.chosen {
            let steps = match &self.tree {
                Some(tree) => tree.steps(place),
                // A task's memory fits its environment.
                None => Steps::of(&mut task.env, task.memory.program(place)).unwrap_or_default(),
            };
            self.inside.push(Sample {
                steps,
                reward: self.rewards[place],
                log_probability: self.logs.get(place).copied(),
                is_in_memory: true,
            });
        }
        if let (Some(tree), Some(scores)) = (&self.tree, &self.scores) {
            self.outside = Some(match self.from_memory {
                FromMemory::Best(_) => scores.outside(tree, self.chosen.iter().copied()),
                _ => scores.outside(tree, 0..count),
            });
        }
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
        let known = |places: &mut dyn Iterator<Item = usize>| -> f64 {
            places
                .map(|place| self.logs[place].exp() * f64::from(self.rewards[place]))
                .sum()
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
                known(&mut self.chosen.iter().copied()) + outside[0] * earned(false)
            }
            (Some(outside), _) => known(&mut (0..self.memory_len)) + outside[0] * earned(false),
            (None, _) if self.tree.is_some() => known(&mut (0..self.memory_len)) + earned(true),
            (None, _) => earned(false),
        })
    }
}

/// Scores the memories that have to be.
fn score<X, P: BatchPolicy<X>>(glances: &mut [Glance], policy: &mut P) -> Result<(), P::Error> {
    let trees: Vec<(usize, &PrefixTree)> = glances
        .iter()
        .enumerate()
        .filter_map(|(example, glance)| Some((example, glance.tree.as_ref()?)))
        .collect();
    if trees.is_empty() {
        return Ok(());
    }
    // Drawing from π⁻ takes every prefix's probabilities, the rest only those of whole programs.
    let is_outside_drawn = glances
        .iter()
        .any(|glance| matches!(glance.from_policy, FromPolicy::OutsideDraws(_)));
    let (logs, scores) = if is_outside_drawn {
        let scores = score_by_level(policy, &trees)?;
        let logs = trees.iter().zip(&scores);
        (
            logs.map(|((_, tree), scores)| scores.programs(tree)).collect(),
            scores,
        )
    } else {
        (policy.score(&trees)?, Vec::new())
    };
    let examples: Vec<usize> = trees.iter().map(|&(example, _)| example).collect();
    let mut scores = scores.into_iter();
    for (example, logs) in examples.into_iter().zip(logs) {
        let glance = &mut glances[example];
        glance.stratum = Stratum::new(logs.iter().copied());
        glance.logs = logs;
        glance.scores = scores.next();
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
