//! Tables that can be asked: examples, those of the command line, and uploaded ones.

use crate::home::Home;
use crate::view::View;
use mapo_tables::{ColumnKind, Decisions, LeftOut, LoadOptions, PlainFile, Table};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An invented table with questions that one may ask.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name in addresses.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Its content, comma-separated.
    pub csv: &'static str,
    /// Questions with their answers.
    pub questions: &'static [(&'static str, &'static str)],
}

/// The examples. Everything in them is invented.
pub const EXAMPLES: [Example; 3] = [
    Example {
        id: "lighthouses",
        title: "Lighthouses",
        about: "Twelve lights of an invented coast: when they were built, how tall they are, who kept them",
        csv: include_str!("../examples/lighthouses.csv"),
        questions: &[
            (
                "which lighthouses are taller than 40 m?",
                "Gannet Stack, The Widow",
            ),
            ("how many lighthouses are on Skerra?", "4"),
            (
                "which lighthouses are on the same island as Mirk Point?",
                "Black Weir, Tarn Spit",
            ),
            (
                "what is the difference in height between Gannet Stack and Cold Ness?",
                "28",
            ),
            ("which island has the most lighthouses?", "Skerra"),
        ],
    },
    Example {
        id: "regatta",
        title: "A regatta",
        about: "Winners of a sailing race, year by year, with boats, nations and times",
        csv: include_str!("../examples/regatta.csv"),
        questions: &[
            ("who won the race with the most entries?", "Carla Nunes"),
            ("which nation won the most races?", "Norway"),
            ("how many races had more than 20 entries?", "9"),
            (
                "who won in strong wind?",
                "Marit Solvang, Owen Pritchard, Henrik Dahl, Carla Nunes",
            ),
        ],
    },
    Example {
        id: "bakery",
        title: "A bakery's orders",
        about: "Two weeks of orders: dates, customers, towns, loaves and prices",
        csv: include_str!("../examples/bakery.csv"),
        questions: &[
            ("how many orders came from Harrowby?", "8"),
            ("which customers are from Oldport?", "Ferry Inn, Rosa Lindqvist"),
            ("what is the price of rye loaf?", "4.80"),
            ("how many orders were made after 2024-03-09?", "5"),
        ],
    },
];

/// Where a table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// Built in.
    Example,
    /// From the command line.
    Given,
    /// From a client, for its session only.
    Upload,
}

/// A table that can be asked.
#[derive(Debug)]
pub(crate) struct Held {
    pub id: String,
    pub name: String,
    pub source: Source,
    pub table: Arc<Table>,
    /// Memory that it takes, roughly.
    pub bytes: usize,
    /// Where its file is, if that is known.
    pub path: Option<PathBuf>,
    /// Whether every reader reads the file as we did; of an upload found while its bytes were there.
    pub plain: OnceLock<Option<PlainFile>>,
    /// Where corrections of its answers are kept, if they are.
    pub home: Option<Home>,
    /// Questions to begin with.
    pub questions: Vec<&'static str>,
    /// Questions that the model is known to answer, made when somebody first wants them.
    pub suggested: OnceLock<Vec<String>>,
    /// The rows that were last looked for, since whoever looks turns pages.
    pub seen: Mutex<Option<Seen>>,
}

/// What was looked for, and the rows that were found.
pub type Seen = (View, Arc<[u32]>);

impl Held {
    pub fn new(id: impl Into<String>, name: impl Into<String>, source: Source, table: Table) -> Self {
        Held {
            id: id.into(),
            name: name.into(),
            source,
            bytes: memory(&table),
            table: Arc::new(table),
            path: None,
            plain: OnceLock::new(),
            home: None,
            questions: Vec::new(),
            suggested: OnceLock::new(),
            seen: Mutex::default(),
        }
    }

    /// The rows that a view shows, all of them or of those that are listed.
    pub fn rows(&self, view: &View, of: Option<Vec<u32>>) -> Arc<[u32]> {
        let all = || (0..self.table.rows() as u32).collect();
        let keeps = of.is_none() && !view.is_plain();
        let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if keeps
            && let Some((known, rows)) = &*seen()
            && known == view
        {
            return Arc::clone(rows);
        }
        let rows: Arc<[u32]> = view.of(&self.table, of.unwrap_or_else(all)).into();
        if keeps {
            *seen() = Some((view.clone(), Arc::clone(&rows)));
        }
        rows
    }

