//! `mapo train`: a run.

use crate::data_args::{SelectionArgs, which_dataset};
use crate::settings_args::SettingsArgs;
use crate::threads::threads;
use crate::watching::{Live, Stopper};
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::{Dataset, Selection};
use mapo_training::{Folder, Origin, Preset, Questions, RunConfig, Session, Shares};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Train a model on a dataset's questions and answers.
///
/// Example:
///   mapo explore --data toy --programs 4000 --out toy.jsonl
///   mapo train --data toy --memory toy.jsonl --run runs/toy
///
/// Several datasets train one model together with --mix; docs/training.md says how.
///
/// The run's directory holds its configuration, what was measured (metrics.jsonl), the best model on the dev split
/// (best.safetensors) and what it needs to go on. Ctrl-C saves and stops; --resume goes on as if nothing had happened.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Train {
    #[arg(long, value_name = "DATASET", required_unless_present_any = ["resume", "mix"], help = which_dataset())]
    data: Option<Dataset>,
    /// Several datasets: a TOML file with a `[[data]]` table for each, with data, weight, split, dev, dev_limit, memory and
    /// other flags of one dataset.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "dev_split", "memory"])]
    mix: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// The split by which the best model is chosen; dev, where the dataset has one. A jsonl file that names no splits
    /// has train and dev all the same: the questions about every fifth table are dev (of fewer tables, about the last).
    #[arg(long, value_name = "S")]
    dev_split: Option<String>,
    /// The programs that `mapo explore --out` found. Without it, explores first.
    #[arg(long, value_name = "STORE")]
    memory: Option<PathBuf>,
    /// Word vectors: GloVe's text, wink's JSON, or what `mapo words` made of them. Without it, all vectors are trained.
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// A published encoder that reads beneath the network: the folder with its model.safetensors and vocab.txt
    /// (docs/encoder.md). The settings encoder.trained, .rate, .frozen and .warm_up say how it learns.
    #[arg(long, value_name = "DIR")]
    encoder: Option<PathBuf>,
    /// Begin with this model and its words instead of a new one; `box` is the model in the box.
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["vectors", "encoder"])]
    init: Option<PathBuf>,
    /// The run's directory.
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    run: Option<PathBuf>,
    /// Go on with the run in this directory.
    #[arg(long, value_name = "DIR", conflicts_with_all = BEGINNING)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many threads; all cores when not given. With one, a run depends on its seed and its data alone.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Train {
    pub fn execute(self) -> Outcome {
        let stopper = Stopper::listen()?;
        self.execute_with(stopper, |begun, session| begun.train(session))
    }

    /// The same for whoever brings something to the run before it trains.
    pub fn execute_with(
        self,
        mut stopper: Stopper,
        train: impl FnOnce(Begun<'_>, Session<'_>) -> Outcome,
    ) -> Outcome {
        let (path, config, opened) = match (&self.resume, &self.run) {
            (Some(path), _) => {
                let (folder, config) = Folder::open(path)?;
                (path, config, Some(folder))
            }
            (None, Some(path)) => (path, self.config()?, None),
            (None, None) => return Err(WHAT_TO_GIVE.into()),
        };
        // Only data that can be read makes a run.
        let questions = config.run.questions()?;
        let session = match opened {
            Some(folder) => Session::resume(folder, &config, &questions, &mut stopper),
            None => Session::begin(path, &config, &questions, &mut stopper),
        };
        let session = session.map_err(|error| match error {
            mapo_training::Error::StoppedExploring { .. } => {
                let path = path.display();
                format!("stopped while exploring; mapo train --resume {path} goes on").into()
            }
            error => Box::<dyn Error>::from(error),
        })?;
        let begun = Begun {
            arguments: &self,
            stopper: &stopper,
            path,
            config: &config,
            questions: &questions,
        };
        train(begun, session)
    }

    /// What the run is made of.
    fn config(&self) -> Result<RunConfig, Box<dyn Error>> {
        let (seed, threads) = (self.seed, threads(self.threads));
        let (mut run, settings) = match (&self.mix, &self.data) {
            (Some(_), _) if self.selection.selection() != Selection::default() => {
                return Err("the file of --mix says which split of each dataset is taken, how much of it and how it is \
                            read; leave those flags out"
                    .into());
            }
            (Some(file), _) => {
                let settings = self.settings.over(Preset::People)?;
                (Origin::mixed(file, seed, threads)?, settings)
            }
            (None, Some(data)) => {
                let settings = self.settings.settings(data, self.init.is_some())?;
                let (selection, dev_split) = (self.selection.selection(), self.dev_split.as_deref());
                let machine = (seed, threads);
                let config = RunConfig::on(
                    data,
                    selection,
                    dev_split,
                    self.init.as_deref(),
                    settings,
                    machine,
                )?;
                let (mut run, settings) = (config.run, config.settings);
                run.parts
                    .iter_mut()
                    .for_each(|part| part.memory.clone_from(&self.memory));
                (run, settings)
            }
            (None, None) => return Err(WHAT_TO_GIVE.into()),
        };
        run.vectors.clone_from(&self.vectors);
        run.encoder.clone_from(&self.encoder);
        let mut config = RunConfig { run, settings };
        if self.encoder.is_some() {
            config.settings.encoder.get_or_insert_default();
        }
        Ok(match &self.init {
            Some(model) => config.beginning_with(model)?,
            None => config,
        })
    }

    fn train(&self, path: &Path, mut session: Session<'_>, config: &RunConfig, stopper: &Stopper) -> Outcome {
        let (settings, began) = (&config.settings, Instant::now());
        let first = session.trainer.step();
        let mut live = Live::start(settings.steps, first);
        let ran = session.train(&stopper.stop, &mut |event| {
            live.show(event);
            Ok(())
        });
        live.finish();
        ran?;
        let Session { folder, trainer, .. } = &session;
        let step = trainer.step();
        let seconds = began.elapsed().as_secs_f64();
        if step < settings.steps && stopper.is_stopped() {
            let path = path.display();
            return Err(format!("stopped after step {step}; mapo train --resume {path} goes on").into());
        }
        let best = trainer.best();
        let totals = trainer.totals();
        let (time, rate) = (totals.times.shares(), (step - first) as f64 / seconds.max(1e-9));
        if self.json {
            let mut summary = json!({
                "run": path.display().to_string(), "model": folder.best().display().to_string(), "steps": step,
                "seconds": seconds, "steps_per_second": rate,
                "best_step": best.map(|best| best.step), "dev_accuracy": best.and_then(|best| best.accuracy),
                "memory_size": totals.memory_size(), "largest_memory": totals.largest_memory(),
                "memory_scored": totals.memory_scored(), "time": time,
            });
            if let Some(best) = best.filter(|best| !best.each.is_empty()) {
                summary["dev"] = json!(best.each);
            }
            return print_json(summary);
        }
        print(format_args!("steps     {step}, in {seconds:.1} s"))?;
        if step > first {
            print(format_args!("speed     {rate:.2} steps a second"))?;
            print(format_args!(
                "memories  {:.1} programs each, {} the largest; {:.1} scored at a visit",
                totals.memory_size(),
                totals.largest_memory(),
                totals.memory_scored()
            ))?;
            print(TimeTable(&time))?;
        }
        if let Some(best) = best {
            if let Some(accuracy) = best.accuracy {
                let (percent, step) = (100.0 * accuracy, best.step);
                print(format_args!("best      {percent:.2} % on dev, at step {step}"))?;
            }
            for (name, accuracy) in &best.each {
                print(format_args!(
                    "          {:.2} % on dev of {name}",
                    100.0 * accuracy
                ))?;
            }
            print(format_args!("model     {}", folder.best().display()))?;
        }
        Ok(())
    }
}

