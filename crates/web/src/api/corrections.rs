//! What people say about answers, and learning from it.

use super::App;
use super::tables::id_of;
use crate::error::Problem;
use crate::home::Home;
use crate::learning::State as Lesson;
use crate::tables::Held;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use mapo_datasets::corrections::Kept;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is known of a table's corrections.
#[derive(Serialize)]
pub(super) struct About {
    /// Whether corrections are kept.
    kept: bool,
    /// Where, or why not.
    note: String,
    /// How many there are.
    corrections: usize,
    /// Whether they can be learnt from here.
    learns: bool,
    /// Whether a model that learnt from them answers.
    learnt: bool,
    /// How far learning is, or what came of it last.
    learning: Option<Lesson>,
}

const OFF: &str =
    "corrections of this table are kept nowhere; start the server with --corrections FOLDER to keep them";

fn home(held: &Held) -> Result<&Home, Problem> {
    held.home
        .as_ref()
        .ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, OFF))
}

fn about(app: &App, held: &Held) -> About {
    let Some(home) = &held.home else {
        return About {
            kept: false,
            note: OFF.to_owned(),
            corrections: 0,
            learns: false,
            learnt: false,
            learning: None,
        };
    };
    let file = home.corrections();
    About {
        kept: true,
        note: file.display().to_string(),
        corrections: home.count(),
        learns: app.learner.is_there() && app.models.uses_learnt(),
        learnt: app.models.uses_learnt() && home.learnt().is_some(),
        learning: app.learner.state(&file),
    }
}

pub(super) async fn look(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Json<About>, Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    let looking = Arc::clone(&app);
    let about = app
        .files
        .run(app.limits.question_time, move || about(&looking, &held));
    Ok(Json(about.await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    question: String,
    answer: Vec<String>,
}

pub(super) async fn correct(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Kept>), Problem> {
    let held = app.table(&headers, &id_of(path)?)?;
    home(&held)?;
    let Said { question, answer } = app.read_json(&headers, body).await?;
    mapo_answering::check_question(&question).map_err(|error| Problem::unusable(error.to_string()))?;
    let kept = app.files.run(app.limits.question_time, move || {
        home(&held)?.keep(&held.table, &question, answer)
    });
    Ok((StatusCode::CREATED, Json(kept.await??)))
}

/// Bytes that a model which has learnt takes, and what is needed meanwhile.
const MODEL: usize = 64 << 20;

pub(super) async fn learn(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<About>), Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let held = app.table(&headers, &id_of(path)?)?;
    home(&held)?;
    // A body that says that it is JSON comes from no page of another site.
    let Nothing {} = app.read_json(&headers, body).await?;
    if !app.models.uses_learnt() {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "this server was told which model answers; start it without --model to learn here",
        ));
    }
    let learning = Arc::clone(&app);
    let begun = app.files.run(app.limits.question_time, move || {
        let home = home(&held)?;
        if home.count() == 0 {
            return Err(Problem::unusable("there is no correction yet to learn from"));
        }
        home.has_room(MODEL)?;
        learning.learner.start(home.corrections())?;
        Ok(about(&learning, &held))
    });
    Ok((StatusCode::ACCEPTED, Json(begun.await??)))
}
