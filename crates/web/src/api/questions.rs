//! Asking questions, and running programs by hand.

use super::App;
use super::tables::id_of;
use crate::error::Problem;
use crate::work::Due;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use mapo_answering::Reply;
use mapo_language::HandWritten;
use mapo_language::explain::Explanation;
use mapo_tables::Table;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    question: String,
}

pub(super) async fn ask(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Reply>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let Asked { question } = app.read_json(&headers, body).await?;
    let due = Due::within(app.limits.question_time);
    let answerer = app.answerer(&held, due).await?;
    let asked = app
        .together
        .ask(&answerer, &app.questions, due, &held.table, question);
    let reply = asked.await?.map_err(|error| match error {
        mapo_answering::Error::Model(error) => Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("the model failed: {error}"),
        ),
        error => Problem::unusable(error.to_string()),
    })?;
    Ok(Json(reply))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    program: String,
}

pub(super) async fn run(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Explanation>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let Given { program } = app.read_json(&headers, body).await?;
    let ran = app.questions.run(app.limits.question_time, move || {
        run_program(&held.table, &program)
    });
    Ok(Json(ran.await??))
}

pub(super) fn run_program(table: &Arc<Table>, text: &str) -> Result<Explanation, Problem> {
    let ran = HandWritten::read(text, table).and_then(|program| program.explain());
    ran.map_err(|error| Problem::unusable(error.to_string()).at(error.column))
}
