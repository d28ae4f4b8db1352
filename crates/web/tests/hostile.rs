//! What strangers may send: nothing of it makes the server panic or hang, and whatever can be answered is
//! answered with the right status and one clear sentence.

mod support;

use mapo_web::{Limits, Options};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Answer, Running, request};

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Panics in threads of the server are counted: a request that is answered with 500 hides one.
fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let of_the_test = std::thread::current()
                .name()
                .is_some_and(|name| !name.starts_with("tokio"));
            // The reader of Parquet files panics at some damaged ones; that is caught where it is called, and
            // told.
            let expected = panic
                .location()
                .is_some_and(|place| place.file().contains("/parquet-"));
            if !of_the_test && !expected {
                PANICS.fetch_add(1, Ordering::Relaxed);
            }
            before(panic);
        }));
    });
}

fn limits() -> Limits {
    Limits {
        body: 1 << 20,
        rows: 20_000,
        cells: 200_000,
        question_time: Duration::from_secs(10),
        upload_time: Duration::from_secs(4),
        stall: Duration::from_millis(700),
        sessions: 2_000,
        connections: 64,
        ..Limits::default()
    }
}

fn start() -> Running {
    count_panics();
    Running::start(Options {
        limits: limits(),
        ..Options::default()
    })
}

/// A request and the statuses that are good answers to it; 0 stands for a connection that is closed without a
/// word.
struct Case {
    name: String,
    bytes: Vec<u8>,
    good: Vec<u16>,
}

/// Sends every case, on a connection of its own, and sees that the server is well afterwards.
fn send_all(server: &Running, cases: Vec<Case>) -> usize {
    let count = cases.len();
    for case in cases {
        let began = Instant::now();
        let answer = server.raw(&case.bytes);
        let name = &case.name;
        assert!(
            case.good.contains(&answer.status),
            "{name}: {} {}",
            answer.status,
            answer.text()
        );
        assert!(
            began.elapsed() < Duration::from_secs(8),
            "{name} took {:?}",
            began.elapsed()
        );
        tells(name, &answer);
    }
    is_well(server);
    count
}

/// Refusals of ours are one sentence that says more than a status.
fn tells(name: &str, answer: &Answer) {
    if answer.status >= 400 && !answer.body.is_empty() {
        let object = answer.json();
        let sentence = object["error"]
            .as_str()
            .unwrap_or_else(|| panic!("{name}: {object}"));
        assert!(
            sentence.len() > 15 && !sentence.contains('\u{1b}'),
            "{name}: {sentence}"
        );
        assert!(
            sentence.len() < 1_500,
            "{name}: a sentence of {} bytes",
            sentence.len()
        );
        assert!(
            !sentence.contains("panicked") && !sentence.contains(".rs:"),
            "{name}: {sentence}"
        );
    }
}

fn is_well(server: &Running) {
    assert_eq!(server.get("/api/health").status, 200);
    let reply = server.post(
        "/api/tables/lighthouses/ask",
        "",
        &json!({"question": "how many lighthouses are on Skerra?"}),
    );
    assert_eq!(reply.json()["answer"], json!(["4"]));
    assert_eq!(PANICS.load(Ordering::Relaxed), 0, "something panicked");
}

fn case(name: &str, bytes: Vec<u8>, good: &[u16]) -> Case {
    Case {
        name: name.to_owned(),
        bytes,
        good: good.to_vec(),
    }
}

