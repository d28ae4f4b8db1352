//! A program run step by step, with the cells that each step rests on.

use super::calls::calls;
use crate::context::{Context, Token};
use crate::functions::Function;
use crate::interpreter::{Denotation, Interpreter, StepError};
use crate::program::{Program, ProgramError};
use crate::telling::cells::{CellRef, Cells, MOST_CELLS, Seen};
use crate::telling::{Call, Given};
use mapo_tables::{ColumnId, RowSet};
use mapo_text::plainly;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// How many values of a step are listed.
pub const MOST_VALUES: usize = 100;
/// How many rows of a step are listed when it is written as JSON.
pub const MOST_ROWS: usize = 400;

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
    /// The values that it gives, as they answer a question: the first [`MOST_VALUES`]. None if it gives
    /// rows.
    pub values: Vec<String>,
    /// How many values it gives.
    pub values_total: usize,
    /// The cells it rests on: of a filter those of the rows it kept, of `hop` and `sum` those it read, of
    /// `max` and `mode` those with the value it gives. The first [`MOST_CELLS`](super::MOST_CELLS), in
    /// table order.
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
    /// The same items as people write them.
    pub shown: Vec<String>,
    /// How many items the answer has; `answer` has the first [`MOST_VALUES`].
    pub answer_total: usize,
    /// The cells behind the answer: those of the last step that rests on any.
    pub cells: Vec<CellRef>,
    /// How many there are.
    pub cells_total: usize,
    /// What to know about the columns of numbers and dates behind it: cells that do not fit, and what may have been
    /// misread.
    pub notes: Vec<String>,
    /// Whether one of these columns may have been misread.
    pub is_doubtful: bool,
}

/// The columns whose values matter to a program, each once.
fn columns(calls: &[(Function, Call<'_>)]) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    for given in calls.iter().flat_map(|(_, call)| &call.arguments) {
        if let Given::Column(column) = given
            && !columns.contains(column)
        {
            columns.push(*column);
        }
    }
    columns
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
    explain_program(context, &program, tokens).map_err(|error| StepError(error.to_string()))
}

/// Runs a program, given by its text and its tokens, and explains it.
pub(crate) fn explain_program(
    context: &Arc<Context>,
    program: &Program,
    tokens: &[Token],
) -> Result<Explanation, ProgramError> {
    let table = context.table();
    let calls = calls(program, table)?;
    let mut interpreter = Interpreter::new(Arc::clone(context));
    let mut steps: Vec<Step> = Vec::new();
    for (place, &token) in tokens.iter().enumerate() {
        let refused = |error: StepError| program.error_at(place, error.0);
        interpreter.step(token).map_err(refused)?;
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
        let (function, call) = &calls[index];
        let before: Vec<Option<&RowSet>> = steps.iter().map(|step| step.rows.as_ref()).collect();
        let cells = (function.definition().cells)(&Seen {
            call,
            table,
            before: &before,
            rows: rows.as_ref(),
            value: values.clone().next(),
        });
        steps.push(Step {
            program: program.expressions[index].to_string(),
            english: super::describe(program, index, table),
            rows_total: rows.as_ref().map_or(0, RowSet::len),
            values: values
                .clone()
                .take(MOST_VALUES)
                .map(|value| value.to_string())
                .collect(),
            values_total: values.count(),
            rows,
            cells: cells.first,
            cells_total: cells.total,
        });
    }
    let like_sql = context.language().like_sql;
    let (answer, answer_total) = match steps.last() {
        Some(last) => (last.values.clone(), last.values_total),
        None => (Vec::new(), 0),
    };
    let cells = behind(&calls, &steps);
    let columns = columns(&calls);
    let mut notes: Vec<String> = Vec::new();
    for &column in &columns {
        let header = &table.headers()[table.column(column).source()];
        let said = table
            .notes(column)
            .into_iter()
            .map(|note| format!("{header}: {note}"));
        notes.extend(said.filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    Ok(Explanation {
        program: program.to_string(),
        english: super::english(program, table),
        sql: super::sql(program, table, like_sql)?,
        shown: answer.iter().map(|item| plainly(item).into_owned()).collect(),
        answer,
        answer_total,
        cells: cells.first,
        cells_total: cells.total,
        notes,
        is_doubtful: columns.iter().any(|column| table.is_doubtful(*column)),
        steps,
    })
}

/// The cells of the last step, or, where it looks at none, of the steps that it uses: how many rows there are
/// rests on the cells that chose them.
fn behind(calls: &[(Function, Call<'_>)], steps: &[Step]) -> Cells {
    match steps.len().checked_sub(1) {
        Some(last) => behind_step(calls, steps, last),
        None => Cells::default(),
    }
}

fn behind_step(calls: &[(Function, Call<'_>)], steps: &[Step], step: usize) -> Cells {
    if steps[step].cells_total > 0 {
        return Cells {
            first: steps[step].cells.clone(),
            total: steps[step].cells_total,
        };
    }
    let mut used: Vec<usize> = calls[step].1.uses().collect();
    used.dedup();
    let mut together = Cells::default();
    for before in used {
        let cells = behind_step(calls, steps, before);
        let known = together.first.len();
        let new = |cell: &CellRef| !together.first[..known].contains(cell);
        let added: Vec<CellRef> = cells.first.iter().copied().filter(new).collect();
        together.total += cells.total - (cells.first.len() - added.len());
        together.first.extend(added);
    }
    together.first.sort_unstable();
    together.first.truncate(MOST_CELLS);
    together
}
