//! One module for each command.

pub mod ask;
pub mod calibrate;
pub mod compare;
pub mod data;
pub mod demo;
pub mod eval;
pub mod explore;
pub mod language;
pub mod model;
pub mod pack;
pub mod run;
pub mod score;
pub mod sql;
pub mod study;
pub mod train;
pub mod words;

use std::error::Error;
use std::path::Path;

/// Writes a file under another name and renames it, so that a reader never sees half of it and nothing is lost when
/// writing fails.
pub fn write_atomically(file: &Path, content: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let temporary = file.with_file_name(name);
    let written = std::fs::write(&temporary, content).and_then(|()| std::fs::rename(&temporary, file));
    written.map_err(|error| format!("{}: cannot be written: {error}", file.display()).into())
}
