//! Many strings in one block of memory.

use bytestring::ByteString;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::{Deref, Range};

/// A list of strings stored back to back.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    bytes: Block,
    /// Where each string ends.
    ends: Vec<u32>,
}

/// The block in which strings lie.
#[derive(Clone, Debug)]
enum Block {
    /// Our own.
    Own(String),
    /// Somebody else's, who keeps it as long as we need it: nothing is copied.
    #[cfg_attr(
        not(feature = "arrow"),
        expect(dead_code, reason = "only data frames lend theirs")
    )]
    Lent(ByteString),
}

impl Default for Block {
    fn default() -> Self {
        Block::Own(String::new())
    }
}

impl Deref for Block {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Block::Own(text) => text,
            Block::Lent(text) => text,
        }
    }
}

impl Block {
    /// To be written to; what was lent is copied.
    fn own(&mut self) -> &mut String {
        if let Block::Lent(text) = self {
            *self = Block::Own(String::from(&**text));
        }
        match self {
            Block::Own(text) => text,
            Block::Lent(_) => unreachable!("it has just been copied"),
        }
    }
}

impl Texts {
    /// Strings of a block that end at these places; none if they cannot.
    pub(crate) fn of(bytes: String, ends: Vec<u32>) -> Option<Texts> {
        Self::checked(Block::Own(bytes), ends)
    }

    /// The same for a block that somebody else keeps.
    #[cfg(feature = "arrow")]
    pub(crate) fn lent(bytes: ByteString, ends: Vec<u32>) -> Option<Texts> {
        Self::checked(Block::Lent(bytes), ends)
    }

    fn checked(bytes: Block, ends: Vec<u32>) -> Option<Texts> {
        let mut start = 0;
        let good = ends.iter().all(|end| {
            let fits = start <= *end && bytes.is_char_boundary(*end as usize);
            start = *end;
            fits
        });
        (good && start as usize == bytes.len()).then_some(Texts { bytes, ends })
    }

    /// Where each string ends.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    pub fn get(&self, index: u32) -> &str {
        let start = if index == 0 {
            0
        } else {
            self.ends[index as usize - 1] as usize
        };
        &self.bytes[start..self.ends[index as usize] as usize]
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|index| self.get(index))
    }

    /// How many bytes of text are stored.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// All strings, back to back.
    pub fn block(&self) -> &str {
        &self.bytes
    }

    /// Where a string lies in the [block](Self::block).
    pub fn range(&self, index: u32) -> Range<usize> {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        start as usize..self.ends[index as usize] as usize
    }

    /// The first string that ends behind a place of the block.
    pub fn at(&self, place: usize) -> u32 {
        self.ends.partition_point(|end| *end as usize <= place) as u32
    }

    /// The same for places that come one after the other: `known` is a string that does not lie behind.
    pub fn next_at(&self, known: u32, place: usize) -> u32 {
        let ends = &self.ends[known as usize..];
        // The next is mostly near.
        let mut reach = 1;
        while reach < ends.len() && ends[reach - 1] as usize <= place {
            reach *= 2;
        }
        let near = &ends[..reach.min(ends.len())];
        known + near.partition_point(|end| *end as usize <= place) as u32
    }

    /// The same strings under their numbers, each in another form; none if all have that form already. `form`
    /// appends to what it is given.
    pub fn in_form(&self, mut form: impl FnMut(&str, &mut String)) -> Option<Texts> {
        let mut formed = String::new();
        let first = (0..self.len() as u32).find(|index| {
            mapo_stopping::glance();
            let text = self.get(*index);
            formed.clear();
            form(text, &mut formed);
            formed != text
        })?;
        let start = self.range(first).start;
        let mut other = Texts {
            bytes: Block::Own(String::with_capacity(self.bytes.len())),
            ends: Vec::with_capacity(self.ends.len()),
        };
        other.bytes.own().push_str(&self.bytes[..start]);
        other.ends.extend_from_slice(&self.ends[..first as usize]);
        for index in first..self.len() as u32 {
            mapo_stopping::glance();
            form(self.get(index), other.bytes.own());
            other.end();
        }
        other.bytes.own().shrink_to_fit();
        Some(other)
    }

    /// For each string the number of the first that is equal.
    pub fn first_equals(&self) -> Vec<u32> {
        let hasher = foldhash::fast::FixedState::default();
        let mut index: HashTable<Interned> = HashTable::with_capacity(self.len().min(1 << 16));
        let mut firsts = Vec::with_capacity(self.len());
        for (id, text) in (0..).zip(self.iter()) {
            mapo_stopping::glance();
            let hash = hasher.hash_one(text) as u32;
            let same = |known: &Interned| known.hash == hash && self.get(known.id) == text;
            let entry = index.entry(Interned::spread(hash), same, |known| Interned::spread(known.hash));
            firsts.push(entry.or_insert(Interned { hash, id }).get().id);
        }
        firsts
    }

    fn end(&mut self) -> u32 {
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.ends.len() as u32 - 1
    }

    fn push(&mut self, text: &str) -> u32 {
        self.bytes.own().push_str(text);
        self.end()
    }
}

/// Gives every distinct string a number, in order of first appearance.
///
/// Of very many strings that hardly repeat it stops looking for equal ones: each then gets a number of its
/// own, which costs no more text than the file has and spares a search through millions of strings.
#[derive(Default)]
pub(crate) struct Interner {
    texts: Texts,
    index: HashTable<Interned>,
    hasher: foldhash::fast::FixedState,
    has_repeats: bool,
    /// Whether equal strings are no longer looked for.
    appends: bool,
    /// How many strings were given.
    seen: usize,
    /// The last string's number: equal ones often follow each other.
    last: Option<u32>,
    /// The number of the empty string, the commonest of all.
    empty: Option<u32>,
}

