//! Files of all kinds, made by real programs (`tools/doors.py fixtures`): one table, read the same from each.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_tables::{Decisions, Format, Header, Largest, LoadOptions, Table, TableError};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/files")
        .join(name)
}

fn open(name: &str, say: impl FnOnce(&mut LoadOptions)) -> Result<Table, String> {
    let mut options = LoadOptions::default();
    say(&mut options);
    Table::open(&fixture(name), &options).map_err(|error| error.to_string())
}

fn cells(table: &Table) -> Vec<Vec<&str>> {
    let row = |row| {
        (0..table.headers().len())
            .map(|column| table.cell(row, column))
            .collect()
    };
    (0..table.rows()).map(row).collect()
}

/// A cell without the zeros that only text keeps.
fn plain(cell: &str) -> String {
    cell.parse::<f64>()
        .map_or_else(|_| cell.to_owned(), |number| number.to_string())
}

#[test]
fn one_table_is_the_same_in_every_file() {
    let expected = open("repairs.csv", |_| {}).unwrap();
    assert_eq!((expected.rows(), expected.headers().len()), (12, 9));
    let files = [
        ("repairs.csv.zst", Format::Csv),
        ("repairs.zip", Format::Csv),
        ("repairs.xlsx", Format::Xlsx),
        ("repairs.xls", Format::Xls),
        ("repairs.ods", Format::Ods),
        ("repairs.html", Format::Html),
        #[cfg(feature = "sqlite")]
        ("repairs.sqlite", Format::Sqlite),
    ];
    for (name, format) in files {
        let table = open(name, |_| {}).unwrap();
        assert_eq!(table.decisions().format, Some(format), "{name}");
        assert_eq!(table.headers(), expected.headers(), "{name}");
        for (row, (read, wanted)) in cells(&table).iter().zip(cells(&expected)).enumerate() {
            for (read, wanted) in read.iter().zip(wanted) {
                assert_eq!(plain(read), plain(wanted), "{name}, row {row}");
            }
        }
        assert_eq!(table.rows(), expected.rows(), "{name}");
        // The same from bytes, as an upload comes.
        let bytes = std::fs::read(fixture(name)).unwrap();
        let again = Table::from_reader(name, &bytes[..], &LoadOptions::default()).unwrap();
        assert_eq!(cells(&again), cells(&table), "{name}");
        assert_eq!(
            again.find("r.received-date").is_some(),
            expected.find("r.received-date").is_some(),
            "{name}"
        );
    }
}

#[test]
fn what_was_decided_about_a_workbook_is_said_and_overruled() {
    let table = open("repairs.xlsx", |_| {}).unwrap();
    let decisions = table.decisions();
    assert_eq!(decisions.part.as_deref(), Some("Repairs"));
    assert_eq!(decisions.parts, ["Read me", "Repairs"]);
    assert_eq!(decisions.header, Some(3));
    assert!(
        decisions.left_out[0].contains("line 1, 'Repairs of the spring'"),
        "{decisions:?}"
    );
    assert!(
        decisions
            .left_out
            .iter()
            .any(|said| said.contains("'Checked by hand' stands below")),
        "{decisions:?}"
    );
    assert_eq!(
        decisions.summary(),
        "xlsx, sheet 'Repairs' of 2, header in line 3"
    );
    let other = open("repairs.xlsx", |options| {
        options.part = Some("read me".to_owned())
    })
    .unwrap();
    assert_eq!((other.headers(), other.rows()), (&["Note".to_owned()][..], 1));
    let told = open("repairs.xlsx", |options| options.header = Some(Header::Line(4))).unwrap();
    assert_eq!(told.rows(), 11);
    let refused = open("repairs.xlsx", |options| options.part = Some("May".to_owned())).unwrap_err();
    assert!(
        refused.ends_with("there is no sheet 'May'; there is 'Read me' and 'Repairs'"),
        "{refused}"
    );
    let refused = open("repairs.xlsx", |options| options.header = Some(Header::Line(2))).unwrap_err();
    assert!(
        refused.contains("sheet 'Repairs', line 2: there is nothing in this row"),
        "{refused}"
    );
}

