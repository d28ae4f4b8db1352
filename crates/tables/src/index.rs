//! An index of a column's texts: where a string can be, without looking at all of them.
//!
//! The texts are cut into blocks of a few kilobytes. For each block a filter remembers, by their hashes, the
//! groups of three bytes that occur in it, its shortest words and its whole texts; a string can only be in
//! blocks whose filter knows all of its own. The filters of 64 blocks lie side by side, one word of 64 bits
//! for each hash, so that a string is looked up in 64 blocks at once. What is found is always checked against
//! the texts themselves: the index makes searching fast, never different. It takes an eighth of the texts'
//! size; small columns have none and are searched through.

use crate::texts::Texts;
use memchr::memmem::Finder;
use std::hash::BuildHasher;
use std::ops::{ControlFlow, Range};

/// Texts go into a block until it has this many bytes.
const BLOCK: usize = 4096;
/// Blocks whose filters lie side by side.
const SIDE_BY_SIDE: usize = 64;
/// Different hashes.
const HASHES: usize = 4096;
/// Columns with fewer bytes are searched through.
const SMALL: usize = 1 << 16;

/// Where in the texts of a column three letters in a row may stand.
#[derive(Debug, Default)]
pub struct TextIndex {
    /// The first text of each block, and at the end the number of texts; empty for a small column.
    firsts: Vec<u32>,
    /// For every 64 blocks a word for each hash.
    filters: Vec<u64>,
}

/// What is wanted of the rest of the texts.
pub enum Next {
    /// More of the same text.
    Here,
    /// Other texts.
    NextText,
}

impl TextIndex {
    /// The index of some texts.
    pub fn new(texts: &Texts) -> Self {
        if texts.size() < SMALL {
            return TextIndex::default();
        }
        let mut index = TextIndex::default();
        let mut first = 0;
        while first < texts.len() as u32 {
            mapo_stopping::glance();
            if index.firsts.len().is_multiple_of(SIDE_BY_SIDE) {
                index.filters.resize(index.filters.len() + HASHES, 0);
            }
            let start = texts.range(first).start;
            let next = texts.at(start + BLOCK).max(first + 1).min(texts.len() as u32);
            let bit = 1 << (index.firsts.len() % SIDE_BY_SIDE);
            let filters = index.filters.len() - HASHES;
            let filters = &mut index.filters[filters..];
            let block = &texts.block().as_bytes()[start..texts.range(next - 1).end];
            // Groups across two texts do no harm.
            for group in block.windows(3) {
                filters[hash(group[0], group[1], group[2])] |= bit;
            }
            for text in first..next {
                let text = &texts.block().as_bytes()[texts.range(text)];
                filters[whole_hash(text)] |= bit;
                short_words(text, |hash| filters[hash] |= bit);
            }
            index.firsts.push(first);
            first = next;
        }
        index.firsts.push(texts.len() as u32);
        index
    }

    /// Goes through the places where the string occurs in a text, in order; those in one text do not overlap.
    /// With `bounded` only places are wanted where no word goes on beyond the string's ends. `found` is
    /// given the text's number and the place in it.
    pub fn search<B>(
        &self,
        texts: &Texts,
        needle: &str,
        bounded: bool,
        mut found: impl FnMut(u32, Range<usize>) -> ControlFlow<B, Next>,
    ) -> Option<B> {
        let hashes = Hashes::of(needle, bounded);
        self.search_where(
            texts,
            needle,
            bounded,
            &|filters| hashes.blocks(filters),
            &mut found,
        )
    }

    /// The same where one of further strings is near: in the same block at least.
    pub fn search_beside<B>(
        &self,
        texts: &Texts,
        needle: &str,
        beside: &[String],
        mut found: impl FnMut(u32, Range<usize>) -> ControlFlow<B, Next>,
    ) -> Option<B> {
        let hashes = Hashes::of(needle, true);
        let beside: Vec<Hashes> = beside.iter().map(|other| Hashes::of(other, true)).collect();
        let blocks = |filters: &[u64]| {
            let others = beside
                .iter()
                .fold(0, |blocks, other| blocks | other.blocks(filters));
            others & hashes.blocks(filters)
        };
        self.search_where(texts, needle, true, &blocks, &mut found)
    }

