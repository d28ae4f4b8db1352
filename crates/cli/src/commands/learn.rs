//! `mapo learn`: a model goes on with what people said about its answers.

use crate::threads::threads;
use crate::watching::Stopper;
use crate::{Outcome, memory, print, print_json};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use mapo_datasets::corrections::{FILE, LEARNT, beside};
use mapo_datasets::{Dataset, tables};
use mapo_files::Lock;
use mapo_training::lesson::{Lesson, Report, STEPS, Score};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Learn from corrections: go on with a model, and keep it if it is better.
///
/// Examples:
///   mapo learn films.csv                     # from mapo-corrections.jsonl beside it
///   mapo learn films/                        # the same for a folder of tables
///   mapo learn jsonl:questions.jsonl --test others.jsonl
///
/// The model in the box (or --model) goes on with the corrections, with questions like them about other cells, and with
/// questions made from the same tables, so that nothing is forgotten. Every fourth correction is kept apart at first:
/// a trial shows how many of those are right before and after; then all are learnt. A model that is not better is thrown
/// away. One that is becomes mapo-learnt.safetensors beside the corrections, which `mapo ask` and `mapo serve` use for the
/// tables of that folder from then on; to go back, remove it, or ask with --model box. Ctrl-C stops, and the same command
/// goes on from there.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Learn {
    /// A table or a folder of tables with corrections beside them, a file of corrections, or jsonl:FILE.
    #[arg(value_name = "TABLE|FOLDER|FILE")]
    corrections: String,
    /// The model that goes on; the one in the box when not given.
    #[arg(long, value_name = "FILE", default_value = mapo_model::file::BOX)]
    model: PathBuf,
    /// Measure by the questions of this file, as jsonl: has them, instead of some of the corrections.
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Where the new model is written; mapo-learnt.safetensors beside the corrections when not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Steps of the learner.
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u64).range(10..))]
    steps: u64,
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Print a JSON object for each step too, for `mapo serve`.
    #[arg(long, hide = true, requires = "json")]
    progress: bool,
    /// Let all others go first.
    #[arg(long, hide = true)]
    aside: bool,
}

/// What the command is called.
pub const NAME: &str = "learn";

impl Learn {
    pub fn execute(self) -> Outcome {
        if self.aside {
            memory::step_aside();
        }
        let corrections = self.file()?;
        if !corrections.is_file() {
            return Err(format!(
                "{}: there are no corrections yet; say of answers whether they are right first, at the prompt of \
                 mapo ask, on the page of mapo serve, or with mapo correct",
                corrections.display()
            )
            .into());
        }
        let beside = || corrections.with_file_name(LEARNT);
        let out = self.out.clone().unwrap_or_else(beside);
        let mut stopper = Stopper::listen()?;
        let began = Instant::now();
        let work = out.with_extension("run");
        std::fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
        let lock = Lock::take(&work, ".learning")?;
        let lesson = Lesson {
            corrections: corrections.clone(),
            model: self.model.clone(),
            used: out.is_file().then(|| out.clone()),
            test: self.test.clone(),
            work: work.clone(),
            steps: self.steps,
            seed: self.seed,
            threads: threads(self.threads),
        };
        let bar = ProgressBar::new(self.steps);
        let style = ProgressStyle::with_template("{bar:30} step {pos}/{len}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let stop = std::sync::Arc::clone(&stopper.stop);
        let learnt = lesson.learn(&mut stopper, &stop, &mut |done, of| {
            bar.set_length(of);
            bar.set_position(done);
            if self.progress {
                // Nobody may listen any more; the model is learnt all the same.
                let _ = print_json(json!({ "step": done, "of": of }));
            }
        });
        bar.finish_and_clear();
        let Some(learnt) = learnt? else {
            return Err("stopped; the same command goes on from there".into());
        };
        let report = &learnt.report;
        if report.better {
            learnt.save(&out)?;
        }
        // What it needed to go on is not needed any more, and what cannot be removed does no harm. It is ours until it is gone.
        let _ = std::fs::remove_dir_all(&work);
        drop(lock);
        let seconds = began.elapsed().as_secs_f64();
        if self.json {
            let mut told = serde_json::to_value(report)?;
            told["file"] = json!(corrections.display().to_string());
            told["model"] = json!(report.better.then(|| out.display().to_string()));
            told["seconds"] = json!(seconds);
            return print_json(told);
        }
        show(report, &out, seconds)
    }

    /// The file of corrections.
    fn file(&self) -> Result<PathBuf, Box<dyn Error>> {
        if let Some(file) = self.corrections.strip_prefix("jsonl:") {
            // Who names a dataset names it as everywhere.
            self.corrections.parse::<Dataset>()?;
            return Ok(PathBuf::from(file));
        }
        let path = Path::new(&self.corrections);
        if path.file_name().is_some_and(|name| name == FILE) {
            return Ok(path.to_owned());
        }
        if !path.exists() {
            // The sentence that any table that is not there gets.
            tables::files(path)?;
            mapo_tables::Table::open(path, &mapo_tables::LoadOptions::default())?;
        }
        Ok(beside(path))
    }
}

fn show(report: &Report, out: &Path, seconds: f64) -> Outcome {
    let line = |name: &str, score: &Score| {
        let Score {
            questions,
            before,
            after,
        } = score;
        print(format_args!(
            "{name:<12} {before} of {questions} right before, {after} after"
        ))
    };
    line("corrections", &report.corrections)?;
    match &report.apart {
        Some(apart) => line("kept apart", apart)?,
        None => print("kept apart   none: there are fewer than eight corrections")?,
    }
    line("made", &report.made)?;
    for question in &report.unsolved {
        print(format_args!(
            "nothing found for: {question} (is the answer as it should be? no program gives it)"
        ))?;
    }
    print(format_args!("time         {seconds:.1} s"))?;
    match report.better {
        true => print(format_args!(
            "model        {}: {}; mapo ask and mapo serve use it for the tables beside it",
            out.display(),
            report.why
        )),
        false => print(format_args!("model        the old one stays: {}", report.why)),
    }
}
