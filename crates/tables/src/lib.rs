//! The symbolic side of `mapo`: tables with typed columns, the language and its incremental interpreter, the
//! reading of questions, the datasets and the scoring of answers.

pub mod annotated;
pub mod datasets;
mod date;
mod digits;
mod environment;
pub mod explain;
mod kind;
pub mod language;
pub mod meaning;
pub mod question;
pub mod read;
mod relevance;
pub mod scoring;
pub mod store;
mod table;
pub mod text;

pub use datasets::{Answer, Dataset, DatasetError, Example, Purpose, Reader, Selection};
pub use date::{Date, NotADate};
pub use environment::{Pruning, TableEnv};
pub use explain::{CellRef, Explanation, Step, english, explain, sql, write_sql_table};
pub use kind::QuestionKind;
pub use language::{
    Assistance, Constant, ConstantId, Context, Denotation, Fit, Function, FunctionSet, Interpreter, Language,
    Program, ProgramError, Symbol, Token,
};
pub use question::{Annotation, Linking, Mention, Question};
pub use relevance::Relevance;
pub use table::{
    Column, ColumnId, ColumnKind, Format, Held, LoadOptions, Reading, RowSet, Table, TableBuilder,
    TableError, Value, column_name,
};
