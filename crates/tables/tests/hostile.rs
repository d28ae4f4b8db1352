//! Files that were made, or found by fuzzers, to do harm: each is refused in a sentence, at no cost.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_tables::{Largest, LoadOptions, Table, TableError};

fn read(name: &str, content: &[u8], largest: Largest) -> Result<Table, TableError> {
    let options = LoadOptions {
        largest,
        ..LoadOptions::default()
    };
    Table::from_reader(name, content, &options)
}

#[track_caller]
fn refused(name: &str, content: &[u8], why: &str) {
    let problem = read(name, content, Largest::ANY).unwrap_err().to_string();
    assert!(problem.contains(why), "{problem}");
}

/// Each of these took seconds: lists of two thousand million elements in a few bytes.
#[test]
fn claims_of_a_parquet_file_cost_nothing() {
    let footer = include_bytes!("hostile/footer-21-bytes.parquet");
    refused("t.parquet", footer, "its description of itself is damaged");
    // The same list very often, which would have taken days.
    let list = &footer[6..13];
    let mut many = b"PAR1\x09\xc8\x01".to_vec();
    many.extend(std::iter::repeat_n(list, 100_000).flatten());
    let length = (many.len() - 4) as u32;
    many.extend(length.to_le_bytes());
    many.extend(b"PAR1");
    refused("t.parquet", &many, "its description of itself is damaged");
    let header = include_bytes!("hostile/header-169-bytes.parquet");
    refused("t.parquet", header, "the header of a page is damaged");
}

/// It claims two rows and holds 200 million.
#[test]
fn a_parquet_file_has_as_many_rows_as_it_says() {
    let lie = include_bytes!("hostile/rows-lie-20kB.parquet");
    let problem = read("t.parquet", lie, Largest::ANY).unwrap_err().to_string();
    assert!(problem.contains("rows"), "{problem}");
}

#[test]
fn objects_with_ever_new_keys_are_refused_before_they_are_padded() {
    let keys = |count: usize| -> String { (0..count).map(|n| format!("{{\"k{n}\":1}}\n")).collect() };
    refused("t.jsonl", keys(20_000).as_bytes(), "so many different keys");
    let one: String = (0..10_001).map(|n| format!("\"k{n}\":1,")).collect();
    let one = format!("{{{}}}", one.trim_end_matches(','));
    refused("t.jsonl", one.as_bytes(), "more than 10000 different keys");
    // A byte order mark changes nothing, and neither does an array.
    refused(
        "t.jsonl",
        format!("\u{feff}{}", keys(20_000)).as_bytes(),
        "so many different keys",
    );
    let array = keys(20_000).trim_end().replace('\n', ",");
    refused(
        "t.json",
        format!("[{array}]").as_bytes(),
        "so many different keys",
    );
    // A table of a thousand sparse rows is nothing strange.
    let table = read("t.jsonl", keys(1_000).as_bytes(), Largest::ANY).unwrap();
    assert_eq!((table.rows(), table.headers().len()), (1_000, 1_000));
}

#[test]
fn tables_beyond_a_limit_are_refused_in_every_format() {
    let csv = "A,B\nlong text,1\nother,2\n";
    let files = [
        ("t.csv", csv.to_owned()),
        ("t.tsv", csv.replace(',', "\t")),
        ("x.csv", csv.replace("long", "\"l \\\"o\\\" g\"")),
        (
            "t.jsonl",
            "{\"A\":\"long text\",\"B\":1}\n{\"A\":\"other\",\"B\":2}\n".to_owned(),
        ),
    ];
    for (name, content) in &files {
        let holds = |largest| read(name, content.as_bytes(), largest);
        assert!(holds(Largest::ANY).is_ok(), "{name}");
        for largest in [
            Largest {
                rows: 1,
                ..Largest::ANY
            },
            Largest {
                cells: 3,
                ..Largest::ANY
            },
            Largest {
                text: 10,
                ..Largest::ANY
            },
        ] {
            let problem = holds(largest).unwrap_err();
            assert!(
                matches!(problem, TableError::TooLarge { .. }),
                "{name}: {problem}"
            );
        }
    }
}

#[test]
fn a_quote_that_is_never_closed_is_refused_by_its_line() {
    let open = "a,b\n1,2\n3,\"4\n5,6\n7,8\n";
    refused(
        "t.csv",
        open.as_bytes(),
        "t.csv, line 3: the quote that opens here is never closed",
    );
    refused("t.csv", b"\"a,b\n1,2\n", "line 1: the quote");
    // Far from the beginning too, where pieces are read side by side.
    let many = format!(
        "a,b\n{}\"x,3\n{}",
        "1,2\n".repeat(200_000),
        "1,2\n".repeat(20_000)
    );
    refused("t.csv", many.as_bytes(), "line 200002: the quote");
    // Lines that end in carriage returns alone are counted like others.
    refused("t.csv", b"a,b\r1,2\r3,\"4\r5,6\r", "line 3: the quote");
}
