//! A program as a query that DuckDB runs on the file itself.

use super::App;
use super::tables::id_of;
use crate::error::Problem;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use mapo_answering::{FileQuery, NOT_PLAIN, NoFileQuery, file_query, plain_file};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    program: String,
}

pub(super) async fn query(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<FileQuery>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let Given { program } = app.read_json(&headers, body).await?;
    // One at a time: files are read for it, and DuckDB takes all cores.
    let made = app.files.run(app.limits.question_time, move || {
        let at = held.path.as_deref();
        let looked = || at.and_then(|path| plain_file(path, &held.table).ok());
        match held.plain.get_or_init(looked) {
            Some(file) => file_query(&program, &held.table, held.table.name(), *file, at),
            None => Err(NoFileQuery::NotPlain(NOT_PLAIN.to_owned())),
        }
    });
    let made = made.await?.map_err(|error| match error {
        NoFileQuery::Program(error) => Problem::unusable(error.to_string()).at(error.column),
        error => Problem::unusable(format!("there is no query for the file itself: {error}")),
    })?;
    Ok(Json(made))
}
