//! What a run is made of, as its `config.toml` says.

use mapo_core::Course;
use mapo_datasets::{Dataset, Reading, ReadingChoice, Selection};
use mapo_language::Lexicon;
use mapo_model::file::{Card, TrainedOn, load};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

use crate::run::Best;
use crate::run::parts::{Part, Questions};
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
    /// A run on one dataset. Its splits are those of the selection and `dev_split`, or the dataset's own; where it is to
    /// begin with a model, questions are read as that model knows them.
    ///
    /// # Errors
    /// If the model cannot be read, or there is no such split.
    pub fn on(
        data: &Dataset,
        mut selection: Selection,
        dev_split: Option<&str>,
        init: Option<&Path>,
        settings: Settings,
        (seed, threads): (u64, usize),
    ) -> Result<Self> {
        if let Some(model) = init {
            let (_, card) = load(model, false)?;
            selection = data.selection_for(selection, card.reading_of(data));
        }
        let (split, dev_split) = data.training_splits(selection.split.as_deref(), dev_split)?;
        let part = Part {
            split,
            dev_split,
            ..Part::new(data, &selection)
        };
        let run = Origin {
            parts: vec![part],
            ..Origin::new(data, &selection, seed, threads)
        };
        Ok(Self { run, settings })
    }

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

    /// What actors and learner do, with these questions.
    pub fn course(&self, questions: &Questions) -> Course {
        Course {
            groups: questions.groups(),
            ..self.settings.course(self.run.seed)
        }
    }

    /// The card of a model that a run found best.
    ///
    /// # Errors
    /// If the settings cannot be written as JSON.
    pub fn card(&self, best: &Best) -> Result<Card> {
        let run = &self.run;
        let settings = serde_json::to_value(&self.settings).map_err(mapo_model::Error::from)?;
        let card = Card {
            functions: Some(run.functions.names().into_iter().map(str::to_owned).collect()),
            seed: Some(run.seed),
            threads: Some(run.threads),
            step: Some(best.step),
            dev_accuracy: best.accuracy,
            settings: Some(settings),
            ..Card::default()
        };
        Ok(match &run.parts[..] {
            [part] => Card {
                data: Some(Dataset::name_of(&part.data)),
                split: Some(part.split.clone()),
                limit: part.limit,
                reading: part.reading.into(),
                dev_split: part.dev_split.clone(),
                ..card
            },
            parts => {
                let trained = |part: &Part| TrainedOn {
                    name: part.name(),
                    data: Dataset::name_of(&part.data),
                    split: part.split.clone(),
                    limit: part.limit,
                    weight: part.weight,
                    reading: part.reading.into(),
                    dev_split: part.dev_split.clone(),
                    dev_limit: part.dev_limit,
                    dev_accuracy: best.each.get(&part.name()).copied(),
                };
                card.trained_on(parts.iter().map(trained).collect())
            }
        })
    }
}

/// Where the data comes from, and how the run is started. With one dataset its file is flat; several are a
/// list, `mix`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Origin {
    /// The datasets; at least one.
    pub parts: Vec<Part>,
    /// The name of the dataset whose dev split the best model is chosen by; all of them by their weights when
    /// not given.
    pub choose_by: Option<String>,
    /// The functions that programs are numbered with: what the tokens in the run's files mean. Runs that do
    /// not say were made when there were the paper's only.
    pub functions: Lexicon,
    /// The seed.
    pub seed: u64,
    /// How many threads.
    pub threads: usize,
    /// The file of word vectors.
    pub vectors: Option<PathBuf>,
    /// The folder of a published encoder, which then reads beneath the network.
    pub encoder: Option<PathBuf>,
    /// The model to begin with.
    pub init: Option<PathBuf>,
}

impl Origin {
    /// Training on what a selection names, with nothing to begin with and no split to choose by.
    pub fn new(data: &Dataset, selection: &Selection, seed: u64, threads: usize) -> Self {
        let part = Part::new(data, selection);
        Self {
            functions: data.functions(selection),
            parts: vec![part],
            choose_by: None,
            seed,
            threads,
            vectors: None,
            encoder: None,
            init: None,
        }
    }