    fn search_where<B>(
        &self,
        texts: &Texts,
        needle: &str,
        bounded: bool,
        blocks: &dyn Fn(&[u64]) -> u64,
        found: &mut dyn FnMut(u32, Range<usize>) -> ControlFlow<B, Next>,
    ) -> Option<B> {
        mapo_stopping::check();
        if needle.is_empty() || texts.is_empty() {
            return None;
        }
        let finder = Finder::new(needle);
        if self.firsts.is_empty() {
            return search_texts(texts, 0..texts.len() as u32, &finder, bounded, found);
        }
        for (place, filters) in self.filters.chunks_exact(HASHES).enumerate() {
            // Behind the last block there is none.
            let missing = (SIDE_BY_SIDE * (place + 1) + 1).saturating_sub(self.firsts.len());
            let mut candidates = blocks(filters) & u64::MAX >> missing;
            while candidates != 0 {
                let from = candidates.trailing_zeros() as usize;
                // Neighbours are searched in one go.
                let run = (candidates >> from).trailing_ones() as usize;
                candidates &= u64::MAX.checked_shl((from + run) as u32).unwrap_or(0);
                let from = place * SIDE_BY_SIDE + from;
                let range = self.firsts[from]..self.firsts[from + run];
                if let Some(result) = search_texts(texts, range, &finder, bounded, found) {
                    return Some(result);
                }
            }
        }
        None
    }

    /// Whether some text is one of the strings, or has one as a part bounded by words.
    pub fn held(&self, texts: &Texts, strings: &[String]) -> Held {
        if strings.iter().any(|string| self.has_whole(texts, string)) {
            return Held::Whole;
        }
        let has_part = |string: &String| {
            let found = |_, _| ControlFlow::Break(());
            self.search(texts, string, true, found).is_some()
        };
        match strings.iter().any(has_part) {
            true => Held::Part,
            false => Held::No,
        }
    }

    /// Whether some text is the string.
    fn has_whole(&self, texts: &Texts, string: &str) -> bool {
        if string.is_empty() {
            return texts.iter().any(str::is_empty);
        }
        let mut hashes = Hashes::of(string, true);
        hashes.0.push(whole_hash(string.as_bytes()));
        let mut found = |text: u32, place: Range<usize>| match place.len() == texts.range(text).len() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(Next::NextText),
        };
        self.search_where(texts, string, true, &|filters| hashes.blocks(filters), &mut found)
            .is_some()
    }
}

/// Searches some texts that lie side by side.
fn search_texts<B>(
    texts: &Texts,
    range: Range<u32>,
    finder: &Finder<'_>,
    bounded: bool,
    found: &mut dyn FnMut(u32, Range<usize>) -> ControlFlow<B, Next>,
) -> Option<B> {
    if range.is_empty() {
        return None;
    }
    let length = finder.needle().len();
    let mut at = texts.range(range.start).start;
    let end = texts.range(range.end - 1).end;
    let block = &texts.block().as_bytes()[..end];
    let mut text = range.start;
    mapo_stopping::glance();
    while let Some(place) = finder.find(&block[at..]) {
        mapo_stopping::glance();
        let start = at + place;
        text = texts.next_at(text, start);
        let own = texts.range(text);
        at = match start + length <= own.end {
            // Across two texts: on with the next.
            false => own.end,
            true => {
                let place = start - own.start..start + length - own.start;
                let wanted = !bounded || is_bounded(texts.get(text), &place);
                match wanted.then(|| found(text, place)) {
                    None | Some(ControlFlow::Continue(Next::Here)) => start + length,
                    Some(ControlFlow::Continue(Next::NextText)) => own.end,
                    Some(ControlFlow::Break(result)) => return Some(result),
                }
            }
        };
    }
    None
}

/// Whether no word of the text goes on beyond the ends of a part of it.
pub fn is_bounded(text: &str, part: &Range<usize>) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (before, inside, after) = (&text[..part.start], &text[part.clone()], &text[part.end..]);
    let begins_inside = in_word(before.chars().next_back()) && in_word(inside.chars().next());
    let ends_inside = in_word(inside.chars().next_back()) && in_word(after.chars().next());
    !begins_inside && !ends_inside
}

/// The hashes that a block must know to have a string.
struct Hashes(Vec<usize>);

impl Hashes {
    /// More would hardly tell more blocks apart.
    const MOST: usize = 12;

    fn of(needle: &str, bounded: bool) -> Self {
        let bytes = needle.as_bytes();
        let short = bounded && (1..=2).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_alphanumeric);
        let mut hashes: Vec<usize> = match short {
            true => vec![short_hash(bytes)],
            false => bytes
                .windows(3)
                .map(|group| hash(group[0], group[1], group[2]))
                .collect(),
        };
        hashes.sort_unstable();
        hashes.dedup();
        // Spread over the string.
        let step = hashes.len().div_ceil(Self::MOST).max(1);
        Hashes(hashes.into_iter().step_by(step).collect())
    }

    /// Which of 64 blocks know them all, as bits.
    fn blocks(&self, filters: &[u64]) -> u64 {
        self.0
            .iter()
            .fold(u64::MAX, |blocks, hash| blocks & filters[*hash])
    }
}

