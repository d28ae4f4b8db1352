//! The API does what its description says, and the description says all of it.

mod support;

use mapo_web::{EXAMPLES, Limits, Options, ROUTES};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use support::{Answer, Running};

const PEOPLE: &[u8] = b"Name,Hometown,Points\nAnne,Tulsa,\"1,200\"\nBob,Omaha,37\nCy,Tulsa,5\n";

/// The description, with a check of answers against its schemas.
struct Description(Value);

impl Description {
    fn of(server: &Running) -> Self {
        Description(server.get("/api/openapi.json").json())
    }

    /// Holds an answer to what is said about this path, method and status.
    fn check(&self, path: &str, method: &str, answer: &Answer) {
        let status = answer.status.to_string();
        let at = format!("{method} {path} {status}");
        let response = &self.0["paths"][path][method]["responses"][&status];
        assert!(response.is_object(), "{at} is not described: {}", answer.text());
        match response.get("content") {
            None => assert!(answer.body.is_empty(), "{at}"),
            Some(content) => {
                assert_eq!(answer.header("content-type"), Some("application/json"), "{at}");
                self.hold(&content["application/json"]["schema"], &answer.json(), &at);
            }
        }
    }

    /// The part of JSON Schema that the description uses.
    fn hold(&self, schema: &Value, value: &Value, at: &str) {
        const KNOWN: [&str; 11] = [
            "$ref",
            "enum",
            "type",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "minimum",
            "maximum",
            "format",
        ];
        for keyword in schema.as_object().expect("a schema").keys() {
            assert!(
                KNOWN.contains(&keyword.as_str()),
                "{at}: {keyword} is not checked"
            );
        }
        if let Some(name) = schema["$ref"].as_str() {
            let name = name
                .strip_prefix("#/components/schemas/")
                .expect("a schema of ours");
            let named = &self.0["components"]["schemas"][name];
            assert!(named.is_object(), "{at}: there is no schema {name}");
            return self.hold(named, value, at);
        }
        if let Some(values) = schema["enum"].as_array() {
            assert!(values.contains(value), "{at}: {value} is none of {values:?}");
        }
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is = |name: &Value| name == kind || (name == "number" && kind == "integer");
        match &schema["type"] {
            Value::Null => {}
            Value::Array(names) => assert!(names.iter().any(is), "{at}: {value} is none of {names:?}"),
            name => assert!(is(name), "{at}: {value} is no {name}"),
        }
        for (bound, holds) in [
            ("minimum", f64::ge as fn(&f64, &f64) -> bool),
            ("maximum", f64::le),
        ] {
            if let (Some(bound), Some(number)) = (schema[bound].as_f64(), value.as_f64()) {
                assert!(holds(&number, &bound), "{at}: {number} is out of bounds");
            }
        }
        for item in value.as_array().into_iter().flatten() {
            self.hold(&schema["items"], item, &format!("{at}[]"));
        }
        if let Some(fields) = value.as_object() {
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().expect("a name");
                assert!(fields.contains_key(name), "{at}: {name} is missing");
            }
            for (name, field) in fields {
                let at = format!("{at}.{name}");
                match (&schema["properties"][name], &schema["additionalProperties"]) {
                    (Value::Null, Value::Bool(false)) => panic!("{at} is not described"),
                    (Value::Null, Value::Null) => {}
                    (Value::Null, others) => self.hold(others, field, &at),
                    (described, _) => self.hold(described, field, &at),
                }
            }
        }
    }
}

