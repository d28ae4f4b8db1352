//! What was decided about a file: shown by every door through which it comes in.

use crate::format::Format;
use serde::{Deserialize, Serialize};

/// What was decided about a file, by its content or because somebody said so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decisions {
    /// How it is written; nothing of a table that comes from no file.
    pub format: Option<Format>,
    /// What it is packed by, the outermost first.
    pub packed: Vec<String>,
    /// Which of the tables in the file it is: a sheet, a table of a database, a file of an archive…
    pub part: Option<String>,
    /// All that it could have been, where there are several.
    pub parts: Vec<String>,
    /// The encoding of its text.
    pub encoding: Option<String>,
    /// The character between two cells.
    pub separator: Option<char>,
    /// In which line or row the names of the columns stand, from 1; nothing where they are no row.
    pub header: Option<u64>,
    /// What of the file is no part of the table, a sentence each.
    pub left_out: Vec<String>,
    /// What else one should know, a sentence each.
    pub notes: Vec<String>,
}

impl Decisions {
    /// How a file is written and where its table is, in a few words: `xlsx, sheet 'Sales', header in row 3`.
    pub fn summary(&self) -> String {
        let mut said = Vec::new();
        said.extend(self.format.map(|format| format.name().to_owned()));
        said.extend(self.packed.iter().map(|packing| format!("packed by {packing}")));
        if let (Some(part), Some(format)) = (&self.part, self.format) {
            let of_how_many = match self.parts.len() {
                0 | 1 => String::new(),
                many => format!(" of {many}"),
            };
            said.push(format!("{} '{part}'{of_how_many}", format.part_is_a()));
        }
        said.extend(self.encoding.clone());
        said.extend(self.separator.map(|separator| match separator {
            '\t' => "tabs between cells".to_owned(),
            separator => format!("'{separator}' between cells"),
        }));
        said.extend(self.header.map(|line| format!("header in line {line}")));
        said.join(", ")
    }

    /// The sentences about what was left out, and all others.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        self.left_out.iter().chain(&self.notes).map(String::as_str)
    }
}

/// A list for people: `a, b and c`; of a long one the beginning.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const MOST: usize = 12;
    let quoted: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("'{}'", name.as_ref()))
        .collect();
    if names.len() > MOST {
        return format!("{} and {} more", quoted.join(", "), names.len() - MOST);
    }
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
