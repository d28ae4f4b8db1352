//! Our own reader of separated cells beside the `csv` crate.

use crate::tables::LARGEST;
use mapo_tables::{Format, Header, LoadOptions, Table};

/// Whatever we read, the other reads too, cell by cell.
///
/// # Panics
/// If they differ.
pub(crate) fn run(bytes: &[u8]) {
    // Byte order marks, other encodings and packed files are ours alone.
    if std::str::from_utf8(bytes).is_err()
        || bytes.starts_with("\u{feff}".as_bytes())
        || bytes.starts_with(&[0x1f, 0x8b])
    {
        return;
    }
    let options = LoadOptions {
        format: Some(Format::Csv),
        header: Some(Header::Line(1)),
        drop_totals: true,
        largest: LARGEST,
        ..LoadOptions::default()
    };
    let Ok(table) = Table::from_reader("t.csv", bytes, &options) else {
        return;
    };
    // So are titles, notes and empty rows, and text that is UTF-8 by chance.
    let decisions = table.decisions();
    let is_utf_8 = decisions
        .encoding
        .as_deref()
        .is_none_or(|encoding| encoding == "UTF-8");
    if !decisions.left_out.is_empty() || !is_utf_8 {
        return;
    }
    let mut theirs = csv::ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .from_reader(bytes);
    let mut records = theirs.records().map_while(Result::ok);
    let header = records.next().unwrap_or_default();
    assert_eq!(header.len(), table.headers().len(), "headers");
    let left_out = usize::from(table.left_out().is_some());
    let mut rows = 0;
    for record in records {
        if rows < table.rows() {
            let ours: Vec<&str> = (0..table.headers().len())
                .map(|column| table.cell(rows, column))
                .collect();
            assert_eq!(record.iter().collect::<Vec<_>>(), ours, "row {rows}");
        }
        rows += 1;
    }
    assert_eq!(rows, table.rows() + left_out, "rows");
}
