//! The folder that corrections of uploaded tables are kept in, with the tables. Strangers fill it, so it has a limit.

use crate::error::Problem;
use crate::limits::bytes;
use axum::http::StatusCode;
use std::path::{Path, PathBuf};

/// A folder with one folder for each table.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    folder: PathBuf,
    most: usize,
}

impl Shelf {
    pub fn new(folder: PathBuf, most: usize) -> Self {
        Shelf { folder, most }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Says no where so many bytes more have no room.
    pub fn has_room(&self, more: usize) -> Result<(), Problem> {
        match self.filled().saturating_add(more as u64) <= self.most as u64 {
            true => Ok(()),
            false => Err(Problem::new(
                StatusCode::INSUFFICIENT_STORAGE,
                format!(
                    "no more corrections of uploaded tables are kept here: there are {} of them and their tables; the server's \
                     --max-kept says how much, and what is no longer wanted can be removed from its folder",
                    bytes(usize::try_from(self.filled()).unwrap_or(usize::MAX))
                ),
            )),
        }
    }

    /// Bytes of all files; of one that goes in the meantime there are none.
    fn filled(&self) -> u64 {
        let inside = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = inside(&self.folder).flat_map(|entry| inside(&entry.path()));
        files
            .filter_map(|file| file.metadata().ok())
            .filter(std::fs::Metadata::is_file)
            .map(|file| file.len())
            .sum()
    }
}
