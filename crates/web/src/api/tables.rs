//! Uploading, listing, showing and forgetting tables.

use super::App;
use crate::body::{self, Allowed};
use crate::error::Problem;
use crate::home::Home;
use crate::sessions::{Client, SessionId, random_name};
use crate::tables::{Held, Source, tidy_name};
use axum::body::{Body, Bytes};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use mapo_tables::{LoadOptions, PlainFile, SAYINGS};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use tokio::time::Instant;

/// A path or query as axum reads it, or why it cannot.
pub(super) type Given<T, R> = Result<T, R>;

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
    format: Option<String>,
    sheet: Option<String>,
    header: Option<String>,
    encoding: Option<String>,
    separator: Option<String>,
    decimal: Option<String>,
}

impl Upload {
    /// What is said about the file, beside how the server reads files.
    fn told(self, drop_totals: bool) -> Result<LoadOptions, Problem> {
        let mut told = LoadOptions {
            drop_totals,
            ..LoadOptions::default()
        };
        let said = [
            self.format,
            self.sheet,
            self.header,
            self.encoding,
            self.separator,
            self.decimal,
        ];
        for (what, said) in SAYINGS.into_iter().zip(said) {
            if let Some(said) = said {
                told.tell(what, &said)
                    .map_err(|error| Problem::bad(format!("{what}: {error}")))?;
            }
        }
        Ok(told)
    }
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
    let told = query.told(app.drop_totals)?;
    let session = SessionId::of(&headers);
    app.sessions.check(session.as_ref(), client)?;
    // Bodies are kept in memory while they come, so no more of them than there may be uploads.
    let waiting = Instant::now() + app.limits.upload_time;
    let _turn = app.receiving.take(client, waiting).await.ok_or_else(|| {
        Problem::busy("too many tables are being uploaded at the same time; try again in a moment")
    })?;
    // Who had to wait has as much time as others.
    let begun = Instant::now();
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
    let (reader, folder) = (app.reader.clone(), app.corrections.clone());
    let made = app.uploads.run(left, move || {
        let table = reader.read(&name, content.clone(), &told, left, &limits)?;
        let plain = PlainFile::of(&content, &table);
        let home = folder.map(|folder| Home::under(&folder, limits.corrections, &name, content, &told));
        let held = Held {
            plain: OnceLock::from(plain),
            ..Held::new(id, name, Source::Upload, table)
        };
        let held = Arc::new(held.at(home));
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