#[test]
fn hostile_tables() {
    let server = start();
    let upload = |name: &str, file: &str, content: &[u8], good: &[u16]| {
        let path = format!("/api/tables?name={file}");
        case(name, request(server.address, "POST", &path, &[], content), good)
    };
    let noise: Vec<u8> = (0u32..50_000)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let utf16: Vec<u8> = "\u{feff}Name,Age\nAnne,7\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let wide = |columns: usize| {
        let header: Vec<String> = (0..columns).map(|n| format!("c{n}")).collect();
        format!("{}\n{}\n", header.join(","), vec!["1"; columns].join(","))
    };
    let header: Vec<String> = (0..3_000).map(|n| n.to_string()).collect();
    let bomb = format!("{}\n{}", header.join(","), "a\n".repeat(15_000));
    let deep = format!("{{\"a\":{}1{}}}\n", "[".repeat(50_000), "]".repeat(50_000));
    let keys: String = (0..3_000).map(|n| format!("{{\"k{n}\":{n}}}\n")).collect();
    let parquet = |middle: &[u8]| [b"PAR1", middle, b"PAR1"].concat();
    let refused = [400, 413, 422];
    let any = [201, 400, 413, 422];
    let cases = vec![
        upload("nothing", "t.csv", b"", &refused),
        upload("a line end", "t.csv", b"\n", &refused),
        upload("blanks", "t.csv", b"   ", &refused),
        upload("a byte order mark", "t.csv", b"\xef\xbb\xbf", &refused),
        upload("a header only", "t.csv", b"a,b,c\n", &refused),
        upload("a header without end", "t.csv", b"a,b,c", &refused),
        upload("NULs", "t.csv", &[0; 5_000], &refused),
        upload("a NUL in a cell", "t.csv", b"a,b\n1,\0\n", &any),
        upload("noise", "t.csv", &noise, &refused),
        upload("noise as parquet", "t.parquet", &noise, &refused),
        upload("noise as JSON lines", "t.jsonl", &noise, &refused),
        upload(
            "a picture",
            "t.csv",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
            &refused,
        ),
        upload(
            "a spreadsheet",
            "t.xlsx",
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0bin",
            &refused,
        ),
        upload(
            "a broken gzip",
            "t.csv.gz",
            b"\x1f\x8b\x08\0\0\0\0\0\0\x03broken",
            &refused,
        ),
        upload(
            "a program",
            "t.csv",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0",
            &refused,
        ),
        upload("broken UTF-8", "t.csv", b"a,b\n1,\xff\xfe\xfa\n", &any),
        upload("half a character", "t.csv", b"a,b\n1,\xe2\x82\n", &any),
        upload("a surrogate", "t.csv", b"a,b\n1,\xed\xa0\x80\n", &any),
        upload("UTF-16", "t.csv", &utf16, &any),
        upload("Latin-1", "t.csv", b"Name,Stadt\nJ\xf6rg,K\xf6ln\n", &any),
        upload("an open quote", "t.csv", b"a,b\n\"1,2\n3,4\n", &any),
        upload("quotes only", "t.csv", &b"\"".repeat(10_001), &any),
        upload("quotes in quotes", "t.csv", b"a\n\"\"\"\"\"\"\n", &any),
        upload("commas only", "t.csv", &b",".repeat(20_000), &refused),
        upload("line ends only", "t.csv", &b"\n".repeat(100_000), &refused),
        upload("old line ends", "t.csv", b"a,b\r1,2\r3,4\r", &any),
        upload("uneven rows", "t.csv", b"a,b,c\n1\n1,2,3,4,5,6,7\n\n", &any),
        upload("equal headers", "t.csv", b"a,a,a,a\n1,2,3,4\n", &any),
        upload("empty headers", "t.csv", b",,,\n1,2,3,4\n", &any),
        upload("5,000 columns", "t.csv", wide(5_000).as_bytes(), &any),
        upload("60,000 columns", "t.csv", wide(60_000).as_bytes(), &refused),
        upload("few bytes, many cells", "t.csv", bomb.as_bytes(), &refused),
        upload(
            "too many rows",
            "t.csv",
            "a\n1\n".repeat(20_000).as_bytes(),
            &refused,
        ),
        upload(
            "one long cell",
            "t.csv",
            format!("a\n{}\n", "x".repeat(900_000)).as_bytes(),
            &any,
        ),
        upload(
            "one long header",
            "t.csv",
            format!("{}\n1\n", "h".repeat(900_000)).as_bytes(),
            &any,
        ),
        upload(
            "long digits",
            "t.csv",
            format!("a\n{}\n", "9".repeat(100_000)).as_bytes(),
            &any,
        ),
        upload(
            "extreme numbers",
            "t.csv",
            b"a\n1e999\n-1e999\nNaN\ninf\n0x10\n1e-400\n",
            &any,
        ),
        upload(
            "impossible dates",
            "t.csv",
            b"a\n9999-99-99\n0000-00-00\n31 February 2001\n",
            &any,
        ),
        upload(
            "escape sequences",
            "t.csv",
            b"a\x1b]0;owned\x07,b\n\x1b[2J\x1b[31m,\x08\x08\n",
            &any,
        ),
        upload(
            "right to left",
            "t.csv",
            "a\u{202e},b\n\u{202e}gpj.exe,\u{200b}\n".as_bytes(),
            &any,
        ),
        upload(
            "stacked accents",
            "t.csv",
            format!("a\nz{}\n", "\u{301}".repeat(50_000)).as_bytes(),
            &any,
        ),
        upload("JSON lines, broken", "t.jsonl", b"{\"a\":1}\n{\"a\":\n", &any),
        upload("JSON lines, no objects", "t.jsonl", b"1\n2\n[]\nnull\n", &any),
        upload("JSON lines, deep", "t.jsonl", deep.as_bytes(), &any),
        upload("JSON lines, ever new keys", "t.jsonl", keys.as_bytes(), &any),
        upload("parquet, nothing inside", "t.parquet", &parquet(b""), &refused),
        upload(
            "parquet, a long footer",
            "t.parquet",
            &parquet(b"\xff\xff\xff\x7f"),
            &refused,
        ),
        upload(
            "parquet, a footer of zeros",
            "t.parquet",
            &parquet(&[0; 64]),
            &refused,
        ),
        upload(
            "parquet, a negative length",
            "t.parquet",
            &parquet(b"xxxx\xff\xff\xff\xff"),
            &refused,
        ),
        upload("parquet by name only", "t.parquet", b"a,b\n1,2\n", &any),
    ];
    let count = send_all(&server, cases);
    assert!(count >= 45, "{count}");
}

