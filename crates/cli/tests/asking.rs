//! `mapo ask`, as people and programs use it.

mod support;

use serde_json::Value;
use std::io::Write;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::process::Stdio;
use support::{Ran, file, json, mapo, refused, run, run_well};

const PEOPLE: &str = "Name,Hometown,Points\nAnne,Tulsa,12\nBob,Omaha,37\nCarol,Reno,5\nDave,Omaha,21\n";

/// Runs it with something on its standard input.
fn piped(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = mapo()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mapo starts");
    let mut stdin = child.stdin.take().expect("it has an input");
    let input = input.to_vec();
    // It may end before it has read everything.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("writing does not panic");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn people(folder: &tempfile::TempDir) -> String {
    file(folder.path(), "people.csv", PEOPLE)
}

#[test]
fn the_answer_comes_first_and_the_reasons_follow() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let shown = run_well(["ask", &table, "what about Carol?"]);
    let first = shown.lines().next().unwrap();
    assert!(first.ends_with("Reno"), "{shown}");
    for part in [
        "  sure  ",
        "  because  ",
        "  program  (",
        "  SQL  ",
        "[Reno]",
        "  or  ",
    ] {
        assert!(shown.contains(part), "no '{part}' in {shown}");
    }
    // Not a terminal: no colours.
    assert!(!shown.contains('\x1b'), "{shown}");
    let none = run_well(["ask", &table, "what about Carol?", "--alternatives", "0"]);
    assert!(!none.contains("  or  "), "{none}");
    let coloured = run_well([
        "ask",
        &table,
        "what is the hometown of Carol?",
        "--color",
        "always",
    ]);
    assert!(
        coloured.contains("\x1b[") && !coloured.contains("[Reno]"),
        "{coloured}"
    );
}

#[test]
fn programs_get_one_object_for_each_question() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let one = json(["ask", &table, "how many people are from Omaha?", "--json"]);
    assert_eq!(one["answer"], serde_json::json!(["2"]), "{one}");
    for name in [
        "program",
        "english",
        "sql",
        "table",
        "cells",
        "probability",
        "alternatives",
    ] {
        assert!(one.get(name).is_some(), "no {name} in {one}");
    }
    let questions =
        "how many people are from Omaha?\n\n  who has the most points?  \r\nwhat is the hometown of Carol?";
    let ran = piped(&["ask", &table, "--json"], questions.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let objects: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answers: Vec<&Value> = objects.iter().map(|object| &object["answer"][0]).collect();
    assert_eq!(answers, ["2", "Bob", "Reno"]);
    let few = json([
        "ask",
        &table,
        "who has the most points?",
        "--json",
        "--alternatives",
        "1",
    ]);
    assert!(few["alternatives"].as_array().unwrap().len() <= 1);
}

#[test]
fn questions_and_tables_come_from_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let ran = piped(
        &["ask", &table],
        b"who has the most points?\nwho is from Tulsa?\n",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("? who has the most points?\n") && ran.stdout.contains("Bob"));
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    let ran = piped(&["ask", "-", "who has the most points?"], PEOPLE.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.lines().next().unwrap().ends_with("Bob"),
        "{}",
        ran.stdout
    );
    let ran = piped(&["ask", "-"], PEOPLE.as_bytes());
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("the question must be given"),
        "{}",
        ran.stderr
    );
    let ran = piped(&["ask", &table], b"");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
}

#[test]
fn a_question_that_cannot_be_answered_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let mut input = b"caf\xe9?\n".to_vec();
    input.extend("why ".repeat(100_000).as_bytes());
    input.extend(b"\n");
    input.extend(vec![b'x'; 3 << 20]);
    input.extend(b"\nwho has the most points?\n");
    let ran = piped(&["ask", &table, "--json"], &input);
    assert_eq!(ran.code, Some(2));
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4, "{}", ran.stdout);
    for (line, says) in lines.iter().zip(["not UTF-8", "100000 words", "longer than any"]) {
        assert!(line["error"].as_str().unwrap().contains(says), "{line}");
    }
    assert_eq!(lines[3]["answer"][0], "Bob");
    assert!(ran.stderr.contains("3 of 4 questions"), "{}", ran.stderr);
    let plain = piped(&["ask", &table], &input);
    assert!(plain.stderr.contains("mapo: line 1: ") && plain.stderr.contains("mapo: line 3: "));
    assert!(plain.stdout.contains("Bob"), "{}", plain.stdout);
}

