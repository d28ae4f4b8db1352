//! `sum`: the numbers of a column together.

use super::offering::{SEVERAL_PRESENT, several_present};
use super::{Argument, Definition, Gives};
use crate::machine::{Machine, RowsRef, adding};
use mapo_tables::{ColumnId, Dictionary};

pub(super) const SUM: Definition = Definition {
    name: "sum",
    arguments: &[Argument::Rows, Argument::NumberColumn],
    gives: Gives::Scalar,
    offered: SEVERAL_PRESENT,
    admits: several_present,
    summary: "the sum of the column over the rows; of nothing 0 (on WikiSQL nothing)",
    triggers: &["all", "combine", "total"],
    synonyms: &[
        "combined",
        "together",
        "altogether",
        "overall",
        "sum",
        "totaled",
        "totalled",
        "totals",
    ],
    run: |machine, args| {
        let (sum, count) = sum(machine, args[0].rows(), args[1].column());
        let is_something = count > 0 || !machine.subject().like_sql();
        machine.hold_number(sum.filter(|_| is_something));
    },
    english: |phrase| {
        let column = phrase.column(phrase.call.column(1)).bare();
        phrase.read_off(format_args!("the total {column}"))
    },
    sql: |select| {
        let (key, source) = (select.key(select.call.column(1)), select.source());
        match select.like_sql {
            true => format!("SELECT sum({key}) FROM {source}"),
            false => format!("SELECT COALESCE(sum({key}), 0) FROM {source}"),
        }
    },
    cells: |seen| seen.present(&[seen.call.rows(0)], seen.call.column(1)),
    cases: CASES,
    ..Definition::BASE
};

/// The sum over the rows that have a number, unless it is too large to be one, and how many have.
pub(super) fn sum(machine: &Machine, rows: RowsRef, column: ColumnId) -> (Option<f64>, usize) {
    let column = machine.column(column);
    let Dictionary::Numbers(known) = column.dictionary() else {
        return (Some(0.0), 0);
    };
    let codes = column.codes();
    let numbers = machine
        .rows(rows)
        .filter_map(|row| known.get(codes.of(row) as usize).copied());
    (adding::sum(numbers.clone()), numbers.count())
}

const CASES: &str = r"
# The sum is over the rows that have a number, equal ones as often as they occur.
(sum all_rows r.points-num)
  = numbers 46.5
  english: the total Points of all rows
(filter_in all_rows ['reds'] r.team-str) (sum v0 r.points-num)
  = numbers 16.5
(sum all_rows r.score-num2)
  = numbers 13
(first all_rows) (sum v0 r.points-num)
  not offered: v0
  = numbers 12
(filter_in all_rows ['dan'] r.player-str) (sum v0 r.points-num)
  not offered: v0
  = numbers 0
(sum all_rows ...
  offered only: r.points-num | r.score-num | r.score-num2
";
