//! How large a table may become while it is read, and who counts.

use super::TableError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest table that is read. A small file can stand for an enormous table: what goes beyond is refused
/// while it is still being read, not when it is there.
///
/// ```
/// use mapo_tables::{Largest, LoadOptions, Table, TableError};
/// let options = LoadOptions { largest: Largest { rows: 2, ..Largest::ANY }, ..LoadOptions::default() };
/// let read = Table::from_reader("t.csv", "A\n1\n2\n3\n".as_bytes(), &options);
/// assert!(matches!(read, Err(TableError::TooLarge { .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Largest {
    /// Rows.
    pub rows: usize,
    /// Cells.
    pub cells: usize,
    /// Bytes of text, where a text that repeats in a column counts once or as often as it stands there.
    pub text: usize,
}

impl Largest {
    /// Whatever memory holds.
    pub const ANY: Largest = Largest {
        rows: usize::MAX,
        cells: usize::MAX,
        text: usize::MAX,
    };

    /// The most bytes that a packed file may unpack to: there is more in it than its texts.
    pub(super) fn unpacked(self) -> u64 {
        self.text.saturating_mul(4) as u64
    }

    /// Refuses a table of this many rows, columns and bytes of text if it is too large.
    pub(crate) fn check(
        self,
        name: &str,
        rows: usize,
        columns: usize,
        text: usize,
    ) -> Result<(), TableError> {
        let problem = if rows > self.rows {
            format!("it has more than {} rows", self.rows)
        } else if rows.saturating_mul(columns) > self.cells {
            format!(
                "it has {columns} columns and so many rows that there are more than {} cells",
                self.cells
            )
        } else if text > self.text {
            format!("it has more than {} bytes of text", self.text)
        } else {
            return Ok(());
        };
        Err(too_large(name, &problem))
    }
}

pub(super) fn too_large(name: &str, problem: &str) -> TableError {
    TableError::TooLarge {
        file: name.to_owned(),
        problem: format!("{problem}, which is the limit here"),
    }
}

impl Default for Largest {
    fn default() -> Self {
        Largest::ANY
    }
}

/// The bytes of text of columns that are read side by side.
pub(super) struct TextCount {
    most: usize,
    so_far: AtomicUsize,
}

impl TextCount {
    pub fn new(largest: Largest) -> Self {
        TextCount {
            most: largest.text,
            so_far: AtomicUsize::new(0),
        }
    }

    /// Counts bytes before they are kept; whether there is room for them.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        let before = self.so_far.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) <= self.most
    }
}
