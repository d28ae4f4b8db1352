//! Sets of rows as bit sets.

use rayon::prelude::*;
use std::ops::Range;

/// A set of rows of one table, one bit a row.
///
/// ```
/// use mapo_tables::RowSet;
/// let rows: RowSet = RowSet::from_rows(100, [3, 70]);
/// assert_eq!(rows.iter().collect::<Vec<_>>(), [3, 70]);
/// assert_eq!(rows.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowSet {
    words: Box<[u64]>,
}

/// How many words the row sets of a table of `rows` rows have.
pub fn words_for(rows: usize) -> usize {
    rows.div_ceil(64)
}

impl RowSet {
    /// No rows of a table of `rows` rows.
    pub fn empty(rows: usize) -> Self {
        RowSet {
            words: vec![0; words_for(rows)].into(),
        }
    }

    /// All rows of a table of `rows` rows.
    pub fn all(rows: usize) -> Self {
        let mut set = RowSet {
            words: vec![u64::MAX; words_for(rows)].into(),
        };
        if let (Some(last), 1..) = (set.words.last_mut(), rows % 64) {
            *last = u64::MAX >> (64 - rows % 64);
        }
        set
    }

    /// The given rows of a table of `rows` rows.
    pub fn from_rows(rows: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = RowSet::empty(rows);
        members.into_iter().for_each(|row| set.insert(row));
        set
    }

    /// The rows of a table of `rows` rows for which `test` holds.
    pub fn where_true(rows: usize, test: impl Fn(usize) -> bool + Sync) -> Self {
        // Fewer are looked at sooner than other threads are woken.
        const MANY: usize = 1 << 17;
        let word = |place: usize| {
            let first = place * 64;
            (first..rows.min(first + 64)).fold(0, |word, row| word | u64::from(test(row)) << (row - first))
        };
        let places = 0..words_for(rows);
        let words: Vec<u64> = match rows < MANY {
            true => places.map(word).collect(),
            false => places
                .into_par_iter()
                .with_min_len(MANY / 256)
                .map(word)
                .collect(),
        };
        RowSet { words: words.into() }
    }

    /// A set from its words of 64 rows.
    pub fn from_words(words: &[u64]) -> Self {
        RowSet { words: words.into() }
    }

    /// Adds a row.
    pub fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    /// Whether the row is in the set.
    pub fn contains(&self, row: usize) -> bool {
        self.words
            .get(row / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// How many rows are in the set.
    pub fn len(&self) -> usize {
        count(&self.words)
    }

    /// Whether the set has no row.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The rows, in table order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        iter(&self.words)
    }

    /// Its words of 64 rows.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

// The interpreter keeps its row sets in one arena, so the operations are on slices of words.

/// How many rows a set has.
pub fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The stretch of words from the first with a row to the last; an empty one if there is no row.
pub fn span(words: &[u64]) -> Range<usize> {
    let is_some = |word: &u64| *word != 0;
    match (words.iter().position(is_some), words.iter().rposition(is_some)) {
        (Some(first), Some(last)) => first..last + 1,
        _ => 0..0,
    }
}

/// Whether two sets have a row in common.
pub fn intersect(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The first row.
pub fn first(words: &[u64]) -> Option<usize> {
    let (index, word) = words.iter().enumerate().find(|(_, word)| **word != 0)?;
    Some(index * 64 + word.trailing_zeros() as usize)
}

/// The last row.
pub fn last(words: &[u64]) -> Option<usize> {
    let (index, word) = words.iter().enumerate().rfind(|(_, word)| **word != 0)?;
    Some(index * 64 + 63 - word.leading_zeros() as usize)
}

/// The rows, ascending.
pub fn iter(words: &[u64]) -> Ones<'_> {
    iter_from(words, 0)
}

/// The rows of a stretch of words that begins with the word of this number.
pub fn iter_from(words: &[u64], first: usize) -> Ones<'_> {
    Ones {
        words: words.iter(),
        word: 0,
        next_base: first * 64,
    }
}

/// Goes through the rows of a set, in order.
#[derive(Clone)]
pub struct Ones<'a> {
    words: std::slice::Iter<'a, u64>,
    /// What is left of the current word,
    word: u64,
    /// and the first row of the word after it.
    next_base: usize,
}

impl Iterator for Ones<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.word = *self.words.next()?;
            self.next_base += 64;
        }
        let row = self.next_base - 64 + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(row)
    }
}

/// Moves every row one down the table (to the next row) into `out`; what falls off the table is dropped.
pub fn shift_down(words: &[u64], all: &[u64], out: &mut [u64]) {
    let mut carry = 0;
    for ((out, &word), &all) in out.iter_mut().zip(words).zip(all) {
        *out = (word << 1 | carry) & all;
        carry = word >> 63;
    }
}

/// Moves every row one up the table (to the previous row) into `out`; what falls off the table is dropped.
pub fn shift_up(words: &[u64], out: &mut [u64]) {
    let mut carry = 0;
    for (out, &word) in out.iter_mut().zip(words).rev() {
        *out = word >> 1 | carry;
        carry = word << 63;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn members() -> impl Strategy<Value = (usize, BTreeSet<usize>)> {
        (1usize..200).prop_flat_map(|rows| (Just(rows), proptest::collection::btree_set(0..rows, 0..=rows)))
    }

    proptest! {
        #[test]
        fn behaves_like_a_set((rows, members) in members()) {
            let set = RowSet::from_rows(rows, members.iter().copied());
            prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), members.clone());
            prop_assert_eq!(set.len(), members.len());
            let span = span(set.words());
            prop_assert_eq!(iter_from(&set.words()[span.clone()], span.start).collect::<BTreeSet<_>>(), members.clone());
            prop_assert_eq!(span.is_empty(), members.is_empty());
            prop_assert_eq!(first(set.words()), members.first().copied());
            prop_assert_eq!(last(set.words()), members.last().copied());
            prop_assert_eq!(RowSet::all(rows).len(), rows);
            prop_assert_eq!(RowSet::where_true(rows, |row| members.contains(&row)), set);
        }

        #[test]
        fn shifting_moves_each_row((rows, members) in members()) {
            let set = RowSet::from_rows(rows, members.iter().copied());
            let (mut down, mut up) = (RowSet::empty(rows), RowSet::empty(rows));
            shift_down(set.words(), RowSet::all(rows).words(), &mut down.words);
            shift_up(set.words(), &mut up.words);
            let expected = |offset: isize| -> Vec<usize> {
                let moved = members.iter().filter_map(|&row| row.checked_add_signed(offset));
                moved.filter(|&row| row < rows).collect()
            };
            prop_assert_eq!(down.iter().collect::<Vec<_>>(), expected(1));
            prop_assert_eq!(up.iter().collect::<Vec<_>>(), expected(-1));
        }
    }
}
