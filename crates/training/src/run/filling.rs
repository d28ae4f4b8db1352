//! Random exploration fills a store, which a later process can go on with.

use crate::store::{Entry, Header, StoreWriter};
use mapo_core::{Action, Ending, Plan, Progress, Uniform, explore_all};
use mapo_datasets::{Dataset, Example, Pruning, Selection, TableEnv};
use mapo_language::{Language, Token};
use std::borrow::Borrow;
use std::ops::Range;
use std::path::Path;

use crate::{Error, Result};

/// What a store of these examples begins with.
pub fn header(
    data: &Dataset,
    selection: &Selection,
    examples: &[impl Borrow<Example>],
    programs: u64,
    pruning: Pruning,
    seed: u64,
) -> Header {
    Header {
        dataset: data.kind().to_owned(),
        split: data.split(selection).to_owned(),
        reading: data.reading(selection),
        examples: examples.len(),
        language: Language::VERSION,
        functions: data.functions(selection),
        expressions: examples
            .first()
            .map_or(0, |example| example.borrow().language.explored),
        pruning: pruning.to_string(),
        programs,
        seed,
    }
}

/// Whether what is there of a store can be gone on with: it must be of these examples, as they are now.
fn go_on(store: &Path, entries: &[Entry], examples: &[impl Borrow<Example>]) -> Result<()> {
    let mut pairs = entries.iter().zip(examples.iter().map(Borrow::borrow));
    let other = pairs.find(|(entry, example)| entry.id != example.id || entry.is_of_another(example));
    match other {
        None => Ok(()),
        Some((entry, _)) => Err(Error::Memory {
            file: store.to_owned(),
            problem: format!(
                "example {} has changed since it was explored: its question, answer or table is another; \
                 remove the file to explore from the beginning",
                entry.id
            ),
        }),
    }
}

/// Explores, on the current rayon pool, the examples that `entries` does not have yet; each one's programs
/// join `entries` and, where there is one, the store, in the order of the examples. `programs`, `pruning` and
/// `seed` are those of the store's header.
///
/// # Errors
/// If the store cannot be written, or a program not in words.
pub fn fill(
    examples: &[impl Borrow<Example> + Sync],
    how: (u64, Pruning, u64),
    mut store: Option<&mut StoreWriter>,
    entries: &mut Vec<Entry>,
    progress: &Progress,
) -> Result<Ending> {
    if let Some(store) = &store {
        go_on(store.partial(), entries, examples)?;
    }
    explore(examples, entries.len()..examples.len(), how, progress, |entry| {
        if let Some(store) = &mut store {
            store.push(&entry)?;
        }
        entries.push(entry);
        Ok(())
    })
}

/// Explores some of the examples of a store, on the current rayon pool, and hands over the entry of each in their
/// order. What an example yields depends on its place among all of them, and not on which others are explored.
///
/// # Errors
/// If a program cannot be said in words, and those of `deliver`.
pub fn explore(
    examples: &[impl Borrow<Example> + Sync],
    places: Range<usize>,
    (programs, pruning, seed): (u64, Pruning, u64),
    progress: &Progress,
    mut deliver: impl FnMut(Entry) -> Result<()> + Send,
) -> Result<Ending> {
    let plan = Plan {
        programs,
        seed,
        ..Plan::default()
    };
    explore_all(
        places.start as u64..places.end as u64,
        |index| TableEnv::exploring(examples[index as usize].borrow(), pruning),
        &Uniform,
        &plan,
        progress,
        |index, exploration| {
            let example: &Example = examples[index as usize].borrow();
            let context = example.context();
            let text = |(program, _): (&[Action], f32)| {
                let tokens: Vec<Token> = program.iter().map(|action| Token(action.0)).collect();
                let program = context.decode(&tokens);
                let unreadable = || Error::Explored(example.id.clone());
                Ok(program.ok_or_else(unreadable)?.to_string())
            };
            let programs = exploration.memory.iter().map(text).collect::<Result<_>>()?;
            deliver(Entry::new(example, &exploration, programs))
        },
    )
}
