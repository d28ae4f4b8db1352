//! What is said about answers, and learning from it: the only things that strangers can leave on the disk.

use crate::support::{Running, request};
use crate::{Case, case, count_panics, eventually, is_well, limits, send_all, tells};
use mapo_web::{Limits, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TOWNS: &[u8] = b"Town,Sales\nOslo,3\nRome,4\n";

/// A server that keeps corrections in a folder, and learns by a script of the shell.
fn keeps(folder: &Path, script: &str, limits: Limits) -> Running {
    count_panics();
    let arguments = vec!["-c".to_owned(), script.to_owned()];
    Running::start(Options {
        limits,
        corrections: Some(folder.to_owned()),
        learner: Some((PathBuf::from("/bin/sh"), arguments)),
        ..Options::default()
    })
}

/// All files below a folder, but those that only say who is at work.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("the folder of corrections")
        .flatten()
    {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.file_name().expect("a name") != ".mapo-corrections.lock" => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// The lines that are kept below a folder; each is JSON.
fn kept(folder: &Path) -> Vec<Value> {
    let all = files(folder).into_iter();
    let corrections = all.filter(|file| file.ends_with("mapo-corrections.jsonl"));
    let text: String = corrections
        .map(|file| std::fs::read_to_string(file).expect("corrections"))
        .collect();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn hostile_corrections() {
    let folder = tempfile::tempdir().unwrap();
    let server = keeps(folder.path(), "exit 1", limits());
    let (id, cookie) = server.upload("towns.csv", TOWNS);
    let json_said = ("Content-Type", "application/json");
    let sent = |name: &str, what: &str, headers: &[(&str, &str)], body: &[u8], good: &[u16]| {
        let path = format!("/api/tables/{id}/{what}");
        let headers = [headers, &[("Cookie", cookie.as_str())]].concat();
        case(
            &format!("{what}: {name}"),
            request(server.address, "POST", &path, &headers, body),
            good,
        )
    };
    let mut cases: Vec<Case> = Vec::new();
    for what in ["corrections", "learn"] {
        let bodies: [(&str, Vec<u8>, &[u16]); 9] = [
            ("nothing", Vec::new(), &[400]),
            ("no JSON", b"Rome".to_vec(), &[400]),
            ("half an object", br#"{"question":"wh"#.to_vec(), &[400]),
            // An object without fields may be written so.
            ("a list", b"[]".to_vec(), &[400, 422]),
            ("null", b"null".to_vec(), &[400]),
            ("an unknown field", br#"{"model":"/etc/passwd"}"#.to_vec(), &[400]),
            ("deep JSON", "[".repeat(60_000).into_bytes(), &[400]),
            ("broken UTF-8", b"{\"question\":\"\xff\"}".to_vec(), &[400]),
            ("a body beyond the limit", vec![b' '; 70_000], &[413]),
        ];
        for (name, body, good) in bodies {
            cases.push(sent(name, what, &[json_said], &body, good));
        }
        let good = json!({ "question": "which town sold the most?", "answer": ["Rome"] }).to_string();
        let good = good.as_bytes();
        for (name, headers, status) in [
            (
                "a form",
                vec![("Content-Type", "application/x-www-form-urlencoded")],
                415,
            ),
            ("text", vec![("Content-Type", "text/plain")], 415),
            ("no type", vec![], 415),
            (
                "another origin",
                vec![json_said, ("Origin", "https://evil.example")],
                403,
            ),
            (
                "across sites",
                vec![json_said, ("Sec-Fetch-Site", "cross-site")],
                403,
            ),
            ("another host", vec![json_said, ("Host", "evil.example")], 421),
        ] {
            cases.push(sent(name, what, &headers, good, &[status]));
        }
        for (name, id) in [("no table", "0123"), ("a path", "..%2f..%2fetc")] {
            let path = format!("/api/tables/{id}/{what}");
            let bytes = request(server.address, "POST", &path, &[json_said], good);
            cases.push(case(&format!("{what}: {name}"), bytes, &[404]));
        }
        // Somebody else's table.
        let path = format!("/api/tables/{id}/{what}");
        let bytes = request(server.address, "POST", &path, &[json_said], good);
        cases.push(case(&format!("{what}: without the cookie"), bytes, &[404]));
        for verb in ["PUT", "DELETE", "PATCH"] {
            let headers = [("Cookie", cookie.as_str())];
            let bytes = request(server.address, verb, &path, &headers, b"");
            cases.push(case(&format!("{verb} {what}"), bytes, &[405]));
        }
    }
    let bytes = request(
        server.address,
        "GET",
        &format!("/api/tables/{id}/learn"),
        &[("Cookie", cookie.as_str())],
        b"",
    );
    cases.push(case("GET learn", bytes, &[405]));
    cases.push(sent("without a correction", "learn", &[json_said], b"{}", &[422]));
    let wrong: [(&str, Value); 12] = [
        ("no answer", json!({ "question": "which?" })),
        ("no question", json!({ "answer": ["Rome"] })),
        (
            "a text as an answer",
            json!({ "question": "which?", "answer": "Rome" }),
        ),
        ("a number", json!({ "question": "which?", "answer": [4] })),
        ("null in it", json!({ "question": "which?", "answer": [null] })),
        (
            "a deep answer",
            json!({ "question": "which?", "answer": [["Rome"]] }),
        ),
        (
            "a file",
            json!({ "question": "which?", "answer": ["Rome"], "table": "/etc/passwd" }),
        ),
        ("no item", json!({ "question": "which?", "answer": [] })),
        (
            "an empty item",
            json!({ "question": "which?", "answer": ["Rome", " "] }),
        ),
        (
            "101 items",
            json!({ "question": "which?", "answer": vec!["Rome"; 101] }),
        ),
        (
            "a long item",
            json!({ "question": "which?", "answer": ["x".repeat(10_001)] }),
        ),
        (
            "301 words",
            json!({ "question": "why ".repeat(301), "answer": ["Rome"] }),
        ),
    ];
    for (name, said) in wrong {
        let body = said.to_string();
        cases.push(sent(
            name,
            "corrections",
            &[json_said],
            body.as_bytes(),
            &[400, 422],
        ));
    }
    for blank in ["", " \t\u{3000}"] {
        let body = json!({ "question": blank, "answer": ["Rome"] }).to_string();
        cases.push(sent(
            "blanks",
            "corrections",
            &[json_said],
            body.as_bytes(),
            &[422],
        ));
    }
    let count = send_all(&server, cases);
    assert!(count >= 50, "{count}");
    assert_eq!(
        files(folder.path()),
        Vec::<PathBuf>::new(),
        "nothing of that is kept"
    );

    // What is kept is kept letter by letter, a line each, whatever it holds.
    let poisoned = [
        "line\nends\r\n{\"table\": \"/etc/passwd\", \"question\": \"x\", \"answer\": [\"y\"]}",
        "\0\u{1b}[31m\u{7f}",
        "\u{202e}gpj.exe\u{2028}\u{2029}\u{85}",
        "</script><img src=x onerror=alert(1)>",
        "=cmd|' /C calc'!A0",
        "${7*7} {{7*7}} %s%n ../../../etc/passwd",
        "👩‍👩‍👧‍👦z\u{301}\u{301}",
    ];
    for text in poisoned {
        let said = json!({ "question": format!("which {text}?"), "answer": [format!("a{text}b")] });
        let path = format!("/api/tables/{id}/corrections");
        let answer = server.post(&path, &cookie, &said);
        assert_eq!(answer.status, 201, "{text:?}: {}", answer.text());
    }
    let lines = kept(folder.path());
    assert_eq!(lines.len(), poisoned.len());
    for (line, text) in lines.iter().zip(poisoned) {
        assert_eq!(line["question"], json!(format!("which {text}?")));
        assert_eq!(line["answer"], json!([format!("a{text}b")]));
        assert_eq!(line["table"], "towns.csv");
    }
    is_well(&server);
}

#[test]
fn hostile_names_stay_in_the_folder() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("kept");
    std::fs::create_dir(&folder).unwrap();
    let server = keeps(&folder, "exit 1", limits());
    let names = [
        "..%2f..%2fescaped.csv".to_owned(),
        "%2fetc%2fpasswd".to_owned(),
        "..".to_owned(),
        "a%00b.csv".to_owned(),
        "c%0ad.csv".to_owned(),
        "mapo-corrections.jsonl".to_owned(),
        "mapo-learnt.safetensors".to_owned(),
        ".mapo-corrections.lock".to_owned(),
        "%F0%A0%80%80".repeat(300) + ".csv",
        "n".repeat(5_000) + ".csv",
    ];
    for name in &names {
        let content: &[u8] = match name.ends_with(".jsonl") {
            true => b"{\"Town\": \"Oslo\", \"Sales\": 3}\n{\"Town\": \"Rome\", \"Sales\": 4}\n",
            false => TOWNS,
        };
        let (id, cookie) = server.upload(name, content);
        let said = json!({ "question": "which town sold the most?", "answer": ["Rome"] });
        let answer = server.post(&format!("/api/tables/{id}/corrections"), &cookie, &said);
        assert_eq!(answer.status, 201, "{name}: {}", answer.text());
    }
    let beside: Vec<_> = std::fs::read_dir(above.path()).unwrap().flatten().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
    // Each has a folder with the table and its corrections, which can be read again.
    assert_eq!(files(&folder).len(), 2 * names.len(), "{:?}", files(&folder));
    assert_eq!(kept(&folder).len(), names.len());
    is_well(&server);
}

#[test]
fn nobody_leaves_more_on_the_disk_than_there_is_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        kept: 50_000,
        ..limits()
    };
    let server = keeps(folder.path(), "exit 1", limits);
    let size = || {
        let sizes = files(folder.path()).into_iter();
        sizes.map(|file| file.metadata().unwrap().len()).sum::<u64>()
    };
    // Large tables with one correction each, and one small table with many.
    let said =
        |n: usize| json!({ "question": format!("which town is number {n}?"), "answer": ["x".repeat(900)] });
    let mut statuses = Vec::new();
    for n in 0..8 {
        let large = format!("Town\n{}\n", format!("town of {n}\n").repeat(900));
        let (id, cookie) = server.upload("large.csv", large.as_bytes());
        let answer = server.post(&format!("/api/tables/{id}/corrections"), &cookie, &said(n));
        tells("a large table", &answer);
        statuses.push(answer.status);
    }
    assert_eq!((statuses[0], statuses[7]), (201, 507), "{statuses:?}");
    let (id, cookie) = server.upload("small.csv", TOWNS);
    let path = format!("/api/tables/{id}/corrections");
    let answers: Vec<_> = (0..60).map(|n| server.post(&path, &cookie, &said(n))).collect();
    let refused = answers.last().unwrap();
    assert_eq!(
        (answers[0].status, refused.status),
        (201, 507),
        "{}",
        refused.text()
    );
    assert!(refused.text().contains("--max-kept"), "{}", refused.text());
    assert!(size() <= 50_000, "{}", size());
    // A model has no room either.
    let answer = server.post(&format!("/api/tables/{id}/learn"), &cookie, &json!({}));
    assert_eq!(answer.status, 507, "{}", answer.text());
    is_well(&server);
}

#[test]
fn nothing_is_kept_where_nobody_said_so() {
    let server = crate::start();
    let (id, cookie) = server.upload("towns.csv", TOWNS);
    let said = json!({ "question": "which town sold the most?", "answer": ["Rome"] });
    for table in [id.as_str(), "lighthouses"] {
        for (what, body) in [("corrections", &said), ("learn", &json!({}))] {
            let answer = server.post(&format!("/api/tables/{table}/{what}"), &cookie, body);
            assert_eq!(answer.status, 403, "{table} {what}: {}", answer.text());
            tells("kept nowhere", &answer);
        }
    }
    is_well(&server);
}

/// Waits until a lesson has ended; gives what is told of it.
fn ended(server: &Running, path: &str, cookie: &str) -> Value {
    eventually("the lesson ends", || {
        let told = server.call("GET", path, &[("Cookie", cookie)], b"").json();
        (told["learning"]["state"] != "learning").then_some(told["learning"].clone())
    })
}

#[test]
fn hostile_lessons() {
    // Lessons that end badly, say too much, or never end: each time the page is told, and the next may begin.
    let lessons = [
        ("exit 3", "learning ended without a word"),
        ("printf 'mapo: it is \\033[31mdamaged\\n' >&2; exit 2", "damaged"),
        ("head -c 3000000 /dev/zero; exit 0", "without a word"),
        ("echo '[1, 2]'; echo 7; echo '\"x\"'; exit 0", "without a word"),
        ("echo '{\"better\": true}'; exit 1", "without a word"),
        ("kill -9 $$", "without a word"),
        ("exec sleep 600", "took longer"),
    ];
    for (script, wanted) in lessons {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits {
            learning_time: Duration::from_secs(2),
            ..limits()
        };
        let server = keeps(folder.path(), script, limits);
        let (id, cookie) = server.upload("towns.csv", TOWNS);
        let path = format!("/api/tables/{id}/corrections");
        let said = json!({ "question": "which town sold the most?", "answer": ["Rome"] });
        assert_eq!(server.post(&path, &cookie, &said).status, 201);
        for _ in 0..2 {
            let begun = server.post(&format!("/api/tables/{id}/learn"), &cookie, &json!({}));
            assert_eq!(begun.status, 202, "{script}: {}", begun.text());
            let told = ended(&server, &path, &cookie);
            assert_eq!(told["state"], "failed", "{script}: {told}");
            let error = told["error"].as_str().unwrap();
            assert!(error.contains(wanted) && error.len() < 1_500, "{script}: {error}");
        }
        assert_eq!(kept(folder.path()).len(), 1);
        is_well(&server);
    }
}

#[test]
fn lessons_are_one_at_a_time_and_end_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("pid");
    let script = format!("echo $$ > '{}'; exec sleep 600", mark.display());
    let server = keeps(folder.path(), &script, limits());
    let said = json!({ "question": "which town sold the most?", "answer": ["Rome"] });
    let mut lessons = Vec::new();
    for name in ["one.csv", "two.csv"] {
        let (id, cookie) = server.upload(name, TOWNS);
        let kept = server.post(&format!("/api/tables/{id}/corrections"), &cookie, &said);
        assert_eq!(kept.status, 201);
        lessons.push((format!("/api/tables/{id}/learn"), cookie));
    }
    let begin = |lesson: &(String, String)| server.post(&lesson.0, &lesson.1, &json!({}));
    assert_eq!(begin(&lessons[0]).status, 202);
    for _ in 0..20 {
        for lesson in &lessons {
            let refused = begin(lesson);
            assert_eq!(refused.status, 503, "{}", refused.text());
            tells("a second lesson", &refused);
        }
    }
    is_well(&server);
    let process = eventually("the lesson begins", || {
        let text = std::fs::read_to_string(&mark).ok()?;
        text.trim().parse::<u32>().ok()
    });
    drop(server);
    eventually("the lesson ends with the server", || {
        let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // A process that nobody has asked after yet has ended too.
        (!state.contains("sleep") || state.contains(") Z ")).then_some(())
    });
}

#[test]
fn damaged_files_beside_a_table_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = keeps(folder.path(), "exit 1", limits());
    let (id, cookie) = server.upload("towns.csv", TOWNS);
    let [corrections, ask] = ["corrections", "ask"].map(|what| format!("/api/tables/{id}/{what}"));
    let said = json!({ "question": "which town sold the most?", "answer": ["Rome"] });
    let question = json!({ "question": "how many towns are there?" });
    assert_eq!(server.post(&corrections, &cookie, &said).status, 201);
    let file = files(folder.path())
        .into_iter()
        .find(|file| file.ends_with("mapo-corrections.jsonl"))
        .unwrap();
    // A damaged line is told by its number, and nothing is written over it.
    let damaged = b"{\"table\": \"towns.csv\", \"que".to_vec();
    std::fs::write(&file, &damaged).unwrap();
    let answer = server.post(&corrections, &cookie, &said);
    assert_eq!(answer.status, 422);
    assert!(answer.text().contains("line 1"), "{}", answer.text());
    tells("a damaged line", &answer);
    assert_eq!(std::fs::read(&file).unwrap(), damaged);
    std::fs::write(&file, [0xff; 100]).unwrap();
    let answer = server.post(&corrections, &cookie, &said);
    assert_eq!(answer.status, 422, "{}", answer.text());
    tells("no text", &answer);
    // A folder in its place.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let answer = server.post(&corrections, &cookie, &said);
    assert_eq!(answer.status, 422, "{}", answer.text());
    tells("a folder", &answer);
    std::fs::remove_dir_all(&file).unwrap();
    assert_eq!(server.post(&corrections, &cookie, &said).status, 201);
    // A model that is none: the question says so, others are answered, and without it all is as before.
    let model = file.with_file_name("mapo-learnt.safetensors");
    for content in [&b""[..], b"{}", &[0xff; 4096]] {
        std::fs::write(&model, content).unwrap();
        let answer = server.post(&ask, &cookie, &question);
        assert_eq!(answer.status, 422, "{}", answer.text());
        tells("a damaged model", &answer);
        assert!(answer.text().contains("learn again"), "{}", answer.text());
        is_well(&server);
    }
    std::fs::remove_file(&model).unwrap();
    assert_eq!(
        server.post(&ask, &cookie, &question).json()["answer"],
        json!(["2"])
    );
    is_well(&server);
}
