//! Reading sheets of workbooks: those of Excel, old and new, and those of LibreOffice. Every cell becomes what a person
//! sees there: dates as `2004-09-01`, times as `12:30:00`, shares as `12%`, and a cell that was merged over
//! several rows stands in each of them.

use super::caught::caught;
use super::grid::{Cell, Grid};
use super::largest::too_large;
use super::source::{Anywhere, Source, content};
use super::{Format, LoadOptions, TableError, sheets};
use crate::TableBuilder;
use crate::decisions::{Decisions, listed};
use calamine::{
    Data, DataRef, Dimensions, ExcelDateTime, Ods, Reader, Sheet, SheetType, SheetVisible, Xls, Xlsb, Xlsx,
};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Read};

pub(super) fn read(
    source: Source<'_>,
    format: Format,
    options: &LoadOptions,
    decisions: &mut Decisions,
) -> Result<TableBuilder, TableError> {
    let name = source.name.clone();
    let mut file = source.anywhere()?;
    if format != Format::Xls {
        check_size(&name, &mut file, options)?;
    }
    // A damaged file can make the reader panic.
    let book = Book {
        name: &name,
        options,
        decisions,
    };
    let read = caught(|| match format {
        Format::Xls => book.xls(file),
        Format::Ods => book.unmerged::<Ods<_>>(file),
        Format::Xlsb => book.unmerged::<Xlsb<_>>(file),
        _ => book.xlsx(file),
    });
    read.unwrap_or_else(|| Err(damaged(&name, "its sheets do not fit its description")))
}

fn damaged(name: &str, why: impl Display) -> TableError {
    let why = why.to_string();
    let problem = match why.to_lowercase().contains("password") || why.contains("EncryptedPackage") {
        true => "the workbook is locked by a password; save it without one".to_owned(),
        false => format!("not a workbook that can be read ({why}); save it again, or as CSV"),
    };
    content(name, None, problem)
}

/// Unpacks everything once to count it, as what the archive says of itself may be a lie.
fn check_size(name: &str, file: &mut Box<dyn Anywhere>, options: &LoadOptions) -> Result<(), TableError> {
    let wrong = |error: zip::result::ZipError| damaged(name, error);
    let most = options.largest.unpacked();
    if most == u64::MAX {
        return Ok(());
    }
    let mut zip = zip::ZipArchive::new(file).map_err(wrong)?;
    let mut left = most;
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(wrong)?;
        let read = io::copy(&mut entry.take(left.saturating_add(1)), &mut io::sink());
        let read = read.map_err(|error| damaged(name, error))?;
        let Some(rest) = left.checked_sub(read) else {
            return Err(too_large(name, &format!("it unpacks to more than {most} bytes")));
        };
        left = rest;
    }
    Ok(())
}

/// A workbook on its way in.
struct Book<'a> {
    name: &'a str,
    options: &'a LoadOptions,
    decisions: &'a mut Decisions,
}

impl<'a> Book<'a> {
    fn xlsx(mut self, file: Box<dyn Anywhere>) -> Result<TableBuilder, TableError> {
        let name = self.name;
        let mut book = Xlsx::new(file).map_err(|error| damaged(name, error))?;
        let sheets = self.sheets(book.sheets_metadata())?;
        let sheet = match &sheets[..] {
            [only] => only.clone(),
            sheets => {
                let count = |sheet: &String| -> Result<(u64, String), TableError> {
                    let mut cells = book
                        .worksheet_cells_reader(sheet)
                        .map_err(|error| damaged(name, error))?;
                    let mut count = 0;
                    while let Some(cell) = cells.next_cell().map_err(|error| damaged(name, error))? {
                        count += u64::from(!matches!(cell.get_value(), DataRef::Empty));
                    }
                    Ok((count, sheet.clone()))
                };
                let counts: Result<Vec<(u64, String)>, TableError> = sheets.iter().map(count).collect();
                largest(counts?)
            }
        };
        let merged = book
            .merge_cells_by_sheet_name(&sheet)
            .map_err(|error| damaged(name, error))?;
        let mut rows = Rows::new(self.name, self.options, &merged);
        let mut cells = book
            .worksheet_cells_reader(&sheet)
            .map_err(|error| damaged(name, error))?;
        let shares: Vec<bool> = cells
            .styles()
            .iter()
            .map(|style| {
                let format = style.number_format.as_ref();
                format.is_some_and(|format| is_share(&format.format_code))
            })
            .collect();
        while let Some((cell, style)) = cells
            .next_cell_with_style_id()
            .map_err(|error| damaged(name, error))?
        {
            let is_share = shares.get(style).copied().unwrap_or(false);
            let text = match cell.get_value() {
                DataRef::SharedString(text) => (*text).to_owned(),
                other => written(&Data::from(other.clone()), is_share),
            };
            rows.push(cell.get_position(), text)?;
        }
        self.finish(sheet, rows)
    }

