//! The file that names the datasets of a run: `mapo train --mix`.

use mapo_datasets::{Dataset, ReadingChoice, Selection};
use serde::Deserialize;
use std::path::{Path, PathBuf};

use crate::run::config::Origin;
use crate::run::parts::Part;
use crate::{Error, Result};

/// What the file has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MixFile {
    choose_by: Option<String>,
    data: Vec<Entry>,
}

/// A dataset: what `mapo train` takes as flags for one, and what only one among several needs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    data: String,
    name: Option<String>,
    weight: Option<f64>,
    split: Option<String>,
    #[serde(alias = "dev-split", alias = "dev_split")]
    dev: Option<String>,
    dev_limit: Option<usize>,
    limit: Option<usize>,
    memory: Option<PathBuf>,
    programs: Option<u64>,
    pruning: Option<String>,
    #[serde(flatten)]
    reading: ReadingChoice,
}

impl Origin {
    /// Training on several datasets that a TOML file names. Its functions are all that any of them has.
    ///
    /// # Errors
    /// If the file cannot be read, or a dataset not understood.
    pub fn mixed(file: &Path, seed: u64, threads: usize) -> Result<Self> {
        let wrong = |problem: String| Error::Run {
            file: file.to_owned(),
            problem,
        };
        let text = std::fs::read_to_string(file).map_err(|source| Error::File {
            file: file.to_owned(),
            source,
        })?;
        let mix: MixFile = toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| format!("line {}: ", before.matches('\n').count() + 1));
            wrong(format!("{}{}", line.unwrap_or_default(), error.message()))
        })?;
        let mut origin: Option<Origin> = None;
        for entry in mix.data {
            let (data, part) = entry.part().map_err(|error| wrong(error.to_string()))?;
            if !(part.weight.is_finite() && part.weight > 0.0) {
                return Err(wrong(format!("the weight of {} must be above 0", part.name())));
            }
            let functions = data.functions(&Selection {
                reading: part.reading.into(),
                ..Selection::default()
            });
            match &mut origin {
                None => {
                    origin = Some(Origin {
                        parts: vec![part],
                        choose_by: mix.choose_by.clone(),
                        functions,
                        seed,
                        threads,
                        vectors: None,
                        encoder: None,
                        init: None,
                    });
                }
                Some(origin) => {
                    if origin.parts.iter().any(|known| known.name() == part.name()) {
                        return Err(wrong(format!(
                            "two datasets are called '{}'; give one of them another name: name = \"…\"",
                            part.name()
                        )));
                    }
                    origin.functions = origin.functions.and(&functions);
                    origin.parts.push(part);
                }
            }
        }
        let origin = origin.ok_or_else(|| wrong("names no dataset; write [[data]] for each".to_owned()))?;
        let chosen = |part: &Part| origin.choose_by.as_ref().is_none_or(|name| *name == part.name());
        match origin.parts.iter().find(|part| chosen(part)) {
            Some(part) if origin.choose_by.is_some() && part.dev_split.is_none() => Err(wrong(format!(
                "choose_by names {}, which has no dev split",
                part.name()
            ))),
            Some(_) => Ok(origin),
            None => {
                let names: Vec<String> = origin.parts.iter().map(Part::name).collect();
                let names = names.join(", ");
                Err(wrong(format!(
                    "choose_by names none of the datasets; they are {names}"
                )))
            }
        }
    }
}

impl Entry {
    fn part(self) -> Result<(Dataset, Part)> {
        let data: Dataset = self.data.parse().map_err(Error::Dataset)?;
        // `dev = ""` is no dev split.
        let dev = self.dev.as_deref();
        let (split, usual_dev) =
            data.training_splits(self.split.as_deref(), dev.filter(|dev| !dev.is_empty()))?;
        let selection = Selection {
            split: Some(split),
            limit: self.limit,
            reading: self.reading,
            ..Selection::default()
        };
        // Settings are those of the whole run, but how many functions there are to try depends on the data.
        let pruning = match &self.pruning {
            Some(name) => name.parse().map_err(Error::Settings)?,
            None => data.pruning(&selection),
        };
        let part = Part {
            name: self.name,
            weight: self.weight.unwrap_or(1.0),
            dev_split: usual_dev.filter(|_| dev != Some("")),
            dev_limit: self.dev_limit,
            memory: self.memory,
            programs: self.programs,
            pruning: Some(pruning.to_string()),
            ..Part::new(&data, &selection)
        };
        Ok((data, part))
    }
}
