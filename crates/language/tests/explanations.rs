//! What must hold for the explanation of every program: its SQL gives the same answer in a real engine, its
//! English says all that it mentions, its steps are what the interpreter does.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

#[allow(dead_code)]
#[path = "support/naive.rs"]
mod naive;
#[allow(dead_code)]
#[path = "support/worlds.rs"]
mod worlds;

use mapo_language::Atom;
use mapo_language::explain::{Agreement, MOST_CELLS, SqlValue, explain, write_sql_table};
use mapo_language::explain::{english, sql};
use mapo_language::{Context, Denotation, Interpreter, Language, Program, Token};
use mapo_tables::{CellValues, Constant, Table, TableBuilder};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::sync::Arc;
use worlds::{any_rows, choices, language, world};

fn connection(table: &Table) -> Connection {
    let mut script = Vec::new();
    write_sql_table(table, &mut script).unwrap();
    let script = String::from_utf8(script).unwrap();
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(&script)
        .unwrap_or_else(|error| panic!("{error}\n{script}"));
    connection
}

fn run_sql(connection: &Connection, sql: &str) -> Vec<SqlValue> {
    let mut statement = connection
        .prepare(sql)
        .unwrap_or_else(|error| panic!("{error}\n{sql}"));
    let columns = statement.column_count();
    let item = |row: &rusqlite::Row<'_>, column: usize| {
        Ok(match row.get_ref(column)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(number) => SqlValue::Integer(number),
            ValueRef::Real(number) => SqlValue::Real(number),
            ValueRef::Text(text) => SqlValue::Text(String::from_utf8(text.to_vec()).unwrap()),
            ValueRef::Blob(_) => panic!("no blobs here"),
        })
    };
    let items = |row: &rusqlite::Row<'_>| (0..columns).map(|column| item(row, column)).collect();
    let rows = statement.query_map([], items).unwrap();
    rows.flat_map(|row: Result<Vec<SqlValue>, _>| row.unwrap_or_else(|error| panic!("{error}\n{sql}")))
        .collect()
}

/// Runs a program both ways.
fn assert_agrees(connection: &Connection, context: &Arc<Context>, tokens: &[Token]) -> Program {
    let program = context.decode(tokens).unwrap();
    let mut interpreter = Interpreter::new(Arc::clone(context));
    tokens.iter().for_each(|token| interpreter.step(*token).unwrap());
    let answer = interpreter.answer().unwrap();
    let explanation = explain(context, tokens).unwrap();
    let like_sql = context.language().like_sql;
    assert_eq!(explanation.sql, sql(&program, context.table(), like_sql).unwrap());
    let items = run_sql(connection, &explanation.sql);
    assert_ne!(
        Agreement::of(&answer, &items),
        Agreement::Different,
        "{program}\n{answer:?}\n{items:?}\n{}",
        explanation.sql
    );
    program
}

/// A random walk through programs that are of the right types, whether their tokens are offered or not.
fn walk(context: &Arc<Context>, choices: &[u32], offered_only: bool) -> Vec<Token> {
    let mut interpreter = Interpreter::new(Arc::clone(context));
    let all: Vec<Token> = (0..context.tokens() as u16).map(Token).collect();
    let mut whole = 0;
    for choice in choices {
        let candidates = if offered_only {
            interpreter.offered()
        } else {
            all.clone()
        };
        let start = *choice as usize % candidates.len().max(1);
        let mut turned = candidates[start..].iter().chain(&candidates[..start]);
        // A token that may not be taken leaves everything as it was.
        if !turned.any(|token| interpreter.step(*token).is_ok()) || interpreter.is_done() {
            break;
        }
        if interpreter.tokens().len() > whole && context.write(*interpreter.tokens().last().unwrap()) == ")" {
            whole = interpreter.tokens().len();
        }
    }
    interpreter.tokens()[..whole].to_vec()
}

