//! Correcting answers, and learning from it, as a person does at the command line.

mod support;

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use support::{json, mapo, refused, run_well};

/// A copy of a table of the guide.
fn repairs(folder: &Path) -> String {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-data/repairs.csv");
    let copy = folder.join("repairs.csv");
    std::fs::copy(own, &copy).expect("the table of the guide");
    copy.display().to_string()
}

/// What is printed for lines on the standard input.
fn told(table: &str, lines: &[&str]) -> (String, String, Option<i32>) {
    let mut child = mapo()
        .args(["ask", table])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mapo starts");
    let text = lines.join("\n");
    let mut input = child.stdin.take().expect("it has an input");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn kept(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("mapo-corrections.jsonl")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

const SADDLE: &str = "who brought a bicycle for a new saddle?";
const TRUING: &str = "who brought a bicycle for a wheel truing?";

#[test]
fn answers_are_corrected_at_the_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let table = repairs(folder.path());
    let lines = [
        "which customers are waiting?",
        ".right",
        SADDLE,
        ".other 1",
        "which bicycle has ticket R-103?",
        ".wrong Cargo Long; City 7",
        TRUING,
        ".cell 4 customer",
    ];
    let (shown, errors, code) = told(&table, &lines);
    assert_eq!(code, Some(0), "{shown}{errors}");
    assert!(
        shown.contains("mapo-corrections.jsonl: 4 corrections; mapo learn"),
        "{shown}"
    );
    let answers: Vec<Value> = kept(folder.path())
        .iter()
        .map(|line| line["answer"].clone())
        .collect();
    let expected = serde_json::json!([
        ["Noor de Vries", "Tomas Berg", "Greta Holm"],
        ["Priya Nair"],
        ["Cargo Long", "City 7"],
        ["Jonas Falk"]
    ]);
    assert_eq!(Value::from(answers), expected);
    // It is a dataset like any other.
    let about = run_well([
        "data",
        &format!("jsonl:{}", folder.path().join("mapo-corrections.jsonl").display()),
    ]);
    assert!(about.contains('4'), "{about}");
}

#[test]
fn what_cannot_be_kept_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let table = repairs(folder.path());
    for (line, said) in [
        (".right", "ask a question first"),
        (".wrong", "say what is right"),
        (".other 9", "1 to"),
        (".cell 99 customer", "1 to 14"),
        (".cell 3 colour", "there is no column 'colour'"),
    ] {
        let lines = if line == ".right" {
            vec![line]
        } else {
            vec![SADDLE, line]
        };
        let (_, errors, code) = told(&table, &lines);
        assert_eq!(code, Some(2), "{line}");
        assert!(errors.contains(said), "{line}: {errors}");
    }
    assert!(kept(folder.path()).is_empty());
    refused(["learn", &table], &["there are no corrections yet"]);
    refused(["correct", &table, SADDLE, " "], &["cannot be empty"]);
    refused(["learn", "nowhere.csv"], &["nowhere.csv"]);
    std::fs::write(folder.path().join("mapo-corrections.jsonl"), "{\"table\": \"rep").unwrap();
    refused(["learn", &table], &["mapo-corrections.jsonl, line 1: "]);
    refused(
        ["correct", &table, SADDLE, "Priya Nair"],
        &["mapo-corrections.jsonl, line 1: "],
    );
}

#[test]
fn a_corrected_answer_is_learnt_and_its_siblings_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let table = repairs(folder.path());
    let answer = |question: &str, more: &[&str]| {
        let arguments = ["ask", &table, question, "--json"]
            .into_iter()
            .chain(more.iter().copied());
        json(arguments)["answer"].clone()
    };
    assert_eq!(answer(TRUING, &[]), serde_json::json!(["Ruben"]));
    let told = json(["correct", &table, TRUING, "Jonas Falk", "--json"]);
    assert_eq!(
        (told["line"].as_u64(), told["corrections"].as_u64()),
        (Some(1), Some(1))
    );
    let report = json(["learn", &table, "--steps", "40", "--json"]);
    assert_eq!(report["better"], true, "{report}");
    assert_eq!(
        report["corrections"],
        serde_json::json!({ "questions": 1, "before": 0, "after": 1 })
    );
    assert!(report["siblings"].as_u64().unwrap() >= 2, "{report}");
    let model = PathBuf::from(report["model"].as_str().unwrap());
    assert!(model.is_file() && !folder.path().join("mapo-learnt.run").exists());
    assert_eq!(answer(TRUING, &[]), serde_json::json!(["Jonas Falk"]));
    assert_eq!(
        answer("who brought a bicycle for a gear cable?", &[]),
        serde_json::json!(["Elena Costa"])
    );
    assert_eq!(answer(TRUING, &["--model", "box"]), serde_json::json!(["Ruben"]));
    // What is known already is learnt by nobody: the old model stays as it is.
    let before = std::fs::read(&model).unwrap();
    let report = json(["learn", &table, "--steps", "10", "--json"]);
    assert_eq!(report["better"], false, "{report}");
    assert_eq!(std::fs::read(&model).unwrap(), before);
}
