//! Table files: what is read from them, and what is said of those that cannot be read.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

use mapo_tables::{CellValues, Format, Header, LoadOptions, Table, TableBuilder, Value};
use mapo_text::Date;
use proptest::prelude::*;
use std::path::Path;

fn load(text: impl AsRef<[u8]>, options: &LoadOptions) -> Result<Table, String> {
    Table::from_reader("table.csv", text.as_ref(), options).map_err(|error| error.to_string())
}

fn table(text: &str) -> Table {
    load(text, &LoadOptions::default()).unwrap()
}

fn in_format(text: &str, format: Format) -> Table {
    load(
        text,
        &LoadOptions {
            format: Some(format),
            ..LoadOptions::default()
        },
    )
    .unwrap()
}

fn cells(table: &Table) -> Vec<Vec<String>> {
    let columns = table.headers().len();
    let row = |row| {
        (0..columns)
            .map(|source| table.cell(row, source).to_owned())
            .collect()
    };
    (0..table.rows()).map(row).collect()
}

fn names(table: &Table) -> Vec<&str> {
    table.columns().iter().map(|column| column.name()).collect()
}

fn values(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(table.find(name).unwrap_or_else(|| panic!("no {name}")));
    let text = |value: Option<Value<'_>>| value.map_or("-".to_owned(), |value| value.to_string());
    (0..table.rows()).map(|row| text(column.value(row))).collect()
}

// What is refused, in one sentence that says what to do.

fn refused(text: impl AsRef<[u8]>) -> String {
    let problem = load(text, &LoadOptions::default()).expect_err("it is refused");
    assert!(!problem.contains('\n'), "one line: {problem}");
    assert!(problem.starts_with("table.csv"), "the file is named: {problem}");
    problem
}

#[test]
fn an_empty_file_is_refused() {
    for text in ["", "\n", "\r\n\n"] {
        let problem = refused(text);
        assert!(
            problem.contains("the file is empty; it needs a header line"),
            "{problem}"
        );
    }
}

#[test]
fn a_header_without_rows_is_refused() {
    for text in ["Name,Points", "Name,Points\n", "Name,Points\n\n\n"] {
        assert!(refused(text).contains("no row below it; add at least one row"));
    }
}

#[test]
fn ragged_rows_are_refused_with_their_line() {
    let problem = refused("Name,Points\nAnne,3\nBob\n");
    assert!(
        problem.starts_with("table.csv, line 3: the row has 1 cell and the header 2"),
        "{problem}"
    );
    let problem = refused("Name,Points\nAnne,3,4\n");
    assert!(
        problem.starts_with("table.csv, line 2: the row has 3 cells and the header 2"),
        "{problem}"
    );
}

#[test]
fn lines_are_counted_also_within_cells_and_across_empty_lines() {
    let problem = refused("Name,Points\n\"An\nne\",3\nBob\n");
    assert!(problem.starts_with("table.csv, line 4:"), "{problem}");
    let problem = refused("Name,Points\nAnne,3\n\n\nBob\n");
    assert!(problem.starts_with("table.csv, line 5:"), "{problem}");
    for end in ["\n", "\r\n"] {
        for last in ["", end] {
            let text = format!("Name,Points{end}Anne,3{end}{end}Cleo,4{end}{end}Bob{last}");
            let problem = refused(text);
            assert!(problem.starts_with("table.csv, line 6:"), "{problem}");
        }
        let mut text = format!("Name{end}Anné{end}{end}Zo").into_bytes();
        text.push(0xeb);
        let problem = refused(text);
        assert!(
            problem.starts_with("table.csv, line 4: cell 1 is not UTF-8"),
            "{problem}"
        );
    }
}

#[test]
fn equal_headers_stay_and_programs_number_them() {
    let table = table("Name,Points,Name\nAnne,3,x\n");
    assert_eq!(
        names(&table),
        ["r.name-str", "r.points-str", "r.points-num", "r.name_2-str"]
    );
    assert_eq!(table.headers(), ["Name", "Points", "Name"]);
    let notes = &table.decisions().notes;
    assert!(
        notes[0].starts_with("columns 1 and 3 are both called 'Name'"),
        "{notes:?}"
    );
}

#[test]
fn columns_without_a_name_are_numbered_and_that_is_said() {
    let table = table("Name,, \nAnne,x,y\n");
    assert_eq!(table.headers(), ["Name", "column 2", "column 3"]);
    assert_eq!(names(&table), ["r.name-str", "r.column_2-str", "r.column_3-str"]);
    let notes = &table.decisions().notes;
    assert_eq!(
        notes[..],
        ["some columns have no name and are called 'column 2' and 'column 3'"]
    );
}

