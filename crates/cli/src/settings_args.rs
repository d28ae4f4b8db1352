//! The arguments that set a run's settings.

use clap::Args;
use mapo_datasets::Dataset;
use mapo_training::{Preset, Settings};
use std::error::Error;
use std::path::PathBuf;

/// The settings of a run.
#[derive(Args, Clone)]
pub struct SettingsArgs {
    /// Settings that go together: toy, wtq, wikisql (what we found best, by the dataset), tune (a few
    /// questions of one's own, beginning with a model), people (several datasets), wtq-paper, wikisql-paper.
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
    /// The settings for a dataset, and for beginning with a model or with a new one, changed as the
    /// arguments say.
    pub fn settings(&self, data: &Dataset, from_model: bool) -> Result<Settings, Box<dyn Error>> {
        self.over(Preset::for_data(data, from_model))
    }

    /// The settings of a preset, if the arguments name no other, changed as they say.
    pub fn over(&self, usual: Preset) -> Result<Settings, Box<dyn Error>> {
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
