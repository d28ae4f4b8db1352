//! `mapo correct`: says what the right answer is.

use crate::table_args::TableArgs;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::corrections::{Correction, Kept, beside};
use mapo_tables::Table;
use std::path::PathBuf;

/// Say what the right answer to a question is, to learn from later.
///
/// Examples:
///   mapo correct films.csv "which film is the longest?" "Barry Lyndon"
///   mapo correct films.csv "who directed two films?" Kubrick Varda
///
/// It is kept in mapo-corrections.jsonl beside the table, a dataset of your own (jsonl:) in which the last word about a
/// question counts. Nothing leaves the machine. `mapo learn` learns from it. At the prompt of `mapo ask`, .right, .wrong,
/// .other and .cell do the same.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Correct {
    /// The table.
    table: PathBuf,
    /// The question.
    question: String,
    /// The right answer, an argument for each of its items.
    #[arg(required = true)]
    answer: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: TableArgs,
}

impl Correct {
    pub fn execute(self) -> Outcome {
        mapo_answering::check_question(&self.question)?;
        let options = self.reading.options();
        // A file that cannot be read could not be learnt from.
        let table = Table::open(&self.table, &options)?;
        let correction = Correction::new(&self.table, &options, &table, &self.question, self.answer)?;
        let kept = correction.keep(&beside(&self.table))?;
        match self.json {
            true => print_json(serde_json::to_string(&kept)?),
            false => print(told(&kept)),
        }
    }
}

/// What is said of a correction that was kept.
pub fn told(kept: &Kept) -> String {
    let Kept {
        file, corrections, ..
    } = kept;
    let again = if kept.replaced {
        ", instead of what was said before"
    } else {
        ""
    };
    let many = match corrections {
        1 => "1 correction".to_owned(),
        many => format!("{many} corrections"),
    };
    let file = file.display();
    format!("kept in {file}{again}: {many}; mapo learn {file} learns from them")
}
