//! One random table of a domain.

use super::Split;
use super::domains::{Amount, Counted, Domain, Format, Key, Kind, Range, TimeForm, Values};
use super::names;
use mapo_composing::Choices;
use mapo_tables::{Table, TableBuilder, column_name};
use mapo_text::{Date, MONTHS};
use std::sync::Arc;

/// A table together with what a question needs to know of it.
pub(super) struct Sheet {
    pub domain: &'static Domain,
    pub key: &'static Key,
    pub table: Arc<Table>,
    /// The name of each row.
    pub names: Vec<String>,
    /// The columns beside the names, in no particular order.
    pub columns: Vec<SheetColumn>,
}

/// A column of a table.
pub(super) struct SheetColumn {
    pub kind: &'static Kind,
    /// What a question calls it.
    pub noun: String,
    /// What programs call it, without the type.
    pub name: String,
    /// How its numbers are written.
    pub format: Format,
    pub cells: Vec<Cell>,
}

/// A cell: its text, and the numbers or date from which it was written.
#[derive(Clone, Default)]
pub(super) struct Cell {
    pub text: String,
    pub numbers: Vec<i64>,
    pub date: Option<Date>,
    pub missing: bool,
}

impl SheetColumn {
    /// Whether no cell is missing.
    pub fn is_whole(&self) -> bool {
        self.cells.iter().all(|cell| !cell.missing)
    }
}

/// What stands in a cell that is missing.
const MISSING: [&str; 3] = ["", "—", "n/a"];
const FEWEST_ROWS: i64 = 5;
const MOST_ROWS: i64 = 14;
const FEWEST_COLUMNS: i64 = 4;
const MOST_COLUMNS: i64 = 7;

impl Sheet {
    /// A table of the domain.
    pub fn draw(name: String, domain: &'static Domain, split: Split, choices: &mut Choices) -> Option<Sheet> {
        let rows = choices.between(FEWEST_ROWS, MOST_ROWS, 1) as usize;
        let names = names::draw(domain.names, rows, split, choices);
        let rows = names.len();
        let key = choices.pick(domain.keys)?;
        let mut columns = Vec::new();
        for feature in chosen_features(domain, choices) {
            let feature = &domain.columns[feature];
            let header = *choices.pick(feature.headers)?;
            if column_name(header) == column_name(key.header) {
                continue;
            }
            let format = format_of(&feature.kind, choices);
            let mut cells = draw_cells(&feature.kind, format, rows, split, choices);
            if matters_when_missing(&feature.kind) && choices.one_in(4) {
                let text = (*choices.pick(&MISSING)?).to_owned();
                let row = choices.below(rows);
                cells[row] = Cell {
                    text,
                    missing: true,
                    ..Cell::default()
                };
            }
            columns.push((
                header,
                SheetColumn {
                    kind: &feature.kind,
                    noun: noun_of(header),
                    name: column_name(header),
                    format,
                    cells,
                },
            ));
        }
        let (headers, columns): (Vec<&str>, Vec<SheetColumn>) = columns.into_iter().unzip();
        let mut sheet = Sheet {
            domain,
            key,
            table: Arc::new(TableBuilder::new("", [""; 0]).finish()),
            names,
            columns,
        };
        sheet.sort(choices);
        sheet.table = Arc::new(sheet.write(name, &headers, choices));
        Some(sheet)
    }

    /// What the rows are numbered by, if they are: time within a season, else something counted.
    fn ranked_by(&self) -> Option<usize> {
        let place = |fits: fn(&Kind) -> bool| self.columns.iter().position(|column| fits(column.kind));
        place(|kind| matches!(kind, Kind::Rank))?;
        place(|kind| {
            matches!(
                kind,
                Kind::Time {
                    form: TimeForm::Season,
                    ..
                }
            )
        })
        .or_else(|| place(|kind| matches!(kind, Kind::Counts { .. })))
    }

    /// Puts the rows in an order that such tables have: by name, by a number, by time, or none.
    fn sort(&mut self, choices: &mut Choices) {
        let drawn = choices.below(self.columns.len() + 2);
        let by = self.ranked_by().unwrap_or(drawn);
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        if let Some(column) = self.columns.get(by) {
            // Numbers fall and times rise, as in a ranking and in a chronicle.
            order.sort_by_key(|row| {
                let cell = &column.cells[*row];
                let date = cell.date.map(Date::key);
                (date, cell.numbers.first().map(|number| -number))
            });
        } else if by == self.columns.len() {
            order.sort_by(|a, b| self.names[*a].cmp(&self.names[*b]));
        }
        self.names = order.iter().map(|row| self.names[*row].clone()).collect();
        for column in &mut self.columns {
            // The number of a row stays in its place.
            if !matches!(column.kind, Kind::Rank) {
                column.cells = order.iter().map(|row| column.cells[*row].clone()).collect();
            }
        }
    }

