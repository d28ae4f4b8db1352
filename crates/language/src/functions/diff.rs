//! `diff`: how far two rows are apart.

use super::sum::sum;
use super::{Argument, Definition, Gives};
use crate::machine::{Arg, Machine, RowsRef};
use crate::telling::Rows;

pub(super) const DIFF: Definition = Definition {
    name: "diff",
    arguments: &[Argument::Rows, Argument::Rows, Argument::NumberColumn],
    gives: Gives::Scalar,
    offered: "there are two different single rows; both have a value in the column",
    summary: "how far apart the values of the column in the two rows are",
    triggers: &["difference", "more", "than"],
    synonyms: &[
        "less", "fewer", "between", "after", "before", "apart", "margin", "gap",
    ],
    symmetric: true,
    about_these_rows: true,
    admits: |machine, args| match args {
        [a] => machine.count(a.rows()) == 1,
        [a, b] => machine.count(b.rows()) == 1 && machine.first_row(a.rows()) != machine.first_row(b.rows()),
        [a, b, column] => {
            let column = column.column();
            machine.present(a.rows(), column) && machine.present(b.rows(), column)
        }
        _ => false,
    },
    run,
    english: |phrase| {
        let row = |rows| match rows {
            Rows::All => "the only row".to_owned(),
            Rows::Step { step, .. } => format!("step {}", step + 1),
        };
        let column = phrase.column(phrase.call.column(2)).bare();
        let (one, other) = (row(phrase.call.rows(0)), row(phrase.call.rows(1)));
        format!("the difference in {column} between {one} and {other}")
    },
    sql: |select| {
        let (source, key) = (select.source(), select.key(select.call.column(2)));
        let other = select.source_of(select.call.rows(1));
        format!(
            "SELECT abs((SELECT max({key}) FROM {source}) - (SELECT max({key}) FROM {other})) \
             WHERE (SELECT count({key}) FROM {source}) = 1 AND (SELECT count({key}) FROM {other}) = 1"
        )
    },
    cells: |seen| seen.present(&[seen.call.rows(0), seen.call.rows(1)], seen.call.column(2)),
    cases: CASES,
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg]) {
    let column = args[2].column();
    let number = |rows: RowsRef| match sum(machine, rows, column) {
        (number, 1) => number,
        _ => None,
    };
    let difference = number(args[0].rows())
        .zip(number(args[1].rows()))
        .map(|(a, b)| (a - b).abs());
    machine.hold_number(difference);
}

const CASES: &str = r"
# diff: never negative, between two different single rows.
(first all_rows) (last all_rows) (diff v0 v1 r.points-num)
  = numbers 19.5
  english: (1) the first row of all → (2) the last row of all → (3) the difference in Points between step 1 and step 2
(first all_rows) (last all_rows) (diff v1 v0 r.points-num)
  = numbers 19.5
(first all_rows) (last all_rows) (diff v0 v1 r.score-num2)
  = numbers 3
(first all_rows) (first all_rows) (diff v0 v1 r.points-num)
  not offered: diff
  = numbers 0
(first all_rows) (diff v0 v0 r.points-num)
  not offered: diff
  = numbers 0
(filter_in all_rows ['dan'] r.player-str) (first all_rows) (diff v0 v1 r.points-num)
  not offered: r.points-num
  = numbers
(filter_in all_rows ['dan'] r.player-str) (first all_rows) (diff v0 v1 r.score-num)
  = numbers 1
(filter_in all_rows ['reds'] r.team-str) (first all_rows) (diff v0 v1 r.points-num)
  not offered: diff
  = numbers
";
