//! Formats of table files: every one gives the same table, large files are read as small ones are, and what
//! is no table is refused in one sentence.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use flate2::write::GzEncoder;
use mapo_tables::{Format, Header, LoadOptions, Table};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use proptest::prelude::*;
use std::io::Write;
use std::sync::Arc;

fn load(name: &str, bytes: &[u8]) -> Result<Table, String> {
    Table::from_reader(name, bytes, &LoadOptions::default()).map_err(|error| error.to_string())
}

fn cells(table: &Table) -> Vec<Vec<&str>> {
    let columns = 0..table.headers().len();
    (0..table.rows())
        .map(|row| columns.clone().map(|column| table.cell(row, column)).collect())
        .collect()
}

#[track_caller]
fn refused(name: &str, bytes: &[u8], problem: &str) {
    let told = load(name, bytes).expect_err("it is refused");
    assert!(
        told.starts_with(name) && told.contains(problem) && !told.contains('\n'),
        "{told}"
    );
}

// JSON lines.

#[test]
fn objects_are_rows_and_their_keys_columns() {
    let text = r#"{"name": "Anne", "points": 3, "born": null}

{"points": 4.50, "name": "Bob \"B\"", "tags": ["a", {"b": 1}], "ok": true}
{"name": "Zoë", "name": "Cleo", "nested": {"x": [1, 2], "y": "é"}}
"#;
    let table = load("table.jsonl", text.as_bytes()).unwrap();
    assert_eq!(
        table.headers(),
        ["name", "points", "born", "tags", "ok", "nested"]
    );
    assert_eq!(
        cells(&table),
        [
            ["Anne", "3", "", "", "", ""],
            ["Bob \"B\"", "4.5", "", r#"["a",{"b":1}]"#, "true", ""],
            ["Cleo", "", "", "", "", r#"{"x":[1,2],"y":"é"}"#],
        ]
    );
    assert!(table.find("r.points-num").is_some());
    let array = load("-", br#" [{"a": 1}, {"b": "x", "a": 2}]"#).unwrap();
    assert_eq!(array.headers(), ["a", "b"]);
    assert_eq!(cells(&array), [["1", ""], ["2", "x"]]);
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    refused(
        "t.jsonl",
        b"{\"a\": 1}\n{\"a\": }\n",
        "line 2: not a JSON object at column 7",
    );
    refused("t.jsonl", b"{\"a\": 1}\n\n[1, 2]\n", "line 3: not a JSON object");
    refused("t.jsonl", b"{\"a\": 1} {\"a\": 2}\n", "line 1: not a JSON object");
    refused(
        "t.jsonl",
        b"{\"\xc3\xab\": \"\xff\"}\n",
        "line 1: not a JSON object",
    );
    refused("t.json", b"[{\"a\": 1}\n, 7]", "line 2: not a JSON object");
    refused("t.jsonl", b"", "the file is empty; it needs an object");
    refused("t.jsonl", b"{}\n", "no object has a key");
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(2_000_000));
    refused("t.jsonl", long.as_bytes(), "the value of 'a' has 2000000 bytes");
}

#[test]
fn many_objects_are_read_as_few_are() {
    // Several pieces and waves, and a key that comes late.
    let line = |row: usize| match row {
        250_000.. => format!(
            "{{\"row\": {row}, \"late\": \"l{row}\", \"text\": \"{}\"}}\n",
            row % 7
        ),
        _ => format!("{{\"text\": \"number {} of seven\", \"row\": {row}}}\n", row % 7),
    };
    let rows = 300_000;
    let text: String = (0..rows).map(line).collect();
    let table = load("t.jsonl", text.as_bytes()).unwrap();
    assert_eq!(table.headers(), ["text", "row", "late"]);
    assert_eq!(table.rows(), rows);
    for row in (0..rows).step_by(997) {
        assert_eq!(table.cell(row, 1), row.to_string());
        let late = if row < 250_000 {
            String::new()
        } else {
            format!("l{row}")
        };
        assert_eq!(table.cell(row, 2), late);
    }
    let mut wrong = text;
    wrong.push_str("{\n");
    refused("t.jsonl", wrong.as_bytes(), "line 300001: not a JSON object");
}

// Parquet.

/// A small file with a column of each sort.
fn parquet_file(codec: parquet::basic::Compression) -> Vec<u8> {
    let schema = "message table {
        REQUIRED BYTE_ARRAY name (UTF8);
        OPTIONAL INT64 points;
        REQUIRED INT32 born (DATE);
        OPTIONAL DOUBLE score;
        REQUIRED INT64 seen (TIMESTAMP(MILLIS,true));
        REQUIRED INT32 price (DECIMAL(9,2));
        OPTIONAL group tags (LIST) { REPEATED group list { REQUIRED BYTE_ARRAY element (UTF8); } }
    }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(codec)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| ByteArray::from(*text))
            .collect::<Vec<_>>()
    };
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&texts(&["Anne", "Zoë"]), None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int64Type>()
            .write_batch(&[3], Some(&[1, 0]), None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int32Type>()
            .write_batch(&[0, -1], None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<DoubleType>()
            .write_batch(&[2.5, -3.0], Some(&[1, 1]), None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int64Type>()
            .write_batch(&[1_500, 0], None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int32Type>()
            .write_batch(&[1_234, -5], None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let tags = texts(&["a", "b\"c"]);
        column
            .typed::<ByteArrayType>()
            .write_batch(&tags, Some(&[2, 2, 0]), Some(&[0, 1, 0]))
            .unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn parquet_values_are_written_as_people_do() {
    use parquet::basic::{Compression, ZstdLevel};
    let rows = [
        [
            "Anne",
            "3",
            "1970-01-01",
            "2.5",
            "1970-01-01 00:00:01.5",
            "12.34",
            r#"["a","b\"c"]"#,
        ],
        ["Zoë", "", "1969-12-31", "-3", "1970-01-01", "-0.05", ""],
    ];
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ] {
        let bytes = parquet_file(codec);
        let table = load("standard input", &bytes).unwrap();
        assert_eq!(
            table.headers(),
            ["name", "points", "born", "score", "seen", "price", "tags"]
        );
        assert_eq!(cells(&table), [rows[0], rows[1], rows[0], rows[1]]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        std::fs::write(&path, &bytes).unwrap();
        let again = Table::open(&path, &LoadOptions::default()).unwrap();
        assert_eq!(cells(&again), cells(&table));
        let path = folder.path().join("table.parquet.gz");
        std::fs::write(&path, packed(&bytes)).unwrap();
        let again = Table::open(&path, &LoadOptions::default()).unwrap();
        assert_eq!(cells(&again), cells(&table));
    }
}

#[test]
fn columns_of_a_file_are_read_at_the_same_time() {
    let columns = 16;
    let fields: String = (0..columns)
        .map(|column| format!("REQUIRED INT64 c{column}; "))
        .collect();
    let schema = format!("message table {{ {fields} }}");
    let schema = Arc::new(parquet::schema::parser::parse_message_type(&schema).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    for group in 0..4i64 {
        let mut rows = writer.next_row_group().unwrap();
        let mut number = 0;
        while let Some(mut column) = rows.next_column().unwrap() {
            let values: Vec<i64> = (0..5_000)
                .map(|row| number * 1_000_000 + group * 5_000 + row)
                .collect();
            column
                .typed::<Int64Type>()
                .write_batch(&values, None, None)
                .unwrap();
            column.close().unwrap();
            number += 1;
        }
        rows.close().unwrap();
    }
    writer.close().unwrap();
    for _ in 0..5 {
        let table = Table::open(&path, &LoadOptions::default()).unwrap();
        for row in (0..20_000).step_by(7) {
            for column in 0..columns {
                assert_eq!(table.cell(row, column), (column * 1_000_000 + row).to_string());
            }
        }
    }
}

#[test]
fn damaged_parquet_is_refused() {
    let bytes = parquet_file(parquet::basic::Compression::SNAPPY);
    refused("t.parquet", b"", "the file is empty");
    refused(
        "t.parquet",
        b"PAR1 and no more",
        "not a Parquet file that can be read",
    );
    refused(
        "t.parquet",
        b"a,b\n1\0,2\n",
        "not a Parquet file that can be read",
    );
    // Whatever it is called, text is text.
    assert_eq!(cells(&load("t.parquet", b"a,b\n1,2\n").unwrap()), [["1", "2"]]);
    for cut in (4..bytes.len()).step_by(7) {
        refused("t.parquet", &bytes[..cut], "not a Parquet file that can be read");
    }
    for place in (0..bytes.len()).step_by(3) {
        let mut other = bytes.clone();
        other[place] ^= 0x55;
        // It may still be a table, or be refused; it must not end the program.
        let _ = load("t.parquet", &other);
    }
}

// Packing and encodings.

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn packed_files_are_unpacked() {
    for (name, text) in [
        ("t.csv.gz", "a,b\n1,2\n"),
        ("-", "a;b\n1;2\n"),
        ("t.jsonl.gz", "{\"a\": 1, \"b\": 2}\n"),
    ] {
        let table = load(name, &packed(text.as_bytes())).unwrap();
        assert_eq!(table.headers(), ["a", "b"]);
        assert_eq!(cells(&table), [["1", "2"]]);
    }
    let bytes = packed(&parquet_file(parquet::basic::Compression::SNAPPY));
    assert_eq!(load("-", &bytes).unwrap().rows(), 4);
    let cut = packed("a,b\n1,2\n".repeat(1000).as_bytes());
    let told = load("t.csv.gz", &cut[..cut.len() - 9]).unwrap_err();
    assert!(
        told.starts_with("t.csv.gz: the file is packed by gzip and damaged"),
        "{told}"
    );
}

#[test]
fn encodings_of_spreadsheets_are_read_or_named() {
    let text = "Name,Stadt\nZoë,Köln\n";
    let little: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let big: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    for bytes in [little, big] {
        let table = load("t.csv", &bytes).unwrap();
        assert_eq!(table.headers(), ["Name", "Stadt"]);
        assert_eq!(cells(&table), [["Zoë", "Köln"]]);
    }
    refused(
        "t.csv",
        b"\xff\xfea\0\n\0\x00\xd8x\0",
        "line 2: the file is in UTF-16LE and damaged here",
    );
    let table = load("t.csv", b"Name\nZo\xeb\n").unwrap();
    assert_eq!(cells(&table), [["Zoë"]]);
    assert_eq!(table.decisions().encoding.as_deref(), Some("windows-1252"));
    // What was UTF-8 before is damaged.
    refused(
        "t.csv",
        b"Name\nZo\xc3\xab\nZo\xeb\n",
        "line 3: cell 1 is not UTF-8 text; save the file as UTF-8, or name its encoding",
    );
}

#[test]
fn what_is_no_table_is_called_by_its_name() {
    refused(
        "t.csv",
        b"PK\x03\x04rest",
        "the file is packed by zip and cannot be unpacked",
    );
    refused(
        "t.xls",
        b"\xd0\xcf\x11\xe0rest",
        "not a workbook that can be read",
    );
    refused("t.pdf", b"%PDF-1.4", "a PDF document");
    refused("t.db", b"SQLite format 3\0", "SQLite database");
}

// Large files of separated cells.

/// As the csv crate reads it.
fn plainly(text: &str, separator: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(separator);
    let records = reader.from_reader(text.as_bytes()).into_records();
    records
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

/// Rows of nothing are none, and what stands alone in the first column behind the last of them is a note.
fn leave_out_empty_rows(rows: &mut Vec<Vec<String>>) {
    let is_empty = |cells: &[String]| cells.iter().all(|cell| cell.trim().is_empty());
    let Some(last) = (1..rows.len()).rfind(|row| rows[0].len() > 1 && is_empty(&rows[*row])) else {
        return;
    };
    let whole = rows.clone();
    let below = &rows[last + 1..];
    if rows[0].len() > 1 && below.len() <= 8 && below.iter().all(|row| is_empty(&row[1..])) {
        rows.truncate(last);
    }
    let header = rows.remove(0);
    rows.retain(|row| !is_empty(row));
    rows.insert(0, header);
    if rows.len() == 1 {
        *rows = whole;
    }
}

#[track_caller]
fn check_same(text: &str, format: Format, separator: u8) {
    let above = &text[..text.len() - text.trim_start_matches(['\n', '\r']).len()];
    let lines = above.replace("\r\n", "\n").len();
    let options = LoadOptions {
        format: Some(format),
        header: Some(Header::Line(lines as u64 + 1)),
        ..LoadOptions::default()
    };
    let mut expected = plainly(text, separator);
    let read = Table::from_reader("t", text.as_bytes(), &options).map_err(|error| error.to_string());
    let columns = expected.first().map_or(0, Vec::len);
    let ragged = expected.iter().position(|row| row.len() != columns);
    // Another line behind an open quote is no row.
    let is_open = plainly(&format!("{text}\nq\n"), separator).len() == expected.len() && !expected.is_empty();
    match (read, ragged, expected.len()) {
        (Err(told), _, _) if told.contains("never closed") => assert!(is_open, "{told}"),
        (Ok(_), _, _) if is_open => panic!("an open quote was taken"),
        (Err(told), _, 0..2) => assert!(told.contains("empty") || told.contains("no row"), "{told}"),
        (Err(told), Some(_), _) => assert!(told.contains("and the header"), "{told}"),
        // Notes below the table are no row.
        (Ok(table), Some(_), _) if !table.decisions().left_out.is_empty() => {}
        (Ok(table), None, 2..) => {
            leave_out_empty_rows(&mut expected);
            let named = |(number, name): (usize, &String)| match name.trim().is_empty() {
                true => format!("column {number}"),
                false => name.clone(),
            };
            let names: Vec<String> = (1..).zip(&expected[0]).map(named).collect();
            assert_eq!(table.headers(), names);
            assert_eq!(table.rows(), expected.len() - 1);
            for (row, cells) in expected[1..].iter().enumerate() {
                for (column, cell) in cells.iter().enumerate() {
                    assert_eq!(table.cell(row, column), cell, "row {row}, column {column}");
                }
            }
        }
        (read, ragged, rows) => panic!(
            "{:?} for {rows} rows, ragged {ragged:?}",
            read.map(|table| table.rows())
        ),
    }
}

#[test]
fn a_file_of_many_waves_is_read_as_the_csv_crate_does() {
    // Prose with line ends, separators and quotes, so that many lines only look like rows.
    let lines = [
        "1,\"a, b\nc,d,e\n\"\"x\"\",y,z\n\",end\n",
        "2,plain,end\r\n",
        "3,\"\",\"\"\n\n",
        "4,5\" pipe,\"x\"y\n",
        "5,\"f,g,h\ni,j,k\nl,m,n\",é\n",
    ];
    let mut text = String::from("a,b,c\n");
    let mut state = 1u64;
    while text.len() < 20 << 20 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        text.push_str(lines[(state >> 33) as usize % lines.len()]);
    }
    check_same(&text, Format::Csv, b',');
    // What is wrong far behind is told with its line.
    let line = text.lines().count() + 1;
    let told = load("t.csv", format!("{text}1,2\n3,4,5\n").as_bytes()).unwrap_err();
    assert!(
        told.starts_with(&format!("t.csv, line {line}: the row has 2 cells")),
        "{told}"
    );
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(b"x,y,\xe9\nz,z,z\n");
    let told = load("t.csv", &bytes).unwrap_err();
    assert!(
        told.starts_with(&format!("t.csv, line {line}: cell 3 is not UTF-8")),
        "{told}"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_as_the_csv_crate_does(text in "[ab\",;\\n\\r\\té ]{0,60}") {
        for (format, separator) in [(Format::Csv, b','), (Format::Semicolons, b';'), (Format::Tsv, b'\t')] {
            check_same(&text, format, separator);
        }
    }

    #[test]
    fn well_formed_rows_are_read_as_the_csv_crate_does(
        rows in proptest::collection::vec(("[ab\",é\\n\\r ]{0,6}", "[ab\"]{0,4}", any::<bool>()), 1..12),
    ) {
        let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
        let row = |(first, second, feeds): &(String, String, bool)| {
            let end = if *feeds { "\n" } else { "\r\n" };
            format!("{},{}{end}", quoted(first), quoted(second))
        };
        let text: String = std::iter::once("x,y\n".to_owned()).chain(rows.iter().map(row)).collect();
        check_same(&text, Format::Csv, b',');
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Large enough to be read in pieces, side by side.
    #[test]
    fn pieces_are_read_as_a_whole(
        rows in proptest::collection::vec(("[ab\",é\\n\\r ]{0,20}", "[ab,\\n]{0,20}", any::<bool>()), 3..12),
        order in any::<u64>(),
    ) {
        let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
        let rows: Vec<String> = rows
            .iter()
            .map(|(first, second, feeds)| {
                let end = if *feeds { "\n" } else { "\r\n" };
                format!("{},{},z{end}", quoted(first), quoted(second))
            })
            .collect();
        let mut text = String::from("x,y,z\n");
        let mut state = order | 1;
        while text.len() < 1_200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(&rows[(state >> 33) as usize % rows.len()]);
        }
        check_same(&text, Format::Csv, b',');
    }
}
