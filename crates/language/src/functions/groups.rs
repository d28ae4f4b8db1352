//! Groups: `count_per`, `sum_per`, `average_per`, `max_per` and `min_per`.

use super::{Argument, Definition, Gives};
use crate::machine::adding::Adding;
use crate::machine::{Arg, Machine, Subject};
use crate::telling::english::{Phrase, Whose};
use crate::telling::sql::{For, Select};
use mapo_tables::{ColumnId, ColumnKind, Value};

pub(super) const COUNT_PER: Definition = Definition {
    name: "count_per",
    arguments: &[Argument::Rows, Argument::AnyColumn],
    summary: "for each value of the column how many rows have it",
    triggers: &["each", "per", "every", "most", "least", "fewest"],
    synonyms: &["common", "often", "many", "respective", "respectively"],
    run: |machine, args| {
        let (rows, column) = (args[0].rows(), args[1].column());
        machine.make_groups(rows, column, |_, _| Some(1.0), Adding::and, |sum, _| sum);
    },
    english: |phrase| {
        let label = phrase.column(phrase.call.column(1)).bare();
        match phrase.whose() {
            Whose::All => format!("for each {label} how many rows there are"),
            Whose::AllAgain => format!("for each {label} how many rows there are of all"),
            Whose::Previous => format!("for each {label} how many there are"),
            Whose::Step(number) => format!("for each {label} how many rows step {number} gives"),
        }
    },
    sql: |select| sql(select, "count(*)"),
    cells: |seen| seen.present(&[seen.call.rows(0)], seen.call.column(1)),
    cases: CASES,
    ..GROUPS
};

pub(super) const SUM_PER: Definition = Definition {
    name: "sum_per",
    summary: "for each value of the first column the sum of the second",
    triggers: &["each", "per", "every", "total", "combined"],
    synonyms: &[
        "most",
        "least",
        "fewest",
        "overall",
        "altogether",
        "sum",
        "together",
    ],
    run: |machine, args| fold(machine, args, Adding::and, |sum, _| sum),
    english: |phrase| english(phrase, "total"),
    sql: |select| sql_of_numbers(select, "sum"),
    ..OF_NUMBERS
};

pub(super) const AVERAGE_PER: Definition = Definition {
    name: "average_per",
    summary: "for each value of the first column the mean of the second",
    triggers: &["average", "mean"],
    synonyms: &["averaged", "averages"],
    run: |machine, args| fold(machine, args, Adding::and, |sum, count| sum / count as f64),
    english: |phrase| english(phrase, "average"),
    sql: |select| sql_of_numbers(select, "avg"),
    ..OF_NUMBERS
};

pub(super) const MAX_PER: Definition = Definition {
    name: "max_per",
    summary: "for each value of the first column the largest of the second",
    triggers: &["each", "per", "every"],
    synonyms: &["respective", "respectively"],
    run: |machine, args| fold(machine, args, of_two(f64::max), |most, _| most),
    english: |phrase| english(phrase, "largest"),
    sql: |select| sql_of_numbers(select, "max"),
    ..OF_NUMBERS
};

pub(super) const MIN_PER: Definition = Definition {
    name: "min_per",
    summary: "for each value of the first column the smallest of the second",
    triggers: &["each", "per", "every"],
    synonyms: &["respective", "respectively"],
    run: |machine, args| fold(machine, args, of_two(f64::min), |least, _| least),
    english: |phrase| english(phrase, "smallest"),
    sql: |select| sql_of_numbers(select, "min"),
    ..OF_NUMBERS
};

/// What all have in common.
const GROUPS: Definition = Definition {
    gives: Gives::Groups,
    offered: "more than one row has a value in each of the columns",
    admits: |machine, args| {
        let rows = args[0].rows();
        match args {
            [_] => machine.count(rows) > 1,
            [_, .., column] => machine.filled(rows, column.column()) > 1,
            [] => false,
        }
    },
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    ..Definition::BASE
};

const OF_NUMBERS: Definition = Definition {
    arguments: &[Argument::Rows, Argument::AnyColumn, Argument::NumberColumn],
    cells: |seen| seen.present(&[seen.call.rows(0)], seen.call.column(2)),
    ..GROUPS
};

/// One of two numbers.
fn of_two(which: impl Fn(f64, f64) -> f64) -> impl Fn(Adding, f64) -> Adding {
    move |before, number| Adding {
        sum: which(before.sum, number),
        rest: 0.0,
    }
}

fn fold(
    machine: &mut Machine,
    args: &[Arg],
    add: impl Fn(Adding, f64) -> Adding,
    finish: impl Fn(f64, u64) -> f64,
) {
    let of = args[2].column();
    let number = |subject: &Subject, row: usize| match subject.column(of).value(row) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    machine.make_groups(args[0].rows(), args[1].column(), number, add, finish);
}

