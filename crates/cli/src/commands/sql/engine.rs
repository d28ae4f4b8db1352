//! A table in SQLite.

use mapo_language::explain::{SqlValue, write_sql_table};
use mapo_tables::Table;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::error::Error;

/// A database in memory that holds one table.
pub struct Engine {
    connection: Connection,
    script: String,
}

impl Engine {
    /// Makes the table by the script that a user would run.
    pub fn new(table: &Table) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut script = Vec::new();
        write_sql_table(table, &mut script)?;
        let script = String::from_utf8(script)?;
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(&script)?;
        Ok(Engine { connection, script })
    }

    /// What made it.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// The items of what a query gives: those of each row, one after another.
    pub fn run(&self, query: &str) -> rusqlite::Result<Vec<SqlValue>> {
        let mut statement = self.connection.prepare(query)?;
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
}
