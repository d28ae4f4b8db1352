//! `mode`: the most common value of a column.

use super::offering::{SEVERAL_PRESENT, several_present};
use super::{Argument, Definition, Gives};
use crate::machine::{Arg, Machine};
use crate::telling::cells::{Cells, Seen};
use crate::telling::sql::{For, Select};
use mapo_tables::NO_VALUE;

pub(super) const MODE: Definition = Definition {
    name: "mode",
    arguments: &[Argument::Rows, Argument::AnyColumn],
    gives: Gives::Values,
    offered: SEVERAL_PRESENT,
    admits: several_present,
    summary: "the value that most of the rows have in the column, all that tie",
    triggers: &["most"],
    synonyms: &["common", "commonly", "often", "frequent", "frequently"],
    run,
    english: |phrase| {
        let column = phrase.column(phrase.call.column(1)).bare();
        phrase.read_off(format_args!("the most common {column}"))
    },
    sql,
    cells,
    cases: CASES,
    ..Definition::BASE
};

fn run(machine: &mut Machine, args: &[Arg]) {
    machine.make_values(args[0].rows(), args[1].column(), |new, rows| {
        let (column, codes) = (new.column, new.column.codes());
        let counts = new.marks.first(column.code_space());
        let mut most = 0;
        for row in rows {
            let code = codes.of(row);
            if code != NO_VALUE {
                let count = &mut counts[code as usize];
                *count += 1;
                most = most.max(*count);
                if *count == 1 {
                    new.list.push(code, column.text(row));
                }
            }
        }
        new.list
            .retain(|code| std::mem::take(&mut counts[code as usize]) == most);
    });
}

fn sql(select: &mut Select<'_>) -> String {
    let (column, source) = (select.call.column(1), select.source());
    let (key, present) = (select.key(column), select.present(column));
    let having = format!(
        " HAVING count(*) = (SELECT count(*) FROM {source}{present} GROUP BY {key} ORDER BY count(*) DESC LIMIT 1)"
    );
    match select.purpose {
        For::Answer => select.firsts(column, &having),
        For::Steps => {
            let values = select.named_values(column);
            format!(
                "SELECT DISTINCT {values} FROM {source} \
                 WHERE {key} IN (SELECT {key} FROM {source}{present} GROUP BY {key}{having})"
            )
        }
    }
}

/// Those with one of the values.
fn cells(seen: &Seen<'_>) -> Cells {
    let (rows, column) = (seen.call.rows(0), seen.call.column(1));
    let typed = seen.table.column(column);
    let mut counts = vec![0u32; typed.code_space()];
    let codes = seen
        .members(rows)
        .map(|row| typed.code(row))
        .filter(|code| *code != NO_VALUE);
    codes.for_each(|code| counts[code as usize] += 1);
    let most = counts.iter().copied().max().unwrap_or(0);
    let is_common = |row: &usize| {
        let count = counts.get(typed.code(*row) as usize);
        count.is_some_and(|count| *count == most && most > 0)
    };
    seen.count(column, seen.members(rows).filter(is_common))
}

const CASES: &str = r#"
# mode: all values that tie, in the order of the rows.
(mode all_rows r.team-str)
  = strings Reds
  english: the most common Team of all rows
(mode all_rows r.points-num)
  = numbers 12 | 15
(mode all_rows r.player-str)
  = strings Anne
(mode all_rows r.note-str)
  = strings captain | ""
(mode all_rows r.score-num)
  = numbers 3 | 4 | 0 | 2 | 5 | 1
(mode all_rows r.score-num2)
  = numbers 1
(first all_rows) (mode v0 r.team-str)
  not offered: v0
  = strings Reds
(mode all_rows r.team-str) (filter_in all_rows v0 r.team-str) (count v1)
  = numbers 3
"#;
