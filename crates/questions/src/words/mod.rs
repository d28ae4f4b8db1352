//! The words of a table's cells, to find question words in that are written a little otherwise.
//!
//! Of small tables every word is kept with all places where it stands. Large ones would need many times their
//! own size for that; there the columns' index is searched for each word that a question asks for.

mod cut;
mod dropped;
mod large;
mod small;

pub(crate) use cut::words;

use cut::text_columns;
use dropped::dropped;
use large::{Found, LongWords, first_place, go_on, pairs};
use mapo_tables::{Next, Table};
use mapo_text::word_forms::{plurals_and_singular, stem};
use mapo_text::{fold, has_bounded};
use small::Places;
use std::collections::HashSet;
use std::ops::ControlFlow;

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

impl Standing {
    pub fn is_empty(&self) -> bool {
        match self {
            Standing::Places(places) => places.is_empty(),
            Standing::Anywhere(words) => words.is_empty(),
            Standing::Found(found) => found.is_empty(),
        }
    }
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

    /// Whether a word, in some form, is part of a header: it then says which column is meant rather than
    /// which cell.
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

    /// Keeps the places where one of these words comes next, in the same text, after this many words.
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

    /// The texts of this many words at these places, as they stand in the cells, in the order of the cells.
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
