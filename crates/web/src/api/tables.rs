//! Uploading, listing, showing and forgetting tables.

use super::App;
use crate::body::{self, Allowed};
use crate::error::Problem;
use crate::sessions::{Client, SessionId, random_name};
use crate::tables::{Held, Source, page, tidy_name};
use axum::body::{Body, Bytes};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::time::Instant;

/// A path or query as axum reads it, or why it cannot.
type Given<T, R> = Result<T, R>;

/// The one variable part of a path.
pub(super) fn id_of(path: Given<Path<String>, PathRejection>) -> Result<String, Problem> {
    let wrong = |_| Problem::bad("the address is not valid UTF-8");
    path.map(|Path(id)| id).map_err(wrong)
}

pub(super) async fn list(State(app): State<Arc<App>>, headers: HeaderMap) -> Json<Value> {
    let own = app.sessions.tables(SessionId::of(&headers).as_ref());
    let tables = app.shared.iter().chain(&own).map(|held| held.list());
    Json(json!({ "tables": tables.collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Upload {
    name: Option<String>,
}

pub(super) async fn upload(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    query: Given<Query<Upload>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|error| Problem::bad(error.body_text()))?;
    let name = tidy_name(query.name.as_deref().unwrap_or_default());
    let session = SessionId::of(&headers);
    app.sessions.check(session.as_ref(), client)?;
    let begun = Instant::now();
    // Bodies are kept in memory while they come, so no more of them than there may be uploads.
    let _turn = app.receiving.try_acquire().map_err(|_| {
        Problem::busy("too many tables are being uploaded at the same time; try again in a moment")
    })?;
    let limits = app.limits.clone();
    let allowed = Allowed {
        bytes: limits.body,
        time: limits.upload_time,
        stall: limits.stall,
    };
    let content = Bytes::from(body::read(&headers, body, allowed).await?);
    if content.is_empty() {
        return Err(Problem::bad(
            "the body is empty; send the table's file as the body, with a header line and at least one row",
        ));
    }
    let left = limits.upload_time.saturating_sub(begun.elapsed());
    let id = random_name()?;
    let reader = app.reader.clone();
    let made = app.uploads.run(left, move || {
        let table = reader.read(&name, content, left, &limits)?;
        let held = Arc::new(Held::new(id, name, Source::Upload, table));
        let description = held.describe();
        Ok::<_, Problem>((held, description))
    });
    let (held, description) = made.await??;
    let location = format!("/api/tables/{}", held.id);
    let session = app.sessions.keep(session, client, held)?;
    let headers = [
        (header::LOCATION, location),
        (header::SET_COOKIE, session.cookie()),
    ];
    Ok((StatusCode::CREATED, headers, Json(description)).into_response())
}

pub(super) async fn describe(
    State(app): State<Arc<App>>,
    path: Given<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    Ok(Json(held.describe()).into_response())
}

pub(super) async fn forget(
    State(app): State<Arc<App>>,
    path: Given<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let id = id_of(path)?;
    let held = app.table(&headers, &id)?;
    if held.source != Source::Upload {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "this table is everybody's; only uploaded ones can be deleted",
        ));
    }
    app.sessions.forget(SessionId::of(&headers).as_ref(), &id);
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn end_session(State(app): State<Arc<App>>, headers: HeaderMap) -> StatusCode {
    app.sessions.end(SessionId::of(&headers).as_ref());
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    /// The first row.
    from: Option<usize>,
    /// How many rows.
    count: Option<usize>,
    /// Or just these rows, as `3,17,40`.
    rows: Option<String>,
    /// The first column.
    column: Option<usize>,
    /// How many columns.
    columns: Option<usize>,
}

/// Rows of one answer, if it does not say how many, and at most.
const ROWS: usize = 50;
const MOST_ROWS: usize = 500;
/// Columns of one answer at most.
const MOST_COLUMNS: usize = 200;

pub(super) async fn rows(
    State(app): State<Arc<App>>,
    path: Given<Path<String>, PathRejection>,
    query: Given<Query<Window>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let Query(window) = query.map_err(|error| Problem::bad(error.body_text()))?;
    let table = &held.table;
    let columns = table.headers().len();
    let column = window.column.unwrap_or(0).min(columns);
    let count = window.columns.unwrap_or(MOST_COLUMNS);
    if !(1..=MOST_COLUMNS).contains(&count) {
        return Err(Problem::bad(format!("columns must be from 1 to {MOST_COLUMNS}")));
    }
    let columns = column..column.saturating_add(count).min(columns);
    let rows = match window.rows {
        Some(_) if window.from.is_some() || window.count.is_some() => {
            return Err(Problem::bad("give either rows, or from and count"));
        }
        Some(list) => {
            let wrong = || {
                Problem::bad(format!(
                    "rows must be at most {MOST_ROWS} numbers from 0 to {} with commas between",
                    table.rows().saturating_sub(1)
                ))
            };
            let numbers = list.split(',').map(|number| number.parse::<usize>().ok());
            let numbers = numbers.map(|number| number.filter(|row| *row < table.rows()));
            let numbers: Option<Vec<usize>> = numbers.take(MOST_ROWS + 1).collect();
            let numbers = numbers
                .filter(|numbers| numbers.len() <= MOST_ROWS)
                .ok_or_else(wrong)?;
            page(table, numbers, columns)
        }
        None => {
            let from = window.from.unwrap_or(0).min(table.rows());
            let count = window.count.unwrap_or(ROWS);
            if !(1..=MOST_ROWS).contains(&count) {
                return Err(Problem::bad(format!("count must be from 1 to {MOST_ROWS}")));
            }
            page(table, from..from.saturating_add(count).min(table.rows()), columns)
        }
    };
    Ok(Json(
        json!({ "total": table.rows(), "column": column, "rows": rows }),
    ))
}
