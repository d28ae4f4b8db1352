//! `hop`: what stands in a column.

use super::offering::{PRESENT, present};
use super::{Argument, Definition, Gives};
use crate::machine::{Machine, RowsRef};
use crate::telling::Rows;
use crate::telling::sql::{For, Select};
use mapo_tables::rows::words_for;
use mapo_tables::{ColumnId, NO_VALUE};

pub(super) const HOP: Definition = Definition {
    name: "hop",
    arguments: &[Argument::Rows, Argument::AnyColumn],
    gives: Gives::Values,
    offered: PRESENT,
    summary: "the values of the column in the rows, each once (on WikiSQL one for each row)",
    admits: present,
    run: |machine, args| {
        let hop = match machine.subject().like_sql() {
            true => hop_all,
            false => hop_once,
        };
        hop(machine, args[0].rows(), args[1].column());
    },
    english: |phrase| phrase.read_off(phrase.column(phrase.call.column(1)).full()),
    sql,
    cells: |seen| seen.present(&[seen.call.rows(0)], seen.call.column(1)),
    cases: CASES,
    ..Definition::BASE
};

/// Holds each value once, in the order of the rows, and says how many there are.
pub(super) fn hop_once(machine: &mut Machine, rows: RowsRef, column: ColumnId) -> usize {
    machine.make_values(rows, column, |new, rows| {
        let (column, codes) = (new.column, new.column.codes());
        let seen = new.marks.first(words_for(column.code_space()));
        for row in rows {
            if new.list.len() == column.values_len() {
                // All values that there are.
                break;
            }
            let code = codes.of(row);
            let (word, bit) = (code as usize / 64, 1 << (code % 64));
            if code != NO_VALUE && seen[word] & bit == 0 {
                seen[word] |= bit;
                new.list.push(code, column.text(row));
            }
        }
        for code in new.list.codes() {
            seen[*code as usize / 64] = 0;
        }
    })
}

/// The same with one value for each row that has one.
fn hop_all(machine: &mut Machine, rows: RowsRef, column: ColumnId) -> usize {
    machine.make_values(rows, column, |new, rows| {
        let codes = new.column.codes();
        for row in rows {
            let code = codes.of(row);
            if code != NO_VALUE {
                new.list.push(code, new.column.text(row));
            }
        }
    })
}

fn sql(select: &mut Select<'_>) -> String {
    let (column, source) = (select.call.column(1), select.source());
    let present = select.present(column);
    if select.purpose == For::Steps {
        let values = select.named_values(column);
        return format!("SELECT DISTINCT {values} FROM {source}{present}");
    }
    let (shown, row) = (select.shown(column), &select.layout.row);
    match (select.call.rows(0), select.like_sql) {
        (Rows::Step { one: true, .. }, _) => format!("SELECT {shown} FROM {source}{present}"),
        (_, true) => format!("SELECT {shown} FROM {source}{present} ORDER BY {row}"),
        _ => select.firsts(column, ""),
    }
}

const CASES: &str = r#"
# hop: each value once, in the order of the rows; rows without a value give none.
(hop all_rows r.player-str)
  = strings Anne | Bob | Cleo | Dan | Eve
  english: Player of all rows
(hop all_rows r.points-num)
  = numbers 12 | 15 | -7.5
(hop all_rows r.score-num2)
  = numbers 4 | 1 | 2
(hop all_rows r.note-str)
  = strings captain | "" | new | injured
(filter_in all_rows ['greens'] r.team-str) (hop v0 r.score-num)
  = numbers 2
  english: rows where Team contains 'greens' → the number in Score
# Dan has no points, so there is nothing to hop to.
(filter_in all_rows ['dan'] r.player-str) (hop v0 r.points-num)
  not offered: r.points-num
  = numbers
(filter> all_rows [99] r.points-num) (hop v0 r.player-str)
  not offered: v0
  = strings
(hop all_rows ...
  offered only: r.player-str | r.team-str | r.points-str | r.points-num | r.score-str | r.score-num | r.score-num2 | r.note-str
(filter_in all_rows ['reds'] r.team-str) (hop v0 r.points-num)
  v0 = rows 1 | 3 | 6
  = numbers 12 | -7.5
"#;
