//! The pieces of SQL queries.

pub(crate) mod dates;
mod extremes;
pub(crate) mod words;

use super::{Call, Number, Rows};
use crate::sql_table::{Form, Layout, Reading, quote};
use mapo_tables::{ColumnId, ColumnKind, Table};

/// The columns of a step that gives dates, beside `value`, the date as it is written.
pub(crate) const PARTS: [&str; 3] = ["year", "month", "day"];

/// Numbers that were added up and differ by no more than this part of them are the same.
pub(crate) const CLOSE: &str = "1e-13";

/// What the `SELECT` of an expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// Later steps: whole rows, or each value once in its normal form, as `value`.
    Steps,
    /// The answer: the rows' numbers, or the items in their order, values by their first row, texts as that
    /// row has them.
    Answer,
}

/// The `SELECT` of one expression, in the making.
pub(crate) struct Select<'a> {
    pub call: &'a Call<'a>,
    pub table: &'a Table,
    pub layout: &'a Layout,
    /// Whether results are those of SQL.
    pub like_sql: bool,
    pub purpose: For,
    /// The common table expressions that it needs beside those of the steps before it.
    pub before: Vec<String>,
}

impl Select<'_> {
    /// The table of rows that the function is given.
    pub fn source(&self) -> String {
        self.source_of(self.call.rows(0))
    }

    /// The table of some rows.
    pub fn source_of(&self, rows: Rows) -> String {
        match rows {
            Rows::All => self.layout.table.clone(),
            Rows::Step { step, .. } => format!("v{step}"),
        }
    }

    /// What is selected of rows.
    pub fn columns(&self) -> &str {
        match self.purpose {
            For::Steps => "*",
            For::Answer => &self.layout.row,
        }
    }

    /// The given rows for which a condition holds.
    pub fn rows_where(&self, condition: &str) -> String {
        format!(
            "SELECT {} FROM {} WHERE {condition}",
            self.columns(),
            self.source()
        )
    }

    /// The same with a condition that calls the table of the given rows `r`.
    pub fn named_rows_where(&self, condition: &str) -> String {
        format!(
            "SELECT {} FROM {} AS r WHERE {condition}",
            self.columns(),
            self.source()
        )
    }

    /// What a column's values are compared by: the normal form of a text, a number, a date as it is written.
    pub fn key(&self, column: ColumnId) -> String {
        self.key_of("", column)
    }

    /// The same; `table` is nothing or the name of a table with a point.
    pub fn key_of(&self, table: &str, column: ColumnId) -> String {
        match self.layout.reading(column) {
            Reading::Number(name) => format!("{table}{name}"),
            Reading::Date(date) => format!("{table}{}", date.written),
            Reading::Text(name) => {
                let cells = &self.layout.sources[self.table.column(column).source()];
                match self.layout.look(self.table, column).form {
                    Form::Same => format!("{table}{cells}"),
                    Form::Lower => format!("lower({table}{cells})"),
                    Form::Apart => format!("{table}{name}"),
                }
            }
        }
    }

    /// ` WHERE` there is a value; every cell has a text.
    pub fn present(&self, column: ColumnId) -> String {
        match self.layout.reading(column) {
            Reading::Text(_) => String::new(),
            _ => format!(" WHERE {} IS NOT NULL", self.key(column)),
        }
    }

    /// The values of a column under the names that later steps use.
    pub fn named_values(&self, column: ColumnId) -> String {
        let value = format!("{} AS value", self.key(column));
        match self.layout.reading(column) {
            Reading::Date(date) => {
                let parts = date.parts.iter().zip(PARTS);
                let parts = parts.map(|(name, part)| format!(", {name} AS {part}"));
                value + &parts.collect::<String>()
            }
            _ => value,
        }
    }

    /// The two numbers that a function is given, as a table of one row with the columns `a` and `b`.
    pub fn two_numbers(&self) -> String {
        let number = |at: usize| match self.call.number(at) {
            Number::Constant(number) => quote::number(number),
            Number::Step {
                step, values: false, ..
            } => format!("(SELECT value FROM v{step})"),
            Number::Step {
                step, values: true, ..
            } => {
                format!("(SELECT CASE WHEN count(DISTINCT value) = 1 THEN max(value) END FROM v{step})")
            }
        };
        format!("(SELECT {} AS a, {} AS b) AS two", number(0), number(1))
    }

    /// A column as it answers a question.
    pub fn shown(&self, column: ColumnId) -> String {
        let typed = self.table.column(column);
        match typed.kind() {
            ColumnKind::Text => self.layout.sources[typed.source()].clone(),
            _ => self.key(column),
        }
    }

    /// Each value as it answers a question, once, by its first row; `having` says which.
    pub fn firsts(&self, column: ColumnId, having: &str) -> String {
        let (source, row) = (self.source(), &self.layout.row);
        let (key, shown, present) = (self.key(column), self.shown(column), self.present(column));
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
