//! The filters that compare: `filter>`, `filter>=`, `filter<`, `filter<=`, `filter=` and `filter!=`.

use super::offering::{all_related, several_related};
use super::{Argument, Definition};
use crate::machine::{Arg, Machine, Relation};
use crate::order::Comparison;
use crate::sql_table::{Reading, quote};
use crate::telling::Values;
use crate::telling::english::Phrase;
use crate::telling::sql::{PARTS, Select, dates};
use mapo_tables::Constant;
use mapo_tables::{ColumnId, ColumnKind};
use mapo_text::Date;

pub(super) const GREATER: Definition = Definition {
    name: "filter>",
    summary: "the rows whose value in the column is above the given one",
    run: |machine, args| run(machine, args, Comparison::Greater),
    is_idle: |machine, args| all_related(machine, args, Relation::Greater),
    english: |phrase| english(phrase, Comparison::Greater),
    sql: |select| sql(select, Comparison::Greater),
    cases: CASES,
    ..ABOVE
};

pub(super) const AT_LEAST: Definition = Definition {
    name: "filter>=",
    summary: "the rows whose value in the column is the given one or above",
    run: |machine, args| run(machine, args, Comparison::AtLeast),
    is_idle: |machine, args| all_related(machine, args, Relation::AtLeast),
    english: |phrase| english(phrase, Comparison::AtLeast),
    sql: |select| sql(select, Comparison::AtLeast),
    ..ABOVE
};

pub(super) const LESS: Definition = Definition {
    name: "filter<",
    summary: "the rows whose value in the column is below the given one",
    run: |machine, args| run(machine, args, Comparison::Less),
    is_idle: |machine, args| all_related(machine, args, Relation::Less),
    english: |phrase| english(phrase, Comparison::Less),
    sql: |select| sql(select, Comparison::Less),
    ..BELOW
};

pub(super) const AT_MOST: Definition = Definition {
    name: "filter<=",
    summary: "the rows whose value in the column is the given one or below",
    run: |machine, args| run(machine, args, Comparison::AtMost),
    is_idle: |machine, args| all_related(machine, args, Relation::AtMost),
    english: |phrase| english(phrase, Comparison::AtMost),
    sql: |select| sql(select, Comparison::AtMost),
    ..BELOW
};

pub(super) const EQUAL: Definition = Definition {
    name: "filter=",
    summary: "the rows whose value in the column is the given one",
    run: |machine, args| run(machine, args, Comparison::Equal),
    is_idle: |machine, args| all_related(machine, args, Relation::Equal),
    english: |phrase| english(phrase, Comparison::Equal),
    sql: |select| sql(select, Comparison::Equal),
    ..EQUALITY
};

pub(super) const NOT_EQUAL: Definition = Definition {
    name: "filter!=",
    summary: "the rows whose value in the column is another than the given one, or missing",
    run: |machine, args| run(machine, args, Comparison::NotEqual),
    english: |phrase| english(phrase, Comparison::NotEqual),
    sql: |select| sql(select, Comparison::NotEqual),
    ..EQUALITY
};

/// What all have in common.
const COMPARE: Definition = Definition {
    arguments: &[Argument::Rows, Argument::Quantity, Argument::OrderedColumn],
    admits: |machine, args| match args {
        [_, quantity, column] => machine.fits(quantity.values(), column.column()),
        _ => true,
    },
    condition: true,
    cells: |seen| seen.kept(seen.call.column(2)),
    ..Definition::BASE
};

const ABOVE: Definition = Definition {
    triggers: &["RBR", "JJR", "more", "than", "least", "above", "after"],
    synonyms: &[
        "over", "exceed", "exceeds", "exceeded", "since", "between", "beyond", "past", "minimum",
    ],
    ..COMPARE
};

const BELOW: Definition = Definition {
    triggers: &["RBR", "JJR", "less", "than", "most", "below", "before", "under"],
    synonyms: &["between", "until", "prior", "within", "maximum"],
    ..COMPARE
};

const EQUALITY: Definition = Definition {
    offered: "there is more than one row; some have that value in the column",
    admits: |machine, args| several_related(machine, args, Relation::Equal),
    ..COMPARE
};

fn run(machine: &mut Machine, args: &[Arg], comparison: Comparison) {
    let (relation, wanted) = match comparison {
        Comparison::Greater => (Relation::Greater, true),
        Comparison::AtLeast => (Relation::AtLeast, true),
        Comparison::Less => (Relation::Less, true),
        Comparison::AtMost => (Relation::AtMost, true),
        Comparison::Equal => (Relation::Equal, true),
        Comparison::NotEqual => (Relation::NotDifferent, false),
    };
    machine.filter(
        args[0].rows(),
        args[1].values(),
        args[2].column(),
        relation,
        wanted,
    );
}

