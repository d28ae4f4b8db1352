//! The set of prefixes below which nothing is left to try.

use fastbloom::BloomFilter;
use serde::{Deserialize, Serialize};

use crate::program::PrefixHash;
use crate::program::prefix::HashedSet;

/// The prefixes of one example below which everything has been tried (the paper's Bᵉ).
///
/// What was inserted is always found again. Something else is taken for a member with at most the wanted
/// error rate; then the programs below it are never tried.
///
/// A small set keeps the hashes themselves: look-ups are what exploration does most, and they are at least
/// twice as fast as in a Bloom filter for two to four times the memory (see `benches/explore.rs`). Past
/// [`EXACT_LIMIT`](Self::EXACT_LIMIT) members it becomes a Bloom filter sized from the wanted error rate. A
/// full filter is followed by a larger, stricter one; the error rates of the whole chain sum to less than the
/// wanted one.
///
/// ```
/// use mapo_core::{Action, ExploredSet, PrefixHash};
///
/// let mut explored = ExploredSet::new(1e-8);
/// let prefix = PrefixHash::of(&[Action(2), Action(7)]);
/// explored.insert(prefix);
/// assert!(explored.contains(prefix));
/// assert!(!explored.contains(PrefixHash::of(&[Action(2)])));
///
/// // Once the empty prefix is explored there is nothing left at all.
/// explored.insert(PrefixHash::ROOT);
/// assert!(explored.is_complete());
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub struct ExploredSet {
    error_rate: f64,
    exact_limit: usize,
    complete: bool,
    marks: Marks,
}

#[derive(Clone, Debug)]
enum Marks {
    Few(HashedSet),
    /// Never empty; only the last filter still takes members.
    Many(Vec<Filter>),
}

#[derive(Clone, Debug)]
struct Filter {
    bloom: BloomFilter,
    capacity: usize,
    len: usize,
}

/// Each filter of the chain holds this many times more than the one before, so that chains stay short.
const GROWTH: usize = 4;

impl ExploredSet {
    /// Up to this many prefixes are held exactly: the most that fit a hash table of 2¹⁷ places. That is about
    /// 1.2 MB, so that it stays in a core's own cache.
    pub const EXACT_LIMIT: usize = (1 << 17) / 8 * 7;

    /// An empty set that takes a prefix for a member wrongly with at most probability `error_rate`.
    ///
    /// # Panics
    /// If `error_rate` is not between 0 and 1, both excluded.
    pub fn new(error_rate: f64) -> Self {
        Self::with_exact_limit(error_rate, Self::EXACT_LIMIT)
    }

    /// An empty set that becomes a Bloom filter past `exact_limit` members; 0 makes it one at once.
    ///
    /// # Panics
    /// If `error_rate` is not between 0 and 1, both excluded.
    pub fn with_exact_limit(error_rate: f64, exact_limit: usize) -> Self {
        assert!(
            is_rate(error_rate),
            "an error rate lies between 0 and 1, not {error_rate}"
        );
        Self {
            error_rate,
            exact_limit,
            complete: false,
            marks: Marks::Few(HashedSet::default()),
        }
    }

    /// Adds a prefix: everything that starts with it has been tried.
    #[inline]
    pub fn insert(&mut self, prefix: PrefixHash) {
        self.complete |= prefix == PrefixHash::ROOT;
        match &mut self.marks {
            Marks::Few(hashes) if hashes.len() < self.exact_limit => {
                hashes.insert(prefix.0);
            }
            _ => self.insert_filtered(prefix.0),
        }
    }

    #[cold]
    fn insert_filtered(&mut self, hash: u64) {
        if let Marks::Few(hashes) = &self.marks {
            let capacity = self.exact_limit.max(64) * GROWTH;
            let mut filter = Filter::new(capacity, filter_rate(self.error_rate, 0));
            hashes.iter().for_each(|&hash| filter.insert(hash));
            self.marks = Marks::Many(vec![filter]);
        }
        let Marks::Many(filters) = &mut self.marks else {
            return;
        };
        let error_rate = filter_rate(self.error_rate, filters.len());
        match filters.last_mut() {
            Some(last) if last.len < last.capacity => last.insert(hash),
            last => {
                let capacity = last.map_or(64, |last| last.capacity) * GROWTH;
                let mut filter = Filter::new(capacity, error_rate);
                filter.insert(hash);
                filters.push(filter);
            }
        }
    }

    /// Whether everything that starts with the prefix has been tried.
    #[inline]
    pub fn contains(&self, prefix: PrefixHash) -> bool {
        match &self.marks {
            Marks::Few(hashes) => hashes.contains(&prefix.0),
            // Most members are in the last filter, the largest.
            Marks::Many(filters) => filters
                .iter()
                .rev()
                .any(|filter| filter.bloom.contains_hash(prefix.0)),
        }
    }