    fn write(&self, name: String, headers: &[&str], choices: &mut Choices) -> Table {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        choices.shuffle(&mut order);
        // Most tables start with what their rows are about.
        let place = if choices.one_in(3) {
            choices.below(order.len() + 1)
        } else {
            0
        };
        let mut titles: Vec<&str> = order.iter().map(|column| headers[*column]).collect();
        titles.insert(place, self.key.header);
        let mut builder = TableBuilder::new(name, titles);
        for (row, named) in self.names.iter().enumerate() {
            let mut cells: Vec<&str> = order
                .iter()
                .map(|column| self.columns[*column].cells[row].text.as_str())
                .collect();
            cells.insert(place, named);
            builder.push_row(cells);
        }
        builder.finish()
    }
}

/// Which columns a table has: at least one group and one number, the rest at random.
fn chosen_features(domain: &Domain, choices: &mut Choices) -> Vec<usize> {
    let mut features: Vec<usize> = (0..domain.columns.len()).collect();
    choices.shuffle(&mut features);
    let wanted = choices.between(FEWEST_COLUMNS, MOST_COLUMNS, 1) as usize - 1;
    let is_group = |feature: usize| matches!(domain.columns[feature].kind, Kind::Group { .. });
    let is_number = |feature: usize| {
        matches!(
            domain.columns[feature].kind,
            Kind::Amount(_) | Kind::Counts { .. }
        )
    };
    let mut chosen: Vec<usize> = Vec::new();
    chosen.extend(features.iter().copied().find(|feature| is_group(*feature)));
    chosen.extend(features.iter().copied().find(|feature| is_number(*feature)));
    for feature in features {
        if chosen.len() < wanted && !chosen.contains(&feature) {
            chosen.push(feature);
        }
    }
    chosen
}

/// Missing ranks and groups would make a table odd rather than real.
fn matters_when_missing(kind: &Kind) -> bool {
    matches!(kind, Kind::Amount(_) | Kind::Counts { .. } | Kind::Detail(_))
}

/// What a question calls a column: its header without what is in brackets.
fn noun_of(header: &str) -> String {
    let noun = header.split('(').next().unwrap_or(header).trim();
    let mut letters = noun.chars();
    // An abbreviation keeps its capitals.
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(noun.chars().skip(1)).collect()
        }
        _ => noun.to_owned(),
    }
}

fn format_of(kind: &Kind, choices: &mut Choices) -> Format {
    match kind {
        Kind::Amount(Amount { formats, .. }) | Kind::Counts { formats, .. } => {
            choices.pick(formats).copied().unwrap_or(Format::Plain)
        }
        _ => Format::Plain,
    }
}

fn draw_cells(kind: &Kind, format: Format, rows: usize, split: Split, choices: &mut Choices) -> Vec<Cell> {
    let texts = |texts: Vec<String>| {
        texts
            .into_iter()
            .map(|text| Cell {
                text,
                ..Cell::default()
            })
            .collect()
    };
    match kind {
        Kind::Group { values, .. } => texts(draw_groups(values, rows, split, choices)),
        Kind::Detail(names) => texts(names::draw(*names, rows, split, choices)),
        Kind::Rank => (1..=rows as i64)
            .map(|rank| number_cell(vec![rank], Format::Plain))
            .collect(),
        Kind::Amount(Amount { range, .. }) => (0..rows)
            .map(|_| number_cell(vec![range.draw(choices)], format))
            .collect(),
        Kind::Counts { range, counted, .. } => (0..rows)
            .map(|_| number_cell(draw_counts(*range, counted, choices), format))
            .collect(),
        Kind::Time { years, form, .. } => draw_times(*years, *form, rows, choices),
    }
}

/// A few values, some of them in several rows.
fn draw_groups(values: &Values, rows: usize, split: Split, choices: &mut Choices) -> Vec<String> {
    let count = choices.between(2, (rows as i64 / 2).min(4), 1) as usize;
    let pool: Vec<String> = match values {
        Values::Names(names) => names::draw(*names, count, split, choices),
        Values::Words(words) => {
            let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            choices.shuffle(&mut words);
            words.truncate(count);
            words
        }
    };
    // The first is drawn twice as often, so that most tables have one most common value.
    let draw = |_| {
        let place = choices.below(pool.len() + 1);
        pool.get(place.saturating_sub(1)).cloned().unwrap_or_default()
    };
    (0..rows).map(draw).collect()
}

