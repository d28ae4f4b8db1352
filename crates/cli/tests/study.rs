//! `mapo study` from the command line.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod support;

use mapo_datasets::{Dataset, Example, Selection};
use mapo_training::study::annotated::{read_annotated, translate};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use support::{QUICK, data_dir, file, json, run, run_well};

/// A store and a small model of the toy data.
fn toy_run(folder: &std::path::Path) -> (String, String) {
    let path = |name: &str| folder.join(name).display().to_string();
    let (store, dir) = (path("store.jsonl"), path("run"));
    let explore = [
        "explore",
        "--data",
        "toy",
        "--limit",
        "100",
        "--programs",
        "300",
        "--out",
        &store,
    ];
    run_well(explore);
    let train = [
        "train",
        "--data",
        "toy",
        "--limit",
        "100",
        "--memory",
        &store,
        "--run",
        &dir,
        "--steps",
        "10",
        "--threads",
        "1",
        "--json",
    ];
    let model = json(train.into_iter().chain(QUICK))["model"]
        .as_str()
        .unwrap()
        .to_owned();
    (store, model)
}

/// Forms for some toy questions: one that counts all rows, one broken off, one without.
fn annotated(folder: &std::path::Path) -> String {
    let ids = toy_ids();
    let text = format!(
        "(example (id {}) (targetFormula (count (@type @row))))\n(example (id {}) (targetFormula (or 1 2)))\n\
         (example (id {}) (error \"Too difficult\"))\n(example (id nt-nobody) (targetFormula (count (@type @row))))\n",
        ids[0], ids[1], ids[2]
    );
    file(folder, "annotated.examples", text)
}

fn toy_ids() -> Vec<String> {
    let examples = Dataset::toy().examples(&Selection::default()).unwrap();
    examples.take(3).map(|example| example.unwrap().id).collect()
}

