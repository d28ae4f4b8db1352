//! The words of a large table: searched for in the columns' index, but for those that others can be taken
//! for.

use super::cut::{text_columns, words};
use mapo_tables::{Column, Next, Table};
use mapo_text::word_forms::is_misspelt;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

/// The words of a large table that others can be taken for, by first and last letter and length.
#[derive(Clone, Debug, Default)]
pub(super) struct LongWords(HashMap<(u8, u8, usize), Vec<Box<str>>>);

impl LongWords {
    /// Words with more letters that are none are misspelt by nothing that is plain letters.
    const MOST_OTHERS: usize = 2;

    pub fn new(table: &Table) -> Self {
        let columns: Vec<&Column> = text_columns(table).map(|(_, column)| column).collect();
        let flag = mapo_stopping::carry();
        let words: Vec<HashSet<&str>> = columns
            .par_iter()
            .map(|column| flag.within(|| Self::of_column(column)))
            .collect();
        let mut known: HashSet<&str> = HashSet::new();
        let mut long = LongWords::default();
        for word in words.into_iter().flatten().filter(|word| known.insert(word)) {
            mapo_stopping::glance();
            if let [first, .., last] = word.as_bytes() {
                let alike = long.0.entry((*first, *last, word.len())).or_default();
                alike.push(word.into());
            }
        }
        long
    }

    pub fn of_column(column: &Column) -> HashSet<&str> {
        let mut known = HashSet::new();
        for text in column.forms().iter() {
            mapo_stopping::glance();
            // Most texts of a large table are numbers and the like.
            if !text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                continue;
            }
            let long = words(text).map(|(_, word)| word).filter(|word| {
                let others = || word.bytes().filter(|byte| !byte.is_ascii_alphabetic()).count();
                word.len() >= 6 && others() <= Self::MOST_OTHERS
            });
            known.extend(long);
        }
        known
    }

    pub fn meant(&self, word: &str) -> Option<&str> {
        let (first, last) = (*word.as_bytes().first()?, *word.as_bytes().last()?);
        let lengths = word.len().saturating_sub(2)..=word.len() + 2;
        let alike = lengths.filter_map(|length| self.0.get(&(first, last, length)));
        let mut meant = alike.flatten().filter(|known| {
            mapo_stopping::glance();
            is_misspelt(word, known)
        });
        match (meant.next(), meant.next()) {
            (Some(word), None) => Some(word),
            _ => None,
        }
    }
}

/// A run of words in a large table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub column: u16,
    pub text: u32,
    pub start: u32,
    pub end: u32,
}

/// Where a word first stands in a table.
pub(super) fn first_place(table: &Table, word: &str) -> Option<(u16, u32, usize)> {
    text_columns(table).find_map(|(number, column)| {
        let found = |text, place: Range<usize>| ControlFlow::Break((number, text, place.start));
        column.index().search(column.forms(), word, true, found)
    })
}

/// Where one of some words stands with one of others behind it.
pub(super) fn pairs(table: &Table, first: &[String], second: &[String]) -> Vec<Found> {
    let columns: Vec<(u16, &Column)> = text_columns(table).collect();
    let in_column = |(number, column): &(u16, &Column)| {
        let mut pairs = Vec::new();
        for word in first {
            let none: Option<()> =
                column
                    .index()
                    .search_beside(column.forms(), word, second, |text, place| {
                        let found = Found {
                            column: *number,
                            text,
                            start: place.start as u32,
                            end: place.end as u32,
                        };
                        pairs.extend(go_on(table, found, second));
                        ControlFlow::Continue(Next::Here)
                    });
            debug_assert!(none.is_none());
        }
        pairs.sort_unstable();
        pairs
    };
    let flag = mapo_stopping::carry();
    let in_column = |column: &(u16, &Column)| flag.within(|| in_column(column));
    columns.par_iter().map(in_column).collect::<Vec<_>>().concat()
}

/// A run of words with the next, if that is one of those given.
pub(super) fn go_on(table: &Table, found: Found, next: &[String]) -> Option<Found> {
    let text = table.columns()[found.column as usize].forms().get(found.text);
    let (place, word) = words(&text[found.end as usize..]).next()?;
    next.iter().any(|next| next == word).then_some(Found {
        end: found.end + place.end as u32,
        ..found
    })
}