#[test]
fn what_cannot_be_answered_is_said_with_what_can() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    for question in ["asdf qwer", "what is the meaning of life?"] {
        let ran = run(["ask", &table, question]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{}", ran.stdout);
        assert!(ran.stdout.starts_with("I cannot answer that: "), "{}", ran.stdout);
        assert!(
            ran.stdout.contains("You can ask") && ran.stdout.contains("points"),
            "{}",
            ran.stdout
        );
    }
    let ran = run(["ask", &table, "asdf qwer", "--json"]);
    assert_eq!(ran.code, Some(1));
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(reply["answer"], serde_json::json!([]));
    let suggestions = reply["suggestions"].as_array().unwrap();
    assert!((2..=3).contains(&suggestions.len()), "{reply}");
    // What is suggested can be answered.
    for question in suggestions {
        let ran = run(["ask", &table, question.as_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{question}");
    }
    // Among several questions it is an answer like any other.
    let ran = piped(&["ask", &table], b"asdf qwer\nwho has the most points?\n");
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stdout.contains("I cannot answer that") && ran.stdout.contains("Bob"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_name_that_the_table_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let ran = run(["ask", &table, "how many people are from Atlantis?"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(
        ran.stdout.starts_with("There is no 'Atlantis' in this table.\n"),
        "{}",
        ran.stdout
    );
    // With something else to go by there is a guess.
    let reply = json(["ask", &table, "how many points has Bob from Atlantis?", "--json"]);
    assert_eq!(reply["unknown"], serde_json::json!(["Atlantis"]), "{reply}");
    assert_eq!(reply["sure"], false, "{reply}");
    assert!(!reply["program"].as_str().unwrap().is_empty(), "{reply}");
    let reply = json(["ask", &table, "how many points has Bob?", "--json"]);
    assert_eq!(reply["unknown"], serde_json::json!([]), "{reply}");
}

#[test]
fn numbers_and_dates_are_written_as_people_do() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "Name,Year,Points\nAnne,1994,1\nBob,1996,2\nCarol,1998,2\n";
    let table = file(folder.path(), "three.csv", rows);
    let question = "what is the average number of points?";
    let reply = json(["ask", &table, question, "--json"]);
    assert_eq!(reply["answer"][0], "1.6666666666666667", "{reply}");
    assert_eq!(reply["shown"][0], "1.66667", "{reply}");
    let shown = run_well(["ask", &table, question]);
    assert!(shown.lines().next().unwrap().ends_with("1.66667"), "{shown}");
    // As a person at the page sees it, who runs a program by hand.
    let program = "(argmax all_rows r.points-num) (hop v0 r.year-date)";
    let ran = json(["run", &table, program, "--json"]);
    assert!(ran.to_string().contains("1996-xx-xx"), "{ran}");
}

#[test]
fn a_row_of_totals_is_left_out_unless_it_shall_stay() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "Region,Sales\nNorth,10\nSouth,20\nWest,5\n";
    let plain = file(folder.path(), "plain.csv", rows);
    let table = file(folder.path(), "sales.csv", format!("{rows}Total,35\n"));
    let question = "which region has the most sales?";
    let answer = |arguments: &[&str]| json(arguments.iter().chain(&["--json"]).copied());
    let expected = answer(&["ask", &plain, question]);
    let reply = answer(&["ask", &table, question]);
    assert_eq!(reply["answer"], expected["answer"]);
    assert_eq!(reply["cells"], expected["cells"]);
    let note = reply["left_out"].as_str().unwrap();
    assert!(note.contains("row 4") && note.contains("'Total'"), "{note}");
    assert!(expected["left_out"].is_null());
    let shown = run_well(["ask", &table, question]);
    assert!(shown.contains(note) && shown.contains("--keep-totals"), "{shown}");
    let kept = answer(&["ask", &table, question, "--keep-totals"]);
    assert_eq!(
        (&kept["answer"][0], &kept["left_out"]),
        (&Value::from("Total"), &Value::Null)
    );
    let sum = "(sum all_rows r.sales-num)";
    assert!(run_well(["run", &table, sum]).contains("35"));
    assert!(run_well(["run", &table, sum, "--keep-totals"]).contains("70"));
}

#[test]
fn bad_input_gets_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    refused(["ask", "nowhere.csv", "who?"], &["nowhere.csv", "cannot be read"]);
    refused(["ask", &table, ""], &["the question is empty"]);
    refused(["ask", &table, "  "], &["the question is empty"]);
    // The question is judged before the table is read.
    let long = "why ".repeat(30_000);
    refused(["ask", "nowhere.csv", &long], &["30000 words", "300"]);
    refused(
        ["ask", &table, "who?", "--model", "nowhere.safetensors"],
        &["nowhere.safetensors"],
    );
    refused(
        ["ask", &table, "who?", "--model", &table],
        &["people.csv", "not a safetensors file"],
    );
    let empty = file(folder.path(), "empty.csv", "");
    refused(["ask", &empty, "who?"], &["empty.csv", "empty"]);
    let bare = file(folder.path(), "bare.csv", "Name,Points\n");
    refused(["ask", &bare, "who?"], &["bare.csv", "row"]);
    let nothing = tempfile::tempdir().unwrap();
    let directory = nothing.path().display().to_string();
    refused(
        ["ask", &directory, "who?"],
        &[&directory, "there are no tables in this folder"],
    );
}

/// Cells, headers and questions that a terminal would obey, and whatever else is meant to hurt.
#[test]
fn hostile_tables_and_questions_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let wide: String = (0..300).map(|n| format!("c{n},")).collect::<String>() + "last";
    let wide_row: String = (0..300).map(|n| format!("{n},")).collect::<String>() + "end";
    let texts: Vec<String> = [
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07",
        "\x1b]52;c;aGFjaw==\x07",
        "\u{9b}2J",
        "\u{202e}txt.exe",
        "a\u{8}\u{8}\u{8}b",
        "'; DROP TABLE t; --",
        "$(touch /tmp/owned)",
        "=cmd|' /C calc'!A0",
        "<script>alert(1)</script>",
        "{{7*7}} %s %n ${jndi:ldap://x}",
        "../../../../etc/passwd",
        "r.name-str v0 all_rows <END> )",
        "['tulsa'] (hop all_rows r.name-str)",
        "\u{feff}\u{200b}\u{2060}",
        "e\u{301}\u{301}\u{301}\u{301}",
        "١٢٣ ² ½ ⅷ",
        "99999999999999999999999999999999999999",
        "1e308 -1e308 1e-308 NaN inf",
        "0000-00-00 9999-99-99 2004-02-31",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut asked = 0;
    let harmless = |ran: &Ran, what: &str| {
        assert!(
            matches!(ran.code, Some(0..=2)),
            "{what}: {:?} {}",
            ran.code,
            ran.stderr
        );
        assert!(!ran.stderr.contains("panicked"), "{what}: {}", ran.stderr);
        for text in [&ran.stdout, &ran.stderr] {
            let raw = text
                .chars()
                .find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
            assert_eq!(raw, None, "{what}: {text:?}");
        }
    };
    for (number, text) in texts.iter().enumerate() {
        let quoted = text.replace('"', "\"\"");
        // As cell and as header, alone and among others, with a question that mentions it and in every way of
        // showing.
        for (place, content) in [
            format!("Name,Note\nAnne,\"{quoted}\"\nBob,plain\n"),
            format!("\"{quoted}\",Points\nAnne,1\nBob,2\n"),
        ]
        .into_iter()
        .enumerate()
        {
            let table = file(folder.path(), &format!("h{number}-{place}.csv"), content);
            let questions = format!("what is the note of Anne?\nwho has {text}?\n{text}\n");
            for flags in [&["--json"][..], &[][..]] {
                let arguments: Vec<&str> = ["ask", table.as_str()]
                    .into_iter()
                    .chain(flags.iter().copied())
                    .collect();
                harmless(&piped(&arguments, questions.as_bytes()), text);
                asked += 3;
            }
        }
    }
    let tables: Vec<(&str, Vec<u8>)> = vec![
        ("wide.csv", format!("{wide}\n{wide_row}\n").into_bytes()),
        ("nul.csv", b"a,b\n\0,\0\n1,2\n".to_vec()),
        ("binary.csv", (0..=255u8).cycle().take(4096).collect()),
        ("elf.csv", b"\x7fELF\x02\x01\x01\0\0\0\0".to_vec()),
        ("png.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        ("one.csv", b"x".to_vec()),
        ("blank.csv", b"\n\n\n\n".to_vec()),
        ("commas.csv", b",,,,\n,,,,\n,,,,\n".to_vec()),
        ("quote.csv", b"a,b\n\"1,2\n3,4\n".to_vec()),
        ("same.csv", b"a,a,a\n1,1,1\n1,1,1\n".to_vec()),
        ("utf16.csv", b"\xff\xfea\0,\0b\0\n\x001\0,\x002\0\n\0".to_vec()),
        (
            "long.csv",
            format!("a\n{}\n", "word ".repeat(50_000)).into_bytes(),
        ),
        ("empties.csv", format!("a,b\n{}", ",\n".repeat(500)).into_bytes()),
    ];
    for (name, content) in tables {
        let table = file(folder.path(), name, content);
        harmless(&run(["ask", &table, "how many rows are there?"]), name);
        harmless(&run(["ask", &table, "what is the largest a?", "--json"]), name);
        asked += 2;
    }
    assert!(asked >= 200, "{asked}");
}

#[test]
fn own_questions_are_learnt_from_the_model_in_the_box_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run").display().to_string();
    let data = concat!(
        "jsonl:",
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/own-data/questions.jsonl"
    );
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-data/staff.csv");
    let train = [
        "train", "--data", data, "--init", "box", "--run", &run, "--limit", "8", "--steps", "2",
    ];
    let quick = [
        "--set",
        "explore_first.programs=100",
        "--set",
        "evaluate=2",
        "--set",
        "batch=4",
    ];
    let trained = json(train.into_iter().chain(quick).chain(["--json"]));
    assert!(trained["dev_accuracy"].as_f64().unwrap() > 0.2, "{trained}");
    let model = format!("{run}/best.safetensors");
    let card = json(["model", &model, "--json"]);
    assert_eq!(
        (&card["card"]["split"], &card["card"]["dev_split"]),
        (&"train".into(), &"dev".into())
    );
    let reply = json([
        "ask",
        table,
        "who is the bookkeeper?",
        "--model",
        &model,
        "--json",
    ]);
    assert_eq!(reply["answer"][0], "Hanna", "{reply}");
    assert_eq!(reply["calibrated"], false);
}

/// The answers of the example are those of programs that were written by hand.
#[test]
fn the_example_of_own_data_is_right() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-data");
    let data = format!("jsonl:{folder}/questions.jsonl");
    let batch = format!("{folder}/programs.jsonl");
    let ran = run_well(["run", "--data", &data, "--batch", &batch]);
    let lines: Vec<Value> = ran
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 100);
    for line in lines {
        assert_eq!(line["reward"], 1, "{line}");
    }
}