#[test]
fn a_model_is_studied_from_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let (store, model) = toy_run(folder.path());
    let forms = annotated(folder.path());
    let out = folder.path().join("study");
    let out_text = out.display().to_string();
    let study = [
        "study",
        "--model",
        &model,
        "--data",
        "toy",
        "--split",
        "train",
        "--limit",
        "100",
        "--memory",
        &store,
        "--annotated",
        &forms,
        "--explore",
        "100",
        "--out",
        &out_text,
    ];
    let summary = json(study.into_iter().chain(["--json"]));
    assert_eq!(summary["questions"], 100);
    let count = |value: &serde_json::Value| -> u64 {
        value
            .as_object()
            .unwrap()
            .values()
            .map(|count| count.as_u64().unwrap())
            .sum()
    };
    let wrong = summary["errors"]["wrong"].as_u64().unwrap();
    assert_eq!(count(&summary["errors"]["causes"]), wrong);
    assert_eq!(count(&summary["errors"]["differences"]), wrong);
    assert_eq!(
        wrong,
        100 - (summary["accuracy"].as_f64().unwrap() * 100.0).round() as u64
    );
    let bins = summary["calibration"]["bins"].as_array().unwrap();
    assert_eq!(
        bins.iter()
            .map(|bin| bin["answers"].as_u64().unwrap())
            .sum::<u64>(),
        100
    );
    let kinds = summary["kinds"].as_array().unwrap();
    assert_eq!(
        kinds
            .iter()
            .map(|kind| kind["questions"].as_u64().unwrap())
            .sum::<u64>(),
        100
    );
    assert!(
        kinds.iter().all(|kind| kind["in_memory"].is_number()),
        "{summary}"
    );
    assert_eq!(summary["spurious"]["all"]["questions"], 3);
    assert_eq!(summary["spurious"]["obstacles"]["union of two sets"], 1);
    assert_eq!(summary["spurious"]["obstacles"]["the annotators gave no form"], 1);

    let lines = std::fs::read_to_string(out.join("questions.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 100);
    for line in lines.lines() {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            question["right"] == false,
            question["cause"].is_string(),
            "{line}"
        );
    }
    assert_eq!(
        std::fs::read_to_string(out.join("annotated.jsonl"))
            .unwrap()
            .lines()
            .count(),
        3
    );
    let page = std::fs::read_to_string(out.join("study.md")).unwrap();
    let shown = run_well(study.into_iter().chain(["--sample", "2"]));
    for part in [
        "## By kind of question",
        "## Wrong answers",
        "## Calibration",
        "## Right by chance",
    ] {
        assert!(shown.contains(part) && page.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("  expected   ").count(), 2, "{shown}");
    // The seed decides everything, so the second run wrote the same page.
    assert_eq!(std::fs::read_to_string(out.join("study.md")).unwrap(), page);

    refuses_bad_input(folder.path(), &store, &model);
}

fn refuses_bad_input(folder: &std::path::Path, store: &str, model: &str) {
    let study = ["study", "--model", model, "--data", "toy", "--limit", "3"];
    let broken = file(
        folder,
        "broken.examples",
        "(example (id a)\n  (targetFormula (count (@type @row)))",
    );
    let strangers = file(
        folder,
        "strangers.examples",
        "(example (id nt-0) (targetFormula (count (@type @row))))",
    );
    let empty = file(folder, "empty.examples", "# nothing\n");
    let changed = std::fs::read_to_string(store)
        .unwrap()
        .replacen("\"toy\"", "\"wtq\"", 1);
    // As stores were before they had checksums.
    let unchecked = changed.lines().map(|line| {
        let (line, _) = line.split_once(",\"checksum\":").expect("a checksum");
        format!("{line}}}\n")
    });
    let other = file(folder, "other.jsonl", unchecked.collect::<String>());
    let changed = file(folder, "changed.jsonl", changed);
    let cases = [
        (
            "--annotated",
            broken.as_str(),
            "line 1: column 1: the list is not closed",
        ),
        ("--annotated", &strangers, "toy has none of these questions"),
        ("--annotated", &empty, "there is no (example"),
        ("--annotated", "nowhere.examples", "nowhere.examples"),
        ("--memory", &other, "made with dataset wtq"),
        ("--memory", &changed, "line 1: the store is damaged"),
        ("--split", "nonsense", "nonsense"),
    ];
    for (flag, value, problem) in cases {
        let ran = run(study.into_iter().chain([flag, value]));
        assert_eq!(ran.code, Some(2), "{flag} {value}: {}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{flag} {value}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn the_forms_of_the_real_file_are_read_and_translated() {
    let Some(data) = data_dir().map(|data| data.join("WikiTableQuestions")) else {
        return;
    };
    let annotated = read_annotated(&data.join("data/annotated-all.examples")).unwrap();
    assert_eq!(annotated.len(), 300);
    assert_eq!(
        annotated
            .iter()
            .filter(|question| question.forms.is_empty())
            .count(),
        44
    );
    let ids: HashSet<String> = annotated.iter().map(|question| question.id.clone()).collect();
    let selection = Selection {
        split: Some("training".to_owned()),
        ids: Some(Arc::new(ids)),
        ..Selection::default()
    };
    let examples = Dataset::of(&mapo_datasets::sources::wtq::Wtq, data)
        .examples(&selection)
        .unwrap();
    let examples: BTreeMap<String, Example> = examples
        .map(|example| example.unwrap())
        .map(|example| (example.id.clone(), example))
        .collect();
    let first = |id: &str| {
        let question = annotated.iter().find(|question| question.id == id).unwrap();
        translate(&question.forms[0], &examples[id]).map(|translation| translation.program.to_string())
    };
    let cases = [
        (
            "nt-0",
            "(filter_in all_rows ['usl a-league'] r.league-str) (last v0) (hop v1 r.year-num)",
        ),
        (
            "nt-2",
            "(filter_in all_rows ['crettyard'] r.team-str) (next v0) (hop v1 r.team-str)",
        ),
        ("nt-4", "(first all_rows) (hop v0 r.opponent-str)"),
        (
            "nt-9",
            "(filter_in all_rows ['ardo kreek'] r.player-str) (same_as v0 r.position-str) (hop v1 r.player-str)",
        ),
        ("nt-21", "(argmax all_rows r.in_service-num) (hop v0 r.model-str)"),
        ("nt-53", "(count all_rows)"),
    ];
    for (id, program) in cases {
        assert_eq!(first(id).as_deref(), Ok(program), "{id}");
    }
}
