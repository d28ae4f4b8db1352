//! `mapo serve` from the command line: it says where it is, answers, and stops when told.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use support::{file, mapo, run};

/// A server that was started, where it listens, and what stops it.
struct Served {
    process: Child,
    address: String,
}

fn serve(arguments: &[&str]) -> Served {
    let mut process = mapo()
        .args(["serve", "--address", "127.0.0.1:0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mapo starts");
    let mut line = String::new();
    let mut lines = BufReader::new(process.stdout.take().expect("its output"));
    lines.read_line(&mut line).expect("a line");
    let address = line.split_once("http://").expect("an address").1;
    Served {
        process,
        address: address.split('/').next().expect("an address").to_owned(),
    }
}

impl Served {
    fn call(&self, request: &str, body: &str) -> String {
        self.send(request, body.as_bytes())
    }

    fn send(&self, request: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a timeout");
        let head = format!(
            "{request} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it takes requests");
        stream.write_all(body).expect("it takes requests");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    /// Stops it as Ctrl-C does; gives its exit code and what it said beside.
    fn stop(mut self) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        let killed = std::process::Command::new("kill").args(["-INT", &id]).status();
        assert!(killed.expect("kill is there").success());
        let end = Instant::now() + Duration::from_secs(10);
        let status = loop {
            match self.process.try_wait().expect("its status") {
                Some(status) => break status,
                None if Instant::now() > end => {
                    let _ = self.process.kill();
                    panic!("Ctrl-C does not stop it");
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let mut said = String::new();
        let errors = self.process.stderr.take().expect("its errors");
        BufReader::new(errors).read_to_string(&mut said).expect("text");
        (status.code(), said)
    }
}

#[test]
fn a_table_of_the_command_line_is_asked_and_ctrl_c_stops() {
    let folder = tempfile::tempdir().unwrap();
    let people = file(
        folder.path(),
        "people.csv",
        "Name,Hometown\nAnne,Tulsa\nBob,Omaha\nCy,Tulsa\n",
    );
    let served = serve(&[&people]);
    let answer = served.call(
        "POST /api/tables/table-1/ask",
        r#"{"question":"how many people are from tulsa?"}"#,
    );
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#""answer":["2"]"#), "{answer}");
    assert!(served.call("GET /", "").contains("Ask a table"));
    assert_eq!(served.stop(), (Some(0), String::new()));
}

#[test]
fn listening_for_others_is_warned_of() {
    let mut process = mapo()
        .args(["serve", "--address", "0.0.0.0:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut warning = String::new();
    BufReader::new(process.stderr.take().unwrap())
        .read_line(&mut warning)
        .unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(warning.contains("no passwords"), "{warning}");
}

#[test]
fn what_cannot_be_served_is_said_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let empty = file(folder.path(), "empty.csv", "");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (arguments, expected) in [
        (
            vec!["serve", "nowhere.csv", "--address", "127.0.0.1:0"],
            "nowhere.csv",
        ),
        (vec!["serve", &empty, "--address", "127.0.0.1:0"], "empty"),
        (
            vec!["serve", "--address", &address],
            "choose another with --address",
        ),
        (vec!["serve", "--address", "localhost"], "invalid"),
        (
            vec!["serve", "--runs", "nowhere", "--address", "127.0.0.1:0"],
            "is no folder",
        ),
        (
            vec![
                "serve",
                "--model",
                "nowhere.safetensors",
                "--address",
                "127.0.0.1:0",
            ],
            "nowhere.safetensors",
        ),
        (
            vec!["serve", "--host", "http://x", "--address", "127.0.0.1:0"],
            "is no host name",
        ),
        (vec!["serve", "--max-body", "lots"], "is no size"),
        (
            vec!["serve", "--question-time", "0"],
            "is no number of seconds above 0",
        ),
        (
            vec!["serve", "--max-questions", "0"],
            "is no whole number above 0",
        ),
    ] {
        let ran = run(&arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

/// Uploads are read by another process: what takes all of its memory or time takes nothing of the server's.
#[test]
fn files_that_take_too_much_are_refused_and_the_server_goes_on() {
    let served = serve(&["--reading-memory", "300MB", "--reading-time", "2"]);
    let upload = |name: &str, content: &[u8]| served.send(&format!("POST /api/tables?name={name}"), content);
    assert!(upload("t.csv", b"A,B\nx,1\ny,2\n").starts_with("HTTP/1.1 201"));
    let hostile: [(&str, &[u8], &str); 4] = [
        (
            "a.parquet",
            include_bytes!("../../tables/tests/hostile/alloc-17GB-648-bytes.parquet"),
            "a page claims more values than it has",
        ),
        (
            "b.parquet",
            include_bytes!("../../tables/tests/hostile/alloc-1GB-261-bytes.parquet"),
            "a page claims more values than it has",
        ),
        (
            "c.parquet",
            include_bytes!("../../tables/tests/hostile/rows-lie-20kB.parquet"),
            "rows as it says",
        ),
        (
            "d.parquet",
            include_bytes!("../../tables/tests/hostile/footer-21-bytes.parquet"),
            "its description of itself is damaged",
        ),
    ];
    for (name, content, why) in hostile {
        let answer = upload(name, content);
        assert!(answer.starts_with("HTTP/1.1 4"), "{name}: {answer}");
        assert!(answer.contains(why), "{name}: {answer}");
    }
    let too_long = format!("A\n{}", "x\n".repeat(2_000_001));
    let answer = upload("long.csv", too_long.as_bytes());
    assert!(
        answer.starts_with("HTTP/1.1 413") && answer.contains("more than 2000000 rows"),
        "{answer}"
    );
    // Small enough to be sent and to be a table, but not to be read in so little memory: that process ends, and nobody else.
    let document = format!("{{\"rows\":[{}{{\"a\":1}}]}}", "{\"a\":1},".repeat(1_500_000));
    let answer = upload("large.json", document.as_bytes());
    assert!(
        answer.starts_with("HTTP/1.1 413") && answer.contains("more than 300.0 MB of memory"),
        "{answer}"
    );
    let question = "{\"question\": \"how many lighthouses are on Skerra?\"}";
    let answer = served.call("POST /api/tables/lighthouses/ask", question);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(served.stop(), (Some(0), String::new()));
}
