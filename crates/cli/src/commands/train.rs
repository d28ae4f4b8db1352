//! `mapo train`: a run.

use crate::data_args::SelectionArgs;
use crate::run_setup::{SettingsArgs, dev_split, load};
use crate::training::{Live, Stopper, explore, threads};
use crate::{Outcome, print};
use clap::Args;
use mapo_tables::{Dataset, Example};
use mapo_training::{
    Folder, Origin, RunConfig, Saved, Trainer, memories, needs_memories, session, vocabulary,
};
use serde_json::json;
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
    #[command(flatten)]
    settings: SettingsArgs,
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
        let settings = self.settings.settings(data)?;
        let selection = self.selection.selection();
        let config = RunConfig {
            run: Origin {
                data: data.to_string(),
                split: data.split(&selection).to_owned(),
                dev_split: self.dev_split.clone().or_else(|| dev_split(data)),
                reader: data.reader(&selection).to_string(),
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
        let vectors = self.vectors.as_deref().map(vocabulary::read_vectors);
        let words = vocabulary::of(&train, &settings.network, vectors.transpose()?.as_ref())?;
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
        let ran = session::train(&mut folder, &mut trainer, settings, &stopper.stop, &mut |event| {
            live.show(event);
            Ok(())
        });
        live.finish();
        ran?;
        let step = trainer.step();
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
}
