//! Programs in plain English.

use super::calls::calls;
use crate::functions::Function;
use crate::program::Program;
use crate::telling::Call;
use crate::telling::english::Phrase;
use mapo_tables::Table;

/// What a program says, in plain English, a phrase for each step.
///
/// ```
/// use mapo_language::explain::english;
/// use mapo_tables::TableBuilder;
/// let mut builder = TableBuilder::new("people.csv", ["Name", "Hometown"]);
/// builder.push_row(["Anne", "Tulsa"]);
/// let program = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)".parse().unwrap();
/// assert_eq!(english(&program, &builder.finish()), "rows where Hometown contains 'tulsa' → Name");
/// ```
///
/// A program that this table does not allow, for instance because a column is missing, comes as it is
/// written.
pub fn english(program: &Program, table: &Table) -> String {
    let Ok(calls) = calls(program, table) else {
        return program.to_string();
    };
    let phrases: Vec<String> = calls.iter().map(|call| phrase(call, table)).collect();
    // Steps are numbered where a phrase speaks of one by its number.
    let speaks = |(_, call): &(Function, Call<'_>)| {
        let back = call.uses().any(|used| used + 1 != call.step);
        back || call.joins()
    };
    match calls.iter().any(speaks) {
        true => {
            let numbered = (1..).zip(phrases);
            let numbered = numbered.map(|(number, phrase)| format!("({number}) {phrase}"));
            numbered.collect::<Vec<_>>().join(" → ")
        }
        false => phrases.join(" → "),
    }
}

/// What one expression of a program says. `step` counts from 0; a program that this table does not allow, or
/// has no such step, comes as it is written.
pub fn describe(program: &Program, step: usize, table: &Table) -> String {
    match calls(program, table) {
        Ok(calls) if step < calls.len() => phrase(&calls[step], table),
        _ => program
            .expressions
            .get(step)
            .map(ToString::to_string)
            .unwrap_or_default(),
    }
}

fn phrase((function, call): &(Function, Call<'_>), table: &Table) -> String {
    (function.definition().english)(&Phrase { call, table })
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
    fn programs_are_said() {
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
    }

    #[test]
    fn a_program_for_another_table_comes_as_it_is_written() {
        let program: Program = "(hop all_rows r.nothing-str)".parse().unwrap();
        assert_eq!(english(&program, &table()), program.to_string());
        assert_eq!(describe(&program, 0, &table()), program.to_string());
        assert_eq!(describe(&program, 5, &table()), "");
    }
}
