//! `count_distinct`: how many different values a column has.

use super::hop::hop_once;
use super::offering::{SEVERAL_PRESENT, several_present};
use super::{Argument, Definition, Gives};
use crate::telling::english::Whose;

pub(super) const COUNT_DISTINCT: Definition = Definition {
    name: "count_distinct",
    arguments: &[Argument::Rows, Argument::AnyColumn],
    gives: Gives::Scalar,
    offered: SEVERAL_PRESENT,
    admits: several_present,
    summary: "how many different values the column has in the rows",
    triggers: &["different", "distinct", "unique", "many", "number"],
    synonyms: &["separate", "various", "individual", "total"],
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    run: |machine, args| {
        let distinct = hop_once(machine, args[0].rows(), args[1].column());
        machine.pop();
        machine.hold_number(Some(distinct as f64));
    },
    english: |phrase| {
        let column = phrase.column(phrase.call.column(1)).full();
        let different = format!("how many different values {column} has");
        match phrase.whose() {
            Whose::All | Whose::AllAgain => format!("{different} in all rows"),
            Whose::Previous => different,
            Whose::Step(number) => format!("{different} in the rows of step {number}"),
        }
    },
    sql: |select| {
        let (key, source) = (select.key(select.call.column(1)), select.source());
        format!("SELECT count(DISTINCT {key}) FROM {source}")
    },
    cells: |seen| seen.present(&[seen.call.rows(0)], seen.call.column(1)),
    cases: CASES,
    ..Definition::BASE
};

const CASES: &str = r#"
# count_distinct: equal values count once, rows without a value not at all.
(count_distinct all_rows r.team-str)
  = numbers 3
  english: how many different values Team has in all rows
(count_distinct all_rows r.points-num)
  = numbers 3
# An empty cell is a text, too.
(count_distinct all_rows r.note-str)
  = numbers 4
(filter_is all_rows ['reds'] r.team-str) (count_distinct v0 r.player-str)
  = numbers 2
  english: rows where Team is 'reds' → how many different values Player has
(filter_is all_rows ['dan'] r.player-str) (count_distinct v0 r.points-num)
  not offered: v0
  = numbers 0
(first all_rows) (count_distinct v0 r.team-str)
  not offered: v0
  = numbers 1
(count_distinct all_rows ...
  offered: r.team-str | r.points-num | r.score-num2
"#;
