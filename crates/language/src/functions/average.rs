//! `average`: the mean of a column.

use super::offering::{SEVERAL_PRESENT, several_present};
use super::sum::sum;
use super::{Argument, Definition, Gives};

pub(super) const AVERAGE: Definition = Definition {
    name: "average",
    arguments: &[Argument::Rows, Argument::NumberColumn],
    gives: Gives::Scalar,
    offered: SEVERAL_PRESENT,
    admits: several_present,
    summary: "the mean of the column over the rows that have a value",
    triggers: &["average"],
    synonyms: &["mean", "averaged"],
    run: |machine, args| {
        let (sum, count) = sum(machine, args[0].rows(), args[1].column());
        machine.hold_number(sum.filter(|_| count > 0).map(|sum| sum / count as f64));
    },
    english: |phrase| {
        let column = phrase.column(phrase.call.column(1)).bare();
        phrase.read_off(format_args!("the average {column}"))
    },
    sql: |select| {
        let (key, source) = (select.key(select.call.column(1)), select.source());
        format!("SELECT avg({key}) FROM {source}")
    },
    cells: |seen| seen.present(&[seen.call.rows(0)], seen.call.column(1)),
    cases: CASES,
    ..Definition::BASE
};

const CASES: &str = r"
# The mean is over the rows that have a number, equal ones as often as they occur.
(average all_rows r.points-num)
  = numbers 9.3
  english: the average Points of all rows
(filter_in all_rows ['reds'] r.team-str) (average v0 r.points-num)
  = numbers 5.5
# There is no mean of nothing.
(filter_in all_rows ['dan'] r.player-str) (average v0 r.points-num)
  not offered: v0
  = numbers
";
