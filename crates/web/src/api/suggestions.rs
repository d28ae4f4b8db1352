//! Questions to begin with.

use super::App;
use super::tables::id_of;
use crate::error::Problem;
use crate::work::Due;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde_json::{Value, json};
use std::sync::Arc;

/// Questions that are suggested for a table.
const COUNT: usize = 5;

/// Questions that the model answers rightly; examples have their own.
pub(super) async fn suggestions(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    if !held.questions.is_empty() {
        return Ok(Json(json!({ "questions": held.questions })));
    }
    let answerer = app.answerer(&held, Due::within(app.limits.question_time)).await?;
    let made = app.questions.run(app.limits.question_time, move || {
        let questions = held
            .suggested
            .get_or_init(|| answerer.proven_suggestions(&held.table, COUNT));
        questions.clone()
    });
    Ok(Json(json!({ "questions": made.await? })))
}
