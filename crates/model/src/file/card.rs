//! A model's card: what its file says about where it comes from.

use mapo_datasets::{Dataset, ReadingChoice};
use mapo_language::{Lexicon, UnknownFunction};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::confidence::Calibration;
use crate::search::Breadth;
use crate::second_look::SecondLook;
use crate::{Error, Result};

/// What a model's file says about where the model comes from. A file says what its writer knew; nothing is
/// required.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// The dataset, without the folder that it was in; of several, their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The datasets, where it was trained on several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub datasets: Vec<TrainedOn>,
    /// The split that it was trained on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Only this many of its examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// How its questions and tables were read.
    #[serde(flatten)]
    pub reading: ReadingChoice,
    /// The names of the functions that it knows, in the order of the rows of its parameters. Models that do
    /// not say know the paper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<String>>,
    /// The seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How many threads; with one, the same seed gives the same model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Steps of learning that it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The split that it was chosen by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_split: Option<String>,
    /// Its share of right answers there; of several datasets, the mean that it was chosen by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_accuracy: Option<f64>,
    /// Whether that was measured before the model was packed into fewer bits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before_packing: bool,
    /// How the answers of its beams are weighed again, learnt from tables that it was not trained on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_look: Option<SecondLook>,
    /// How far its answers can be trusted, fitted to questions that it was not trained on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// The settings of the run; as they were written, for they change between versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
    /// Anything else: its licence, the command that made it.
    #[serde(flatten)]
    pub notes: Map<String, Value>,
}

/// One of several datasets that a model was trained on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainedOn {
    /// What the run calls it.
    pub name: String,
    /// The dataset, without the folder that it was in.
    pub data: String,
    /// The split.
    pub split: String,
    /// Only this many of its examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Its part of the visited questions, beside the weights of the others.
    pub weight: f64,
    /// How its questions and tables were read.
    #[serde(flatten)]
    pub reading: ReadingChoice,
    /// The split of it that the model was measured by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_split: Option<String>,
    /// Only this many questions of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_limit: Option<usize>,
    /// The share of right answers there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_accuracy: Option<f64>,
}

impl Card {
    /// The same card of a model that was trained on several datasets. Of how they were read, it says itself
    /// only what all have in common.
    pub fn trained_on(self, datasets: Vec<TrainedOn>) -> Self {
        let names: Vec<&str> = datasets.iter().map(|trained| trained.name.as_str()).collect();
        let readings = datasets.iter().map(|trained| trained.reading);
        Self {
            data: Some(names.join(" + ")),
            reading: readings.reduce(ReadingChoice::common).unwrap_or_default(),
            datasets,
            ..self
        }
    }

    /// How a dataset is read for this model: as it was in training, if it was part of that, by its
    /// [name](mapo_datasets::Dataset::name) or else by its kind.
    pub fn reading_of(&self, data: &Dataset) -> ReadingChoice {
        let is_named = |trained: &&TrainedOn| trained.data == data.name();
        let is_alike = |trained: &&TrainedOn| trained.data.split(':').next() == Some(data.kind());
        let trained = self.datasets.iter().find(is_named);
        let trained = trained.or_else(|| self.datasets.iter().find(is_alike));
        trained.map_or(self.reading, |trained| trained.reading)
    }

    /// How a table that someone brings is read: as people's own tables were in training (`jsonl:` and
    /// `tables:`), if any were, else as all were.
    pub fn reading_of_own_tables(&self) -> ReadingChoice {
        let is_own = |trained: &&TrainedOn| {
            let kind = trained.data.split(':').next();
            matches!(kind, Some("jsonl" | "tables"))
        };
        let trained = self.datasets.iter().find(is_own);
        trained.map_or(self.reading, |trained| trained.reading)
    }

    /// How far beam search looks for answers: as far as the second look does, if there is one.
    pub fn breadth(&self) -> Breadth {
        self.second_look
            .as_ref()
            .map_or_else(Breadth::default, |look| look.breadth)
    }

    /// The functions that the model knows.
    ///
    /// # Errors
    /// If it knows one that there is none of.
    pub fn functions(&self) -> std::result::Result<Lexicon, UnknownFunction> {
        match &self.functions {
            Some(names) => Lexicon::named(names),
            None => Ok(Lexicon::PAPER),
        }
    }

    /// The card in a file's description. What cannot be understood is kept as a note.
    pub fn read(notes: &Value) -> Self {
        match serde_json::from_value(notes.clone()) {
            Ok(card) => card,
            Err(_) if notes.is_null() => Self::default(),
            Err(_) => Self {
                notes: Map::from_iter([("notes".to_owned(), notes.clone())]),
                ..Self::default()
            },
        }
    }

    /// The card as a file keeps it.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn write(&self) -> Result<Value> {
        Ok(serde_json::to_value(self)?)
    }

    /// Adds a note given as NAME=VALUE. Data, splits and how they were read may be added where the file does
    /// not say.
    ///
    /// # Errors
    /// If it is not of that form, or would replace what only the run itself can know.
    pub fn note(&mut self, note: &str) -> Result<()> {
        let wrong = |problem: String| Err(Error::Note(problem));
        let (name, text) = match note.split_once('=') {
            Some((name, text)) if !name.is_empty() && !text.is_empty() => (name, text),
            _ => {
                return wrong(format!(
                    "'{note}' is no note; write NAME=VALUE, as in licence=MIT"
                ));
            }
        };
        let said = match name {
            "data" => Some(&mut self.data),
            "split" => Some(&mut self.split),
            "dev_split" => Some(&mut self.dev_split),
            _ => None,
        };
        if let Some(unsaid @ None) = said {
            *unsaid = Some(text.to_owned());
            return Ok(());
        }
        let is_reading = ReadingChoice::NAMES.contains(&name);
        if is_reading && self.reading.say(name, text).map_err(Error::Note)? {
            return Ok(());
        }
        if is_reading || FROM_THE_RUN.contains(&name) {
            return wrong(format!(
                "'{name}' comes from the run itself; choose another name for the note"
            ));
        }
        self.notes.insert(name.to_owned(), Value::from(text));
        Ok(())
    }
}

