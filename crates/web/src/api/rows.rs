//! Rows of a table: a page of them, or all that were looked for as a file.

use super::App;
use super::questions::run_program;
use super::tables::{Given, id_of};
use crate::error::Problem;
use crate::tables::{Held, page};
use crate::view::View;
use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use mapo_language::explain::Explanation;
use mapo_tables::Table;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Which rows are looked for, and in which order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    /// The first row.
    from: Option<usize>,
    /// How many rows.
    count: Option<usize>,
    /// Just these rows, as `3,17,40`.
    rows: Option<String>,
    /// Words that must stand in a row.
    search: Option<String>,
    /// What must hold of columns, as `{"2": ">100"}`.
    #[serde(rename = "where")]
    tests: Option<String>,
    /// The column to sort by.
    sort: Option<usize>,
    /// Whether the largest comes first.
    order: Option<Order>,
    /// The first column.
    column: Option<usize>,
    /// How many columns.
    columns: Option<usize>,
    /// Or just these columns, as `0,4`.
    pick: Option<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Order {
    Up,
    Down,
}

/// Rows of one answer, if it does not say how many, and at most.
const ROWS: usize = 50;
const MOST_ROWS: usize = 500;
/// Columns of one answer at most.
const MOST_COLUMNS: usize = 200;
/// Bytes of a file of rows.
const LARGEST_FILE: usize = 64 << 20;

impl Window {
    /// What is looked for.
    fn view(&self, table: &Table) -> Result<View, Problem> {
        let tests: BTreeMap<usize, String> = match &self.tests {
            Some(text) => serde_json::from_str(text).map_err(|_| {
                Problem::bad("where must be a JSON object of columns by their number, as {\"2\": \">100\"}")
            })?,
            None => BTreeMap::new(),
        };
        let sort = self.sort.map(|column| (column, self.order == Some(Order::Down)));
        View::new(table, self.search.as_deref().unwrap_or_default(), &tests, sort).map_err(Problem::unusable)
    }

    /// The rows that are listed.
    fn listed(&self, table: &Table) -> Result<Option<Vec<u32>>, Problem> {
        let listed = self
            .rows
            .as_ref()
            .map(|list| numbers(list, table.rows(), MOST_ROWS, "rows"));
        let listed = listed.transpose()?;
        Ok(listed.map(|rows| rows.into_iter().map(|row| row as u32).collect()))
    }

    /// The columns that are wanted.
    fn columns(&self, table: &Table) -> Result<Vec<usize>, Problem> {
        let all = table.headers().len();
        if let Some(list) = &self.pick {
            if self.column.is_some() || self.columns.is_some() {
                return Err(Problem::bad("give either pick, or column and columns"));
            }
            return numbers(list, all, MOST_COLUMNS, "pick");
        }
        let count = self.columns.unwrap_or(MOST_COLUMNS);
        if !(1..=MOST_COLUMNS).contains(&count) {
            return Err(Problem::bad(format!("columns must be from 1 to {MOST_COLUMNS}")));
        }
        let first = self.column.unwrap_or(0).min(all);
        Ok((first..first.saturating_add(count).min(all)).collect())
    }
}

/// Reads `3,17,40`.
fn numbers(list: &str, below: usize, most: usize, what: &str) -> Result<Vec<usize>, Problem> {
    let numbers = list.split(',').map(|number| number.parse::<usize>().ok());
    let numbers = numbers.map(|number| number.filter(|number| *number < below));
    let numbers: Option<Vec<usize>> = numbers.take(most + 1).collect();
    numbers.filter(|numbers| numbers.len() <= most).ok_or_else(|| {
        let last = below.saturating_sub(1);
        Problem::bad(format!(
            "{what} must be at most {most} numbers from 0 to {last} with commas between"
        ))
    })
}

