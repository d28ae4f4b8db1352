//! Paths that lead to tables, and what is said of those that do not.

use super::source::{Source, content, unreadable};
use super::{Format, TableError};
use crate::decisions::listed;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Opens the file at a path. An address or a folder gets a sentence that says what to do.
pub(super) fn opened(path: &Path) -> Result<Source<'static>, TableError> {
    let name = path.display().to_string();
    if is_address(&name) && !path.exists() {
        let problem = format!(
            "this is an address, and nothing is fetched from a network; save it first: curl -LO '{name}'"
        );
        return Err(content(&name, None, problem));
    }
    if path.is_dir() {
        let tables = tables_in(path).map_err(|error| unreadable(&name, error))?;
        let names: Vec<String> = tables
            .iter()
            .filter_map(|table| Some(table.file_name()?.to_string_lossy().into_owned()))
            .collect();
        let problem = match names.is_empty() {
            true => "this is a folder, and there is no table in it; name a file".to_owned(),
            false => format!(
                "this is a folder; name one of the tables in it: {}",
                listed(&names)
            ),
        };
        return Err(content(&name, None, problem));
    }
    let file = File::open(path).map_err(|error| unreadable(&name, error))?;
    Source::of_file(path.to_owned(), file)
}

/// Whether a text is an address in a network: letters, `://` and more.
fn is_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// What people said about answers is kept under this name beside their tables. It is no table itself.
pub const CORRECTIONS: &str = "mapo-corrections.jsonl";

/// The files of a folder that may be tables by their names, sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn tables_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let may_be =
            name.is_some_and(|name| !name.starts_with('.') && name != CORRECTIONS && Format::may_be(&name));
        if may_be && path.is_file() {
            tables.push(path);
        }
    }
    tables.sort();
    Ok(tables)
}
