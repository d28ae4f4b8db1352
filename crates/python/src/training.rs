//! Training, measuring, and questions made from tables.

use crate::attending::attended;
use crate::error::{MapoError, told};
use crate::model::Model;
use crate::tables::Table;
use mapo_composing::Choices;
use mapo_core::Progress;
use mapo_datasets::{Dataset, Selection, jsonl, tables};
use mapo_model::file;
use mapo_training::{Event, Folder, Preset, RunConfig, Session, Watch, eval};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Steps are told no oftener.
const OFTEN: Duration = Duration::from_millis(100);

/// What a run is made of, as its owner says it.
#[derive(FromPyObject)]
pub struct Wanted {
    /// The dataset, as on the command line.
    data: String,
    split: Option<String>,
    dev_split: Option<String>,
    preset: Option<String>,
    /// Changes of settings: `learning.rate=0.002`.
    settings: Vec<String>,
    steps: Option<u64>,
    /// The model to begin with.
    init: Option<PathBuf>,
    seed: u64,
    threads: Option<usize>,
}

impl Wanted {
    fn config(&self) -> Result<RunConfig, String> {
        let data = self.data.parse::<Dataset>()?;
        let preset = match &self.preset {
            Some(name) => name.parse::<Preset>()?,
            None => Preset::for_data(&data, self.init.is_some()),
        };
        let mut settings = preset.settings();
        for change in &self.settings {
            settings = settings.with(change).map_err(|error| error.to_string())?;
        }
        settings.steps = self.steps.unwrap_or(settings.steps);
        settings.check().map_err(|error| error.to_string())?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let machine = (self.seed, self.threads.unwrap_or_else(cores));
        let selection = Selection {
            split: self.split.clone(),
            ..Selection::default()
        };
        let init = self.init.as_deref();
        let config = RunConfig::on(
            &data,
            selection,
            self.dev_split.as_deref(),
            init,
            settings,
            machine,
        );
        let config = config.and_then(|config| match init {
            Some(model) => config.beginning_with(model),
            None => Ok(config),
        });
        config.map_err(|error| error.to_string())
    }
}

/// Whoever is told how a run begins.
struct Beginning {
    progress: Arc<Progress>,
    tell: Sender<Value>,
}

impl Watch for Beginning {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn exploring(&mut self, examples: usize, done: usize, programs: u64) {
        // Whoever no longer listens has stopped the run.
        let _ = self.tell.send(json!({
            "event": "exploring", "examples": examples, "done": done, "programs": programs,
        }));
    }

    fn explored(&mut self) {
        let _ = self.tell.send(json!({ "event": "explored" }));
    }
}

/// Trains in a run's directory; without `wanted`, goes on with the run that is there. `hear` is called with a JSON text for
/// whatever happens. Gives what the run has come to.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    run: PathBuf,
    wanted: Option<Wanted>,
    hear: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let (progress, stop) = (Arc::new(Progress::default()), AtomicBool::new(false));
    let mut exploring = None;
    let came_to = attended(
        py,
        |tell| train(&run, wanted.as_ref(), &progress, &stop, tell),
        || {
            progress.stop();
            stop.store(true, Relaxed);
        },
        |_, news| {
            match &news {
                Some(news) if news["event"] == "exploring" => exploring = Some(news.clone()),
                Some(_) => exploring = None,
                None => {}
            }
            // Exploration itself says nothing.
            let news = news.or_else(|| {
                let mut news = exploring.clone()?;
                news["done"] = json!(news["done"].as_u64().unwrap_or(0) + progress.examples());
                Some(news)
            });
            match news {
                Some(news) => hear.call1((news.to_string(),)).map(|_| ()),
                None => Ok(()),
            }
        },
    )?;
    came_to
        .map(|came_to| came_to.to_string())
        .map_err(MapoError::new_err)
}