fn hash(a: u8, b: u8, c: u8) -> usize {
    let group = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
    (group.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// A whole text.
fn whole_hash(text: &[u8]) -> usize {
    let [a, b, c, ..] = foldhash::fast::FixedState::default().hash_one(text).to_le_bytes();
    hash(a, b, c)
}

/// Words of one or two letters are too short for groups of three.
fn short_hash(word: &[u8]) -> usize {
    hash(0, word[0], word.get(1).copied().unwrap_or(0))
}

/// The hashes of the words of one or two plain letters or digits, and of some that only look so.
fn short_words(text: &[u8], mut known: impl FnMut(usize)) {
    let mut run = 0;
    for (place, byte) in text.iter().enumerate() {
        if byte.is_ascii_alphanumeric() {
            run += 1;
        } else {
            if (1..=2).contains(&run) {
                known(short_hash(&text[place - run..place]));
            }
            run = 0;
        }
    }
    if (1..=2).contains(&run) {
        known(short_hash(&text[text.len() - run..]));
    }
}

/// Whether a column has a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// No cell has it.
    No,
    /// A cell has it as a part, bounded by words.
    Part,
    /// It is a whole cell.
    Whole,
}

impl Held {
    pub(crate) fn whole_if(whole: bool) -> Held {
        match whole {
            true => Held::Whole,
            false => Held::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Interner;
    use proptest::prelude::*;

    fn texts(strings: &[String]) -> Texts {
        let mut interner = Interner::default();
        strings.iter().for_each(|text| {
            interner.intern(text);
        });
        interner.finish()
    }

    fn places(index: &TextIndex, texts: &Texts, needle: &str, bounded: bool) -> Vec<(u32, Range<usize>)> {
        let mut places = Vec::new();
        let none: Option<()> = index.search(texts, needle, bounded, |text, place| {
            places.push((text, place));
            ControlFlow::Continue(Next::Here)
        });
        assert!(none.is_none());
        places
    }

    /// The same without an index, text by text.
    fn plainly(texts: &Texts, needle: &str, bounded: bool) -> Vec<(u32, Range<usize>)> {
        let mut places = Vec::new();
        for (id, text) in (0..).zip(texts.iter()).filter(|_| !needle.is_empty()) {
            for (start, part) in text.match_indices(needle) {
                let place = start..start + part.len();
                if !bounded || is_bounded(text, &place) {
                    places.push((id, place));
                }
            }
        }
        places
    }

    #[test]
    fn a_large_column_is_searched_as_a_small_one_is() {
        let words = [
            "alpha", "b", "cé", "dd", "é", "12", "345", "new", "york", "w", "-", "#",
        ];
        let mut state = 7u64;
        let mut draw = |many: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % many
        };
        let mut strings: Vec<String> = (0..30_000)
            .map(|number| {
                let count = draw(5);
                let parts: Vec<&str> = (0..count).map(|_| words[draw(words.len())]).collect();
                format!("{} {number}", parts.join([" ", "", "-"][draw(3)]))
            })
            .collect();
        strings.push("x".repeat(3 * BLOCK));
        strings.push(String::new());
        strings.push("a needle in it".to_owned());
        let texts = texts(&strings);
        let index = TextIndex::new(&texts);
        assert!(index.firsts.len() > SIDE_BY_SIDE, "{} blocks", index.firsts.len());
        for needle in [
            "needle", "alpha", "new york", "w", "b", "é", "12", "#", "29999", "nowhere", "xx", "dd-",
            "york 1", "",
        ] {
            for bounded in [false, true] {
                assert_eq!(
                    places(&index, &texts, needle, bounded),
                    plainly(&texts, needle, bounded),
                    "{needle:?}"
                );
            }
            let none = TextIndex::default();
            let strings = [needle.to_owned()];
            assert_eq!(
                index.held(&texts, &strings),
                none.held(&texts, &strings),
                "{needle:?}"
            );
        }
        assert_eq!(index.held(&texts, &["needle".to_owned()]), Held::Part);
        assert_eq!(index.held(&texts, &["a needle in it".to_owned()]), Held::Whole);
        assert_eq!(index.held(&texts, &["needl".to_owned()]), Held::No);
        let beside = |other: &str| {
            let found = |text, _| ControlFlow::Break(text);
            index.search_beside(&texts, "needle", &[other.to_owned(), "nowhere".to_owned()], found)
        };
        assert_eq!(beside("in"), Some(30_002));
        assert_eq!(beside("elsewhere"), None);
    }

    proptest! {
        #[test]
        fn places_are_those_of_a_plain_search(
            strings in proptest::collection::vec("[ab é-]{0,6}", 1..20),
            needle in "[ab é-]{0,3}",
            bounded in any::<bool>(),
        ) {
            let texts = texts(&strings);
            let found = places(&TextIndex::new(&texts), &texts, &needle, bounded);
            prop_assert_eq!(found, plainly(&texts, &needle, bounded));
        }
    }
}
