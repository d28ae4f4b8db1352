//! Programs in plain English.

use super::layout::Layout;
use super::operation::{Comparison, Extreme, Operation, Rows, Values};
use crate::Program;
use mapo_tables::Constant;
use mapo_tables::{ColumnId, ColumnKind, Table, Value};
use mapo_text::{Date, MONTHS};

/// What a program says, in plain English, a phrase for each step.
///
/// ```
/// use mapo_tables::TableBuilder;
/// use mapo_language::explain::english;
/// let mut builder = TableBuilder::new("people.csv", ["Name", "Hometown"]);
/// builder.push_row(["Anne", "Tulsa"]);
/// let program = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)".parse().unwrap();
/// assert_eq!(english(&program, &builder.finish()), "rows where Hometown contains 'tulsa' → Name");
/// ```
///
/// A program that is none for this table, for instance because a column is missing, comes as it is written.
pub fn english(program: &Program, table: &Table) -> String {
    let Ok(operations) = Operation::all(program, table) else {
        return program.to_string();
    };
    let phrases = (0..operations.len()).map(|step| Phrase::new(&operations, step, table).text());
    let phrases: Vec<String> = phrases.collect();
    // Steps are numbered where a phrase speaks of one by its number.
    let speaks = |step: usize| {
        let operation = &operations[step];
        let back = operation.uses().any(|used| used + 1 != step);
        back || matches!(operation, Operation::Diff(..))
    };
    match (0..operations.len()).any(speaks) {
        true => {
            let numbered = (1..).zip(phrases);
            let numbered = numbered.map(|(number, phrase)| format!("({number}) {phrase}"));
            numbered.collect::<Vec<_>>().join(" → ")
        }
        false => phrases.join(" → "),
    }
}

/// What one expression of a program says. `step` counts from 0; a program that is none for this table, or has no such
/// step, comes as it is written.
pub fn describe(program: &Program, step: usize, table: &Table) -> String {
    match Operation::all(program, table) {
        Ok(operations) if step < operations.len() => Phrase::new(&operations, step, table).text(),
        _ => program
            .expressions
            .get(step)
            .map(ToString::to_string)
            .unwrap_or_default(),
    }
}

struct Phrase<'a> {
    operations: &'a [Operation<'a>],
    step: usize,
    table: &'a Table,
}

/// Whose rows a phrase is about.
enum Whose {
    /// All rows, in the first phrase.
    All,
    /// All rows, after phrases about others.
    AllAgain,
    /// Those of the phrase before.
    Previous,
    /// Those of a phrase further back, by its number from 1.
    Step(usize),
}

