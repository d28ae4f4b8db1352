//! What an actor does with a batch of examples: Algorithm 2 of the paper, up to the queue.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::chance::choose;
use crate::prefix::mix;
use crate::sampling::{Locksteps, Request};
use crate::{
    BatchPolicy, Env, Estimator, FromMemory, FromPolicy, Learner, Learnt, Move, Objective, PrefixTree,
    Sample, Statistics, Steps, Stratum, Task, Trajectory, Turn, Unusable, Visit, Walk, example_rng,
    score_by_level,
};

/// How many programs systematic exploration (Algorithm 1) tries during training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Exploring {
    /// At every visit of an example. 0, with the other at 0 too, is training without systematic exploration.
    pub per_visit: usize,
    /// Beyond those, as long as the example's memory is empty.
    pub when_empty: usize,
}

impl Default for Exploring {
    fn default() -> Self {
        Self {
            per_visit: 1,
            when_empty: 0,
        }
    }
}

impl Exploring {
    /// No systematic exploration.
    pub const OFF: Self = Self {
        per_visit: 0,
        when_empty: 0,
    };

    /// Whether a walk is due after so many.
    fn is_due(self, walks: usize, is_empty: bool) -> bool {
        walks < self.per_visit + if is_empty { self.when_empty } else { 0 }
    }
}

/// Visits examples with a policy and turns what it sees into weighted trajectories.
///
/// What it does depends on its settings, the numbers that it is given, the examples and the policy, and on
/// nothing that it did before: it holds only buffers.
#[derive(Clone, Debug)]
pub struct Actor {
    objective: Objective,
    exploring: Exploring,
    seed: u64,
    locksteps: Locksteps,
    walks: Vec<Walk>,
}

/// What a learner learns from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingBatch {
    /// The numbers of the examples; trajectories and visits refer to their places here.
    pub examples: Vec<u64>,
    /// Weighted programs.
    pub trajectories: Vec<Trajectory>,
    /// Visits that the learner has to weigh, because the objective wants its probabilities.
    pub unweighted: Vec<Visit>,
    /// What happened.
    pub statistics: Statistics,
}

impl Actor {
    /// An actor for an objective.
    ///
    /// # Errors
    /// If the objective's settings make no sense.
    pub fn new(objective: Objective, exploring: Exploring, seed: u64) -> Result<Self, Unusable> {
        objective.check()?;
        Ok(Self {
            objective,
            exploring,
            seed,
            locksteps: Locksteps::default(),
            walks: Vec::new(),
        })
    }

    /// Visits the examples of a batch: explores, looks at each of them on one snapshot of its memory, and
    /// then lets the memory have what was drawn and earned a reward.
    ///
    /// `number` is that of the batch: the same number, with everything else the same, gives the same draws.
    /// `step` is the learner's, as far as the actor knows.
    ///
    /// # Errors
    /// Those of the policy.
    pub fn act<E, X, P>(
        &mut self,
        number: u64,
        step: u64,
        tasks: &mut [&mut Task<E, X>],
        policy: &mut P,
    ) -> Result<TrainingBatch, P::Error>
    where
        E: Env,
        P: BatchPolicy<X>,
    {
        let contexts: Vec<&X> = tasks.iter().map(|task| &task.context).collect();
        policy.read(&contexts)?;
        let mut rngs = self.rngs(number, tasks);
        let mut batch = TrainingBatch {
            examples: tasks.iter().map(|task| task.example).collect(),
            ..TrainingBatch::default()
        };
        if self.objective.uses_memory() {
            self.explore(tasks, &mut rngs, policy, &mut batch.statistics)?;
        }
        let visits = self.look(tasks, &mut rngs, policy)?;
        for visit in &visits {
            batch.statistics.see(visit);
            let found = self.remember(tasks[visit.example], visit);
            batch.statistics.found_drawing += found;
        }
        batch.unweighted = visits;
        if !self.objective.asks_learner() {
            batch.weigh(&self.objective, step);
        }
        Ok(batch)
    }

    /// Looks at the examples of a batch as the objective wants it, and changes nothing: no exploration, and
    /// the memories stay as they are.
    ///
    /// # Errors
    /// Those of the policy.
    pub fn observe<E, X, P>(
        &mut self,
        number: u64,
        tasks: &mut [&mut Task<E, X>],
        policy: &mut P,
    ) -> Result<Vec<Visit>, P::Error>
    where
        E: Env,
        P: BatchPolicy<X>,
    {
        let contexts: Vec<&X> = tasks.iter().map(|task| &task.context).collect();
        policy.read(&contexts)?;
        let mut rngs = self.rngs(number, tasks);
        self.look(tasks, &mut rngs, policy)
    }

    fn rngs<E, X>(&self, number: u64, tasks: &[&mut Task<E, X>]) -> Vec<Xoshiro256PlusPlus> {
        let seed = self.seed ^ mix(number.wrapping_add(1));
        tasks.iter().map(|task| example_rng(seed, task.example)).collect()
    }

