//! What the commands that train have in common: stopping, exploring first, and the live display.

use crate::commands::explore::Display;
use indicatif::{ProgressBar, ProgressStyle};
use mapo_core::{Memory, Progress};
use mapo_datasets::{Dataset, Example, Selection};
use mapo_training::{Event, Settings, memories};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Ctrl-C stops what is under way: exploration at once, training after its step.
pub struct Stopper {
    /// The exploration, to stop and to show.
    pub progress: Arc<Progress>,
    /// Whether training is to stop.
    pub stop: Arc<AtomicBool>,
}

impl Stopper {
    /// From here on Ctrl-C asks to stop.
    pub fn listen() -> Result<Self, Box<dyn Error>> {
        let stopper = Stopper {
            progress: Arc::default(),
            stop: Arc::default(),
        };
        let (progress, stop) = (Arc::clone(&stopper.progress), Arc::clone(&stopper.stop));
        ctrlc::set_handler(move || {
            progress.stop();
            stop.store(true, Relaxed);
        })?;
        Ok(stopper)
    }
}

/// How many threads to use: all cores when not given.
pub fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// All examples of a split.
pub fn examples(data: &Dataset, selection: &Selection) -> Result<Vec<Example>, Box<dyn Error>> {
    Ok(data.examples(selection)?.collect::<Result<_, _>>()?)
}

/// Explores at random, with a progress bar.
pub fn explore(
    examples: &[Example],
    settings: &Settings,
    seed: u64,
    pool: &rayon::ThreadPool,
    stopper: &Stopper,
) -> Result<Vec<Memory>, Box<dyn Error>> {
    let programs = settings.explore_first.programs;
    let pruning = settings.pruning()?;
    let display = Display::start(Arc::clone(&stopper.progress), examples.len(), 0, programs);
    let memories = pool.install(|| memories::explore(examples, programs, pruning, seed, &stopper.progress));
    display.finish();
    memories.ok_or_else(|| "stopped while exploring; nothing was kept".into())
}

/// The live line of a training run, on stderr, quiet where that is no terminal.
pub struct Live {
    bar: ProgressBar,
    best: Option<f64>,
}

impl Live {
    /// A bar for so many steps, of which some are done.
    pub fn start(steps: u64, done: u64) -> Self {
        let bar = ProgressBar::new(steps);
        let style = ProgressStyle::with_template("{bar:30} step {pos}/{len}  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        bar.set_message("no accuracy yet");
        Live { bar, best: None }
    }

    /// Says in front of the bar which run it is.
    pub fn named(self, name: String) -> Self {
        let style = ProgressStyle::with_template(
            "{prefix}  {bar:20} step {pos}/{len}  {msg}  {eta} left in this run",
        );
        self.bar
            .set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_prefix(name);
        self
    }

    /// Shows what happened.
    pub fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Step { step } => self.bar.set_position(*step),
            Event::Measured { metrics, .. } => {
                if let Some(accuracy) = metrics.dev_accuracy {
                    let best = self.best.map_or(accuracy, |best| best.max(accuracy));
                    self.best = Some(best);
                    let (now, best) = (100.0 * accuracy, 100.0 * best);
                    self.bar
                        .set_message(format!("{now:.1} % right on dev, at best {best:.1} %"));
                }
            }
        }
    }

    /// Takes the line away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
