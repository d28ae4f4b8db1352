//! The best group: `highest` and `lowest`.

use super::order_of_two::is_above;
use super::{Argument, Definition, Gives};
use crate::machine::{Arg, Machine};
use crate::order::Extreme;
use crate::sql_table::is_whole;
use crate::telling::english::Phrase;
use crate::telling::sql::{CLOSE, For, Select};

pub(super) const HIGHEST: Definition = Definition {
    name: "highest",
    summary: "the values whose groups have the largest number, all that tie",
    run: |machine, args| run(machine, args, Extreme::Largest),
    english: |phrase| english(phrase, "largest"),
    sql: |select| sql(select, Extreme::Largest),
    cases: CASES,
    ..BEST
};

pub(super) const LOWEST: Definition = Definition {
    name: "lowest",
    summary: "the values whose groups have the smallest number, all that tie",
    run: |machine, args| run(machine, args, Extreme::Smallest),
    english: |phrase| english(phrase, "smallest"),
    sql: |select| sql(select, Extreme::Smallest),
    ..BEST
};

/// What both have in common.
const BEST: Definition = Definition {
    arguments: &[Argument::Groups],
    gives: Gives::Values,
    offered: "there is more than one group",
    admits: |machine, args| {
        let groups = args[0].values().as_variable();
        groups.is_some_and(|groups| machine.group_numbers(groups as usize).len() > 1)
    },
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg], extreme: Extreme) {
    let groups = args[0].values();
    let numbers = machine.group_numbers(groups.as_variable().unwrap_or(u8::MAX) as usize);
    let numbers = numbers.iter().copied();
    let best = match extreme {
        Extreme::Largest => numbers.reduce(f64::max),
        Extreme::Smallest => numbers.reduce(f64::min),
    };
    machine.make_labels(groups, |number| {
        best.is_some_and(|best| match extreme {
            Extreme::Largest => !is_above(best, number, best),
            Extreme::Smallest => !is_above(number, best, best),
        })
    });
}

fn english(phrase: &Phrase<'_>, which: &str) -> String {
    let groups = phrase.call.groups(0);
    let label = phrase.column(groups.column).bare();
    match groups.step + 1 == phrase.call.step {
        true => format!("the {label} with the {which}"),
        false => format!("the {label} with the {which} of step {}", groups.step + 1),
    }
}

fn sql(select: &mut Select<'_>, extreme: Extreme) -> String {
    let groups = select.call.groups(0);
    let (step, label) = (groups.step, groups.column);
    let (all, row) = (&select.layout.table, &select.layout.row);
    // Sums that are not exact are taken for the same if they are very near.
    let added = groups
        .added
        .is_some_and(|column| !is_whole(select.table.column(column)));
    let best = match (extreme, added) {
        (Extreme::Largest, false) => format!("value = (SELECT max(value) FROM v{step})"),
        (Extreme::Smallest, false) => format!("value = (SELECT min(value) FROM v{step})"),
        (Extreme::Largest, true) => {
            format!(
                "(SELECT max(value) FROM v{step}) - value <= {CLOSE} * (SELECT abs(max(value)) FROM v{step})"
            )
        }
        (Extreme::Smallest, true) => {
            format!(
                "value - (SELECT min(value) FROM v{step}) <= {CLOSE} * (SELECT abs(min(value)) FROM v{step})"
            )
        }
    };
    let which = format!("WHERE {row} IN (SELECT label_row FROM v{step} WHERE {best})");
    match select.purpose {
        For::Steps => format!("SELECT {} FROM {all} {which}", select.named_values(label)),
        For::Answer => format!("SELECT {} FROM {all} {which} ORDER BY {row}", select.shown(label)),
    }
}

const CASES: &str = r"
# highest, lowest: all that tie.
(count_per all_rows r.team-str) (highest v0)
  = strings Reds
  english: for each Team how many rows there are → the Team with the largest
(count_per all_rows r.team-str) (lowest v0)
  = strings Greens
  english: for each Team how many rows there are → the Team with the smallest
(count_per all_rows r.points-num) (highest v0)
  = numbers 12 | 15
(sum_per all_rows r.team-str r.points-num) (highest v0)
  = strings Blues
  english: for each Team the total Points of all rows → the Team with the largest
(average_per all_rows r.team-str r.points-num) (lowest v0)
  = strings Reds
# They can be an argument.
(count_per all_rows r.team-str) (highest v0) (filter_is all_rows v1 r.team-str) (count v2)
  = numbers 3
# Of one group there is no best.
(filter_is all_rows ['reds'] r.team-str) (count_per v0 r.team-str) (highest v1)
  not offered: highest
  = strings Reds
(filter> all_rows [99] r.points-num) (count_per v0 r.team-str) (lowest v1)
  not offered: v0
  = strings
(count all_rows) (highest v0)
  error at 27: groups
";
