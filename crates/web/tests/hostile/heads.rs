//! Addresses, methods, and what stands before a body.

use crate::support::request;
use crate::{case, is_well, send_all, start};

#[test]
fn hostile_addresses_and_methods() {
    let server = start();
    let path = |path: &str, good: &[u16]| case(path, request(server.address, "GET", path, &[], b""), good);
    let verb = |verb: &str, path: &str, good: &[u16]| {
        case(verb, request(server.address, verb, path, &[], b""), good)
    };
    let long = format!("/{}", "a".repeat(30_000));
    let longer = format!("/{}", "a".repeat(200_000));
    let many = format!("/api/tables/bakery/rows?{}", "from=1&".repeat(5_000));
    let list = format!("/api/tables/bakery/rows?rows={}", vec!["1"; 501].join(","));
    let cases = vec![
        path("/assets/../Cargo.toml", &[404]),
        path("/assets/../../../../etc/passwd", &[404]),
        path("/assets/%2e%2e/%2e%2e/etc/passwd", &[404]),
        path("/assets/..%5c..%5cwindows", &[404]),
        path("/assets/style.css%00.js", &[404]),
        path("//etc/passwd", &[404]),
        path("/.git/config", &[404]),
        path("/index.html", &[404]),
        path("/api/", &[404]),
        path("/api/tables/", &[404]),
        path("/api/tables/../health", &[404]),
        path("/api/tables/..%2fhealth", &[404]),
        path("/api/tables/%ff%fe", &[400, 404]),
        path("/api/tables/%00", &[404]),
        path("/api/tables/%", &[400, 404]),
        path("/api/tables/bakery/rows?from=-1", &[400]),
        path("/api/tables/bakery/rows?from=1.5", &[400]),
        path("/api/tables/bakery/rows?from=99999999999999999999999", &[400]),
        path(
            "/api/tables/bakery/rows?from=18446744073709551615&count=500",
            &[200],
        ),
        path("/api/tables/bakery/rows?count=0", &[400]),
        path("/api/tables/bakery/rows?count=501", &[400]),
        path("/api/tables/bakery/rows?count=1e3", &[400]),
        path("/api/tables/bakery/rows?columns=0", &[400]),
        path(
            "/api/tables/bakery/rows?column=18446744073709551615&columns=200",
            &[200],
        ),
        path("/api/tables/bakery/rows?rows=", &[400]),
        path("/api/tables/bakery/rows?rows=1,2,99999", &[400]),
        path("/api/tables/bakery/rows?rows=1,,2", &[400]),
        path("/api/tables/bakery/rows?rows=1&from=1", &[200]),
        path("/api/tables/bakery/rows?evil=1", &[400]),
        path(&list, &[400]),
        path(&many, &[400]),
        path("/api/runs/metrics?run=../../etc", &[404]),
        path(&long, &[404, 414, 431]),
        path(&longer, &[0, 414, 431]),
        path("http://evil.example/api/health", &[200, 400, 404, 421]),
        path("*", &[0, 400, 404]),
        path("/\u{1}", &[0, 400]),
        verb("PUT", "/api/tables", &[405]),
        verb("PATCH", "/", &[405]),
        verb("DELETE", "/api/health", &[405]),
        verb("DELETE", "/", &[405]),
        verb("OPTIONS", "/api/tables", &[405]),
        verb("TRACE", "/", &[405]),
        verb("CONNECT", "evil.example:443", &[0, 400, 404, 405, 421]),
        verb("EVIL", "/api/tables", &[405]),
        verb("get", "/", &[400, 405]),
        verb("POST", "/api/tables/bakery/rows", &[405]),
        verb("GET", "/api/tables/bakery/ask", &[405]),
    ];
    let count = send_all(&server, cases);
    assert!(count >= 40, "{count}");
}

