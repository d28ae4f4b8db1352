//! What a run is made of, as its `config.toml` says.

use mapo_datasets::{Dataset, Example, Reading, Selection};
use mapo_language::Lexicon;
use mapo_model::file::{Card, load};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

use crate::settings::Settings;
use crate::{Error, Result};

/// What a run is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// The data and the machine.
    pub run: Origin,
    /// The settings.
    pub settings: Settings,
}

impl RunConfig {
    /// The same run, beginning with a model instead of a new network, whose sizes it takes. The functions
    /// that the model knows keep their places; what the data has beyond them can be learnt.
    ///
    /// # Errors
    /// If the model cannot be read.
    pub fn beginning_with(mut self, model: &Path) -> Result<Self> {
        let (network, card) = load(model, false)?;
        self.settings.take_sizes(network.config());
        let known = card.functions().map_err(mapo_model::Error::from)?;
        self.run.functions = known.and(&self.run.functions);
        self.run.init = Some(model.to_owned());
        Ok(self)
    }

    /// The card of a model that a run found best.
    ///
    /// # Errors
    /// If the settings cannot be written as JSON.
    pub fn card(&self, step: u64, dev_accuracy: Option<f64>) -> Result<Card> {
        let run = &self.run;
        let settings = serde_json::to_value(&self.settings).map_err(mapo_model::Error::from)?;
        Ok(Card {
            data: Some(Dataset::name_of(&run.data)),
            split: Some(run.split.clone()),
            limit: run.limit,
            reading: run.reading.into(),
            functions: Some(run.functions.names().into_iter().map(str::to_owned).collect()),
            seed: Some(run.seed),
            threads: Some(run.threads),
            step: Some(step),
            dev_split: run.dev_split.clone(),
            dev_accuracy,
            before_packing: false,
            calibration: None,
            settings: Some(settings),
            notes: serde_json::Map::new(),
        })
    }
}

/// Where the data comes from, and how the run is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The dataset, as on the command line.
    pub data: String,
    /// The split to train on.
    pub split: String,
    /// The split to choose by.
    pub dev_split: Option<String>,
    /// How questions and tables are read.
    #[serde(flatten)]
    pub reading: Reading,
    /// The functions that programs are numbered with: what the tokens in the run's files mean. Runs that do
    /// not say were made when there were the paper's only.
    #[serde(default)]
    pub functions: Lexicon,
    /// Only this many training examples.
    pub limit: Option<usize>,
    /// The seed.
    pub seed: u64,
    /// How many threads.
    pub threads: usize,
    /// The store of the programs to begin with; without one, the run explores first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<PathBuf>,
    /// The file of word vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<PathBuf>,
    /// The model to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<PathBuf>,
}

impl Origin {
    /// Training on what a selection names, with nothing to begin with and no split to choose by.
    pub fn new(data: &Dataset, selection: &Selection, seed: u64, threads: usize) -> Self {
        Self {
            data: data.to_string(),
            split: data.split(selection).to_owned(),
            dev_split: None,
            reading: data.reading(selection),
            functions: data.functions(selection),
            limit: selection.limit,
            seed,
            threads,
            memory: None,
            vectors: None,
            init: None,
        }
    }

    /// The questions to train on and to choose by.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn questions(&self) -> Result<Questions> {
        let dev = self.dev_split.as_deref();
        Ok(Questions {
            train: self.examples(&self.split, self.limit)?,
            dev: dev.map_or(Ok(Vec::new()), |split| self.examples(split, None))?,
        })
    }

    /// The examples of a split, read as the run reads its own.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn examples(&self, split: &str, limit: Option<usize>) -> Result<Vec<Example>> {
        let selection = self.selection(split, limit);
        Ok(self.dataset()?.examples(&selection)?.collect::<Result<_, _>>()?)
    }

    /// The dataset.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn dataset(&self) -> Result<Dataset> {
        self.data.parse().map_err(Error::Dataset)
    }

    /// A split, read as the run reads its own.
    pub fn selection(&self, split: &str, limit: Option<usize>) -> Selection {
        Selection {
            split: Some(split.to_owned()),
            limit,
            reading: self.reading.into(),
            functions: Some(self.functions),
            ids: None,
        }
    }
}

/// What a run learns from and is measured by.
#[derive(Debug)]
pub struct Questions {
    /// The questions to train on.
    pub train: Vec<Example>,
    /// The questions to choose by; none where there is no such split.
    pub dev: Vec<Example>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_card_tells_no_folder_of_the_machine() {
        for (data, name) in [
            ("wtq:/home/someone/wtq", "wtq"),
            ("wikisql:x/y", "wikisql"),
            ("jsonl:/home/someone/questions.jsonl", "jsonl:questions.jsonl"),
        ] {
            let run = Origin {
                data: data.to_owned(),
                ..Origin::new(&Dataset::toy(), &Selection::default(), 3, 1)
            };
            let settings = Settings::toy();
            let card = RunConfig { run, settings }.card(1, Some(0.0)).unwrap();
            assert_eq!(card.data.as_deref(), Some(name));
            assert_eq!(card.settings.unwrap()["batch"], json!(32));
        }
    }

    #[test]
    fn the_reading_lies_flat_in_the_file() {
        let config = RunConfig {
            run: Origin::new(&Dataset::toy(), &Selection::default(), 3, 1),
            settings: Settings::toy(),
        };
        let text = toml::to_string_pretty(&config).unwrap();
        assert_eq!(toml::from_str::<RunConfig>(&text).unwrap(), config);
        let written: toml::Table = text.parse().unwrap();
        for (name, value) in config.run.reading.named() {
            assert_eq!(written["run"][name].as_str(), Some(value.as_str()));
        }
        // A run from before there was a choice of linking and of fit.
        let without = |name: &str, text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with(name));
            lines.collect::<Vec<_>>().join("\n")
        };
        let old = without("fit", &without("linking", &text));
        assert_eq!(toml::from_str::<RunConfig>(&old).unwrap(), config);
        let wrong = text.replace("seed =", "sede =");
        let said = toml::from_str::<RunConfig>(&wrong).unwrap_err().to_string();
        assert!(said.contains("sede") || said.contains("seed"), "{said}");
        let wrong = text.replace("[run]", "[run]\nunknown = 1");
        let said = toml::from_str::<RunConfig>(&wrong).unwrap_err().to_string();
        assert!(said.contains("unknown"), "{said}");
    }
}
