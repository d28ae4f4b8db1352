//! The arguments that mean the same in every command that reads a dataset.

use clap::Args;
use mapo_datasets::{Dataset, Reader, Selection};
use mapo_language::Fit;
use mapo_questions::Linking;

/// Which examples of a dataset.
#[derive(Args, Clone)]
pub struct SelectionArgs {
    /// The split.
    ///
    /// WikiTableQuestions: training, random-split-1-train, random-split-1-dev, pristine-seen-tables,
    /// pristine-unseen-tables… WikiSQL: train, dev, test. Of both, …train-b is made of the questions about every tenth
    /// training table and …train-a of the rest. toy: train, dev, test.
    #[arg(long, value_name = "S")]
    pub split: Option<String>,
    /// Only the first N examples.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Whose reading of questions and cells: `corenlp` is the annotation that WikiTableQuestions comes with and the
    /// default there, `mapo` is ours, for any text.
    #[arg(long, value_name = "READER")]
    pub reader: Option<Reader>,
    /// How words of a question are found in cells: `paper`, as they stand; `wide`, in other forms too (goalies for
    /// goalie, norwegian for norway), the default for WikiTableQuestions and one's own questions.
    #[arg(long, value_name = "LINKING")]
    pub linking: Option<Linking>,
    /// Where a value must stand for a program to use it with a column: `rows`, in the rows at hand, as in the paper;
    /// `table`, anywhere, so that an answer may be nothing, the default for WikiSQL.
    #[arg(long, value_name = "FIT")]
    pub fit: Option<Fit>,
}

impl SelectionArgs {
    /// The selection that the arguments name.
    pub fn selection(&self) -> Selection {
        Selection {
            split: self.split.clone(),
            limit: self.limit,
            reader: self.reader,
            linking: self.linking,
            fit: self.fit,
            functions: None,
            ids: None,
        }
    }
}

/// A dataset given by `--data`.
#[derive(Args, Clone)]
pub struct DataArgs {
    /// The dataset: toy, wtq:DIR, wikisql:DIR or jsonl:FILE.
    #[arg(long, value_name = "DATASET")]
    pub data: Dataset,
    #[command(flatten)]
    pub selection: SelectionArgs,
}
