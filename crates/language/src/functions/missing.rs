//! Cells without a value: `filter_missing` and `filter_given`.

use super::{Argument, Definition};
use crate::machine::{Arg, Machine, filled};
use crate::telling::english::Phrase;
use crate::telling::sql::Select;
use mapo_tables::ColumnKind;

pub(super) const FILTER_MISSING: Definition = Definition {
    name: "filter_missing",
    summary: "the rows without a value in the column; of texts those whose cell is empty",
    triggers: &["without", "no", "missing", "empty"],
    synonyms: &[
        "blank", "lack", "lacks", "lacking", "unknown", "none", "not", "n't", "never",
    ],
    run: |machine, args| run(machine, args, false),
    english: |phrase| english(phrase, "without"),
    sql: |select| sql(select, false),
    cases: CASES,
    ..PRESENCE
};

pub(super) const FILTER_GIVEN: Definition = Definition {
    name: "filter_given",
    summary: "the rows with a value in the column; of texts those whose cell is not empty",
    triggers: &["given", "known", "listed", "any"],
    synonyms: &["available", "recorded", "has", "have"],
    run: |machine, args| run(machine, args, true),
    english: |phrase| english(phrase, "with"),
    sql: |select| sql(select, true),
    ..PRESENCE
};

/// What both have in common.
const PRESENCE: Definition = Definition {
    arguments: &[Argument::Rows, Argument::AnyColumn],
    offered: "some of the rows have a value in the column and some not; or there is one row, and in the \
              table it is so",
    admits: |machine, args| match args {
        [rows, column] => {
            let mixed = |rows: Arg| {
                let filled = machine.filled(rows.rows(), column.column());
                filled > 0 && filled < machine.count(rows.rows())
            };
            match machine.count(rows.rows()) {
                1 => mixed(Arg::ALL_ROWS),
                _ => mixed(*rows),
            }
        }
        _ => machine.count(args[0].rows()) > 0,
    },
    condition: true,
    not_in_toy: Some("the tables of the built-in dataset miss nothing"),
    cells: |seen| seen.kept(seen.call.column(1)),
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg], wanted: bool) {
    let flip = if wanted { 0 } else { u64::MAX };
    machine.make_rows(args[0].rows(), |new| {
        let filled = filled(new.subject.table(), args[1].column());
        for ((out, given), filled) in new.place.iter_mut().zip(new.given).zip(filled.words()) {
            *out = given & (filled ^ flip);
        }
    });
}

fn english(phrase: &Phrase<'_>, with: &str) -> String {
    let column = phrase.column(phrase.call.column(1));
    let (of_rows, of_those) = (
        format!("{with} a value in {}", column.full()),
        format!("{with} a value in {}", column.full()),
    );
    phrase.kept(&of_rows, &of_those)
}

fn sql(select: &mut Select<'_>, wanted: bool) -> String {
    let column = select.call.column(1);
    let key = select.key(column);
    let is_text = select.table.column(column).kind() == ColumnKind::Text;
    select.rows_where(&match (is_text, wanted) {
        (true, false) => format!("{key} = ''"),
        (true, true) => format!("{key} <> ''"),
        (false, false) => format!("{key} IS NULL"),
        (false, true) => format!("{key} IS NOT NULL"),
    })
}

const CASES: &str = r"
# filter_missing, filter_given: the empty cell is a text without a value.
(filter_missing all_rows r.note-str)
  = rows 2 | 4
  english: rows without a value in Note
(filter_given all_rows r.note-str)
  = rows 1 | 3 | 5 | 6
  english: rows with a value in Note
(filter_missing all_rows r.points-num) (hop v0 r.player-str)
  = strings Dan
  english: rows without a value in Points → Player
(filter_given all_rows r.points-num) (filter_missing v0 r.note-str)
  = rows 2
  english: rows with a value in Points → keep those without a value in Note
# Every player has a team.
(filter_missing all_rows r.team-str)
  not offered: r.team-str
  = rows
# To one row it can be put, so that the answer can be no.
(first all_rows) (filter_given v0 r.note-str) (any v1)
  = strings yes
(first all_rows) (filter_missing v0 r.note-str) (any v1)
  = strings no
(filter_missing all_rows ...
  offered only: r.points-str | r.points-num | r.note-str
(filter_missing all_rows r.note-str) (filter_missing v0 r.note-str)
  not offered: r.note-str
  = rows 2 | 4
(filter> all_rows [99] r.points-num) (filter_given v0 r.note-str)
  not offered: v0
  = rows
";