#[test]
fn text_of_windows_is_read_and_what_is_neither_is_refused_with_its_place() {
    let windows = load(b"Name,Points\nAnne,3\nZo\xeb,4\n", &LoadOptions::default()).unwrap();
    assert_eq!(windows.cell(1, 0), "Zoë");
    assert_eq!(windows.decisions().encoding.as_deref(), Some("windows-1252"));
    let problem = refused(b"Name,Points\nZo\xc3\xab,3\nZo\xeb,4\n");
    assert!(
        problem.starts_with("table.csv, line 3: cell 1 is not UTF-8"),
        "{problem}"
    );
    assert!(problem.contains("--encoding windows-1252"), "{problem}");
    assert!(refused(b"Nam\x81,Points\nAnne,3\n").contains("line 1: cell 1 is not UTF-8"));
}

#[test]
fn a_cell_of_ten_megabytes_is_refused() {
    let problem = refused(format!("Name,Points\nAnne,3\n{},4\n", "x".repeat(10_000_000)));
    assert!(
        problem.starts_with("table.csv, line 3: cell 1 has 10000000 bytes"),
        "{problem}"
    );
    // A quote that is never closed makes such cells.
    let open = format!("Name,Points\n\"Anne,3\n{}", "Bob,4\n".repeat(1_000_000));
    assert!(refused(open).contains("line 2: the quote that opens here is never closed"));
    // A header too.
    assert!(refused(format!("{},Points\nAnne,3\n", "x".repeat(10_000_000))).contains("line 1: cell 1 has"));
    // Long cells that are no mistake are taken.
    let long = "word ".repeat(100_000);
    assert_eq!(table(&format!("Name\n{long}\n")).cell(0, 0), long);
}

#[test]
fn too_many_columns_are_refused() {
    let header: Vec<String> = (0..10_001).map(|column| format!("c{column}")).collect();
    let row = vec!["x"; 10_001];
    let problem = refused(format!("{}\n{}\n", header.join(","), row.join(",")));
    assert!(problem.contains("10001 columns; the limit is 10000"), "{problem}");
}

#[test]
fn a_missing_file_is_named() {
    let problem = Table::open(Path::new("no/such/table.csv"), &LoadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        problem.starts_with("no/such/table.csv: cannot be read"),
        "{problem}"
    );
    assert!(problem.contains("check the path"), "{problem}");
}

// What is read.

#[test]
fn commas_tabs_and_escapes_are_told_apart() {
    let commas = table("Name,Quote\nAnne,\"a, \"\"b\"\"\"\n");
    assert_eq!(cells(&commas), [["Anne", "a, \"b\""]]);
    let tabs = table("Name\tQuote\nAnne\ta, b\n");
    assert_eq!(cells(&tabs), [["Anne", "a, b"]]);
    let escaped = table("\"Name\",\"Quote\"\n\"Anne\",\"a, \\\"b\\\" c\"\n");
    assert_eq!(cells(&escaped), [["Anne", "a, \"b\" c"]]);
    // A backslash at the end of a quoted cell is no escape in an ordinary file.
    let backslash = table("Path,Name\n\"c:\\\",x\n");
    assert_eq!(cells(&backslash), [["c:\\", "x"]]);
}

#[test]
fn a_tsv_file_is_known_by_its_ending() {
    let read =
        |name| Table::from_reader(name, "A, B\tC\n1\t2\n".as_bytes(), &LoadOptions::default()).unwrap();
    assert_eq!(read("x.tsv").headers(), ["A, B", "C"]);
    assert_eq!(read("x.TSV").headers(), ["A, B", "C"]);
}

#[test]
fn wikitablequestions_escapes_are_read() {
    let tabs = in_format("a\tb\nx\\ny\tp\\pq\nback\\\\slash\t\"quoted\"\n", Format::WtqTsv);
    assert_eq!(cells(&tabs), [["x\ny", "p|q"], ["back\\slash", "\"quoted\""]]);
    let commas = in_format(
        "\"a\",\"b\"\n\"say \\\"x\\\"\",\"back\\\\slash\"\n",
        Format::WtqCsv,
    );
    assert_eq!(cells(&commas), [["say \"x\"", "back\\slash"]]);
    assert_eq!("wtq-tsv".parse(), Ok(Format::WtqTsv));
    assert!(
        "docx"
            .parse::<Format>()
            .unwrap_err()
            .contains("csv, semicolons, tsv, bars, wtq-csv, wtq-tsv, json, parquet, xlsx")
    );
}

#[test]
fn a_byte_order_mark_and_other_line_ends_are_fine() {
    let marked = table("\u{feff}Name,Points\r\nAnne,3\r\nBob,4");
    assert_eq!(marked.headers(), ["Name", "Points"]);
    assert_eq!(cells(&marked), [["Anne", "3"], ["Bob", "4"]]);
}

