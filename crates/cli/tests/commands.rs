//! The commands as a user runs them.

mod support;

use serde_json::{Value, json};
use support::{file, json as run_json, run, run_well};

const PEOPLE: &str =
    "Name,Hometown,Points\nAnne,Tulsa,\"1,200\"\nBob,Omaha,37\nWilliam Stuart Price,Tulsa,3\n";
const TULSA: &str = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)";

#[test]
fn run_shows_each_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "people.csv", PEOPLE);
    let shown = run_well(["run", &path, TULSA]);
    assert_eq!(
        shown,
        "v0 = (filter_in all_rows ['tulsa'] r.hometown-str)\n   = rows 1, 3\n\
         v1 = (hop v0 r.name-str)\n   = strings anne, william stuart price\n\
         answer: Anne, William Stuart Price\n"
    );
    let object = run_json(["run", &path, TULSA, "--json", "--valid"]);
    assert_eq!(object["result"], json!(["Anne", "William Stuart Price"]));
    assert_eq!(object["steps"][0]["result"], json!([0, 2]));
    assert_eq!(object["extra_work"], json!(false));
    assert_eq!(object["valid"][0], json!(["("]));
}

#[test]
fn tables_come_in_other_formats_and_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "{\"name\": \"Anne\", \"points\": 3}\n{\"name\": \"Bob\", \"points\": 12}\n";
    let program = "(argmax all_rows r.points-num) (hop v0 r.name-str)";
    let path = file(folder.path(), "people.jsonl", lines);
    assert_eq!(
        run_json(["run", &path, program, "--json"])["result"],
        json!(["Bob"])
    );
    let from_input = |content: &str, options: &[&str]| {
        let path = file(folder.path(), "input", content);
        let mut command = support::mapo();
        command.args(["run", "-", program, "--json"]).args(options);
        command.stdin(std::fs::File::open(path).unwrap());
        command.output().unwrap()
    };
    for (content, options) in [
        (lines, &[][..]),
        ("name;points\nAnne;3\nBob;12\n", &[]),
        ("name|points\nAnne|3\nBob|12\n", &["--format", "bars"]),
    ] {
        let output = from_input(content, options);
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["result"], json!(["Bob"]), "{content}");
    }
    let output = from_input("name,points\nAnne\n", &[]);
    assert!(!output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("standard input, line 2: the row has 1 cell"),
        "{told}"
    );
}

#[test]
fn a_token_that_is_not_offered_runs_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "people.csv", PEOPLE);
    let object = run_json(["run", &path, "(first all_rows) (first v0) (count v1)", "--json"]);
    assert_eq!(
        (&object["offered"], &object["result"]),
        (&json!(false), &json!([1]))
    );
}

#[test]
fn a_batch_gives_a_line_for_each_program() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "people.csv", PEOPLE);
    let questions = file(
        folder.path(),
        "questions.jsonl",
        "{\"id\": \"a\", \"table\": \"people.csv\", \"question\": \"Who is from Tulsa?\", \"answer\": [\"Anne\", \"William Stuart Price\"]}\n\
         {\"table\": \"people.csv\", \"question\": \"How many points does Anne have?\", \"answer\": 1200}\n",
    );
    let lines = [
        // Whole cells: what a model for one's own questions would be offered.
        json!({"id": "a", "program": TULSA.replace("filter_in", "filter_is")}),
        json!({"id": "line-1", "program": "(filter_is all_rows ['anne'] r.name-str) (hop v0 r.points-num)"}),
        json!({"id": "line-1", "program": "(count all_rows) (max all_rows r.points-num)"}),
        json!({"id": "a", "program": "(hop all_rows r.nothing-str)"}),
        json!({"id": "b", "program": "(count all_rows)"}),
    ];
    let batch: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let batch = file(folder.path(), "batch.jsonl", batch);
    let out = run_well(["run", "--data", &format!("jsonl:{questions}"), "--batch", &batch]);
    let out: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(out.len(), 5);
    assert_eq!(
        (&out[0]["reward"], &out[0]["kind"], &out[0]["offered"]),
        (&json!(1), &json!("strings"), &json!(true))
    );
    assert_eq!(
        (&out[1]["reward"], &out[1]["result"]),
        (&json!(1), &json!([1200]))
    );
    assert_eq!(
        (&out[2]["reward"], &out[2]["extra_work"]),
        (&json!(0), &json!(true))
    );
    assert!(out[3]["error"].as_str().unwrap().contains("there is no column"));
    assert!(out[4]["error"].as_str().unwrap().contains("no example 'b'"));
}

#[test]
fn data_tells_what_toy_holds() {
    let summary = run_json(["data", "toy", "--json"]);
    assert_eq!(summary["examples"], json!(1200));
    let shares: f64 = summary["answers"]
        .as_object()
        .unwrap()
        .values()
        .map(|share| share.as_f64().unwrap())
        .sum();
    assert!((shares - 1.0).abs() < 1e-9);
    let dumped = run_well(["data", "toy", "--split", "dev", "--limit", "5", "--dump"]);
    for line in dumped.lines() {
        let example: Value = serde_json::from_str(line).unwrap();
        let tokens = example["tokens"].as_array().unwrap().len();
        assert_eq!(example["features"].as_array().unwrap().len(), tokens);
        for constant in example["constants"].as_array().unwrap() {
            assert!(constant["span"][1].as_u64().unwrap() as usize <= tokens);
        }
    }
    assert_eq!(dumped.lines().count(), 5);
    let first: Value = serde_json::from_str(dumped.lines().next().unwrap()).unwrap();
    let shown = run_well(["data", "toy", "--example", first["id"].as_str().unwrap()]);
    assert!(shown.contains("a program begins with  ("), "{shown}");
}

#[test]
fn score_judges_and_writes_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let dumped = run_well(["data", "toy", "--split", "dev", "--dump"]);
    let mut predictions = String::new();
    for (index, line) in dumped.lines().enumerate() {
        let example: Value = serde_json::from_str(line).unwrap();
        let items = example["answer"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item.as_str().unwrap());
        let items: Vec<&str> = if index % 2 == 0 {
            items.collect()
        } else {
            vec!["nonsense"]
        };
        predictions += &format!("{}\t{}\n", example["id"].as_str().unwrap(), items.join("\t"));
    }
    let path = file(folder.path(), "predictions.tsv", predictions);
    let verdicts = folder.path().join("verdicts.tsv").display().to_string();
    let summary = run_json([
        "score",
        "--data",
        "toy",
        "--split",
        "dev",
        &path,
        "--verdicts",
        &verdicts,
        "--json",
    ]);
    assert_eq!(summary["accuracy"], json!(0.5));
    let verdicts = std::fs::read_to_string(verdicts).unwrap();
    assert_eq!(
        verdicts.lines().filter(|line| line.ends_with("\ttrue")).count() * 2,
        verdicts.lines().count()
    );
}

#[test]
fn the_documentation_lists_the_functions_as_they_are() {
    let documented =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/language.md")).unwrap();
    let table = run_well(["language"]);
    assert!(
        documented.contains(table.trim_end()),
        "docs/language.md must hold what `mapo language` prints"
    );
}

#[test]
fn help_and_completions() {
    for command in ["run", "data", "score", "explore", "language", "completions"] {
        assert!(run_well([command, "--help"]).contains("Usage:"));
    }
    assert_eq!(run::<&str>([]).code, Some(2));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(run_well(["completions", shell]).contains("mapo"));
    }
}
