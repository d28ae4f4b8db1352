//! Clients that are slow, or many, and the end.

use crate::support::{Answer, Running, request};
use crate::{count_panics, eventually, is_well, limits, start, tells};
use mapo_web::{Limits, Options};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

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
