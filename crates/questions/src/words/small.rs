//! All words of a small table with all places where they stand.

use super::cut::{text_columns, words};
use mapo_tables::{Table, Value};
use mapo_text::word_forms::{is_misspelt, stem};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// All words of a small table.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// The distinct words.
    distinct: Vec<String>,
    by_text: HashMap<String, u32>,
    by_stem: HashMap<String, Vec<u32>>,
    /// Where each distinct word stands, as numbers of `places`.
    standing: Vec<Vec<u32>>,
    /// All words of all texts, one text after the other.
    places: Vec<Place>,
    texts: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Place {
    word: u32,
    text: u32,
    range: Range<u32>,
}

impl Places {
    pub fn new(table: &Table) -> Self {
        let mut index = Places::default();
        let mut known = HashSet::new();
        for (_, column) in text_columns(table) {
            for value in column.values() {
                mapo_stopping::glance();
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
        index
    }

    pub fn add(&mut self, text: &str) {
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

    pub fn forms(&self, word: &str) -> &[u32] {
        self.by_stem.get(&stem(word)).map_or(&[], Vec::as_slice)
    }

    pub fn meant(&self, word: &str) -> Option<u32> {
        let mut meant = (0..)
            .zip(&self.distinct)
            .filter(|(_, known)| is_misspelt(word, known));
        match (meant.next(), meant.next()) {
            (Some((id, _)), None) => Some(id),
            _ => None,
        }
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

    /// Whether one of these words stands this many words behind a place, in the same text.
    pub fn follows(&self, place: u32, behind: usize, words: &[u32]) -> bool {
        let (first, next) = (
            &self.places[place as usize],
            self.places.get(place as usize + behind),
        );
        next.is_some_and(|next| next.text == first.text && words.contains(&next.word))
    }

    /// The text of this many words from a place on, as it stands in the cell.
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
}
