//! `mapo score`: predictions in a benchmark's official format, judged by its official rules.

use crate::Outcome;
use crate::data_args::DataArgs;
use clap::Args;
use mapo_datasets::scoring::Report;
use serde_json::json;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Judge a file of predictions by the benchmark's official rules.
///
/// WikiTableQuestions (and toy and JSON lines): id, tab, item, tab, item… in a line. WikiSQL: a JSON object in a line,
/// {"query": {"sel": …, "agg": …, "conds": …}} in the order of the split, or {"id": "dev-0", "answer": […]}.
/// A question without a prediction is wrong.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Score {
    #[command(flatten)]
    data: DataArgs,
    /// The predictions.
    file: PathBuf,
    /// Write id, tab, true or false for each question to this file.
    #[arg(long, value_name = "OUT")]
    verdicts: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Score {
    pub fn execute(self) -> Outcome {
        let selection = self.data.selection.selection();
        let report = self.data.data.score(&selection, &self.file)?;
        if let Some(file) = &self.verdicts {
            write_verdicts(file, &report)?;
        }
        let split = self.data.data.split(&selection);
        if self.json {
            let summary = json!({
                "data": self.data.data.to_string(),
                "split": split,
                "examples": report.verdicts.len(),
                "predicted": report.predicted(),
                "correct": report.correct(),
                "accuracy": report.accuracy(),
                "unknown": report.unknown.len(),
            });
            crate::print_json(summary)?;
        } else {
            crate::print(format_args!("examples   {}", report.verdicts.len()))?;
            crate::print(format_args!("predicted  {}", report.predicted()))?;
            crate::print(format_args!("correct    {}", report.correct()))?;
            crate::print(format_args!("accuracy   {:.2} %", 100.0 * report.accuracy()))?;
        }
        if let Some((line, id)) = report.unknown.first() {
            let (file, count) = (self.file.display(), report.unknown.len());
            let note = format!(
                "{count} predictions are for no example of {split}; the first is {file}, line {line}: {id}"
            );
            eprintln!("mapo: note: {}", crate::terminal::clean(&note));
        }
        Ok(())
    }
}

/// Written under another name and renamed, so that a reader never sees half a file.
fn write_verdicts(file: &Path, report: &Report) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    for verdict in &report.verdicts {
        writeln!(text, "{}\t{}", verdict.id, verdict.correct)?;
    }
    Ok(mapo_files::write(file, text.as_bytes())?)
}
