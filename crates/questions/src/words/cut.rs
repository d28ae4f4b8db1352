//! Texts cut into words, and which columns have texts.

use mapo_tables::{Column, ColumnKind, Table};
use std::ops::Range;

/// The words of a text: runs of letters and digits, with where they are.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let start_of = move |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(move |word| (start_of(word)..start_of(word) + word.len(), word))
}

/// The text columns, with their numbers among all columns.
pub(super) fn text_columns(table: &Table) -> impl Iterator<Item = (u16, &Column)> {
    let columns = (0..).zip(table.columns());
    columns.filter(|(_, column)| column.kind() == ColumnKind::Text)
}