    pub fn example(example: &Example) -> Result<Self, mapo_tables::TableError> {
        let name = format!("{}.csv", example.id);
        let table = Table::from_reader(&name, example.csv.as_bytes(), &LoadOptions::default())?;
        let plain = PlainFile::of(example.csv.as_bytes(), &table);
        Ok(Held {
            plain: OnceLock::from(plain),
            questions: example.questions.iter().map(|(question, _)| *question).collect(),
            ..Held::new(example.id, example.title, Source::Example, table)
        })
    }

    /// A table of the command line; `number` makes its name in addresses.
    pub fn open(path: &Path, number: usize, options: &LoadOptions) -> Result<Self, mapo_tables::TableError> {
        let table = Table::open(path, options)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Held {
            path: Some(path.to_owned()),
            ..Held::new(format!("table-{number}"), name.into_owned(), Source::Given, table)
        })
    }

    /// The same table with a place for its corrections.
    pub fn at(self, home: Option<Home>) -> Self {
        Held {
            bytes: self.bytes + home.as_ref().map_or(0, Home::bytes),
            home,
            ..self
        }
    }

    pub fn describe(&self) -> Description {
        Description {
            id: self.id.clone(),
            name: self.name.clone(),
            source: self.source,
            rows: self.table.rows(),
            left_out: self.table.left_out().map(LeftOut::note),
            decisions: self.table.decisions().clone(),
            columns: columns(&self.table),
            first_rows: page(
                &self.table,
                0..self.table.rows().min(FIRST_ROWS),
                &(0..self.table.headers().len()).collect::<Vec<_>>(),
            )
            .into_iter()
            .map(|row| row.cells)
            .collect(),
            questions: self.questions.clone(),
        }
    }

    pub fn list(&self) -> Listed {
        Listed {
            id: self.id.clone(),
            name: self.name.clone(),
            source: self.source,
            rows: self.table.rows(),
            columns: self.table.headers().len(),
        }
    }
}

/// Rows that the description of a table shows.
const FIRST_ROWS: usize = 5;
/// Characters of a cell that are shown.
const LONGEST_CELL: usize = 1_000;
/// Bytes of cells in one answer.
const LARGEST_PAGE: usize = 4 << 20;

/// A table in a list.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    id: String,
    name: String,
    source: Source,
    rows: usize,
    columns: usize,
}

