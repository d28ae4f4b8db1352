//! A program run step by step, with the cells that each step rests on.

use super::operation::{Operation, Rows};
use crate::{Context, Denotation, Interpreter, ProgramError, StepError, Token};
use mapo_tables::{ColumnId, NO_VALUE, RowSet, Table, Value};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// How many values of a step are listed.
pub const MOST_VALUES: usize = 100;
/// How many cells of a step are listed.
pub const MOST_CELLS: usize = 400;
/// How many rows of a step are listed when it is written as JSON.
pub const MOST_ROWS: usize = 400;

/// A cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct CellRef {
    /// The row, from 0.
    pub row: usize,
    /// The column's number in the file, from 0.
    pub column: usize,
}

/// One expression of a program, run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The expression: `(filter_in all_rows ['tulsa'] r.hometown-str)`.
    pub program: String,
    /// What it does: `rows where Hometown contains 'tulsa'`.
    pub english: String,
    /// The rows that it gives, if it gives rows. Written as JSON, the first [`MOST_ROWS`] of them.
    #[serde(serialize_with = "first_rows")]
    pub rows: Option<RowSet>,
    /// How many rows it gives; 0 if it gives values.
    pub rows_total: usize,
    /// The values that it gives, as they answer a question: the first [`MOST_VALUES`]. None if it gives rows.
    pub values: Vec<String>,
    /// How many values it gives.
    pub values_total: usize,
    /// The cells it rests on: of a filter those of the rows it kept, of `hop` and `sum` those it read, of `max` and
    /// `mode` those with the value it gives. The first [`MOST_CELLS`], in table order.
    pub cells: Vec<CellRef>,
    /// How many cells it rests on.
    pub cells_total: usize,
}

/// A program, what it says, and how it comes to its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The program, as it is written.
    pub program: String,
    /// The whole in English.
    pub english: String,
    /// The same query as SQL, for the table that [`write_sql_table`](super::write_sql_table) makes.
    pub sql: String,
    /// Its expressions, in the order in which they run.
    pub steps: Vec<Step>,
    /// The items of the answer as text; none if it is rows.
    pub answer: Vec<String>,
    /// How many items the answer has; `answer` has the first [`MOST_VALUES`].
    pub answer_total: usize,
    /// The cells behind the answer: those of the last step that rests on any.
    pub cells: Vec<CellRef>,
    /// How many there are.
    pub cells_total: usize,
}

fn first_rows<S: Serializer>(rows: &Option<RowSet>, serializer: S) -> Result<S::Ok, S::Error> {
    let first = rows
        .as_ref()
        .map(|rows| rows.iter().take(MOST_ROWS).collect::<Vec<_>>());
    first.serialize(serializer)
}

/// Runs a program and explains it. The tokens may lack `<END>`, but not break off within an expression.
///
/// # Errors
/// If the tokens are no program of this context.
pub fn explain(context: &Arc<Context>, tokens: &[Token]) -> Result<Explanation, StepError> {
    let table = context.table();
    let program = context
        .decode(tokens)
        .ok_or_else(|| StepError("the tokens are no whole program".to_owned()))?;
    let refused = |error: ProgramError| StepError(error.to_string());
    let operations = Operation::all(&program, table).map_err(refused)?;
    let mut interpreter = Interpreter::new(Arc::clone(context));
    let mut steps: Vec<Step> = Vec::new();
    for &token in tokens {
        interpreter.step(token)?;
        let index = steps.len();
        if interpreter.variables() == index {
            continue;
        }
        let rows = match interpreter.answers_rows() {
            true => interpreter.value(index).and_then(|value| match value {
                Denotation::Rows(rows) => Some(rows),
                _ => None,
            }),
            false => None,
        };
        let values = interpreter.answer_values();
        let seen = Seen {
            table,
            steps: &steps,
            rows: rows.as_ref(),
            value: values.clone().next(),
        };
        let (cells, cells_total) = seen.cells(&operations[index]);
        steps.push(Step {
            program: program.expressions[index].to_string(),
            english: super::describe(&program, index, table),
            rows_total: rows.as_ref().map_or(0, RowSet::len),
            values: values
                .clone()
                .take(MOST_VALUES)
                .map(|value| value.to_string())
                .collect(),
            values_total: values.count(),
            rows,
            cells,
            cells_total,
        });
    }
    let like_sql = context.language().like_sql;
    let (answer, answer_total) = match steps.last() {
        Some(last) => (last.values.clone(), last.values_total),
        None => (Vec::new(), 0),
    };
    let (cells, cells_total) = behind(&operations, &steps);
    Ok(Explanation {
        program: program.to_string(),
        english: super::english(&program, table),
        sql: super::sql(&program, table, like_sql).map_err(refused)?,
        answer,
        answer_total,
        cells,
        cells_total,
        steps,
    })
}

