//! Which rows of a table are shown, and in which order: searched, filtered and sorted as in a spreadsheet.
//!
//! Whatever is looked for is looked for in the distinct texts of a column, and only then in its rows, so that a
//! table of millions of rows is looked through in a moment.

use mapo_stopping::check;
use mapo_tables::{Column, ColumnKind, Table, Value};
use mapo_text::Date;
use mapo_text::read::read_cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What somebody wants to see of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    /// Words that must all stand in a row, in any of its cells, in lower case.
    words: Vec<String>,
    /// What must hold of the cells of a column.
    tests: Vec<(usize, Test)>,
    /// The column by which rows are sorted, and whether the largest comes first.
    sort: Option<(usize, bool)>,
}

/// What must hold of a cell.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    Empty,
    Given,
    /// Stands in the cell, in lower case; or does not.
    Contains(String, bool),
    /// Is the cell, in lower case; or is not.
    Is(String, bool),
    Number(Relation, f64),
    Date(Relation, Date),
    Between(f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Relation {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Relation::Less => ordering.is_lt(),
            Relation::AtMost => ordering.is_le(),
            Relation::More => ordering.is_gt(),
            Relation::AtLeast => ordering.is_ge(),
        }
    }
}

/// The most words and the most columns that are looked at together.
const MOST_WORDS: usize = 20;
const MOST_TESTS: usize = 50;
/// A reading orders a column if at least so many of its cells have it, in tenths.
const MOST_CELLS: usize = 8;

impl View {
    /// What is wanted: words, for columns by their number what must hold, and the column to sort by.
    ///
    /// # Errors
    /// One sentence that says what is wrong.
    pub fn new(
        table: &Table,
        search: &str,
        tests: &BTreeMap<usize, String>,
        sort: Option<(usize, bool)>,
    ) -> Result<Self, String> {
        let columns = table.headers().len();
        let there = |column: usize| match column < columns {
            true => Ok(column),
            false => Err(format!(
                "there is no column {column}; they are numbered from 0 to {}",
                columns.saturating_sub(1)
            )),
        };
        let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
        if words.len() > MOST_WORDS {
            return Err(format!("at most {MOST_WORDS} words can be looked for together"));
        }
        if tests.len() > MOST_TESTS {
            return Err(format!("at most {MOST_TESTS} columns can be filtered together"));
        }
        let tests = tests.iter().filter(|(_, text)| !text.trim().is_empty());
        let tests =
            tests.map(|(&column, text)| Ok((there(column)?, Test::read(table, column, text.trim())?)));
        Ok(View {
            words,
            tests: tests.collect::<Result<_, String>>()?,
            sort: sort
                .map(|(column, down)| Ok::<_, String>((there(column)?, down)))
                .transpose()?,
        })
    }

    /// Whether it shows all rows as they stand.
    pub fn is_plain(&self) -> bool {
        *self == View::default()
    }

    /// The rows of these that are wanted, in the order that is wanted.
    pub fn of(&self, table: &Table, rows: Vec<u32>) -> Vec<u32> {
        let mut rows = rows;
        for (column, test) in &self.tests {
            let fits = test.texts_that_fit(table, *column);
            let texts = texts_of(table, *column);
            rows.retain(|&row| fits.has(texts[row as usize]));
            check();
        }
        for word in &self.words {
            let mut found = vec![false; rows.len()];
            for column in 0..table.headers().len() {
                let fits = Test::Contains(word.clone(), true).texts_that_fit(table, column);
                let texts = texts_of(table, column);
                for (found, &row) in found.iter_mut().zip(&rows) {
                    *found |= fits.has(texts[row as usize]);
                }
                check();
            }
            let mut found = found.into_iter();
            rows.retain(|_| found.next().unwrap_or(false));
        }
        if let Some((column, down)) = self.sort {
            sort(table, column, down, &mut rows);
        }
        rows
    }
}

