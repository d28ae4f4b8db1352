//! The filters that look for whole values: `filter_is` and `filter_!is`.

use super::contain::{NOT, NOT_TOO, english_not, strings};
use super::offering::{all_related, several_related};
use super::{Argument, Definition};
use crate::machine::{Arg, Machine, Relation};
use crate::sql_table::quote;
use crate::telling::Values;
use crate::telling::sql::{Select, words};
use mapo_tables::{ColumnId, Constant};

pub(super) const FILTER_IS: Definition = Definition {
    name: "filter_is",
    summary: "the rows whose text in the column is the string, or one of several; for one that no cell of \
              the column is as a whole, those that have it as whole words",
    is_idle: |machine, args| all_related(machine, args, Relation::Is),
    run: |machine, args| run(machine, args, true),
    english: |phrase| phrase.kept_where(phrase.call.column(2), &format!("is {}", strings(phrase))),
    sql: |select| sql(select, true),
    cases: CASES,
    ..WHOLE
};

pub(super) const FILTER_NOT_IS: Definition = Definition {
    name: "filter_!is",
    summary: "the rows that `filter_is` would not keep",
    triggers: NOT,
    synonyms: NOT_TOO,
    run: |machine, args| run(machine, args, false),
    english: |phrase| english_not(phrase, "is", "is not"),
    sql: |select| sql(select, false),
    ..WHOLE
};

/// What both have in common.
const WHOLE: Definition = Definition {
    arguments: &[Argument::Rows, Argument::Strings, Argument::TextColumn],
    offered: "there is more than one row; the column is one of the strings in some",
    admits: |machine, args| several_related(machine, args, Relation::Is),
    condition: true,
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    cells: |seen| seen.kept(seen.call.column(2)),
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg], wanted: bool) {
    let (rows, strings, column) = (args[0].rows(), args[1].values(), args[2].column());
    machine.filter(rows, strings, column, Relation::Is, wanted);
}

fn sql(select: &mut Select<'_>, wanted: bool) -> String {
    let column = select.call.column(2);
    match select.call.values(1) {
        Values::Constant(constant) => {
            let condition = with_constant(select, constant, column);
            match wanted {
                true => select.rows_where(&condition),
                false => select.rows_where(&format!("NOT ({condition})")),
            }
        }
        Values::Step { step, .. } => {
            let condition = words::is_value_of_step(select, step, column);
            match wanted {
                true => select.named_rows_where(&condition),
                false => select.named_rows_where(&format!("NOT {condition}")),
            }
        }
    }
}

/// The condition that a text is one of the strings.
fn with_constant(select: &Select<'_>, constant: &Constant, column: ColumnId) -> String {
    let Constant::Strings(strings) = constant else {
        return "FALSE".to_owned();
    };
    let typed = select.table.column(column);
    let (whole, parts): (Vec<&String>, Vec<&String>) =
        strings.iter().partition(|string| words::is_whole(typed, string));
    let key = select.key(column);
    let mut conditions: Vec<String> = Vec::new();
    match &whole[..] {
        [] => {}
        [one] => conditions.push(format!("{key} = {}", quote::text(one))),
        several => {
            let list: Vec<String> = several.iter().map(|string| quote::text(string)).collect();
            conditions.push(format!("{key} IN ({})", list.join(", ")));
        }
    }
    for part in parts {
        conditions.extend(words::has_words(typed, &key, part));
    }
    match conditions.is_empty() {
        true => "FALSE".to_owned(),
        false => conditions.join(" OR "),
    }
}

const CASES: &str = r"
# filter_is: the whole cell.
(filter_is all_rows ['reds'] r.team-str)
  = rows 1 | 3 | 6
  english: rows where Team is 'reds'
(filter_!is all_rows ['reds'] r.team-str)
  = rows 2 | 4 | 5
  english: rows where Team is not 'reds'
(filter_is all_rows ['blues', 'greens'] r.team-str)
  = rows 2 | 4 | 5
  english: rows where Team is 'blues' or 'greens'
(filter_is all_rows ['reds'] r.team-str) (filter_!is v0 ['cleo'] r.player-str) (hop v1 r.player-str)
  = strings Anne
  english: rows where Team is 'reds' → drop those whose Player is 'cleo' → Player
# A part of a word is none of its words, whole words are.
(filter_is all_rows ['red'] r.team-str)
  not offered: ['red']
  = rows
(filter_!is all_rows ['red'] r.team-str)
  not offered: ['red']
  = rows 1 | 2 | 3 | 4 | 5 | 6
(filter_is all_rows ['4'] r.score-str)
  = rows 1 | 2
(filter_is all_rows ['1-1', '4'] r.score-str)
  = rows 1 | 2 | 6
# Where a cell is the string, cells that only have it do not count.
(filter_is all_rows ['12'] r.points-str)
  = rows 1 | 3
(filter_is all_rows ['7.5'] r.points-str)
  = rows 6
# The empty string is the empty cell.
(filter_is all_rows [''] r.note-str)
  = rows 2 | 4
(filter_is all_rows ['nobody'] r.player-str)
  not offered: ['nobody']
  = rows
(first all_rows) (filter_is v0 ['reds'] r.team-str)
  not offered: v0
  = rows 1
# Not offered again, nor where it keeps all.
(filter_is all_rows ['reds'] r.team-str) (filter_is v0 ['reds'] r.team-str)
  not offered: v0
  = rows 1 | 3 | 6
(filter_is all_rows ['anne'] r.player-str) (filter_is v0 ['reds'] r.team-str)
  not offered: v0
  = rows 1 | 6
# Values of a column.
(mode all_rows r.team-str) (filter_is all_rows v0 r.team-str) (count v1)
  = numbers 3
  english: the most common Team of all rows → of all rows, those whose Team is one of those → how many there are
(filter_is all_rows ...
  offered: ['reds']
  not offered: ['nobody'] | [12]
(filter_is all_rows ['reds'] ...
  offered only: r.team-str
# filter_in is offered where it finds other rows.
(filter_in all_rows ['reds'] r.team-str)
  not offered: filter_in
  = rows 1 | 3 | 6
(filter_in all_rows ['e'] r.team-str) (filter_in v0 ['red'] r.team-str)
  not offered: r.team-str
  = rows 1 | 3 | 6
(filter_in all_rows ['red'] r.team-str) (hop v0 r.player-str)
  = strings Anne | Cleo
";