#[test]
fn hostile_names_and_lengths() {
    let server = start();
    let table = b"a,b\n1,2\n";
    let named = |name: &str, query: &str, good: &[u16]| {
        let path = format!("/api/tables{query}");
        case(name, request(server.address, "POST", &path, &[], table), good)
    };
    let with = |name: &str, headers: &[(&str, &str)], body: &[u8], good: &[u16]| {
        case(
            name,
            request(server.address, "POST", "/api/tables?name=t.csv", headers, body),
            good,
        )
    };
    let long = format!("?name={}", "n".repeat(20_000));
    let chunked = ("Transfer-Encoding", "chunked");
    let endless: Vec<u8> = b"10000\r\n"
        .iter()
        .copied()
        .chain([b'x'; 65536])
        .chain(*b"\r\n")
        .collect::<Vec<_>>()
        .repeat(40);
    let cases = vec![
        named("a path as a name", "?name=../../../etc/passwd", &[201]),
        named("an encoded path", "?name=..%2f..%2fetc%2fpasswd%00.csv", &[201]),
        named("line ends in a name", "?name=a%0d%0aSet-Cookie:%20x=y", &[201]),
        named("broken UTF-8 in a name", "?name=%ff%fe", &[201, 400]),
        named("a long name", &long, &[201]),
        named("no name", "", &[201]),
        named("two names", "?name=a&name=b", &[400]),
        named("an unknown parameter", "?evil=1", &[400]),
        named(
            "markup in a name",
            "?name=%3Cscript%3Ealert(1)%3C/script%3E",
            &[201],
        ),
        with(
            "a longer length than the limit",
            &[("Content-Length", "99999999999")],
            b"a\n1\n",
            &[413],
        ),
        with(
            "a length beyond numbers",
            &[("Content-Length", "99999999999999999999999")],
            b"a\n1\n",
            &[400],
        ),
        with(
            "a negative length",
            &[("Content-Length", "-1")],
            b"a\n1\n",
            &[400],
        ),
        with(
            "two lengths",
            &[("Content-Length", "4"), ("Content-Length", "9")],
            b"a\n1\n",
            &[400],
        ),
        with(
            "length and chunks",
            &[("Content-Length", "4"), chunked],
            b"4\r\na\n1\n\r\n0\r\n\r\n",
            &[201, 400],
        ),
        with("chunks without end", &[chunked], &endless, &[413]),
        with("a broken chunk", &[chunked], b"zz\r\na\n1\n\r\n", &[400]),
        with(
            "a chunk beyond numbers",
            &[chunked],
            b"fffffffffffffffff\r\na",
            &[400],
        ),
        with(
            "an unknown coding",
            &[("Transfer-Encoding", "gzip, evil")],
            b"a\n1\n",
            &[400, 501],
        ),
        with(
            "a body shorter than it says",
            &[("Content-Length", "500")],
            b"a\n1\n",
            &[408, 400],
        ),
        with(
            "compressed by its word only",
            &[("Content-Encoding", "gzip")],
            b"a\n1\n",
            &[201, 415],
        ),
        with(
            "asks before it sends too much",
            &[("Content-Length", "99999999"), ("Expect", "100-continue")],
            b"x",
            &[413],
        ),
    ];
    send_all(&server, cases);
}

