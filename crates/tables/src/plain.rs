//! Files that every reader of separated cells reads alike.

use crate::Table;
use std::collections::HashSet;

/// A file of separated cells in which nothing has to be decided: UTF-8, one header line with a name for each column, rows
/// of as many cells, quotes only around whole cells. Whoever reads it, be it DuckDB or a spreadsheet, gets the cells of
/// the [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainFile {
    /// What stands between the cells.
    pub separator: char,
}

/// What may stand between cells.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

impl PlainFile {
    /// Says whether a file is plain, and whether a table has exactly its cells.
    ///
    /// ```
    /// use mapo_tables::{LoadOptions, PlainFile, Table};
    /// let plain = |csv: &str| {
    ///     let table = Table::from_reader("t.csv", csv.as_bytes(), &LoadOptions::default()).unwrap();
    ///     PlainFile::of(csv.as_bytes(), &table).map(|file| file.separator)
    /// };
    /// assert_eq!(plain("Name,Town\nAnne,\"Tulsa, Oklahoma\"\n"), Some(','));
    /// assert_eq!(plain("Name,Town\nAnne \"the\" Great,Tulsa\n"), None);
    /// ```
    pub fn of(content: &[u8], table: &Table) -> Option<Self> {
        let text = std::str::from_utf8(content).ok()?;
        if text.starts_with('\u{feff}') || text.contains('\0') {
            return None;
        }
        let headers = table.headers();
        let names: HashSet<String> = headers.iter().map(|name| name.trim().to_lowercase()).collect();
        let is_named = |name: &String| !name.is_empty() && name.trim() == name;
        // A row of one empty cell is an empty line, which readers skip or not.
        if headers.len() < 2 || names.len() != headers.len() || !headers.iter().all(is_named) {
            return None;
        }
        let separator = SEPARATORS.into_iter().find(|separator| {
            let mut line = Line::new(text, *separator);
            line.next_row(|place, cell| headers.get(place).is_some_and(|name| name == cell))
                == Some(headers.len())
        })?;
        let mut line = Line::new(text, separator);
        line.next_row(|_, _| true)?;
        for row in 0..table.rows() {
            mapo_stopping::glance();
            let same = |place: usize, cell: &str| place < headers.len() && table.cell(row, place) == cell;
            if line.next_row(same) != Some(headers.len()) {
                return None;
            }
        }
        line.rest.is_empty().then_some(PlainFile { separator })
    }
}

/// The rest of a text, read strictly.
struct Line<'a> {
    rest: &'a str,
    separator: char,
    /// The inside of a quoted cell.
    cell: String,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, separator: char) -> Self {
        Line {
            rest: text,
            separator,
            cell: String::new(),
        }
    }

    /// Reads a row and gives the number of its cells; nothing where it is not plain, where there is none, or where
    /// `fits`, called with each cell and its place, says no.
    fn next_row(&mut self, mut fits: impl FnMut(usize, &str) -> bool) -> Option<usize> {
        if self.rest.is_empty() {
            return None;
        }
        for place in 0.. {
            let after = match self.rest.strip_prefix('"') {
                Some(inside) => {
                    let after = self.quoted(inside)?;
                    if !fits(place, &self.cell) {
                        return None;
                    }
                    after
                }
                None => {
                    let ends = |c: char| c == self.separator || matches!(c, '\n' | '\r' | '"');
                    let end = self.rest.find(ends).unwrap_or(self.rest.len());
                    let (cell, after) = self.rest.split_at(end);
                    if after.starts_with('"') || !fits(place, cell) {
                        return None;
                    }
                    after
                }
            };
            if let Some(rest) = after.strip_prefix(self.separator) {
                self.rest = rest;
                continue;
            }
            let ended = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'));
            self.rest = match ended {
                Some(rest) => rest,
                None if after.is_empty() => after,
                None => return None,
            };
            return Some(place + 1);
        }
        None
    }

    /// Reads a cell from behind its first quote; gives what follows the last.
    fn quoted(&mut self, inside: &'a str) -> Option<&'a str> {
        self.cell.clear();
        let mut rest = inside;
        loop {
            let (part, after) = rest.split_once('"')?;
            self.cell.push_str(part);
            match after.strip_prefix('"') {
                Some(more) => {
                    self.cell.push('"');
                    rest = more;
                }
                None => return Some(after),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;

    fn plain(csv: &str) -> Option<char> {
        let options = LoadOptions {
            drop_totals: true,
            ..LoadOptions::default()
        };
        let table = Table::from_reader("t.csv", csv.as_bytes(), &options).unwrap();
        PlainFile::of(csv.as_bytes(), &table).map(|file| file.separator)
    }

    #[test]
    fn plain_files_are_told_by_every_cell() {
        assert_eq!(plain("A,B\n1,2\n"), Some(','));
        assert_eq!(plain("A;B\r\n1;2\r\n"), Some(';'));
        assert_eq!(plain("A,B\n\"x \"\"y\"\"\",\n\"two\nlines\",3"), Some(','));
        for strange in [
            "A,B\n1,2,3\n",
            "A,B\n1\n",
            "A,A\n1,2\n",
            ",B\n1,2\n",
            "A,B\n1,2\n\n3,4\n",
            "\u{feff}A,B\n1,2\n",
            "A,B\n1,2\rx,3\n",
            "A\n1\n2\n",
            "A,B\n\"x\"y,2\n",
            "Town,Sold,Left\nOslo,3,4\nRome,5,6\nTotal,8,10\n",
        ] {
            let read = std::panic::catch_unwind(|| plain(strange));
            assert_ne!(read.ok().flatten(), Some(','), "{strange:?}");
        }
    }
}
