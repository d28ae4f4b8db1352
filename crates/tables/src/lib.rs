//! Tables: cells as they stand in the file, and typed columns made from them.
//!
//! A [`Table`] comes from a file ([`Format`] lists the kinds, `files` reads them) or from cells at hand
//! ([`TableBuilder`]). Each column of the file becomes one or more typed [`Column`]s: its texts, and the
//! numbers and dates that enough of its cells hold ([`CellValues`]). Rows are bit sets ([`RowSet`]), distinct
//! texts are kept once ([`Texts`]) and found by an index ([`TextIndex`]). What other rooms derive from a
//! table is kept beside it ([`Table::derived`]).
//!
//! ```
//! use mapo_tables::{Constant, Held, TableBuilder};
//! let mut builder = TableBuilder::new("cities", ["City", "Founded"]);
//! builder.push_row(["Tulsa", "1836"]);
//! builder.push_row(["Omaha", "1854"]);
//! let table = builder.finish();
//! let founded = table.column(table.find("r.founded-num").expect("a number in each cell"));
//! assert_eq!(founded.holds(&Constant::number(1854.0)), Held::Whole);
//! ```

#![forbid(unsafe_code)]

mod builder;
mod cell_values;
mod column;
mod constant;
mod decisions;
mod derived;
mod files;
mod format;
mod index;
mod likeness;
mod names;
mod plain;
mod readings;
pub mod rows;
mod serialize;
mod table;
mod texts;
mod totals;
mod value;
mod wire;
mod written;

pub use builder::TableBuilder;
pub use cell_values::CellValues;
pub use column::{Codes, Column, ColumnId};
pub use constant::Constant;
pub use decisions::Decisions;
pub use files::{
    CORRECTIONS, Decimal, Header, Largest, LoadOptions, SAYINGS, Separator, TableError, TextEncoding,
    tables_in,
};
pub use format::Format;
pub use index::{Held, Next, TextIndex};
pub use names::{column_name, unique_names};
pub use plain::PlainFile;
pub use readings::{Dictionary, NO_VALUE};
pub use rows::RowSet;
pub use table::Table;
pub use texts::Texts;
pub use totals::LeftOut;
pub use value::{ColumnKind, Value};
