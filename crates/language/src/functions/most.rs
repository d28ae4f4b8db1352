//! `max` and `min`: the value at one end of a column.

use super::argmost::{argmost, best_code};
use super::offering::{SEVERAL_PRESENT, several_present};
use super::{Argument, Definition, Gives};
use crate::machine::{Machine, RowsRef};
use crate::order::Extreme;
use crate::telling::cells::{Cells, Seen};
use crate::telling::english::Phrase;
use crate::telling::sql::{For, Select};
use mapo_tables::{ColumnId, Dictionary, NO_VALUE};

pub(super) const MAX: Definition = Definition {
    name: "max",
    summary: "the largest value of the column in the rows",
    run: |machine, args| most(machine, args[0].rows(), args[1].column(), Extreme::Largest),
    english: |phrase| english(phrase, Extreme::Largest),
    sql: |select| sql(select, Extreme::Largest),
    cases: CASES,
    ..MOST
};

pub(super) const MIN: Definition = Definition {
    name: "min",
    summary: "the smallest value of the column in the rows",
    run: |machine, args| most(machine, args[0].rows(), args[1].column(), Extreme::Smallest),
    english: |phrase| english(phrase, Extreme::Smallest),
    sql: |select| sql(select, Extreme::Smallest),
    ..MOST
};

/// What both have in common.
const MOST: Definition = Definition {
    arguments: &[Argument::Rows, Argument::OrderedColumn],
    gives: Gives::Values,
    gives_one: true,
    offered: SEVERAL_PRESENT,
    admits: several_present,
    triggers: &["JJR", "JJS", "RBR", "RBS"],
    synonyms: &["most", "maximum", "minimum"],
    cells,
    ..Definition::BASE
};

fn most(machine: &mut Machine, rows: RowsRef, column: ColumnId, extreme: Extreme) {
    let best = if machine.column(column).codes_are_ordered() {
        best_code(machine, rows, column, extreme)
    } else {
        // Of the values that nothing beats the one that says most.
        argmost(machine, rows, column, extreme);
        let unbeaten = RowsRef::variable(machine.held().len() as u8 - 1);
        let best = most_precise(machine, unbeaten, column, extreme);
        machine.pop();
        best
    };
    machine.make_values(rows, column, |new, _| {
        best.into_iter().for_each(|code| new.list.push(code, 0))
    });
}

/// The date that knows the most parts; of several, the latest or earliest.
fn most_precise(machine: &Machine, rows: RowsRef, column: ColumnId, extreme: Extreme) -> Option<u32> {
    let column = machine.column(column);
    let Dictionary::Dates(dates) = column.dictionary() else {
        return None;
    };
    let codes = machine
        .rows(rows)
        .map(|row| column.code(row))
        .filter(|code| *code != NO_VALUE);
    codes.max_by_key(|&code| {
        let order = match extreme {
            Extreme::Largest => i64::from(code),
            Extreme::Smallest => -i64::from(code),
        };
        (dates[code as usize].known().count_ones(), order)
    })
}

fn english(phrase: &Phrase<'_>, extreme: Extreme) -> String {
    phrase.read_off(phrase.best(phrase.call.column(1), extreme))
}

fn sql(select: &mut Select<'_>, extreme: Extreme) -> String {
    let named = select.purpose == For::Steps;
    select.most(select.call.column(1), extreme, named)
}

/// Those with the value.
fn cells(seen: &Seen<'_>) -> Cells {
    let column = seen.call.column(1);
    let typed = seen.table.column(column);
    let rows = seen.members(seen.call.rows(0));
    seen.count(column, rows.filter(|row| typed.value(*row) == seen.value))
}

const CASES: &str = r"
# max, min: one value, and it can be an argument.
(max all_rows r.points-num)
  = numbers 15
  english: the largest Points of all rows
(min all_rows r.points-num)
  = numbers -7.5
  english: the smallest Points of all rows
(max all_rows r.score-num2)
  = numbers 4
(min all_rows r.score-num2)
  = numbers 1
(max all_rows r.points-num) (filter< all_rows v0 r.points-num) (max v1 r.points-num)
  = numbers 12
(first all_rows) (max v0 r.points-num)
  not offered: v0
  = numbers 12
(filter> all_rows [99] r.points-num) (min v0 r.points-num)
  not offered: v0
  = numbers
(max all_rows ...
  offered only: r.points-num | r.score-num | r.score-num2
";