    fn xls(mut self, mut file: Box<dyn Anywhere>) -> Result<TableBuilder, TableError> {
        let name = self.name;
        let looked = sheets::look_through(&mut file).map_err(|error| damaged(name, error))?;
        looked.map_err(|flaw| damaged(name, flaw))?;
        file.rewind().map_err(|error| damaged(name, error))?;
        let mut book = Xls::new(file).map_err(|error| damaged(name, error))?;
        let sheets = self.sheets(book.sheets_metadata())?;
        let sheet = self.largest_of(&sheets, |sheet| book.worksheet_range(sheet))?;
        let merged = book.merge_cells_by_sheet_name(&sheet).unwrap_or_default();
        let range = book
            .worksheet_range(&sheet)
            .map_err(|error| damaged(name, error))?;
        self.range(sheet, &range, &merged)
    }

    /// Of the other formats nothing is known of cells that were merged.
    fn unmerged<Book>(mut self, file: Box<dyn Anywhere>) -> Result<TableBuilder, TableError>
    where
        Book: Reader<Box<dyn Anywhere>>,
        Book::Error: Display,
    {
        let name = self.name;
        let mut book = Book::new(file).map_err(|error| damaged(name, error))?;
        let sheets = self.sheets(book.sheets_metadata())?;
        let sheet = self.largest_of(&sheets, |sheet| book.worksheet_range(sheet))?;
        let range = book
            .worksheet_range(&sheet)
            .map_err(|error| damaged(name, error))?;
        self.range(sheet, &range, &[])
    }

    /// The sheet that is asked for, or all that may be meant: those that can be seen, if any can.
    fn sheets(&mut self, all: &[Sheet]) -> Result<Vec<String>, TableError> {
        let sheets = all.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        let names: Vec<String> = sheets.clone().map(|sheet| sheet.name.clone()).collect();
        self.decisions.parts.clone_from(&names);
        if let Some(asked) = &self.options.part {
            let found = names
                .iter()
                .find(|name| *name == asked)
                .or_else(|| names.iter().find(|name| name.eq_ignore_ascii_case(asked)));
            return match found {
                Some(found) => Ok(vec![found.clone()]),
                None => {
                    let problem = format!("there is no sheet '{asked}'; there is {}", listed(&names));
                    Err(content(self.name, None, problem))
                }
            };
        }
        let seen = sheets.filter(|sheet| sheet.visible == SheetVisible::Visible);
        let seen: Vec<String> = seen.map(|sheet| sheet.name.clone()).collect();
        match (seen.is_empty(), names.is_empty()) {
            (false, _) => Ok(seen),
            (true, false) => Ok(names),
            (true, true) => Err(content(self.name, None, "the workbook has no sheet")),
        }
    }

