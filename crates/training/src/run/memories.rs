//! The memories with which training begins: found now, or read from what `mapo explore` wrote.

use crate::store::{Entry, StoreReader};
use mapo_core::{Action, Ending, Memory, Plan, Progress, Uniform, explore_all};
use mapo_datasets::{Example, Pruning, Reading, ReadingDifference, TableEnv};
use mapo_language::{Context, Program};
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

/// Reads the memories of examples from a store, on the current rayon pool. Examples that it lacks have an
/// empty one. What the store believes of its programs counts with the exponent `belief`.
///
/// # Errors
/// If it cannot be read, was made of data read otherwise than as `reading` says, or holds a text that is not
/// a program of its example.
pub fn load(store: &Path, examples: &[Example], reading: &Reading, belief: f64) -> Result<Vec<Memory>> {
    let places: HashMap<&str, usize> = examples
        .iter()
        .enumerate()
        .map(|(place, example)| (example.id.as_str(), place))
        .collect();
    let mut memories = vec![Memory::default(); examples.len()];
    let mut entries = Vec::new();
    let reader = StoreReader::open(store)?;
    if let Some(difference) = reader.header().reading.difference(reading) {
        let ReadingDifference {
            switch,
            found,
            wanted,
        } = difference;
        return Err(Error::Memory {
            file: store.to_owned(),
            problem: format!(
                "made with {switch} {found}, but {wanted} is wanted; explore again, or train with --{switch} {found}"
            ),
        });
    }
    for entry in reader {
        let entry = entry?;
        if let Some(&place) = places.get(entry.id.as_str()) {
            entries.push((place, entry));
        }
    }
    let read = |(place, entry): &(usize, Entry)| -> Result<(usize, Memory)> {
        let context = examples[*place].context();
        let mut memory = Memory::default();
        for text in &entry.programs {
            let actions = actions(&context, text).map_err(|problem| Error::Memory {
                file: store.to_owned(),
                problem: format!("example {}, program {text}: {problem}", entry.id),
            })?;
            memory.insert(&actions, 1.0);
        }
        if belief > 0.0 && !entry.weights.is_empty() {
            let priors = priors(&entry.weights, memory.len(), belief);
            let wrong = || Error::Memory {
                file: store.to_owned(),
                problem: format!(
                    "example {}: there must be one weight for each program, above 0 and at most 1; weigh the store again",
                    entry.id
                ),
            };
            memory.believe(priors.ok_or_else(wrong)?);
        }
        Ok((*place, memory))
    };
    let read: Vec<(usize, Memory)> = entries.par_iter().map(read).collect::<Result<_>>()?;
    let is_unknown = read.is_empty();
    for (place, memory) in read {
        memories[place] = memory;
    }
    if is_unknown {
        return Err(Error::Memory {
            file: store.to_owned(),
            problem: "holds none of the examples to train on; explore the same dataset and split".to_owned(),
        });
    }
    Ok(memories)
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

/// The actions of a program in text.
fn actions(context: &Context, text: &str) -> Result<Vec<Action>, String> {
    let program: Program = text
        .parse()
        .map_err(|error: mapo_language::ProgramError| error.to_string())?;
    let tokens = context.encode(&program).map_err(|error| error.to_string())?;
    Ok(tokens.into_iter().map(|token| Action(token.0)).collect())
}
