//! `mapo train`: a run.

use crate::data_args::SelectionArgs;
use crate::training::{Live, Stopper, examples, explore, threads};
use crate::{Outcome, print};
use clap::Args;
use mapo_tables::{Dataset, Example, Selection};
use mapo_training::{
    Error as TrainingError, Event, Folder, Origin, RunConfig, Saved, Settings, Trainer, memories,
    needs_memories, vocabulary,
};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Train a model on a dataset's questions and answers.
///
/// Example:
///   mapo explore --data toy --programs 4000 --out toy.jsonl
///   mapo train --data toy --memory toy.jsonl --run runs/toy
///
/// The run's directory holds its configuration, what was measured (metrics.jsonl), the best model on the dev split
/// (best.safetensors) and what it needs to go on. Ctrl-C saves and stops; --resume goes on as if nothing had happened.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Train {
    /// The dataset: toy, wtq:DIR, wikisql:DIR or jsonl:FILE.
    #[arg(long, value_name = "DATASET", required_unless_present = "resume")]
    data: Option<Dataset>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// The split by which the best model is chosen; dev, where the dataset has one.
    #[arg(long, value_name = "S")]
    dev_split: Option<String>,
    /// The programs that `mapo explore --out` found. Without it, explores first.
    #[arg(long, value_name = "STORE")]
    memory: Option<PathBuf>,
    /// Word vectors: GloVe's text or wink's JSON. Without it, all vectors are trained.
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// The run's directory.
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    run: Option<PathBuf>,
    /// Go on with the run in this directory.
    #[arg(long, value_name = "DIR", exclusive = true)]
    resume: Option<PathBuf>,
    /// Settings in TOML, over those for the dataset.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change a setting, as in learning.rate=0.002; may be given many times.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many steps of learning.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many threads; all cores when not given. With one, a run depends on its seed and its data alone.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Train {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        if let Some(path) = &self.resume {
            let (mut folder, config) = Folder::open(path)?;
            let (train, dev) = load(&config.run)?;
            let Some(saved) = folder.load(train.len())? else {
                let path = path.display();
                return Err(format!(
                    "{path}: stopped before its first checkpoint; remove it and begin again"
                )
                .into());
            };
            return self.go_on(path, folder, &config, saved, &train, &dev, &stopper);
        }
        let (Some(data), Some(path)) = (&self.data, &self.run) else {
            return Err("give --data and --run, or --resume".into());
        };
        let settings = self.settings(data)?;
        let selection = self.selection.selection();
        let config = RunConfig {
            run: Origin {
                data: data.to_string(),
                split: data.split(&selection).to_owned(),
                dev_split: self.dev_split.clone().or_else(|| dev_split(data)),
                reader: data.reader(&selection).to_string(),
                linking: data.linking(&selection).to_string(),
                limit: selection.limit,
                seed: self.seed,
                threads: threads(self.threads),
            },
            settings,
        };
        let (train, dev) = load(&config.run)?;
        let settings = &config.settings;
        let mut folder = Folder::create(path, &config)?;
        let memories = match &self.memory {
            _ if !needs_memories(settings) => vec![Default::default(); train.len()],
            Some(store) => memories::load(store, &train)?,
            None => {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(config.run.threads)
                    .build()?;
                explore(&train, settings, self.seed, &pool, &stopper)?
            }
        };
        let words = match &self.vectors {
            Some(file) => {
                let vectors = vocabulary::read_vectors(file)?;
                vocabulary::with_vectors(&train, settings.network.often, &vectors)?
            }
            None => vocabulary::trained(&train, settings.network.often, settings.network.vector)?,
        };
        let (seed, threads) = (config.run.seed, config.run.threads);
        let trainer = Trainer::new(settings, seed, threads, &words, &train, memories, &dev)?;
        folder.save(&trainer)?;
        self.train(path, folder, trainer, &config, &stopper)
    }

    #[expect(clippy::too_many_arguments, reason = "what a run is made of")]
    fn go_on(
        &self,
        path: &Path,
        folder: Folder,
        config: &RunConfig,
        saved: Saved,
        train: &[Example],
        dev: &[Example],
        stopper: &Stopper,
    ) -> Outcome {
        let (seed, threads) = (config.run.seed, config.run.threads);
        let trainer = Trainer::resume(&config.settings, seed, threads, saved, train, dev)?;
        self.train(path, folder, trainer, config, stopper)
    }

    fn train(
        &self,
        path: &Path,
        mut folder: Folder,
        mut trainer: Trainer<'_>,
        config: &RunConfig,
        stopper: &Stopper,
    ) -> Outcome {
        let (settings, began, first) = (&config.settings, Instant::now(), trainer.step());
        let mut live = Live::start(settings.steps, first);
        let ran = trainer.run(&stopper.stop, &mut |trainer, event| {
            live.show(event);
            if let Event::Measured { metrics, is_best } = event {
                folder.measured(metrics)?;
                if let (true, Some(best)) = (*is_best, trainer.best()) {
                    folder.save_best(best)?;
                }
                // Only there do the actors' parameters equal the learner's.
                if trainer.step().is_multiple_of(settings.refresh) {
                    folder.save(trainer)?;
                }
            }
            Ok(())
        });
        live.finish();
        let step = trainer.step();
        if let Err(error) = ran {
            let is_numeric = matches!(
                error,
                TrainingError::Loss { .. } | TrainingError::Network(mapo_programmer::Error::Gradient(_))
            );
            return match trainer.last_batch().filter(|_| is_numeric) {
                Some(batch) => {
                    let file = folder.save_batch(step, batch)?;
                    let source = Box::new(error);
                    Err(TrainingError::Broken { source, step, file }.into())
                }
                None => Err(error.into()),
            };
        }
        folder.save(&trainer)?;
        let seconds = began.elapsed().as_secs_f64();
        if step < settings.steps && stopper.stop.load(Relaxed) {
            let path = path.display();
            return Err(format!("stopped after step {step}; mapo train --resume {path} goes on").into());
        }
        let best = trainer.best();
        if self.json {
            return print(json!({
                "run": path.display().to_string(), "model": folder.best().display().to_string(), "steps": step,
                "seconds": seconds, "steps_per_second": (step - first) as f64 / seconds.max(1e-9),
                "best_step": best.map(|best| best.step), "dev_accuracy": best.map(|best| best.accuracy),
            }));
        }
        print(format_args!("steps     {step}, in {seconds:.1} s"))?;
        if let Some(best) = best {
            print(format_args!(
                "best      {:.2} % on dev, at step {}",
                100.0 * best.accuracy,
                best.step
            ))?;
            print(format_args!("model     {}", folder.best().display()))?;
        }
        Ok(())
    }

    fn settings(&self, data: &Dataset) -> Result<Settings, Box<dyn Error>> {
        let mut settings = Settings::for_data(data);
        if let Some(file) = &self.config {
            let file_error = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
            let text = std::fs::read_to_string(file).map_err(|error| file_error(&error))?;
            settings = settings.changed_by(&text).map_err(|error| file_error(&error))?;
        }
        for change in &self.set {
            settings = settings.with(change)?;
        }
        settings.steps = self.steps.unwrap_or(settings.steps);
        settings.check()?;
        Ok(settings)
    }
}

/// The split by which models are chosen.
fn dev_split(data: &Dataset) -> Option<String> {
    match data {
        Dataset::Toy | Dataset::WikiSql(_) => Some("dev".to_owned()),
        Dataset::Wtq(_) => Some("random-split-1-dev".to_owned()),
        Dataset::JsonLines(_) => None,
    }
}

/// The examples to train on and to choose by.
fn load(run: &Origin) -> Result<(Vec<Example>, Vec<Example>), Box<dyn Error>> {
    let data: Dataset = run.data.parse()?;
    let selection = |split: &str, limit| -> Result<Selection, Box<dyn Error>> {
        Ok(Selection {
            split: Some(split.to_owned()),
            limit,
            reader: Some(run.reader.parse()?),
            linking: Some(run.linking.parse()?),
            ids: None,
        })
    };
    let train = examples(&data, &selection(&run.split, run.limit)?)?;
    let dev = match &run.dev_split {
        Some(split) => examples(&data, &selection(split, None)?)?,
        None => Vec::new(),
    };
    Ok((train, dev))
}