fn english(phrase: &Phrase<'_>, comparison: Comparison) -> String {
    let column = phrase.call.column(2);
    // A comparison is with all of several values.
    let joint = match comparison {
        Comparison::Equal | Comparison::NotEqual => " and also ",
        _ => " and ",
    };
    let given = phrase.given(phrase.call.values(1), joint, "all of those", "all values");
    let is_date = phrase.table.column(column).kind() == ColumnKind::Date;
    let holds = match (comparison, is_date) {
        (Comparison::Greater, true) => format!("is after {given}"),
        (Comparison::Greater, false) => format!("is above {given}"),
        (Comparison::AtLeast, true) => format!("is {given} or later"),
        (Comparison::AtLeast, false) => format!("is {given} or more"),
        (Comparison::Less, true) => format!("is before {given}"),
        (Comparison::Less, false) => format!("is below {given}"),
        (Comparison::AtMost, true) => format!("is {given} or earlier"),
        (Comparison::AtMost, false) => format!("is {given} or less"),
        (Comparison::Equal, _) => format!("is {given}"),
        (Comparison::NotEqual, _) => format!("is not {given}"),
    };
    phrase.kept_where(column, &holds)
}

fn sql(select: &mut Select<'_>, comparison: Comparison) -> String {
    let column = select.call.column(2);
    match select.call.values(1) {
        Values::Constant(constant) => match with_constant(select, comparison, constant, column) {
            Some(condition) => select.rows_where(&condition),
            None => format!("SELECT {} FROM {}", select.columns(), select.source()),
        },
        Values::Step {
            step,
            column: given,
            one,
        } => select.named_rows_where(&with_step(select, comparison, (step, given, one), column)),
    }
}

/// The condition of a comparison; none where it holds for all rows. An equality is with the one value that
/// the given ones are; the other comparisons are with all of them.
fn with_constant(
    select: &Select<'_>,
    comparison: Comparison,
    constant: &Constant,
    column: ColumnId,
) -> Option<String> {
    fn one_value<T: PartialEq>(values: &[T]) -> bool {
        !values.is_empty() && values.windows(2).all(|pair| pair[0] == pair[1])
    }
    let one = match constant {
        Constant::Numbers(numbers) => one_value(numbers),
        Constant::Dates(dates) => one_value(dates),
        Constant::Strings(_) => false,
    };
    let never = || "FALSE".to_owned();
    match comparison {
        Comparison::Equal if !one => return Some(never()),
        Comparison::NotEqual if !one => return None,
        _ => {}
    }
    let key = select.key(column);
    Some(match (constant, select.layout.reading(column)) {
        (Constant::Numbers(numbers), Reading::Number(_)) => {
            let numbers = numbers.iter().copied();
            let bound = match comparison {
                Comparison::Less | Comparison::AtMost => numbers.reduce(f64::min),
                _ => numbers.reduce(f64::max),
            };
            let operator = dates::operator(comparison);
            let compared = bound.map(|bound| format!("{key} {operator} {}", quote::number(bound)));
            match (compared, comparison) {
                (Some(compared), Comparison::NotEqual) => format!("{compared} OR {key} IS NULL"),
                (compared, _) => compared.unwrap_or_else(never),
            }
        }
        (Constant::Dates(given), Reading::Date(names)) => {
            let known = dates::common_parts(select.table.column(column));
            let condition = |date: &Date| dates::with_date(names, known, comparison, *date);
            let mut conditions: Vec<String> = given.iter().map(condition).collect();
            conditions.dedup();
            match conditions.is_empty() {
                true => never(),
                false => conditions.join(" AND "),
            }
        }
        // A number and a date cannot be compared, so neither is known to be another.
        _ if comparison == Comparison::NotEqual => format!("{key} IS NULL"),
        _ => never(),
    })
}