impl Test {
    /// Reads what stands in a column's filter: `>100`, `<=2014-03`, `10..20`, `=Oslo`, `!Oslo`, `=` for empty cells,
    /// `!=` for all others, or just words that the cell must hold.
    fn read(table: &Table, column: usize, text: &str) -> Result<Test, String> {
        let relations = [
            (">=", Relation::AtLeast),
            ("<=", Relation::AtMost),
            (">", Relation::More),
            ("<", Relation::Less),
        ];
        for (sign, relation) in relations {
            if let Some(rest) = text.strip_prefix(sign) {
                return Test::compare(table, column, relation, rest.trim());
            }
        }
        if let Some((from, to)) = text.split_once("..")
            && let (Some(from), Some(to)) = (number(from), number(to))
            && reading(table, column, ColumnKind::Number).is_some()
        {
            return Ok(Test::Between(from, to));
        }
        Ok(match text {
            "=" => Test::Empty,
            "!=" => Test::Given,
            _ => {
                let lower = |text: &str| text.trim().to_lowercase();
                if let Some(rest) = text.strip_prefix("!=") {
                    Test::Is(lower(rest), false)
                } else if let Some(rest) = text.strip_prefix('=') {
                    Test::Is(lower(rest), true)
                } else if let Some(rest) = text.strip_prefix('!').filter(|rest| !rest.trim().is_empty()) {
                    Test::Contains(lower(rest), false)
                } else {
                    Test::Contains(lower(text), true)
                }
            }
        })
    }

    fn compare(table: &Table, column: usize, relation: Relation, text: &str) -> Result<Test, String> {
        let header = &table.headers()[column];
        let dates = reading(table, column, ColumnKind::Date);
        let numbers = reading(table, column, ColumnKind::Number);
        let date = read_cell(text).date.filter(|_| dates.is_some());
        match (date, number(text)) {
            // A year alone is a number too, and where a column has both the days matter.
            (Some(date), _) if dates.is_some_and(knows_days) || numbers.is_none() => {
                Ok(Test::Date(relation, date))
            }
            (_, Some(number)) if numbers.is_some() => Ok(Test::Number(relation, number)),
            (Some(date), _) => Ok(Test::Date(relation, date)),
            _ if numbers.is_none() && dates.is_none() => Err(format!(
                "{header} holds neither numbers nor dates that '{text}' could be compared with; write words to look for"
            )),
            _ => Err(format!(
                "'{text}' is neither a number nor a date; write it as in >100 or <=2014-03-05"
            )),
        }
    }

    /// The distinct texts of a column of which it holds.
    fn texts_that_fit(&self, table: &Table, column: usize) -> Marked {
        let texts = table.raw_texts(column);
        let mut fits = Marked::new(texts.len());
        match self {
            Test::Number(..) | Test::Between(..) | Test::Date(..) => {
                let kind = match self {
                    Test::Date(..) => ColumnKind::Date,
                    _ => ColumnKind::Number,
                };
                // A value belongs to a text, so that one row of each text is enough.
                let mut seen = Marked::new(texts.len());
                if let Some(reading) = reading(table, column, kind) {
                    for (row, &text) in reading.texts().iter().enumerate() {
                        if !seen.has(text) {
                            seen.add(text);
                            if reading.value(row).is_some_and(|value| self.holds_of(value)) {
                                fits.add(text);
                            }
                            check();
                        }
                    }
                }
            }
            _ => {
                for (place, text) in (0u32..).zip(texts.iter()) {
                    if self.holds_of_text(text) {
                        fits.add(place);
                    }
                    if place % 1024 == 0 {
                        check();
                    }
                }
            }
        }
        fits
    }

    fn holds_of(&self, value: Value<'_>) -> bool {
        match (self, value) {
            (Test::Number(relation, than), Value::Number(number)) => relation.holds(number.total_cmp(than)),
            (Test::Between(from, to), Value::Number(number)) => (*from..=*to).contains(&number),
            (Test::Date(relation, than), Value::Date(date)) => date
                .compare(*than)
                .is_some_and(|ordering| relation.holds(ordering)),
            _ => false,
        }
    }

    fn holds_of_text(&self, text: &str) -> bool {
        match self {
            Test::Empty => text.trim().is_empty(),
            Test::Given => !text.trim().is_empty(),
            Test::Contains(part, wanted) => text.to_lowercase().contains(part.as_str()) == *wanted,
            Test::Is(whole, wanted) => (text.trim().to_lowercase() == *whole) == *wanted,
            Test::Number(..) | Test::Between(..) | Test::Date(..) => false,
        }
    }
}

