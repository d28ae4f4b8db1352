//! `count`: how many rows there are.

use super::{Argument, Definition, Gives};
use crate::telling::english::Whose;

pub(super) const COUNT: Definition = Definition {
    name: "count",
    arguments: &[Argument::Rows],
    gives: Gives::Scalar,
    summary: "how many rows there are",
    triggers: &["how", "many", "total", "number"],
    synonyms: &["times", "amount"],
    run: |machine, args| machine.hold_number(Some(machine.count(args[0].rows()) as f64)),
    english: |phrase| match phrase.whose() {
        Whose::All | Whose::AllAgain => "how many rows there are".to_owned(),
        Whose::Previous => "how many there are".to_owned(),
        Whose::Step(number) => format!("how many rows step {number} gives"),
    },
    sql: |select| format!("SELECT count(*) FROM {}", select.source()),
    cases: CASES,
    ..Definition::BASE
};

const CASES: &str = r"
# count
(count all_rows)
  = numbers 6
  english: how many rows there are
(filter_in all_rows ['reds'] r.team-str) (count v0)
  = numbers 3
  english: rows where Team contains 'reds' → how many there are
(filter> all_rows [99] r.points-num) (count v0)
  = numbers 0
(first all_rows) (count v0)
  = numbers 1
";
