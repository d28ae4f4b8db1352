//! Reading files line by line, with errors that say where.

use crate::selection::DatasetError;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The lines of a file, numbered from 1.
pub(super) struct Lines {
    file: PathBuf,
    layout: &'static str,
    lines: std::io::Lines<BufReader<File>>,
    line: usize,
}

impl Lines {
    /// `layout` says in errors what the dataset should look like.
    pub fn open(file: &Path, layout: &'static str) -> Result<Self, DatasetError> {
        let opened = File::open(file).map_err(|source| DatasetError::Io {
            file: file.to_owned(),
            source,
            layout,
        })?;
        Ok(Lines {
            file: file.to_owned(),
            layout,
            lines: BufReader::new(opened).lines(),
            line: 0,
        })
    }

    /// The number of the line that was read last.
    pub fn number(&self) -> usize {
        self.line
    }

    /// An error about the line that was read last.
    pub fn error(&self, problem: impl Into<String>) -> DatasetError {
        DatasetError::Line {
            file: self.file.clone(),
            line: self.line,
            problem: problem.into(),
        }
    }
}

impl Iterator for Lines {
    type Item = Result<String, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line += 1;
        Some(self.lines.next()?.map_err(|source| match source.kind() {
            std::io::ErrorKind::InvalidData => {
                self.error("the line is not UTF-8 text; save the file as UTF-8")
            }
            _ => DatasetError::Io {
                file: self.file.clone(),
                source,
                layout: self.layout,
            },
        }))
    }
}

/// Fields separated by tabs, found by the names in the file's first line.
pub(super) struct Fields {
    lines: Lines,
    names: Vec<String>,
}

impl Fields {
    pub fn open(file: &Path, layout: &'static str) -> Result<Self, DatasetError> {
        let mut lines = Lines::open(file, layout)?;
        let first = lines.next().transpose()?.unwrap_or_default();
        Ok(Fields {
            names: first.split('\t').map(str::to_owned).collect(),
            lines,
        })
    }

    /// Which field is called `name`.
    pub fn field(&self, name: &str) -> Result<usize, DatasetError> {
        let found = self.names.iter().position(|known| known == name);
        found.ok_or_else(|| {
            self.lines
                .error(format!("the first line must name a field '{name}'"))
        })
    }

    pub fn error(&self, problem: impl Into<String>) -> DatasetError {
        self.lines.error(problem)
    }
}

impl Iterator for Fields {
    type Item = Result<Vec<String>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.lines.next()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        Some(match fields.len() == self.names.len() {
            true => Ok(fields),
            false => {
                let (found, wanted) = (fields.len(), self.names.len());
                Err(self
                    .lines
                    .error(format!("the line has {found} fields and the first line {wanted}")))
            }
        })
    }
}