/// Some of the texts of a column.
struct Marked(Vec<bool>);

impl Marked {
    fn new(texts: usize) -> Self {
        Marked(vec![false; texts])
    }

    fn add(&mut self, text: u32) {
        self.0[text as usize] = true;
    }

    fn has(&self, text: u32) -> bool {
        self.0[text as usize]
    }
}

/// For every row the number of its text among those of the column.
fn texts_of(table: &Table, source: usize) -> &[u32] {
    let mut readings = table.columns().iter();
    readings
        .find(|column| column.source() == source)
        .map_or(&[], Column::texts)
}

/// A reading of a column of the file.
fn reading(table: &Table, source: usize, kind: ColumnKind) -> Option<&Column> {
    let mut readings = table.columns().iter();
    readings.find(|column| column.source() == source && column.kind() == kind)
}

/// Whether some date of a column is more than a year.
fn knows_days(column: &Column) -> bool {
    let more = |value: Value<'_>| matches!(value, Value::Date(date) if date.month.is_some());
    column.values().any(more)
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    text.parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .or_else(|| read_cell(text).number)
}

/// Sorts rows by a column: by its dates or numbers where most cells have them, else by its texts with numbers in
/// them in their order. Cells without come last in either direction, and rows with equal cells keep their order.
fn sort(table: &Table, source: usize, down: bool, rows: &mut [u32]) {
    let enough = |column: &&Column| column.present().len() * 10 >= table.rows() * MOST_CELLS;
    let dates = reading(table, source, ColumnKind::Date)
        .filter(enough)
        .filter(|column| knows_days(column));
    let numbers = reading(table, source, ColumnKind::Number).filter(enough);
    let years = reading(table, source, ColumnKind::Date).filter(enough);
    let turned = |ordering: Ordering| if down { ordering.reverse() } else { ordering };
    if let Some(column) = dates.or(numbers).or(years) {
        rows.sort_by(
            |&one, &other| match (column.value(one as usize), column.value(other as usize)) {
                (Some(one), Some(other)) => turned(compare(one, other)),
                (one, other) => other.is_some().cmp(&one.is_some()),
            },
        );
        return;
    }
    let texts = table.raw_texts(source);
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    let keys: Vec<String> = texts.iter().map(|text| text.trim().to_lowercase()).collect();
    check();
    order.sort_by(|&one, &other| natural(&keys[one as usize], &keys[other as usize]));
    check();
    let mut rank = vec![0u32; texts.len()];
    let mut last: Option<(u32, u32)> = None;
    for (place, text) in (0u32..).zip(order) {
        // Equal texts have one rank.
        let same = last.filter(|(_, before)| keys[*before as usize] == keys[text as usize]);
        let place = same.map_or(place, |(place, _)| place);
        rank[text as usize] = place;
        last = Some((place, text));
    }
    let of_row = texts_of(table, source);
    let is_empty = |row: u32| keys[of_row[row as usize] as usize].is_empty();
    rows.sort_by(|&one, &other| {
        let rank = |row: u32| rank[of_row[row as usize] as usize];
        is_empty(one)
            .cmp(&is_empty(other))
            .then_with(|| turned(rank(one).cmp(&rank(other))))
    });
}

fn compare(one: Value<'_>, other: Value<'_>) -> Ordering {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.total_cmp(&other),
        (Value::Date(one), Value::Date(other)) => one.key().cmp(&other.key()),
        _ => Ordering::Equal,
    }
}

/// Texts as people order them: `Race 9` before `Race 10`.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        match (Part::first(one), Part::first(other)) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some((mine, rest)), Some((theirs, others))) => {
                let ordering = mine.compare(&theirs);
                if ordering.is_ne() {
                    return ordering;
                }
                (one, other) = (rest, others);
            }
        }
    }
}

/// A part of a text: its digits in a row, or one other character.
enum Part<'a> {
    Digits(&'a str),
    Other(char),
}

