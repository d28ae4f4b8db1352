//! `mapo calibrate`: how far a model's answers can be trusted.

use crate::card_view::in_words;
use crate::data_args::{DataArgs, examples};
use crate::kept_apart::{Used, used};
use crate::models::{Models, change_card};
use crate::threads::pool;
use crate::{Outcome, chart, print, print_json};
use clap::Args;
use mapo_model::Card;
use mapo_model::confidence::{Calibration, Judged};
use mapo_programmer::Summary;
use mapo_training::eval::{self, Prediction};
use mapo_training::study::Reliability;
use serde_json::json;
use std::path::PathBuf;

/// Fit how far a model's answers can be trusted, or check it.
///
/// Examples:
///   mapo calibrate --model shop.safetensors --data jsonl:questions.jsonl --split spare --into shop.safetensors
///   mapo calibrate --model runs/twin/best.safetensors --data wtq:WikiTableQuestions \
///     --split random-split-1-train-b --reader mapo --into wtq.safetensors
///   mapo calibrate --check --model models/box.safetensors --data wtq:WikiTableQuestions \
///     --split random-split-1-dev --reader mapo --chart reliability.svg
///
/// A model gives its answers more probability than they deserve on questions it has never seen. The calibration is a
/// curve, fitted to questions that the model was not trained on, that says how often answers of such a probability are
/// right, and from where on the model is sure. It is kept in a model's card: that of --model, or with --into that of
/// another model that was trained in the same way. Nothing else in that file changes.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Calibrate {
    /// The model that answers.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// The model whose card gets the calibration; without it nothing is written.
    #[arg(long, value_name = "MODEL", conflicts_with = "check")]
    into: Option<PathBuf>,
    /// Fit nothing: measure how far the probabilities of --model can be trusted here, with and without its calibration.
    #[arg(long)]
    check: bool,
    /// Draw the share of right answers against their probability, before and after.
    #[arg(long, value_name = "FILE.svg")]
    chart: Option<PathBuf>,
    /// Partial programs that beam search keeps; when not given, as the model's second look wants it, else 5.
    #[arg(long, value_name = "N")]
    beam: Option<usize>,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Calibrate {
    pub fn execute(self) -> Outcome {
        let models = Models::load(std::slice::from_ref(&self.model))?;
        let selection = models.selection(&self.data)?;
        let split = self.data.data.split(&selection).to_owned();
        if !self.check {
            self.refuse_known(&models.cards[0], &split)?;
        }
        // What cannot be written to is said before the work is done.
        self.into.as_ref().map(|file| Summary::read(file)).transpose()?;
        let examples = examples(&self.data.data, &selection)?;
        let pool = pool(self.threads)?;
        let breadth = models.breadth(self.beam);
        let predictions =
            pool.install(|| eval::answer(&models.networks, models.second_look(), &examples, breadth))?;
        let calibration = if self.check {
            let none = || {
                format!(
                    "{}: has no calibration to check; leave out --check to fit one",
                    self.model.display()
                )
            };
            models.calibration().cloned().ok_or_else(none)?
        } else {
            let beams: Vec<Vec<Judged>> = predictions
                .iter()
                .map(|prediction| prediction.judged.clone())
                .collect();
            Calibration::fit(&beams, format!("{} {split}", self.data.data.kind()))?
        };
        if let Some(file) = &self.into {
            change_card(file, |card| card.calibration = Some(calibration.clone()))?;
        }
        self.report(predictions, &calibration, &split)
    }

    /// Answers to questions that the model knows, or that it is measured with, are no ground to judge others by.
    fn refuse_known(&self, card: &Card, split: &str) -> Outcome {
        let used = used(card, self.data.data.kind(), split);
        if used == Used::Trained {
            return Err(format!(
                "the model was trained on the questions of {split}, where it is right too often; fit it to others"
            )
            .into());
        }
        let kept =
            split.starts_with("pristine") || split == "test" || split.ends_with("-dev") || split == "dev";
        match used == Used::Chosen || kept {
            true => Err(format!(
                "{split} is for measuring; fit to a part of the training questions that the model was not trained on, \
                 and use --check here"
            )
            .into()),
            false => Ok(()),
        }
    }

    fn report(&self, mut predictions: Vec<Prediction>, calibration: &Calibration, split: &str) -> Outcome {
        eval::calibrate(&mut predictions, calibration);
        let measure = |of: fn(&Prediction) -> f64| {
            Reliability::new(
                predictions
                    .iter()
                    .map(|prediction| (of(prediction), prediction.right)),
            )
        };
        let before = measure(|prediction| prediction.probability);
        let after = measure(|prediction| prediction.calibrated.unwrap_or(0.0));
        let is_sure =
            |prediction: &Prediction| prediction.calibrated.is_some_and(|p| p >= calibration.threshold);
        let (sure, unsure): (Vec<_>, Vec<_>) = predictions.iter().partition(|p| is_sure(p));
        let right = |of: &[&Prediction]| {
            let right = of.iter().filter(|prediction| prediction.right).count();
            (!of.is_empty()).then(|| right as f64 / of.len() as f64)
        };
        if let Some(file) = &self.chart {
            let title = format!("{} {split}, {} answers", self.data.data.kind(), predictions.len());
            mapo_files::write(file, chart::reliability(&title, &before, &after).as_bytes())?;
        }
        if self.json {
            return print_json(json!({
                "data": self.data.data.to_string(), "split": split, "answers": predictions.len(),
                "accuracy": eval::accuracy(&predictions), "calibration": calibration,
                "before": before, "after": after,
                "sure": sure.len(), "right_when_sure": right(&sure), "right_when_not_sure": right(&unsure),
            }));
        }
        print(format_args!("As the beams have the probabilities:\n\n{before}"))?;
        print(format_args!("With the calibration:\n\n{after}"))?;
        let share = |of: &[&Prediction]| -> String {
            right(of).map_or("none".to_owned(), |right| {
                let part = 100.0 * of.len() as f64 / predictions.len().max(1) as f64;
                format!(
                    "{} ({part:.1} %), of which {:.1} % are right",
                    of.len(),
                    100.0 * right
                )
            })
        };
        print(format_args!("calibrated  {}", in_words(calibration)))?;
        print(format_args!(
            "curve       log-odds = {:.3} + {:.3} · log-odds of the probability + {:.3} · ln programs + {:.3} · ln words; \
             {:.3} for runners-up",
            calibration.bias,
            calibration.slope,
            calibration.agreement,
            calibration.length,
            calibration.runner_up
        ))?;
        print(format_args!("sure of     {}", share(&sure)))?;
        print(format_args!("not sure    {}", share(&unsure)))?;
        if let Some(file) = &self.into {
            print(format_args!("written to  {}", file.display()))?;
        }
        Ok(())
    }
}
