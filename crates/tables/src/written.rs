//! How the columns of a table are written: decided from the cells of each, and of those beside it.

use crate::cell_values::CellValues;
use crate::column::Cells;
use crate::texts::Interner;
use crate::value::ColumnKind;
use mapo_text::read::columns::{About, Convention, Days, Evidence, Mark, has_other_digits};
use mapo_text::read::says_nothing;
use mapo_text::trim;
use rayon::prelude::*;

/// The conventions of all columns, found side by side if there are many cells.
pub(crate) fn conventions(
    headers: &[String],
    columns: &[(Vec<u32>, Interner)],
    decimal: Option<Mark>,
    are_many: bool,
) -> Vec<Convention> {
    let look = |(_, texts): &(Vec<u32>, Interner)| {
        mapo_stopping::check();
        let mut evidence = Evidence::default();
        for text in texts.parts().0.iter() {
            mapo_stopping::glance();
            evidence.see(text);
        }
        evidence
    };
    let flag = mapo_stopping::carry();
    let seen: Vec<Evidence> = match are_many {
        true => columns
            .par_iter()
            .map(|column| flag.within(|| look(column)))
            .collect(),
        false => columns.iter().map(look).collect(),
    };
    let mut all = Evidence::default();
    seen.iter().for_each(|evidence| all.and(evidence));
    let convention = |(header, evidence): (&String, &Evidence)| {
        let convention = Convention::of(evidence, &all, names_years(header));
        match decimal {
            Some(mark) => convention.with_decimal(mark),
            None => convention,
        }
    };
    headers.iter().zip(&seen).map(convention).collect()
}

fn names_years(header: &str) -> bool {
    let header = header.to_lowercase();
    let mut words = header.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "year" | "years" | "yr"))
}

/// What a column's cell says by its convention.
pub(crate) fn read(convention: &Convention, cell: &str) -> CellValues {
    mapo_stopping::glance();
    if says_nothing(cell) && !has_other_digits(cell) {
        return CellValues::default();
    }
    CellValues::from(convention.read(cell))
}

/// What people are told about how a column of the file was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    /// Of numbers and of dates: what was decided,
    decided: [Vec<String>; 2],
    /// and what speaks against the reading.
    doubts: [Vec<String>; 2],
    /// How many cells there are, but for empty ones and those that say that there is nothing.
    filled: usize,
    /// How many of them are a number, and a date.
    fitting: [usize; 2],
    are_identifiers: bool,
    /// What stands before fractions, where that was decided.
    decimal: Option<Mark>,
    /// Whether most cells begin with digits and were made nothing of.
    is_unread: bool,
    /// How days are written in numbers, if some are.
    days: Option<Days>,
}

/// Words for what is not there.
const NOTHING: [&str; 17] = [
    "-", "–", "—", "--", "?", ".", "…", "n/a", "na", "n.a.", "nan", "null", "none", "nil", "tba", "tbd",
    "unknown",
];

impl Written {
    pub(crate) fn new(convention: &Convention, cells: &Cells, readings: &[CellValues]) -> Written {
        let is_filled = |text: &str| {
            mapo_stopping::glance();
            let text = trim(text);
            !text.is_empty() && !NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word))
        };
        let filled: Vec<bool> = cells.texts.iter().map(is_filled).collect();
        let mut rows = vec![0_usize; readings.len()];
        cells.rows.iter().for_each(|text| rows[*text as usize] += 1);
        let count = |is: &dyn Fn(&CellValues) -> bool| -> usize {
            let places = readings.iter().zip(&rows).zip(&filled);
            places
                .filter(|((reading, _), filled)| **filled && is(reading))
                .map(|((_, rows), _)| *rows)
                .sum()
        };
        let begins_with_digit = |text: &str| trim(text).starts_with(|c: char| c.is_numeric());
        let unread = (cells.texts.iter().zip(readings).zip(&rows))
            .filter(|((text, reading), _)| {
                reading.number.is_none() && reading.date.is_none() && begins_with_digit(text)
            })
            .map(|(_, rows)| *rows);
        let unread: usize = unread.sum();
        let both = |list: &dyn Fn(About) -> Vec<String>| [list(About::Numbers), list(About::Dates)];
        let mut doubts = both(&|about| convention.doubts(about).to_vec());
        // Which of two numbers counts is a guess, also where the second is a column of its own.
        let seconds =
            count(&|reading| reading.number.is_some() && reading.second.is_some() && reading.date.is_none());
        if seconds > 0 {
            let all = count(&|_| true);
            doubts[0].push(format!(
                "of {seconds} of {all} cells, which hold more than one number, the first was taken"
            ));
        }
        Written {
            are_identifiers: convention.are_identifiers(),
            decimal: convention.decimal(),
            is_unread: unread > 0 && 2 * unread >= count(&|_| true),
            days: convention.days(),
            decided: both(&|about| convention.decided(about).to_vec()),
            doubts,
            filled: count(&|_| true),
            fitting: [
                count(&|reading| reading.number.is_some()),
                count(&|reading| reading.date.is_some()),
            ],
        }
    }

    /// Which of the two a typed column is about.
    fn place(kind: ColumnKind) -> Option<usize> {
        match kind {
            ColumnKind::Text => None,
            ColumnKind::Number | ColumnKind::SecondNumber => Some(About::Numbers as usize),
            ColumnKind::Date => Some(About::Dates as usize),
        }
    }

    /// Whether its numbers were left as text, because they would not be exact.
    pub(crate) fn are_identifiers(&self) -> bool {
        self.are_identifiers
    }

    pub(crate) fn decimal(&self) -> Option<Mark> {
        self.decimal
    }

    /// Whether its cells seem to be numbers or dates in a form that is not known.
    pub(crate) fn is_unread(&self) -> bool {
        self.is_unread
    }

    pub(crate) fn days(&self) -> Option<Days> {
        self.days
    }

    pub(crate) fn decided(&self, kind: ColumnKind) -> &[String] {
        Self::place(kind).map_or(&[], |place| &self.decided[place])
    }

    pub(crate) fn doubts(&self, kind: ColumnKind) -> &[String] {
        Self::place(kind).map_or(&[], |place| &self.doubts[place])
    }

    /// What is said of the cells that are something else.
    pub(crate) fn misfits(&self, kind: ColumnKind) -> Option<String> {
        let fitting = self.fitting[Self::place(kind)?];
        let others = self.filled.saturating_sub(fitting);
        (others > 0 && fitting > 0).then(|| {
            let (are, what) = match (others, kind) {
                (1, ColumnKind::Date) => ("is", "no date"),
                (_, ColumnKind::Date) => ("are", "no dates"),
                (1, _) => ("is", "not a number"),
                _ => ("are", "not numbers"),
            };
            format!("{others} of {} cells {are} {what}", self.filled)
        })
    }
}