#[test]
fn a_calibration_is_fitted_kept_checked_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (dir, packed, chart) = (path("run"), path("packed.safetensors"), path("curve.svg"));
    let train = [
        "train",
        "--data",
        "toy",
        "--limit",
        "200",
        "--run",
        &dir,
        "--steps",
        "60",
        "--threads",
        "1",
    ];
    let quick = "network.hidden=24 network.attention=24 explore_first.programs=300 evaluate=60";
    let quick = quick.split(' ').flat_map(|setting| ["--set", setting]);
    run_well(train.into_iter().chain(quick));
    let model = format!("{dir}/best.safetensors");
    run_well(["pack", "--model", &model, "--out", &packed]);
    assert!(run_well(["model", &packed]).contains(" % on dev, before packing"));
    assert!(!run_well(["model", &model]).contains("before packing"));
    // What the model knows, or is measured by, is refused.
    for (split, says) in [
        ("train", "was trained on"),
        ("dev", "is for measuring"),
        ("test", "is for measuring"),
    ] {
        let arguments = [
            "calibrate",
            "--model",
            &model,
            "--data",
            "toy",
            "--split",
            split,
            "--into",
            &packed,
        ];
        refused(arguments, &[split, says]);
    }
    let own = concat!(
        "jsonl:",
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/own-data/questions.jsonl"
    );
    let before = std::fs::read(&packed).unwrap();
    let fitted = json([
        "calibrate",
        "--model",
        "box",
        "--data",
        own,
        "--into",
        &packed,
        "--json",
    ]);
    assert_eq!(fitted["answers"], 100, "{fitted}");
    assert!(fitted["calibration"]["slope"].as_f64().unwrap() > 0.0);
    let errors = |which: &str| fitted[which]["expected_error"].as_f64().unwrap();
    assert!(errors("after") <= errors("before") + 0.05, "{fitted}");
    // All but the header is as it was.
    let after = std::fs::read(&packed).unwrap();
    let tensors = |bytes: &[u8]| {
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        bytes[8 + length..].to_vec()
    };
    assert!(before != after && tensors(&before) == tensors(&after));
    let card = json(["model", &packed, "--json"]);
    assert_eq!(card["card"]["calibration"], fitted["calibration"]);
    assert_eq!(card["card"]["calibration"]["fitted_to"], "jsonl all");
    assert!(run_well(["model", &packed]).contains("calibrated on 100 answers to jsonl all, sure from"));
    // Packing keeps it, asking and evaluating use it.
    let again = path("again.safetensors");
    run_well(["pack", "--model", &packed, "--out", &again]);
    assert_eq!(
        json(["model", &again, "--json"])["card"]["calibration"],
        fitted["calibration"]
    );
    let table = people(&folder);
    assert_eq!(
        json(["ask", &table, "who is first?", "--model", &again, "--json"])["calibrated"],
        true
    );
    let details = path("details.jsonl");
    run_well([
        "eval",
        "--model",
        &again,
        "--data",
        "toy",
        "--split",
        "dev",
        "--limit",
        "5",
        "--details",
        &details,
    ]);
    let line = std::fs::read_to_string(&details).unwrap();
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert!(
        line["calibrated"].is_number() && line["probability"].is_number(),
        "{line}"
    );
    let check = [
        "calibrate",
        "--check",
        "--model",
        &again,
        "--data",
        "toy",
        "--split",
        "dev",
        "--chart",
        &chart,
    ];
    let shown = run_well(check);
    assert!(
        shown.contains("With the calibration:") && shown.contains("sure of"),
        "{shown}"
    );
    let svg = std::fs::read_to_string(&chart).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("calibrated"), "{svg}");
    refused(
        [
            "calibrate",
            "--check",
            "--model",
            &model,
            "--data",
            "toy",
            "--split",
            "dev",
        ],
        &["has no calibration to check"],
    );
}

