//! A program run step by step, with the cells that each step rests on.

use crate::language::{Context, Interpreter, StepError, Symbol, Token};
use crate::table::RowSet;
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
    let program = context
        .decode(tokens)
        .ok_or_else(|| StepError("the tokens are no whole program".to_owned()))?;
    let mut interpreter = Interpreter::new(Arc::clone(context));
    let mut steps = Vec::new();
    for &token in tokens {
        interpreter.step(token)?;
        if context.symbol(token) == Some(Symbol::Close) {
            let index = steps.len();
            steps.push(Step {
                program: program.expressions[index].to_string(),
                english: super::describe(&program, index, context.table()),
                rows: None,
                rows_total: 0,
                values: interpreter
                    .answer_values()
                    .take(MOST_VALUES)
                    .map(|v| v.to_string())
                    .collect(),
                values_total: interpreter.answer_values().count(),
                cells: Vec::new(),
                cells_total: 0,
            });
        }
    }
    let sql = super::sql(&program, context.table(), context.language().keep_duplicates);
    let last = steps.last().cloned();
    Ok(Explanation {
        program: program.to_string(),
        english: super::english(&program, context.table()),
        sql: sql.map_err(|error| StepError(error.to_string()))?,
        answer: last.as_ref().map(|step| step.values.clone()).unwrap_or_default(),
        answer_total: last.as_ref().map_or(0, |step| step.values_total),
        cells: Vec::new(),
        cells_total: 0,
        steps,
    })
}
