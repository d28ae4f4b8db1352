//! A program as one SELECT: a common table expression for each step that the last one needs, and the last one.

use super::super::layout::{self, Layout, Reading};
use super::super::looks::Form;
use super::super::operation::{Comparison, Extreme, Gives, Operation, Rows, Values};
use super::{dates, quote};
use mapo_tables::Constant;
use mapo_tables::{ColumnId, ColumnKind, Table};
use mapo_text::Date;

pub struct Query<'a> {
    operations: &'a [Operation<'a>],
    table: &'a Table,
    layout: &'a Layout,
    like_sql: bool,
}

/// The columns of a step that gives dates, beside `value`, the date as it is written.
const PARTS: [&str; 3] = ["year", "month", "day"];

impl<'a> Query<'a> {
    pub fn new(operations: &'a [Operation<'a>], table: &'a Table, like_sql: bool) -> Self {
        Query {
            operations,
            table,
            layout: Layout::of(table),
            like_sql,
        }
    }

    pub fn write(&self) -> String {
        let Some((last, before)) = self.operations.split_last() else {
            return "SELECT NULL WHERE FALSE".to_owned();
        };
        // Later steps use earlier ones only, so one pass from the back finds all that are needed.
        let mut needed = vec![false; self.operations.len()];
        needed[before.len()] = true;
        for step in (0..self.operations.len()).rev() {
            if needed[step] {
                self.operations[step].uses().for_each(|used| needed[used] = true);
            }
        }
        let mut tables: Vec<String> = Vec::new();
        for (step, operation) in before.iter().enumerate().filter(|(step, _)| needed[*step]) {
            self.helpers(step, operation, &mut tables);
            let select = match operation.gives() {
                Gives::Rows => self.rows(step, operation, "*"),
                Gives::Values(_) | Gives::Number => self.values(step, operation),
            };
            tables.push(format!("v{step} AS (\n  {select}\n)"));
        }
        self.helpers(before.len(), last, &mut tables);
        let row = &self.layout.row;
        let select = match last.gives() {
            Gives::Rows => format!("{} ORDER BY {row}", self.rows(before.len(), last, row)),
            Gives::Values(_) | Gives::Number => self.answer(before.len(), last),
        };
        match tables.is_empty() {
            true => select,
            false => format!("WITH {}\n{select}", tables.join(",\n")),
        }
    }

    fn source(&self, rows: Rows) -> String {
        match rows {
            Rows::All => self.layout.table.clone(),
            Rows::Step(step) => format!("v{step}"),
        }
    }

    /// Whether the rows are surely one at the most.
    fn is_single(&self, rows: Rows) -> bool {
        match rows {
            Rows::All => false,
            Rows::Step(step) => matches!(self.operations[step], Operation::First(_) | Operation::Last(_)),
        }
    }

    /// What a column's values are compared by: the normal form of a text, a number, a date as it is written. `of` is
    /// nothing or the name of a table with a point.
    fn key(&self, column: ColumnId, of: &str) -> String {
        match self.layout.reading(column) {
            Reading::Number(name) => format!("{of}{name}"),
            Reading::Date(date) => format!("{of}{}", date.written),
            Reading::Text(name) => {
                let cells = &self.layout.sources[self.table.column(column).source()];
                match self.layout.look(self.table, column).form {
                    Form::Same => format!("{of}{cells}"),
                    Form::Lower => format!("lower({of}{cells})"),
                    Form::Apart => format!("{of}{name}"),
                }
            }
        }
    }

    /// ` WHERE` there is a value; every cell has a text.
    fn present(&self, column: ColumnId) -> String {
        match self.layout.reading(column) {
            Reading::Text(_) => String::new(),
            _ => format!(" WHERE {} IS NOT NULL", self.key(column, "")),
        }
    }

    /// Whether the column's dates know different parts, so that their order is not total.
    fn has_mixed_dates(&self, column: ColumnId) -> bool {
        let typed = self.table.column(column);
        typed.kind() == ColumnKind::Date && dates::common_parts(typed).is_none()
    }

    /// Tables that a step needs beside its own: where dates know different parts, those among its rows that no other
    /// beats.
    fn helpers(&self, step: usize, operation: &Operation<'_>, tables: &mut Vec<String>) {
        let (Operation::ArgMost(rows, column, extreme) | Operation::Most(rows, column, extreme)) = *operation
        else {
            return;
        };
        if !self.has_mixed_dates(column) {
            return;
        }
        let source = self.source(rows);
        let select = self.select_values(column);
        let present = self.present(column);
        tables.push(format!(
            "v{step}_dates AS (\n  SELECT DISTINCT {select} FROM {source}{present}\n)"
        ));
        let better = match extreme {
            Extreme::Largest => ">",
            Extreme::Smallest => "<",
        };
        let of = |table: &str| PARTS.map(|part| format!("{table}.{part}"));
        let order = dates::order(&of("b"), &of("a"));
        tables.push(format!(
            "v{step}_best AS (\n  SELECT * FROM v{step}_dates AS a WHERE NOT EXISTS \
             (SELECT 1 FROM v{step}_dates AS b WHERE {order} {better} 0)\n)"
        ));
    }

    /// The condition that a date, as it is written, is among the best of a step's helpers. Dates that know different
    /// parts can beat each other in a circle: then the best is the one whose year, or else month, or else day is.
    fn is_best(&self, step: usize, date: &str, column: ColumnId, extreme: Extreme) -> String {
        let unbeaten = format!("{date} IN (SELECT value FROM v{step}_best)");
        if dates::are_nested(self.table.column(column)) {
            return unbeaten;
        }
        let order = whole_order(extreme);
        format!(
            "({unbeaten} OR (NOT EXISTS (SELECT 1 FROM v{step}_best) \
             AND {date} = (SELECT value FROM v{step}_dates ORDER BY {order} LIMIT 1)))"
        )
    }

    /// The values of a column under the names that later steps use.
    fn select_values(&self, column: ColumnId) -> String {
        let value = format!("{} AS value", self.key(column, ""));
        match self.layout.reading(column) {
            Reading::Date(date) => {
                let parts = date.parts.iter().zip(PARTS);
                let parts = parts.map(|(name, part)| format!(", {name} AS {part}"));
                value + &parts.collect::<String>()
            }
            _ => value,
        }
    }

    /// ` ORDER BY` the parts of a date that all dates of the column know.
    fn date_order(&self, date: &layout::Date, column: ColumnId, extreme: Extreme) -> String {
        let known = dates::common_parts(self.table.column(column)).unwrap_or([true; 3]);
        let parts = date.parts.iter().zip(known).filter(|(_, known)| *known);
        let parts = parts.map(|(name, _)| format!("{name}{}", direction(extreme)));
        format!(" ORDER BY {}", parts.collect::<Vec<_>>().join(", "))
    }

    // Rows.

    fn rows(&self, step: usize, operation: &Operation<'_>, columns: &str) -> String {
        let source = self.source(operation.rows());
        let (all, row) = (&self.layout.table, &self.layout.row);
        let from = |condition: String| format!("SELECT {columns} FROM {source} WHERE {condition}");
        match *operation {
            Operation::ArgMost(_, column, extreme) => from(self.is_most(step, &source, column, extreme)),
            Operation::Compare(_, comparison, Values::Constant(constant), column) => {
                match self.compares(comparison, constant, column) {
                    Some(condition) => from(condition),
                    None => format!("SELECT {columns} FROM {source}"),
                }
            }
            Operation::Compare(_, comparison, Values::Step(values), column) => {
                let condition = self.compares_with_step(comparison, values, column);
                format!("SELECT {columns} FROM {source} AS r WHERE {condition}")
            }
            Operation::Contains(_, wanted, Values::Constant(constant), column) => {
                from(self.contains(constant, column, wanted))
            }
            Operation::Contains(_, wanted, Values::Step(values), column) => {
                let not = if wanted { "" } else { "NOT " };
                let text = self.key(column, "r.");
                format!(
                    "SELECT {columns} FROM {source} AS r WHERE {not}EXISTS \
                     (SELECT 1 FROM v{values} WHERE instr({text}, v{values}.value) > 0)"
                )
            }
            Operation::First(_) => from(format!("{row} = (SELECT min({row}) FROM {source})")),
            Operation::Last(_) => from(format!("{row} = (SELECT max({row}) FROM {source})")),
            Operation::Previous(_) => {
                format!("SELECT {columns} FROM {all} WHERE {row} + 1 IN (SELECT {row} FROM {source})")
            }
            Operation::Next(_) => {
                format!("SELECT {columns} FROM {all} WHERE {row} - 1 IN (SELECT {row} FROM {source})")
            }
            Operation::SameAs(_, column) => {
                let (one, other) = (self.key(column, "r."), self.key(column, "s."));
                format!(
                    "SELECT {columns} FROM {all} AS r WHERE EXISTS \
                     (SELECT 1 FROM {source} AS s WHERE {other} = {one} AND s.{row} <> r.{row})"
                )
            }
            Operation::Hop(..)
            | Operation::Count(_)
            | Operation::Most(..)
            | Operation::Average(..)
            | Operation::Sum(..)
            | Operation::Mode(..)
            | Operation::Diff(..) => self.values(step, operation),
        }
    }

    fn is_most(&self, step: usize, source: &str, column: ColumnId, extreme: Extreme) -> String {
        let key = self.key(column, "");
        match self.layout.reading(column) {
            Reading::Date(_) if self.has_mixed_dates(column) => self.is_best(step, &key, column, extreme),
            Reading::Date(date) => {
                let (present, order) = (self.present(column), self.date_order(date, column, extreme));
                format!("{key} = (SELECT {key} FROM {source}{present}{order} LIMIT 1)")
            }
            _ => format!("{key} = (SELECT {}({key}) FROM {source})", aggregate(extreme)),
        }
    }

    fn contains(&self, constant: &Constant, column: ColumnId, wanted: bool) -> String {
        let Constant::Strings(strings) = constant else {
            return "FALSE".to_owned();
        };
        let text = self.key(column, "");
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

    /// The condition of a comparison; none where it holds for all rows. An equality is with the one value that the
    /// given ones are; the other comparisons are with all of them.
    fn compares(&self, comparison: Comparison, constant: &Constant, column: ColumnId) -> Option<String> {
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
        let key = self.key(column, "");
        Some(match (constant, self.layout.reading(column)) {
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
                let known = dates::common_parts(self.table.column(column));
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

    fn compares_with_step(&self, comparison: Comparison, step: usize, column: ColumnId) -> String {
        let key = self.key(column, "r.");
        let Gives::Values(given) = self.operations[step].gives() else {
            return "FALSE".to_owned();
        };
        let one = matches!(self.operations[step], Operation::Most(..));
        let operator = dates::operator(comparison);
        match (self.layout.reading(given), self.layout.reading(column)) {
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
                let row = of(names, "r").parts;
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

    // Values.

    /// The values of a step as later steps use them: a set, in normal form.
    fn values(&self, step: usize, operation: &Operation<'_>) -> String {
        let source = self.source(operation.rows());
        match *operation {
            Operation::Hop(_, column) => {
                let (select, present) = (self.select_values(column), self.present(column));
                format!("SELECT DISTINCT {select} FROM {source}{present}")
            }
            Operation::Mode(_, column) => {
                let select = self.select_values(column);
                format!(
                    "SELECT DISTINCT {select} FROM {source}{}",
                    self.is_mode(&source, column)
                )
            }
            Operation::Most(_, column, extreme) => match self.layout.reading(column) {
                Reading::Date(_) if self.has_mixed_dates(column) => {
                    self.best_date(step, column, extreme, "*")
                }
                Reading::Date(date) => {
                    let (select, present) = (self.select_values(column), self.present(column));
                    let order = self.date_order(date, column, extreme);
                    format!("SELECT {select} FROM {source}{present}{order} LIMIT 1")
                }
                _ => format!(
                    "SELECT {}({}) AS value FROM {source}",
                    aggregate(extreme),
                    self.key(column, "")
                ),
            },
            _ => self.answer(step, operation),
        }
    }

    /// ` WHERE` the value is one that most of the rows have.
    fn is_mode(&self, source: &str, column: ColumnId) -> String {
        let (key, present) = (self.key(column, ""), self.present(column));
        format!(
            " WHERE {key} IN (SELECT {key} FROM {source}{present} GROUP BY {key}{})",
            self.having_most(source, column)
        )
    }

    fn having_most(&self, source: &str, column: ColumnId) -> String {
        let (key, present) = (self.key(column, ""), self.present(column));
        format!(
            " HAVING count(*) = (SELECT count(*) FROM {source}{present} GROUP BY {key} ORDER BY count(*) DESC LIMIT 1)"
        )
    }

    /// Of the dates that nothing beats the one that says most.
    fn best_date(&self, step: usize, column: ColumnId, extreme: Extreme, columns: &str) -> String {
        let unknown = |part| format!("CASE WHEN {part} IS NULL THEN 1 ELSE 0 END");
        let (unknown, order) = (PARTS.map(unknown).join(" + "), whole_order(extreme));
        let best = match dates::are_nested(self.table.column(column)) {
            true => format!("v{step}_best"),
            false => {
                let best = self.is_best(step, "value", column, extreme);
                format!("v{step}_dates WHERE {best}")
            }
        };
        format!("SELECT {columns} FROM {best} ORDER BY {unknown}, {order} LIMIT 1")
    }

    /// The items of the answer, in their order: values by their first row, texts as that row has them.
    fn answer(&self, step: usize, operation: &Operation<'_>) -> String {
        let source = self.source(operation.rows());
        let row = &self.layout.row;
        match *operation {
            Operation::Hop(rows, column) => {
                let (shown, present) = (self.shown(column), self.present(column));
                match (self.is_single(rows), self.like_sql) {
                    (true, _) => format!("SELECT {shown} FROM {source}{present}"),
                    (_, true) => format!("SELECT {shown} FROM {source}{present} ORDER BY {row}"),
                    _ => self.firsts(&source, column, String::new()),
                }
            }
            Operation::Mode(_, column) => self.firsts(&source, column, self.having_most(&source, column)),
            Operation::Most(_, column, extreme) => match self.layout.reading(column) {
                Reading::Date(_) if self.has_mixed_dates(column) => {
                    self.best_date(step, column, extreme, "value")
                }
                Reading::Date(date) => {
                    let (key, present) = (&date.written, self.present(column));
                    let order = self.date_order(date, column, extreme);
                    format!("SELECT {key} FROM {source}{present}{order} LIMIT 1")
                }
                _ => format!(
                    "SELECT {}({}) FROM {source}",
                    aggregate(extreme),
                    self.key(column, "")
                ),
            },
            Operation::Count(_) => format!("SELECT count(*) FROM {source}"),
            Operation::Average(_, column) => format!("SELECT avg({}) FROM {source}", self.key(column, "")),
            Operation::Sum(_, column) => {
                let sum = format!("sum({})", self.key(column, ""));
                let sum = match self.like_sql {
                    true => sum,
                    false => format!("COALESCE({sum}, 0)"),
                };
                format!("SELECT {sum} FROM {source}")
            }
            Operation::Diff(_, other, column) => {
                let (other, key) = (self.source(other), self.key(column, ""));
                format!(
                    "SELECT abs((SELECT max({key}) FROM {source}) - (SELECT max({key}) FROM {other})) \
                     WHERE (SELECT count({key}) FROM {source}) = 1 AND (SELECT count({key}) FROM {other}) = 1"
                )
            }
            _ => self.rows(step, operation, row),
        }
    }

    /// A column as it answers a question.
    fn shown(&self, column: ColumnId) -> String {
        let typed = self.table.column(column);
        match typed.kind() {
            ColumnKind::Text => self.layout.sources[typed.source()].clone(),
            _ => self.key(column, ""),
        }
    }

    /// Each value once, by its first row; `having` says which.
    fn firsts(&self, source: &str, column: ColumnId, having: String) -> String {
        let (key, shown, present) = (self.key(column, ""), self.shown(column), self.present(column));
        let row = &self.layout.row;
        let is_text = self.table.column(column).kind() == ColumnKind::Text;
        if is_text && !self.layout.look(self.table, column).one_text_each {
            return format!(
                "SELECT {shown} FROM {source} WHERE {row} IN \
                 (SELECT min({row}) FROM {source} GROUP BY {key}{having}) ORDER BY {row}"
            );
        }
        format!("SELECT {shown} FROM {source}{present} GROUP BY {shown}{having} ORDER BY min({row})")
    }
}

/// The columns of a date, each with the name of its table.
fn of(date: &layout::Date, table: &str) -> layout::Date {
    layout::Date {
        written: format!("{table}.{}", date.written),
        parts: date.parts.each_ref().map(|part| format!("{table}.{part}")),
    }
}

fn direction(extreme: Extreme) -> &'static str {
    match extreme {
        Extreme::Largest => " DESC",
        Extreme::Smallest => "",
    }
}

fn aggregate(extreme: Extreme) -> &'static str {
    match extreme {
        Extreme::Largest => "max",
        Extreme::Smallest => "min",
    }
}

/// An order of all dates, unknown parts first.
fn whole_order(extreme: Extreme) -> String {
    let direction = direction(extreme);
    format!(
        "COALESCE(year, -3000000000){direction}, COALESCE(month, 0){direction}, COALESCE(day, 0){direction}"
    )
}