    /// The first of its datasets; the only one as a rule.
    ///
    /// # Errors
    /// If there is none.
    pub fn first(&self) -> Result<&Part> {
        self.parts.first().ok_or(Error::NoExamples)
    }
}

/// What `config.toml` has of it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    // One dataset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    split: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dev_split: Option<String>,
    #[serde(flatten)]
    reading: ReadingChoice,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<PathBuf>,
    // Both.
    #[serde(default)]
    functions: Lexicon,
    seed: u64,
    threads: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vectors: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoder: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    init: Option<PathBuf>,
    // Several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    choose_by: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mix: Vec<Part>,
}

impl From<Origin> for Written {
    fn from(origin: Origin) -> Self {
        let Origin {
            mut parts,
            choose_by,
            functions,
            seed,
            threads,
            vectors,
            encoder,
            init,
        } = origin;
        let mut written = Self {
            data: None,
            split: None,
            dev_split: None,
            reading: ReadingChoice::default(),
            limit: None,
            memory: None,
            functions,
            seed,
            threads,
            vectors,
            encoder,
            init,
            choose_by,
            mix: Vec::new(),
        };
        match parts.pop() {
            Some(part) if parts.is_empty() && part.is_plain() => Self {
                data: Some(part.data),
                split: Some(part.split),
                dev_split: part.dev_split,
                reading: part.reading.into(),
                limit: part.limit,
                memory: part.memory,
                ..written
            },
            last => {
                parts.extend(last);
                written.mix = parts;
                written
            }
        }
    }
}

impl TryFrom<Written> for Origin {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let parts = match (written.data, written.split, written.mix) {
            (Some(data), Some(split), mix) if mix.is_empty() => {
                // What files from before a switch mean is known to the reading itself.
                let said = serde_json::to_value(written.reading).map_err(|error| error.to_string())?;
                let reading: Reading = serde_json::from_value(said).map_err(|error| error.to_string())?;
                vec![Part {
                    split,
                    dev_split: written.dev_split,
                    limit: written.limit,
                    memory: written.memory,
                    ..Part::plain(data, reading)
                }]
            }
            (None, None, mix) if !mix.is_empty() => mix,
            _ => return Err("the run names no data, or its data twice".to_owned()),
        };
        Ok(Self {
            parts,
            choose_by: written.choose_by,
            functions: written.functions,
            seed: written.seed,
            threads: written.threads,
            vectors: written.vectors,
            encoder: written.encoder,
            init: written.init,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::Example;
    use mapo_datasets::sources::toy::{SEED, Split, generate};
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn best() -> Best {
        let questions: Vec<Example> = generate(Split::Train, SEED, 2)
            .into_iter()
            .map(Example::from)
            .collect();
        let words = mapo_model::inputs::vocabulary::trained(&questions, 1, 4).unwrap();
        let config = Settings::toy().config(4, Lexicon::PAPER.builtins());
        Best {
            step: 1,
            accuracy: Some(0.0),
            each: BTreeMap::from([("toy".to_owned(), 0.5)]),
            network: Arc::new(mapo_programmer::Network::new(config, words, 1).unwrap()),
        }
    }

    #[test]
    fn a_card_tells_no_folder_of_the_machine() {
        for (data, name) in [
            ("wtq:/home/someone/wtq", "wtq"),
            ("wikisql:x/y", "wikisql"),
            ("jsonl:/home/someone/questions.jsonl", "jsonl:questions.jsonl"),
        ] {
            let mut run = Origin::new(&Dataset::toy(), &Selection::default(), 3, 1);
            run.parts[0].data = data.to_owned();
            let settings = Settings::toy();
            let card = RunConfig { run, settings }.card(&best()).unwrap();
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
        for (name, value) in config.run.parts[0].reading.named() {
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
