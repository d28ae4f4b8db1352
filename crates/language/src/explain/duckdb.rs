//! Programs as SQL that DuckDB runs on a person's own file, without the table that `mapo sql` makes.

use super::sql;
use crate::program::{Program, ProgramError};
use crate::sql_table::{Layout, expression, quote};
use mapo_tables::{PlainFile, Table};

/// Why there is no query on the file itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlain {
    /// What DuckDB would read is not what the program reads.
    #[error("{0}")]
    Cells(String),
    /// The program is no program of this table.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// The program as one `SELECT` that DuckDB runs on a file of separated cells: first the columns that it needs, made from
/// those of the file, then the query of [`sql`]. There is none where a cell of these columns is read in another way than
/// DuckDB would.
///
/// ```
/// use mapo_language::explain::duckdb;
/// use mapo_tables::{PlainFile, TableBuilder};
/// let mut builder = TableBuilder::new("people.csv", ["Name", "Hometown"]);
/// builder.push_row(["Anne", "Tulsa"]);
/// let program = "(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.name-str)".parse().unwrap();
/// assert_eq!(
///     duckdb(&program, &builder.finish(), "people.csv", PlainFile { separator: ',' }).unwrap(),
///     r#"WITH "people" AS (
///   SELECT "Hometown", "Name", row_number() OVER () - 1 AS "row"
///   FROM read_csv('people.csv', header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')
/// ),
/// v0 AS (
///   SELECT * FROM "people" WHERE instr(lower("Hometown"), 'tulsa') > 0
/// )
/// SELECT "Name" FROM v0 GROUP BY "Name" ORDER BY min("row")"#
/// );
/// ```
///
/// # Errors
/// One sentence that says why there is no such query.
pub fn duckdb(program: &Program, table: &Table, path: &str, file: PlainFile) -> Result<String, NotPlain> {
    let query = sql(program, table, false)?;
    let layout = Layout::of(table);
    let mut columns: Vec<String> = Vec::new();
    for name in names(&query) {
        if let Some(expression) = expression(table, layout, &name) {
            let expression = expression.map_err(NotPlain::Cells)?;
            columns.push(match expression == name {
                true => name,
                false => format!("{expression} AS {name}"),
            });
        }
    }
    if columns.is_empty() {
        columns.push("1".to_owned());
    }
    let read = format!(
        "WITH {} AS (\n  SELECT {}\n  FROM read_csv({}, header = true, all_varchar = true, delim = {}, quote = '\"', escape = '\"')\n)",
        layout.table,
        columns.join(", "),
        quote::text(path),
        match file.separator {
            '\t' => "'\\t'".to_owned(),
            other => quote::text(&other.to_string()),
        },
    );
    Ok(match query.strip_prefix("WITH ") {
        Some(steps) => format!("{read},\n{steps}"),
        None => format!("{read}\n{query}"),
    })
}

/// The quoted names of a query, each once, in the order of their first places.
fn names(query: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = query;
    while let Some(place) = rest.find(['"', '\'']) {
        let quote = &rest[place..=place];
        let mut end = place + 1;
        // A quote within is written twice.
        while let Some(next) = rest[end..].find(quote) {
            end += next + 1;
            match rest[end..].starts_with(quote) {
                true => end += 1,
                false => break,
            }
        }
        let name = &rest[place..end];
        if quote == "\"" && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        rest = &rest[end..];
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    #[test]
    fn names_are_told_from_texts() {
        let query = r#"SELECT "A ""b""" FROM "t" WHERE "C" = 'it''s "no" name' OR "C" > "D""#;
        assert_eq!(names(query), [r#""A ""b""""#, r#""t""#, r#""C""#, r#""D""#]);
    }

    fn query(cells: &[[&str; 2]], program: &str) -> Result<String, String> {
        let mut builder = TableBuilder::new("t.csv", ["A", "B"]);
        cells.iter().for_each(|row| builder.push_row(*row));
        let file = PlainFile { separator: ',' };
        duckdb(&program.parse().unwrap(), &builder.finish(), "t.csv", file).map_err(|error| error.to_string())
    }

    #[test]
    fn only_what_duckdb_reads_alike_becomes_a_query() {
        let sum = "(sum all_rows r.b-num)";
        assert!(
            query(&[["x", "1"], ["y", "22"]], sum)
                .unwrap()
                .contains("TRY_CAST(\"B\" AS BIGINT)")
        );
        assert!(
            query(&[["x", "1.5"], ["y", ""]], sum)
                .unwrap()
                .contains("AS DOUBLE)")
        );
        let whole = query(&[["x", "24.00"], ["y", "8.00"]], sum).unwrap();
        assert!(
            whole.contains("CAST(TRY_CAST(\"B\" AS DOUBLE) AS BIGINT)"),
            "{whole}"
        );
        for cell in ["1,200", "$5", "5 km", "1e3", "+7"] {
            let refused = query(&[["x", cell], ["y", "8"]], sum);
            assert_eq!(
                refused,
                Err("B: a cell is not just a number".to_owned()),
                "{cell}"
            );
        }
        let last = "(argmax all_rows r.b-date) (hop v0 r.a-str)";
        let days = query(&[["x", "2004-02-29"], ["y", "2003-11-01"]], last).unwrap();
        assert!(
            days.contains("year(TRY_CAST(\"B\" AS DATE))") || days.contains("AS DATE) AS VARCHAR"),
            "{days}"
        );
        assert!(query(&[["x", "July 8, 2004"], ["y", "May 1, 2003"]], last).is_err());
        // A column that is not used may be anything.
        assert!(query(&[["x", "July 8, 2004"]], "(hop all_rows r.a-str)").is_ok());
    }
}
