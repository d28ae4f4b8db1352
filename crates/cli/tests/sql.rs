//! Programs and tables as SQL, run in real engines.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod support;

use mapo_datasets::toy;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Batch, Connection};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use support::{data_dir, file, json as run_json, refused, run, run_well};

const PEOPLE: &str = "Name,Hometown,Points,Held\n\
    Anne,Tulsa,\"1,200\",\"July 8, 2004\"\n\
    Bob,\"O'Maha\"\"; DROP TABLE people; --\",37,May 2005\n\
    \"Zoë\nPrice\",Tulsa,2.5,2003\n\
    ANNE (2),Tulsa,,\n";

/// Runs a script statement by statement and gives what the last one gives.
fn run_script(script: &str) -> Vec<SqlValue> {
    let connection = Connection::open_in_memory().unwrap();
    let mut batch = Batch::new(&connection, script);
    let mut last = Vec::new();
    while let Some(mut statement) = batch.next().unwrap() {
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        last = rows.collect::<Result<_, _>>().unwrap();
    }
    last
}

#[test]
fn the_script_makes_the_table_and_gives_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "people.csv", PEOPLE);
    let text = |text: &str| SqlValue::Text(text.to_owned());
    let cases = [
        (
            "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)",
            vec![text("Anne"), text("Zoë Price")],
        ),
        (
            "(filter_in all_rows ['drop table'] r.hometown-str) (count v0)",
            vec![SqlValue::Integer(1)],
        ),
        ("(sum all_rows r.points-num)", vec![SqlValue::Real(1239.5)]),
        (
            "(argmax all_rows r.held-date) (hop v0 r.name-str)",
            vec![text("Bob")],
        ),
        ("(min all_rows r.held-date)", vec![text("2003-xx-xx")]),
        (
            "(filter!= all_rows [2004-xx-xx] r.held-date)",
            vec![SqlValue::Integer(1), SqlValue::Integer(2), SqlValue::Integer(3)],
        ),
    ];
    for (program, answer) in cases {
        let script = run_well(["sql", &path, "--program", program]);
        assert_eq!(run_script(&script), answer, "{script}");
        let query = run_well(["sql", &path, "--program", program, "--query"]);
        assert!(script.ends_with(&query) && script.len() > query.len());
    }
    let table = run_well(["sql", &path]);
    assert_eq!(
        run_script(&format!("{table}SELECT count(*) FROM people;")),
        [SqlValue::Integer(4)]
    );
}

#[test]
fn a_wrong_program_or_table_writes_no_sql() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "people.csv", PEOPLE);
    for (arguments, sentence) in [
        (
            &["sql", &path, "--program", "(hop all_rows r.nothing-str)"][..],
            "no column 'r.nothing-str'",
        ),
        (&["sql", &path, "--program", "(hop all_rows"], "not closed"),
        (
            &["sql", &path, "--program", "(count all_rows) (hop v0 r.name-str)"],
            "takes rows",
        ),
        (&["sql", "/nowhere/x.csv"], "cannot be read"),
        (&["sql", &path, "--query"], "--program"),
        (&["sql", "--check"], "--data"),
        (&["sql"], "required"),
        (
            &["sql", "--check", "--data", "toy", "--split", "nonsense"],
            "nonsense",
        ),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stdout.is_empty(), "{arguments:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(sentence), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn sql_and_programs_agree_on_the_built_in_questions_with_every_function_of_theirs() {
    let report = run_json([
        "sql", "--check", "--data", "toy", "--split", "test", "--random", "50", "--json",
    ]);
    assert_eq!(report["different"], json!([]));
    let programs = report["programs"].as_u64().unwrap();
    assert!(programs > 10_000, "{programs}");
    let agreed = report["same"].as_u64().unwrap() + report["rounded"].as_u64().unwrap();
    assert_eq!(agreed, programs);
    let functions = report["functions"].as_object().unwrap();
    let asked = toy::language().functions.iter().count();
    assert_eq!(functions.len(), asked);
    assert!(
        functions.values().all(|count| count.as_u64().unwrap() >= 10),
        "{functions:?}"
    );
}

