//! Rows by their rank: `largest`, `smallest`, `nth_largest` and `nth_smallest`.
//!
//! Dates are ranked by year, month and day, an unknown part before every known one.

use super::{Argument, Definition};
use crate::machine::{Arg, Machine, RowsRef};
use crate::order::Extreme;
use crate::telling::Number;
use crate::telling::english::Phrase;
use crate::telling::sql::Select;
use mapo_tables::rows::words_for;
use mapo_tables::{ColumnId, NO_VALUE, rows};

pub(super) const LARGEST: Definition = Definition {
    name: "largest",
    summary: "the rows with so many of the largest values in the column, those that tie with the last of \
              them too",
    triggers: &["JJS", "RBS", "top", "most"],
    synonyms: &["best", "first", "leading", "latest", "last", "recent"],
    run: |machine, args| top(machine, args, Extreme::Largest),
    english: |phrase| english_top(phrase, Extreme::Largest),
    sql: |select| sql_top(select, Extreme::Largest),
    cases: CASES,
    ..TOP
};

pub(super) const SMALLEST: Definition = Definition {
    name: "smallest",
    summary: "the rows with so many of the smallest values in the column, those that tie with the last of \
              them too",
    triggers: &["JJS", "RBS", "bottom", "least"],
    synonyms: &["worst", "fewest", "first", "earliest", "last"],
    run: |machine, args| top(machine, args, Extreme::Smallest),
    english: |phrase| english_top(phrase, Extreme::Smallest),
    sql: |select| sql_top(select, Extreme::Smallest),
    ..TOP
};

pub(super) const NTH_LARGEST: Definition = Definition {
    name: "nth_largest",
    summary: "the rows with the second, third, … largest of the different values in the column",
    run: |machine, args| nth(machine, args, Extreme::Largest),
    english: |phrase| english_nth(phrase, Extreme::Largest),
    sql: |select| sql_nth(select, Extreme::Largest),
    ..NTH
};

pub(super) const NTH_SMALLEST: Definition = Definition {
    name: "nth_smallest",
    summary: "the rows with the second, third, … smallest of the different values in the column",
    run: |machine, args| nth(machine, args, Extreme::Smallest),
    english: |phrase| english_nth(phrase, Extreme::Smallest),
    sql: |select| sql_nth(select, Extreme::Smallest),
    ..NTH
};

/// What all have in common.
const RANKED: Definition = Definition {
    arguments: &[Argument::Rows, Argument::NumberConstant, Argument::OrderedColumn],
    not_in_toy: Some("the questions of the built-in dataset stay as they were before it"),
    cells: |seen| seen.kept(seen.call.column(2)),
    ..Definition::BASE
};

const TOP: Definition = Definition {
    offered: "the number is whole and at least 2; more rows than that have a value in the column",
    admits: |machine, args| {
        let rows = args[0].rows();
        match (args, rank(machine, args)) {
            ([_], _) => machine.count(rows) > 2,
            ([_, _], Some(rank)) => (2..machine.count(rows)).contains(&rank),
            ([_, _, column], Some(rank)) => rank < machine.filled(rows, column.column()),
            _ => false,
        }
    },
    ..RANKED
};

const NTH: Definition = Definition {
    triggers: &["second", "third", "fourth", "fifth", "2nd", "3rd", "4th", "5th"],
    synonyms: &[
        "sixth", "seventh", "eighth", "ninth", "tenth", "6th", "7th", "8th", "9th", "10th",
    ],
    offered: "the number is whole and at least 2; the column has so many different values in the rows",
    admits: |machine, args| {
        let rows = args[0].rows();
        match (args, rank(machine, args)) {
            ([_], _) => machine.count(rows) > 1,
            ([_, _], Some(rank)) => (2..=machine.count(rows)).contains(&rank),
            ([_, _, column], Some(rank)) => has_values(machine, rows, column.column(), rank),
            _ => false,
        }
    },
    ..RANKED
};

/// The number that is given, if it is a rank.
fn rank(machine: &Machine, args: &[Arg]) -> Option<usize> {
    let number = machine.number(args.get(1)?.values())?;
    as_rank(number)
}

/// More than any rank that a table has a row for is as good as this.
const LAST: f64 = 4e9;

fn as_rank(number: f64) -> Option<usize> {
    let whole = number.fract() == 0.0 && number >= 1.0;
    whole.then_some(number.min(LAST) as usize)
}

