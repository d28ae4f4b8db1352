//! `mapo compare`: from nothing to a report, interrupted and gone on with, and refused where it must be.

mod support;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{QUICK, file, json, mapo, run, run_well};

/// A comparison that takes seconds: two variants, two seeds.
fn tiny(out: &str) -> Vec<String> {
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
        "20",
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

#[test]
fn a_comparison_that_is_killed_goes_on_to_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let whole = json(with(tiny(&path("whole")), &["--json"]));
    let variants = whole["variants"].as_array().unwrap();
    let names: Vec<&str> = variants.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mapo", "reinforce"]);
    assert_eq!(whole["reference"], "mapo");
    assert!(variants[0]["difference"].is_null());
    let accuracy = |variant: usize| variants[variant]["dev_best"]["mean"].as_f64().unwrap();
    let difference = variants[1]["difference"]["mean"].as_f64().unwrap();
    assert!((difference - (accuracy(1) - accuracy(0))).abs() < 1e-9, "{whole}");
    for variant in variants {
        assert_eq!(variant["runs"].as_array().unwrap().len(), 2);
        assert_eq!(variant["dev_curve"].as_array().unwrap().len(), 2);
    }

    // Killed as soon as the first of four runs is finished, while the second is under way.
    let cut = path("cut");
    let mut child = mapo()
        .args(tiny(&cut))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let second = Path::new(&cut).join("reinforce/seed-1/config.toml");
    let began = Instant::now();
    while !second.exists() {
        assert!(
            began.elapsed() < Duration::from_secs(300),
            "the second run does not begin"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!Path::new(&cut).join("results.json").exists());
    let kept = Path::new(&cut).join("mapo/seed-1/predictions-dev.jsonl");
    let made = std::fs::metadata(&kept).unwrap().modified().unwrap();

    let resumed = json(with(tiny(&cut), &["--json"]));
    // What was finished is not made again, and all is as if nothing had happened, but for the time it took.
    assert_eq!(std::fs::metadata(&kept).unwrap().modified().unwrap(), made);
    let timeless = |results: &serde_json::Value| {
        let mut results = results.clone();
        for variant in results["variants"].as_array_mut().unwrap() {
            variant["seconds"].take();
            for run in variant["runs"].as_array_mut().unwrap() {
                run["seconds"].take();
            }
        }
        results
    };
    assert_eq!(timeless(&whole), timeless(&resumed));

    // The files agree with what was printed and with each other.
    let read = |name: &str| std::fs::read_to_string(Path::new(&cut).join(name)).unwrap();
    let results: serde_json::Value = serde_json::from_str(&read("results.json")).unwrap();
    assert_eq!(results, resumed);
    let (markdown, html) = (read("report.md"), read("report.html"));
    let shown = format!("{:.1} ± ", 100.0 * accuracy(0));
    for report in [&markdown, &html] {
        for part in ["mapo", "reinforce", "minus mapo", "95 % interval", shown.as_str()] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }
    assert!(html.contains("<svg") && html.contains("prefers-color-scheme"));
    assert!(markdown.contains("](curves.svg)") && read("curves.svg").contains("reinforce"));

    // A test split and a variant more may come later; then only what is missing is made.
    let more = json(with(
        tiny(&cut),
        &["--test-split", "test", "--variant", "again:beam=1", "--json"],
    ));
    assert_eq!(more["variants"].as_array().unwrap().len(), 3);
    assert!(more["variants"][0]["test"]["mean"].is_number());
    // With one thread the same settings and the same seed give the same answers.
    let again = &more["variants"][2]["difference"];
    assert_eq!(
        (&again["mean"], &again["p"]),
        (&0.0.into(), &1.0.into()),
        "{again}"
    );
    assert_eq!(std::fs::metadata(&kept).unwrap().modified().unwrap(), made);
    let shown = run_well(tiny(&cut));
    assert!(
        shown.contains("reinforce") && shown.contains("report.html"),
        "{shown}"
    );

    // Other settings do not belong here.
    let other = run(with(tiny(&cut), &["--set", "learning.rate=0.25"]));
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("another comparison") && other.stderr.contains("learning.rate=0.005"),
        "{}",
        other.stderr
    );
}

/// Fails unless comparing with these arguments too is refused, and leaves nothing behind.
fn refused(more: &[&str], says: &[&str]) {
    let folder = tempfile::tempdir().expect("a place for files");
    let out = folder.path().join("out").display().to_string();
    let arguments = ["compare", "--data", "toy", "--out", &out];
    support::refused(arguments.iter().chain(more), says);
    assert!(!Path::new(&out).exists(), "{more:?} leaves something behind");
}

#[test]
fn bad_input() {
    refused(
        &["--objectives", "mapo,hardem"],
        &["no objective 'hardem'", "did you mean 'hard_em'"],
    );
    refused(&["--set", "learning.rtae=1"], &["did you mean 'learning.rate'"]);
    refused(
        &["--variant", "fast:learning.rtae=1"],
        &["variant fast", "did you mean 'learning.rate'"],
    );
    refused(&["--variant", "fast"], &["'fast' is no variant", "NAME:SETTING"]);
    refused(&["--variant", "a/b:batch=1"], &["cannot name a variant"]);
    refused(
        &["--variant", "mapo:batch=8"],
        &["two variants 'mapo'", "another name"],
    );
    refused(&["--split", "trian"], &["no split 'trian'"]);
    refused(&["--dev-split", "evd"], &["no split 'evd'"]);
    refused(&["--test-split", "tset"], &["no split 'tset'"]);
    refused(&["--memory", "nowhere.jsonl"], &["nowhere.jsonl"]);
    refused(&["--variants", "nowhere.toml"], &["nowhere.toml"]);
    refused(&["--seed-list", "1,2,1"], &["a seed twice"]);
    refused(&["--steps", "0"], &["steps", "at least 1"]);
}

#[test]
fn bad_files() {
    let folder = tempfile::tempdir().unwrap();
    let variants = file(
        folder.path(),
        "variants.toml",
        "[[variant]]\nname = \"a\"\nform = \"mml\"\n",
    );
    refused(&["--variants", &variants], &["variants.toml", "form"]);
    file(folder.path(), "notes.txt", "mine");
    let out = folder.path().display().to_string();
    let ran = run(["compare", "--data", "toy", "--out", &out]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("holds no comparison"), "{}", ran.stderr);
}
