//! WikiSQL's JSON-lines files: questions with their gold queries, and tables.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Table {
    /// Its id, such as `1-1000181-1`.
    pub id: String,
    /// The columns' names.
    pub header: Vec<String>,
    /// The columns' types.
    pub types: Vec<ColumnType>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Scalar>>,
}

/// The type that the dataset gives a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Text.
    Text,
    /// Numbers, though single cells may hold other text.
    Real,
}

/// A cell, or the value of a condition.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// Text, as written.
    Text(String),
    /// An integer.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// Nothing.
    Null,
}

/// A question with its gold query.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Question {
    /// The id of the table it is about.
    pub table_id: String,
    /// The question.
    pub question: String,
    /// The gold query. It serves to compute the answer and must never be trained on.
    pub sql: Query,
}

/// A query: an aggregate of one column over the rows that meet every condition.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Query {
    /// The index of the selected column.
    pub sel: usize,
    /// What is computed from the selected cells.
    pub agg: Aggregate,
    /// The conditions.
    pub conds: Vec<Condition>,
}

/// What a query computes from the selected cells; a number from 0 to 5 in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u8")]
pub enum Aggregate {
    /// The cells themselves.
    None,
    /// The greatest.
    Max,
    /// The least.
    Min,
    /// How many there are.
    Count,
    /// Their sum.
    Sum,
    /// Their mean.
    Average,
}

/// A condition on one column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "(usize, Comparison, Scalar)")]
pub struct Condition {
    /// The index of the column.
    pub column: usize,
    /// How the cell must compare with the value.
    pub comparison: Comparison,
    /// The value.
    pub value: Scalar,
}

/// How a cell must compare with a condition's value; a number from 0 to 2 in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u8")]
pub enum Comparison {
    /// The cell is the value.
    Equal,
    /// The cell is greater.
    Greater,
    /// The cell is less.
    Less,
}

impl TryFrom<u8> for Aggregate {
    type Error = String;

    fn try_from(code: u8) -> Result<Self, String> {
        use Aggregate::{Average, Count, Max, Min, None, Sum};
        let all = [None, Max, Min, Count, Sum, Average];
        all.get(usize::from(code))
            .copied()
            .ok_or_else(|| format!("{code} is no aggregate: 0 to 5 are none, max, min, count, sum, average"))
    }
}

impl TryFrom<u8> for Comparison {
    type Error = String;

    fn try_from(code: u8) -> Result<Self, String> {
        use Comparison::{Equal, Greater, Less};
        let all = [Equal, Greater, Less];
        all.get(usize::from(code))
            .copied()
            .ok_or_else(|| format!("{code} is no comparison: 0, 1, 2 are =, >, <"))
    }
}

impl From<(usize, Comparison, Scalar)> for Condition {
    fn from((column, comparison, value): (usize, Comparison, Scalar)) -> Self {
        Condition {
            column,
            comparison,
            value,
        }
    }
}

/// What can be wrong with a JSON-lines file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened.
    #[error("cannot open {}: {source}; check its path and permissions", file.display())]
    Unopened {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line cannot be read.
    #[error("{}, line {line}: cannot be read: {source}; the file must be UTF-8 text", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        source: std::io::Error,
    },
    /// A line does not hold what it should.
    #[error("{}, line {line}: this is not {expected}: {source}; is this the right file?", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What a line should hold.
        expected: &'static str,
        /// Why it does not.
        source: serde_json::Error,
    },
    /// A table has more or fewer types than columns.
    #[error(
        "{}, line {line}: table {table} has {columns} columns but {types} types; give each column one type",
        file.display()
    )]
    Types {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The table's id.
        table: String,
        /// How many names its header has.
        columns: usize,
        /// How many types it has.
        types: usize,
    },
    /// A row has more or fewer cells than the table has columns.
    #[error(
        "{}, line {line}: row {row} of table {table} has {cells} cells but the table has {columns} columns; \
         correct the row", file.display()
    )]
    Ragged {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The table's id.
        table: String,
        /// How many names its header has.
        columns: usize,
        /// The row, from 1.
        row: usize,
        /// How many cells that row has.
        cells: usize,
    },
}

/// The records of a JSON-lines file, read one at a time. Empty lines are passed over.
#[derive(Debug)]
pub struct Records<T> {
    file: PathBuf,
    lines: Lines<BufReader<File>>,
    line: usize,
    expected: &'static str,
    record: PhantomData<fn() -> T>,
}

/// The questions of a file such as `train.jsonl`.
pub fn questions(file: &Path) -> Result<Records<Question>, Error> {
    records(file, "a question with its table and query")
}

