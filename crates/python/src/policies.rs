//! Policies of environments that are written in Python: trained, asked, saved.

use crate::attending::attended;
use crate::environments::{look_at, reward_of};
use crate::error::{MapoError, told};
use crate::threads::attached;
use mapo_core::Action;
use mapo_neural::{ByPrefix, Look, Observed, Observing, Progress, Settings, Trained};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Steps are told no oftener.
const OFTEN: Duration = Duration::from_millis(100);

/// An environment as Python gives it: what looks at a prefix, the task's tokens, and the parts that actions stand for.
type Given = (Py<PyAny>, Vec<String>, Vec<(usize, usize)>);

/// A program with what it earns and its log-probability.
type Written = (Vec<u16>, f64, f64);

/// The first exception of all environments.
type Raised = Arc<Mutex<Option<PyErr>>>;

fn raised(raised: &Raised) -> std::sync::MutexGuard<'_, Option<PyErr>> {
    raised.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Environments of Python, that any thread may walk. After an exception nothing can be done in any of them.
fn environments(given: Vec<Given>, error: &Raised) -> Vec<impl Observed + Send + use<>> {
    let environment = |(look, context, mentions): Given| {
        let error = Arc::clone(error);
        let env = ByPrefix::new(move |prefix: &[Action]| {
            if raised(&error).is_some() {
                return Look::Open(Vec::new());
            }
            attached(|py| match look_at(look.bind(py), prefix) {
                Ok(look) => look,
                Err(exception) => {
                    raised(&error).get_or_insert(exception);
                    Look::Open(Vec::new())
                }
            })
        });
        let mentions: Vec<Range<usize>> = mentions.into_iter().map(|(first, end)| first..end).collect();
        Observing::new(context, env).mentioning(mentions)
    };
    given.into_iter().map(environment).collect()
}

/// A policy that was trained on environments.
#[pyclass(frozen, module = "mapo._mapo")]
pub struct Policy {
    trained: Trained,
}

#[pymethods]
impl Policy {
    /// Trains on environments; `settings` is JSON, and `hear` is called with a JSON text for whatever happens.
    #[staticmethod]
    fn train(
        py: Python<'_>,
        environments: Vec<Given>,
        settings: &str,
        hear: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let settings: Settings = serde_json::from_str(settings)
            .map_err(|error| told(format!("the settings cannot be used: {error}")))?;
        let (error, stop) = (Raised::default(), AtomicBool::new(false));
        let trained = attended(
            py,
            |tell| learn(environments, &settings, &error, &stop, tell),
            || stop.store(true, Relaxed),
            |_, news: Option<Value>| match news {
                Some(news) => hear.call1((news.to_string(),)).map(|_| ()),
                None => Ok(()),
            },
        )?;
        if let Some(exception) = raised(&error).take() {
            return Err(exception);
        }
        let trained = trained.map_err(MapoError::new_err)?;
        Ok(Self { trained })
    }

    /// For each environment its most probable programs, found by a beam of this width.
    fn programs(
        &self,
        py: Python<'_>,
        environments: Vec<Given>,
        width: usize,
    ) -> PyResult<Vec<Vec<Written>>> {
        let error = Raised::default();
        let found = attended(
            py,
            |_: Sender<()>| {
                let mut tasks = self::environments(environments, &error);
                self.trained
                    .programs(&mut tasks, width)
                    .map_err(|error| error.to_string())
            },
            || {},
            |_, _| Ok(()),
        )?;
        if let Some(exception) = raised(&error).take() {
            return Err(exception);
        }
        let actions = |actions: &[Action]| actions.iter().map(|action| action.0).collect();
        let found = found.map_err(MapoError::new_err)?.into_iter();
        let written = found.map(|programs| {
            let programs = programs.into_iter();
            let programs = programs.map(|found| {
                (
                    actions(&found.actions),
                    reward_of(found.reward),
                    found.log_probability,
                )
            });
            programs.collect()
        });
        Ok(written.collect())
    }

    /// What its training came to, as JSON.
    fn report(&self) -> PyResult<String> {
        serde_json::to_string(self.trained.report()).map_err(told)
    }

    /// Writes it into a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.trained.save(&path).map_err(told))
    }

    /// Reads what `save` wrote.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let trained = py.detach(|| Trained::load(&path).map_err(told))?;
        Ok(Self { trained })
    }
}

fn learn(
    given: Vec<Given>,
    settings: &Settings,
    error: &Raised,
    stop: &AtomicBool,
    tell: Sender<Value>,
) -> Result<Trained, String> {
    let tasks = environments(given, error);
    let mut last = Instant::now();
    let trained = mapo_neural::train(tasks, settings, |progress| {
        let news = match progress {
            Progress::Exploring { tasks, solved } => {
                Some(json!({ "event": "exploring", "tasks": tasks, "solved": solved }))
            }
            Progress::Learning { step, .. } if step < settings.steps && last.elapsed() < OFTEN => None,
            Progress::Learning { step, statistics, .. } => {
                last = Instant::now();
                let weight = statistics.memory_weight.get();
                Some(
                    json!({ "event": "step", "step": step, "steps": settings.steps, "memory_weight": weight }),
                )
            }
        };
        // Whoever no longer listens has stopped it.
        let _ = news.map(|news| tell.send(news));
        let is_over = stop.load(Relaxed) || raised(error).is_some();
        match is_over {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    trained.map_err(|error| error.to_string())
}
