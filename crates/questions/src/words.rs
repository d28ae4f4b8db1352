//! The words of a table's cells, to find question words in that are written a little otherwise.
//!
//! Of small tables every word is kept with all places where it stands. Large ones would need many times their own size
//! for that; there the columns' index is searched for each word that a question asks for.

use mapo_tables::{Column, ColumnKind, Next, Table, Value};
use mapo_text::fold;
use mapo_text::has_bounded;
use mapo_text::word_forms::{is_misspelt, plurals_and_singular, stem};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

/// Every word of a table's text, where it stands, and what the normal form of its cells leaves out.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    known: Known,
    /// The stems of the words in the headers.
    headers: HashSet<String>,
    /// What normal forms leave out, each with the normal forms that it is left out of,
    dropped: Vec<(String, Vec<String>)>,
    /// and all that is left out in one.
    all_dropped: String,
}

#[derive(Clone, Debug)]
enum Known {
    Places(Places),
    Long(LongWords),
}

/// All words of a small table.
#[derive(Clone, Debug, Default)]
struct Places {
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
struct Place {
    word: u32,
    text: u32,
    range: Range<u32>,
}

/// The words of a large table that others can be taken for, by first and last letter and length.
#[derive(Clone, Debug, Default)]
struct LongWords(HashMap<(u8, u8, usize), Vec<Box<str>>>);

/// Words of the cells that are forms of one word.
#[derive(Clone, Debug)]
pub(crate) enum Forms {
    /// By their numbers.
    Numbers(Vec<u32>),
    /// As they are.
    Words(Vec<String>),
}

impl Forms {
    pub fn is_empty(&self) -> bool {
        match self {
            Forms::Numbers(numbers) => numbers.is_empty(),
            Forms::Words(words) => words.is_empty(),
        }
    }

    fn words(&self) -> &[String] {
        match self {
            Forms::Numbers(_) => &[],
            Forms::Words(words) => words,
        }
    }
}

/// Where a run of words stands in the cells.
#[derive(Clone, Debug)]
pub(crate) enum Standing {
    /// At these places of a small table.
    Places(Vec<u32>),
    /// Wherever one of these words stands in a large one.
    Anywhere(Vec<String>),
    /// Here in a large one.
    Found(Vec<Found>),
}

/// A run of words in a large table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    column: u16,
    text: u32,
    start: u32,
    end: u32,
}

impl Standing {
    pub fn is_empty(&self) -> bool {
        match self {
            Standing::Places(places) => places.is_empty(),
            Standing::Anywhere(words) => words.is_empty(),
            Standing::Found(found) => found.is_empty(),
        }
    }
}

/// The words of a text: runs of letters and digits, with where they are.
pub(super) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let start_of = move |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(move |word| (start_of(word)..start_of(word) + word.len(), word))
}

/// The text columns, with their numbers among all columns.
fn text_columns(table: &Table) -> impl Iterator<Item = (u16, &Column)> {
    let columns = (0..).zip(table.columns());
    columns.filter(|(_, column)| column.kind() == ColumnKind::Text)
}

impl Words {
    /// The words of a table, kept beside it.
    pub fn of(table: &Table) -> &Words {
        table.derived(|table| Words::new(table, table.is_large()))
    }

    /// The words of a table; with `searched` not all places are kept, as is right for a large table.
    pub fn new(table: &Table, searched: bool) -> Self {
        let headers = table.headers().iter().map(|header| fold(header));
        let headers =
            headers.flat_map(|header| words(&header).map(|(_, word)| stem(word)).collect::<Vec<_>>());
        let dropped = dropped(table);
        let mut all_dropped = String::new();
        for (rest, _) in &dropped {
            all_dropped.push_str(rest);
            all_dropped.push('\n');
        }
        Words {
            headers: headers.collect(),
            known: match searched {
                true => Known::Long(LongWords::new(table)),
                false => Known::Places(Places::new(table)),
            },
            dropped,
            all_dropped,
        }
    }

    /// Whether the table is searched for words.
    #[cfg(test)]
    pub fn is_searched(&self) -> bool {
        matches!(self.known, Known::Long(_))
    }

    /// The words of cells that are forms of a word, itself included.
    pub fn forms(&self, table: &Table, word: &str) -> Forms {
        match &self.known {
            Known::Places(places) => Forms::Numbers(places.forms(word).to_vec()),
            Known::Long(_) => {
                let is_known = |word: &String| first_place(table, word).is_some();
                Forms::Words(plurals_and_singular(word).into_iter().filter(is_known).collect())
            }
        }
    }

    /// The one word of the cells that a long word that is nowhere in the table misspells.
    pub fn meant(&self, word: &str) -> Forms {
        let can_be =
            !self.headers.contains(&stem(word)) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        match &self.known {
            Known::Places(places) => Forms::Numbers(match can_be {
                true => places.meant(word).into_iter().collect(),
                false => Vec::new(),
            }),
            Known::Long(long) => Forms::Words(match can_be {
                true => long.meant(word).into_iter().map(str::to_owned).collect(),
                false => Vec::new(),
            }),
        }
    }

