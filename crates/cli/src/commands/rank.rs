//! `mapo rank`: a second look at the answers of a model's beams.

use crate::data_args::{examples, which_dataset};
use crate::kept_apart::{Used, used};
use crate::models::{Models, change_card};
use crate::threads::pool;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::{Dataset, Example, Selection};
use mapo_model::search::Breadth;
use mapo_model::second_look::{SIGNS, SecondLook};
use mapo_programmer::Summary;
use mapo_training::eval;
use mapo_training::ranking::{Beams, FOLDS, Gain, learn};
use rayon::ThreadPool;
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// Teach a model a second look at its answers, or measure what that is worth.
///
/// Examples:
///   mapo rank --model shop.safetensors --data jsonl:questions.jsonl --split spare --into shop.safetensors
///   mapo rank --model box.safetensors --data wtq:WikiTableQuestions --split random-split-1-dev \
///     --data wikisql:wikisql --split train-b --into box.safetensors
///   mapo rank --check --model box --data wtq:WikiTableQuestions --split pristine-seen-tables
///
/// Often a right answer is among those that beam search found, but not the first. The second look weighs signs of each
/// answer: its probability, how much of the question its program uses, whether it is of the kind that is asked for. What
/// each sign counts is learnt from beams for questions that the model was not trained on, of several datasets at
/// once: --data and --split can be given several times, in the same order, and each dataset counts the same. The weights
/// are kept in a model's card. A calibration that was fitted without them no longer holds and is taken out: run
/// mapo calibrate again.
///
/// What is told of the datasets that it learns from is measured in five parts by tables, each with weights that were
/// learnt from the other parts.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Rank {
    /// The model that answers.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    #[arg(long, value_name = "DATASET", required = true, help = which_dataset())]
    data: Vec<Dataset>,
    /// The split of each dataset.
    #[arg(long, value_name = "S")]
    split: Vec<String>,
    /// Only the first N examples of each.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The model whose card gets the weights; without it nothing is written.
    #[arg(long, value_name = "MODEL", conflicts_with = "check")]
    into: Option<PathBuf>,
    /// Learn nothing: answer with and without the second look of --model, and measure what it is worth and costs.
    #[arg(long)]
    check: bool,
    /// Partial programs that beam search keeps; with --check, as the second look wants it.
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "check")]
    beam: usize,
    /// Programs whose probability has a logarithm more than this below the best one's are left out.
    #[arg(long, value_name = "NATS", default_value_t = 6.0, conflicts_with = "check", value_parser = reach)]
    reach: f64,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A dataset's questions, and what they are called.
struct Asked {
    name: String,
    examples: Vec<Example>,
}

/// Seconds of answering without and with the second look.
struct Seconds {
    without: f64,
    with: f64,
}

/// What a second look gains on a dataset, and what it takes.
type Measured = (Gain, Option<Seconds>);

impl Rank {
    pub fn execute(self) -> Outcome {
        if !self.split.is_empty() && self.split.len() != self.data.len() {
            return Err(format!(
                "there are {} datasets and {} splits; give a --split for each --data, or none",
                self.data.len(),
                self.split.len()
            )
            .into());
        }
        let models = Models::load(std::slice::from_ref(&self.model))?;
        // What cannot be written to is said before the work is done.
        self.into.as_ref().map(|file| Summary::read(file)).transpose()?;
        let asked = self.asked(&models)?;
        let pool = pool(self.threads)?;
        if self.check {
            let (look, gains) = self.measure(&models, &asked, &pool)?;
            return self.report(look, &asked, &gains);
        }
        let breadth = Breadth {
            width: self.beam,
            reach: Some(self.reach),
        };
        let mut beams = Vec::new();
        for Asked { examples, .. } in &asked {
            let found = pool.install(|| eval::looked_at(&models.networks, examples, breadth))?;
            beams.push(Beams::new(examples, found));
        }
        let names: Vec<&str> = asked.iter().map(|asked| asked.name.as_str()).collect();
        let (look, gains) = learn(&beams, names.join(", "))?;
        let look = SecondLook { breadth, ..look };
        if let Some(file) = &self.into {
            change_card(file, |card| {
                card.second_look = Some(look.clone());
                card.calibration = None;
            })?;
        }
        let gains: Vec<_> = gains.into_iter().map(|gain| (gain, None)).collect();
        self.report(&look, &asked, &gains)
    }

