//! Programs that somebody wrote by hand.

use super::context::{Context, Dialect, Language, Token};
use super::explain::{Explanation, explain_program};
use super::program::{Program, ProgramError};
use mapo_tables::Table;
use std::sync::Arc;

/// A program that somebody wrote, ready to run on a table. It may use all functions and be as long as it is.
///
/// ```
/// use mapo_tables::TableBuilder;
/// use mapo_language::HandWritten;
/// use std::sync::Arc;
///
/// let mut builder = TableBuilder::new("people.csv", ["Name", "Hometown"]);
/// builder.push_row(["Anne", "Tulsa"]);
/// builder.push_row(["Bob", "Omaha"]);
/// let table = Arc::new(builder.finish());
///
/// let program = HandWritten::read("(last all_rows) (hop v0 r.name-str)", &table)?;
/// let ran = program.explain()?;
/// assert_eq!(ran.answer, ["Bob"]);
/// assert_eq!(ran.english, "the last row of all → Name");
///
/// let error = HandWritten::read("(last all_rows) (hop v0 r.town-str)", &table).unwrap_err();
/// assert_eq!(error.column, 24);
/// # Ok::<(), mapo_language::ProgramError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HandWritten {
    /// The program.
    pub program: Program,
    /// What it talks about: the table and its own constants.
    pub context: Arc<Context>,
    /// Its tokens there.
    pub tokens: Vec<Token>,
}

impl HandWritten {
    /// Reads a program for a table.
    ///
    /// # Errors
    /// If the text is no program, or has a column that the table has not.
    pub fn read(text: &str, table: &Arc<Table>) -> Result<Self, ProgramError> {
        let program: Program = text.parse()?;
        let language = Language {
            expressions: program.expressions.len().max(Language::PEOPLE.expressions),
            // Who writes a program may say things in other words than would be offered.
            dialect: Dialect::Paper,
            ..Language::PEOPLE
        };
        let constants = program.constants().cloned();
        let context = Arc::new(Context::new(Arc::clone(table), constants, language));
        let tokens = context.encode(&program)?;
        Ok(HandWritten {
            program,
            context,
            tokens,
        })
    }

    /// Runs it, and says how it comes to its answer.
    ///
    /// # Errors
    /// If an argument is not of the type that its function takes.
    pub fn explain(&self) -> Result<Explanation, ProgramError> {
        explain_program(&self.context, &self.program, &self.tokens)
    }
}
