//! Questions and programs.

use crate::support::request;
use crate::{case, send_all, start};
use serde_json::json;

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
