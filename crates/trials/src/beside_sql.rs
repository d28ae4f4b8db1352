//! Programs beside the SQL that they are translated to, in SQLite.

use crate::parts::two;
use crate::tables::read;
use mapo_language::explain::{Agreement, SqlValue, sql, write_sql_table};
use mapo_language::{Context, Interpreter, Language, Token};
use mapo_tables::{ColumnKind, Constant, Format, Table, Value};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::sync::Arc;

/// More rows, columns or choices than this say nothing new.
const SMALL: usize = 60;

/// The bytes before the first NUL choose a program, those behind it are a table.
///
/// # Panics
/// If SQL has another answer than the program.
pub(crate) fn run(bytes: &[u8]) {
    let (choices, table) = two(bytes);
    let Some(table) = read("t.csv", Some(Format::Csv), table) else {
        return;
    };
    if table.rows() > SMALL
        || table.headers().len() > SMALL
        || table.headers().is_empty()
        || choices.is_empty()
    {
        return;
    }
    let constants = constants(&table, choices[0] as usize);
    let language = match choices[0] % 3 {
        0 => Language::PEOPLE,
        1 => Language::WIKITABLEQUESTIONS,
        _ => Language::wikisql(),
    };
    let context = Arc::new(Context::new(Arc::new(table), constants, language));
    let tokens = walk(&context, &choices[1..choices.len().min(SMALL)]);
    if tokens.is_empty() {
        return;
    }
    let Some(program) = context.decode(&tokens) else {
        panic!("a walk that is no program");
    };
    let mut interpreter = Interpreter::new(Arc::clone(&context));
    for token in &tokens {
        assert!(interpreter.step(*token).is_ok());
    }
    let Some(answer) = interpreter.answer() else {
        panic!("{program} has no answer");
    };
    let query = match sql(&program, context.table(), context.language().like_sql) {
        Ok(query) => query,
        Err(error) => panic!("{program}: {error}"),
    };
    match ask(context.table(), &query) {
        Ok(items) => {
            let agreement = Agreement::of(&answer, &items);
            assert!(
                agreement != Agreement::Different,
                "{program}\n{answer:?}\n{items:?}\n{query}"
            );
        }
        Err(error) => panic!("{error}\n{program}\n{query}"),
    }
}

/// Constants that stand in a row of the table, and some that need not.
fn constants(table: &Table, row: usize) -> Vec<Constant> {
    let mut constants = vec![Constant::number(1.0)];
    if table.rows() > 0 {
        for column in table.columns().iter().take(6) {
            let constant = match (column.value(row % table.rows()), column.kind()) {
                (Some(Value::Text(text)), ColumnKind::Text) => Constant::string(text),
                (Some(Value::Number(number)), _) => Constant::number(number),
                (Some(Value::Date(date)), _) => Constant::date(date),
                _ => continue,
            };
            if !constants.contains(&constant) {
                constants.push(constant);
            }
        }
    }
    constants
}

/// The longest whole program that the choices lead to.
fn walk(context: &Arc<Context>, choices: &[u8]) -> Vec<Token> {
    let mut interpreter = Interpreter::new(Arc::clone(context));
    let mut whole = 0;
    for choice in choices {
        let offered = interpreter.offered();
        if offered.is_empty() || interpreter.is_done() {
            break;
        }
        let token = offered[*choice as usize % offered.len()];
        assert!(interpreter.step(token).is_ok(), "what is offered can be taken");
        if context.write(token) == ")" {
            whole = interpreter.tokens().len();
        }
    }
    interpreter.tokens()[..whole].to_vec()
}

fn ask(table: &Table, query: &str) -> rusqlite::Result<Vec<SqlValue>> {
    let mut script = Vec::new();
    assert!(write_sql_table(table, &mut script).is_ok());
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(&String::from_utf8_lossy(&script))?;
    let mut statement = connection.prepare(query)?;
    let columns = statement.column_count();
    let (mut rows, mut items) = (statement.query([])?, Vec::new());
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            items.push(match row.get_ref(column)? {
                ValueRef::Null => SqlValue::Null,
                ValueRef::Integer(number) => SqlValue::Integer(number),
                ValueRef::Real(number) => SqlValue::Real(number),
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    SqlValue::Text(String::from_utf8_lossy(text).into_owned())
                }
            });
        }
    }
    Ok(items)
}