/// The cells of the last step, or, where it looks at none, of those that its rows come from: how many rows there are
/// rests on the cells that chose them.
fn behind(operations: &[Operation<'_>], steps: &[Step]) -> (Vec<CellRef>, usize) {
    let mut step = steps.len().checked_sub(1);
    while let Some(index) = step {
        if steps[index].cells_total > 0 {
            return (steps[index].cells.clone(), steps[index].cells_total);
        }
        step = match operations[index].rows() {
            Rows::Step(before) => Some(before),
            Rows::All => None,
        };
    }
    (Vec::new(), 0)
}

/// What is known of a step that has just run.
struct Seen<'a> {
    table: &'a Table,
    /// The steps before it.
    steps: &'a [Step],
    /// The rows it gives,
    rows: Option<&'a RowSet>,
    /// or its first value.
    value: Option<Value<'a>>,
}

impl Seen<'_> {
    /// The first of the cells that it rests on, and how many there are.
    fn cells(&self, operation: &Operation<'_>) -> (Vec<CellRef>, usize) {
        match *operation {
            Operation::ArgMost(_, column, _)
            | Operation::Compare(_, _, _, column)
            | Operation::Contains(_, _, _, column) => match self.rows {
                Some(rows) => self.list(column, rows.iter(), rows.len()),
                None => (Vec::new(), 0),
            },
            Operation::Hop(rows, column)
            | Operation::Sum(rows, column)
            | Operation::Average(rows, column) => self.present(&[rows], column),
            Operation::Diff(one, other, column) => self.present(&[one, other], column),
            Operation::Most(rows, column, _) => {
                let typed = self.table.column(column);
                self.count(
                    column,
                    self.members(rows).filter(|row| typed.value(*row) == self.value),
                )
            }
            Operation::Mode(rows, column) => {
                let typed = self.table.column(column);
                let mut counts = vec![0u32; typed.code_space()];
                let codes = self
                    .members(rows)
                    .map(|row| typed.code(row))
                    .filter(|code| *code != NO_VALUE);
                codes.for_each(|code| counts[code as usize] += 1);
                let most = counts.iter().copied().max().unwrap_or(0);
                let common = |row: &usize| {
                    counts
                        .get(typed.code(*row) as usize)
                        .is_some_and(|n| *n == most && most > 0)
                };
                self.count(column, self.members(rows).filter(common))
            }
            Operation::SameAs(rows, column) => {
                let given = self.members(rows).next();
                let same = self.rows.into_iter().flat_map(RowSet::iter);
                let mut listed: Vec<usize> = given.into_iter().chain(same.take(MOST_CELLS)).collect();
                listed.sort_unstable();
                listed.dedup();
                let found = self.rows.map_or(0, RowSet::len);
                let added = given.is_some_and(|given| self.rows.is_none_or(|rows| !rows.contains(given)));
                self.list(column, listed.into_iter(), found + usize::from(added))
            }
            Operation::First(_)
            | Operation::Last(_)
            | Operation::Previous(_)
            | Operation::Next(_)
            | Operation::Count(_) => (Vec::new(), 0),
        }
    }

    /// The members of an argument.
    fn members(&self, rows: Rows) -> Box<dyn Iterator<Item = usize> + '_> {
        match rows {
            Rows::All => Box::new(0..self.table.rows()),
            Rows::Step(step) => Box::new(self.steps[step].rows.iter().flat_map(RowSet::iter)),
        }
    }

    /// The cells of a column in rows that have a value there.
    fn present(&self, sets: &[Rows], column: ColumnId) -> (Vec<CellRef>, usize) {
        let present = self.table.column(column).present();
        let rows = sets.iter().flat_map(|rows| self.members(*rows));
        let total = sets.iter().map(|rows| match rows {
            Rows::All => present.len(),
            Rows::Step(step) => self.steps[*step]
                .rows
                .as_ref()
                .map_or(0, |rows| common(rows, present)),
        });
        self.list(column, rows.filter(|row| present.contains(*row)), total.sum())
    }

    fn list(
        &self,
        column: ColumnId,
        rows: impl Iterator<Item = usize>,
        total: usize,
    ) -> (Vec<CellRef>, usize) {
        let column = self.table.column(column).source();
        let cells = rows.map(|row| CellRef { row, column });
        (cells.take(MOST_CELLS).collect(), total)
    }

    fn count(&self, column: ColumnId, rows: impl Iterator<Item = usize>) -> (Vec<CellRef>, usize) {
        let (mut listed, mut total) = (Vec::new(), 0);
        for row in rows {
            if listed.len() < MOST_CELLS {
                listed.push(row);
            }
            total += 1;
        }
        self.list(column, listed.into_iter(), total)
    }
}

/// How many rows two sets have in common.
fn common(one: &RowSet, other: &RowSet) -> usize {
    let words = one.words().iter().zip(other.words());
    words
        .map(|(one, other)| (one & other).count_ones() as usize)
        .sum()
}