/// A run that has been begun or taken up, and has not been trained yet.
pub struct Begun<'a> {
    arguments: &'a Train,
    stopper: &'a Stopper,
    /// Its directory.
    pub path: &'a Path,
    /// What it is made of.
    pub config: &'a RunConfig,
    /// What it learns from.
    pub questions: &'a Questions,
}

impl Begun<'_> {
    /// Trains, and says what came of it.
    pub fn train(&self, session: Session<'_>) -> Outcome {
        self.arguments
            .train(self.path, session, self.config, self.stopper)
    }
}

/// What says how a run begins; one that goes on knows it already.
const BEGINNING: [&str; 12] = [
    "data",
    "mix",
    "SelectionArgs",
    "dev_split",
    "memory",
    "vectors",
    "encoder",
    "init",
    "run",
    "SettingsArgs",
    "seed",
    "threads",
];

const WHAT_TO_GIVE: &str = "give --data or --mix, and --run, or --resume";

/// Where the time went, a line for each kind of work.
struct TimeTable<'a>(&'a Shares);

impl std::fmt::Display for TimeTable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let work = self.0.named().into_iter().take(8);
        for (place, (name, share)) in work.enumerate() {
            let first = if place == 0 { "time" } else { "" };
            writeln!(f, "{first:<9} {:5.1} %  {name}", 100.0 * share)?;
        }
        let [learner, actors] = [self.0.learner_waiting, self.0.actors_waiting].map(|share| 100.0 * share);
        write!(
            f,
            "waiting   {learner:5.1} %  of the learner's thread, {actors:.1} % of the actors', while others worked"
        )
    }
}
