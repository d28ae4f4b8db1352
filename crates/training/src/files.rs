//! Writing files.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::{Error, Result};

/// Writes a file whole or not at all: under another name first, which then takes its place.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(file: &Path, content: &[u8]) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let temporary = file.with_file_name(format!(".{name}.tmp"));
    let write = || {
        let mut out = File::create(&temporary)?;
        out.write_all(content)?;
        out.sync_all()?;
        std::fs::rename(&temporary, file)
    };
    write().map_err(|source| Error::File {
        file: file.to_owned(),
        source,
    })
}