#[test]
#[cfg(target_os = "linux")] // elsewhere the command that makes a terminal takes other arguments
fn commands_work_where_they_are_typed() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let ask = format!("{} ask '{table}' --color never", env!("CARGO_BIN_EXE_mapo"));
    // A terminal of its own, without a size (`script` of util-linux); all lines come at once, as when somebody pastes them.
    let terminal = Command::new("script")
        .args(["-qefc", &ask, "/dev/null"])
        .env("XDG_STATE_HOME", folder.path())
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut terminal) = terminal else {
        eprintln!("SKIPPED: the command script is missing, so that nothing was typed at a terminal");
        return;
    };
    let typed = b"help\n.columns\nwhat is the hometown of Carol?\nexit\nwho is from Omaha?\n";
    terminal.stdin.as_mut().unwrap().write_all(typed).unwrap();
    let said = terminal.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{shown}");
    for part in [
        "Ask anything about the table",
        "Points  r.points-str, r.points-num",
        "Reno",
        "for the table that mapo sql makes, not for the file",
    ] {
        assert!(shown.contains(part), "no '{part}' in {shown}");
    }
    assert!(!shown.contains("? who is from Omaha?"), "it has left: {shown}");
}

#[test]
fn commands_work_from_a_pipe_too() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(&folder);
    let said = piped(
        &["ask", &table],
        b"help\n.columns\nwhat is the hometown of Carol?\nexit\nwho is from Omaha?\n",
    );
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    for part in [
        "Ask anything about the table",
        "Points  r.points-str, r.points-num",
        "Reno",
    ] {
        assert!(said.stdout.contains(part), "no '{part}' in {}", said.stdout);
    }
    assert!(
        !said.stdout.contains("? who is from Omaha?"),
        "it has left: {}",
        said.stdout
    );
    // A command that there is not is told with its line, and the others go on.
    let said = piped(&["ask", &table], b".colums\nwhat is the hometown of Carol?\n");
    assert_eq!(said.code, Some(2), "{}", said.stdout);
    assert!(
        said.stderr.contains("line 1: there is no .colums"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("Reno"), "{}", said.stdout);
    // For programs each is an object in a line.
    let said = piped(&["ask", &table, "--json"], b".columns\nquit\n");
    let object: Value = serde_json::from_str(said.stdout.trim()).unwrap();
    assert_eq!(object["command"], ".columns");
    assert!(
        object["text"].as_str().unwrap().contains("r.hometown-str"),
        "{object}"
    );
}

#[test]
fn the_sql_says_which_table_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    let shown = run_well(["ask", &people(&folder), "what is the hometown of Carol?"]);
    assert!(shown.contains("-- for the table that mapo sql makes"), "{shown}");
}
