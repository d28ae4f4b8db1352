//! Many strings in one block of memory.

use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A list of strings stored back to back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    bytes: String,
    /// Where each string ends.
    ends: Vec<u32>,
}

impl Texts {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: u32) -> &str {
        let start = if index == 0 {
            0
        } else {
            self.ends[index as usize - 1] as usize
        };
        &self.bytes[start..self.ends[index as usize] as usize]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|index| self.get(index))
    }

    /// How many bytes of text are stored.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The same strings, each in another form, under their numbers.
    pub fn in_form(&self, mut form: impl FnMut(&str, &mut String)) -> Texts {
        let mut formed = Texts::default();
        let mut buffer = String::new();
        for text in self.iter() {
            buffer.clear();
            form(text, &mut buffer);
            formed.push(&buffer);
        }
        formed
    }

    fn push(&mut self, text: &str) -> u32 {
        self.bytes.push_str(text);
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.ends.len() as u32 - 1
    }
}

/// Gives every distinct string a number, in order of first appearance.
#[derive(Default)]
pub(crate) struct Interner {
    texts: Texts,
    index: HashTable<Interned>,
    hasher: foldhash::fast::FixedState,
    has_repeats: bool,
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
    /// The string's number; the same string always gives the same one.
    pub fn intern(&mut self, text: &str) -> u32 {
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

    /// A further number for a string that has one already.
    pub fn push_again(&mut self, id: u32) -> u32 {
        self.has_repeats = true;
        let text = self.texts.get(id).to_owned();
        self.texts.push(&text)
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
        self.texts.bytes.shrink_to_fit();
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
    }
}