    /// The sheet with the most cells that are filled, the first of equals.
    fn largest_of<E: Display>(
        &self,
        sheets: &[String],
        mut read: impl FnMut(&str) -> Result<calamine::Range<Data>, E>,
    ) -> Result<String, TableError> {
        if let [only] = sheets {
            return Ok(only.clone());
        }
        let mut counts = Vec::new();
        for sheet in sheets {
            let range = read(sheet).map_err(|error| damaged(self.name, error))?;
            counts.push((range.used_cells().count() as u64, sheet.clone()));
        }
        Ok(largest(counts))
    }

    fn range(
        self,
        sheet: String,
        range: &calamine::Range<Data>,
        merged: &[Dimensions],
    ) -> Result<TableBuilder, TableError> {
        let mut rows = Rows::new(self.name, self.options, merged);
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, data) in range.used_cells() {
            let place = (top.saturating_add(row as u32), left.saturating_add(column as u32));
            rows.push(place, written(data, false))?;
        }
        self.finish(sheet, rows)
    }

    fn finish(self, sheet: String, rows: Rows<'_>) -> Result<TableBuilder, TableError> {
        let within = format!("{}, sheet '{sheet}'", self.name);
        self.decisions.part = Some(sheet);
        // Errors say in which sheet.
        let built = rows.finish(self.decisions).map_err(|error| match error {
            TableError::Content { line, problem, .. } => content(&within, line, problem),
            error => error,
        })?;
        Ok(built)
    }
}

fn largest(counts: Vec<(u64, String)>) -> String {
    let mut best = (0, String::new());
    for (count, sheet) in counts {
        if count > best.0 || best.1.is_empty() {
            best = (count, sheet);
        }
    }
    best.1
}

/// The rows of a sheet, put together from cells.
struct Rows<'a> {
    name: &'a str,
    grid: Grid<'a>,
    row: u32,
    cells: Vec<Cell>,
    /// Where a cell that is merged over several rows ends, by where it begins.
    tall: HashMap<(u32, u32), u32>,
    /// Those that go on in the rows to come: by column the last row and the text.
    open: HashMap<u32, (u32, String)>,
}

impl<'a> Rows<'a> {
    fn new(name: &'a str, options: &'a LoadOptions, merged: &[Dimensions]) -> Self {
        let tall = merged.iter().filter(|area| area.end.0 > area.start.0);
        Rows {
            name,
            grid: Grid::new(name, options),
            row: 0,
            cells: Vec::new(),
            tall: tall.map(|area| (area.start, area.end.0)).collect(),
            open: HashMap::new(),
        }
    }

    fn push(&mut self, (row, column): (u32, u32), text: String) -> Result<(), TableError> {
        if row < self.row {
            return Err(damaged(self.name, "its rows are in no order"));
        }
        if row > self.row {
            self.end_row()?;
            self.row = row;
        }
        if let Some(end) = self.tall.get(&(row, column)).filter(|_| !text.is_empty()) {
            self.open.insert(column, (*end, text.clone()));
        }
        self.cells.push((column, text));
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), TableError> {
        let (row, mut cells) = (self.row, std::mem::take(&mut self.cells));
        if cells.iter().all(|(_, text)| text.is_empty()) {
            return Ok(());
        }
        self.open.retain(|_, (end, _)| *end >= row);
        for (column, (_, text)) in &self.open {
            cells.retain(|(place, text)| place != column || !text.is_empty());
            if !cells.iter().any(|(place, _)| place == column) {
                cells.push((*column, text.clone()));
            }
        }
        cells.sort_by_key(|(column, _)| *column);
        self.grid.push(u64::from(row) + 1, cells)
    }

    fn finish(mut self, decisions: &mut Decisions) -> Result<TableBuilder, TableError> {
        self.end_row()?;
        self.grid.finish(decisions)
    }
}

/// Whether a number format shows shares: a `%` that is no text in it.
fn is_share(code: &str) -> bool {
    let mut quoted = false;
    code.chars().any(|c| {
        quoted ^= c == '"';
        c == '%' && !quoted
    })
}