const LONGEST: usize = 6 * 6 + 1;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn sql_gives_the_answer_of_every_program(
        world in world(any_rows(), 3, 6),
        language in language(),
        walks in proptest::collection::vec((choices(LONGEST), any::<bool>()), 12),
    ) {
        let context = world.context(language);
        let connection = connection(context.table());
        for (choices, offered_only) in walks {
            let tokens = walk(&context, &choices, offered_only);
            if !tokens.is_empty() {
                assert_agrees(&connection, &context, &tokens);
            }
        }
    }

    #[test]
    fn english_says_all_that_a_program_mentions(
        world in world(1usize..6, 3, 6),
        choices in choices(LONGEST),
        offered_only in any::<bool>(),
    ) {
        let context = world.context(Language::PEOPLE);
        let tokens = walk(&context, &choices, offered_only);
        if !tokens.is_empty() {
            let program = context.decode(&tokens).unwrap();
            assert_says_all(&program, context.table());
        }
    }

    #[test]
    fn steps_are_what_the_interpreter_does(
        world in world(any_rows(), 3, 6),
        choices in choices(LONGEST),
    ) {
        let context = world.context(Language::PEOPLE);
        let tokens = walk(&context, &choices, true);
        if tokens.is_empty() {
            return Ok(());
        }
        let explanation = explain(&context, &tokens).unwrap();
        let mut interpreter = Interpreter::new(Arc::clone(&context));
        tokens.iter().for_each(|token| interpreter.step(*token).unwrap());
        prop_assert_eq!(explanation.steps.len(), interpreter.variables());
        for (index, step) in explanation.steps.iter().enumerate() {
            match interpreter.value(index).unwrap() {
                Denotation::Rows(rows) => {
                    prop_assert_eq!(step.rows_total, rows.len());
                    prop_assert_eq!(step.rows.as_ref(), Some(&rows));
                    prop_assert_eq!(step.values_total, 0);
                }
                values => {
                    prop_assert_eq!(&step.rows, &None);
                    prop_assert_eq!(step.values_total, values.to_strings().len());
                }
            }
            prop_assert!(step.cells.len() == step.cells_total.min(MOST_CELLS), "{:?}", step);
            prop_assert!(step.cells.iter().all(|cell| cell.row < context.table().rows()
                && cell.column < context.table().headers().len()));
            let mut distinct = step.cells.clone();
            distinct.sort();
            distinct.dedup();
            // The two rows of a difference may be one.
            prop_assert!(distinct.len() == step.cells.len() || step.program.starts_with("(diff"));
        }
        if let Some(Denotation::Strings(_)) = interpreter.answer() {
            prop_assert_eq!(&explanation.answer, &interpreter.answer().unwrap().to_strings());
        }
    }
}

fn assert_says_all(program: &Program, table: &Table) {
    let said = english(program, table);
    assert!(!said.is_empty() && said != program.to_string(), "{program}");
    let atoms = program
        .expressions
        .iter()
        .flat_map(|expression| &expression.arguments);
    for atom in atoms {
        let mentions: Vec<String> = match atom {
            Atom::Column(name) => {
                let column = table.column(table.find(name).unwrap());
                vec![table.headers()[column.source()].clone()]
            }
            Atom::Constant(Constant::Strings(strings)) => strings.clone(),
            Atom::Constant(Constant::Numbers(numbers)) => numbers.iter().map(f64::to_string).collect(),
            Atom::Constant(Constant::Dates(dates)) => {
                let known = dates.iter().flat_map(|date| [date.year, date.day.map(i32::from)]);
                known.flatten().map(|part| part.to_string()).collect()
            }
            Atom::AllRows | Atom::Variable(_) => Vec::new(),
        };
        for mention in mentions {
            assert!(said.contains(&mention), "{program}: {said}: {mention}");
        }
    }
}

fn table(headers: &[&str], rows: &[&[&str]]) -> Table {
    let mut builder = TableBuilder::new("t", headers.iter().copied());
    rows.iter().for_each(|row| builder.push_row(row.iter().copied()));
    builder.finish()
}

fn context(table: Table, program: &str) -> (Arc<Context>, Vec<Token>) {
    let program: Program = program.parse().unwrap();
    let context = Context::new(
        Arc::new(table),
        program.constants().cloned(),
        Language::WIKITABLEQUESTIONS,
    );
    let tokens = context.encode(&program).unwrap();
    (Arc::new(context), tokens)
}