impl<'a> Phrase<'a> {
    fn new(operations: &'a [Operation<'a>], step: usize, table: &'a Table) -> Self {
        Phrase {
            operations,
            step,
            table,
        }
    }

    fn text(&self) -> String {
        let operation = &self.operations[self.step];
        let whose = self.whose(operation.rows());
        match *operation {
            Operation::Hop(_, column) => format!("{}{}", self.column(column).full(), self.of(&whose)),
            Operation::ArgMost(_, column, extreme) => {
                let best = self.best(column, extreme);
                self.kept(&whose, format!("with {best}"), format!("with {best}"))
            }
            Operation::Compare(_, comparison, values, column) => {
                let compared = self.compared(comparison, values, column);
                self.kept_where(&whose, column, &compared)
            }
            Operation::Contains(_, true, values, column) => {
                let strings = self.strings(values);
                self.kept_where(&whose, column, &format!("contains {strings}"))
            }
            Operation::Contains(_, false, values, column) => {
                let strings = self.strings(values);
                match whose {
                    Whose::Previous => {
                        format!(
                            "drop those whose {} contains {strings}",
                            self.column(column).bare()
                        )
                    }
                    _ => self.kept_where(&whose, column, &format!("does not contain {strings}")),
                }
            }
            Operation::First(_) => self.picked(&whose, "the first"),
            Operation::Last(_) => self.picked(&whose, "the last"),
            Operation::Previous(_) => self.beside(&whose, "just above"),
            Operation::Next(_) => self.beside(&whose, "just below"),
            Operation::Count(_) => match whose {
                Whose::All | Whose::AllAgain => "how many rows there are".to_owned(),
                Whose::Previous => "how many there are".to_owned(),
                Whose::Step(number) => format!("how many rows step {number} gives"),
            },
            Operation::Most(_, column, extreme) => {
                format!("{}{}", self.best(column, extreme), self.of(&whose))
            }
            Operation::Average(_, column) => {
                format!("the average {}{}", self.column(column).bare(), self.of(&whose))
            }
            Operation::Sum(_, column) => {
                format!("the total {}{}", self.column(column).bare(), self.of(&whose))
            }
            Operation::Mode(_, column) => {
                format!(
                    "the most common {}{}",
                    self.column(column).bare(),
                    self.of(&whose)
                )
            }
            Operation::SameAs(_, column) => {
                let same = format!("other rows with the same {}", self.column(column).bare());
                match whose {
                    Whose::Previous => same,
                    Whose::All | Whose::AllAgain => format!("{same} as some row"),
                    Whose::Step(number) => format!("{same} as the row of step {number}"),
                }
            }
            Operation::Diff(one, other, column) => {
                let row = |rows| match rows {
                    Rows::All => "the only row".to_owned(),
                    Rows::Step(step) => format!("step {}", step + 1),
                };
                let bare = self.column(column).bare();
                format!("the difference in {bare} between {} and {}", row(one), row(other))
            }
        }
    }

    fn whose(&self, rows: Rows) -> Whose {
        match rows {
            Rows::All if self.step == 0 => Whose::All,
            Rows::All => Whose::AllAgain,
            Rows::Step(step) if step + 1 == self.step => Whose::Previous,
            Rows::Step(step) => Whose::Step(step + 1),
        }
    }

    /// What follows values that are read off rows.
    fn of(&self, whose: &Whose) -> String {
        match whose {
            Whose::All | Whose::AllAgain => " of all rows".to_owned(),
            Whose::Previous => String::new(),
            Whose::Step(number) => format!(" of the rows of step {number}"),
        }
    }

    /// Rows of which some are kept: `rows where …`, `keep those whose …`.
    fn kept(&self, whose: &Whose, of_rows: String, of_those: String) -> String {
        match whose {
            Whose::All => format!("rows {of_rows}"),
            Whose::AllAgain => format!("of all rows, those {of_those}"),
            Whose::Previous => format!("keep those {of_those}"),
            Whose::Step(number) => format!("of the rows of step {number}, those {of_those}"),
        }
    }

    fn kept_where(&self, whose: &Whose, column: ColumnId, holds: &str) -> String {
        let column = self.column(column);
        let of_rows = format!("where {} {holds}", column.full());
        self.kept(whose, of_rows, format!("whose {} {holds}", column.bare()))
    }

    fn picked(&self, whose: &Whose, which: &str) -> String {
        match whose {
            Whose::All | Whose::AllAgain => format!("{which} row of all"),
            Whose::Previous => format!("{which} of those"),
            Whose::Step(number) => format!("{which} of the rows of step {number}"),
        }
    }

    fn beside(&self, whose: &Whose, place: &str) -> String {
        match whose {
            Whose::All | Whose::AllAgain => format!("the row {place} each row"),
            Whose::Previous => format!("the row {place} each"),
            Whose::Step(number) => format!("the row {place} each of step {number}"),
        }
    }

    /// `the largest Points`, `the earliest date in Founded`.
    fn best(&self, column: ColumnId, extreme: Extreme) -> String {
        let which = match (self.table.column(column).kind(), extreme) {
            (ColumnKind::Date, Extreme::Largest) => "latest",
            (ColumnKind::Date, Extreme::Smallest) => "earliest",
            (_, Extreme::Largest) => "largest",
            (_, Extreme::Smallest) => "smallest",
        };
        format!("the {which} {}", self.column(column).bare())
    }

    fn compared(&self, comparison: Comparison, values: Values<'_>, column: ColumnId) -> String {
        let given = match values {
            Values::Constant(constant) => list(constant, self.joint(comparison)),
            Values::Step(step) => self.given(step, "all of those", "all values"),
        };
        let is_date = self.table.column(column).kind() == ColumnKind::Date;
        match (comparison, is_date) {
            (Comparison::Greater, true) => format!("is after {given}"),
            (Comparison::Greater, false) => format!("is above {given}"),
            (Comparison::AtLeast, true) => format!("is {given} or later"),
            (Comparison::AtLeast, false) => format!("is {given} or more"),
            (Comparison::Less, true) => format!("is before {given}"),
            (Comparison::Less, false) => format!("is below {given}"),
            (Comparison::AtMost, true) => format!("is {given} or earlier"),
            (Comparison::AtMost, false) => format!("is {given} or less"),
            (Comparison::Equal, _) => format!("is {given}"),
            (Comparison::NotEqual, _) => format!("is not {given}"),
        }
    }

    /// How several given values are joined: a comparison is with all of them.
    fn joint(&self, comparison: Comparison) -> &'static str {
        match comparison {
            Comparison::Equal | Comparison::NotEqual => " and also ",
            _ => " and ",
        }
    }

    fn strings(&self, values: Values<'_>) -> String {
        match values {
            Values::Constant(constant) => list(constant, " or "),
            Values::Step(step) => self.given(step, "one of those", "a value"),
        }
    }

    /// The values of an earlier step: `that` where it gives one.
    fn given(&self, step: usize, those: &str, values: &str) -> String {
        let one = matches!(self.operations[step], Operation::Most(..));
        match (step + 1 == self.step, one) {
            (true, true) => "that".to_owned(),
            (true, false) => those.to_owned(),
            (false, true) => format!("the value of step {}", step + 1),
            (false, false) => format!("{values} of step {}", step + 1),
        }
    }

    fn column(&self, column: ColumnId) -> Named {
        let typed = self.table.column(column);
        let header = header(self.table, typed.source());
        let reading = match typed.kind() {
            ColumnKind::Text => None,
            ColumnKind::SecondNumber => Some("second number"),
            _ if Layout::of(self.table).is_plain(self.table, column) => None,
            ColumnKind::Number => Some("number"),
            ColumnKind::Date => Some("date"),
        };
        Named { header, reading }
    }
}