pub(super) async fn rows(
    State(app): State<Arc<App>>,
    path: Given<Path<String>, PathRejection>,
    query: Given<Query<Window>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let Query(window) = query.map_err(|error| Problem::bad(error.body_text()))?;
    let table = &held.table;
    let columns = window.columns(table)?;
    let listed = window.listed(table)?;
    let view = window.view(table)?;
    let default = if listed.is_some() { MOST_ROWS } else { ROWS };
    let count = window.count.unwrap_or(default);
    if !(1..=MOST_ROWS).contains(&count) {
        return Err(Problem::bad(format!("count must be from 1 to {MOST_ROWS}")));
    }
    let from = window.from.unwrap_or(0);
    let (total, first) = (table.rows(), columns.first().copied().unwrap_or(0));
    let (found, rows) = match view.is_plain() && listed.is_none() {
        // Nothing is looked for, so nobody has to wait for a turn.
        true => {
            let from = from.min(table.rows());
            let to = from.saturating_add(count).min(table.rows());
            (table.rows(), page(table, from..to, &columns))
        }
        false => {
            let looks = move || {
                let found = held.rows(&view, listed);
                let shown = found.iter().skip(from).take(count).map(|row| *row as usize);
                (found.len(), page(&held.table, shown, &columns))
            };
            app.views.run(app.limits.question_time, looks).await?
        }
    };
    Ok(Json(
        json!({ "total": total, "found": found, "column": first, "rows": rows }),
    ))
}

/// Which rows go into a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    rows: Option<String>,
    search: Option<String>,
    #[serde(rename = "where")]
    tests: Option<String>,
    sort: Option<usize>,
    order: Option<Order>,
    /// A program: the rows behind its answer.
    program: Option<String>,
}

pub(super) async fn csv(
    State(app): State<Arc<App>>,
    path: Given<Path<String>, PathRejection>,
    query: Given<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let Query(wanted) = query.map_err(|error| Problem::bad(error.body_text()))?;
    let name = file_name(&held.name);
    let file = app
        .views
        .run(app.limits.question_time, move || file(&held, wanted));
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    Ok((headers, file.await??).into_response())
}

/// The rows that are wanted, as a file with a header line.
fn file(held: &Held, wanted: Wanted) -> Result<Vec<u8>, Problem> {
    let table = &held.table;
    let window = Window {
        from: None,
        count: None,
        rows: wanted.rows,
        search: wanted.search,
        tests: wanted.tests,
        sort: wanted.sort,
        order: wanted.order,
        column: None,
        columns: None,
        pick: None,
    };
    let listed = match wanted.program {
        Some(_) if window.rows.is_some() => return Err(Problem::bad("give either rows or program")),
        Some(program) => Some(rows_behind(&run_program(table, &program)?, table)),
        None => window.listed(table)?,
    };
    let rows = held.rows(&window.view(table)?, listed);
    let mut out = csv::Writer::from_writer(Vec::new());
    let broken = |error: csv::Error| Problem::unusable(error.to_string());
    let columns = table.headers().len();
    out.write_record(table.headers()).map_err(broken)?;
    for &row in &*rows {
        let cells = (0..columns).map(|column| table.cell(row as usize, column));
        out.write_record(cells).map_err(broken)?;
        if out.get_ref().len() > LARGEST_FILE {
            return Err(Problem::too_large(format!(
                "these rows make a file of more than {} MB; look for fewer of them",
                LARGEST_FILE >> 20
            )));
        }
        mapo_stopping::check();
    }
    out.into_inner()
        .map_err(|error| Problem::unusable(error.error().to_string()))
}

/// The rows that an answer rests on: those of the cells behind it, or, where there are more cells than are listed,
/// of the last step that gives rows; without such a step it rests on all.
fn rows_behind(explained: &Explanation, table: &Table) -> Vec<u32> {
    let listed = !explained.cells.is_empty() && explained.cells_total <= explained.cells.len();
    let given = explained.steps.iter().rev().find_map(|step| step.rows.as_ref());
    let rows: BTreeSet<usize> = match (listed, given) {
        (true, _) => explained.cells.iter().map(|cell| cell.row).collect(),
        (false, Some(rows)) => rows.iter().collect(),
        (false, None) => (0..table.rows()).collect(),
    };
    rows.into_iter().map(|row| row as u32).collect()
}

/// A name that can stand in a header, whatever the table is called.
fn file_name(table: &str) -> String {
    let stem = table.rsplit_once('.').map_or(table, |(stem, _)| stem);
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_ .".contains(c) {
            c
        } else {
            '_'
        }
    };
    let stem: String = stem.chars().map(plain).collect();
    format!(
        "{}-rows.csv",
        if stem.trim().is_empty() {
            "table"
        } else {
            stem.trim()
        }
    )
}
