//! Reading what clients send: no more than allowed, and not from those who never finish.

use crate::error::Problem;
use crate::limits::bytes;
use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, StatusCode, header};
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// How much of a body and how long it may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    pub bytes: usize,
    pub time: Duration,
    /// Between two pieces of it.
    pub stall: Duration,
}

/// How long a body that is refused is still taken in, so that the client is done sending and reads why.
const LINGER: Duration = Duration::from_secs(2);

/// The whole body.
pub(crate) async fn read(headers: &HeaderMap, mut body: Body, allowed: Allowed) -> Result<Vec<u8>, Problem> {
    let refusal = || {
        Problem::too_large(format!(
            "the body is larger than {}, which is the limit here",
            bytes(allowed.bytes)
        ))
    };
    let said = headers.get(header::CONTENT_LENGTH);
    let said = said.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if said.is_some_and(|said| said > allowed.bytes) {
        // Whoever asked first has not sent anything, and now will not.
        if !headers.contains_key(header::EXPECT) {
            discard(&mut body, allowed).await;
        }
        return Err(refusal());
    }
    let slow = || {
        Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body came too slowly; send it again over a faster connection",
        )
    };
    let end = Instant::now() + allowed.time;
    let mut content = Vec::with_capacity(said.unwrap_or(0).min(1 << 20));
    loop {
        let piece = timeout(allowed.stall, next(&mut body));
        match timeout_at(end, piece).await {
            Ok(Ok(Some(Ok(piece)))) => {
                if content.len() + piece.len() > allowed.bytes {
                    discard(&mut body, allowed).await;
                    return Err(refusal());
                }
                content.extend_from_slice(&piece);
            }
            Ok(Ok(Some(Err(error)))) => {
                return Err(Problem::bad(format!("the body cannot be read: {error}")));
            }
            Ok(Ok(None)) => return Ok(content),
            Ok(Err(_)) | Err(_) => return Err(slow()),
        }
    }
}

async fn next(body: &mut Body) -> Option<Result<axum::body::Bytes, axum::Error>> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        match frame? {
            Ok(frame) => match frame.into_data() {
                Ok(piece) => return Some(Ok(piece)),
                // Trailers say nothing to us.
                Err(_) => continue,
            },
            Err(error) => return Some(Err(error)),
        }
    }
}

async fn discard(body: &mut Body, allowed: Allowed) {
    let mut left = allowed.bytes.saturating_mul(4);
    let all = async {
        while let Some(Ok(piece)) = next(body).await {
            left = left.saturating_sub(piece.len());
            if left == 0 {
                break;
            }
        }
    };
    let _ = timeout(LINGER, all).await;
}
