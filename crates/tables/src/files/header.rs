//! The names of columns as they stand in a file, and what is said where they do not.

use crate::decisions::{Decisions, listed};
use std::collections::HashMap;

/// Names for all columns: those without one are numbered. Equal ones stay as they are, and programs number them.
pub(super) fn named(headers: Vec<String>, decisions: &mut Decisions) -> Vec<String> {
    let trimmed = |header: &str| mapo_text::trim(header).to_owned();
    let is_empty = |header: &String| trimmed(header).is_empty();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (number, header) in (1..).zip(&headers).filter(|(_, header)| !is_empty(header)) {
        if let Some(first) = seen.insert(trimmed(header), number) {
            let header = trimmed(header);
            let note =
                format!("columns {first} and {number} are both called '{header}'; the second is numbered");
            decisions.notes.push(note);
        }
    }
    let without = headers.iter().filter(|header| is_empty(header)).count();
    if without == headers.len() {
        decisions.header = None;
        decisions.notes.push(NO_HEADER.to_owned());
    }
    let numbered = |(number, header): (usize, String)| match is_empty(&header) {
        true => format!("column {number}"),
        false => header,
    };
    let named: Vec<String> = (1..).zip(headers).map(numbered).collect();
    if (1..named.len()).contains(&without) {
        let new: Vec<&String> = named.iter().filter(|name| !seen.contains_key(*name)).collect();
        let have = match without {
            1 => "a column has no name and is called",
            _ => "some columns have no name and are called",
        };
        decisions.notes.push(format!("{have} {}", listed(&new)));
    }
    named
}

const NO_HEADER: &str = "there is no header: the first row is like the others, so the columns are numbered; --header LINE says otherwise";

/// What is said of lines above the header, with their numbers.
pub(super) fn note_lines_above(lines: &[(u64, &str)]) -> Option<String> {
    let [(number, text), ..] = lines else {
        return None;
    };
    let text: String = match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => (*text).to_owned(),
    };
    Some(match lines {
        [_] => format!("line {number}, '{text}', stands above the table and was left out"),
        [.., (last, _)] => {
            format!("lines {number} to {last}, '{text}' and more, stand above the table and were left out")
        }
        [] => return None,
    })
}
