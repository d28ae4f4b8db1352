//! `argmax` and `argmin`: the rows at one end of a column.

use super::offering::{SEVERAL_PRESENT, several_present};
use super::{Argument, Definition};
use crate::machine::{Machine, NewRows, RowsRef};
use crate::order::Extreme;
use crate::telling::english::Phrase;
use mapo_tables::rows;
use mapo_tables::{ColumnId, Dictionary, NO_VALUE};
use mapo_text::Date;

pub(super) const ARGMAX: Definition = Definition {
    name: "argmax",
    summary: "the rows with the largest value in the column, all that tie",
    run: |machine, args| argmost(machine, args[0].rows(), args[1].column(), Extreme::Largest),
    english: |phrase| english(phrase, Extreme::Largest),
    sql: |select| {
        let condition = select.is_most(select.call.column(1), Extreme::Largest);
        select.rows_where(&condition)
    },
    cases: CASES,
    ..ARGMOST
};

pub(super) const ARGMIN: Definition = Definition {
    name: "argmin",
    summary: "the rows with the smallest value in the column, all that tie",
    run: |machine, args| argmost(machine, args[0].rows(), args[1].column(), Extreme::Smallest),
    english: |phrase| english(phrase, Extreme::Smallest),
    sql: |select| {
        let condition = select.is_most(select.call.column(1), Extreme::Smallest);
        select.rows_where(&condition)
    },
    ..ARGMOST
};

/// What both have in common.
const ARGMOST: Definition = Definition {
    arguments: &[Argument::Rows, Argument::OrderedColumn],
    offered: SEVERAL_PRESENT,
    admits: several_present,
    triggers: &["JJR", "JJS", "RBR", "RBS", "top", "first", "bottom", "last"],
    synonyms: &[
        "final", "maximum", "minimum", "record", "peak", "leading", "winning",
    ],
    cells: |seen| seen.kept(seen.call.column(1)),
    ..Definition::BASE
};

pub(super) fn argmost(machine: &mut Machine, rows: RowsRef, column: ColumnId, extreme: Extreme) {
    let best = best_code(machine, rows, column, extreme);
    machine.make_rows(rows, |new| {
        let column = new.subject.column(column);
        let codes = column.codes();
        if let (Dictionary::Dates(dates), false) = (column.dictionary(), column.codes_are_ordered()) {
            insert_unbeaten(new, dates, |row| codes.of(row), extreme);
        }
        // Dates that know different parts can beat each other in a circle; their codes cannot.
        if let (true, Some(best)) = (rows::first(new.place).is_none(), best) {
            rows::iter(new.given)
                .filter(|row| codes.of(*row) == best)
                .for_each(|row| new.insert(row));
        }
    });
}

/// The largest or smallest code.
pub(super) fn best_code(machine: &Machine, rows: RowsRef, column: ColumnId, extreme: Extreme) -> Option<u32> {
    let codes = machine.column(column).codes();
    let codes = machine
        .rows(rows)
        .map(|row| codes.of(row))
        .filter(|code| *code != NO_VALUE);
    match extreme {
        Extreme::Largest => codes.max(),
        Extreme::Smallest => codes.min(),
    }
}

/// Adds the rows whose date no other row's beats. Dates are compared by the parts that both know, so the best
/// of the dates that know the same parts is kept for each choice of parts: that is enough to tell whether one
/// of them beats a given date.
fn insert_unbeaten(new: &mut NewRows<'_>, dates: &[Date], code: impl Fn(usize) -> u32, extreme: Extreme) {
    const CHOICES: usize = 8;
    let beats = |a: Date, b: Date| match extreme {
        Extreme::Largest => a.key() > b.key(),
        Extreme::Smallest => a.key() < b.key(),
    };
    let given = new.given;
    let dated = || rows::iter(given).filter_map(|row| Some((row, *dates.get(code(row) as usize)?)));
    let mut best: [[Option<Date>; CHOICES]; CHOICES] = Default::default();
    for (_, date) in dated() {
        for (parts, best) in (0..).zip(&mut best[date.known() as usize]) {
            let date = date.only(parts);
            if best.is_none_or(|best| beats(date, best)) {
                *best = Some(date);
            }
        }
    }
    let beaten = |date: Date| {
        best.iter().zip(0..).any(|(best, known)| {
            let common = known & date.known();
            best[common as usize].is_some_and(|best| beats(best, date.only(common)))
        })
    };
    dated()
        .filter(|(_, date)| !beaten(*date))
        .for_each(|(row, _)| new.insert(row));
}

fn english(phrase: &Phrase<'_>, extreme: Extreme) -> String {
    let with = format!("with {}", phrase.best(phrase.call.column(1), extreme));
    phrase.kept(&with, &with)
}

const CASES: &str = r"
# argmax, argmin: all rows that tie.
(argmax all_rows r.points-num)
  = rows 2 | 5
  english: rows with the largest Points
(argmin all_rows r.points-num)
  = rows 6
  english: rows with the smallest Points
(argmax all_rows r.score-num2)
  = rows 1 | 2
(argmin all_rows r.score-num2)
  = rows 3 | 5 | 6
(filter_in all_rows ['reds'] r.team-str) (argmax v0 r.points-num)
  = rows 1 | 3
(argmax all_rows r.points-num) (argmin v0 r.score-num) (hop v1 r.player-str)
  = strings Bob
  english: rows with the largest Points → keep those with the smallest number in Score → Player
(first all_rows) (argmax v0 r.points-num)
  not offered: v0
  = rows 1
(argmax all_rows ...
  offered only: r.points-num | r.score-num | r.score-num2
(filter> all_rows [99] r.points-num) (argmin v0 r.points-num)
  not offered: v0
  = rows
";