impl<'a> Part<'a> {
    fn first(text: &'a str) -> Option<(Self, &'a str)> {
        let length = text.bytes().take_while(u8::is_ascii_digit).count();
        if length > 0 {
            return Some((Part::Digits(&text[..length]), &text[length..]));
        }
        let mut rest = text.chars();
        rest.next().map(|other| (Part::Other(other), rest.as_str()))
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Part::Digits(one), Part::Digits(other)) => {
                let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
                one.len().cmp(&other.len()).then_with(|| one.cmp(other))
            }
            (Part::Digits(_), Part::Other(_)) => Ordering::Less,
            (Part::Other(_), Part::Digits(_)) => Ordering::Greater,
            (Part::Other(one), Part::Other(other)) => one.cmp(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn table() -> Table {
        let mut builder = TableBuilder::new("races", ["Race", "Town", "Held", "Runners"]);
        builder.push_row(["Race 10", "Oslo", "2014-03-05", "120"]);
        builder.push_row(["Race 9", "bergen", "2013-11-20", "95"]);
        builder.push_row(["Race 2", "Oslo", "2014-01-02", ""]);
        builder.push_row(["Race 30", "", "2015-07-01", "1,004"]);
        builder.push_row(["Race 4", "Bergen", "2012-02-02", "95"]);
        builder.finish()
    }

    fn shown(search: &str, tests: &[(usize, &str)], sort: Option<(usize, bool)>) -> Vec<u32> {
        let table = table();
        let tests = tests.iter().map(|(column, text)| (*column, text.to_string()));
        let view = View::new(&table, search, &tests.collect(), sort).unwrap();
        view.of(&table, (0..5).collect())
    }

    #[test]
    fn rows_are_sorted_as_people_sort_them() {
        assert_eq!(
            shown("", &[], Some((0, false))),
            [2, 4, 1, 0, 3],
            "numbers in texts"
        );
        assert_eq!(
            shown("", &[], Some((1, false))),
            [1, 4, 0, 2, 3],
            "texts, nothing last"
        );
        assert_eq!(
            shown("", &[], Some((1, true))),
            [0, 2, 1, 4, 3],
            "nothing last here too"
        );
        assert_eq!(shown("", &[], Some((2, false))), [4, 1, 2, 0, 3], "dates");
        assert_eq!(
            shown("", &[], Some((3, true))),
            [3, 0, 1, 4, 2],
            "numbers, equal ones as they stand"
        );
    }

    #[test]
    fn rows_are_searched_and_filtered() {
        assert_eq!(shown("BERGEN", &[], None), [1, 4]);
        assert_eq!(shown("oslo 2014-03", &[], None), [0], "all words, in any cell");
        for (column, test, rows) in [
            (1, "osl", &[0, 2][..]),
            (1, "=bergen", &[1, 4]),
            (1, "!oslo", &[1, 3, 4]),
            (1, "!=oslo", &[1, 3, 4]),
            (1, "=", &[3]),
            (1, "!=", &[0, 1, 2, 4]),
            (3, ">100", &[0, 3]),
            (3, ">=1,004", &[3]),
            (3, "90..120", &[0, 1, 4]),
            (2, ">2014", &[3]),
            (2, ">=2014", &[0, 2, 3]),
            (2, "<2014-01-02", &[1, 4]),
            (2, "<= 2013-11-20", &[1, 4]),
        ] {
            assert_eq!(shown("", &[(column, test)], None), rows, "{column} {test}");
        }
        assert_eq!(shown("oslo", &[(3, ">100")], Some((3, true))), [0]);
        assert_eq!(shown("", &[(1, " ")], None).len(), 5, "an empty filter is none");
    }

    #[test]
    fn what_cannot_be_looked_for_is_said() {
        let table = table();
        let wrong = |column: usize, test: &str| {
            let tests = BTreeMap::from([(column, test.to_owned())]);
            View::new(&table, "", &tests, None).unwrap_err()
        };
        assert!(
            wrong(1, ">5").contains("Town holds neither numbers nor dates"),
            "{}",
            wrong(1, ">5")
        );
        assert!(wrong(3, ">many").contains("'many' is neither a number nor a date"));
        assert!(wrong(9, "x").contains("there is no column 9"));
        assert!(View::new(&table, &"a ".repeat(30), &BTreeMap::new(), None).is_err());
    }
}
