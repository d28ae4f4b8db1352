//! The filters that look for strings: `filter_in` and `filter_!in`.

use super::offering::{all_related, several_related};
use super::{Argument, Definition};
use crate::machine::{Arg, Machine, Relation};
use crate::sql_table::quote;
use crate::telling::Values;
use crate::telling::english::{Phrase, Whose};
use crate::telling::sql::Select;
use mapo_tables::ColumnId;
use mapo_tables::Constant;

/// Words that ask for the other rows, and further ones that say the same.
pub(super) const NOT: &[&str] = &["not", "other", "besides"];
pub(super) const NOT_TOO: &[&str] = &[
    "except",
    "excluding",
    "else",
    "without",
    "never",
    "n't",
    "apart",
    "aside",
];

pub(super) const FILTER_IN: Definition = Definition {
    name: "filter_in",
    summary: "the rows whose text in the column contains the string, or any of several",
    is_idle: |machine, args| all_related(machine, args, Relation::Contains),
    run: |machine, args| run(machine, args, true),
    english: |phrase| phrase.kept_where(phrase.call.column(2), &format!("contains {}", strings(phrase))),
    sql: |select| sql(select, true),
    cases: CASES,
    ..CONTAIN
};

pub(super) const FILTER_NOT_IN: Definition = Definition {
    name: "filter_!in",
    summary: "the rows whose text in the column contains none of the strings",
    triggers: NOT,
    synonyms: NOT_TOO,
    run: |machine, args| run(machine, args, false),
    english: |phrase| english_not(phrase, "contains", "does not contain"),
    sql: |select| sql(select, false),
    ..CONTAIN
};

/// What both have in common.
const CONTAIN: Definition = Definition {
    arguments: &[Argument::Rows, Argument::Strings, Argument::TextColumn],
    offered: "there is more than one row; the column contains one of the strings in some",
    admits: |machine, args| several_related(machine, args, Relation::Contains),
    condition: true,
    is_double: |machine, args| match args {
        [rows, strings, column] => {
            machine.contains_only_whole(rows.rows(), strings.values(), column.column())
        }
        _ => false,
    },
    cells: |seen| seen.kept(seen.call.column(2)),
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg], wanted: bool) {
    let (rows, strings, column) = (args[0].rows(), args[1].values(), args[2].column());
    machine.filter(rows, strings, column, Relation::Contains, wanted);
}

/// The strings that are looked for, in words.
pub(super) fn strings(phrase: &Phrase<'_>) -> String {
    phrase.given(phrase.call.values(1), " or ", "one of those", "a value")
}

/// What a filter says that keeps the other rows: what those do that are dropped, and what those do not that
/// are kept.
pub(super) fn english_not(phrase: &Phrase<'_>, does: &str, does_not: &str) -> String {
    let (column, strings) = (phrase.call.column(2), strings(phrase));
    match phrase.whose() {
        Whose::Previous => {
            let column = phrase.column(column).bare();
            format!("drop those whose {column} {does} {strings}")
        }
        _ => phrase.kept_where(column, &format!("{does_not} {strings}")),
    }
}

fn sql(select: &mut Select<'_>, wanted: bool) -> String {
    let column = select.call.column(2);
    match select.call.values(1) {
        Values::Constant(constant) => select.rows_where(&with_constant(select, constant, column, wanted)),
        Values::Step { step, .. } => {
            let (not, text) = (if wanted { "" } else { "NOT " }, select.key_of("r.", column));
            select.named_rows_where(&format!(
                "{not}EXISTS (SELECT 1 FROM v{step} WHERE instr({text}, v{step}.value) > 0)"
            ))
        }
    }
}

/// The condition that a text contains one of the strings, or none.
fn with_constant(select: &Select<'_>, constant: &Constant, column: ColumnId, wanted: bool) -> String {
    let Constant::Strings(strings) = constant else {
        return "FALSE".to_owned();
    };
    let text = select.key(column);
    let (relation, join, nothing) = match wanted {
        true => (">", " OR ", "FALSE"),
        false => ("=", " AND ", "TRUE"),
    };
    let conditions = strings
        .iter()
        .map(|string| format!("instr({text}, {}) {relation} 0", quote::text(string)));
    let conditions: Vec<String> = conditions.collect();
    match conditions.is_empty() {
        true => nothing.to_owned(),
        false => conditions.join(join),
    }
}

const CASES: &str = r"
# filter_in, filter_!in: plain substrings, any of a list.
(filter_in all_rows ['reds'] r.team-str)
  = rows 1 | 3 | 6
  english: rows where Team contains 'reds'
(filter_in all_rows ['e'] r.player-str)
  = rows 1 | 3 | 5 | 6
(filter_!in all_rows ['e'] r.player-str)
  = rows 2 | 4
  english: rows where Player does not contain 'e'
(filter_in all_rows ['blues', 'greens'] r.team-str)
  = rows 2 | 4 | 5
  english: rows where Team contains 'blues' or 'greens'
(filter_!in all_rows ['blues', 'greens'] r.team-str)
  = rows 1 | 3 | 6
(filter_in all_rows ['nobody'] r.player-str)
  not offered: ['nobody']
  = rows
(filter_!in all_rows ['nobody'] r.player-str)
  not offered: ['nobody']
  = rows 1 | 2 | 3 | 4 | 5 | 6
(filter_in all_rows ['nobody', 'dan'] r.player-str)
  = rows 4
# Cells are in normal form, constants are taken as they are.
(filter_in all_rows ['Reds'] r.team-str)
  not offered: ['Reds']
  = rows
(filter_in all_rows ['reds'] ...
  offered only: r.team-str
(filter_in all_rows ...
  offered: ['reds']
  not offered: ['nobody'] | [12]
(first all_rows) (filter_in v0 ['reds'] r.team-str)
  not offered: v0
  = rows 1
# The empty string is in every cell.
(filter_in all_rows [''] r.note-str)
  = rows 1 | 2 | 3 | 4 | 5 | 6
(filter_!in all_rows [''] r.note-str)
  = rows
# Numbers are text in a text column.
(filter_in all_rows ['12'] r.points-str)
  = rows 1 | 3
(filter_in all_rows ['-'] r.score-str)
  = rows 1 | 2 | 3 | 4 | 5 | 6
";