#[cfg(feature = "sqlite")]
#[test]
fn databases_are_read_by_table_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r epairs?.db");
    std::fs::copy(fixture("repairs.sqlite"), &path).unwrap();
    let table = Table::open(&path, &LoadOptions::default()).unwrap();
    assert_eq!(
        (table.decisions().part.as_deref(), table.rows()),
        (Some("repairs"), 12)
    );
    let beside = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(beside, 1, "nothing is made beside it");
    let notes = open("repairs.sqlite", |options| {
        options.part = Some("notes".to_owned())
    })
    .unwrap();
    assert_eq!(cells(&notes), [["only one"]]);
    let refused = open("repairs.sqlite", |options| {
        options.part = Some("spring".to_owned())
    })
    .unwrap_err();
    assert!(
        refused.contains("no table 'spring'; it has 'notes' and 'repairs'"),
        "{refused}"
    );
    let mut bytes = std::fs::read(fixture("repairs.sqlite")).unwrap();
    bytes.truncate(600);
    let refused = Table::from_reader("t.db", &bytes[..], &LoadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("SQLite database"), "{refused}");
}

#[test]
fn a_duckdb_file_that_nobody_here_reads_says_how_to_get_at_it() {
    let mut bytes = [0; 64];
    bytes[8..12].copy_from_slice(b"DUCK");
    let refused = Table::from_reader("shop.duckdb", &bytes[..], &LoadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("duckdb.connect('shop.duckdb', read_only=True)"),
        "{refused}"
    );
    assert!(refused.contains("write_parquet"), "{refused}");
}

#[test]
fn what_unpacks_to_too_much_is_refused_while_it_is_unpacked() {
    let few = |options: &mut LoadOptions| {
        options.largest = Largest {
            text: 100,
            ..Largest::ANY
        };
    };
    for name in ["repairs.csv.zst", "repairs.zip", "repairs.xlsx", "repairs.ods"] {
        let mut options = LoadOptions::default();
        few(&mut options);
        let refused = Table::open(&fixture(name), &options).unwrap_err();
        assert!(
            matches!(refused, TableError::TooLarge { .. }),
            "{name}: {refused}"
        );
        assert!(
            refused.to_string().contains("more than 400 bytes"),
            "{name}: {refused}"
        );
    }
}

fn of(name: &str, text: &[u8]) -> Table {
    Table::from_reader(name, text, &LoadOptions::default()).unwrap()
}

#[test]
fn json_rows_are_found_inside_objects() {
    let deep = br#"{"meta": {"n": 2}, "result": {"items": [{"a": 1}, {"a": 2}], "warnings": [{"b": 3}]}}"#;
    let table = of("t.json", deep);
    assert_eq!(cells(&table), [["1"], ["2"]]);
    assert_eq!(table.decisions().part.as_deref(), Some("result.items"));
    assert_eq!(table.decisions().parts, ["result.items", "result.warnings"]);
    assert_eq!(
        cells(&of("t.json", b"{\"a\": [1, 2],\n \"b\": [3, 4]}")),
        [["1", "3"], ["2", "4"]]
    );
    assert_eq!(
        cells(&of("t.json", b"{\"x\": {\"a\": 1},\n \"y\": {\"a\": 2}}")),
        [["x", "1"], ["y", "2"]]
    );
    // One object in one line is one row, and two lines are two.
    assert_eq!(cells(&of("t.jsonl", b"{\"a\": 1}\n")), [["1"]]);
    assert_eq!(of("t.jsonl", b"{\"a\": [{\"b\": 1}]}\n{\"a\": []}\n").rows(), 2);
}

#[test]
fn lines_above_and_below_are_left_out_and_that_is_said() {
    let table = of(
        "t.csv",
        b"Sales of May\n\nTown,Shops\nUlm,3\nBonn,4\n\nSource: the shop itself\n",
    );
    assert_eq!(cells(&table), [["Ulm", "3"], ["Bonn", "4"]]);
    let Decisions { header, left_out, .. } = table.decisions();
    assert_eq!(*header, Some(3));
    assert_eq!(
        left_out[0],
        "line 1, 'Sales of May', stands above the table and was left out"
    );
    assert_eq!(
        left_out[1],
        "what stands below the table, from line 7 on, was left out"
    );
    let headless = of("t.csv", b"Ulm,3\nBonn,4\nKiel,12\n");
    assert_eq!((headless.rows(), headless.headers()[1].as_str()), (3, "column 2"));
    assert!(headless.decisions().notes[0].starts_with("there is no header"));
}