    /// Whether the empty prefix is in the set: nothing at all is left to try.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The number of prefixes inserted; exactly that of different ones only while the set is exact.
    pub fn len(&self) -> usize {
        match &self.marks {
            Marks::Few(hashes) => hashes.len(),
            Marks::Many(filters) => filters.iter().map(|filter| filter.len).sum(),
        }
    }

    /// Whether nothing has been inserted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory that the members take, in bytes.
    pub fn bytes(&self) -> usize {
        match &self.marks {
            Marks::Few(hashes) if hashes.is_empty() => 0,
            // A hash table has a power of two of places, fills at most seven eighths of them, and has a
            // control byte for each. Counted from the members, not from the capacity, which may be left from
            // an earlier example.
            Marks::Few(hashes) => (hashes.len() * 8).div_ceil(7).next_power_of_two() * (size_of::<u64>() + 1),
            Marks::Many(filters) => filters.iter().map(|filter| filter.bloom.num_bits() / 8).sum(),
        }
    }

    /// Forgets everything but keeps the memory of a small set for the next example.
    pub fn clear(&mut self) {
        self.complete = false;
        match &mut self.marks {
            Marks::Few(hashes) => hashes.clear(),
            Marks::Many(_) => self.marks = Marks::Few(HashedSet::default()),
        }
    }
}

impl Filter {
    fn new(capacity: usize, error_rate: f64) -> Self {
        let bloom = BloomFilter::with_false_pos(error_rate).expected_items(capacity);
        Self {
            bloom,
            capacity,
            len: 0,
        }
    }

    fn insert(&mut self, hash: u64) {
        // An element that was there already leaves the filter as it is and need not count towards its
        // capacity.
        if !self.bloom.insert_hash(hash) {
            self.len += 1;
        }
    }
}

/// The error rate of the filter that comes after `earlier` others in the chain. Halving it each time keeps
/// the sum over any number of filters to half of the `wanted` one; the other half is for the luck of a single
/// set, since a filter's rate holds only on average.
fn filter_rate(wanted: f64, earlier: usize) -> f64 {
    wanted * 0.25 * 0.5_f64.powi(earlier as i32)
}

fn is_rate(rate: f64) -> bool {
    rate > 0.0 && rate < 1.0
}

/// What a set looks like in a file.
#[derive(Serialize, Deserialize)]
struct Stored {
    error_rate: f64,
    exact_limit: usize,
    complete: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exact: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    filters: Vec<StoredFilter>,
}

#[derive(Serialize, Deserialize)]
struct StoredFilter {
    hashes: u32,
    capacity: usize,
    len: usize,
    bits: Vec<u64>,
}

/// A stored explored set that cannot be one.
#[derive(Debug, thiserror::Error)]
#[error("not a stored set of explored prefixes: {0}")]
struct Malformed(&'static str);

impl From<ExploredSet> for Stored {
    fn from(set: ExploredSet) -> Self {
        let mut exact = Vec::new();
        let mut filters = Vec::new();
        match set.marks {
            Marks::Few(hashes) => {
                exact.extend(hashes);
                // Equal sets give equal files.
                exact.sort_unstable();
            }
            Marks::Many(chain) => filters.extend(chain.into_iter().map(|filter| StoredFilter {
                hashes: filter.bloom.num_hashes(),
                capacity: filter.capacity,
                len: filter.len,
                bits: filter.bloom.iter().collect(),
            })),
        }
        Self {
            error_rate: set.error_rate,
            exact_limit: set.exact_limit,
            complete: set.complete,
            exact,
            filters,
        }
    }
}

impl TryFrom<Stored> for ExploredSet {
    type Error = Malformed;

    fn try_from(stored: Stored) -> Result<Self, Malformed> {
        if !is_rate(stored.error_rate) {
            return Err(Malformed("its error rate is not between 0 and 1"));
        }
        let marks = if stored.filters.is_empty() {
            Marks::Few(stored.exact.into_iter().collect())
        } else if !stored.exact.is_empty() {
            return Err(Malformed("it has both hashes and filters"));
        } else {
            let filters = stored.filters.into_iter().map(Filter::try_from);
            Marks::Many(filters.collect::<Result<_, _>>()?)
        };
        Ok(Self {
            error_rate: stored.error_rate,
            exact_limit: stored.exact_limit,
            complete: stored.complete,
            marks,
        })
    }
}

impl TryFrom<StoredFilter> for Filter {
    type Error = Malformed;

    fn try_from(stored: StoredFilter) -> Result<Self, Malformed> {
        if stored.bits.is_empty() {
            return Err(Malformed("a filter has no bits"));
        }
        if stored.hashes == 0 {
            return Err(Malformed("a filter has no hash functions"));
        }
        let bloom = BloomFilter::from_vec(stored.bits).hashes(stored.hashes);
        Ok(Self {
            bloom,
            capacity: stored.capacity,
            len: stored.len,
        })
    }
}