    /// Whether a word, in some form, is part of a header: it then says which column is meant rather than which cell.
    pub fn in_headers(&self, word: &str) -> bool {
        self.headers.contains(&stem(word))
    }

    /// Where any of these words stand.
    pub fn standing(&self, forms: &Forms) -> Standing {
        match (&self.known, forms) {
            (Known::Places(places), Forms::Numbers(numbers)) => Standing::Places(places.standing(numbers)),
            (_, forms) => Standing::Anywhere(forms.words().to_vec()),
        }
    }

    /// Keeps the places where one of these words comes next, in the same text, after so many words.
    pub fn narrow(&self, table: &Table, standing: &mut Standing, length: usize, forms: &Forms) {
        match (&self.known, &mut *standing, forms) {
            (Known::Places(known), Standing::Places(places), Forms::Numbers(numbers)) => {
                places.retain(|place| known.follows(*place, length, numbers));
            }
            (_, Standing::Found(found), forms) => {
                *found = std::mem::take(found)
                    .into_iter()
                    .filter_map(|found| go_on(table, found, forms.words()))
                    .collect();
            }
            (_, Standing::Anywhere(first), forms) => {
                *standing = Standing::Found(pairs(table, first, forms.words()))
            }
            _ => {}
        }
    }

    /// The texts of so many words at these places, as they stand in the cells, in the order of the cells.
    pub fn texts(&self, table: &Table, standing: &Standing, length: usize) -> Vec<String> {
        match (&self.known, standing) {
            (Known::Places(known), Standing::Places(places)) => {
                let texts = places.iter().map(|place| known.text(*place, length).to_owned());
                texts.collect()
            }
            (_, Standing::Anywhere(words)) => {
                let mut words: Vec<&String> = words.iter().collect();
                words.sort_by_cached_key(|word| first_place(table, word));
                words.into_iter().cloned().collect()
            }
            (_, Standing::Found(found)) => {
                let mut known = HashSet::new();
                let text = |found: &Found| {
                    let text = table.columns()[found.column as usize].forms().get(found.text);
                    &text[found.start as usize..found.end as usize]
                };
                let new = found.iter().map(text).filter(|text| known.insert(*text));
                new.map(str::to_owned).collect()
            }
            (Known::Long(_), Standing::Places(_)) => Vec::new(),
        }
    }

    /// The texts whose first word is the given one.
    pub fn beginning_with(&self, table: &Table, word: &str) -> Vec<String> {
        match &self.known {
            Known::Places(places) => places.beginning_with(word).map(str::to_owned).collect(),
            Known::Long(_) => {
                let mut beginning = Vec::new();
                for (_, column) in text_columns(table) {
                    let texts = column.forms();
                    let none: Option<()> = column.index().search(texts, word, true, |text, place| {
                        let text = texts.get(text);
                        if !text[..place.start].contains(char::is_alphanumeric) {
                            beginning.push(text.to_owned());
                        }
                        ControlFlow::Continue(Next::NextText)
                    });
                    debug_assert!(none.is_none());
                }
                beginning
            }
        }
    }

    /// Whether something that normal forms leave out has the string, bounded by words.
    pub fn has_dropped(&self, needle: &str) -> bool {
        has_bounded(&self.all_dropped, needle)
    }

    /// What normal forms leave out, with the normal forms.
    pub fn dropped(&self) -> &[(String, Vec<String>)] {
        &self.dropped
    }
}

/// Where a word first stands in a table.
fn first_place(table: &Table, word: &str) -> Option<(u16, u32, usize)> {
    text_columns(table).find_map(|(number, column)| {
        let found = |text, place: Range<usize>| ControlFlow::Break((number, text, place.start));
        column.index().search(column.forms(), word, true, found)
    })
}

/// Where one of some words stands with one of others behind it.
fn pairs(table: &Table, first: &[String], second: &[String]) -> Vec<Found> {
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
    columns.par_iter().map(in_column).collect::<Vec<_>>().concat()
}

/// A run of words with the next, if that is one of those given.
fn go_on(table: &Table, found: Found, next: &[String]) -> Option<Found> {
    let text = table.columns()[found.column as usize].forms().get(found.text);
    let (place, word) = words(&text[found.end as usize..]).next()?;
    next.iter().any(|next| next == word).then_some(Found {
        end: found.end + place.end as u32,
        ..found
    })
}

impl LongWords {
    /// Words with more letters that are none are misspelt by nothing that is plain letters.
    const MOST_OTHERS: usize = 2;

    fn new(table: &Table) -> Self {
        let columns: Vec<&Column> = text_columns(table).map(|(_, column)| column).collect();
        let words: Vec<HashSet<&str>> = columns.par_iter().map(|column| Self::of_column(column)).collect();
        let mut known: HashSet<&str> = HashSet::new();
        let mut long = LongWords::default();
        for word in words.into_iter().flatten().filter(|word| known.insert(word)) {
            if let [first, .., last] = word.as_bytes() {
                let alike = long.0.entry((*first, *last, word.len())).or_default();
                alike.push(word.into());
            }
        }
        long
    }

