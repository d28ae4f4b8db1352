//! Exploration from the command line: its store, stopping and going on.

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::{json as run_json, mapo, run, run_well};

#[test]
fn a_store_can_be_shown_and_is_refused_where_it_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.jsonl").display().to_string();
    let chart = folder.path().join("chart.svg").display().to_string();
    let explore = [
        "explore",
        "--data",
        "toy",
        "--limit",
        "40",
        "--programs",
        "500",
        "--out",
        &store,
        "--report",
        &chart,
    ];
    let summary = run_json(explore.into_iter().chain(["--json"]));
    assert_eq!(summary["examples"], json!(40));
    assert!(summary["share_solved"].as_f64().unwrap() > 0.5, "{summary}");
    assert!(std::fs::read_to_string(&chart).unwrap().starts_with("<svg"));

    let text = std::fs::read_to_string(&store).unwrap();
    let solved = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let solved = solved
        .into_iter()
        .find(|entry| !entry["programs"].as_array().unwrap().is_empty())
        .unwrap();
    let id = solved["id"].as_str().unwrap();
    let shown = run_json([
        "explore", "--data", "toy", "--out", &store, "--show", id, "--json",
    ]);
    for program in shown["programs"].as_array().unwrap() {
        assert_eq!(program["reward"], json!(1.0), "{program}");
    }

    let again = run(explore);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("there already"), "{}", again.stderr);
    std::fs::rename(&store, format!("{store}.partial")).unwrap();
    let other = run(explore.into_iter().chain(["--seed", "7"]));
    assert!(
        other.stderr.contains("made with seed 0, but seed 7 is wanted"),
        "{}",
        other.stderr
    );
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stores = ["1", "2"].map(|threads| {
        let store = folder
            .path()
            .join(format!("{threads}.jsonl"))
            .display()
            .to_string();
        run_well([
            "explore",
            "--data",
            "toy",
            "--limit",
            "30",
            "--programs",
            "300",
            "--threads",
            threads,
            "--out",
            &store,
        ]);
        std::fs::read(store).unwrap()
    });
    assert!(stores[0] == stores[1]);
}

#[test]
fn killed_at_ten_moments_it_ends_as_if_undisturbed() {
    let folder = tempfile::tempdir().unwrap();
    let store = |name: &str| folder.path().join(name).display().to_string();
    let arguments = [
        "explore",
        "--data",
        "toy",
        "--limit",
        "300",
        "--programs",
        "8000",
        "--threads",
        "1",
        "--out",
    ];
    run_well(arguments.into_iter().chain([store("whole.jsonl").as_str()]));
    // Each kill comes as soon as the store has grown to this many bytes, wherever in a line or an example
    // that is.
    let written = || std::fs::metadata(store("cut.jsonl.partial")).map_or(0, |file| file.len());
    let whole = std::fs::metadata(store("whole.jsonl")).unwrap().len();
    for kill in 1..=10 {
        let mut child = mapo().args(arguments).arg(store("cut.jsonl")).spawn().unwrap();
        while written() < whole * kill / 12 {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "ended before kill {kill}");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            !std::fs::exists(store("cut.jsonl")).unwrap(),
            "finished before kill {kill}"
        );
    }
    run_well(arguments.into_iter().chain([store("cut.jsonl").as_str()]));
    let read = |name: &str| std::fs::read(store(name)).unwrap();
    assert!(read("whole.jsonl") == read("cut.jsonl"));
}