/// What a note cannot replace, beside the reading.
const FROM_THE_RUN: [&str; 14] = [
    "data",
    "datasets",
    "split",
    "limit",
    "functions",
    "seed",
    "threads",
    "step",
    "dev_split",
    "dev_accuracy",
    "before_packing",
    "second_look",
    "calibration",
    "settings",
];

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::Reading;
    use serde_json::json;

    /// A card with everything that a run can write.
    fn full() -> Card {
        Card {
            data: Some("toy".to_owned()),
            datasets: vec![trained_on("toy", Reading::PLAIN)],
            split: Some("train".to_owned()),
            limit: Some(7),
            reading: Reading::PLAIN.into(),
            functions: Some(vec!["hop".to_owned(), "count".to_owned()]),
            seed: Some(3),
            threads: Some(1),
            step: Some(12),
            dev_split: Some("dev".to_owned()),
            dev_accuracy: Some(0.5),
            before_packing: true,
            second_look: Some(SecondLook::nothing()),
            calibration: Some(calibration()),
            settings: Some(json!({"batch": 32})),
            notes: Map::new(),
        }
    }

    fn trained_on(data: &str, reading: Reading) -> TrainedOn {
        TrainedOn {
            name: data.to_owned(),
            data: data.to_owned(),
            split: "train".to_owned(),
            weight: 2.0,
            reading: reading.into(),
            dev_split: Some("dev".to_owned()),
            dev_accuracy: Some(0.25),
            ..TrainedOn::default()
        }
    }

    #[test]
    fn a_dataset_of_several_is_read_as_it_was_in_training() {
        let other = Reading {
            fit: mapo_language::Fit::Table,
            ..Reading::PLAIN
        };
        let card = Card::default().trained_on(vec![
            trained_on("toy", Reading::PLAIN),
            trained_on("jsonl:own.jsonl", other),
        ]);
        assert_eq!(card.data.as_deref(), Some("toy + jsonl:own.jsonl"));
        let common = ReadingChoice {
            fit: None,
            ..Reading::PLAIN.into()
        };
        assert_eq!(card.reading, common);
        let reading = |data: &str| card.reading_of(&data.parse().unwrap());
        assert_eq!(reading("toy"), Reading::PLAIN.into());
        assert_eq!(reading("jsonl:x/own.jsonl"), other.into());
        assert_eq!(reading("jsonl:others.jsonl"), other.into());
        assert_eq!(reading("wtq:x"), common);
        assert_eq!(card.reading_of_own_tables(), other.into());
        assert_eq!(Card::read(&card.write().unwrap()), card);
    }

    #[test]
    fn a_card_comes_back_as_it_was() {
        let mut card = full();
        card.note("licence=CC BY-SA 4.0").unwrap();
        card.note("command=mapo train --set a=b").unwrap();
        let written = card.write().unwrap();
        assert_eq!(Card::read(&written), card);
        assert_eq!(written["settings"]["batch"], json!(32));
        assert_eq!(written["command"], json!("mapo train --set a=b"));
        // Every field that a run can write is protected.
        for (name, value) in full().write().unwrap().as_object().unwrap() {
            let value = value.as_str().unwrap_or("x");
            let said = full().note(&format!("{name}={value}")).unwrap_err().to_string();
            assert!(said.contains("comes from the run"), "{said}");
        }
        // The reading lies flat beside the rest, each switch by its name, and may be added where it is
        // unknown.
        let mut unsaid = Card::default();
        for (name, value) in Reading::PLAIN.named() {
            assert_eq!(written[name], json!(value));
            unsaid.note(&format!("{name}={value}")).unwrap();
        }
        assert_eq!(unsaid.reading, card.reading);
        let said = unsaid.note("linking=none").unwrap_err().to_string();
        assert!(said.contains("it is paper, wide or everyday"), "{said}");
        for wrong in ["licence", "=x", "licence="] {
            assert!(card.note(wrong).unwrap_err().to_string().contains("NAME=VALUE"));
        }
    }

    fn calibration() -> Calibration {
        Calibration {
            bias: -0.1,
            slope: 0.3,
            agreement: 1e-17,
            length: -1.0 / 3.0,
            runner_up: -2.0,
            threshold: 0.47,
            fitted_to: "toy train-b".to_owned(),
            answers: 100,
        }
    }

    #[test]
    fn a_calibration_comes_back_to_the_last_bit() {
        let card = Card {
            calibration: Some(calibration()),
            before_packing: true,
            ..Card::default()
        };
        let text = card.write().unwrap().to_string();
        let back = Card::read(&serde_json::from_str(&text).unwrap());
        assert_eq!(back, card);
    }

    #[test]
    fn files_of_any_age_have_a_card() {
        let old = json!({"step": 5, "dev_accuracy": 0.25});
        let card = Card::read(&old);
        assert_eq!(
            (card.step, card.dev_accuracy, card.data),
            (Some(5), Some(0.25), None)
        );
        let checkpoint = json!({"best": {"step": 1, "accuracy": 0.5}});
        assert_eq!(Card::read(&checkpoint).write().unwrap(), checkpoint);
        assert_eq!(Card::read(&Value::Null), Card::default());
        assert_eq!(Card::read(&json!([1])).notes["notes"], json!([1]));
    }
}
