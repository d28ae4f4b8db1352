//! `mapo pack`: a model in a small file.

use crate::data_args::SelectionArgs;
use crate::size::Size;
use crate::words_of::words_of;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::Dataset;
use mapo_model::Card;
use mapo_programmer::Checkpoint;
use serde_json::json;
use std::path::PathBuf;

/// Put a model into a small file that needs nothing else.
///
/// Example:
///   mapo pack --model runs/wtq/best.safetensors --out wtq.safetensors --max-size 15MB --note licence=\"CC BY-SA 4.0\"
///
/// Parameters are kept in 16 bits and word vectors in 8; what training alone needs is dropped. Words are left out, the
/// rarest first, until the file fits; those with trained vectors always stay. `mapo model` shows the card. The
/// accuracy on it is that of the model before packing; `mapo eval` measures the packed one.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Pack {
    /// The model, as training wrote it.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Where to write.
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// The largest size: 15MB, 500kB. Without it, all words are kept.
    #[arg(long, value_name = "SIZE")]
    max_size: Option<Size>,
    /// Leave out the words of this dataset's questions and columns last.
    #[arg(long, value_name = "DATASET")]
    words_of: Option<Dataset>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Add to the model's card, as in licence=MIT; may be given many times.
    #[arg(long, value_name = "NAME=VALUE")]
    note: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Pack {
    pub fn execute(self) -> Outcome {
        let wanted = words_of(self.words_of.as_ref(), &self.selection.selection())?;
        let mut model = Checkpoint::load(&self.model, false)?;
        let was = std::fs::metadata(&self.model)?.len();
        let mut card = Card::read(&model.notes);
        for note in &self.note {
            card.note(note)?;
        }
        // Fewer bits answer a little differently.
        card.before_packing = card.dev_accuracy.is_some();
        model.notes = card.write()?;
        let most = self
            .max_size
            .map(|size| usize::try_from(size.0).unwrap_or(usize::MAX));
        let packed = model.pack(&self.out, most, |word| wanted.contains(word))?;
        if self.json {
            return print_json(json!({
                "model": self.out.display().to_string(), "bytes": packed.bytes, "was": was,
                "words": packed.words, "of": packed.of,
            }));
        }
        print(format_args!("words     {} of {}", packed.words, packed.of))?;
        print(format_args!(
            "model     {}, {}, was {}",
            self.out.display(),
            Size(packed.bytes as u64),
            Size(was)
        ))
    }
}
