//! `first` and `last`: a row by the order of the table.

use super::offering::{SEVERAL, several};
use super::{Argument, Definition};
use crate::telling::english::{Phrase, Whose};
use crate::telling::sql::Select;

pub(super) const FIRST: Definition = Definition {
    name: "first",
    summary: "the first of the rows, in table order",
    triggers: &["first", "top"],
    synonyms: &[
        "earliest",
        "initial",
        "initially",
        "start",
        "started",
        "begin",
        "began",
        "beginning",
        "opening",
    ],
    run: |machine, args| {
        let first = machine.first_row(args[0].rows());
        machine.make_rows(args[0].rows(), |new| {
            first.into_iter().for_each(|row| new.insert(row))
        });
    },
    english: |phrase| english(phrase, "the first"),
    sql: |select| sql(select, "min"),
    cases: CASES,
    ..EDGE
};

pub(super) const LAST: Definition = Definition {
    name: "last",
    summary: "the last of the rows, in table order",
    triggers: &["last", "bottom"],
    synonyms: &[
        "latest",
        "final",
        "finally",
        "recent",
        "recently",
        "end",
        "ended",
        "ending",
        "current",
        "currently",
    ],
    run: |machine, args| {
        let last = machine.last_row(args[0].rows());
        machine.make_rows(args[0].rows(), |new| {
            last.into_iter().for_each(|row| new.insert(row))
        });
    },
    english: |phrase| english(phrase, "the last"),
    sql: |select| sql(select, "max"),
    ..EDGE
};

/// What both have in common.
const EDGE: Definition = Definition {
    arguments: &[Argument::Rows],
    gives_one: true,
    offered: SEVERAL,
    admits: several,
    ..Definition::BASE
};

fn english(phrase: &Phrase<'_>, which: &str) -> String {
    match phrase.whose() {
        Whose::All | Whose::AllAgain => format!("{which} row of all"),
        Whose::Previous => format!("{which} of those"),
        Whose::Step(number) => format!("{which} of the rows of step {number}"),
    }
}

fn sql(select: &mut Select<'_>, aggregate: &str) -> String {
    let (row, source) = (&select.layout.row, select.source());
    select.rows_where(&format!("{row} = (SELECT {aggregate}({row}) FROM {source})"))
}

const CASES: &str = r"
# first, last: by the order of the table.
(first all_rows)
  = rows 1
  english: the first row of all
(last all_rows)
  = rows 6
  english: the last row of all
(filter_in all_rows ['blues'] r.team-str) (first v0)
  = rows 2
  english: rows where Team contains 'blues' → the first of those
(filter_in all_rows ['blues'] r.team-str) (last v0)
  = rows 5
(first all_rows) (first v0)
  not offered: v0
  = rows 1
(first all_rows) (last v0)
  not offered: v0
  = rows 1
(filter> all_rows [99] r.points-num) (last v0)
  not offered: v0
  v0 = rows
  = rows
";