/// A cell as a person sees it.
fn written(data: &Data, is_share: bool) -> String {
    match data {
        Data::Empty => String::new(),
        Data::String(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) if is_share => format!("{}%", in_digits(number * 100.0)),
        Data::Float(number) => in_digits(*number),
        Data::Bool(true) => "TRUE".to_owned(),
        Data::Bool(false) => "FALSE".to_owned(),
        Data::DateTime(time) => in_date(time),
        Data::DateTimeIso(text) => in_iso(text),
        Data::DurationIso(text) => in_duration(text).unwrap_or_else(|| text.clone()),
        Data::Error(error) => error.to_string(),
    }
}

/// A number in the fifteen digits that a workbook shows of it.
fn in_digits(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// A date as `2004-09-01`, with the time if it has one, or the time alone.
fn in_date(time: &ExcelDateTime) -> String {
    let days = time.as_f64();
    if time.is_duration() || (0.0..1.0).contains(&days) {
        return in_clock((days * 86_400.0 * 1000.0).round() as i64);
    }
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second, milli) {
        (0, 0, 0, 0) => date,
        (_, _, _, 0) => format!("{date} {hour:02}:{minute:02}:{second:02}"),
        _ => format!("{date} {hour:02}:{minute:02}:{second:02}.{milli:03}"),
    }
}

/// Milliseconds as hours, minutes and seconds.
fn in_clock(millis: i64) -> String {
    let sign = if millis < 0 { "-" } else { "" };
    let millis = millis.unsigned_abs();
    let (seconds, rest) = (millis / 1000, millis % 1000);
    let clock = format!(
        "{sign}{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    match rest {
        0 => clock,
        rest => format!("{clock}.{rest:03}"),
    }
}

/// `2004-09-01T00:00:00` is a day, and other times stand behind a blank.
fn in_iso(text: &str) -> String {
    match text.split_once('T') {
        Some((day, time)) if time.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')) => day.to_owned(),
        Some((day, time)) => format!("{day} {time}"),
        None => text.to_owned(),
    }
}

/// `PT04H35M00S` as hours, minutes and seconds.
fn in_duration(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1.0, text),
        None => (1.0, text),
    };
    let (days, time) = text.strip_prefix('P')?.split_once('T')?;
    let mut seconds = 0.0;
    if let Some(days) = days.strip_suffix('D') {
        seconds += days.parse::<f64>().ok()? * 86_400.0;
    }
    let mut number = String::new();
    for c in time.chars() {
        let unit = match c {
            'H' => 3600.0,
            'M' => 60.0,
            'S' => 1.0,
            digit => {
                number.push(if digit == ',' { '.' } else { digit });
                continue;
            }
        };
        seconds += number.parse::<f64>().ok()? * unit;
        number.clear();
    }
    Some(in_clock((sign * seconds * 1000.0).round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_written_as_people_see_them() {
        let date = |days| {
            written(
                &Data::DateTime(ExcelDateTime::new(
                    days,
                    calamine::ExcelDateTimeType::DateTime,
                    false,
                )),
                false,
            )
        };
        assert_eq!(date(38231.0), "2004-09-01");
        assert_eq!(date(38231.5), "2004-09-01 12:00:00");
        assert_eq!(date(0.5), "12:00:00");
        let long = ExcelDateTime::new(1.5, calamine::ExcelDateTimeType::TimeDelta, false);
        assert_eq!(written(&Data::DateTime(long), false), "36:00:00");
        assert_eq!(written(&Data::Float(0.1 + 0.2), false), "0.3");
        assert_eq!(written(&Data::Float(1260.0), false), "1260");
        assert_eq!(written(&Data::Float(0.125), true), "12.5%");
        assert_eq!(
            written(&Data::DateTimeIso("2004-09-01T00:00:00".to_owned()), false),
            "2004-09-01"
        );
        assert_eq!(
            written(&Data::DurationIso("PT04H35M00S".to_owned()), false),
            "4:35:00"
        );
        assert!(is_share("0.0%") && !is_share("0\"%\""));
    }
}
