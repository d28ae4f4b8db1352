//! `mapo model`: a model's card.

use crate::card_view::{dataset_in_words, dev_splits, in_words, look_in_words};
use crate::size::Size;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_model::Card;
use mapo_programmer::Summary;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Show what a model is and where it comes from.
///
/// Example:
///   mapo model runs/toy/best.safetensors
///
/// Its size, network and words, the data, seed and step that it comes from, its accuracy on the dev split, and the
/// settings as --set takes them.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Model {
    /// The model.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Model {
    pub fn execute(self) -> Outcome {
        let summary = Summary::read(&self.file)?;
        let mut card = Card::read(&summary.notes);
        // Only packing makes 16 bits of 32; older files do not say so.
        card.before_packing |= card.dev_accuracy.is_some() && summary.parameter_bits == 16;
        let network = serde_json::to_value(&summary.config)?;
        if self.json {
            return print_json(json!({
                "model": self.file.display().to_string(), "bytes": summary.bytes,
                "parameters": summary.parameters, "parameter_bits": summary.parameter_bits,
                "words": summary.words, "trained_words": summary.trained_words,
                "word_bits": summary.precision.bits(), "vectors": summary.vectors, "network": network,
                "can_go_on": summary.has_optimiser, "step": summary.step, "card": card.write()?,
            }));
        }
        let line = |name: &str, text: String| print(format_args!("{name:<10} {text}"));
        line(
            "file",
            format!("{}, {}", self.file.display(), Size(summary.bytes)),
        )?;
        line(
            "network",
            format!(
                "{} parameters of {} bits",
                summary.parameters, summary.parameter_bits
            ),
        )?;
        line("sizes", flat("", &network).join(", "))?;
        let fixed = summary.words - summary.trained_words;
        let source = summary.vectors.as_ref().map(|name| format!(" from {name}"));
        line(
            "words",
            match fixed {
                0 => format!("{}, all trained", summary.words),
                _ => format!(
                    "{}: {} trained, {fixed}{} in {} bits",
                    summary.words,
                    summary.trained_words,
                    source.unwrap_or_default(),
                    summary.precision.bits()
                ),
            },
        )?;
        if let Some(data) = &card.data {
            let first = card.limit.map(|limit| format!(", the first {limit}"));
            let split = card.split.as_deref().unwrap_or_default();
            line(
                "data",
                format!("{data} {split}{}", first.unwrap_or_default())
                    .trim_end()
                    .to_owned(),
            )?;
        }
        for trained in &card.datasets {
            line("", dataset_in_words(trained))?;
        }
        if let Some(reader) = card.reading.reader {
            line("reader", reader.to_string())?;
        }
        if let Some(seed) = card.seed {
            let threads = card.threads.map(|threads| format!(", on {threads} threads"));
            line("seed", format!("{seed}{}", threads.unwrap_or_default()))?;
        }
        line("step", card.step.unwrap_or(summary.step).to_string())?;
        if let Some(accuracy) = card.dev_accuracy {
            let split = dev_splits(&card);
            let when = if card.before_packing {
                ", before packing"
            } else {
                ""
            };
            line("accuracy", format!("{:.2} % on {split}{when}", 100.0 * accuracy))?;
        }
        if let Some(look) = &card.second_look {
            line("looks", look_in_words(look))?;
        }
        if let Some(calibration) = &card.calibration {
            line("calibrated", in_words(calibration))?;
        }
        for (name, note) in &card.notes {
            line(name, scalar(note))?;
        }
        for (at, setting) in card.settings.iter().flat_map(|value| flat("", value)).enumerate() {
            line(if at == 0 { "settings" } else { "" }, setting)?;
        }
        Ok(())
    }
}

/// Nested values as `name.name=value`.
fn flat(name: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(inner) => inner
            .iter()
            .flat_map(|(key, value)| match name {
                "" => flat(key, value),
                name => flat(&format!("{name}.{key}"), value),
            })
            .collect(),
        value => vec![format!("{name}={}", scalar(value))],
    }
}

/// A value as people write it: text without quotes, and numbers that were of 32 bits with no more digits than those have.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(wide) if number.is_f64() && f64::from(wide as f32) == wide => (wide as f32).to_string(),
            _ => number.to_string(),
        },
        value => value.to_string(),
    }
}
