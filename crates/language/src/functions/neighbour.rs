//! `previous` and `next`: the rows beside others.

use super::{Argument, Definition};
use crate::telling::english::{Phrase, Whose};
use crate::telling::sql::Select;
use mapo_tables::rows;

pub(super) const PREVIOUS: Definition = Definition {
    name: "previous",
    summary: "the rows just above the given ones",
    admits: |machine, args| {
        !args[0].is_all_rows() && machine.last_row(args[0].rows()).is_some_and(|row| row > 0)
    },
    run: |machine, args| machine.make_rows(args[0].rows(), |new| rows::shift_up(new.given, new.place)),
    english: |phrase| english(phrase, "just above"),
    sql: |select| sql(select, '+'),
    cases: CASES,
    ..NEIGHBOUR
};

pub(super) const NEXT: Definition = Definition {
    name: "next",
    summary: "the rows just below the given ones",
    admits: |machine, args| {
        let below = |row: usize| row + 1 < machine.subject().table().rows();
        !args[0].is_all_rows() && machine.first_row(args[0].rows()).is_some_and(below)
    },
    run: |machine, args| {
        machine.make_rows(args[0].rows(), |new| {
            rows::shift_down(new.given, new.subject.all_rows().words(), new.place)
        })
    },
    english: |phrase| english(phrase, "just below"),
    sql: |select| sql(select, '-'),
    ..NEIGHBOUR
};

/// What both have in common.
const NEIGHBOUR: Definition = Definition {
    arguments: &[Argument::Rows],
    offered: "the rows are not `all_rows` and some have such a neighbour",
    about_these_rows: true,
    triggers: &["next", "previous", "after", "before", "above", "below"],
    synonyms: &[
        "following",
        "followed",
        "follows",
        "preceding",
        "preceded",
        "precedes",
        "prior",
        "succeeded",
        "succeeding",
        "beside",
        "second",
    ],
    ..Definition::BASE
};

fn english(phrase: &Phrase<'_>, place: &str) -> String {
    match phrase.whose() {
        Whose::All | Whose::AllAgain => format!("the row {place} each row"),
        Whose::Previous => format!("the row {place} each"),
        Whose::Step(number) => format!("the row {place} each of step {number}"),
    }
}

/// The rows from which one step leads to a given one.
fn sql(select: &mut Select<'_>, sign: char) -> String {
    let (columns, all, row) = (select.columns(), &select.layout.table, &select.layout.row);
    let source = select.source();
    format!("SELECT {columns} FROM {all} WHERE {row} {sign} 1 IN (SELECT {row} FROM {source})")
}

const CASES: &str = r"
# previous, next: not of all_rows; what would fall off the table is dropped.
(filter_in all_rows ['blues'] r.team-str) (previous v0)
  = rows 1 | 4
  english: rows where Team contains 'blues' → the row just above each
(filter_in all_rows ['blues'] r.team-str) (next v0)
  = rows 3 | 6
  english: rows where Team contains 'blues' → the row just below each
(filter_in all_rows ['reds'] r.team-str) (previous v0)
  = rows 2 | 5
(filter_in all_rows ['reds'] r.team-str) (next v0)
  = rows 2 | 4
(first all_rows) (previous v0)
  not offered: previous
  = rows
(last all_rows) (next v0)
  not offered: next
  = rows
(previous all_rows)
  not offered: previous
  = rows 1 | 2 | 3 | 4 | 5
(next all_rows)
  not offered: next
  = rows 2 | 3 | 4 | 5 | 6
(filter> all_rows [99] r.points-num) (next v0)
  not offered: next
  = rows
# The same rows under another name may move.
(filter_in all_rows [''] r.note-str) (next v0)
  = rows 2 | 3 | 4 | 5 | 6
(first all_rows) (next v0) (next v1)
  = rows 3
";
