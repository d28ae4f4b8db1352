//! Training from the command line: the demo, runs and evaluation.

mod support;

use std::time::Duration;
use support::{json, mapo, run, run_well};

/// Settings with which a run takes a second.
const QUICK: [&str; 8] = [
    "--set",
    "network.hidden=16",
    "--set",
    "network.attention=16",
    "--set",
    "exploration.programs=200",
    "--set",
    "evaluate=10",
];

#[test]
fn the_demo_explores_trains_and_asks() {
    let quick = ["demo", "--steps", "10", "--threads", "2"]
        .into_iter()
        .chain(QUICK);
    let summary = json(quick.clone().chain(["--json", "--questions", "3"]));
    let accuracy = summary["dev_accuracy"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&accuracy), "{summary}");
    assert!(summary["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(summary["asked"].as_array().unwrap().len(), 3);
    let shown = run_well(quick.chain(["--questions", "2"]));
    for part in ["1. Explore", "2. Learn", "3. Ask", "answer", "program", "rows"] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn a_run_is_trained_evaluated_and_refused_a_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (store, dir, details, predictions) = (path("store.jsonl"), path("run"), path("details"), path("out"));
    run_well([
        "explore",
        "--data",
        "toy",
        "--programs",
        "200",
        "--out",
        &store,
        "--threads",
        "2",
    ]);
    let train = [
        "train",
        "--data",
        "toy",
        "--memory",
        &store,
        "--run",
        &dir,
        "--steps",
        "20",
        "--threads",
        "1",
    ];
    let train = train.into_iter().chain(QUICK);
    let summary = json(train.clone().chain(["--json"]));
    assert_eq!(summary["steps"], 20);
    let metrics = std::fs::read_to_string(folder.path().join("run/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 2);
    assert!(metrics.contains("\"clip_fraction\""), "{metrics}");
    let model = summary["model"].as_str().unwrap();
    let evaluated = json([
        "eval",
        "--model",
        model,
        "--data",
        "toy",
        "--split",
        "dev",
        "--details",
        &details,
        "--predictions",
        &predictions,
        "--json",
    ]);
    assert_eq!(evaluated["accuracy"], summary["dev_accuracy"]);
    let scored = json(["score", "--data", "toy", "--split", "dev", &predictions, "--json"]);
    assert_eq!(scored["correct"], evaluated["correct"]);
    assert_eq!(std::fs::read_to_string(&details).unwrap().lines().count(), 400);
    let both = json([
        "eval", "--model", model, model, "--data", "toy", "--split", "dev", "--json",
    ]);
    assert_eq!(both["models"], 2);

    let again = run(train);
    assert_eq!(again.code, Some(2));
    assert!(
        again.stderr.contains("there is a run here already"),
        "{}",
        again.stderr
    );
    // A run that is at its end has nothing more to do.
    assert!(run_well(["train", "--resume", &dir]).contains("20, in"));
}

#[test]
fn a_typo_in_a_setting_suggests_the_right_name() {
    let ran = run(["demo", "--set", "learning.droput=0.1"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "mapo: there is no setting 'learning.droput'; did you mean 'learning.dropout'?\n"
    );
}

#[test]
fn programs_found_with_another_linking_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (store, dir) = (path("store.jsonl"), path("run"));
    let data = ["--data", "toy", "--limit", "20"];
    let explore = [
        "explore",
        "--programs",
        "50",
        "--out",
        &store,
        "--linking",
        "wide",
    ];
    run_well(explore.into_iter().chain(data));
    let header = std::fs::read_to_string(&store).unwrap();
    assert!(
        header.lines().next().unwrap().contains(r#""linking":"wide""#),
        "{header}"
    );

    let train = ["train", "--memory", &store, "--run", &dir, "--steps", "1"];
    let ran = run(train.into_iter().chain(data).chain(QUICK));
    assert_eq!(ran.code, Some(2));
    let wanted = "made with linking wide, but paper is wanted; explore again, or train with --linking wide";
    assert!(ran.stderr.contains(wanted), "{}", ran.stderr);

    let dir = path("fits");
    let train = [
        "train",
        "--memory",
        &store,
        "--run",
        &dir,
        "--steps",
        "1",
        "--linking",
        "wide",
    ];
    run_well(train.into_iter().chain(data).chain(QUICK));
    let config = std::fs::read_to_string(folder.path().join("fits/config.toml")).unwrap();
    assert!(config.contains("linking = \"wide\""), "{config}");

    let odd = run(["data", "toy", "--linking", "loose"]);
    assert_eq!(odd.code, Some(2));
    assert!(
        odd.stderr.contains("there is no linking 'loose'"),
        "{}",
        odd.stderr
    );
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let store = path("store.jsonl");
    run_well([
        "explore",
        "--data",
        "toy",
        "--limit",
        "100",
        "--programs",
        "200",
        "--out",
        &store,
    ]);
    let train = |run: &str| -> Vec<String> {
        let begin = [
            "train", "--data", "toy", "--limit", "100", "--memory", &store, "--run", run,
        ];
        let rest = ["--steps", "100", "--threads", "1"].into_iter().chain(QUICK);
        begin.into_iter().chain(rest).map(str::to_owned).collect()
    };
    let (whole, killed) = (path("whole"), path("killed"));
    run_well(train(&whole));

    let mut command = mapo();
    command.args(train(&killed));
    for milliseconds in [700, 500, 600] {
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        command = mapo();
        command.args(["train", "--resume", &killed]);
    }
    // However slow the machine: a run that was killed before its first checkpoint says so and begins again.
    let ran = run(["train", "--resume", &killed]);
    if ran.code != Some(0) {
        assert!(
            ran.stderr.contains("checkpoint") || ran.stderr.contains("config.toml"),
            "{}",
            ran.stderr
        );
        return;
    }
    for file in ["checkpoint-100.safetensors", "best.safetensors", "memory.jsonl"] {
        let read = |run: &str| std::fs::read(folder.path().join(run).join(file)).unwrap();
        assert!(read("whole") == read("killed"), "{file} differs");
    }
}