/// How many codes are looked for at once: a bit each, in a few words on the stack.
const WINDOW: u32 = 4096;

/// Whether the column has so many different values in the rows.
fn has_values(machine: &Machine, rows: RowsRef, column: ColumnId, wanted: usize) -> bool {
    let column = machine.column(column);
    let codes = column.codes();
    column.values_len() >= wanted
        && has_codes(
            || {
                machine
                    .rows(rows)
                    .map(|row| codes.of(row))
                    .filter(|code| *code != NO_VALUE)
            },
            wanted,
        )
}

/// Whether there are so many different codes. Each pass counts those of one window, which begins at the lowest that is
/// not counted yet, so that nothing is allocated and a rank in the hundreds takes one pass over a large table, not hundreds.
fn has_codes<I: Iterator<Item = u32>>(codes: impl Fn() -> I, wanted: usize) -> bool {
    let (mut known, mut base) = (0, codes().min());
    while known < wanted {
        let Some(from) = base else {
            return false;
        };
        mapo_stopping::check();
        let (mut seen, mut beyond) = ([0_u64; WINDOW as usize / 64], None::<u32>);
        for code in codes().filter(|code| *code >= from) {
            match code - from {
                place @ 0..WINDOW => seen[place as usize / 64] |= 1 << (place % 64),
                _ => beyond = Some(beyond.map_or(code, |least| least.min(code))),
            }
        }
        known += rows::count(&seen);
        base = beyond;
    }
    true
}

/// Keeps the rows whose codes are at one end: all up to the one at which so many rows are reached.
fn top(machine: &mut Machine, args: &[Arg], extreme: Extreme) {
    let rank = rank(machine, args);
    machine.make_rows(args[0].rows(), |new| {
        let (Some(rank), column) = (rank, new.subject.column(args[2].column())) else {
            return;
        };
        let (codes, given, space) = (column.codes(), new.given, column.code_space());
        let valued = || rows::iter(given).filter(|row| codes.of(*row) != NO_VALUE);
        let counts = new.marks.first(space);
        valued().for_each(|row| counts[codes.of(row) as usize] += 1);
        let mut reached = 0;
        for place in 0..space {
            let code = from_end(place, space, extreme);
            let count = std::mem::take(&mut counts[code]);
            // What is kept stays marked.
            if reached < rank && count > 0 {
                reached += count as usize;
                counts[code] = 1;
            }
        }
        for row in valued() {
            if counts[codes.of(row) as usize] == 1 {
                new.place[row / 64] |= 1 << (row % 64);
            }
        }
        counts.fill(0);
    });
}

/// Keeps the rows of one code, by its rank.
fn nth(machine: &mut Machine, args: &[Arg], extreme: Extreme) {
    let rank = rank(machine, args);
    machine.make_rows(args[0].rows(), |new| {
        let (Some(rank), column) = (rank, new.subject.column(args[2].column())) else {
            return;
        };
        let (codes, given, space) = (column.codes(), new.given, column.code_space());
        let valued = || rows::iter(given).filter(|row| codes.of(*row) != NO_VALUE);
        let seen = new.marks.first(words_for(space));
        valued().for_each(|row| seen[codes.of(row) as usize / 64] |= 1 << (codes.of(row) % 64));
        let ordered = (0..space).map(|place| from_end(place, space, extreme));
        let wanted = ordered
            .filter(|code| seen[code / 64] >> (code % 64) & 1 == 1)
            .nth(rank - 1);
        seen.fill(0);
        for row in valued() {
            if Some(codes.of(row) as usize) == wanted {
                new.place[row / 64] |= 1 << (row % 64);
            }
        }
    });
}

fn from_end(place: usize, space: usize, extreme: Extreme) -> usize {
    match extreme {
        Extreme::Largest => space - 1 - place,
        Extreme::Smallest => place,
    }
}

fn given(number: Number) -> f64 {
    match number {
        Number::Constant(number) => number,
        Number::Step { .. } => f64::NAN,
    }
}

fn english_top(phrase: &Phrase<'_>, extreme: Extreme) -> String {
    let (column, rank) = (phrase.call.column(2), given(phrase.call.number(1)));
    let (which, name) = (phrase.which(column, extreme), phrase.column(column).bare());
    let with = format!("with the {rank} {which} {name}");
    phrase.kept(&with, &with)
}