fn english(phrase: &Phrase<'_>, which: &str) -> String {
    let label = phrase.column(phrase.call.column(1)).bare();
    let number = phrase.column(phrase.call.column(2)).bare();
    phrase.read_off(format_args!("for each {label} the {which} {number}"))
}

fn sql_of_numbers(select: &mut Select<'_>, aggregate: &str) -> String {
    let number = select.key(select.call.column(2));
    sql(select, &format!("{aggregate}({number})"))
}

/// The query: a row for each group. To later steps it has the first row of the group, under which its label
/// stands, and its number.
fn sql(select: &mut Select<'_>, number: &str) -> String {
    let (label, source) = (select.call.column(1), select.source());
    let (key, row, filled) = (select.key(label), &select.layout.row, where_filled(select, label));
    if select.purpose == For::Steps {
        return format!(
            "SELECT min({row}) AS label_row, {number} AS value FROM {source} WHERE {filled} GROUP BY {key}"
        );
    }
    let (shown, all) = (select.shown(label), &select.layout.table);
    let is_text = select.table.column(label).kind() == ColumnKind::Text;
    if is_text && !select.layout.look(select.table, label).one_text_each {
        return format!(
            "SELECT r.{shown}, g.value FROM \
             (SELECT min({row}) AS label_row, {number} AS value FROM {source} WHERE {filled} GROUP BY {key}) AS g \
             JOIN {all} AS r ON r.{row} = g.label_row ORDER BY g.label_row"
        );
    }
    format!("SELECT {shown}, {number} FROM {source} WHERE {filled} GROUP BY {shown} ORDER BY min({row})")
}

/// The condition that a row counts: it has a label, and a number where one is needed.
fn where_filled(select: &Select<'_>, label: ColumnId) -> String {
    let filled = |column: ColumnId| match select.table.column(column).kind() {
        ColumnKind::Text => format!("{} <> ''", select.key(column)),
        _ => format!("{} IS NOT NULL", select.key(column)),
    };
    match select.call.arguments.len() {
        2 => filled(label),
        _ => format!("{} AND {}", filled(label), filled(select.call.column(2))),
    }
}

const CASES: &str = r"
# count_per: how many rows have each value; rows without one are left out.
(count_per all_rows r.team-str)
  = groups Reds | 3 | Blues | 2 | Greens | 1
  english: for each Team how many rows there are
(count_per all_rows r.note-str)
  = groups captain | 2 | new | 1 | injured | 1
(count_per all_rows r.points-num)
  = groups 12 | 2 | 15 | 2 | -7.5 | 1
(filter_is all_rows ['reds'] r.team-str) (count_per v0 r.player-str)
  = groups Anne | 2 | Cleo | 1
  english: rows where Team is 'reds' → for each Player how many there are
(first all_rows) (count_per v0 r.team-str)
  not offered: v0
  = groups Reds | 1
(filter> all_rows [99] r.points-num) (count_per v0 r.team-str)
  not offered: v0
  = groups
# The others: over the rows that have a number; a group without any is none.
(sum_per all_rows r.team-str r.points-num)
  = groups Reds | 16.5 | Blues | 30
  english: for each Team the total Points of all rows
(average_per all_rows r.team-str r.points-num)
  = groups Reds | 5.5 | Blues | 15
  english: for each Team the average Points of all rows
(max_per all_rows r.team-str r.points-num)
  = groups Reds | 12 | Blues | 15
  english: for each Team the largest Points of all rows
(min_per all_rows r.team-str r.score-num2)
  = groups Reds | 1 | Blues | 1 | Greens | 2
  english: for each Team the smallest second number in Score of all rows
(filter_is all_rows ['anne'] r.player-str) (sum_per v0 r.team-str r.points-num)
  = groups Reds | 4.5
  english: rows where Player is 'anne' → for each Team the total Points
(filter_is all_rows ['anne'] r.player-str) (max_per v0 r.team-str r.points-num)
  = groups Reds | 12
(filter_is all_rows ['anne'] r.player-str) (min_per v0 r.team-str r.points-num)
  = groups Reds | -7.5
(filter_is all_rows ['anne'] r.player-str) (average_per v0 r.team-str r.points-num)
  = groups Reds | 2.25
(last all_rows) (average_per v0 r.team-str r.points-num)
  not offered: v0
  = groups Reds | -7.5
(last all_rows) (max_per v0 r.team-str r.points-num)
  not offered: v0
  = groups Reds | -7.5
(last all_rows) (min_per v0 r.team-str r.points-num)
  not offered: v0
  = groups Reds | -7.5
(sum_per all_rows r.team-str ...
  offered only: r.points-num | r.score-num | r.score-num2
";