#[test]
fn types_are_found_from_the_cells() {
    let table = table(
        "Name,Points,Score,Year,When,Prize\nAnne,\"1,234.5\",3–4,2004,\"May 3, 2010\",$4.2m\n\
         Bob,−12%,0-1,2005,June 2011,\nCleo,3rd,2-2,2006,July 8,12\n",
    );
    assert_eq!(
        names(&table),
        [
            "r.name-str",
            "r.points-str",
            "r.points-num",
            "r.score-str",
            "r.score-num",
            "r.score-num2",
            "r.year-str",
            "r.year-num",
            "r.year-date",
            "r.when-str",
            "r.when-num",
            "r.when-num2",
            "r.when-date",
            "r.prize-str",
            "r.prize-num",
        ]
    );
    assert_eq!(values(&table, "r.points-num"), ["1234.5", "-12", "3"]);
    assert_eq!(values(&table, "r.score-num2"), ["4", "1", "2"]);
    assert_eq!(
        values(&table, "r.when-date"),
        ["2010-05-03", "2011-06-xx", "xxxx-07-08"]
    );
    assert_eq!(values(&table, "r.prize-num"), ["4200000", "-", "12"]);
    assert_eq!(values(&table, "r.prize-str"), ["$4.2m", "", "12"]);
    assert_eq!(table.column(table.find("r.when-num2").unwrap()).source(), 4);
}

#[test]
fn half_of_the_rows_must_have_a_value() {
    for rows in 1..=30usize {
        for numbers in 0..=rows {
            let cells = (0..rows).map(|row| if row < numbers { "7\n" } else { "x\n" });
            let table = table(&format!("A\n{}", cells.collect::<String>()));
            let expected = numbers > 0 && numbers * 2 >= rows;
            assert_eq!(table.find("r.a-num").is_some(), expected, "{numbers} of {rows}");
        }
    }
}

#[test]
fn column_names_are_unique_words() {
    let headers = [
        "Years Won",
        "years-won",
        "YEARS  (won)",
        "Years_Won_2",
        "№",
        "日本 語",
        "É",
        "--",
        "100 m",
    ];
    let mut builder = TableBuilder::new("names", headers);
    builder.push_row(["x"; 9]);
    let table = builder.finish();
    let names = names(&table);
    assert_eq!(
        names[..4],
        [
            "r.years_won-str",
            "r.years_won_2-str",
            "r.years_won_3-str",
            "r.years_won_2_2-str"
        ]
    );
    assert_eq!(names[6..], ["r.e-str", "r.column-str", "r.100_m-str"]);
    let distinct: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    assert!(names.iter().all(|name| table.find(name).is_some()));
}

#[test]
fn text_is_in_normal_form_and_cells_are_as_they_stand() {
    let table = table("Film\nCafé Noir (film)[2]\n  Spaces   inside  \n");
    assert_eq!(values(&table, "r.film-str"), ["cafe noir", "spaces inside"]);
    assert_eq!(table.cell(0, 0), "Café Noir (film)[2]");
}

#[test]
fn given_readings_belong_to_their_row() {
    // The same text read differently in different rows, as annotated data has it.
    let mut builder = TableBuilder::new("readings", ["A"]);
    let number = |number| CellValues {
        number,
        ..CellValues::default()
    };
    let readings = [Some(1.0), None, Some(2.0), Some(1.0), None, Some(2.0)];
    (0..readings.len()).for_each(|_| builder.push_row(["same"]));
    let table = builder.finish_with(&[readings.iter().map(|n| number(*n)).collect()]);
    assert_eq!(values(&table, "r.a-num"), ["1", "-", "2", "1", "-", "2"]);
    assert_eq!(values(&table, "r.a-str"), ["same"; 6]);
    assert_eq!(table.columns()[0].values_len(), 1);
    assert_eq!(cells(&table), vec![vec!["same"]; 6]);
}

#[test]
fn given_types_are_kept() {
    let mut builder = TableBuilder::new("declared", ["Name", "Points"]);
    builder.push_row(["ÉTÉ (x)", "3"]);
    builder.push_row(["b.", "1,000"]);
    let table = builder.finish_declared(&[false, true], |cell| cell.parse().ok());
    assert_eq!(names(&table), ["r.name-str", "r.points-num"]);
    assert_eq!(values(&table, "r.name-str"), ["été (x)", "b."]);
    assert_eq!(values(&table, "r.points-num"), ["3", "-"]);
}

#[test]
fn short_and_long_rows_of_a_builder_are_made_to_fit() {
    let mut builder = TableBuilder::new("rows", ["A", "B"]);
    builder.push_row(["x"]);
    builder.push_row(["x", "y", "z"]);
    assert_eq!(cells(&builder.finish()), [["x", ""], ["x", "y"]]);
}