/// What there is to know about a table.
#[derive(Debug, Serialize)]
pub(crate) struct Description {
    id: String,
    name: String,
    source: Source,
    rows: usize,
    /// What was left out of the file, as a row of totals.
    left_out: Option<String>,
    /// What was decided about the file.
    decisions: Decisions,
    columns: Vec<ColumnDescription>,
    first_rows: Vec<Vec<String>>,
    questions: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct ColumnDescription {
    name: String,
    /// How it can be read, and what programs call each reading.
    readings: Vec<ReadingDescription>,
    /// The sign before its fractions, where that was decided.
    decimal: Option<char>,
    /// How its numbers and dates are written, as far as that had to be decided.
    written: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ReadingDescription {
    kind: &'static str,
    program: String,
}

fn columns(table: &Table) -> Vec<ColumnDescription> {
    let mut columns: Vec<ColumnDescription> = table
        .headers()
        .iter()
        .enumerate()
        .map(|(source, header)| ColumnDescription {
            name: cut(header),
            readings: Vec::new(),
            decimal: table.decimal(source),
            written: table.how_written(source).iter().map(|said| cut(said)).collect(),
        })
        .collect();
    for column in table.columns() {
        let kind = match column.kind() {
            ColumnKind::Text => "text",
            ColumnKind::Number => "number",
            ColumnKind::SecondNumber => "second number",
            ColumnKind::Date => "date",
        };
        columns[column.source()].readings.push(ReadingDescription {
            kind,
            program: column.name().to_owned(),
        });
    }
    columns
}

/// A row as it is shown.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// Its number, from 0.
    pub row: usize,
    pub cells: Vec<String>,
}

/// Cells of some rows and columns; fewer rows than asked for where they are very long, but one at least.
pub(crate) fn page(table: &Table, rows: impl IntoIterator<Item = usize>, columns: &[usize]) -> Vec<Row> {
    let mut size = 0;
    let mut page = Vec::new();
    for row in rows {
        let cells: Vec<String> = columns
            .iter()
            .map(|column| cut(table.cell(row, *column)))
            .collect();
        size += cells.iter().map(|cell| cell.len() + 4).sum::<usize>();
        if size > LARGEST_PAGE && !page.is_empty() {
            break;
        }
        page.push(Row { row, cells });
    }
    page
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The memory of a table with what questions make of it later, rather too much than too little: a cell is a
/// number in each of its readings; a text is there as it stands, in its normal form and in the index.
fn memory(table: &Table) -> usize {
    /// A column without its cells, with what the network sees of it, and a text without its bytes.
    const COLUMN: usize = 2048;
    const TEXT: usize = 32;
    let columns = table.headers().len() + table.columns().len();
    let texts = (0..table.headers().len()).map(|source| {
        let texts = table.raw_texts(source);
        3 * texts.size() + TEXT * texts.len()
    });
    // The rows that were last looked for are kept too.
    table.rows() * (columns + 1) * 4 + columns * COLUMN + texts.sum::<usize>()
}

/// A file's name as a client gives it: its last part, without what has no place in a name.
pub(crate) fn tidy_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().filter(|c| !c.is_control()).take(200);
    let kept = kept.collect::<String>().trim().to_owned();
    match kept.is_empty() {
        true => "table".to_owned(),
        false => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tidied() {
        for (given, tidy) in [
            ("people.csv", "people.csv"),
            ("../../etc/passwd", "passwd"),
            ("C:\\tables\\a.csv", "a.csv"),
            ("a\u{1b}[31m\n.csv", "a[31m.csv"),
            ("", "table"),
            ("/", "table"),
        ] {
            assert_eq!(tidy_name(given), tidy);
        }
        assert_eq!(tidy_name(&"x".repeat(10_000)).len(), 200);
    }

    #[test]
    fn long_cells_are_cut_and_large_pages_end_early() {
        let long = "ä".repeat(5_000);
        let csv = format!("A,B\n{long},x\n{long},y\n");
        let table = Table::from_reader("t.csv", csv.as_bytes(), &LoadOptions::default()).unwrap();
        let rows = page(&table, 0..2, &[0, 1]);
        assert_eq!(rows[0].cells[0].chars().count(), LONGEST_CELL + 1);
        assert!(rows[0].cells[0].ends_with('…'));
        assert_eq!(rows[1].cells[1], "y");
    }

    #[test]
    fn a_table_takes_about_as_much_memory_as_its_texts() {
        let csv = "Name,Age\nAnne,7\nBob,8\n";
        let table = Table::from_reader("t.csv", csv.as_bytes(), &LoadOptions::default()).unwrap();
        assert!((4_000..12_000).contains(&memory(&table)), "{}", memory(&table));
        let header: Vec<String> = (0..10_000).map(|n| format!("c{n}")).collect();
        let wide = format!("{}\n{}\n", header.join(","), vec!["x"; 10_000].join(","));
        let table = Table::from_reader("t.csv", wide.as_bytes(), &LoadOptions::default()).unwrap();
        assert!(memory(&table) > 20_000_000, "columns count, however short");
        // Long texts count wherever they stand.
        let rows = (0..30_000).map(|n| {
            if n % 3 == 1 {
                "y".repeat(1_000)
            } else {
                "x".to_owned()
            }
        });
        let long = format!(
            "A\n{}\n",
            rows.enumerate()
                .map(|(n, row)| format!("{row}{n}\n"))
                .collect::<String>()
        );
        let table = Table::from_reader("t.csv", long.as_bytes(), &LoadOptions::default()).unwrap();
        assert!(memory(&table) > 30_000_000);
    }
}