/// A string's number with its hash: strings lie far apart, so the fewer are looked at the better.
struct Interned {
    hash: u32,
    id: u32,
}

impl Interned {
    /// The table uses the upper and the lower bits of a hash, so half of one must fill both.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

impl Interner {
    /// After this many strings it is time to ask whether they repeat.
    pub const MANY: usize = 1 << 15;

    /// Strings that were given numbers elsewhere.
    pub fn of(texts: Texts, has_repeats: bool) -> Self {
        Interner {
            texts,
            has_repeats,
            ..Interner::default()
        }
    }

    /// The strings, and whether some have several numbers.
    pub fn parts(&self) -> (&Texts, bool) {
        (&self.texts, self.has_repeats)
    }

    /// The string's number; the same string always gives the same one, unless there are
    /// [very many](Self::stop_searching).
    pub fn intern(&mut self, text: &str) -> u32 {
        self.seen += 1;
        if let (Some(empty), true) = (self.empty, text.is_empty()) {
            return empty;
        }
        if let Some(last) = self.last
            && self.texts.get(last) == text
        {
            return last;
        }
        let id = match self.appends {
            true => self.texts.push(text),
            false => self.find_or_push(text),
        };
        if text.is_empty() {
            self.empty = Some(id);
        }
        self.last = Some(id);
        id
    }

    fn find_or_push(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text) as u32;
        let texts = &self.texts;
        let same = |known: &Interned| known.hash == hash && texts.get(known.id) == text;
        match self
            .index
            .entry(Interned::spread(hash), same, |known| Interned::spread(known.hash))
        {
            hashbrown::hash_table::Entry::Occupied(entry) => entry.get().id,
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = self.texts.push(text);
                entry.insert(Interned { hash, id });
                id
            }
        }
    }

    /// Whether there are many and at least half were new.
    pub fn are_mostly_new(&self) -> bool {
        self.seen >= Interner::MANY && self.texts.len() * 2 >= self.seen
    }

    /// Stops looking for equal strings if there are many and at least half were new.
    pub fn stop_searching_if_most_are_new(&mut self) {
        if !self.appends && self.are_mostly_new() {
            self.appends = true;
            self.has_repeats = true;
            self.index = HashTable::new();
        }
    }

    /// A further number for a string that has one already.
    pub fn push_again(&mut self, id: u32) -> u32 {
        self.has_repeats = true;
        let text = self.texts.get(id).to_owned();
        self.texts.push(&text)
    }

    /// The string of a number.
    pub fn get(&self, id: u32) -> &str {
        self.texts.get(id)
    }

    /// Whether every string has one number only.
    pub fn is_distinct(&self) -> bool {
        !self.has_repeats
    }

    /// How many bytes of text are stored.
    pub fn size(&self) -> usize {
        self.texts.size()
    }

    pub fn finish(mut self) -> Texts {
        if let Block::Own(bytes) = &mut self.texts.bytes {
            bytes.shrink_to_fit();
        }
        self.texts.ends.shrink_to_fit();
        self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_string_comes_back(strings in proptest::collection::vec("\\PC{0,4}", 0..40)) {
            let mut interner = Interner::default();
            let ids: Vec<u32> = strings.iter().map(|text| interner.intern(text)).collect();
            let texts = interner.finish();
            for (id, text) in ids.iter().zip(&strings) {
                prop_assert_eq!(texts.get(*id), text);
            }
            let distinct: std::collections::HashSet<_> = strings.iter().collect();
            prop_assert_eq!(texts.len(), distinct.len());
        }

        #[test]
        fn other_forms_and_places_are_those_of_each_string(strings in proptest::collection::vec("[aBé]{0,3}", 0..20)) {
            let mut texts = Texts::default();
            strings.iter().for_each(|text| { texts.push(text); });
            let lower = texts.in_form(|text, out| out.push_str(&text.to_lowercase()));
            prop_assert_eq!(lower.is_none(), strings.iter().all(|text| *text == text.to_lowercase()));
            let lower = lower.unwrap_or_else(|| texts.clone());
            prop_assert_eq!(lower.len(), strings.len());
            let firsts = texts.first_equals();
            for (id, text) in (0..).zip(&strings) {
                prop_assert_eq!(lower.get(id), text.to_lowercase());
                prop_assert_eq!(firsts[id as usize] as usize, strings.iter().position(|other| other == text).unwrap());
                let range = texts.range(id);
                prop_assert_eq!(&texts.block()[range.clone()], text);
                prop_assert!(range.clone().all(|place| texts.at(place) == id && texts.next_at(id / 2, place) == id));
            }
        }
    }

    #[test]
    fn many_new_strings_are_no_longer_searched_but_none_is_lost() {
        let mut interner = Interner::default();
        let text = |number: usize| format!("{number}");
        let mut ids: Vec<u32> = (0..Interner::MANY)
            .map(|number| interner.intern(&text(number)))
            .collect();
        interner.stop_searching_if_most_are_new();
        assert!(!interner.is_distinct());
        let again = ["", "0", "0", "", "1"];
        ids.extend(again.map(|text| interner.intern(text)));
        let texts = interner.finish();
        for (number, id) in ids.iter().enumerate() {
            let expected = number
                .checked_sub(Interner::MANY)
                .map_or(text(number), |place| again[place].to_owned());
            assert_eq!(texts.get(*id), expected);
        }
        // Equal neighbours and the empty string still share.
        assert_eq!(texts.len(), Interner::MANY + 3);
    }
}
