//! The words of a table's cells, to find question words in that are written a little otherwise.

use super::forms::{is_misspelt, stem};
use crate::table::{ColumnKind, Table, Value};
use crate::text::fold;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Every word of a table's text, where it stands, and what the normal form of its cells leaves out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// The distinct words.
    distinct: Vec<String>,
    by_text: HashMap<String, u32>,
    by_stem: HashMap<String, Vec<u32>>,
    /// Where each distinct word stands, as numbers of `places`.
    standing: Vec<Vec<u32>>,
    /// All words of all texts, one text after the other.
    places: Vec<Place>,
    texts: Vec<String>,
    /// The stems of the words in the headers.
    headers: HashSet<String>,
    /// What normal forms leave out, each with the normal forms that it is left out of.
    dropped: Vec<(String, Vec<String>)>,
}

#[derive(Clone, Debug)]
struct Place {
    word: u32,
    text: u32,
    range: Range<u32>,
}

/// The words of a text: runs of letters and digits, with where they are.
pub(super) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let start_of = move |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(move |word| (start_of(word)..start_of(word) + word.len(), word))
}

impl Words {
    pub fn new(table: &Table) -> Self {
        let mut index = Words::default();
        let mut known = HashSet::new();
        for column in table.columns().iter().filter(|c| c.kind() == ColumnKind::Text) {
            for value in column.values() {
                if let Value::Text(text) = value
                    && known.insert(text)
                {
                    index.add(text);
                }
            }
        }
        for (id, word) in (0..).zip(&index.distinct) {
            index.by_stem.entry(stem(word)).or_default().push(id);
        }
        let headers = table.headers().iter().map(|header| fold(header));
        index.headers = headers
            .flat_map(|header| words(&header).map(|(_, word)| stem(word)).collect::<Vec<_>>())
            .collect();
        index.dropped = dropped(table);
        index
    }

    fn add(&mut self, text: &str) {
        let number = self.texts.len() as u32;
        for (range, word) in words(text) {
            let id = match self.by_text.get(word) {
                Some(id) => *id,
                None => {
                    let id = self.distinct.len() as u32;
                    self.by_text.insert(word.to_owned(), id);
                    self.distinct.push(word.to_owned());
                    self.standing.push(Vec::new());
                    id
                }
            };
            self.standing[id as usize].push(self.places.len() as u32);
            self.places.push(Place {
                word: id,
                text: number,
                range: range.start as u32..range.end as u32,
            });
        }
        self.texts.push(text.to_owned());
    }

    /// The words of cells that are forms of a word, itself included.
    pub fn forms(&self, word: &str) -> &[u32] {
        self.by_stem.get(&stem(word)).map_or(&[], Vec::as_slice)
    }

    /// The one word of the cells that a long word that is nowhere in the table misspells.
    pub fn meant(&self, word: &str) -> Option<u32> {
        if self.headers.contains(&stem(word)) || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let mut meant = (0..)
            .zip(&self.distinct)
            .filter(|(_, known)| is_misspelt(word, known));
        match (meant.next(), meant.next()) {
            (Some((id, _)), None) => Some(id),
            _ => None,
        }
    }

    /// Whether a word, in some form, is part of a header: it then says which column is meant rather than which cell.
    pub fn in_headers(&self, word: &str) -> bool {
        self.headers.contains(&stem(word))
    }

    /// Where any of these words stand.
    pub fn standing(&self, words: &[u32]) -> Vec<u32> {
        let mut places: Vec<u32> = words
            .iter()
            .flat_map(|word| self.standing[*word as usize].iter().copied())
            .collect();
        places.sort_unstable();
        places
    }

    /// Whether one of these words stands so many words behind a place, in the same text.
    pub fn follows(&self, place: u32, behind: usize, words: &[u32]) -> bool {
        let (first, next) = (
            &self.places[place as usize],
            self.places.get(place as usize + behind),
        );
        next.is_some_and(|next| next.text == first.text && words.contains(&next.word))
    }

    /// The text of so many words from a place on, as it stands in the cell.
    pub fn text(&self, place: u32, length: usize) -> &str {
        let (first, last) = (
            &self.places[place as usize],
            &self.places[place as usize + length - 1],
        );
        &self.texts[first.text as usize][first.range.start as usize..last.range.end as usize]
    }

    /// The texts whose first word is the given one.
    pub fn beginning_with(&self, word: &str) -> impl Iterator<Item = &str> {
        let id = self.by_text.get(word);
        let places = id.into_iter().flat_map(|id| &self.standing[*id as usize]);
        places.filter_map(|place| {
            let is_first =
                *place == 0 || self.places[*place as usize - 1].text != self.places[*place as usize].text;
            is_first.then(|| self.texts[self.places[*place as usize].text as usize].as_str())
        })
    }

    /// What normal forms leave out, with the normal forms.
    pub fn dropped(&self) -> &[(String, Vec<String>)] {
        &self.dropped
    }
}

/// What the normal form leaves out of cells: for `São Paulo (Brazil)` that is `(brazil)`, left out of `sao paulo`.
fn dropped(table: &Table) -> Vec<(String, Vec<String>)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut dropped: Vec<(String, Vec<String>)> = Vec::new();
    for column in table.columns().iter().filter(|c| c.kind() == ColumnKind::Text) {
        for row in 0..table.rows() {
            let Some(Value::Text(normal)) = column.value(row) else {
                continue;
            };
            let raw = table.cell(row, column.source());
            if normal.is_empty() || !raw.contains('(') {
                continue;
            }
            let folded = fold(raw);
            let Some(at) = folded.find(normal) else { continue };
            let rest = &folded[at + normal.len()..];
            if words(rest).next().is_none() {
                continue;
            }
            let place = *places.entry(rest.to_owned()).or_insert_with(|| {
                dropped.push((rest.to_owned(), Vec::new()));
                dropped.len() - 1
            });
            if !dropped[place].1.iter().any(|known| known == normal) {
                dropped[place].1.push(normal.to_owned());
            }
        }
    }
    dropped
}
