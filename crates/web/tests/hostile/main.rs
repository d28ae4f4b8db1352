//! What strangers may send: nothing of it makes the server panic or hang, and whatever can be answered is
//! answered with the right status and one clear sentence.

mod corrections;
mod heads;
mod questions;
mod slow;
#[path = "../support/mod.rs"]
mod support;
mod uploads;

use mapo_web::{Limits, Options};
use serde_json::json;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Answer, Running};

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