impl Range {
    fn draw(&self, choices: &mut Choices) -> i64 {
        let mut high = self.high;
        while self.skewed && high / 2 > self.low + 3 * self.step && choices.one_in(2) {
            high /= 2;
        }
        choices.between(self.low, high, self.step)
    }
}

fn draw_counts(range: Range, counted: &[Counted], choices: &mut Choices) -> Vec<i64> {
    counted.iter().map(|_| range.draw(choices)).collect()
}

fn number_cell(numbers: Vec<i64>, format: Format) -> Cell {
    let texts: Vec<String> = numbers.iter().map(|number| format.write(*number)).collect();
    Cell {
        text: texts.join("–"),
        numbers,
        ..Cell::default()
    }
}

impl Format {
    /// A number of smallest units, as it stands in a cell.
    pub fn write(self, number: i64) -> String {
        match self {
            Format::Plain => number.to_string(),
            Format::Commas => with_commas(number),
            Format::Tenths => format!("{}.{}", number / 10, number % 10),
            Format::Hundredths => format!("{}.{:02}", number / 100, number % 100),
            Format::Percent => format!("{}.{}%", number / 10, number % 10),
            Format::Millions => format!("${}.{} million", number / 10, number % 10),
            Format::Clock => {
                format!("{}:{:02}.{:02}", number / 6000, number % 6000 / 100, number % 100)
            }
            Format::With(unit) => format!("{number}{unit}"),
        }
    }

    /// The same as a question says it.
    pub fn say(self, number: i64, unit: &str) -> String {
        match self {
            Format::With(_) => format!("{number}{unit}"),
            _ => format!("{}{unit}", self.write(number)),
        }
    }
}

/// `1,234`
fn with_commas(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Times of one column, all written in one way.
fn draw_times(years: (i64, i64), form: TimeForm, rows: usize, choices: &mut Choices) -> Vec<Cell> {
    let style = choices.below(4);
    let start = choices.between(years.0, years.1, 1);
    // Tables cover a stretch of time, not all of it.
    let (first, last) = match choices.below(3) {
        0 => years,
        _ => (start.min(years.1 - 12), start.min(years.1 - 12) + 12),
    };
    let mut times: Vec<(i64, u8, u8)> = (0..rows)
        .map(|_| {
            let day = choices.between(1, 28, 1) as u8;
            match form {
                TimeForm::Season => {
                    let month = choices.below(9);
                    (start + i64::from(month > 3), ((month + 8) % 12 + 1) as u8, day)
                }
                _ => (
                    choices.between(first, last, 1),
                    choices.between(1, 12, 1) as u8,
                    day,
                ),
            }
        })
        .collect();
    if form == TimeForm::Season {
        times.sort_unstable();
        times.dedup();
        while times.len() < rows {
            times.push((start + 1, 6, times.len() as u8 + 1));
        }
    }
    times
        .into_iter()
        .map(|time| time_cell(time, form, style))
        .collect()
}

fn time_cell((year, month, day): (i64, u8, u8), form: TimeForm, style: usize) -> Cell {
    if form == TimeForm::Year {
        return Cell {
            text: year.to_string(),
            date: Some(Date::of_year(year as i32)),
            ..Cell::default()
        };
    }
    let name = MONTHS[usize::from(month) - 1];
    let text = match style {
        0 => format!("{name} {day}, {year}"),
        1 => format!("{day} {name} {year}"),
        2 => format!("{year}-{month:02}-{day:02}"),
        _ => format!("{} {day}, {year}", &name[..3]),
    };
    Cell {
        text,
        date: Some(Date {
            year: Some(year as i32),
            month: Some(month),
            day: Some(day),
        }),
        ..Cell::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let cases = [
            (Format::Commas, 1_234_567, "1,234,567"),
            (Format::Commas, 999, "999"),
            (Format::Tenths, 125, "12.5"),
            (Format::Hundredths, 705, "7.05"),
            (Format::Millions, 42, "$4.2 million"),
            (Format::Clock, 11_231, "1:52.31"),
            (Format::With(" min"), 112, "112 min"),
        ];
        for (format, number, text) in cases {
            assert_eq!(format.write(number), text);
        }
    }
}