fn train(
    run: &Path,
    wanted: Option<&Wanted>,
    progress: &Arc<Progress>,
    stop: &AtomicBool,
    tell: Sender<Value>,
) -> Result<Value, String> {
    let told = |error: mapo_training::Error| error.to_string();
    let (config, opened) = match wanted {
        Some(wanted) => (wanted.config()?, None),
        None => {
            let (folder, config) = Folder::open(run).map_err(told)?;
            (config, Some(folder))
        }
    };
    // Only data that can be read makes a run.
    let questions = config.run.questions().map_err(told)?;
    let mut watch = Beginning {
        progress: Arc::clone(progress),
        tell: tell.clone(),
    };
    let session = match opened {
        Some(folder) => Session::resume(folder, &config, &questions, &mut watch),
        None => Session::begin(run, &config, &questions, &mut watch),
    };
    let mut session = session.map_err(told)?;
    let steps = config.settings.steps;
    let tell_step = |step: u64| {
        let _ = tell.send(json!({ "event": "step", "step": step, "steps": steps }));
    };
    tell_step(session.trainer.step());
    let mut last = Instant::now();
    let ran = session.train(stop, &mut |event| {
        match event {
            Event::Step { step } if *step == steps || last.elapsed() >= OFTEN => {
                last = Instant::now();
                tell_step(*step);
            }
            Event::Measured { metrics, is_best, .. } => {
                let mut measured = json!(metrics);
                measured["event"] = json!("measured");
                measured["steps"] = json!(steps);
                measured["is_best"] = json!(is_best);
                let _ = tell.send(measured);
            }
            Event::Step { .. } | Event::Submitted { .. } => {}
        }
        Ok(())
    });
    ran.map_err(told)?;
    let best = session.trainer.best();
    Ok(json!({
        "step": session.trainer.step(), "steps": steps,
        "best_step": best.map(|best| best.step),
        "dev_accuracy": best.and_then(|best| best.accuracy),
        "model": session.folder.best(),
    }))
}

/// Measures a model on a split of a dataset: a JSON line for each question.
#[pyfunction]
pub fn score(
    py: Python<'_>,
    model: &Model,
    data: &str,
    split: Option<String>,
    limit: Option<usize>,
) -> PyResult<Vec<String>> {
    attended(
        py,
        |_: Sender<()>| measure(model, data, split, limit),
        || {},
        |_, _| Ok(()),
    )?
    .map_err(MapoError::new_err)
}

fn measure(
    model: &Model,
    data: &str,
    split: Option<String>,
    limit: Option<usize>,
) -> Result<Vec<String>, String> {
    let wrong = |error: &dyn std::fmt::Display| error.to_string();
    let data = data.parse::<Dataset>()?;
    let (network, card) =
        file::from_bytes(&model.bytes, &model.name, false).map_err(|error| wrong(&error))?;
    let selection = Selection {
        split,
        limit,
        ..Selection::default()
    };
    let selection = Selection {
        functions: Some(file::same_functions([&card]).map_err(|error| wrong(&error))?),
        ..data.selection_for(selection, card.reading_of(&data))
    };
    let examples = data.examples(&selection).map_err(|error| wrong(&error))?;
    let examples: Vec<_> = examples
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(&error))?;
    let answered = eval::answer(
        &[Arc::new(network)],
        card.second_look.as_ref(),
        &examples,
        card.breadth(),
    );
    let mut predictions = answered.map_err(|error| wrong(&error))?;
    if let Some(calibration) = &card.calibration {
        eval::calibrate(&mut predictions, calibration);
    }
    let lines = predictions.iter().map(serde_json::to_string);
    lines.collect::<Result<_, _>>().map_err(|error| wrong(&error))
}

/// Makes questions about a table, with answers and programs, as JSON.
#[pyfunction]
pub fn compose(py: Python<'_>, table: &Table, count: usize, seed: u64) -> PyResult<String> {
    let table = &table.table;
    let made = py.detach(|| {
        let mut choices = Choices::new(seed, 1);
        let made = tables::make(
            table,
            Path::new(table.name()),
            None,
            count,
            jsonl::READING,
            &mut choices,
        );
        let made = made.into_iter().map(|made| {
            let made = made.composed;
            json!({ "question": made.question, "answer": made.answer, "program": made.program, "kind": made.kind })
        });
        Value::Array(made.collect())
    });
    serde_json::to_string(&made).map_err(told)
}
