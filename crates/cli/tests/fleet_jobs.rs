//! Comparisons and explorations that workers of a fleet do, with a real NATS server.

mod support;

use std::path::Path;
use support::nats::{Nats, Process, wait_until};
use support::{QUICK, refused, run_well};

/// A comparison that takes seconds: two variants, two seeds.
fn comparison(out: &str, steps: &str) -> Vec<String> {
    let arguments = [
        "compare",
        "--data",
        "toy",
        "--limit",
        "60",
        "--objectives",
        "mapo,reinforce",
        "--seeds",
        "2",
        "--steps",
        steps,
        "--threads",
        "1",
        "--set",
        "beam=1",
        "--out",
        out,
    ];
    arguments.into_iter().chain(QUICK).map(str::to_owned).collect()
}

fn with(mut arguments: Vec<String>, more: &[&str]) -> Vec<String> {
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    arguments
}

/// What came of a comparison, but for how long it took.
fn results(directory: &Path) -> serde_json::Value {
    let text = std::fs::read(directory.join("results.json")).expect("it is there");
    let mut results: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    for variant in results["variants"].as_array_mut().expect("a list") {
        variant["seconds"] = serde_json::Value::Null;
        for run in variant["runs"].as_array_mut().expect("a list") {
            run["seconds"] = serde_json::Value::Null;
        }
    }
    results
}

/// Everything that two directories of the same comparison must have in common.
fn assert_same(one: &Path, other: &Path) {
    assert_eq!(results(one), results(other));
    for variant in ["mapo", "reinforce"] {
        for seed in ["seed-1", "seed-2"] {
            for file in [
                "best.safetensors",
                "predictions-dev.jsonl",
                "memory.jsonl",
                "config.toml",
            ] {
                let read = |directory: &Path| {
                    let path = directory.join(variant).join(seed).join(file);
                    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                };
                assert!(read(one) == read(other), "{variant}/{seed}/{file}");
            }
        }
    }
}

#[test]
fn two_workers_one_of_them_killed_give_the_comparison_of_one_machine() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    run_well(comparison(&path("alone"), "150"));
    let url = nats.url();
    let fleet = ["--fleet", &url, "--lease", "2"];
    let asked = Process::start(&with(comparison(&path("together"), "150"), &fleet));
    wait_until("it is posted", || {
        run_well(["fleet", "list", "--server", &url]) == "together\n"
    });
    let mut doomed = nats.spawn("work", &["--threads", "1"]);
    let at_work =
        |status: &serde_json::Value| status["at_work"].as_object().is_some_and(|who| !who.is_empty());
    // Killed when there is a checkpoint to go on from.
    nats.wait_until("together", |status| {
        at_work(status) && status["steps"].as_u64() > Some(0)
    });
    doomed.kill();
    let workers = [nats.spawn("work", &[]), nats.spawn("work", &["--until-done"])];
    let (code, said) = asked.end();
    assert_eq!(code, Some(0), "{said}");
    assert_same(&folder.path().join("alone"), &folder.path().join("together"));
    // What is collected is not kept on the server.
    assert_eq!(run_well(["fleet", "list", "--server", &url]), "");
    let [waiting, until_done] = workers;
    let (code, said) = until_done.end();
    assert_eq!(code, Some(0), "{said}");
    drop(waiting);
    // Who asks again has it all.
    run_well(with(comparison(&path("together"), "150"), &fleet));
}

#[test]
fn a_run_that_was_begun_here_goes_on_there_and_one_that_cannot_go_on_is_told_of() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (url, steps) = (nats.url(), "60");
    run_well(comparison(&path("alone"), steps));
    let mut here = Process::start(&comparison(&path("moved"), steps));
    let begun = folder.path().join("moved/mapo/seed-1/last.json");
    wait_until("it has a checkpoint", || begun.exists());
    here.kill();
    let asked = Process::start(&with(comparison(&path("moved"), steps), &["--fleet", &url]));
    wait_until("it is posted", || {
        run_well(["fleet", "list", "--server", &url]) == "moved\n"
    });
    // Another's data is refused, and the job goes to who has the right one.
    let other = folder.path().join("other.csv");
    std::fs::write(&other, "Name,Points\nAnne,3\nBob,4\n").unwrap();
    let questions = folder.path().join("other.jsonl");
    let line = |split: &str| {
        format!(
            "{{\"question\": \"who has 3 points?\", \"table\": \"other.csv\", \"answer\": [\"Anne\"], \"split\": \"{split}\"}}\n"
        )
    };
    std::fs::write(&questions, line("train") + &line("dev")).unwrap();
    let data = format!("jsonl:{}", questions.display());
    let ran = support::run(["fleet", "work", "--server", &url, "--data", &data, "--until-done"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the data here is not that of the run"),
        "{}",
        ran.stderr
    );
    run_well(["fleet", "work", "--server", &url, "--until-done"]);
    let (code, said) = asked.end();
    assert_eq!(code, Some(0), "{said}");
    assert_same(&folder.path().join("alone"), &folder.path().join("moved"));

    // Steps so large that numbers end: the run fails wherever it is made, and who asked hears why.
    let broken = with(
        comparison(&path("broken"), steps),
        &["--set", "learning.rate=1e30", "--fleet", &url],
    );
    let asked = Process::start(&broken);
    let worker = nats.spawn("work", &[]);
    let (code, said) = asked.end();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("cannot go on"), "{said}");
    drop(worker);
    run_well(["fleet", "forget", "--server", &url, "--run", "broken"]);
}

#[test]
fn workers_explore_into_the_store_of_one_machine_byte_for_byte() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let explore = |out: &str| {
        let arguments = [
            "explore",
            "--data",
            "toy",
            "--limit",
            "90",
            "--programs",
            "3000",
            "--seed",
            "7",
            "--out",
            out,
        ];
        arguments.map(str::to_owned).to_vec()
    };
    let (alone, together) = (path("alone.jsonl"), path("together.jsonl"));
    run_well(explore(&alone));
    let url = nats.url();
    let asked = Process::start(&with(explore(&together), &["--fleet", &url, "--lease", "1"]));
    wait_until("it is posted", || {
        run_well(["fleet", "list", "--server", &url]) == "together\n"
    });
    let mut doomed = nats.spawn("work", &["--threads", "1"]);
    nats.wait_until("together", |status| status["done"].as_u64() > Some(0));
    doomed.kill();
    let worker = nats.spawn("work", &["--until-done"]);
    let (code, said) = asked.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = worker.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(std::fs::read(&alone).unwrap() == std::fs::read(&together).unwrap());
    refused(
        ["fleet", "status", "--server", &url, "--run", "together"],
        &["no run 'together'"],
    );
}
