//! The JSON API. What it takes and gives is described in `openapi.json`, which tests hold to the truth.

mod about;
mod corrections;
mod duckdb;
mod questions;
mod rows;
mod runs;
mod suggestions;
mod tables;

use crate::body::{self, Allowed};
use crate::error::Problem;
use crate::learning::Learner;
use crate::learnt::Models;
use crate::limits::Limits;
use crate::reading::UploadReader;
use crate::sessions::{SessionId, Sessions};
use crate::shelf::Shelf;
use crate::tables::Held;
use crate::together::Together;
use crate::turns::Turns;
use crate::work::{Due, Work};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{delete, get, post};
use mapo_answering::Answerer;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Everything that requests need.
#[derive(Debug)]
pub(crate) struct App {
    pub models: Arc<Models>,
    pub learner: Learner,
    /// The folder for corrections of uploaded tables.
    pub corrections: Option<Shelf>,
    /// What the model is called: the name of its file.
    pub model: String,
    pub limits: Limits,
    /// Whether a last row of an upload that adds up the others is left out.
    pub drop_totals: bool,
    pub sessions: Sessions,
    /// Tables that everybody sees.
    pub shared: Vec<Arc<Held>>,
    pub questions: Work,
    /// Questions that wait for their turn.
    pub together: Together,
    /// Looking through the rows of tables.
    pub views: Work,
    /// Making tables of uploads.
    pub uploads: Work,
    /// Bodies of uploads that are being received or waiting to be made a table.
    pub receiving: Arc<Turns>,
    /// Looking through the files of runs.
    pub files: Work,
    pub runs: Option<PathBuf>,
    pub reader: UploadReader,
    pub began: Instant,
}

/// The paths of the API with their methods.
pub const ROUTES: [(&str, &[&str]); 17] = [
    ("/api/openapi.json", &["get"]),
    ("/api/health", &["get"]),
    ("/api/model", &["get"]),
    ("/api/examples", &["get"]),
    ("/api/session", &["delete"]),
    ("/api/tables", &["get", "post"]),
    ("/api/tables/{id}", &["get", "delete"]),
    ("/api/tables/{id}/rows", &["get"]),
    ("/api/tables/{id}/csv", &["get"]),
    ("/api/tables/{id}/suggestions", &["get"]),
    ("/api/tables/{id}/ask", &["post"]),
    ("/api/tables/{id}/run", &["post"]),
    ("/api/tables/{id}/duckdb", &["post"]),
    ("/api/tables/{id}/corrections", &["get", "post"]),
    ("/api/tables/{id}/learn", &["post"]),
    ("/api/runs", &["get"]),
    ("/api/runs/metrics", &["get"]),
];

pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/openapi.json", get(about::openapi))
        .route("/api/health", get(about::health))
        .route("/api/model", get(about::model))
        .route("/api/examples", get(about::examples))
        .route("/api/session", delete(tables::end_session))
        .route("/api/tables", get(tables::list).post(tables::upload))
        .route("/api/tables/{id}", get(tables::describe).delete(tables::forget))
        .route("/api/tables/{id}/rows", get(rows::rows))
        .route("/api/tables/{id}/csv", get(rows::csv))
        .route("/api/tables/{id}/suggestions", get(suggestions::suggestions))
        .route("/api/tables/{id}/ask", post(questions::ask))
        .route("/api/tables/{id}/run", post(questions::run))
        .route("/api/tables/{id}/duckdb", post(duckdb::query))
        .route(
            "/api/tables/{id}/corrections",
            get(corrections::look).post(corrections::correct),
        )
        .route("/api/tables/{id}/learn", post(corrections::learn))
        .route("/api/runs", get(runs::list))
        .route("/api/runs/metrics", get(runs::metrics))
}

impl App {
    /// A table that this client may ask.
    pub fn table(&self, headers: &HeaderMap, id: &str) -> Result<Arc<Held>, Problem> {
        let own = self.sessions.tables(SessionId::of(headers).as_ref());
        let found = self.shared.iter().chain(&own).find(|held| held.id == id);
        found.cloned().ok_or_else(|| {
            Problem::not_found("there is no such table here; uploaded ones are forgotten after a while")
        })
    }

    /// The model that answers questions about a table.
    pub async fn answerer(&self, held: &Arc<Held>, due: Due) -> Result<Arc<Answerer>, Problem> {
        if let Some(answerer) = self.models.at_hand(held.home.as_ref()) {
            return Ok(answerer);
        }
        // To read a model takes a moment.
        let turn = self.files.turn(due).await?;
        let (models, held) = (Arc::clone(&self.models), Arc::clone(held));
        self.files
            .work(turn, due, move || models.of(held.home.as_ref()))
            .await?
    }

    /// The JSON object of a request. Only bodies that say that they are JSON are read: a form of another page
    /// cannot say so without being asked for leave first.
    pub async fn read_json<T: DeserializeOwned>(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<T, Problem> {
        let kind = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let kind = kind.map(|kind| {
            kind.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        });
        if kind.as_deref() != Some("application/json") {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send a JSON object, with the header Content-Type: application/json",
            ));
        }
        let allowed = Allowed {
            bytes: LARGEST_OBJECT,
            time: self.limits.stall,
            stall: self.limits.stall,
        };
        let content = body::read(headers, body, allowed).await?;
        serde_json::from_slice(&content).map_err(|error| {
            Problem::bad(format!(
                "the body is not the JSON object that belongs here: {error}"
            ))
        })
    }
}

/// Bytes of a question or program with what is around it.
const LARGEST_OBJECT: usize = 64 << 10;
