//! Training runs.

use super::App;
use crate::error::Problem;
use crate::runs::{find_run, find_runs, read_fleet, read_metrics};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    let folder = folder(&app)?;
    let found = app
        .files
        .run(app.limits.question_time, move || find_runs(&folder));
    Ok(Json(json!({ "runs": found.await? })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// The run.
    run: String,
    /// The byte of its file from which on.
    from: Option<u64>,
}

/// A run with its metrics. It is looked for by its name among those that are there: no path is ever made of
/// what a client sends.
pub(super) async fn metrics(
    State(app): State<Arc<App>>,
    query: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Value>, Problem> {
    let Query(wanted) = query.map_err(|error| Problem::bad(error.body_text()))?;
    let folder = folder(&app)?;
    let read = app.files.run(app.limits.question_time, move || {
        let run = find_run(&folder, &wanted.run);
        let run = run.ok_or_else(|| Problem::not_found("there is no such run"))?;
        let metrics = read_metrics(&run.path, wanted.from.unwrap_or(0)).map_err(|error| {
            let sentence = format!("the run's metrics cannot be read: {error}");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
        })?;
        let fleet = read_fleet(&run.path);
        Ok(Json(json!({
            "run": run, "metrics": metrics.lines, "from": metrics.from, "next": metrics.next,
            "fleet": fleet,
        })))
    });
    read.await?
}

fn folder(app: &App) -> Result<PathBuf, Problem> {
    let none = || Problem::not_found("this server shows no runs; start it with --runs FOLDER");
    app.runs.clone().ok_or_else(none)
}
