//! Who may speak to the server: pages of other sites may not.
//!
//! A browser runs the scripts of every page that it shows, and those can send requests to any address, also
//! to this machine's own. Two checks keep them out. A page of another site that points its own *name* at our
//! address (DNS rebinding) names itself in `Host`: we answer only to addresses written as numbers, to
//! `localhost` and to names that were given with `--host`. A page that sends requests across sites has
//! another `Origin`, or says so in `Sec-Fetch-Site`: such requests are refused before anything is read.

use crate::error::{Error, Problem};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The names that the server answers to, beside addresses and `localhost`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts(Arc<[String]>);

impl Hosts {
    pub fn new(names: &[String]) -> Result<Self, Error> {
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
        };
        let names = names.iter().map(|name| match is_name(name) {
            true => Ok(name.to_ascii_lowercase()),
            false => Err(Error::Host(name.clone())),
        });
        Ok(Hosts(names.collect::<Result<_, _>>()?))
    }

    /// Whether a `Host` names us.
    fn know(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        let name = name.to_ascii_lowercase();
        let local = name == "localhost" || name.ends_with(".localhost");
        local
            || name.parse::<Ipv4Addr>().is_ok()
            || name
                .strip_prefix('[')
                .and_then(|name| name.strip_suffix(']'))
                .is_some_and(|name| name.parse::<Ipv6Addr>().is_ok())
            || self.0.contains(&name)
    }
}

/// A host without its port, if it can be one.
fn name_of(host: &str) -> Option<&str> {
    let end = match host.starts_with('[') {
        true => host.find(']')? + 1,
        false => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at(end);
    let port_is_one = match port.strip_prefix(':') {
        Some(port) => port.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    port_is_one.then_some(name)
}

fn check(hosts: &Hosts, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    let mut given = headers.get_all(header::HOST).iter();
    let host = match (given.next(), given.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    };
    let Some(host) = host else {
        return Err(Problem::bad("a request must name one host"));
    };
    if !hosts.know(host) {
        return Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this server does not answer to that host name; use its address, or start it with --host NAME",
        ));
    }
    let refused = || {
        Problem::new(
            StatusCode::FORBIDDEN,
            "requests from pages of other sites are not answered",
        )
    };
    for origin in headers.get_all(header::ORIGIN) {
        let origin = origin.to_str().map_err(|_| refused())?;
        let from = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        if !from.is_some_and(|from| from.eq_ignore_ascii_case(host)) {
            return Err(refused());
        }
    }
    // Following a link from elsewhere to our page is fine; anything that changes something is not.
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    match site {
        Some(b"same-origin" | b"none") | None => Ok(()),
        Some(_) if reads => Ok(()),
        Some(_) => Err(refused()),
    }
}

/// What every answer carries: nothing from elsewhere runs or loads in our pages, nobody frames them or
/// guesses types.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Lets good requests through and gives every answer its headers.
pub(crate) async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let mut response = match check(&hosts, request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Answers about tables belong to one session at one moment.
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_answered_to() {
        let hosts = Hosts::new(&["Tables.Example".to_owned()]).unwrap();
        for known in [
            "localhost",
            "localhost:8080",
            "LOCALHOST:1",
            "mapo.localhost:80",
            "127.0.0.1:8080",
            "192.168.1.7",
            "[::1]",
            "[::1]:8080",
            "tables.example:443",
        ] {
            assert!(hosts.know(known), "{known}");
        }
        for unknown in [
            "",
            ":",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8080",
            "localhost:",
            "localhost:99999",
            "localhost:80:80",
            "[::1",
            "[evil]",
            "user@localhost",
            "127.0.0.1 evil",
            "0x7f000001",
        ] {
            assert!(!hosts.know(unknown), "{unknown}");
        }
        assert!(Hosts::new(&["http://x".to_owned()]).is_err());
    }

    #[test]
    fn requests_of_other_sites_are_refused() {
        let says = |method: Method, pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            check(&Hosts::default(), &method, &headers).is_ok()
        };
        let host = ("host", "localhost:8080");
        assert!(says(Method::GET, &[host]));
        assert!(says(Method::POST, &[host, ("origin", "http://localhost:8080")]));
        assert!(says(Method::GET, &[host, ("sec-fetch-site", "cross-site")]));
        for (method, pairs) in [
            (Method::GET, vec![]),
            (Method::GET, vec![host, host]),
            (Method::GET, vec![host, ("origin", "https://evil.example")]),
            (Method::POST, vec![host, ("origin", "null")]),
            (Method::POST, vec![host, ("origin", "http://localhost:8081")]),
            (Method::POST, vec![host, ("origin", "file://localhost:8080")]),
            (Method::POST, vec![host, ("sec-fetch-site", "cross-site")]),
            (Method::DELETE, vec![host, ("sec-fetch-site", "same-site")]),
        ] {
            assert!(!says(method, &pairs), "{pairs:?}");
        }
    }
}
