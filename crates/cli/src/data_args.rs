//! The arguments that mean the same in every command that reads a dataset.

use clap::Args;
use mapo_datasets::{Dataset, DatasetError, Example, Reader, ReadingChoice, Selection};
use mapo_language::{Dialect, Fit};
use mapo_questions::Linking;

/// Which examples of a dataset.
#[derive(Args, Clone)]
pub struct SelectionArgs {
    /// The split.
    ///
    /// WikiTableQuestions: training, random-split-1-train, random-split-1-dev, pristine-seen-tables,
    /// pristine-unseen-tables… WikiSQL: train, dev, test. Of both, …train-b is made of the questions about
    /// every tenth training table and …train-a of the rest. toy: train, dev, test.
    #[arg(long, value_name = "S")]
    pub split: Option<String>,
    /// Only the first N examples.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How questions and tables are read. Where a model answers, what is not said is as the model was trained.
#[derive(Args, Clone)]
pub struct ReadingArgs {
    /// Whose reading of questions and cells: `corenlp` is the annotation that WikiTableQuestions comes with
    /// and the default there, `mapo` is ours, for any text.
    #[arg(long, value_name = "READER")]
    reader: Option<Reader>,
    /// How words of a question are found in cells: `paper`, as they stand; `wide`, in other forms too
    /// (goalies for goalie, norwegian for norway), the default for WikiTableQuestions; `everyday`, as people
    /// ask about tables of their own (women for F, hp for horsepower), the default for one's own questions.
    #[arg(long, value_name = "LINKING")]
    linking: Option<Linking>,
    /// Where a value must stand for a program to use it with a column: `rows`, in the rows at hand, as in
    /// the paper; `table`, anywhere, so that an answer may be nothing, the default for WikiSQL.
    #[arg(long, value_name = "FIT")]
    fit: Option<Fit>,
    /// The language of programs: `paper`, its functions and lengths; `people`, with all functions, up to six
    /// expressions and no offers that change nothing, the default for one's own questions.
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<Dialect>,
}

impl SelectionArgs {
    /// The selection that the arguments name.
    pub fn selection(&self) -> Selection {
        Selection {
            split: self.split.clone(),
            limit: self.limit,
            reading: self.reading.choice(),
            functions: None,
            ids: None,
        }
    }
}

impl ReadingArgs {
    /// What the arguments say.
    fn choice(&self) -> ReadingChoice {
        ReadingChoice {
            reader: self.reader,
            linking: self.linking,
            fit: self.fit,
            language: self.language,
        }
    }
}

/// All examples that a selection names.
pub fn examples(data: &Dataset, selection: &Selection) -> Result<Vec<Example>, DatasetError> {
    data.examples(selection)?.collect()
}

/// What is said of an argument that names a dataset.
pub fn which_dataset() -> String {
    format!("The dataset: {}", Dataset::forms())
}

/// A dataset given by `--data`.
#[derive(Args, Clone)]
pub struct DataArgs {
    #[arg(long, value_name = "DATASET", help = which_dataset())]
    pub data: Dataset,
    #[command(flatten)]
    pub selection: SelectionArgs,
}