#[test]
fn hostile_questions_and_programs() {
    let server = start();
    let content = "Name,\"=1+1\",\"'; DROP TABLE t; --\"\n\"<img src=x onerror=alert(1)>\",\"=cmd|' /C calc'!A0\",\u{1b}[31m\nAnne,2,Tulsa\n";
    let (id, cookie) = server.upload("evil.csv", content.as_bytes());
    let body = |name: &str, what: &str, body: &[u8], good: &[u16]| {
        let headers = [("Content-Type", "application/json"), ("Cookie", cookie.as_str())];
        let path = format!("/api/tables/{id}/{what}");
        case(name, request(server.address, "POST", &path, &headers, body), good)
    };
    let typed = |name: &str, kind: &str, good: &[u16]| {
        let headers = [("Content-Type", kind), ("Cookie", cookie.as_str())];
        let path = format!("/api/tables/{id}/ask");
        case(
            name,
            request(
                server.address,
                "POST",
                &path,
                &headers,
                br#"{"question":"how many?"}"#,
            ),
            good,
        )
    };
    let mut cases = vec![
        typed("a form", "application/x-www-form-urlencoded", &[415]),
        typed("text", "text/plain", &[415]),
        typed("no type", "", &[415]),
        typed("JSON with a charset", "application/json; charset=utf-8", &[200]),
        body("nothing", "ask", b"", &[400]),
        body("no JSON", "ask", b"how many?", &[400]),
        body("half an object", "ask", br#"{"question":"how"#, &[400]),
        body(
            "two objects",
            "ask",
            br#"{"question":"a"}{"question":"b"}"#,
            &[400],
        ),
        body("a list", "ask", b"[]", &[400]),
        body("null", "ask", b"null", &[400]),
        body("no field", "ask", b"{}", &[400]),
        body("a number as a question", "ask", br#"{"question":7}"#, &[400]),
        body(
            "an object as a question",
            "ask",
            br#"{"question":{"$ne":1}}"#,
            &[400],
        ),
        body(
            "the same field again",
            "ask",
            br#"{"question":"a","question":"b"}"#,
            &[400],
        ),
        body(
            "an unknown field",
            "ask",
            br#"{"question":"how many?","__proto__":{}}"#,
            &[400],
        ),
        body("deep JSON", "ask", "[".repeat(60_000).as_bytes(), &[400]),
        body("deep objects", "ask", "{\"a\":".repeat(10_000).as_bytes(), &[400]),
        body("broken UTF-8", "ask", b"{\"question\":\"\xff\xfe\"}", &[400]),
        body("half a surrogate", "ask", br#"{"question":"\ud800"}"#, &[400]),
        body("a body beyond the limit", "ask", &[b' '; 70_000], &[413]),
    ];
    let questions: Vec<(&str, String, &[u16])> = vec![
        ("empty", String::new(), &[422]),
        ("blanks", " \t\n\u{3000}".into(), &[422]),
        ("301 words", "why ".repeat(301), &[422]),
        ("15,000 words", "a ".repeat(15_000), &[422]),
        ("one endless word", "a".repeat(60_000), &[200, 422]),
        ("punctuation", "?!.,;:()[]{}'\"\\/".repeat(10), &[200, 422]),
        ("digits", "9".repeat(5_000), &[200, 422]),
        (
            "huge numbers",
            "more than 1e999 or -1e999 or 99999999999999999999999999".into(),
            &[200],
        ),
        (
            "impossible dates",
            "after 31 February 99999 or 0000-00-00?".into(),
            &[200],
        ),
        ("a NUL", "how many\0people?".into(), &[200]),
        ("controls", "how \u{1b}[31mmany\u{7f}\u{8}?".into(), &[200]),
        ("right to left", "\u{202e}how many\u{202c}?".into(), &[200]),
        (
            "stacked accents",
            format!("how z{}", "\u{301}".repeat(5_000)),
            &[200, 422],
        ),
        ("pictures", "👩‍👩‍👧‍👦 how many 🏴󠁧󠁢󠁳󠁣󠁴󠁿?".into(), &[200]),
        ("SQL", "'; DROP TABLE t; -- how many?".into(), &[200]),
        ("a program", "(count all_rows) <END> v0 r.name-str".into(), &[200]),
        ("markup", "<script>alert(1)</script> who?".into(), &[200]),
        ("a template", "${7*7} {{7*7}} %s%n %x".into(), &[200]),
        ("a command", "$(rm -rf /) `id` | cat /etc/passwd".into(), &[200]),
    ];
    for (name, question, good) in questions {
        cases.push(body(
            name,
            "ask",
            json!({ "question": question }).to_string().as_bytes(),
            good,
        ));
    }
    let programs: Vec<(&str, String)> = vec![
        ("no program", String::new()),
        ("blanks", "   ".into()),
        ("a word", "evil".into()),
        ("an open bracket", "(".into()),
        ("many open brackets", "(".repeat(60_000)),
        ("many closed brackets", ")".repeat(60_000)),
        ("no function", "()".into()),
        ("an unknown function", "(system all_rows)".into()),
        ("an unknown column", "(hop all_rows r.evil-str)".into()),
        ("too few arguments", "(hop all_rows)".into()),
        ("too many arguments", "(count all_rows all_rows all_rows)".into()),
        ("rows that are not yet there", "(count v7)".into()),
        (
            "a variable beyond numbers",
            "(count v99999999999999999999)".into(),
        ),
        ("itself", "(count v0)".into()),
        ("an open text", "(filter_in all_rows ['a r.name-str)".into()),
        (
            "a number beyond numbers",
            "(filter> all_rows [1e999] r.1_1-num)".into(),
        ),
        ("no number", "(filter> all_rows [NaN] r.1_1-num)".into()),
        (
            "an impossible date",
            "(filter> all_rows [9999-99-99] r.1_1-num)".into(),
        ),
        ("a NUL", "(count\0 all_rows)".into()),
        ("a comment", "(count all_rows) ; DROP TABLE t".into()),
        ("a text as rows", "(count ['a'])".into()),
    ];
    for (name, program) in programs {
        cases.push(body(
            name,
            "run",
            json!({ "program": program }).to_string().as_bytes(),
            &[422],
        ));
    }
    for (name, program) in [
        ("2,000 expressions", "(count all_rows) ".repeat(2_000)),
        (
            "a long text",
            format!("(filter_in all_rows ['{}'] r.name-str)", "x".repeat(50_000)),
        ),
        (
            "SQL in a text",
            "(filter_in all_rows ['\\'; DROP TABLE t; --'] r.name-str)".into(),
        ),
        (
            "many texts",
            format!(
                "(filter_in all_rows [{}] r.name-str)",
                vec!["'x'"; 5_000].join(" ")
            ),
        ),
    ] {
        cases.push(body(
            name,
            "run",
            json!({ "program": program }).to_string().as_bytes(),
            &[200, 422],
        ));
    }
    let count = send_all(&server, cases);
    assert!(count >= 60, "{count}");

    // Cells come back letter by letter, as JSON: what they mean elsewhere they do not mean here.
    let rows = server.call(
        "GET",
        &format!("/api/tables/{id}/rows"),
        &[("Cookie", &cookie)],
        b"",
    );
    assert_eq!(
        rows.json()["rows"][0]["cells"],
        json!(["<img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "\u{1b}[31m"])
    );
    assert_eq!(rows.header("content-type"), Some("application/json"));
}

#[test]
fn hostile_corrections() {
    count_panics();
    let folder = tempfile::tempdir().unwrap();
    let kept = tempfile::tempdir().unwrap();
    let given = folder.path().join("towns.csv");
    std::fs::write(&given, "Town,Sales\nOslo,3\nRome,4\n").unwrap();
    let server = Running::start(Options {
        limits: Limits {
            corrections: 300_000,
            ..limits()
        },
        tables: vec![given],
        keeps_corrections: true,
        corrections: Some(kept.path().to_owned()),
        ..Options::default()
    });
    let (id, cookie) = server.upload("../../evil.csv", b"Name,Town\nAnne,Tulsa\nBob,Omaha\n");
    let sent = |name: &str, table: &str, what: &str, body: &[u8], good: &[u16]| {
        let headers = [("Content-Type", "application/json"), ("Cookie", cookie.as_str())];
        let path = format!("/api/tables/{table}/{what}");
        case(name, request(server.address, "POST", &path, &headers, body), good)
    };
    let said = |question: &str, answer: &Value| json!({ "question": question, "answer": answer }).to_string();
    let own = file_of(&server, &id, &cookie);
    let mut cases = Vec::new();
    for (name, body, good) in [
        ("nothing", String::new(), 400),
        ("half an object", r#"{"question":"who"#.to_owned(), 400),
        ("deep JSON", "[".repeat(60_000), 400),
        (
            "an unknown field",
            said("who?", &json!(["x"])).replace("\"q", "\"table\":\"/etc/passwd\",\"q"),
            400,
        ),
        ("no answer", said("who?", &json!([])), 422),
        ("an empty item", said("who?", &json!(["Anne", "\t"])), 422),
        ("an answer that is none", said("who?", &json!({"$ne": 1})), 400),
        ("numbers", said("who?", &json!([1, 2])), 400),
        ("101 items", said("who?", &json!(vec!["x"; 101])), 422),
        ("a long item", said("who?", &json!(["x".repeat(10_001)])), 422),
        ("301 words", said(&"why ".repeat(301), &json!(["x"])), 422),
        ("a body beyond the limit", " ".repeat(70_000), 413),
        (
            "lines",
            said(
                "who\n{\"table\":\"x\"}\r\u{2028}?",
                &json!(["a\nb\u{0}\u{1b}[2J"]),
            ),
            201,
        ),
        ("markup", said("<script>?", &json!(["'; DROP TABLE t; --"])), 201),
        ("the same again", said("<script>?", &json!(["${7*7}"])), 201),
    ] {
        cases.push(sent(name, &id, "corrections", body.as_bytes(), &[good]));
    }
    for (name, body, good) in [
        ("a lesson of nothing", "", 400),
        ("a lesson of a list", "[1]", 400),
        ("a lesson with a field", r#"{"model":"/etc/passwd"}"#, 400),
        ("a lesson where nobody learns", "{}", 403),
    ] {
        cases.push(sent(name, &id, "learn", body.as_bytes(), &[good]));
    }
    for (name, table) in [
        ("another's table", "nobodys"),
        ("a path", "..%2F..%2Fetc"),
        ("a NUL", "a%00b"),
    ] {
        let body = said("who?", &json!(["x"]));
        cases.push(sent(name, table, "corrections", body.as_bytes(), &[400, 404]));
        cases.push(sent(name, table, "learn", b"{}", &[400, 404]));
    }
    assert!(send_all(&server, cases) >= 25);
    // What was said is two lines, whatever is in them, and lies where it may.
    let text = std::fs::read_to_string(&own).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(own.starts_with(kept.path()), "{}", own.display());
    // Damaged: one sentence, and nothing is lost.
    for damaged in [&b"\xff\xfe\n"[..], b"{\"table\": \"ev", b"null\n", b"[[[[\n"] {
        std::fs::write(&own, damaged).unwrap();
        let body = said("who?", &json!(["x"]));
        send_all(
            &server,
            vec![sent(
                "a damaged file",
                &id,
                "corrections",
                body.as_bytes(),
                &[422],
            )],
        );
        assert_eq!(std::fs::read(&own).unwrap(), damaged);
    }
    // A pipe holds nobody up.
    std::fs::remove_file(&own).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&own)
            .status()
            .unwrap()
            .success()
    );
    let body = said("who?", &json!(["x"]));
    send_all(
        &server,
        vec![sent("a pipe", &id, "corrections", body.as_bytes(), &[422])],
    );
    assert_eq!(
        server
            .call(
                "GET",
                &format!("/api/tables/{id}/corrections"),
                &[("Cookie", &cookie)],
                b""
            )
            .status,
        200
    );
    std::fs::remove_file(&own).unwrap();
    // The disk is not filled.
    let item = "x".repeat(9_000);
    let statuses: Vec<u16> = (0..12)
        .map(|number| {
            let body = json!({ "question": format!("who is {number}?"), "answer": vec![item.as_str(); 6] });
            server
                .post(&format!("/api/tables/{id}/corrections"), &cookie, &body)
                .status
        })
        .collect();
    assert_eq!((statuses[0], statuses[11]), (201, 507), "{statuses:?}");
    is_well(&server);
}

/// Where the server keeps the corrections of a table.
fn file_of(server: &Running, id: &str, cookie: &str) -> std::path::PathBuf {
    let about = server.call(
        "GET",
        &format!("/api/tables/{id}/corrections"),
        &[("Cookie", cookie)],
        b"",
    );
    about.json()["note"].as_str().expect("a place").into()
}

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

#[test]
fn slow_clients_are_dropped() {
    let server = start();
    let stall = limits().stall;
    let dropped = |name: &str, what: &mut dyn FnMut() -> Answer, good: &[u16], most: Duration| {
        let began = Instant::now();
        let answer = what();
        assert!(
            good.contains(&answer.status),
            "{name}: {} {}",
            answer.status,
            answer.text()
        );
        assert!(began.elapsed() < most, "{name} took {:?}", began.elapsed());
        tells(name, &answer);
    };
    let most = stall + Duration::from_secs(3);
    dropped(
        "says nothing",
        &mut || Answer::read(&mut server.connect()),
        &[0, 408],
        most,
    );
    dropped(
        "half a head",
        &mut || server.raw(b"GET /api/health HTTP/1.1\r\nHost: loc"),
        &[0, 408],
        most,
    );
    dropped(
        "a head letter by letter",
        &mut || {
            let mut stream = server.connect();
            for letter in b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            {
                if stream.write_all(&[*letter]).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(40));
            }
            Answer::read(&mut stream)
        },
        &[0, 408],
        Duration::from_secs(6),
    );
    dropped(
        "half a body",
        &mut || {
            server.call(
                "POST",
                "/api/tables?name=t.csv",
                &[("Content-Length", "1000")],
                b"a,b\n1,",
            )
        },
        &[408],
        most,
    );
    dropped(
        "half a question",
        &mut || {
            let headers = [("Content-Type", "application/json"), ("Content-Length", "100")];
            server.call("POST", "/api/tables/bakery/ask", &headers, b"{\"quest")
        },
        &[408],
        most,
    );
    dropped(
        "a body letter by letter, never resting for long",
        &mut || {
            let mut stream = server.connect();
            let head = request(
                server.address,
                "POST",
                "/api/tables?name=t.csv",
                &[("Content-Length", "100000")],
                b"a",
            );
            let _ = stream.write_all(&head);
            for _ in 0..200 {
                if stream.write_all(b"x").is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
                let mut gone = [0; 1];
                stream.set_nonblocking(true).unwrap();
                let answered = stream.peek(&mut gone).is_ok();
                stream.set_nonblocking(false).unwrap();
                if answered {
                    break;
                }
            }
            Answer::read(&mut stream)
        },
        &[408],
        limits().upload_time + Duration::from_secs(3),
    );
    // One that asks and does not read the answers: it is dropped, and its requests are not kept for ever.
    let big = format!("a\n{}", format!("{}\n", "x".repeat(990)).repeat(900));
    let (id, cookie) = server.upload("big.csv", big.as_bytes());
    let mut stream = server.connect();
    let ask = format!(
        "GET /api/tables/{id}/rows?count=500 HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n",
        server.address
    );
    let began = Instant::now();
    let mut closed = false;
    while began.elapsed() < Duration::from_secs(15) && !closed {
        closed = stream.write_all(ask.repeat(20).as_bytes()).is_err();
    }
    assert!(closed, "a client that does not read is kept");
    is_well(&server);
    // Connections that were left open are gone.
    let held: Vec<_> = (0..40).map(|_| server.connect()).collect();
    std::thread::sleep(stall + Duration::from_millis(800));
    for mut stream in held {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    is_well(&server);
}

#[test]
fn floods_are_turned_away_and_others_are_served_afterwards() {
    count_panics();
    let server = Running::start(Options {
        limits: Limits {
            questions: 1,
            queue: 2,
            uploads: 1,
            connections: 48,
            stall: Duration::from_secs(4),
            upload_time: Duration::from_secs(20),
            question_time: Duration::from_secs(60),
            ..limits()
        },
        ..Options::default()
    });
    // A table on which a question takes a moment.
    let mut rows = String::from("Name,Town,Points,Day\n");
    for n in 0..20_000 {
        rows.push_str(&format!(
            "name {n},town {},{},2024-01-{:02}\n",
            n % 977,
            n * 7 % 1013,
            n % 28 + 1
        ));
    }
    let (id, cookie) = server.upload("t.csv", rows.as_bytes());
    let path = format!("/api/tables/{id}/ask");
    // All are there but for a byte before any is whole, so that they are a flood on a busy machine too.
    let held_back = |n: usize| {
        let question = format!("how many names have more than {n} points in town {n}?");
        let body = json!({ "question": question }).to_string();
        let headers = [("Content-Type", "application/json"), ("Cookie", &cookie)];
        let bytes = request(server.address, "POST", &path, &headers, body.as_bytes());
        let mut stream = server.connect();
        stream.write_all(&bytes[..bytes.len() - 1]).unwrap();
        (stream, bytes[bytes.len() - 1])
    };
    let mut asked: Vec<_> = (0..40).map(held_back).collect();
    for (stream, last) in &mut asked {
        stream.write_all(&[*last]).unwrap();
    }
    let answers: Vec<Answer> = asked.iter_mut().map(|(stream, _)| Answer::read(stream)).collect();
    let with = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!(
        with(200) + with(503),
        answers.len(),
        "{:?}",
        answers.iter().map(|a| a.status).collect::<Vec<_>>()
    );
    assert!(with(200) >= 3, "{}", with(200));
    assert!(with(503) >= 1, "nobody was turned away");
    for refused in answers.iter().filter(|answer| answer.status == 503) {
        assert_eq!(refused.header("retry-after"), Some("1"));
        tells("flood", refused);
    }
    is_well(&server);

    // More connections than there may be: those beyond are told so at once.
    let held: Vec<_> = (0..48).map(|_| server.connect()).collect();
    // The server may not have taken all of them yet.
    let turned_away = eventually("somebody is turned away", || {
        Some(server.get("/api/health")).filter(|answer| answer.status == 503)
    });
    tells("too many connections", &turned_away);
    drop(held);
    eventually("places are given back", || {
        (server.get("/api/health").status == 200).then_some(())
    });
    is_well(&server);

    // More uploads than there may be: one that is slow keeps others waiting no longer than it may itself.
    let mut slow = server.connect();
    slow.write_all(&unfinished_upload(&server)).unwrap();
    eventually("the upload has its turn", || is_uploading(&server, 1));
    std::thread::scope(|scope| {
        let next = scope.spawn(|| server.call("POST", "/api/tables?name=t.csv", &[], b"a\n1\n"));
        assert_eq!(Answer::read(&mut slow).status, 408);
        assert_eq!(next.join().unwrap().status, 201);
    });
    is_well(&server);
}

/// Tries until there is something, for as long as a slow machine may take.
fn eventually<T>(what: &str, mut tried: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        match tried() {
            Some(found) => return found,
            None => assert!(Instant::now() < end, "{what}: it never came"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An upload that says more than it sends.
fn unfinished_upload(server: &Running) -> Vec<u8> {
    let length = [("Content-Length", "1000")];
    request(server.address, "POST", "/api/tables?name=t.csv", &length, b"a,b")
}

fn is_uploading(server: &Running, count: u64) -> Option<()> {
    let health = server.get("/api/health");
    (health.status == 200 && health.json()["uploads"]["running"] == json!(count)).then_some(())
}

#[test]
fn slow_uploads_of_one_client_are_not_noticed_by_another() {
    count_panics();
    let server = Running::start(Options {
        limits: Limits {
            uploads: 2,
            queue: 6,
            stall: Duration::from_secs(20),
            upload_time: Duration::from_secs(20),
            ..limits()
        },
        ..Options::default()
    });
    let mut slow: Vec<_> = (0..6).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream.write_all(&unfinished_upload(&server)).unwrap();
    }
    eventually("the slow ones wait", || {
        let health = server.get("/api/health").json();
        (health["uploads"] == json!({"running": 1, "waiting": 5})).then_some(())
    });
    // One more of the same client is told to come again; another client is served at once.
    let refused = server.call("POST", "/api/tables?name=t.csv", &[], b"a\n1\n");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    tells("too many uploads", &refused);
    let mut other = server.connect_from([127, 0, 0, 2]);
    let upload = request(server.address, "POST", "/api/tables?name=t.csv", &[], b"a\n1\n");
    other.write_all(&upload).unwrap();
    assert_eq!(Answer::read(&mut other).status, 201);
    assert!(is_uploading(&server, 1).is_some(), "the slow one is still there");
    drop(slow);
    eventually("their places are given back", || is_uploading(&server, 0));
    is_well(&server);
}

#[test]
fn the_end_lets_answers_finish() {
    let server = start();
    let (id, cookie) = server.upload("t.csv", b"a\n1\n");
    let reply: Value = server
        .post(
            &format!("/api/tables/{id}/ask"),
            &cookie,
            &json!({"question": "how many a?"}),
        )
        .json();
    assert!(reply["answer"].is_array());
    let idle = server.connect();
    let began = Instant::now();
    drop(server);
    assert!(
        began.elapsed() < Duration::from_secs(6),
        "an idle client holds the server"
    );
    drop(idle);
}