#[test]
fn nothing_in_a_table_is_taken_for_sql() {
    let evil = [
        "'; DROP TABLE t; --",
        "\"; DROP TABLE t; --",
        "a'b\"c`d",
        "\0",
        "a\0b",
        "\r\n.quit\r\n",
        "\\",
        "%_",
        "🙂",
        "/* x",
        "\u{e000}",
    ];
    let mut builder = TableBuilder::new("x\"; DROP TABLE y; --.csv", evil);
    builder.push_row(evil);
    builder.push_row(evil.iter().rev().copied());
    let table = Arc::new(builder.finish());
    let constants = evil.iter().map(|text| Constant::string(text.to_lowercase()));
    let context = Arc::new(Context::new(Arc::clone(&table), constants, Language::PEOPLE));
    let connection = connection(&table);
    for column in table
        .columns()
        .iter()
        .filter(|column| column.name().ends_with("-str"))
    {
        for constant in context.constants() {
            for program in [
                format!("(filter_in all_rows {constant} {})", column.name()),
                format!("(filter_is all_rows {constant} {})", column.name()),
                format!(
                    "(hop all_rows {0}) (filter_is all_rows v0 {0}) (hop v1 {0})",
                    column.name()
                ),
                format!("(count_per all_rows {})", column.name()),
                format!("(filter_!in all_rows {constant} {0}) (hop v0 {0})", column.name()),
                format!("(mode all_rows {})", column.name()),
            ] {
                let tokens = context.encode(&program.parse().unwrap()).unwrap();
                assert_agrees(&connection, &context, &tokens);
            }
        }
    }
    let count = run_sql(&connection, "SELECT count(*) FROM sqlite_master");
    assert_eq!(count, [SqlValue::Integer(1)]);
}