    /// Algorithm 1 for all examples that are due, in rounds of one walk each, in lock-step. A walk must know
    /// what the walks before it tried, so those of one example follow each other.
    fn explore<E, X, P>(
        &mut self,
        tasks: &mut [&mut Task<E, X>],
        rngs: &mut [Xoshiro256PlusPlus],
        policy: &mut P,
        statistics: &mut Statistics,
    ) -> Result<(), P::Error>
    where
        E: Env,
        P: BatchPolicy<X>,
    {
        self.walks.resize_with(tasks.len(), Walk::default);
        let mut moves = Vec::new();
        let (mut logs, mut weights): (Vec<f32>, Vec<f64>) = (Vec::new(), Vec::new());
        for round in 0.. {
            // The examples of the rows.
            let mut rows: Vec<usize> = (0..tasks.len())
                .filter(|&example| {
                    let task = &tasks[example];
                    self.exploring.is_due(round, task.memory.is_empty()) && !task.explored.is_complete()
                })
                .collect();
            if rows.is_empty() {
                break;
            }
            rows.iter()
                .for_each(|&example| self.walks[example].start(&mut tasks[example].env));
            policy.start(&rows)?;
            while !rows.is_empty() {
                moves.clear();
                let mut next = Vec::with_capacity(rows.len());
                for (row, &example) in rows.iter().enumerate() {
                    let Task {
                        env,
                        memory,
                        explored,
                        ..
                    } = &mut *tasks[example];
                    let walk = &mut self.walks[example];
                    let action = match walk.turn(env, explored) {
                        Turn::Choose(open) => {
                            logs.clear();
                            policy.log_probabilities(row, open, &mut logs)?;
                            weights.clear();
                            weights.extend(logs.iter().map(|&log| f64::from(log).exp()));
                            open[choose(open.len(), &weights, &mut rngs[example])]
                        }
                        Turn::Finished => {
                            statistics.explored += 1;
                            let reward = env.reward();
                            if reward > 0.0 && memory.insert(walk.prefix(), reward) {
                                statistics.found_exploring += 1;
                            }
                            continue;
                        }
                        Turn::Exhausted => {
                            statistics.dead_ends += 1;
                            continue;
                        }
                    };
                    walk.take(env, action);
                    moves.push(Move { row, action });
                    next.push(example);
                }
                rows = next;
                if !rows.is_empty() {
                    policy.advance(&moves)?;
                }
            }
        }
        Ok(())
    }

    /// One snapshot of every memory, scored if need be; what is taken from it; and what is drawn.
    fn look<E, X, P>(
        &mut self,
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
            .map(|task| Glance::new(task, &self.objective))
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
        self.locksteps
            .draw(policy, &mut envs, rngs, &requests, |example, steps, reward| {
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

    /// Adds to the memory what was drawn and earned a reward, and says how many programs that were.
    fn remember<E: Env, X>(&mut self, task: &mut Task<E, X>, visit: &Visit) -> u64 {
        let mut found = 0;
        for sample in visit.outside.iter().filter(|sample| sample.reward > 0.0) {
            if task.memory.insert(sample.steps.actions(), sample.reward) {
                found += 1;
                if self.exploring != Exploring::OFF {
                    // Exploration need not come to it again.
                    let mut walk = Walk::default();
                    walk.visit(&mut task.env, &mut task.explored, sample.steps.actions());
                }
            }
        }
        found
    }
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
    scores: Option<crate::Scores>,
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

impl TrainingBatch {
    /// Weighs the visits that are still unweighted, with the probabilities that they carry.
    fn weigh(&mut self, objective: &Objective, step: u64) {
        for visit in std::mem::take(&mut self.unweighted) {
            let weight = objective.weigh(step, &visit, &mut |sample, weight| {
                self.trajectories.push(Trajectory {
                    example: visit.example,
                    steps: sample.steps.clone(),
                    reward: sample.reward,
                    weight,
                });
            });
            self.statistics.weigh(weight);
        }
    }

    /// Weighs the visits that are still unweighted with the probabilities of the learner, if there are any:
    /// one forward pass over the programs that were taken from memory. `contexts` are those of the batch.
    ///
    /// # Errors
    /// Those of the policy.
    pub fn settle<X, P: BatchPolicy<X>>(
        &mut self,
        objective: &Objective,
        step: u64,
        contexts: &[&X],
        policy: &mut P,
    ) -> Result<(), P::Error> {
        if self.unweighted.is_empty() {
            return Ok(());
        }
        policy.read(contexts)?;
        let trees: Vec<(usize, PrefixTree)> = self
            .unweighted
            .iter()
            .map(|visit| {
                let programs = visit.inside.iter().map(|sample| &sample.steps);
                (visit.example, PrefixTree::of_steps(programs))
            })
            .collect();
        let trees: Vec<(usize, &PrefixTree)> = trees.iter().map(|(example, tree)| (*example, tree)).collect();
        for (visit, logs) in self.unweighted.iter_mut().zip(policy.score(&trees)?) {
            for (sample, log) in visit.inside.iter_mut().zip(logs) {
                sample.log_probability = Some(log);
            }
        }
        self.weigh(objective, step);
        Ok(())
    }

    /// One step of a learner: settles what is unweighted, and learns.
    ///
    /// # Errors
    /// Those of the learner.
    pub fn teach<X, L: Learner<X>>(
        &mut self,
        objective: &Objective,
        step: u64,
        contexts: &[&X],
        learner: &mut L,
        divisor: f64,
    ) -> Result<Learnt, L::Error> {
        self.settle(objective, step, contexts, learner)?;
        learner.learn(contexts, &self.trajectories, divisor)
    }
}
