//! Where in rows of cells the table is: which of the first rows are titles or notes, and which has the names of the columns.

use crate::cell_values::CellValues;
use std::collections::HashSet;

/// Rows that are looked at.
pub(super) const LOOKED_AT: usize = 60;

/// Where the table begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The row that has the names of the columns, if there is one.
    pub header: Option<usize>,
    /// The first row of the table.
    pub first: usize,
}

impl Layout {
    fn below(header: usize) -> Layout {
        Layout {
            header: Some(header),
            first: header + 1,
        }
    }

    /// Decides by the first rows.
    ///
    /// Rows with a single cell above rows with more are titles or notes. The row below them has the names of the
    /// columns, unless it looks like those below it: numbers or dates above numbers or dates, or words that
    /// come again.
    pub fn of(rows: &[Vec<String>]) -> Layout {
        let rows: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| cell.trim()).collect())
            .collect();
        let Some(first) = rows.iter().position(|row| filled(row) > 0) else {
            return Layout::default();
        };
        let begin = below_notes(&rows, first);
        match looks_like_data(&rows[begin..]) {
            false => Layout::below(begin),
            // A name directly above data belongs to it.
            true if begin > first && begin - first == 1 && rows[first].len() == rows[begin].len() => {
                Layout::below(first)
            }
            true => Layout {
                header: None,
                first: begin,
            },
        }
    }
}

fn filled(row: &[&str]) -> usize {
    row.iter().filter(|cell| !cell.is_empty()).count()
}

/// The first row that is neither a title nor a note nor empty.
fn below_notes(rows: &[Vec<&str>], first: usize) -> usize {
    let width = rows.iter().map(|row| filled(row)).max().unwrap_or(0);
    let is_note = |row: &[&str]| match filled(row) {
        0 => true,
        // An index column has no name, but the others have.
        1 => width > 1 && !row[0].is_empty(),
        2 => width > 4,
        _ => false,
    };
    let begin = (first..rows.len()).find(|row| !is_note(&rows[*row]));
    // A table has most of its cells in most of its rows.
    let is_table = |begin: &usize| {
        let below = &rows[*begin..];
        below.len() > 1 && 2 * below.iter().filter(|row| filled(row) > 1).count() > below.len()
    };
    begin.filter(is_table).unwrap_or(first)
}

/// Whether the first of some rows is one of them, and not their header.
fn looks_like_data(rows: &[Vec<&str>]) -> bool {
    let [top, body @ ..] = rows else {
        return false;
    };
    if body.is_empty() {
        return false;
    }
    let (mut alike, mut repeats, mut texts) = (Vec::new(), 0, 0);
    for (column, top) in top.iter().enumerate() {
        let cells = body
            .iter()
            .filter_map(|row| row.get(column))
            .filter(|cell| !cell.is_empty());
        let cells: Vec<&str> = cells.copied().collect();
        let values = cells.iter().filter(|cell| is_value(cell)).count();
        if top.is_empty() || cells.is_empty() {
            continue;
        }
        if 5 * values >= 4 * cells.len() {
            match is_value(top) {
                true => alike.push((*top, cells)),
                // A name above values.
                false => return false,
            }
        } else {
            texts += 1;
            repeats += usize::from(cells.contains(top));
        }
    }
    // A header that comes again, as at the top of a page, is still one.
    if body.contains(top) {
        return false;
    }
    let has_names = texts > 0;
    match alike.is_empty() {
        true => repeats > 1 && 2 * repeats >= texts,
        false => !are_names(&alike, has_names),
    }
}

/// Whether values above values are names all the same: years above amounts, or numbers that count the columns.
fn are_names(tops: &[(&str, Vec<&str>)], has_other_names: bool) -> bool {
    let year = |text: &str| text.parse().ok().filter(|year| (1000..=2100).contains(year));
    let numbers: Option<Vec<i64>> = tops.iter().map(|(top, _)| top.parse().ok()).collect();
    let are_years = tops.iter().all(|(top, cells)| {
        let below: i32 = cells.iter().filter(|cell| year(cell).is_some()).count() as i32;
        year(top).is_some_and(|_: i64| 2 * below < cells.len() as i32)
    });
    let count = numbers.is_some_and(|numbers| {
        let distinct: HashSet<&i64> = numbers.iter().collect();
        has_other_names
            && numbers.len() > 1
            && distinct.len() == numbers.len()
            && numbers
                .windows(2)
                .all(|pair| pair[1] - pair[0] == numbers[1] - numbers[0])
    });
    are_years || count
}

/// Whether a cell is a number or a date and hardly anything else: `12`, `-3.5 %`, `€ 1.260,00`, `2004-09-01`, `4h 35m`.
fn is_value(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    if digits == 0 || cell.len() > 40 {
        return false;
    }
    let read = CellValues::of(cell);
    let begins = cell.starts_with(|c: char| !c.is_alphabetic());
    match (read.date, read.number) {
        (Some(_), _) => begins || digits > 4,
        (_, Some(_)) => begins && letters <= 4 || letters <= 3 && digits > letters,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn layout(text: &str, header: Option<usize>, first: usize) {
        let rows: Vec<Vec<String>> = text
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect();
        assert_eq!(Layout::of(&rows), Layout { header, first }, "{text}");
    }

    #[test]
    fn names_stand_in_the_first_row_that_is_no_note() {
        layout("Name,Points\nAnne,3\nBob,4", Some(0), 1);
        layout("Sales of May\n\nName,Points\nAnne,3\nBob,4", Some(2), 3);
        layout(
            "Sales of May,,\n,,\nName,Town,Points\nAnne,Ulm,3\nBob,Bonn,4",
            Some(2),
            3,
        );
        layout(",Points\n0,3\n1,4", Some(0), 1);
        layout("Name,\nAnne,3\nBob,4", Some(0), 1);
        layout("Name\nAnne\nBob", Some(0), 1);
        layout("Country,1990,2000,2010\nChad,5,6,7\nMali,8,9,12", Some(0), 1);
        layout("Player,1,2,3\nAnne,5,6,7\nBob,8,9,12", Some(0), 1);
        layout("A,B\nx,y", Some(0), 1);
        layout("Name,Town\nAnne,Ulm\nBob,Ulm\nName,Town\nEve,Bonn", Some(0), 1);
    }

    #[test]
    fn what_looks_like_its_rows_is_one_of_them() {
        layout("Anne,3\nBob,4\nEve,12", None, 0);
        layout(
            "2004-09-01,Ulm,12.5 %\n2004-09-02,Bonn,3.5 %\n2004-09-03,Ulm,7 %",
            None,
            0,
        );
        layout("Anne,Ulm,yes\nBob,Ulm,no\nEve,Bonn,yes", None, 0);
        layout("Results\n\nAnne,3\nBob,4\nEve,12", None, 2);
    }
}
