//! What the server is, and how it is.

use super::App;
use crate::tables::EXAMPLES;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use std::sync::Arc;

/// The description of the API.
pub const OPENAPI: &str = include_str!("../../openapi.json");

pub(super) async fn openapi() -> impl IntoResponse {
    let kind = (header::CONTENT_TYPE, "application/json");
    ([kind, (header::CACHE_CONTROL, "no-cache")], OPENAPI)
}

pub(super) async fn health(State(app): State<Arc<App>>) -> Json<Value> {
    let limits = &app.limits;
    let (sessions, tables, bytes) = app.sessions.sizes();
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "seconds": app.began.elapsed().as_secs(),
        "questions": app.questions.load(),
        "uploads": app.receiving.load(),
        "sessions": { "sessions": sessions, "tables": tables, "bytes": bytes },
        "limits": {
            "body": limits.body, "rows": limits.rows, "cells": limits.cells,
            "question_seconds": limits.question_time.as_secs_f64(),
            "upload_seconds": limits.upload_time.as_secs_f64(),
            "stall_seconds": limits.stall.as_secs_f64(),
            "questions": limits.questions, "queue": limits.queue, "uploads": limits.uploads,
            "connections": limits.connections,
            "sessions": limits.sessions, "tables": limits.tables, "memory": limits.memory,
            "idle_seconds": limits.idle.as_secs_f64(),
        },
    }))
}

pub(super) async fn model(State(app): State<Arc<App>>) -> Json<Value> {
    let card = app.models.own().card().write().unwrap_or_default();
    Json(json!({ "model": app.model, "card": card }))
}

pub(super) async fn examples() -> Json<Value> {
    let examples = EXAMPLES.iter().map(|example| {
        let questions: Vec<&str> = example.questions.iter().map(|(question, _)| *question).collect();
        json!({
            "id": example.id, "title": example.title, "about": example.about,
            "questions": questions, "csv": example.csv,
        })
    });
    Json(json!({ "examples": examples.collect::<Vec<_>>() }))
}