fn english_nth(phrase: &Phrase<'_>, extreme: Extreme) -> String {
    let (column, rank) = (phrase.call.column(2), given(phrase.call.number(1)));
    let (which, name) = (phrase.which(column, extreme), phrase.column(column).bare());
    let ending = match as_rank(rank).map_or(0, |rank| if rank / 10 % 10 == 1 { 0 } else { rank % 10 }) {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    let with = format!("with the {rank}{ending} {which} {name}");
    phrase.kept(&with, &with)
}

fn sql_top(select: &mut Select<'_>, extreme: Extreme) -> String {
    let Some(rank) = as_rank(given(select.call.number(1))) else {
        return select.rows_where("FALSE");
    };
    let (column, source) = (select.call.column(2), select.source());
    let (key, present, order) = (
        select.key(column),
        select.present(column),
        select.ranking(column, extreme),
    );
    select.rows_where(&format!(
        "{key} IN (SELECT {key} FROM {source}{present} ORDER BY {order} LIMIT {rank})"
    ))
}

fn sql_nth(select: &mut Select<'_>, extreme: Extreme) -> String {
    let Some(rank) = as_rank(given(select.call.number(1))) else {
        return select.rows_where("FALSE");
    };
    let (column, source, before) = (select.call.column(2), select.source(), rank - 1);
    let (key, present, order) = (
        select.key(column),
        select.present(column),
        select.ranking(column, extreme),
    );
    let grouped = select.ranked_by(column);
    select.rows_where(&format!(
        "{key} = (SELECT {key} FROM {source}{present} GROUP BY {grouped} ORDER BY {order} LIMIT 1 OFFSET {before})"
    ))
}

const CASES: &str = r"
# largest, smallest: as many rows as asked for, and those that tie with the last.
(largest all_rows [2] r.points-num)
  = rows 2 | 5
  english: rows with the 2 largest Points
(largest all_rows [3] r.points-num)
  = rows 1 | 2 | 3 | 5
(smallest all_rows [2] r.points-num)
  = rows 1 | 3 | 6
  english: rows with the 2 smallest Points
(smallest all_rows [2] r.score-num) (hop v0 r.player-str)
  = strings Cleo | Anne
  english: rows with the 2 smallest number in Score → Player
# Five have points.
(largest all_rows [5] r.points-num)
  not offered: r.points-num
  = rows 1 | 2 | 3 | 5 | 6
(largest all_rows [1] r.points-num)
  not offered: largest
  = rows 2 | 5
(largest all_rows [99] r.points-num)
  not offered: largest
  = rows 1 | 2 | 3 | 5 | 6
(largest all_rows [2.5] r.points-num)
  not offered: largest
  = rows
(largest all_rows [2, 3] r.points-num)
  error at 19: a constant of one number
(filter_is all_rows ['blues'] r.team-str) (smallest v0 [2] r.score-num)
  not offered: v0
  = rows 2 | 5

# nth_largest, nth_smallest: by different values.
(nth_largest all_rows [2] r.points-num)
  = rows 1 | 3
  english: rows with the 2nd largest Points
(nth_smallest all_rows [2] r.points-num)
  = rows 1 | 3
  english: rows with the 2nd smallest Points
(nth_largest all_rows [3] r.points-num) (hop v0 r.player-str)
  = strings Anne
  english: rows with the 3rd largest Points → Player
(nth_largest all_rows [4] r.points-num)
  not offered: r.points-num
  = rows
(nth_smallest all_rows [3] r.score-num2)
  = rows 1 | 2
(nth_smallest all_rows [1] r.points-num)
  not offered: nth_smallest
  = rows 6
(first all_rows) (nth_largest v0 [2] r.points-num)
  not offered: v0
  = rows
";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn different_codes_are_counted_as_a_set_counts_them(codes in vec(0..40_000_u32, 0..300), near in vec(0..30_u32, 0..300), wanted in 0..400_usize) {
            let codes: Vec<u32> = codes.into_iter().chain(near).collect();
            let different: BTreeSet<u32> = codes.iter().copied().collect();
            prop_assert_eq!(has_codes(|| codes.iter().copied(), wanted), different.len() >= wanted);
        }
    }

    #[test]
    fn a_high_rank_takes_few_passes_over_the_rows() {
        let passes = std::cell::Cell::new(0);
        let codes = || {
            passes.set(passes.get() + 1);
            (0..100_000_u32).rev()
        };
        assert!(has_codes(codes, 4096));
        assert_eq!(passes.get(), 2);
    }
}