#[test]
fn sql_and_programs_agree_on_beams_of_real_questions() {
    let Some(data) = data_dir() else { return };
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/box.safetensors");
    let data = format!("wtq:{}", data.join("WikiTableQuestions").display());
    let model = model.display().to_string();
    let report = run_json([
        "sql",
        "--check",
        "--model",
        &model,
        "--data",
        &data,
        "--split",
        "random-split-1-dev",
        "--limit",
        "100",
        "--json",
    ]);
    assert_eq!(report["different"], json!([]));
    assert_eq!(report["questions"], json!(100));
    assert!(report["programs"].as_u64().unwrap() > 400, "{report}");
}

#[test]
fn sql_and_programs_agree_on_wikisql() {
    let Some(data) = data_dir() else { return };
    let data = format!("wikisql:{}", data.join("wikisql").display());
    let report = run_json([
        "sql", "--check", "--data", &data, "--split", "dev", "--limit", "300", "--json",
    ]);
    assert_eq!(report["different"], json!([]));
    assert!(report["programs"].as_u64().unwrap() > 3000, "{report}");
}

#[test]
fn duckdb_agrees_too() {
    let folder = tempfile::tempdir().unwrap();
    let details = folder.path().join("toy.jsonl").display().to_string();
    run_well([
        "sql",
        "--check",
        "--data",
        "toy",
        "--split",
        "dev",
        "--limit",
        "40",
        "--random",
        "10",
        "--details",
        &details,
    ]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/sql_duckdb.py");
    let ran = Command::new("python3").arg(&script).arg(&details).output();
    let Ok(ran) = ran else {
        eprintln!("SKIPPED: there is no python3 to run DuckDB with");
        return;
    };
    if ran.status.code() == Some(3) {
        eprintln!("SKIPPED: duckdb is not installed; pip install duckdb");
        return;
    }
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(said.contains("different  0"), "{said}");
}

#[test]
fn a_query_for_the_file_itself_is_run_and_compared_where_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let table = file(
        folder.path(),
        "orders.csv",
        "Order,Town,Placed,Loaves\nO-1,Oslo,2024-03-01,4\nO-2,Rome,2024-03-02,\nO-3,Oslo,2024-02-09,11\n",
    );
    let program = "(filter_is all_rows ['oslo'] r.town-str) (sum v0 r.loaves-num)";
    let ran = run(["sql", &table, "--program", program, "--duckdb"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("FROM read_csv('"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("TRY_CAST(\"Loaves\" AS BIGINT)"),
        "{}",
        ran.stdout
    );
    let has_duckdb = Command::new("duckdb").arg("--version").output().is_ok();
    match has_duckdb {
        true => assert!(
            ran.stderr
                .contains("run with DuckDB on the file: the same answer"),
            "{}",
            ran.stderr
        ),
        false => {
            eprintln!(
                "SKIPPED: there is no duckdb command, so the query was not run; pip install duckdb-cli"
            );
            assert!(
                ran.stderr.contains("not run here: there is no duckdb command"),
                "{}",
                ran.stderr
            );
        }
    }
    // What DuckDB would read in another way gets a sentence, not a query.
    let table = file(folder.path(), "prices.csv", "Item,Price\nSaw,$12\nAxe,$7\n");
    let refusals = [
        "sql",
        &table,
        "--program",
        "(sum all_rows r.price-num)",
        "--duckdb",
    ];
    refused(refusals, &["Price: a cell is not just a number"]);
    let table = file(folder.path(), "odd.csv", "Item,Price\nSaw \"large\",12\nAxe,7\n");
    let refusals = [
        "sql",
        &table,
        "--program",
        "(sum all_rows r.price-num)",
        "--duckdb",
    ];
    refused(refusals, &["not every reader reads this file"]);
}
