//! The memories with which training begins: found now, or read from what `mapo explore` wrote.

use crate::store::{Entry, StoreReader};
use mapo_core::{Action, Ending, Memory, Plan, Progress, Uniform, explore_all};
use mapo_datasets::{Example, Pruning, Reading, ReadingDifference, TableEnv};
use mapo_language::{Assistance, Program, ProgramError};
use rayon::prelude::*;
use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;

use crate::{Error, Result};

/// Explores every example at random, on the current rayon pool; nothing if it was stopped.
pub fn explore(
    examples: &[Example],
    programs: u64,
    pruning: Pruning,
    seed: u64,
    progress: &Progress,
) -> Option<Vec<Memory>> {
    let plan = Plan {
        programs,
        seed,
        ..Plan::default()
    };
    let mut memories = Vec::with_capacity(examples.len());
    let explored = explore_all(
        0..examples.len() as u64,
        |index| TableEnv::exploring(&examples[index as usize], pruning),
        &Uniform,
        &plan,
        progress,
        |_, exploration| {
            memories.push(exploration.memory);
            Ok::<(), Infallible>(())
        },
    );
    matches!(explored, Ok(Ending::Finished)).then_some(memories)
}

/// What a store holds for some examples.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The memories, in the order of the examples.
    pub memories: Vec<Memory>,
    /// What of the store was not taken over.
    pub stale: Stale,
}

/// What has changed since a store was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// Examples whose question, answer or table is another now.
    pub changed: usize,
    /// The first of them.
    pub first_changed: Option<String>,
    /// Programs of the store for these examples.
    pub programs: usize,
    /// Those that do not give the right answer now; they were left out.
    pub left_out: usize,
    /// The first example that lost one.
    pub first_left_out: Option<String>,
}

impl Stale {
    /// In a sentence, if there is something to say.
    pub fn told(&self) -> Option<String> {
        let Stale {
            changed,
            programs,
            left_out,
            ..
        } = self;
        let first = |first: &Option<String>| first.clone().unwrap_or_default();
        match (left_out, changed) {
            (0, 0) => None,
            (0, changed) => Some(format!(
                "{changed} examples have another question, answer or table than when they were explored (the first \
                 is {}); their programs still give the right answers",
                first(&self.first_changed)
            )),
            _ => Some(format!(
                "{left_out} of {programs} programs do not give the right answer now and are left out (the first \
                 belongs to example {}); {changed} examples have changed since they were explored",
                first(&self.first_left_out)
            )),
        }
    }

    fn add(&mut self, other: Stale) {
        self.changed += other.changed;
        self.programs += other.programs;
        self.left_out += other.left_out;
        self.first_changed = self.first_changed.take().or(other.first_changed);
        self.first_left_out = self.first_left_out.take().or(other.first_left_out);
    }
}