#[test]
fn whole_words_are_the_same_words_in_sql() {
    let rows: [&[&str]; 8] = [
        &["7, 14", "woman"],
        &["114", "a man (old)"],
        &["14-15", "man"],
        &["no. 14", "Mr. Man!"],
        &["(14)", "man's"],
        &["é14", "man-made"],
        &["14", "mánman"],
        &["", "-man-"],
    ];
    let table = Arc::new(table(&["Shirts", "Who"], &rows));
    let connection = connection(&table);
    let strings = [
        "14", "man", "a man", "no. 14", "(14)", "-", "", "15", "man's", "mr", "!", "7, 14",
    ];
    let constants: Vec<Constant> = strings.iter().map(|text| Constant::string(*text)).collect();
    let context = Arc::new(Context::new(
        Arc::clone(&table),
        constants.clone(),
        Language::PEOPLE,
    ));
    let mut programs: Vec<String> = Vec::new();
    for column in ["r.shirts-str", "r.who-str"] {
        for constant in &constants {
            programs.push(format!("(filter_is all_rows {constant} {column})"));
            programs.push(format!("(filter_!is all_rows {constant} {column}) (count v0)"));
        }
        programs.push(format!(
            "(hop all_rows r.shirts-str) (filter_is all_rows v0 {column})"
        ));
        programs.push(format!(
            "(last all_rows) (hop v0 r.who-str) (filter_is all_rows v1 {column})"
        ));
        programs.push(format!(
            "(last all_rows) (hop v0 r.shirts-str) (filter_!is all_rows v1 {column})"
        ));
    }
    for program in programs {
        let tokens = context.encode(&program.parse().unwrap()).unwrap();
        assert_agrees(&connection, &context, &tokens);
    }
    let found = |program: &str| {
        let tokens = context.encode(&program.parse().unwrap()).unwrap();
        explain(&context, &tokens).unwrap().steps[0]
            .rows
            .as_ref()
            .unwrap()
            .iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(found("(filter_is all_rows ['14'] r.shirts-str)"), [6]);
    assert_eq!(found("(filter_is all_rows ['15'] r.shirts-str)"), [2]);
    // A remark in parentheses is no part of a cell's normal form.
    assert_eq!(found("(filter_is all_rows ['a man'] r.who-str)"), [1]);
    assert_eq!(found("(filter_is all_rows ['man'] r.who-str)"), [2]);
    assert_eq!(found("(filter_is all_rows ['mr'] r.who-str)"), [3]);
}

#[test]
fn headers_with_the_names_that_queries_use_are_no_trouble() {
    let headers = ["value", "year", "row", "r", "v0", "count(*)", "month", "n"];
    let rows: [&[&str]; 4] = [
        &["1", "July 2004", "3", "a", "b", "1", "5", "x"],
        &["2", "2005", "1", "A", "b", "1", "5", "x"],
        &["2", "8 July", "2", "a", "ab", "2", "6", "y"],
        &["7", "July 8, 2004", "9", "b", "abc", "3", "6", "z"],
    ];
    let table = Arc::new(table(&headers, &rows));
    let names: Vec<String> = table
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    let connection = connection(&table);
    let mut programs = Vec::new();
    for name in &names {
        programs.push(format!("(mode all_rows {name})"));
        programs.push(format!("(first all_rows) (same_as v0 {name}) (hop v1 {name})"));
        programs.push(format!("(count_per all_rows {name})"));
        programs.push(format!("(count_per all_rows {name}) (highest v0)"));
        programs.push(format!("(filter_given all_rows {name}) (any v0)"));
        for number in names.iter().filter(|other| other.ends_with("-num")) {
            programs.push(format!("(sum_per all_rows {name} {number})"));
            programs.push(format!(
                "(average_per all_rows {name} {number}) (lowest v0) (count all_rows)"
            ));
            programs.push(format!(
                "(max all_rows {number}) (count_distinct all_rows {name}) (share v0 v1)"
            ));
        }
        if name.ends_with("-str") {
            programs.extend(names.iter().filter(|other| other.ends_with("-str")).map(|other| {
                format!("(hop all_rows {name}) (filter_in all_rows v0 {other}) (hop v1 {name})")
            }));
            programs.extend(names.iter().filter(|other| other.ends_with("-str")).map(|other| {
                format!("(hop all_rows {name}) (filter_!is all_rows v0 {other}) (hop v1 {name})")
            }));
        } else {
            programs.push(format!(
                "(max all_rows {name}) (filter< all_rows v0 {name}) (hop v1 {name})"
            ));
            programs.push(format!(
                "(mode all_rows {name}) (filter!= all_rows v0 {name}) (hop v1 {name})"
            ));
            programs.push(format!(
                "(argmin all_rows {name}) (hop v0 {name}) (filter>= all_rows v1 {name})"
            ));
        }
    }
    for program in programs {
        let program: Program = program.parse().unwrap();
        let context = Arc::new(Context::new(Arc::clone(&table), [], Language::PEOPLE));
        let tokens = context.encode(&program).unwrap();
        assert_agrees(&connection, &context, &tokens);
    }
}

/// Three dates of which each is beaten by another: years decide between the first two, months between the
/// next, days between the last and the first. And dates that say more and less of the same day.
#[test]
fn dates_that_beat_each_other_in_a_circle_have_a_best_all_the_same() {
    let circle = ["2005-xx-01", "2004-03-xx", "xxxx-02-02"];
    let nested = [
        "2004-xx-xx",
        "2004-09-xx",
        "2004-09-01",
        "xxxx-09-01",
        "xxxx-xx-03",
    ];
    for dates in [&circle[..], &nested[..], &["xxxx-xx-01", "2004-xx-xx"]] {
        let mut builder = TableBuilder::new("t", ["A"]);
        let mut readings = Vec::new();
        for date in dates {
            builder.push_row([*date]);
            readings.push(CellValues {
                date: Some(date.parse().unwrap()),
                ..CellValues::default()
            });
        }
        let table = Arc::new(builder.finish_with(&[readings]));
        let constants: Vec<Constant> = dates
            .iter()
            .map(|date| Constant::date(date.parse().unwrap()))
            .collect();
        let context = Context::new(
            Arc::clone(&table),
            constants.clone(),
            Language::WIKITABLEQUESTIONS,
        );
        let (context, connection) = (Arc::new(context), connection(&table));
        let mut programs: Vec<String> = Vec::new();
        for extreme in ["max", "min"] {
            programs.push(format!("({extreme} all_rows r.a-date)"));
            programs.push(format!("(arg{extreme} all_rows r.a-date) (hop v0 r.a-date)"));
            for filter in [
                "filter>", "filter>=", "filter<", "filter<=", "filter=", "filter!=",
            ] {
                programs.push(format!(
                    "({extreme} all_rows r.a-date) ({filter} all_rows v0 r.a-date)"
                ));
                programs.push(format!("(hop all_rows r.a-date) ({filter} all_rows v0 r.a-date)"));
                programs.extend(
                    constants
                        .iter()
                        .map(|date| format!("({filter} all_rows {date} r.a-date)")),
                );
            }
        }
        for program in programs {
            let tokens = context.encode(&program.parse().unwrap()).unwrap();
            assert_agrees(&connection, &context, &tokens);
        }
    }
}

#[test]
fn cells_are_those_that_an_answer_rests_on() {
    let rows: [&[&str]; 4] = [
        &["Anne", "Tulsa", "5"],
        &["Bob", "Omaha", "7"],
        &["Carl", "Tulsa", ""],
        &["Dora", "Tulsa", "7"],
    ];
    let cells = |program: &str| {
        let table = table(&["Name", "Hometown", "Points"], &rows);
        let (context, tokens) = context(table, program);
        let explanation = explain(&context, &tokens).unwrap();
        let of = |cells: &[mapo_language::explain::CellRef]| -> Vec<(usize, usize)> {
            cells.iter().map(|cell| (cell.row, cell.column)).collect()
        };
        let steps: Vec<_> = explanation.steps.iter().map(|step| of(&step.cells)).collect();
        (steps, of(&explanation.cells))
    };
    let tulsa = vec![(0, 1), (2, 1), (3, 1)];
    assert_eq!(
        cells("(filter_in all_rows ['tulsa'] r.hometown-str) (hop v0 r.points-num)"),
        (vec![tulsa.clone(), vec![(0, 2), (3, 2)]], vec![(0, 2), (3, 2)])
    );
    assert_eq!(
        cells("(filter_in all_rows ['tulsa'] r.hometown-str) (last v0) (count v1)"),
        (vec![tulsa.clone(), vec![], vec![]], tulsa.clone())
    );
    let best = vec![(1, 2), (3, 2)];
    assert_eq!(
        cells("(max all_rows r.points-num)"),
        (vec![best.clone()], best.clone())
    );
    assert_eq!(cells("(argmax all_rows r.points-num)").1, best);
    assert_eq!(cells("(mode all_rows r.hometown-str)").1, tulsa);
    assert_eq!(cells("(first all_rows) (same_as v0 r.hometown-str)").1, tulsa);
    assert_eq!(cells("(sum all_rows r.points-num)").1, [(0, 2), (1, 2), (3, 2)]);
    assert_eq!(
        cells("(first all_rows) (last all_rows) (diff v0 v1 r.points-num)").1,
        [(0, 2), (3, 2)]
    );
    assert_eq!(cells("(count all_rows)").1, []);
}

#[test]
fn a_program_of_wrong_types_is_refused_in_one_sentence() {
    let table = table(&["Name", "Points"], &[&["Anne", "5"]]);
    for (program, column, problem) in [
        ("(hop all_rows r.nothing-str)", 15, "no column"),
        ("(count all_rows) (hop v0 r.name-str)", 23, "takes rows"),
        ("(filter> all_rows ['a'] r.points-num)", 19, "a number or date"),
        ("(filter_in all_rows ['a'] r.points-num)", 27, "a text column"),
        ("(sum all_rows r.name-str)", 15, "a number column"),
    ] {
        let error = sql(&program.parse().unwrap(), &table, false).unwrap_err();
        assert!(error.problem.contains(problem), "{program}: {error}");
        assert_eq!(error.column + 1, column, "{program}: {error}");
    }
}

#[test]
fn lists_stay_short_on_long_tables() {
    let mut builder = TableBuilder::new("long", ["Name", "Group"]);
    for row in 0..5000 {
        builder.push_row([format!("n{row}").as_str(), ["a", "b"][row % 2]]);
    }
    let (context, tokens) = context(
        builder.finish(),
        "(filter_in all_rows ['a'] r.group-str) (hop v0 r.name-str)",
    );
    let explanation = explain(&context, &tokens).unwrap();
    for step in &explanation.steps {
        assert_eq!((step.cells.len(), step.cells_total), (MOST_CELLS, 2500));
    }
    assert_eq!(explanation.steps[0].rows_total, 2500);
    assert_eq!(explanation.answer_total, 2500);
    assert_eq!(explanation.answer.len(), mapo_language::explain::MOST_VALUES);
    let json = serde_json::to_string(&explanation).unwrap();
    assert!(json.len() < 100_000, "{} bytes", json.len());
}
