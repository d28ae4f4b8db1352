//! What long work shows while it goes on, and how Ctrl-C stops it.

use crate::terminal::clean;
use indicatif::{ProgressBar, ProgressStyle};
use mapo_core::Progress;
use mapo_fleet::JobStatus;
use mapo_training::memories::Stale;
use mapo_training::{Event, Watch};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Ctrl-C stops what is under way: exploration at once, training after its step.
pub struct Stopper {
    /// The exploration, to stop and to show.
    pub progress: Arc<Progress>,
    /// Whether training is to stop.
    pub stop: Arc<AtomicBool>,
    display: Option<Display>,
}

impl Watch for Stopper {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn exploring(&mut self, examples: usize, done: usize, programs: u64) {
        self.display = Some(Display::start(
            Arc::clone(&self.progress),
            examples,
            done,
            programs,
        ));
    }

    fn explored(&mut self) {
        if let Some(display) = self.display.take() {
            display.finish();
        }
    }

    fn loaded(&mut self, store: &Path, stale: &Stale) {
        if let Some(told) = stale.told() {
            eprintln!("mapo: {}", clean(&format!("{}: {told}", store.display())));
        }
    }
}

impl Stopper {
    /// From here on Ctrl-C asks to stop.
    pub fn listen() -> Result<Self, Box<dyn Error>> {
        let stopper = Stopper {
            progress: Arc::default(),
            stop: Arc::default(),
            display: None,
        };
        let (progress, stop) = (Arc::clone(&stopper.progress), Arc::clone(&stopper.stop));
        ctrlc::set_handler(move || {
            progress.stop();
            stop.store(true, Relaxed);
        })?;
        Ok(stopper)
    }

    /// Whether the user asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

/// A progress bar on stderr, quiet where that is no terminal.
pub struct Display {
    bar: ProgressBar,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Display {
    pub fn start(progress: Arc<Progress>, examples: usize, done: usize, programs: u64) -> Self {
        let bar = ProgressBar::new(examples as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} questions  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done as u64);
        bar.reset_eta();
        let shown = bar.clone();
        let thread = std::thread::spawn(move || {
            let began = Instant::now();
            while !shown.is_finished() {
                let explored = progress.examples();
                let rate = progress.programs() as f64 / began.elapsed().as_secs_f64().max(0.001);
                let solved = 100.0 * progress.solved() as f64 / explored.max(1) as f64;
                // A long example counts by its share of programs, so that the time left is steady.
                let expected = progress.programs() / programs.max(1);
                shown.set_position(done as u64 + explored.max(expected.min(explored + 64)));
                let stopping = if progress.is_stopped() { "  stopping" } else { "" };
                shown.set_message(format!("{rate:.0} programs/s  {solved:.1} % solved{stopping}"));
                std::thread::park_timeout(Duration::from_millis(100));
            }
        });
        Display {
            bar,
            thread: Some(thread),
        }
    }

    pub fn finish(mut self) {
        self.bar.finish_and_clear();
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread only draws; if it died the exploration is none the worse.
            let _ = thread.join();
        }
    }
}

/// The live line of a training run, on stderr, quiet where that is no terminal.
pub struct Live {
    bar: ProgressBar,
    best: Option<f64>,
}

impl Live {
    /// A bar for this many steps, of which some are done.
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
            Event::Submitted { .. } => {}
            Event::Measured { metrics, .. } => {
                if let Some(accuracy) = metrics.dev_accuracy {
                    let best = self.best.map_or(accuracy, |best| best.max(accuracy));
                    self.best = Some(best);
                    let (now, best) = (100.0 * accuracy, 100.0 * best);
                    let each = metrics.dev.iter();
                    let each: Vec<String> = each
                        .map(|(name, share)| format!("{name} {:.1}", 100.0 * share))
                        .collect();
                    let each = match each.is_empty() {
                        true => String::new(),
                        false => format!(" ({})", each.join(", ")),
                    };
                    self.bar
                        .set_message(format!("{now:.1} % right on dev{each}, at best {best:.1} %"));
                }
            }
        }
    }

    /// Takes the line away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// How far work is that others do, on stderr, quiet where that is no terminal.
pub struct SharedWork {
    bar: ProgressBar,
    tasks: &'static str,
}

impl SharedWork {
    /// A bar for tasks of this name, measured in this.
    pub fn start(tasks: &'static str, measure: &str) -> Self {
        let bar = ProgressBar::new(0);
        let form = format!("{{bar:30}} {{pos}}/{{len}} {measure}  {{msg}}  {{eta}} left");
        let style = ProgressStyle::with_template(&form);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, tasks }
    }

    /// Shows how far it is.
    pub fn show(&self, job: &JobStatus) {
        self.bar.set_length(job.of);
        self.bar.set_position(job.steps);
        let workers: BTreeSet<&String> = job.at_work.values().collect();
        let told = match workers.len() {
            0 => "no worker yet: start some with mapo fleet work".to_owned(),
            1 => "1 worker".to_owned(),
            number => format!("{number} workers"),
        };
        self.bar.set_message(format!(
            "{} of {} {} done, {told}",
            job.done, job.tasks, self.tasks
        ));
    }

    /// Takes the line away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
