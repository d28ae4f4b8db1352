//! Tasks as the network sees them.

use std::collections::HashSet;
use std::sync::Arc;

use mapo_programmer::{Example, Precision, Result as NetworkResult, Span, Vectors, Words};

use crate::error::{Error, Result};
use crate::observed::Observed;
use crate::policy::Input;

/// The word that stands for those that training never met.
const UNKNOWN: &str = "<unknown>";

/// The words of some tasks, in the order in which they first come.
pub fn words<E: Observed>(tasks: &[E], width: usize) -> NetworkResult<Words> {
    let mut names = vec![UNKNOWN.to_owned()];
    let mut met: HashSet<String> = names.iter().cloned().collect();
    for word in tasks.iter().flat_map(Observed::context) {
        if met.insert(word.clone()) {
            names.push(word);
        }
    }
    let none = Vectors {
        dimensions: width,
        ..Vectors::default()
    };
    Words::new(&names, &none, Precision::Half)
}

/// A task as the network sees it. `place` is that of the task, for messages.
///
/// # Errors
/// If it mentions tokens that are not there, or begins with actions that nobody knows.
pub fn encode<E: Observed>(words: &Words, actions: usize, place: usize, task: &mut E) -> Result<Input> {
    let unknown = words.id(UNKNOWN).unwrap_or(0);
    let context = task.context();
    let mut tokens: Vec<u32> = context
        .iter()
        .map(|word| words.id(word).unwrap_or(unknown))
        .collect();
    let mentions = task.mentions();
    if let Some(wrong) = mentions
        .iter()
        .find(|part| part.is_empty() || part.end > context.len())
    {
        return Err(Error::NoSuchTokens {
            task: place,
            first: wrong.start,
            last: wrong.end,
            tokens: context.len(),
        });
    }
    let known = actions + mentions.len();
    let mut valid = Vec::new();
    task.rewind(0);
    task.actions(&mut valid);
    if let Some(&action) = valid.iter().find(|action| usize::from(action.0) >= known) {
        return Err(Error::UnknownAction {
            task: place,
            action,
            known,
        });
    }
    // The network reads at least one token.
    if tokens.is_empty() {
        tokens.push(unknown);
    }
    Ok(Arc::new(Example {
        tokens,
        constants: mentions
            .iter()
            .map(|part| Span {
                first: part.start as u32,
                last: part.end as u32 - 1,
            })
            .collect(),
        ..Example::default()
    }))
}