#[test]
fn the_description_names_exactly_the_routes_that_there_are() {
    let server = Running::start(Options::default());
    let description = Description::of(&server);
    let described: BTreeSet<(String, String)> = description.0["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            methods
                .as_object()
                .unwrap()
                .keys()
                .map(move |method| (path.clone(), method.clone()))
        })
        .filter(|(_, method)| method != "parameters")
        .collect();
    let routes: BTreeSet<(String, String)> = ROUTES
        .iter()
        .flat_map(|(path, methods)| {
            methods
                .iter()
                .map(|method| (path.to_string(), method.to_string()))
        })
        .collect();
    assert_eq!(described, routes);
    // What is not listed is not routed: the router says which methods a path takes.
    for (path, methods) in ROUTES {
        let answer = server.call("PATCH", &path.replace("{id}", "bakery"), &[], b"");
        assert_eq!(answer.status, 405, "{path}");
        let allowed = answer
            .header("allow")
            .expect("which methods it takes")
            .to_lowercase();
        let allowed: BTreeSet<&str> = allowed.split(',').filter(|method| *method != "head").collect();
        assert_eq!(allowed, methods.iter().copied().collect(), "{path}");
    }
    // Every path parameter and every reference is there.
    let text = description.0.to_string();
    for name in text.split("#/components/schemas/").skip(1) {
        let name = name.split('"').next().unwrap();
        assert!(description.0["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[test]
fn answers_are_what_the_description_says() {
    let runs = tempfile::tempdir().unwrap();
    let run = runs.path().join("one");
    std::fs::create_dir(&run).unwrap();
    std::fs::write(
        run.join("config.toml"),
        "[run]\ndata = \"wtq:/home/x\"\nseed = 3\n[settings]\nsteps = 9\n[settings.objective]\nname = \"mapo\"\n",
    )
    .unwrap();
    std::fs::write(
        run.join("metrics.jsonl"),
        "{\"step\":4,\"dev_accuracy\":0.5}\n{\"st",
    )
    .unwrap();
    let server = Running::start(Options {
        runs: Some(runs.path().to_owned()),
        ..Options::default()
    });
    let description = Description::of(&server);
    let get = |path: &str, asked: &str| {
        let answer = server.get(asked);
        description.check(path, "get", &answer);
        answer
    };
    for path in [
        "/api/openapi.json",
        "/api/health",
        "/api/model",
        "/api/examples",
        "/api/tables",
        "/api/runs",
    ] {
        assert_eq!(get(path, path).status, 200);
    }
    let runs = server.get("/api/runs").json();
    assert_eq!(
        runs["runs"][0]["data"], "wtq",
        "no folder of this machine is told"
    );
    assert_eq!(runs["runs"][0]["state"], "running");
    let metrics = get("/api/runs/metrics", "/api/runs/metrics?run=one").json();
    assert_eq!(metrics["metrics"], json!([{"step": 4, "dev_accuracy": 0.5}]));
    let next = format!("/api/runs/metrics?run=one&from={}", metrics["next"]);
    assert_eq!(get("/api/runs/metrics", &next).json()["metrics"], json!([]));
    assert_eq!(metrics["fleet"], json!(null));
    std::fs::write(run.join("fleet-status.json"), "{\"queued\": 3}").unwrap();
    let fleet = get("/api/runs/metrics", &next).json()["fleet"].clone();
    assert_eq!(fleet["status"], json!({"queued": 3}));
    assert!(fleet["age"].as_f64().unwrap() < 60.0);
    assert_eq!(
        get("/api/runs/metrics", "/api/runs/metrics?run=..%2Fone").status,
        404
    );
    assert_eq!(get("/api/runs/metrics", "/api/runs/metrics").status, 400);

    let uploaded = server.call("POST", "/api/tables?name=people.csv", &[], PEOPLE);
    description.check("/api/tables", "post", &uploaded);
    assert_eq!(uploaded.status, 201);
    let table = uploaded.json();
    assert_eq!(table["columns"][2]["name"], "Points");
    assert_eq!(table["columns"][2]["readings"][1]["program"], "r.points-num");
    assert_eq!(table["first_rows"][0], json!(["Anne", "Tulsa", "1,200"]));
    let id = table["id"].as_str().unwrap();
    let cookie = uploaded.header("set-cookie").unwrap().split(';').next().unwrap();
    let own = [("Cookie", cookie)];
    let path = format!("/api/tables/{id}");
    assert_eq!(uploaded.header("location"), Some(path.as_str()));
    let seen = server.call("GET", &path, &own, b"");
    description.check("/api/tables/{id}", "get", &seen);
    assert_eq!(seen.json(), table);

    let rows = server.call("GET", &format!("{path}/rows?from=1&count=2&column=1"), &own, b"");
    description.check("/api/tables/{id}/rows", "get", &rows);
    assert_eq!(
        rows.json()["rows"],
        json!([{"row": 1, "cells": ["Omaha", "37"]}, {"row": 2, "cells": ["Tulsa", "5"]}])
    );
    let rows = server.call("GET", &format!("{path}/rows?rows=2,0&columns=1"), &own, b"");
    assert_eq!(
        rows.json()["rows"],
        json!([{"row": 2, "cells": ["Cy"]}, {"row": 0, "cells": ["Anne"]}])
    );

    for (query, rows) in [
        ("search=TULSA", json!([0, 2])),
        ("where=%7B%222%22:%22%3E10%22%7D", json!([0, 1])),
        ("sort=2&order=down", json!([0, 1, 2])),
        ("sort=2", json!([2, 1, 0])),
        ("rows=2,0&sort=2", json!([2, 0])),
        ("search=nobody", json!([])),
        ("pick=2,0&sort=0&order=down&count=1", json!([2])),
    ] {
        let found = server.call("GET", &format!("{path}/rows?{query}"), &own, b"");
        description.check("/api/tables/{id}/rows", "get", &found);
        let found = found.json();
        let numbers: Vec<&Value> = found["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| &row["row"])
            .collect();
        assert_eq!(json!(numbers), rows, "{query}");
    }
    for (query, status) in [
        ("where=x", 400),
        ("where=%7B%221%22:%22%3E10%22%7D", 422),
        ("sort=9", 422),
        ("order=sideways", 400),
        ("pick=9", 400),
    ] {
        let found = server.call("GET", &format!("{path}/rows?{query}"), &own, b"");
        description.check("/api/tables/{id}/rows", "get", &found);
        assert_eq!(found.status, status, "{query}: {}", found.text());
    }
    for (query, content) in [
        ("search=omaha", "Name,Hometown,Points\nBob,Omaha,37\n"),
        (
            "program=(argmax%20all_rows%20r.points-num)%20(hop%20v0%20r.name-str)",
            "Name,Hometown,Points\nAnne,Tulsa,\"1,200\"\n",
        ),
    ] {
        let file = server.call("GET", &format!("{path}/csv?{query}"), &own, b"");
        assert_eq!((file.status, file.text().as_str()), (200, content), "{query}");
        assert_eq!(
            file.header("content-disposition"),
            Some("attachment; filename=\"people-rows.csv\"")
        );
    }
    let wrong = server.call("GET", &format!("{path}/csv?program=(none)"), &own, b"");
    description.check("/api/tables/{id}/csv", "get", &wrong);
    assert_eq!(wrong.status, 422);
    let suggested = server.call("GET", &format!("{path}/suggestions"), &own, b"");
    description.check("/api/tables/{id}/suggestions", "get", &suggested);

    let asked = server.post(
        &format!("{path}/ask"),
        cookie,
        &json!({"question": "how many people are from tulsa?"}),
    );
    description.check("/api/tables/{id}/ask", "post", &asked);
    let reply = asked.json();
    assert_eq!(reply["answer"], json!(["2"]));
    assert_eq!(reply["steps"][0]["rows"], json!([0, 2]));
    assert_eq!(reply["table"], "people.csv");

    let program = json!({"program": "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)"});
    let ran = server.post(&format!("{path}/run"), cookie, &program);
    description.check("/api/tables/{id}/run", "post", &ran);
    assert_eq!(ran.json()["answer"], json!(["Anne", "Cy"]));
    let on_file = server.post(&format!("{path}/duckdb"), cookie, &program);
    description.check("/api/tables/{id}/duckdb", "post", &on_file);
    let on_file = on_file.json();
    assert!(
        on_file["sql"]
            .as_str()
            .unwrap()
            .contains("FROM read_csv('people.csv'"),
        "{on_file}"
    );
    assert_eq!(on_file["ran"], false, "an uploaded file is not here any more");
    let not_plain = json!({"program": "(sum all_rows r.points-num)"});
    let on_file = server.post(&format!("{path}/duckdb"), cookie, &not_plain);
    description.check("/api/tables/{id}/duckdb", "post", &on_file);
    assert_eq!(on_file.status, 422);
    assert!(
        on_file.text().contains("Points: a cell is not just a number"),
        "{}",
        on_file.text()
    );
    let wrong = json!({"program": "(filter_in all_rows ['tulsa'] r.hometwn-str)"});
    let ran = server.post(&format!("{path}/run"), cookie, &wrong);
    description.check("/api/tables/{id}/run", "post", &ran);
    assert_eq!((ran.status, ran.json()["column"].as_u64()), (422, Some(30)));
    assert!(ran.json()["error"].as_str().unwrap().contains("did you mean"));

    for (method, path, asked, status) in [
        ("get", "/api/tables/{id}", "/api/tables/none".to_owned(), 404),
        ("delete", "/api/tables/{id}", "/api/tables/bakery".to_owned(), 403),
        ("delete", "/api/tables/{id}", path.clone(), 204),
        ("get", "/api/tables/{id}", path.clone(), 404),
        ("delete", "/api/session", "/api/session".to_owned(), 204),
    ] {
        let answer = server.call(&method.to_uppercase(), &asked, &own, b"");
        description.check(path, method, &answer);
        assert_eq!(answer.status, status, "{method} {asked}");
    }
}

#[test]
fn the_questions_of_the_examples_are_answered_right() {
    let server = Running::start(Options::default());
    for example in EXAMPLES {
        for (question, answer) in example.questions {
            let path = format!("/api/tables/{}/ask", example.id);
            let reply = server.post(&path, "", &json!({ "question": question })).json();
            let given: Vec<&str> = reply["answer"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(given.join(", "), *answer, "{question}: {reply}");
            let explained = ["english", "sql"].iter().all(|name| reply[name] != "");
            assert!(explained, "{reply}");
        }
    }
}

#[test]
fn questions_that_are_asked_at_once_are_answered_as_one_by_one() {
    let server = Running::start(Options::default());
    let asked: Vec<(String, &str)> = EXAMPLES
        .iter()
        .flat_map(|example| {
            let questions = example.questions.iter();
            questions.map(|(question, _)| (format!("/api/tables/{}/ask", example.id), *question))
        })
        .chain([(
            "/api/tables/bakery/ask".to_owned(),
            "what is the meaning of life?",
        )])
        .collect();
    let ask = |(path, question): &(String, &str)| {
        let mut reply = server.post(path, "", &json!({ "question": question })).json();
        reply["milliseconds"] = json!(0);
        reply
    };
    let alone: Vec<Value> = asked.iter().map(ask).collect();
    for _ in 0..4 {
        let together: Vec<Value> = std::thread::scope(|threads| {
            let all: Vec<_> = asked.iter().map(|one| threads.spawn(|| ask(one))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(together, alone, "to the last digit");
    }
}

#[test]
fn tables_are_seen_by_their_session_only_and_forgotten() {
    let server = Running::start(Options {
        limits: Limits {
            idle: Duration::from_millis(600),
            ..Limits::default()
        },
        ..Options::default()
    });
    let (one, cookie) = server.upload("people.csv", PEOPLE);
    let (two, other) = server.upload("people.csv", PEOPLE);
    assert_ne!(cookie, other);
    let path = format!("/api/tables/{one}");
    let status = |cookie: &str| server.call("GET", &path, &[("Cookie", cookie)], b"").status;
    assert_eq!((status(&cookie), status(&other), status("")), (200, 404, 404));
    // Clients without cookies name the session in a header.
    let secret = cookie.split_once('=').unwrap().1;
    assert_eq!(
        server.call("GET", &path, &[("mapo-session", secret)], b"").status,
        200
    );
    let listed = server
        .call("GET", "/api/tables", &[("Cookie", &other)], b"")
        .json();
    assert!(listed.to_string().contains(&two) && !listed.to_string().contains(&one));
    std::thread::sleep(Duration::from_millis(900));
    assert_eq!(status(&cookie), 404);
    // Nobody asked for this one, and it is gone all the same.
    assert_eq!(server.get("/api/health").json()["sessions"]["tables"], 0);
}

#[test]
fn the_limits_hold() {
    let server = Running::start(Options {
        limits: Limits {
            body: 1000,
            rows: 10,
            cells: 40,
            tables: 2,
            sessions: 1,
            ..Limits::default()
        },
        ..Options::default()
    });
    let description = Description::of(&server);
    let upload = |content: &[u8], cookie: &str| {
        let answer = server.call("POST", "/api/tables?name=t.csv", &[("Cookie", cookie)], content);
        description.check("/api/tables", "post", &answer);
        (answer.status, answer.text())
    };
    assert_eq!(upload(&[b'x'; 1001], "").0, 413);
    assert_eq!(upload(&b"A\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"[..], "").0, 413);
    assert_eq!(upload(b"A,B,C,D,E\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n", "").0, 413);
    let (_, cookie) = server.upload("t.csv", PEOPLE);
    assert_eq!(upload(PEOPLE, &cookie).0, 201);
    let (status, sentence) = upload(PEOPLE, &cookie);
    assert_eq!(status, 507);
    assert!(sentence.contains("delete one first"), "{sentence}");
    // Another session has no room.
    assert_eq!(upload(PEOPLE, "").0, 503);
}

#[test]
fn every_answer_carries_the_headers_that_protect_the_page() {
    let server = Running::start(Options::default());
    for path in [
        "/",
        "/runs",
        "/api",
        "/assets/ask.js",
        "/api/health",
        "/nothing",
        "/api/runs",
    ] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    // The pages hold no script or style of their own, and ask nobody else for anything.
    for page in ["/", "/runs", "/api"] {
        let text = server.get(page).text();
        for script in text.split("<script").skip(1) {
            assert!(
                script.split('>').nth(1).unwrap().starts_with("</script"),
                "{page}"
            );
        }
        assert!(
            !text.contains("<style") && !text.contains("style=") && !text.contains(" onclick"),
            "{page}"
        );
    }
    for file in [
        "ask", "answer", "grid", "open", "dom", "runs", "chart", "api", "theme",
    ] {
        let script = server.get(&format!("/assets/{file}.js"));
        assert_eq!(script.status, 200);
        let text = script.text();
        assert!(
            !text.contains("innerHTML") && !text.contains("insertAdjacentHTML") && !text.contains("eval(")
        );
        assert!(
            !text.replace("http://www.w3.org/2000/svg", "").contains("://"),
            "{file}"
        );
    }
    // A browser that has a file is not sent it again.
    let tag = server.get("/assets/style.css").header("etag").unwrap().to_owned();
    assert_eq!(
        server
            .call("GET", "/assets/style.css", &[("If-None-Match", &tag)], b"")
            .status,
        304
    );
}

/// A learner that says how far it is and that the model is not better.
fn learner() -> Option<(std::path::PathBuf, Vec<String>)> {
    let script = r#"echo '{"step": 1, "of": 2}'; echo '{"better": false, "why": "it is a shell"}'"#;
    Some(("/bin/sh".into(), vec!["-c".to_owned(), script.to_owned()]))
}

#[test]
fn what_people_say_about_answers_is_kept_where_they_own_it() {
    let (kept, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let given = beside.path().join("towns.csv");
    std::fs::write(&given, "Town,Sales\nOslo,3\nRome,4\n").unwrap();
    let server = Running::start(Options {
        tables: vec![given.clone()],
        keeps_corrections: true,
        corrections: Some(kept.path().to_owned()),
        learner: learner(),
        ..Options::default()
    });
    let description = Description::of(&server);
    let (path, learn) = ("/api/tables/{id}/corrections", "/api/tables/{id}/learn");
    let (id, cookie) = server.upload("people.csv", PEOPLE);
    let at = |path: &str, id: &str| path.replace("{id}", id);
    let look = |id: &str| server.call("GET", &at(path, id), &[("Cookie", cookie.as_str())], b"");
    let about = look(&id);
    description.check(path, "get", &about);
    assert_eq!(about.json()["corrections"], 0);
    assert_eq!(about.json()["learns"], true);
    let early = server.post(&at(learn, &id), &cookie, &json!({}));
    description.check(learn, "post", &early);
    assert_eq!(early.status, 422, "{}", early.text());
    let said = json!({ "question": "who is from tulsa?", "answer": ["Anne", "Cy"] });
    let answer = server.post(&at(path, &id), &cookie, &said);
    description.check(path, "post", &answer);
    assert_eq!(
        (answer.status, answer.json()["corrections"].as_u64()),
        (201, Some(1))
    );
    let file = std::path::PathBuf::from(answer.json()["file"].as_str().unwrap());
    assert!(file.starts_with(kept.path()), "{}", file.display());
    assert_eq!(std::fs::read(file.with_file_name("people.csv")).unwrap(), PEOPLE);
    // Nobody else's session has the table, and other sites are refused as everywhere.
    assert_eq!(server.post(&at(path, &id), "", &said).status, 404);
    let foreign = [
        ("Content-Type", "application/json"),
        ("Cookie", cookie.as_str()),
        ("Origin", "http://evil.example"),
    ];
    for path in [path, learn] {
        let refused = server.call("POST", &at(path, &id), &foreign, said.to_string().as_bytes());
        assert_eq!(refused.status, 403, "{}", refused.text());
        let plain = server.call("POST", &at(path, &id), &[("Cookie", cookie.as_str())], b"{}");
        assert_eq!(plain.status, 415);
    }
    for (wrong, status) in [
        (json!({ "question": "who?", "answer": [] }), 422),
        (json!({ "question": "", "answer": ["Anne"] }), 422),
        (json!({ "question": "who?", "answer": "Anne" }), 400),
        (json!({ "question": "who?", "answer": vec!["Anne"; 200] }), 422),
    ] {
        let refused = server.post(&at(path, &id), &cookie, &wrong);
        description.check(path, "post", &refused);
        assert_eq!(refused.status, status, "{}", refused.text());
    }
    // Those of a table of the command line are beside it.
    let said = json!({ "question": "which town sold the most?", "answer": ["Rome"] });
    let answer = server.post(&at(path, "table-1"), "", &said);
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert!(beside.path().join("mapo-corrections.jsonl").is_file());
    // Learning tells what came of it.
    let begun = server.post(&at(learn, &id), &cookie, &json!({}));
    description.check(learn, "post", &begun);
    assert_eq!(begun.status, 202, "{}", begun.text());
    let end = std::time::Instant::now() + Duration::from_secs(20);
    loop {
        let about = look(&id);
        description.check(path, "get", &about);
        let learning = about.json()["learning"].clone();
        if learning["state"] == "done" {
            assert_eq!(learning["report"]["why"], "it is a shell");
            break;
        }
        assert_eq!(learning["state"], "learning", "{learning}");
        assert!(std::time::Instant::now() < end);
        std::thread::sleep(Duration::from_millis(20));
    }
    // A damaged line is told by its number.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}{{\"table\": \"people")).unwrap();
    let refused = server.post(
        &at(path, &id),
        &cookie,
        &json!({ "question": "who?", "answer": ["Bob"] }),
    );
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains("line 2"), "{}", refused.text());
}

#[test]
fn where_corrections_are_kept_nowhere_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let given = folder.path().join("towns.csv");
    std::fs::write(&given, "Town,Sales\nOslo,3\nRome,4\n").unwrap();
    let server = Running::start(Options {
        tables: vec![given],
        learner: learner(),
        ..Options::default()
    });
    let description = Description::of(&server);
    let path = "/api/tables/{id}/corrections";
    let (id, cookie) = server.upload("people.csv", PEOPLE);
    for id in [id.as_str(), "table-1", "lighthouses"] {
        let at = path.replace("{id}", id);
        let about = server.call("GET", &at, &[("Cookie", cookie.as_str())], b"");
        description.check(path, "get", &about);
        assert_eq!(about.json()["kept"], false);
        let said = json!({ "question": "which town?", "answer": ["Rome"] });
        let refused = server.post(&at, &cookie, &said);
        description.check(path, "post", &refused);
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("--corrections"), "{}", refused.text());
        let refused = server.post(&at.replace("corrections", "learn"), &cookie, &json!({}));
        assert_eq!(refused.status, 403);
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing was written"
    );
}
