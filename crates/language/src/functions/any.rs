//! `any`: whether there is such a row.

use super::{Argument, Definition, Gives};
use crate::telling::english::Whose;

pub(super) const ANY: Definition = Definition {
    name: "any",
    arguments: &[Argument::Rows],
    gives: Gives::Truth,
    offered: "a filter chose the rows",
    summary: "`yes` if there is a row, else `no`",
    triggers: &["any", "is", "are", "does", "do"],
    synonyms: &["was", "were", "did", "has", "have", "there"],
    of_chosen_rows: true,
    about_these_rows: true,
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    run: |machine, args| machine.hold_truth(Some(machine.count(args[0].rows()) > 0)),
    english: |phrase| match phrase.whose() {
        Whose::All | Whose::AllAgain => "whether there is any row".to_owned(),
        Whose::Previous => "whether there is any".to_owned(),
        Whose::Step(number) => format!("whether step {number} gives any row"),
    },
    sql: |select| {
        let source = select.source();
        format!("SELECT CASE WHEN EXISTS (SELECT 1 FROM {source}) THEN 'yes' ELSE 'no' END")
    },
    cases: CASES,
    ..Definition::BASE
};

const CASES: &str = r"
# any: of rows that a filter chose.
(filter> all_rows [12] r.points-num) (any v0)
  = strings yes
  english: rows where Points is above 12 → whether there is any
(filter> all_rows [99] r.points-num) (any v0)
  = strings no
(filter> all_rows [12] r.points-num) (first v0) (any v1)
  not offered: v1
  = strings yes
(any all_rows)
  not offered: any
  = strings yes
  english: whether there is any row
";