/// As spreadsheets write it: quotes where they are needed.
fn written(rows: &[Vec<String>], separator: char) -> String {
    let cell = |cell: &String| match cell.contains([separator, '"', '\n', '\r']) || cell.is_empty() {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let line = |row: &Vec<String>| {
        row.iter()
            .map(cell)
            .collect::<Vec<_>>()
            .join(&separator.to_string())
    };
    rows.iter().map(|row| line(row) + "\n").collect()
}

/// Tables as rows of cells, below a fixed header.
fn rows(cell: &'static str) -> impl Strategy<Value = Vec<Vec<String>>> {
    (1usize..4).prop_flat_map(move |columns| {
        proptest::collection::vec(proptest::collection::vec(cell, columns), 1..6).prop_map(move |mut rows| {
            rows.insert(0, (0..columns).map(|column| format!("h{column}")).collect());
            rows
        })
    })
}

proptest! {
    #[test]
    fn csv_and_tsv_come_back(rows in rows("[a-z0-9,;\\t\"'\\\\ \n|]{0,8}|\\PC{0,6}")) {
        for (format, separator) in [(Format::Csv, ','), (Format::Tsv, '\t'), (Format::Semicolons, ';'), (Format::Bars, '|')] {
            let options = LoadOptions { format: Some(format), header: Some(Header::Line(1)), ..LoadOptions::default() };
            let table = load(written(&rows, separator), &options).unwrap();
            prop_assert_eq!(table.headers(), &rows[0][..]);
            // Rows in which nothing stands are none.
            let is_empty = |row: &Vec<String>| row.len() > 1 && row.iter().all(|cell| cell.trim().is_empty());
            if !rows.iter().any(is_empty) {
                prop_assert_eq!(cells(&table), &rows[1..]);
            }
        }
    }

    #[test]
    fn wikitablequestions_csv_comes_back(rows in rows("[a-z0-9,\"'\\\\ \n|]{0,8}|\\PC{0,6}")) {
        let cell = |cell: &String| format!("\"{}\"", cell.replace('\\', "\\\\").replace('"', "\\\""));
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        let table = in_format(&rows.iter().map(line).collect::<String>(), Format::WtqCsv);
        prop_assert_eq!(cells(&table), &rows[1..]);
    }

    /// The escapes are undone one kind after the other, so a backslash before an `n` or a `p` does not come back; all
    /// else does.
    #[test]
    fn wikitablequestions_tsv_comes_back(rows in rows("([a-z0-9,\"' \n|]|\\\\[a-m]){1,6}")) {
        let cell = |cell: &String| cell.replace('\\', "\\\\").replace('\n', "\\n").replace('|', "\\p");
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join("\t") + "\n";
        let table = in_format(&rows.iter().map(line).collect::<String>(), Format::WtqTsv);
        prop_assert_eq!(cells(&table), &rows[1..]);
    }

    #[test]
    fn no_bytes_make_loading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for format in Format::ALL.map(Some).into_iter().filter(|format| *format != Some(Format::Parquet)).chain([None]) {
            if let Ok(table) = load(&bytes, &LoadOptions { format, ..LoadOptions::default() }) {
                prop_assert!(table.rows() > 0 && !table.columns().is_empty());
            }
        }
    }

    #[test]
    fn numbers_and_dates_ascend_in_a_column(
        numbers in proptest::collection::vec(proptest::option::of(-50i32..50), 1..20),
        years in proptest::collection::vec(1000i32..2100, 20),
    ) {
        let mut builder = TableBuilder::new("ascending", ["A"]);
        let reading = |(number, year): (&Option<i32>, &i32)| CellValues {
            number: number.map(f64::from),
            second: None,
            date: Some(Date::of_year(*year)),
        };
        let readings: Vec<CellValues> = numbers.iter().zip(&years).map(reading).collect();
        numbers.iter().for_each(|number| builder.push_row([format!("{number:?}").as_str()]));
        let table = builder.finish_with(std::slice::from_ref(&readings));
        for column in table.columns().iter().filter(|column| column.kind().is_ordered()) {
            let keys: Vec<f64> = column.values().map(|value| match value {
                Value::Number(number) => number,
                Value::Date(date) => f64::from(date.year.unwrap()),
                Value::Text(text) => panic!("{text}"),
            }).collect();
            prop_assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
            let present = (0..table.rows()).filter(|row| column.value(*row).is_some()).count();
            prop_assert_eq!(column.present().len(), present);
        }
        for (row, reading) in readings.iter().enumerate() {
            if let Some(id) = table.find("r.a-num") {
                prop_assert_eq!(table.column(id).value(row), reading.number.map(Value::Number));
            }
            let date = table.column(table.find("r.a-date").unwrap()).value(row);
            prop_assert_eq!(date, reading.date.map(Value::Date));
        }
    }
}
