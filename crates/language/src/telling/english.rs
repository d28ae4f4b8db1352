//! The pieces of English phrases.

use super::{Call, Number, Rows, Values};
use crate::order::Extreme;
use crate::sql_table::Layout;
use mapo_tables::Constant;
use mapo_tables::{ColumnId, ColumnKind, Table, Value};
use mapo_text::{Date, MONTHS};

/// What one expression says, in the making.
pub(crate) struct Phrase<'a> {
    pub call: &'a Call<'a>,
    pub table: &'a Table,
}

/// Whose rows a phrase is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// All rows, in the first phrase.
    All,
    /// All rows, after phrases about others.
    AllAgain,
    /// Those of the phrase before.
    Previous,
    /// Those of a phrase further back, by its number from 1.
    Step(usize),
}

impl Phrase<'_> {
    /// Whose rows the function works on; of one that takes rows twice the first.
    pub fn whose(&self) -> Whose {
        match self.call.rows(0) {
            Rows::All if self.call.step == 0 => Whose::All,
            Rows::All => Whose::AllAgain,
            Rows::Step { step, .. } if step + 1 == self.call.step => Whose::Previous,
            Rows::Step { step, .. } => Whose::Step(step + 1),
        }
    }

    /// What a function reads off the rows: `the average Points of all rows`.
    pub fn read_off(&self, what: impl std::fmt::Display) -> String {
        match self.whose() {
            Whose::All | Whose::AllAgain => format!("{what} of all rows"),
            Whose::Previous => what.to_string(),
            Whose::Step(number) => format!("{what} of the rows of step {number}"),
        }
    }

    /// Rows of which some are kept: `rows where …`, `keep those whose …`.
    pub fn kept(&self, of_rows: &str, of_those: &str) -> String {
        match self.whose() {
            Whose::All => format!("rows {of_rows}"),
            Whose::AllAgain => format!("of all rows, those {of_those}"),
            Whose::Previous => format!("keep those {of_those}"),
            Whose::Step(number) => format!("of the rows of step {number}, those {of_those}"),
        }
    }

    /// Rows of which those are kept whose value in the column is so.
    pub fn kept_where(&self, column: ColumnId, holds: &str) -> String {
        let column = self.column(column);
        let (of_rows, of_those) = (
            format!("where {} {holds}", column.full()),
            format!("whose {} {holds}", column.bare()),
        );
        self.kept(&of_rows, &of_those)
    }

    /// `the largest Points`, `the earliest date in Founded`.
    pub fn best(&self, column: ColumnId, extreme: Extreme) -> String {
        let which = self.which(column, extreme);
        format!("the {which} {}", self.column(column).bare())
    }

    /// `largest`, and of dates `latest`.
    pub fn which(&self, column: ColumnId, extreme: Extreme) -> &'static str {
        match (self.table.column(column).kind(), extreme) {
            (ColumnKind::Date, Extreme::Largest) => "latest",
            (ColumnKind::Date, Extreme::Smallest) => "earliest",
            (_, Extreme::Largest) => "largest",
            (_, Extreme::Smallest) => "smallest",
        }
    }

    /// A number that a function is given: a constant, or the result of an earlier step.
    pub fn number(&self, at: usize) -> String {
        match self.call.number(at) {
            Number::Constant(number) => Value::Number(number).to_string(),
            Number::Step { step, .. } if step + 1 == self.call.step && !self.call.joins() => {
                "that".to_owned()
            }
            Number::Step { step, .. } => format!("that of step {}", step + 1),
        }
    }

    /// The values that a function is given: those of a constant, joined so, or of an earlier step, called so.
    pub fn given(&self, values: Values<'_>, joint: &str, those: &str, of_step: &str) -> String {
        match values {
            Values::Constant(constant) => list(constant, joint),
            Values::Step { step, one, .. } => match (step + 1 == self.call.step, one) {
                (true, true) => "that".to_owned(),
                (true, false) => those.to_owned(),
                (false, true) => format!("the value of step {}", step + 1),
                (false, false) => format!("{of_step} of step {}", step + 1),
            },
        }
    }

    /// A column as it is spoken of.
    pub fn column(&self, column: ColumnId) -> Named {
        let typed = self.table.column(column);
        let header = header(self.table, typed.source());
        let reading = match typed.kind() {
            ColumnKind::Text => None,
            ColumnKind::SecondNumber => Some("second number"),
            _ if Layout::of(self.table).is_plain(self.table, column) => None,
            ColumnKind::Number => Some("number"),
            ColumnKind::Date => Some("date"),
        };
        Named { header, reading }
    }
}

/// A column as it is spoken of.
pub(crate) struct Named {
    header: String,
    /// What is read in its cells, where the header alone does not say it.
    reading: Option<&'static str>,
}

impl Named {
    /// `Points`, `the number in Points`.
    pub fn full(&self) -> String {
        match self.reading {
            Some(_) => format!("the {}", self.bare()),
            None => self.bare(),
        }
    }

    /// `Points`, `number in Points`.
    pub fn bare(&self) -> String {
        match self.reading {
            Some(reading) => format!("{reading} in {}", self.header),
            None => self.header.clone(),
        }
    }
}

/// A header as it stands in the file, in one line; one that is empty is told by its number from 1.
fn header(table: &Table, source: usize) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let words = table.headers()[source]
        .split(blank)
        .filter(|word| !word.is_empty());
    match words.collect::<Vec<_>>().join(" ") {
        header if header.is_empty() => format!("column {}", source + 1),
        header => header,
    }
}

fn list(constant: &Constant, joint: &str) -> String {
    let items: Vec<String> = match constant {
        Constant::Strings(strings) => strings.iter().map(|string| format!("'{string}'")).collect(),
        Constant::Numbers(numbers) => numbers
            .iter()
            .map(|number| Value::Number(*number).to_string())
            .collect(),
        Constant::Dates(dates) => dates.iter().map(|date| date_in_words(*date)).collect(),
    };
    items.join(joint)
}

/// `8 July 2004`, `July 2004`, `2004`, `8 July`, `44 BC`.
pub(crate) fn date_in_words(date: Date) -> String {
    let year = date.year.map(|year| match year < 0 {
        true => format!("{} BC", -i64::from(year)),
        false => year.to_string(),
    });
    let month = date
        .month
        .map(|month| MONTHS[(month.clamp(1, 12) - 1) as usize].to_owned());
    let day = date.day.map(|day| day.to_string());
    match (year, month, day) {
        (None, None, Some(day)) => format!("day {day} of a month"),
        (Some(year), None, Some(day)) => format!("day {day} of a month of {year}"),
        (year, month, day) => {
            let parts = [day, month, year];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_few_parts_are_told() {
        for (date, words) in [
            ("xxxx-xx-08", "day 8 of a month"),
            ("2004-xx-08", "day 8 of a month of 2004"),
            ("xxxx-07-xx", "July"),
        ] {
            assert_eq!(date_in_words(date.parse().unwrap()), words);
        }
    }
}