/// The condition of a comparison with the values of an earlier step. It calls the table of the rows `r`.
fn with_step(
    select: &Select<'_>,
    comparison: Comparison,
    (step, given, one): (usize, ColumnId, bool),
    column: ColumnId,
) -> String {
    let key = select.key_of("r.", column);
    let operator = dates::operator(comparison);
    match (select.layout.reading(given), select.layout.reading(column)) {
        (Reading::Number(_), Reading::Number(_)) => {
            let (least, most) = (
                format!("(SELECT min(value) FROM v{step})"),
                format!("(SELECT max(value) FROM v{step})"),
            );
            let equal = match one {
                true => format!("{key} = (SELECT value FROM v{step})"),
                false => format!("{key} = {least} AND {key} = {most}"),
            };
            match comparison {
                _ if one && !matches!(comparison, Comparison::Equal | Comparison::NotEqual) => {
                    format!("{key} {operator} (SELECT value FROM v{step})")
                }
                Comparison::Less | Comparison::AtMost => format!("{key} {operator} {least}"),
                Comparison::Greater | Comparison::AtLeast => format!("{key} {operator} {most}"),
                Comparison::Equal => equal,
                Comparison::NotEqual => format!("NOT COALESCE({equal}, FALSE)"),
            }
        }
        (Reading::Date(_), Reading::Date(names)) => {
            let row = dates::parts_of("r", names);
            let value = PARTS.map(|part| format!("v{step}.{part}"));
            let (order, comparable) = (dates::order(&row, &value), dates::comparable(&row, &value));
            let all = format!(
                "EXISTS (SELECT 1 FROM v{step}) AND NOT EXISTS \
                 (SELECT 1 FROM v{step} WHERE NOT ({order} {operator} 0 AND {comparable}))"
            );
            match comparison {
                Comparison::Equal => format!("(SELECT count(value) FROM v{step}) = 1 AND {all}"),
                Comparison::NotEqual => format!(
                    "{key} IS NULL OR (SELECT count(value) FROM v{step}) <> 1 \
                     OR EXISTS (SELECT 1 FROM v{step} WHERE {order} <> 0)"
                ),
                _ => all,
            }
        }
        _ => match comparison {
            Comparison::NotEqual => {
                format!("{key} IS NULL OR (SELECT count(DISTINCT value) FROM v{step}) <> 1")
            }
            _ => "FALSE".to_owned(),
        },
    }
}

const CASES: &str = r"
# The comparisons: rows without a value never match.
(filter> all_rows [12] r.points-num)
  = rows 2 | 5
  english: rows where Points is above 12
(filter>= all_rows [12] r.points-num)
  = rows 1 | 2 | 3 | 5
  english: rows where Points is 12 or more
(filter< all_rows [12] r.points-num)
  = rows 6
  english: rows where Points is below 12
(filter<= all_rows [12] r.points-num)
  = rows 1 | 3 | 6
  english: rows where Points is 12 or less
(filter> all_rows [-7.5] r.points-num)
  = rows 1 | 2 | 3 | 5
(filter< all_rows [-7.5] r.points-num)
  = rows
(filter<= all_rows [-7.5] r.points-num)
  = rows 6
(filter> all_rows [1e3] r.points-num)
  = rows
# They are offered whatever they find, also on one row or none.
(first all_rows) (filter> v0 [3] r.score-num)
  = rows
(first all_rows) (filter>= v0 [3] r.score-num)
  = rows 1
(filter> all_rows [99] r.points-num) (filter< v0 [99] r.score-num)
  = rows
(filter< all_rows [12] ...
  offered only: r.points-num | r.score-num | r.score-num2
# A list: the value must stand so to all of them.
(filter> all_rows [0, 12] r.points-num)
  = rows 2 | 5
  english: rows where Points is above 0 and 12
(filter>= all_rows [0, 12] r.points-num)
  = rows 1 | 2 | 3 | 5
(filter< all_rows [0, 12] r.points-num)
  = rows 6
(filter<= all_rows [-7.5, 12] r.points-num)
  = rows 6
# A second number.
(filter>= all_rows [4] r.score-num2)
  = rows 1 | 2

# filter=, filter!=: offered only if some row has the value.
(filter= all_rows [12] r.points-num)
  = rows 1 | 3
  english: rows where Points is 12
(filter= all_rows [12.0] r.points-num)
  = rows 1 | 3
(filter!= all_rows [12] r.points-num)
  = rows 2 | 4 | 5 | 6
  english: rows where Points is not 12
(filter= all_rows [99] r.points-num)
  not offered: [99]
  = rows
(filter!= all_rows [99] r.points-num)
  not offered: [99]
  = rows 1 | 2 | 3 | 4 | 5 | 6
(filter= all_rows [12] ...
  offered only: r.points-num
(filter= all_rows ...
  offered: [12] | [15]
  not offered: [99] | ['reds'] | all_rows
(first all_rows) (filter= v0 [12] r.points-num)
  not offered: v0
  = rows 1
(filter!= all_rows [15] r.points-num) (filter!= v0 [12] r.points-num) (hop v1 r.player-str)
  v1 = rows 4 | 6
  = strings Dan | Anne
# No row has two values, so a list of different ones equals none.
(filter= all_rows [12, 15] r.points-num)
  not offered: [12, 15]
  = rows
(filter!= all_rows [12, 15] r.points-num)
  not offered: [12, 15]
  = rows 1 | 2 | 3 | 4 | 5 | 6
(filter= all_rows [12, 12] r.points-num)
  = rows 1 | 3
";
