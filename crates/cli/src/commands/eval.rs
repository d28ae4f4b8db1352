//! `mapo eval`: how good models are.

use crate::card_view::in_short;
use crate::data_args::{DataArgs, examples};
use crate::models::Models;
use crate::threads::pool;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::{Dataset, Example};
use mapo_language::Assistance;
use mapo_model::search;
use mapo_training::eval::{self, Prediction};
use serde_json::json;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Measure a model, or several together, on a split.
///
/// Example:
///   mapo eval --model runs/toy/best.safetensors --data toy --split test
///
/// Beam search finds each model's most probable programs; the answer with the largest summed probability over the
/// programs that give it, of all models, is the answer.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Eval {
    /// Models, as training wrote them; `box` is the model in the box.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    model: Vec<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
    /// Partial programs that beam search keeps; when not given, as the model's second look wants it, else 5.
    #[arg(long, value_name = "N")]
    beam: Option<usize>,
    /// Write the answers in the benchmark's official format.
    #[arg(long, value_name = "OUT")]
    predictions: Option<PathBuf>,
    /// Write a JSON line for each question: program, answer, probability (and calibrated, if the model is), right or
    /// wrong.
    #[arg(long, value_name = "OUT")]
    details: Option<PathBuf>,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Eval {
    pub fn execute(self) -> Outcome {
        let models = Models::load(&self.model)?;
        let selection = models.selection(&self.data)?;
        let examples = examples(&self.data.data, &selection)?;
        let pool = pool(self.threads)?;
        let breadth = models.breadth(self.beam);
        let began = Instant::now();
        let mut predictions =
            pool.install(|| eval::answer(&models.networks, models.second_look(), &examples, breadth))?;
        if let Some(calibration) = models.calibration() {
            eval::calibrate(&mut predictions, calibration);
        }
        let seconds = began.elapsed().as_secs_f64();
        if let Some(file) = &self.predictions {
            let text = official(&self.data.data, &examples, &predictions)?;
            mapo_files::write(file, text.as_bytes())?;
        }
        if let Some(file) = &self.details {
            let mut text = String::new();
            for prediction in &predictions {
                writeln!(text, "{}", serde_json::to_string(prediction)?)?;
            }
            mapo_files::write(file, text.as_bytes())?;
        }
        let right = predictions.iter().filter(|prediction| prediction.right).count();
        let accuracy = eval::accuracy(&predictions);
        let split = self.data.data.split(&selection);
        if self.json {
            return print_json(json!({
                "data": self.data.data.to_string(), "split": split, "models": models.cards.len(), "beam": breadth.width,
                "examples": examples.len(), "correct": right, "accuracy": accuracy,
                "beam_accuracy": eval::beam_accuracy(&predictions), "seconds": seconds,
                "cards": models.cards,
            }));
        }
        for (file, card) in self.model.iter().zip(&models.cards) {
            let about = in_short(card).map_or_else(String::new, |about| format!(" ({about})"));
            print(format_args!("model      {}{about}", file.display()))?;
        }
        print(format_args!("examples   {}", examples.len()))?;
        print(format_args!("correct    {right}"))?;
        print(format_args!("accuracy   {:.2} %", 100.0 * accuracy))?;
        let in_beam = 100.0 * eval::beam_accuracy(&predictions);
        print(format_args!("in beam    {in_beam:.2} %"))?;
        print(format_args!("time       {seconds:.1} s"))
    }
}

/// The predictions as the benchmark's official evaluator reads them.
fn official(
    data: &Dataset,
    examples: &[Example],
    predictions: &[Prediction],
) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for (example, prediction) in examples.iter().zip(predictions) {
        let mut interpreter = example.interpreter(Assistance::All);
        search::visit(&mut interpreter, &prediction.tokens)?;
        // Rows answer nothing.
        let items = interpreter.answer_values();
        let items = items.filter(|_| !interpreter.answers_rows());
        writeln!(text, "{}", data.prediction(&example.id, items))?;
    }
    Ok(text)
}
