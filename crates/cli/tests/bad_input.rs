//! Bad input gets one clear sentence and exit code 2.

mod support;

use support::{file, refused, refused_with_more, run};

const PEOPLE: &str = "Name,Hometown,Points\nAnne,Tulsa,12\nBob,Omaha,37\n";

#[test]
fn tables() {
    let folder = tempfile::tempdir().unwrap();
    let wide_cell = format!("a,b\n1,{}\n", "x".repeat(10_000_000));
    let cases: &[(&str, &[u8], &[&str])] = &[
        ("empty.csv", b"", &["the file is empty", "header line"]),
        ("header.csv", b"a,b\n", &["no row", "add at least one row"]),
        ("ragged.csv", b"a,b\n1,2\n3\n", &["line 3", "1 cell", "header 2"]),
        (
            "damaged.csv",
            b"a,b\ncaf\xc3\xa9,2\ncaf\xe9,3\n",
            &["line 3", "cell 1", "not UTF-8", "--encoding windows-1252"],
        ),
        (
            "cut.xlsx",
            b"PK\x03\x04cut off",
            &["packed by zip", "cannot be unpacked"],
        ),
        (
            "paper.pdf",
            b"%PDF-1.7\n",
            &["a PDF document", "save the table as CSV"],
        ),
        (
            "wide.csv",
            wide_cell.as_bytes(),
            &["line 2", "cell 2", "10000000 bytes", "the limit"],
        ),
    ];
    for (name, content, says) in cases {
        let path = file(folder.path(), name, content);
        let mut says = says.to_vec();
        says.push(name);
        refused(["run", &path, "(count all_rows)"], &says);
    }
    refused(
        ["run", "nowhere.csv", "(count all_rows)"],
        &["nowhere.csv", "cannot be read"],
    );
    refused(
        ["run", "https://example.org/t.csv", "(count all_rows)"],
        &["an address", "nothing is fetched", "curl"],
    );
    let inside = folder.path().display().to_string();
    refused(
        ["run", &inside, "(count all_rows)"],
        &["a folder", "'ragged.csv'"],
    );
}

#[test]
fn what_a_file_leaves_open_is_decided_and_can_be_overruled() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "twice.csv", "a,,a\n1,2,3\n");
    let answers = |args: &[&str], answer: &str| {
        let ran = run(args);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(
            ran.stdout.ends_with(&format!("answer: {answer}\n")),
            "{}",
            ran.stdout
        );
    };
    answers(&["run", &path, "(hop all_rows r.a_2-str)"], "3");
    answers(&["run", &path, "(hop all_rows r.column_2-str)"], "2");
    answers(&["run", &path, "--header", "none", "(count all_rows)"], "2");
    let path = file(folder.path(), "german.csv", "a;b\n1.250;x\n3.625;y\n");
    answers(&["run", &path, "(max all_rows r.a-num)"], "3.625");
    answers(
        &["run", &path, "--decimal", ",", "(max all_rows r.a-num)"],
        "3625",
    );
    answers(
        &[
            "run",
            &path,
            "--separator",
            "^",
            "--header",
            "none",
            "(count all_rows)",
        ],
        "3",
    );
    refused(
        ["run", &path, "(count all_rows)", "--header", "9"],
        &["line 9", "--header"],
    );
}

#[test]
fn programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "people.csv", PEOPLE);
    for (program, says) in [
        (
            "(hop all_rows r.nme-str)",
            &["column 15", "there is no column 'r.nme-str'", "r.name-str"][..],
        ),
        (
            "(hop all_rows r.name-num)",
            &["column 15", "too few cells", "r.name-str"],
        ),
        ("(sum all_rows r.name-str)", &["column 15", "a number column"]),
        ("(coutn all_rows)", &["column 2", "did you mean 'count'"]),
        ("(count all_rows", &["column 16", "')' is missing"]),
        ("", &["needs at least one expression"]),
    ] {
        let more = refused_with_more(["run", &path, program], says);
        assert!(!more.concat().contains("panicked"), "{more:?}");
    }
}

#[test]
fn datasets() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = |kind: &str| format!("{kind}:{}", folder.path().display());
    refused(
        ["data", &nowhere("wtq")],
        &["training.tsv", "a WikiTableQuestions folder holds"],
    );
    refused(["data", &nowhere("wikisql")], &["train.jsonl"]);
    refused(
        ["data", "jsonl:nowhere.jsonl"],
        &["nowhere.jsonl", "each line is"],
    );
    refused(
        ["data", "toy", "--split", "tset"],
        &["no split 'tset'", "train, dev, test"],
    );
    refused(
        ["data", "toy", "--reader", "corenlp"],
        &["no CoreNLP annotation", "--reader mapo"],
    );
    refused(["data", "toy", "--example", "nobody"], &["no example 'nobody'"]);
    let broken = file(
        folder.path(),
        "broken.jsonl",
        "{\"table\": \"t.csv\", \"question\": \"q\"}\n",
    );
    refused(
        ["data", &format!("jsonl:{broken}")],
        &["broken.jsonl, line 1", "missing field `answer`"],
    );
    let no_table = file(
        folder.path(),
        "q.jsonl",
        "{\"table\": \"t.csv\", \"question\": \"q\", \"answer\": [1]}\n",
    );
    refused(
        ["data", &format!("jsonl:{no_table}")],
        &["q.jsonl, line 1", "t.csv", "cannot be read"],
    );
    let batch = file(folder.path(), "b.jsonl", "{\"id\": 1}\n");
    refused(
        ["run", "--data", "toy", "--batch", &batch],
        &["b.jsonl, line 1", "each line is"],
    );
    refused(["score", "--data", "toy", "nowhere.tsv"], &["nowhere.tsv"]);
}

#[test]
fn a_file_of_the_benchmark_that_is_missing_is_named() {
    let Some(data) = support::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("WikiTableQuestions");
    std::fs::create_dir_all(copy.join("data")).unwrap();
    std::fs::create_dir_all(copy.join("tagged/data")).unwrap();
    for name in [
        "data/pristine-seen-tables.tsv",
        "tagged/data/pristine-seen-tables.tagged",
    ] {
        std::fs::copy(data.join("WikiTableQuestions").join(name), copy.join(name)).unwrap();
    }
    let name = format!("wtq:{}", copy.display());
    refused(
        ["data", &name, "--split", "pristine-seen-tables"],
        &[".tagged", "a WikiTableQuestions folder holds"],
    );
    let own = [
        "data",
        &name,
        "--split",
        "pristine-seen-tables",
        "--reader",
        "mapo",
    ];
    refused(own, &[".csv", "cannot be read"]);
    refused(
        ["data", &name, "--split", "nonsense"],
        &["no split 'nonsense'", "pristine-seen-tables"],
    );
}

#[test]
fn words_of_the_command_line() {
    for arguments in [
        &["frobnicate"][..],
        &["data", "nonsense"],
        &["run"],
        &["data", "toy", "--limit", "many"],
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}
