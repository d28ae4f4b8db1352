//! The arguments that mean the same in every command that opens a table: what a person says about a file, over what would
//! be decided.

use clap::Args;
use mapo_tables::{Decimal, Format, Header, LoadOptions, Separator, TextEncoding};

/// What is said about table files.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "How the table is written (`mapo data FILE` shows what is decided)")]
pub struct TableArgs {
    /// csv, tsv, xlsx, json, parquet, sqlite…; found from the file when not given.
    #[arg(long, value_name = "FORMAT", alias = "dialect")]
    format: Option<Format>,
    /// Which sheet of a workbook, table of a database or of a page, or file of an archive; the largest when not
    /// given.
    #[arg(long = "sheet", value_name = "NAME", visible_alias = "table")]
    sheet: Option<String>,
    /// The line, or row of the sheet, with the names of the columns, from 1; none if there is none.
    #[arg(long, value_name = "LINE|none")]
    header: Option<Header>,
    /// The encoding of a text file, as windows-1252.
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,
    /// The character between two cells; tab for a tab.
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<Separator>,
    /// What stands before fractions, , or .
    #[arg(long, value_name = "SIGN", allow_hyphen_values = true)]
    decimal: Option<Decimal>,
    /// Keep a last row that adds up the others; it is left out otherwise.
    #[arg(long)]
    keep_totals: bool,
}

impl TableArgs {
    /// How tables are to be read, no larger than there is memory for.
    pub fn options(&self) -> LoadOptions {
        LoadOptions {
            largest: crate::memory::largest_table(),
            ..self.told()
        }
    }

    /// The same without a limit of our own.
    pub fn told(&self) -> LoadOptions {
        LoadOptions {
            format: self.format,
            part: self.sheet.clone(),
            header: self.header,
            encoding: self.encoding,
            separator: self.separator,
            decimal: self.decimal,
            drop_totals: !self.keep_totals,
            ..LoadOptions::default()
        }
    }
}
