//! Texts that are a string, or have it as whole words: where no word goes on beyond the string's ends.
//!
//! SQL does not know words, so what may stand beside a string is listed: the characters that are neither
//! letters nor digits, as far as the column has them.

use super::Select;
use crate::sql_table::quote;
use mapo_tables::{Column, ColumnId, Next};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Whether some cell of the column is the string.
pub(crate) fn is_whole(column: &Column, string: &str) -> bool {
    if string.is_empty() {
        return column.forms().iter().any(str::is_empty);
    }
    let forms = column.forms();
    let found = column.index().search(forms, string, true, |text, place| {
        match place.len() == forms.get(text).len() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(Next::NextText),
        }
    });
    found.is_some()
}

/// The conditions of which one holds where a text has the string as whole words; none for the empty string.
pub(crate) fn has_words(column: &Column, key: &str, string: &str) -> Vec<String> {
    if string.is_empty() {
        return Vec::new();
    }
    // What stands beside it in the texts; at a text's ends a blank is added. A string that itself begins or ends
    // with no letter or digit can have anything there.
    let free = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
    let (free_before, free_after) = (free(string.chars().next()), free(string.chars().next_back()));
    let side = |free: bool, c: Option<char>| match free {
        true => String::new(),
        false => c.unwrap_or(' ').to_string(),
    };
    let mut beside: BTreeSet<(String, String)> = BTreeSet::new();
    beside.insert((side(free_before, None), side(free_after, None)));
    let forms = column.forms();
    let none: Option<()> = column.index().search(forms, string, true, |text, place| {
        let text = forms.get(text);
        let (before, after) = (&text[..place.start], &text[place.end..]);
        beside.insert((
            side(free_before, before.chars().next_back()),
            side(free_after, after.chars().next()),
        ));
        ControlFlow::Continue(Next::Here)
    });
    debug_assert!(none.is_none());
    let pattern = |(before, after): &(String, String)| {
        let bounded = quote::text(&format!("{before}{string}{after}"));
        format!("instr(' ' || {key} || ' ', {bounded}) > 0")
    };
    beside.iter().map(pattern).collect()
}

/// The condition that the text of a row, which is called `r`, is a value of an earlier step, or has one that no
/// text of the column is as whole words.
pub(crate) fn is_value_of_step(select: &mut Select<'_>, step: usize, column: ColumnId) -> String {
    let (text, key, all) = (
        select.key_of("r.", column),
        select.key(column),
        &select.layout.table,
    );
    let here = select.call.step;
    let marks: BTreeSet<char> = select
        .table
        .column(column)
        .forms()
        .block()
        .chars()
        .filter(|c| !c.is_alphanumeric())
        .chain([' '])
        .collect();
    let marks: Vec<String> = marks
        .into_iter()
        .map(|mark| format!("({})", quote::text(&mark.to_string())))
        .collect();
    select.before.push(format!(
        "v{here}_marks(mark) AS (\n  VALUES (''), {}\n)",
        marks.join(", ")
    ));
    format!(
        "EXISTS (SELECT 1 FROM v{step} AS s WHERE s.value = {text} OR (s.value <> '' \
         AND instr({text}, s.value) > 0 AND s.value NOT IN (SELECT {key} FROM {all}) \
         AND EXISTS (SELECT 1 FROM v{here}_marks AS a, v{here}_marks AS b \
         WHERE (a.mark <> '' OR substr(s.value, 1, 1) IN (SELECT mark FROM v{here}_marks)) \
         AND (b.mark <> '' OR substr(s.value, length(s.value), 1) IN (SELECT mark FROM v{here}_marks)) \
         AND instr(' ' || {text} || ' ', a.mark || s.value || b.mark) > 0)))"
    )
}