#[test]
fn hostile_heads() {
    let server = start();
    let address = server.address;
    let raw = |name: &str, text: &str, good: &[u16]| case(name, text.as_bytes().to_vec(), good);
    let host = |name: &str, host: &str, good: &[u16]| {
        case(
            name,
            request(address, "GET", "/api/tables", &[("Host", host)], b""),
            good,
        )
    };
    let from = |name: &str, headers: &[(&str, &str)]| {
        let mut all = vec![("Content-Type", "application/json")];
        all.extend(headers);
        let body = br#"{"question":"how many?"}"#;
        case(
            name,
            request(address, "POST", "/api/tables/bakery/ask", &all, body),
            &[403],
        )
    };
    let own = format!("http://{address}");
    let flood: String = (0..5_000).map(|n| format!("X-{n}: y\r\n")).collect();
    let some: String = (0..80).map(|n| format!("X-{n}: y\r\n")).collect();
    let wide = "y".repeat(300_000);
    let cookies = "mapo-session=0123456789abcdef0123456789abcdef; ".repeat(500);
    let cases = vec![
        raw(
            "no host",
            "GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n",
            &[400],
        ),
        raw(
            "HTTP/1.0 without a host",
            "GET /api/health HTTP/1.0\r\n\r\n",
            &[400],
        ),
        raw("HTTP/0.9", "GET /\r\n\r\n", &[0, 400]),
        raw(
            "HTTP/9.9",
            "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
            &[0, 400, 505],
        ),
        raw("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[0, 400, 505]),
        raw("noise", "\u{1}\u{2}\u{3}\u{4}evil\r\n\r\n\r\n", &[0, 400]),
        case(
            "TLS",
            b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03evil\r\n\r\n".to_vec(),
            &[0, 400],
        ),
        raw("line ends", &"\r\n".repeat(20_000), &[0, 400, 431]),
        raw(
            "a header without a name",
            "GET / HTTP/1.1\r\nHost: localhost\r\n: evil\r\n\r\n",
            &[0, 400],
        ),
        raw(
            "a NUL in a header",
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
            &[0, 400],
        ),
        raw(
            "a folded header",
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
            &[0, 400],
        ),
        raw(
            "a blank before the colon",
            "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
            &[0, 400],
        ),
        raw(
            "5,000 headers",
            &format!("GET / HTTP/1.1\r\nHost: localhost\r\n{flood}\r\n"),
            &[0, 431],
        ),
        raw(
            "80 headers",
            &format!("GET / HTTP/1.1\r\nHost: localhost\r\n{some}\r\n"),
            &[0, 431],
        ),
        raw(
            "a wide header",
            &format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {wide}\r\n\r\n"),
            &[0, 431],
        ),
        case(
            "a cookie flood",
            request(address, "GET", "/api/tables", &[("Cookie", &cookies)], b""),
            &[200, 431],
        ),
        case(
            "a guessed session",
            request(address, "GET", "/api/tables", &[("mapo-session", "../../x")], b""),
            &[200],
        ),
        case(
            "two hosts",
            format!("GET / HTTP/1.1\r\nHost: {address}\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
                .into_bytes(),
            &[400],
        ),
        host("another site's host", "evil.example", &[421]),
        host(
            "another site's host with our port",
            &format!("evil.example:{}", address.port()),
            &[421],
        ),
        host("an address as a part of a name", "127.0.0.1.evil.example", &[421]),
        host("localhost as a part of a name", "localhost.evil.example", &[421]),
        host("a user in the host", "evil@127.0.0.1", &[421]),
        host("an empty host", "", &[400, 421]),
        host("a path in the host", "127.0.0.1/evil", &[421]),
        from("another origin", &[("Origin", "https://evil.example")]),
        from("no origin", &[("Origin", "null")]),
        from("another port's origin", &[("Origin", "http://127.0.0.1:1")]),
        from(
            "an origin that begins like ours",
            &[("Origin", &format!("{own}.evil.example"))],
        ),
        from(
            "two origins",
            &[("Origin", &own), ("Origin", "https://evil.example")],
        ),
        from("across sites", &[("Sec-Fetch-Site", "cross-site")]),
        from("from the same site", &[("Sec-Fetch-Site", "same-site")]),
    ];
    let count = send_all(&server, cases);
    assert!(count >= 30, "{count}");
    // Our own page is let through.
    let good = [
        ("Content-Type", "application/json"),
        ("Origin", own.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
    ];
    let answer = server.call(
        "POST",
        "/api/tables/bakery/ask",
        &good,
        br#"{"question":"how many orders?"}"#,
    );
    assert_eq!(answer.status, 200);
    // Two requests in one, and one hidden behind another's body, are two requests and nothing else.
    let twice = format!(
        "GET /api/health HTTP/1.1\r\nHost: {address}\r\n\r\nGET /nothing HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    let answers = server.raw(twice.as_bytes());
    assert_eq!(answers.status, 200);
    assert!(answers.text().contains("HTTP/1.1 404"));
    is_well(&server);
}
