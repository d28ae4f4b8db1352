//! The texts of a table, to look for strings in.

use crate::words::Words;
use mapo_tables::{Table, Value};
use mapo_text::has_bounded;
use std::ops::ControlFlow;

/// The distinct texts of a table, to look for strings in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Haystack<'a> {
    pub(crate) table: &'a Table,
    /// All texts in one, if they are few enough to be searched through.
    pub(crate) joined: Option<&'a str>,
}

/// Stands between texts; no text in normal form has it, so nothing is found across two.
const BETWEEN: char = '\n';

/// All texts of a small table in one.
fn join(table: &Table) -> Option<String> {
    if table.is_large() {
        return None;
    }
    let mut joined = String::from(BETWEEN);
    let texts = table.columns().iter().flat_map(|column| column.values());
    for value in texts {
        if let Value::Text(text) = value {
            joined.push_str(text);
            joined.push(BETWEEN);
        }
    }
    Some(joined)
}

impl<'a> Haystack<'a> {
    pub fn new(table: &'a Table) -> Self {
        Haystack {
            table,
            joined: joined_texts(table),
        }
    }

    /// The table that the texts are from.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// Whether some cell has the string, bounded by words: `1` is not in `21`.
    pub fn has(&self, needle: &str) -> bool {
        match self.joined {
            Some(joined) => has_bounded(joined, needle),
            None => self.table.columns().iter().any(|column| {
                let found = |_, _| ControlFlow::Break(());
                let found = column.index().search(column.forms(), needle, true, found);
                found.is_some()
            }),
        }
    }
}

/// All texts of a table in one, kept beside it; nothing for a large one.
pub(crate) fn joined_texts(table: &Table) -> Option<&str> {
    struct Joined(Option<String>);
    table.derived(|table| Joined(join(table))).0.as_deref()
}

/// Does now, on all cores, what is otherwise done when a question first needs it. Questions about a large
/// table then take no longer than later ones.
pub fn prepare(table: &Table) {
    table.prepare();
    if table.is_large() {
        Words::of(table);
    }
}