/// The tables of a file such as `train.tables.jsonl`, each with as many cells in every row as it has columns.
pub fn tables(file: &Path) -> Result<impl Iterator<Item = Result<Table, Error>> + use<>, Error> {
    let mut records = records::<Table>(file, "a table")?;
    Ok(std::iter::from_fn(move || {
        let table = records.next()?;
        Some(table.and_then(|table| check_shape(table, &records.file, records.line)))
    }))
}

/// The records of any JSON-lines file; `expected` says in errors what a line should hold.
pub(crate) fn records<T: DeserializeOwned>(file: &Path, expected: &'static str) -> Result<Records<T>, Error> {
    let opened = File::open(file).map_err(|source| Error::Unopened {
        file: file.to_owned(),
        source,
    })?;
    Ok(Records {
        file: file.to_owned(),
        lines: BufReader::new(opened).lines(),
        line: 0,
        expected,
        record: PhantomData,
    })
}

impl<T> Records<T> {
    /// The number of the line read last, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl<T: DeserializeOwned> Iterator for Records<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.line += 1;
            let (file, line) = (&self.file, self.line);
            let text = match self.lines.next()? {
                Ok(text) => text,
                Err(source) => {
                    return Some(Err(Error::Unreadable {
                        file: file.clone(),
                        line,
                        source,
                    }));
                }
            };
            if text.trim().is_empty() {
                continue;
            }
            return Some(serde_json::from_str(&text).map_err(|source| Error::Malformed {
                file: file.clone(),
                line,
                expected: self.expected,
                source,
            }));
        }
    }
}

fn check_shape(table: Table, file: &Path, line: usize) -> Result<Table, Error> {
    let (columns, types) = (table.header.len(), table.types.len());
    let file = || file.to_owned();
    if types != columns {
        return Err(Error::Types {
            file: file(),
            line,
            table: table.id,
            columns,
            types,
        });
    }
    match (1..).zip(&table.rows).find(|(_, cells)| cells.len() != columns) {
        None => Ok(table),
        Some((row, cells)) => {
            let cells = cells.len();
            Err(Error::Ragged {
                file: file(),
                line,
                table: table.id,
                columns,
                row,
                cells,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file<R>(name: &str, content: &str, test: impl FnOnce(&Path) -> R) -> R {
        let file = std::env::temp_dir().join(format!("mapo-{name}-{}.jsonl", std::process::id()));
        std::fs::write(&file, content).unwrap();
        let result = test(&file);
        std::fs::remove_file(&file).unwrap();
        result
    }

    #[test]
    fn reads_questions_and_names_the_line_that_is_none() {
        let content = concat!(
            r#"{"phase": 1, "table_id": "t", "question": "q?", "sql": {"sel": 1, "conds": [[0, 2, 1.5]], "agg": 3}}"#,
            "\n\n",
            r#"{"table_id": "t", "question": "q?", "sql": {"sel": 1, "conds": [[0, 3, "x"]], "agg": 0}}"#,
        );
        with_file("questions", content, |file| {
            let mut questions = questions(file).unwrap();
            let first = questions.next().unwrap().unwrap();
            assert_eq!(first.sql.agg, Aggregate::Count);
            let condition = Condition {
                column: 0,
                comparison: Comparison::Less,
                value: Scalar::Float(1.5),
            };
            assert_eq!(first.sql.conds, [condition]);
            let error = questions.next().unwrap().unwrap_err().to_string();
            assert!(
                error.contains("line 3") && error.contains("3 is no comparison"),
                "{error}"
            );
            assert!(questions.next().is_none());
        });
    }

    #[test]
    fn reads_tables_and_refuses_ragged_ones() {
        let content = concat!(
            r#"{"id": "a", "header": ["x", "y"], "types": ["text", "real"], "rows": [["u", 1], ["v", "2,5"]]}"#,
            "\n",
            r#"{"id": "b", "header": ["x"], "types": ["text"], "rows": [["u"], []]}"#,
        );
        with_file("tables", content, |file| {
            let mut tables = tables(file).unwrap();
            let table = tables.next().unwrap().unwrap();
            assert_eq!(table.types, [ColumnType::Text, ColumnType::Real]);
            assert_eq!(table.rows[0], [Scalar::Text("u".to_owned()), Scalar::Integer(1)]);
            let error = tables.next().unwrap().unwrap_err().to_string();
            assert!(
                error.contains("line 2") && error.contains("row 2 of table b has 0 cells"),
                "{error}"
            );
        });
    }

    #[test]
    fn names_a_file_that_is_not_there() {
        let error = questions(Path::new("no/such/train.jsonl"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("cannot open no/such/train.jsonl"), "{error}");
    }
}