/// Reads the memories of examples from a store, on the current rayon pool. Examples that it lacks have an
/// empty one. What the store believes of its programs counts with the exponent `belief`.
///
/// Every program is run again: only those that give the right answer to the example as it is now are taken.
///
/// # Errors
/// If it cannot be read, was made of data read otherwise than as `reading` says, holds a text that is no
/// program, or most of its programs do not give the right answers.
pub fn load(store: &Path, examples: &[Example], reading: &Reading, belief: f64) -> Result<Loaded> {
    let places: HashMap<&str, usize> = examples
        .iter()
        .enumerate()
        .map(|(place, example)| (example.id.as_str(), place))
        .collect();
    let mut entries = Vec::new();
    let reader = StoreReader::open(store)?;
    let wrong = |problem: String| Error::Memory {
        file: store.to_owned(),
        problem,
    };
    if let Some(difference) = reader.header().reading.difference(reading) {
        let ReadingDifference {
            switch,
            found,
            wanted,
        } = difference;
        return Err(wrong(format!(
            "made with {switch} {found}, but {wanted} is wanted; explore again, or train with --{switch} {found}"
        )));
    }
    for entry in reader {
        let entry = entry?;
        if let Some(&place) = places.get(entry.id.as_str()) {
            entries.push((place, entry));
        }
    }
    let read = |(place, entry): &(usize, Entry)| {
        let (memory, stale) = earning(&examples[*place], entry, belief).map_err(&wrong)?;
        Ok((*place, memory, stale))
    };
    let read: Vec<(usize, Memory, Stale)> = entries.par_iter().map(read).collect::<Result<_>>()?;
    if read.is_empty() {
        let problem = "holds none of the examples to train on; explore the same dataset and split";
        return Err(wrong(problem.to_owned()));
    }
    let mut loaded = Loaded {
        memories: vec![Memory::default(); examples.len()],
        stale: Stale::default(),
    };
    for (place, memory, stale) in read {
        loaded.memories[place] = memory;
        loaded.stale.add(stale);
    }
    let Stale {
        programs, left_out, ..
    } = loaded.stale;
    if 2 * left_out > programs {
        return Err(wrong(format!(
            "{left_out} of its {programs} programs do not give the right answers to these questions, so it was made of \
             other data; explore again, or use the data that it was made of"
        )));
    }
    Ok(loaded)
}

/// The programs of an entry that give the right answer to its example as it is now.
fn earning(example: &Example, entry: &Entry, belief: f64) -> Result<(Memory, Stale), String> {
    let in_example = |problem: String| format!("example {}, {problem}", entry.id);
    let changed = entry.is_of_another(example);
    let mut stale = Stale {
        changed: usize::from(changed),
        first_changed: changed.then(|| entry.id.clone()),
        programs: entry.programs.len(),
        ..Stale::default()
    };
    let mut memory = Memory::default();
    let mut env = TableEnv::new(example, Pruning::None, Assistance::All);
    let mut earns = Vec::with_capacity(entry.programs.len());
    for text in &entry.programs {
        let program: Program = text
            .parse()
            .map_err(|error: ProgramError| in_example(format!("program {text}: {error}")))?;
        // What the question no longer names cannot be written.
        let actions = actions(&mut env, &program);
        if let Some(actions) = &actions {
            memory.insert(actions, 1.0);
        }
        earns.push(actions.is_some());
    }
    stale.left_out = earns.iter().filter(|earns| !**earns).count();
    stale.first_left_out = (stale.left_out > 0).then(|| entry.id.clone());
    if belief > 0.0 && !entry.weights.is_empty() {
        let kept = earns.iter().zip(&entry.weights).filter(|(earns, _)| **earns);
        let kept: Vec<f32> = kept.map(|(_, weight)| *weight).collect();
        let is_each = entry.weights.len() == entry.programs.len();
        let priors = priors(&kept, memory.len(), belief).filter(|_| is_each);
        let wrong = || {
            format!(
                "example {}: there must be one weight for each program, above 0 and at most 1; weigh the store again",
                entry.id
            )
        };
        memory.believe(priors.ok_or_else(wrong)?);
    }
    Ok((memory, stale))
}

/// What is believed of this many programs, if it can be understood.
fn priors(weights: &[f32], programs: usize, belief: f64) -> Option<Vec<f32>> {
    let prior = |&weight: &f32| {
        let is_weight = weight > 0.0 && weight <= 1.0;
        // However large the exponent is, nothing is impossible.
        is_weight.then(|| (f64::from(weight).powf(belief) as f32).max(f32::MIN_POSITIVE))
    };
    let priors: Option<Vec<f32>> = weights.iter().map(prior).collect();
    priors.filter(|priors| priors.len() == programs)
}

/// The actions of a program, if it is one of the example and earns a reward.
fn actions(env: &mut TableEnv, program: &Program) -> Option<Vec<Action>> {
    let tokens = env.context().encode(program).ok()?;
    let actions: Vec<Action> = tokens.into_iter().map(|token| Action(token.0)).collect();
    env.rewards(&actions).then_some(actions)
}
