//! What can go wrong: for whoever starts the server, and for whoever asks it.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is taken or not ours.
    #[error(
        "{address}: cannot be listened on: {source}; choose another with --address, port 0 for any free one"
    )]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// A table of the command line.
    #[error(transparent)]
    Table(#[from] mapo_tables::TableError),
    /// The folder of runs.
    #[error("{}: is no folder; --runs wants the folder that holds runs of `mapo train`", .0.display())]
    NoRuns(PathBuf),
    /// The folder of corrections.
    #[error("{}: is no folder; --corrections wants the folder that corrections of uploaded tables are kept in", .0.display())]
    NoCorrections(PathBuf),
    /// A name in --host that is none.
    #[error(
        "'{0}' is no host name; write it as it stands in the browser's address, without http:// and port"
    )]
    Host(String),
    /// The system refuses what a server needs.
    #[error("the server cannot run: {0}")]
    System(#[from] std::io::Error),
}

/// An answer that says no: a status and one sentence.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    sentence: String,
    /// Seconds after which to try again.
    retry_after: Option<u32>,
    /// Where in a program it went wrong, in characters from 0.
    column: Option<usize>,
}

impl Problem {
    pub fn new(status: StatusCode, sentence: impl Into<String>) -> Self {
        Problem {
            status,
            sentence: sentence.into(),
            retry_after: None,
            column: None,
        }
    }

    pub fn bad(sentence: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, sentence)
    }

    pub fn not_found(sentence: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, sentence)
    }

    pub fn too_large(sentence: impl Into<String>) -> Self {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    }

    /// Nothing is wrong with the request, only with the moment.
    pub fn busy(sentence: impl Into<String>) -> Self {
        Problem {
            retry_after: Some(1),
            ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
        }
    }

    /// The request is understood, and what it holds is wrong.
    pub fn unusable(sentence: impl Into<String>) -> Self {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, sentence)
    }

    /// Points at a character of a program.
    pub fn at(self, column: usize) -> Self {
        Problem {
            column: Some(column),
            ..self
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut content = json!({ "error": self.sentence });
        if let Some(column) = self.column {
            content["column"] = column.into();
        }
        let mut response = (self.status, Json(content)).into_response();
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
