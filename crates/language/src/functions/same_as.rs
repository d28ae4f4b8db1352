//! `same_as`: the other rows with the same value.

use super::offering::present;
use super::{Argument, Definition};
use crate::machine::{Arg, Machine};
use crate::telling::cells::{Cells, MOST_CELLS, Seen};
use crate::telling::english::Whose;
use crate::telling::sql::Select;
use mapo_tables::{NO_VALUE, RowSet, rows};

pub(super) const SAME_AS: Definition = Definition {
    name: "same_as",
    arguments: &[Argument::Rows, Argument::AnyColumn],
    offered: "there is exactly one row; it has a value in the column",
    summary: "the other rows with the same value in the column as the given row",
    triggers: &["same"],
    synonyms: &["share", "shared", "shares", "another", "tied", "tie", "equal"],
    about_these_rows: true,
    admits: |machine, args| machine.count(args[0].rows()) == 1 && present(machine, args),
    run,
    english: |phrase| {
        let column = phrase.column(phrase.call.column(1)).bare();
        let same = format!("other rows with the same {column}");
        match phrase.whose() {
            Whose::Previous => same,
            Whose::All | Whose::AllAgain => format!("{same} as some row"),
            Whose::Step(number) => format!("{same} as the row of step {number}"),
        }
    },
    sql,
    cells,
    cases: CASES,
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg]) {
    machine.make_rows(args[0].rows(), |new| {
        let column = new.subject.column(args[1].column());
        let (given, codes) = (new.given, column.codes());
        let values = || {
            rows::iter(given)
                .map(|row| codes.of(row))
                .filter(|code| *code != NO_VALUE)
        };
        // How many of the given rows have each value.
        let marks = new.marks.first(column.code_space());
        values().for_each(|code| marks[code as usize] += 1);
        let is_given = |row: usize| given[row / 64] >> (row % 64) & 1;
        for row in column.present().iter() {
            if marks[codes.of(row) as usize] > is_given(row) {
                new.place[row / 64] |= 1 << (row % 64);
            }
        }
        values().for_each(|code| marks[code as usize] = 0);
    });
}

fn sql(select: &mut Select<'_>) -> String {
    let (column, source) = (select.call.column(1), select.source());
    let (columns, all, row) = (select.columns(), &select.layout.table, &select.layout.row);
    let (one, other) = (select.key_of("r.", column), select.key_of("s.", column));
    format!(
        "SELECT {columns} FROM {all} AS r WHERE EXISTS \
         (SELECT 1 FROM {source} AS s WHERE {other} = {one} AND s.{row} <> r.{row})"
    )
}

/// That of the given row, and those of the others.
fn cells(seen: &Seen<'_>) -> Cells {
    let given = seen.members(seen.call.rows(0)).next();
    let same = seen.rows.into_iter().flat_map(RowSet::iter);
    let mut listed: Vec<usize> = given.into_iter().chain(same.take(MOST_CELLS)).collect();
    listed.sort_unstable();
    listed.dedup();
    let found = seen.rows.map_or(0, RowSet::len);
    let added = given.is_some_and(|given| seen.rows.is_none_or(|rows| !rows.contains(given)));
    seen.list(
        seen.call.column(1),
        listed.into_iter(),
        found + usize::from(added),
    )
}

const CASES: &str = r"
# same_as: the other rows with the same value.
(first all_rows) (same_as v0 r.team-str)
  = rows 3 | 6
  english: the first row of all → other rows with the same Team
(first all_rows) (same_as v0 r.points-num)
  = rows 3
(last all_rows) (same_as v0 r.points-num)
  = rows
(last all_rows) (same_as v0 r.player-str) (hop v1 r.points-num)
  = numbers 12
(filter_in all_rows ['dan'] r.player-str) (same_as v0 r.points-num)
  not offered: r.points-num
  = rows
(filter_in all_rows ['dan'] r.player-str) (same_as v0 r.note-str)
  = rows 2
(same_as all_rows r.team-str)
  not offered: same_as
  = rows 1 | 2 | 3 | 5 | 6
(filter_in all_rows ['blues'] r.team-str) (same_as v0 r.team-str)
  not offered: same_as
  = rows 2 | 5
";
