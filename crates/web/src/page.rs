//! The pages and what belongs to them, all in the binary.

use crate::error::Problem;
use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// A file of the pages.
struct Asset {
    path: &'static str,
    kind: &'static str,
    content: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($path:literal $kind:ident $file:literal)*) => {
        &[$(Asset { path: $path, kind: $kind, content: include_bytes!(concat!("../assets/", $file)) }),*]
    };
}

const SVG: &str = "image/svg+xml";

const ASSETS: &[Asset] = assets![
    "/" HTML "index.html"
    "/runs" HTML "runs.html"
    "/api" HTML "api.html"
    "/assets/style.css" CSS "style.css"
    "/assets/theme.js" JS "theme.js"
    "/assets/dom.js" JS "dom.js"
    "/assets/ask.js" JS "ask.js"
    "/assets/answer.js" JS "answer.js"
    "/assets/correcting.js" JS "correcting.js"
    "/assets/decisions.js" JS "decisions.js"
    "/assets/grid.js" JS "grid.js"
    "/assets/looking.js" JS "looking.js"
    "/assets/history.js" JS "history.js"
    "/assets/link.js" JS "link.js"
    "/assets/reasons.js" JS "reasons.js"
    "/assets/tip.js" JS "tip.js"
    "/assets/file_query.js" JS "file_query.js"
    "/assets/open.js" JS "open.js"
    "/assets/fleet.js" JS "fleet.js"
    "/assets/runs.js" JS "runs.js"
    "/assets/chart.js" JS "chart.js"
    "/assets/api.js" JS "api.js"
    "/assets/icon.svg" SVG "icon.svg"
];

pub(crate) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let mut router = Router::new();
    for asset in ASSETS {
        router = router.route(
            asset.path,
            get(move |headers: HeaderMap| async move { give(asset, &headers) }),
        );
    }
    router
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
}

/// A file, or that the browser has it already.
fn give(asset: &'static Asset, headers: &HeaderMap) -> Response {
    let tag = format!("\"{:016x}\"", fingerprint(asset.content));
    let known = headers.get(header::IF_NONE_MATCH).map(|value| value.as_bytes());
    let always = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
    ];
    match known == Some(tag.as_bytes()) {
        true => (StatusCode::NOT_MODIFIED, always).into_response(),
        false => (always, [(header::CONTENT_TYPE, asset.kind)], asset.content).into_response(),
    }
}

/// A number that changes with the content (FNV-1a), to tell one build's files from another's.
fn fingerprint(content: &[u8]) -> u64 {
    content.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

async fn nothing_here(_: Uri) -> Problem {
    Problem::not_found("there is nothing at this address; the page is at / and the API is described at /api")
}

async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this address does not take this method; /api tells which it takes",
    )
}