    fn asked(&self, models: &Models) -> Result<Vec<Asked>, Box<dyn Error>> {
        let mut asked = Vec::new();
        for (place, data) in self.data.iter().enumerate() {
            let selection = Selection {
                split: self.split.get(place).cloned(),
                limit: self.limit,
                ..Selection::default()
            };
            let selection = models.select(data, selection)?;
            let split = data.split(&selection).to_owned();
            let known = used(&models.cards[0], data.kind(), &split);
            if !self.check && known == Used::Trained {
                return Err(format!(
                    "the model was trained on the questions of {split}, whose beams are unlike those of other questions; \
                     learn from others"
                )
                .into());
            }
            asked.push(Asked {
                name: format!("{} {split}", data.kind()),
                examples: examples(data, &selection)?,
            });
        }
        Ok(asked)
    }

    fn measure<'m>(
        &self,
        models: &'m Models,
        asked: &[Asked],
        pool: &ThreadPool,
    ) -> Result<(&'m SecondLook, Vec<Measured>), Box<dyn Error>> {
        let none = || {
            let model = self.model.display();
            format!("{model}: has no second look to check; leave out --check to teach it one")
        };
        let look = models.second_look().ok_or_else(none)?;
        let mut gains = Vec::new();
        for Asked { examples, .. } in asked {
            let answer = |second: Option<&SecondLook>| {
                let began = Instant::now();
                let answers =
                    pool.install(|| eval::answer(&models.networks, second, examples, look.breadth))?;
                Ok::<_, Box<dyn Error>>((answers, began.elapsed().as_secs_f64()))
            };
            // The first time pays for what is made once for each table, so it is not counted.
            let (before, _) = answer(None)?;
            let (after, with) = answer(Some(look))?;
            let (_, without) = answer(None)?;
            let gain = before
                .iter()
                .zip(&after)
                .fold(Gain::default(), |gain, (before, after)| {
                    gain.and(after.right_in_beam, before.right, after.right)
                });
            gains.push((gain, Some(Seconds { without, with })));
        }
        Ok((look, gains))
    }

    fn report(&self, look: &SecondLook, asked: &[Asked], gains: &[Measured]) -> Outcome {
        let by = match self.check {
            true => "by the weights in its card",
            false => "each part of the tables by weights that were learnt from the others",
        };
        if self.json {
            let told = asked
                .iter()
                .zip(gains)
                .map(|(asked, (gain, seconds))| in_json(&asked.name, gain, seconds));
            return print_json(json!({
                "model": self.model.display().to_string(), "beam": look.breadth.width, "reach": look.breadth.reach,
                "folds": (!self.check).then_some(FOLDS), "data": told.collect::<Vec<Value>>(), "second_look": look,
            }));
        }
        print(format_args!(
            "Right answers without and with a second look, {by}:\n"
        ))?;
        for (asked, (gain, seconds)) in asked.iter().zip(gains) {
            let (points, reach) = gain.points();
            let share = |part: usize| 100.0 * part as f64 / gain.questions.max(1) as f64;
            print(format_args!(
                "{}: {} questions\n  without  {:>6}  {:.2} %\n  with     {:>6}  {:.2} %   {points:+.2} ± {reach:.2} points; \
                 {} won, {} lost\n  in beam  {:>6}  {:.2} %",
                asked.name,
                gain.questions,
                gain.before,
                share(gain.before),
                gain.after,
                share(gain.after),
                gain.won,
                gain.lost,
                gain.in_beam,
                share(gain.in_beam),
            ))?;
            if let Some(Seconds { without, with }) = seconds {
                print(format_args!(
                    "  time     {without:.1} s without, {with:.1} s with"
                ))?;
            }
        }
        print(format_args!("\nsign                    weight"))?;
        for sign in &SIGNS {
            let weight = look.weights.get(sign.name).copied().unwrap_or(0.0);
            print(format_args!("{:<22} {weight:>7.3}  {}", sign.name, sign.about))?;
        }
        if let Some(file) = &self.into {
            print(format_args!("\nwritten to  {}", file.display()))?;
        }
        Ok(())
    }
}

/// A reach: above 0, and no more than a logarithm can be.
fn reach(said: &str) -> Result<f64, String> {
    match said.parse::<f64>() {
        Ok(reach) if reach > 0.0 && reach.is_finite() => Ok(reach),
        _ => Err("a reach is a number above 0, such as 6".to_owned()),
    }
}

fn in_json(name: &str, gain: &Gain, seconds: &Option<Seconds>) -> Value {
    let (points, reach) = gain.points();
    let mut told = json!({
        "data": name, "questions": gain.questions, "in_beam": gain.in_beam, "without": gain.before, "with": gain.after,
        "won": gain.won, "lost": gain.lost, "points": points, "interval": [points - reach, points + reach],
    });
    if let Some(Seconds { without, with }) = seconds {
        told["seconds_without"] = json!(without);
        told["seconds_with"] = json!(with);
    }
    told
}