    fn of_column(column: &Column) -> HashSet<&str> {
        let mut known = HashSet::new();
        for text in column.forms().iter() {
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

    fn meant(&self, word: &str) -> Option<&str> {
        let (first, last) = (*word.as_bytes().first()?, *word.as_bytes().last()?);
        let lengths = word.len().saturating_sub(2)..=word.len() + 2;
        let alike = lengths.filter_map(|length| self.0.get(&(first, last, length)));
        let mut meant = alike.flatten().filter(|known| is_misspelt(word, known));
        match (meant.next(), meant.next()) {
            (Some(word), None) => Some(word),
            _ => None,
        }
    }
}

impl Places {
    fn new(table: &Table) -> Self {
        let mut index = Places::default();
        let mut known = HashSet::new();
        for (_, column) in text_columns(table) {
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

    fn forms(&self, word: &str) -> &[u32] {
        self.by_stem.get(&stem(word)).map_or(&[], Vec::as_slice)
    }

    fn meant(&self, word: &str) -> Option<u32> {
        let mut meant = (0..)
            .zip(&self.distinct)
            .filter(|(_, known)| is_misspelt(word, known));
        match (meant.next(), meant.next()) {
            (Some((id, _)), None) => Some(id),
            _ => None,
        }
    }

    /// Where any of these words stand.
    fn standing(&self, words: &[u32]) -> Vec<u32> {
        let mut places: Vec<u32> = words
            .iter()
            .flat_map(|word| self.standing[*word as usize].iter().copied())
            .collect();
        places.sort_unstable();
        places
    }

    /// Whether one of these words stands so many words behind a place, in the same text.
    fn follows(&self, place: u32, behind: usize, words: &[u32]) -> bool {
        let (first, next) = (
            &self.places[place as usize],
            self.places.get(place as usize + behind),
        );
        next.is_some_and(|next| next.text == first.text && words.contains(&next.word))
    }

    /// The text of so many words from a place on, as it stands in the cell.
    fn text(&self, place: u32, length: usize) -> &str {
        let (first, last) = (
            &self.places[place as usize],
            &self.places[place as usize + length - 1],
        );
        &self.texts[first.text as usize][first.range.start as usize..last.range.end as usize]
    }

    /// The texts whose first word is the given one.
    fn beginning_with(&self, word: &str) -> impl Iterator<Item = &str> {
        let id = self.by_text.get(word);
        let places = id.into_iter().flat_map(|id| &self.standing[*id as usize]);
        places.filter_map(|place| {
            let is_first =
                *place == 0 || self.places[*place as usize - 1].text != self.places[*place as usize].text;
            is_first.then(|| self.texts[self.places[*place as usize].text as usize].as_str())
        })
    }
}

/// What the normal form leaves out of cells: for `São Paulo (Brazil)` that is `(brazil)`, left out of `sao paulo`.
fn dropped(table: &Table) -> Vec<(String, Vec<String>)> {
    let columns: Vec<&Column> = text_columns(table).map(|(_, column)| column).collect();
    let parts: Vec<Vec<(String, &str)>> = match table.is_large() {
        true => columns
            .into_par_iter()
            .map(|column| dropped_of(table, column))
            .collect(),
        false => columns
            .into_iter()
            .map(|column| dropped_of(table, column))
            .collect(),
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut known: HashSet<(usize, &str)> = HashSet::new();
    let mut dropped: Vec<(String, Vec<String>)> = Vec::new();
    for (rest, normal) in parts.into_iter().flatten() {
        let place = *places.entry(rest).or_insert_with_key(|rest| {
            dropped.push((rest.clone(), Vec::new()));
            dropped.len() - 1
        });
        if known.insert((place, normal)) {
            dropped[place].1.push(normal.to_owned());
        }
    }
    dropped
}

/// What is left out of the cells of a column, with their normal forms, each cell's text once.
fn dropped_of<'t>(table: &Table, column: &'t Column) -> Vec<(String, &'t str)> {
    let raw = table.raw_texts(column.source());
    if !raw.block().contains('(') {
        return Vec::new();
    }
    let mut seen = vec![false; raw.len()];
    let mut dropped = Vec::new();
    for &text in column.texts() {
        if std::mem::replace(&mut seen[text as usize], true) {
            continue;
        }
        let (raw, normal) = (raw.get(text), column.forms().get(text));
        // Of plain letters nothing can be missing where there are as many.
        let is_all = raw.len() == normal.len() && raw.is_ascii();
        if normal.is_empty() || is_all || !raw.contains('(') {
            continue;
        }
        let folded = fold(raw);
        let Some(at) = folded.find(normal) else { continue };
        let rest = &folded[at + normal.len()..];
        if words(rest).next().is_some() {
            dropped.push((rest.to_owned(), normal));
        }
    }
    dropped
}