/// A column as it is spoken of.
struct Named {
    header: String,
    /// What is read in its cells, where the header alone does not say it.
    reading: Option<&'static str>,
}

impl Named {
    /// `Points`, `the number in Points`.
    fn full(&self) -> String {
        match self.reading {
            Some(_) => format!("the {}", self.bare()),
            None => self.bare(),
        }
    }

    /// `Points`, `number in Points`.
    fn bare(&self) -> String {
        match self.reading {
            Some(reading) => format!("{reading} in {}", self.header),
            None => self.header.clone(),
        }
    }
}

/// A header as it stands in the file, in one line; one that is empty is told by its number from 1.
fn header(table: &Table, source: usize) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let words = table.headers()[source]
        .split(blank)
        .filter(|word| !word.is_empty());
    match words.collect::<Vec<_>>().join(" ") {
        header if header.is_empty() => format!("column {}", source + 1),
        header => header,
    }
}

fn list(constant: &Constant, joint: &str) -> String {
    let items: Vec<String> = match constant {
        Constant::Strings(strings) => strings.iter().map(|string| format!("'{string}'")).collect(),
        Constant::Numbers(numbers) => numbers
            .iter()
            .map(|number| Value::Number(*number).to_string())
            .collect(),
        Constant::Dates(dates) => dates.iter().map(|date| date_in_words(*date)).collect(),
    };
    items.join(joint)
}

