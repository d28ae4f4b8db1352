//! Files of tables, and the cells that one process sends to another.

use mapo_tables::{ColumnKind, Format, Largest, LoadOptions, Table, TableBuilder, Value};

/// As much as a stranger's small file may become.
pub(crate) const LARGEST: Largest = Largest {
    rows: 100_000,
    cells: 1_000_000,
    text: 1 << 24,
};

pub(crate) fn read(name: &str, format: Option<Format>, bytes: &[u8]) -> Option<Table> {
    let options = LoadOptions {
        format,
        drop_totals: true,
        largest: LARGEST,
        ..LoadOptions::default()
    };
    Table::from_reader(name, bytes, &options).ok()
}

/// What must hold of a table wherever it comes from.
fn whole(table: &Table) {
    table.prepare();
    for row in 0..table.rows() {
        for source in 0..table.headers().len() {
            let _ = (table.cell(row, source), table.answer_text(row, source));
        }
    }
    for column in table.columns() {
        assert!(column.source() < table.headers().len());
        for row in 0..table.rows() {
            let value = column.value(row);
            assert_eq!(value.is_some(), column.present().contains(row));
            match (value, column.kind()) {
                (None, _) | (Some(Value::Text(_)), ColumnKind::Text) => {}
                (Some(Value::Number(number)), kind) if kind.is_number() => assert!(number.is_finite()),
                (Some(Value::Date(date)), ColumnKind::Date) => {
                    assert_eq!(date.to_string().parse(), Ok(date));
                }
                (value, kind) => panic!("{value:?} in a column of {kind}"),
            }
        }
        assert!(column.values().count() == column.values_len());
    }
}

fn try_format(name: &str, format: Option<Format>, bytes: &[u8]) {
    if let Some(table) = read(name, format, bytes) {
        whole(&table);
    }
}

pub(crate) fn csv(bytes: &[u8]) {
    try_format("t.csv", Some(Format::Csv), bytes);
}

pub(crate) fn tsv(bytes: &[u8]) {
    try_format("t.tsv", Some(Format::Tsv), bytes);
}

/// Semicolons, bars, or whatever it looks like.
pub(crate) fn separated(bytes: &[u8]) {
    try_format("t.txt", Some(Format::Semicolons), bytes);
    try_format("t.txt", Some(Format::Bars), bytes);
    try_format("t.txt", None, bytes);
}

pub(crate) fn wtq_csv(bytes: &[u8]) {
    try_format("t.csv", Some(Format::WtqCsv), bytes);
}

pub(crate) fn wtq_tsv(bytes: &[u8]) {
    try_format("t.tsv", Some(Format::WtqTsv), bytes);
}

pub(crate) fn json_lines(bytes: &[u8]) {
    try_format("t.jsonl", Some(Format::Json), bytes);
}

pub(crate) fn parquet(bytes: &[u8]) {
    try_format("t.parquet", Some(Format::Parquet), bytes);
}

/// One object that holds rows.
pub(crate) fn json_document(bytes: &[u8]) {
    try_format("t.json", Some(Format::Json), bytes);
}

/// A workbook: what it is packed in, the sheets of old ones, and all of it under the names of others.
pub(crate) fn workbook(bytes: &[u8]) {
    // The reader of old workbooks panics at damaged ones; that is caught and told. What is not caught still ends the fuzzer.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for format in [Format::Xlsx, Format::Xlsb, Format::Xls, Format::Ods] {
        try_format("t", Some(format), bytes);
    }
    try_format("t", None, bytes);
    std::panic::set_hook(hook);
}

pub(crate) fn page(bytes: &[u8]) {
    try_format("t.html", Some(Format::Html), bytes);
}

pub(crate) fn sqlite(bytes: &[u8]) {
    try_format("t.db", Some(Format::Sqlite), bytes);
}

/// By gzip, by zstd, in an archive: known by the first bytes.
pub(crate) fn packed(bytes: &[u8]) {
    try_format("t.csv", None, bytes);
}

/// The same text in several encodings.
pub(crate) fn encoded(bytes: &[u8]) {
    for encoding in ["windows-1252", "utf-16le", "utf-16be", "shift_jis", "gb18030"] {
        let mut options = LoadOptions {
            largest: LARGEST,
            ..LoadOptions::default()
        };
        assert!(options.tell("encoding", encoding).is_ok());
        if let Ok(table) = Table::from_reader("t.csv", bytes, &options) {
            whole(&table);
        }
    }
}

/// As an upload comes: nothing but a name and bytes, packed or not.
pub(crate) fn any(bytes: &[u8]) {
    try_format("t", None, bytes);
}

/// What the process that reads uploads hands over.
pub(crate) fn wire(bytes: &[u8]) {
    if let Ok(builder) = TableBuilder::receive("t", &mut &bytes[..], LARGEST) {
        let table = builder.finish();
        whole(&table);
    }
    if let Ok(builder) = TableBuilder::from_reader(
        "t",
        bytes,
        &LoadOptions {
            largest: LARGEST,
            ..LoadOptions::default()
        },
    ) {
        let mut sent = Vec::new();
        assert!(builder.send(&mut sent).is_ok());
        let received = TableBuilder::receive("t", &mut &sent[..], Largest::ANY);
        let (one, other) = (builder.finish(), received.map(TableBuilder::finish));
        let Ok(other) = other else {
            panic!("what was sent did not arrive");
        };
        assert_eq!((one.headers(), one.rows()), (other.headers(), other.rows()));
    }
}

/// The cells of one column, in lines.
pub(crate) fn column(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut builder = TableBuilder::new("t", ["c"]);
    text.lines().for_each(|cell| builder.push_row([cell]));
    whole(&builder.finish());
}
