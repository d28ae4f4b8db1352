//! How a run is set up from the command line: its settings and its examples. `mapo train` and `mapo compare`
//! share it.

use crate::training::examples;
use clap::Args;
use mapo_datasets::{Dataset, Example, Selection};
use mapo_training::{Origin, Preset, Settings};
use std::error::Error;
use std::path::PathBuf;

/// The settings of a run.
#[derive(Args, Clone)]
pub struct SettingsArgs {
    /// Settings that go together: toy, wtq, wikisql (what we found best, by the dataset), tune (a few questions of one's
    /// own, beginning with a model), wtq-paper, wikisql-paper.
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,
    /// Settings in TOML, over those of the preset.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change a setting, as in learning.rate=0.002; may be given many times.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many steps of learning.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
}

impl SettingsArgs {
    /// The settings for a dataset, and for beginning with a model or with a new one, changed as the arguments say.
    pub fn settings(&self, data: &Dataset, from_model: bool) -> Result<Settings, Box<dyn Error>> {
        let usual = Preset::for_data(data, from_model);
        let preset = self.preset.unwrap_or(usual);
        let mut settings = preset.settings();
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

/// The examples to train on and to choose by.
pub fn load(run: &Origin) -> Result<(Vec<Example>, Vec<Example>), Box<dyn Error>> {
    let train = load_split(run, &run.split, run.limit)?;
    let dev = match &run.dev_split {
        Some(split) => load_split(run, split, None)?,
        None => Vec::new(),
    };
    Ok((train, dev))
}

/// The examples of a split, read as the run reads its own.
pub fn load_split(run: &Origin, split: &str, limit: Option<usize>) -> Result<Vec<Example>, Box<dyn Error>> {
    let data: Dataset = run.data.parse()?;
    examples(&data, &selection(run, split, limit)?)
}

/// A split, read as the run reads its own.
pub fn selection(run: &Origin, split: &str, limit: Option<usize>) -> Result<Selection, Box<dyn Error>> {
    Ok(Selection {
        split: Some(split.to_owned()),
        limit,
        reading: run.reading.into(),
        functions: Some(run.functions),
        ids: None,
    })
}
