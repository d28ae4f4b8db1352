//! `mapo read-upload`: how `mapo serve` reads strangers' files, in a process with little memory and time.

use crate::table_args::TableArgs;
use crate::{Outcome, memory};
use clap::Args;
use mapo_web::{Limits, read_for_server};

/// What the command is called.
pub const NAME: &str = "read-upload";

/// Read a table from standard input within limits and write its cells, for `mapo serve`.
#[derive(Args)]
pub struct ReadUpload {
    /// What the file is called.
    #[arg(long)]
    name: String,
    /// Bytes of memory.
    #[arg(long)]
    memory: u64,
    /// Seconds of processor time.
    #[arg(long)]
    seconds: u64,
    #[arg(long)]
    rows: usize,
    #[arg(long)]
    cells: usize,
    #[arg(long)]
    text: usize,
    #[command(flatten)]
    reading: TableArgs,
}

impl ReadUpload {
    pub fn execute(self) -> Outcome {
        memory::confine(self.memory, self.seconds)?;
        let limits = Limits {
            rows: self.rows,
            cells: self.cells,
            text: self.text,
            ..Limits::default()
        };
        Ok(read_for_server(&self.name, &limits, &self.reading.told())?)
    }
}