/// `8 July 2004`, `July 2004`, `2004`, `8 July`, `44 BC`.
pub(super) fn date_in_words(date: Date) -> String {
    let year = date.year.map(|year| match year < 0 {
        true => format!("{} BC", -i64::from(year)),
        false => year.to_string(),
    });
    let month = date
        .month
        .map(|month| MONTHS[(month.clamp(1, 12) - 1) as usize].to_owned());
    let day = date.day.map(|day| day.to_string());
    match (year, month, day) {
        (None, None, Some(day)) => format!("day {day} of a month"),
        (Some(year), None, Some(day)) => format!("day {day} of a month of {year}"),
        (year, month, day) => {
            let parts = [day, month, year];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn table() -> Table {
        let headers = ["Name", "Hometown", "Points", "Score", "Held", ""];
        let mut builder = TableBuilder::new("people.csv", headers);
        builder.push_row(["Anne", "Tulsa", "1,200", "3-4", "July 8, 2004", "x"]);
        builder.push_row(["Bob", "Omaha", "37", "5-6", "May 2005", "y"]);
        builder.push_row(["William Stuart Price", "Tulsa", "3", "1-1", "2003", "z"]);
        builder.finish()
    }

    #[test]
    fn every_function_is_said() {
        let cases = [
            ("(hop all_rows r.name-str)", "Name of all rows"),
            (
                "(argmax all_rows r.points-num) (hop v0 r.name-str)",
                "rows with the largest Points → Name",
            ),
            (
                "(argmin all_rows r.score-num) (hop v0 r.name-str)",
                "rows with the smallest number in Score → Name",
            ),
            (
                "(argmax all_rows r.held-date) (hop v0 r.name-str)",
                "rows with the latest date in Held → Name",
            ),
            (
                "(argmin all_rows r.held-date)",
                "rows with the earliest date in Held",
            ),
            (
                "(filter> all_rows [5] r.points-num) (count v0)",
                "rows where Points is above 5 → how many there are",
            ),
            (
                "(filter>= all_rows [2.5] r.score-num2)",
                "rows where the second number in Score is 2.5 or more",
            ),
            (
                "(filter< all_rows [2004-07-08] r.held-date)",
                "rows where the date in Held is before 8 July 2004",
            ),
            (
                "(filter<= all_rows [2004-07-xx] r.held-date)",
                "rows where the date in Held is July 2004 or earlier",
            ),
            (
                "(filter> all_rows [-044-xx-xx] r.held-date)",
                "rows where the date in Held is after 44 BC",
            ),
            (
                "(filter>= all_rows [xxxx-07-08] r.held-date)",
                "rows where the date in Held is 8 July or later",
            ),
            (
                "(filter< all_rows [5, 6] r.points-num)",
                "rows where Points is below 5 and 6",
            ),
            (
                "(filter<= all_rows [5] r.points-num)",
                "rows where Points is 5 or less",
            ),
            ("(filter= all_rows [5] r.points-num)", "rows where Points is 5"),
            (
                "(filter!= all_rows [5] r.points-num)",
                "rows where Points is not 5",
            ),
            (
                "(filter_in all_rows ['tulsa', 'omaha'] r.hometown-str)",
                "rows where Hometown contains 'tulsa' or 'omaha'",
            ),
            (
                "(filter_!in all_rows ['tulsa'] r.hometown-str)",
                "rows where Hometown does not contain 'tulsa'",
            ),
            (
                "(filter_in all_rows ['tulsa'] r.hometown-str) (filter_!in v0 ['william'] r.name-str) (hop v1 r.name-str)",
                "rows where Hometown contains 'tulsa' → drop those whose Name contains 'william' → Name",
            ),
            (
                "(filter_in all_rows ['tulsa'] r.hometown-str) (filter> v0 [5] r.score-num) (first v1)",
                "rows where Hometown contains 'tulsa' → keep those whose number in Score is above 5 → the first of those",
            ),
            (
                "(first all_rows) (hop v0 r.name-str)",
                "the first row of all → Name",
            ),
            ("(last all_rows)", "the last row of all"),
            (
                "(filter_in all_rows ['bob'] r.name-str) (previous v0) (hop v1 r.name-str)",
                "rows where Name contains 'bob' → the row just above each → Name",
            ),
            (
                "(first all_rows) (next v0)",
                "the first row of all → the row just below each",
            ),
            ("(count all_rows)", "how many rows there are"),
            ("(max all_rows r.points-num)", "the largest Points of all rows"),
            (
                "(min all_rows r.held-date)",
                "the earliest date in Held of all rows",
            ),
            (
                "(average all_rows r.points-num)",
                "the average Points of all rows",
            ),
            (
                "(sum all_rows r.score-num)",
                "the total number in Score of all rows",
            ),
            (
                "(mode all_rows r.hometown-str)",
                "the most common Hometown of all rows",
            ),
            (
                "(filter_in all_rows ['anne'] r.name-str) (same_as v0 r.hometown-str) (hop v1 r.name-str)",
                "rows where Name contains 'anne' → other rows with the same Hometown → Name",
            ),
            (
                "(filter_in all_rows ['anne'] r.name-str) (filter_in all_rows ['bob'] r.name-str) (diff v0 v1 r.points-num)",
                "(1) rows where Name contains 'anne' → (2) of all rows, those whose Name contains 'bob' → \
                 (3) the difference in Points between step 1 and step 2",
            ),
            (
                "(max all_rows r.points-num) (filter< all_rows v0 r.points-num) (max v1 r.points-num)",
                "the largest Points of all rows → of all rows, those whose Points is below that → the largest Points",
            ),
            (
                "(filter_in all_rows ['bob'] r.name-str) (hop v0 r.hometown-str) (filter_in all_rows v1 r.hometown-str)",
                "rows where Name contains 'bob' → Hometown → of all rows, those whose Hometown contains one of those",
            ),
            (
                "(first all_rows) (hop v0 r.points-num) (filter> v0 v1 r.points-num)",
                "(1) the first row of all → (2) Points → \
                 (3) of the rows of step 1, those whose Points is above all of those",
            ),
            ("(hop all_rows r.column-str)", "column 6 of all rows"),
        ];
        let table = table();
        for (program, expected) in cases {
            assert_eq!(english(&program.parse().unwrap(), &table), expected, "{program}");
        }
        let said: std::collections::HashSet<_> = cases
            .iter()
            .flat_map(|(program, _)| program.parse::<Program>().unwrap().expressions)
            .map(|expression| expression.function)
            .collect();
        assert_eq!(
            said.len(),
            crate::FunctionSet::COUNT,
            "every function has its golden case"
        );
    }

    #[test]
    fn a_program_for_another_table_comes_as_it_is_written() {
        let program: Program = "(hop all_rows r.nothing-str)".parse().unwrap();
        assert_eq!(english(&program, &table()), program.to_string());
        assert_eq!(describe(&program, 0, &table()), program.to_string());
        assert_eq!(describe(&program, 5, &table()), "");
    }

    #[test]
    fn dates_of_few_parts_are_told() {
        for (date, words) in [
            ("xxxx-xx-08", "day 8 of a month"),
            ("2004-xx-08", "day 8 of a month of 2004"),
            ("xxxx-07-xx", "July"),
        ] {
            assert_eq!(date_in_words(date.parse().unwrap()), words);
        }
    }
}
