//! The settings of a run, and how a file or a flag changes them.

pub mod presets;

use mapo_core::{Course, Estimator, MemoryScoring, NewPrograms, Objective, WarmUp};
use mapo_datasets::{Example, Pruning};
use mapo_model::inputs::vocabulary;
use mapo_programmer::{Config, Vectors, Words};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toml::{Table, Value};

use crate::learner::Learning;
use crate::{Error, Result};
use mapo_model::inputs::encode::{COLUMN_FEATURES, CONSTANT_KINDS, PAIR_FEATURES, TOKEN_FEATURES};

/// Everything that a run depends on but its data, its seed and its number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Steps of the learner.
    pub steps: u64,
    /// Examples in a batch.
    pub batch: usize,
    /// The loss is divided by this: the nominal number of samples of a batch.
    pub samples: f64,
    /// Actors get the learner's parameters every so many steps.
    pub refresh: u64,
    /// The model is evaluated every so many steps.
    pub evaluate: u64,
    /// Partial programs that beam search keeps.
    pub beam: usize,
    /// The network's sizes.
    pub network: NetworkSettings,
    /// How the learner learns.
    pub learning: Learning,
    /// What is climbed.
    pub objective: Objective,
    /// Systematic exploration at each visit of an example, during training.
    #[serde(alias = "exploring")]
    pub new_programs: NewPrograms,
    /// Random exploration before training.
    #[serde(alias = "exploration")]
    pub explore_first: ExploreFirst,
    /// How much of a large memory is scored at each visit.
    #[serde(default)]
    pub memory: MemoryScoring,
    /// What a right program earns that uses none of the values and columns which the question names; one that uses all
    /// of them earns 1. 1 is as in the paper; less discounts programs that are right by accident.
    #[serde(default = "whole")]
    pub unexplained: f64,
    /// Another objective for the first steps; none as a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
}

/// What settings were called before, and are called now. Files and flags may use either name.
const RENAMED: [(&str, &str); 2] = [("exploring", "new_programs"), ("exploration", "explore_first")];

/// The network's sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSettings {
    /// Width of the LSTMs.
    pub hidden: usize,
    /// Width of the attention.
    pub attention: usize,
    /// Layers of each LSTM stack.
    pub layers: usize,
    /// Numbers in a word's vector, where no file gives them.
    pub vector: usize,
    /// A word without a given vector is unknown if training has it less often.
    pub often: usize,
    /// How many of the [`COLUMN_FEATURES`] a column has, in their order; 1 as in the paper.
    pub column_features: usize,
    /// How many of the [`TOKEN_FEATURES`] a token has, in their order; 1 as in the paper.
    #[serde(default = "one")]
    pub token_features: usize,
    /// Whether tokens and columns see each other; not so in the paper.
    #[serde(default)]
    pub pairs: bool,
    /// Whether a column's vector also has the words of some of its cells; not so in the paper.
    #[serde(default)]
    pub cells: bool,
    /// Whether the slot of a constant says if it is a string, a number or a date; not so in the paper.
    #[serde(default)]
    pub constant_kinds: bool,
}

impl NetworkSettings {
    /// The vocabulary of a run: over given vectors, or of training alone.
    ///
    /// # Errors
    /// Those of the vocabulary.
    pub fn words(&self, examples: &[Example], vectors: Option<&Vectors>) -> Result<Arc<Words>> {
        Ok(vocabulary::of(examples, self.often, self.vector, vectors)?)
    }
}

// Runs from before there were more have no such setting.
fn one() -> usize {
    1
}

// Nor this one.
fn whole() -> f64 {
    1.0
}

/// Random exploration before training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExploreFirst {
    /// Programs to try for each question.
    pub programs: u64,
    /// Which functions to try: `none` for all, `paper` or `wide` for those that a word of the question suggests.
    pub pruning: String,
}

impl Settings {
    /// The network's configuration; `vector` is the size of the words' vectors, `builtins` the number of the language's
    /// [built-in tokens](mapo_language::Lexicon::builtins).
    pub fn config(&self, vector: usize, builtins: usize) -> Config {
        Config {
            vector,
            hidden: self.network.hidden,
            attention: self.network.attention,
            layers: self.network.layers,
            column_features: self.network.column_features,
            token_features: self.network.token_features,
            pair_features: if self.network.pairs { PAIR_FEATURES } else { 0 },
            cells: self.network.cells,
            constant_kinds: if self.network.constant_kinds {
                CONSTANT_KINDS
            } else {
                0
            },
            ..Config::paper(builtins)
        }
    }

    /// Takes over the sizes of a network that is there already.
    pub fn take_sizes(&mut self, config: &Config) {
        self.network = NetworkSettings {
            hidden: config.hidden,
            attention: config.attention,
            layers: config.layers,
            vector: config.vector,
            often: self.network.often,
            column_features: config.column_features,
            token_features: config.token_features,
            pairs: config.pair_features > 0,
            cells: config.cells,
            constant_kinds: config.constant_kinds > 0,
        };
    }

    /// What actors and learner do, with a seed.
    pub fn course(&self, seed: u64) -> Course {
        Course {
            steps: self.steps,
            batch: self.batch,
            divisor: self.samples,
            refresh: self.refresh,
            seed,
            objective: self.objective.clone(),
            warm_up: self.warm_up.clone(),
            new_programs: self.new_programs,
            scoring: self.memory,
        }
    }

    /// Whether an objective has any use for memories, and so for exploration before training.
    pub fn needs_memories(&self) -> bool {
        let warm_up = self.warm_up.as_ref().map(|warm_up| &warm_up.objective);
        warm_up
            .into_iter()
            .chain([&self.objective])
            .any(Estimator::uses_memory)
    }

    /// The pruning of random exploration.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn pruning(&self) -> Result<Pruning> {
        self.explore_first.pruning.parse().map_err(Error::Settings)
    }

    /// Whether the settings make sense.
    ///
    /// # Errors
    /// Names the one that does not.
    pub fn check(&self) -> Result<()> {
        self.objective.check()?;
        if let Some(warm_up) = &self.warm_up {
            let wrong = |wrong| Error::Settings(format!("in warm_up.objective, {wrong}"));
            warm_up.objective.check().map_err(wrong)?;
        }
        let wrong = |wrong| Error::Settings(format!("in memory, {wrong}"));
        self.memory.check().map_err(wrong)?;
        self.pruning()?;
        let wrong =
            |what: &str, must: &str| Err(Error::Settings(format!("the setting {what} must be {must}")));
        for (name, number) in [
            ("batch", self.batch as u64),
            ("refresh", self.refresh),
            ("evaluate", self.evaluate),
            ("beam", self.beam as u64),
            ("network.hidden", self.network.hidden as u64),
            ("network.attention", self.network.attention as u64),
            ("network.layers", self.network.layers as u64),
            ("network.vector", self.network.vector as u64),
        ] {
            if number == 0 {
                return wrong(name, "at least 1");
            }
        }
        for (name, number, most) in [
            ("token", self.network.token_features, TOKEN_FEATURES),
            ("column", self.network.column_features, COLUMN_FEATURES),
        ] {
            if !(1..=most).contains(&number) {
                let name = format!("network.{name}_features");
                return wrong(&name, &format!("between 1 and {most}"));
            }
        }
        let Learning {
            rate,
            final_rate,
            decay_from,
            dropout,
            average,
            clip_norm,
            entropy,
        } = self.learning;
        for (name, share) in [
            ("learning.dropout", dropout),
            ("learning.average", average),
            ("learning.decay_from", decay_from),
        ] {
            if !(0.0..1.0).contains(&share) {
                return wrong(name, "at least 0 and below 1");
            }
        }
        for (name, number) in [("learning.rate", rate), ("samples", self.samples as f32)] {
            if !(number > 0.0 && number.is_finite()) {
                return wrong(name, "above 0");
            }
        }
        if !(self.unexplained > 0.0 && self.unexplained <= 1.0) {
            return wrong("unexplained", "above 0 and at most 1");
        }
        if !(0.0..=1.0).contains(&final_rate) {
            return wrong("learning.final_rate", "between 0 and 1");
        }
        if !(clip_norm.is_finite() && entropy.is_finite()) {
            return wrong("learning.clip_norm and learning.entropy", "finite");
        }
        Ok(())
    }

    /// The settings in a file's form.
    ///
    /// # Errors
    /// Never for settings that were read.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self).map_err(|error| Error::Settings(error.to_string()))
    }

    /// These settings, changed by a TOML text; whatever it does not name stays.
    ///
    /// # Errors
    /// If it is no TOML, names a setting that there is not (the error suggests one), or a value does not fit.
    pub fn changed_by(&self, text: &str) -> Result<Self> {
        let mut changes: Table = text
            .parse()
            .map_err(|error: toml::de::Error| Error::Settings(error.message().to_owned()))?;
        for (before, now) in RENAMED {
            if let Some(change) = changes.remove(before) {
                changes.insert(now.to_owned(), change);
            }
        }
        let mut settings = Table::try_from(self).map_err(|error| Error::Settings(error.to_string()))?;
        overlay(&mut settings, changes, "")?;
        let changed: Result<Self, _> = settings.try_into();
        changed.map_err(|error: toml::de::Error| Error::Settings(error.message().to_owned()))
    }

    /// The settings in which these differ from others, as in `learning.rate=0.002`. Where the objective is another,
    /// all of its own settings.
    pub fn differences(&self, others: &Self) -> Vec<String> {
        let flat = |settings: &Self| {
            let mut flat = Vec::new();
            if let Ok(table) = Table::try_from(settings) {
                flatten(&table, "", &mut flat);
            }
            flat
        };
        let others = flat(others);
        let is_same_objective = |(name, value): &(String, String)| {
            let was = others.iter().find(|(known, _)| known == "objective.name");
            name != "objective.name" || was.is_some_and(|(_, known)| known == value)
        };
        let own = flat(self);
        let same_objective = own.iter().all(is_same_objective);
        let differs = |setting: &&(String, String)| {
            let is_new_objective = !same_objective && setting.0.starts_with("objective.");
            is_new_objective || !others.contains(setting)
        };
        own.iter()
            .filter(differs)
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    /// These settings with one changed, as in `learning.rate=0.002`.
    ///
    /// # Errors
    /// Those of [`changed_by`](Self::changed_by).
    pub fn with(&self, change: &str) -> Result<Self> {
        let Some((name, value)) = change.split_once('=') else {
            return Err(Error::Settings(format!(
                "'{change}' is no setting; write NAME=VALUE, as in learning.rate=0.002"
            )));
        };
        let (name, value) = (name.trim(), value.trim());
        let text = format!("{name} = {value}");
        // A word needs no quotes on the command line.
        if text.parse::<Table>().is_err() {
            return self.changed_by(&format!("{name} = {value:?}"));
        }
        self.changed_by(&text)
    }
}

/// Puts changes over settings, and says so if there is no such setting.
fn overlay(settings: &mut Table, changes: Table, path: &str) -> Result<()> {
    for (name, change) in changes {
        // Which settings an objective has depends on its name, and it says itself what it does not know.
        let is_objective = path.ends_with("objective.");
        match (settings.get_mut(&name), change) {
            (Some(Value::Table(known)), Value::Table(change)) if !is_objective => {
                if name == "objective"
                    && change
                        .get("name")
                        .is_some_and(|new| Some(new) != known.get("name"))
                {
                    *known = change;
                } else {
                    overlay(known, change, &format!("{path}{name}."))?;
                }
            }
            (Some(known), change) => *known = as_kind_of(known, change),
            // Nothing is said of a warm-up where there is none.
            (None, change) if is_objective || (path.is_empty() && name == "warm_up") => {
                settings.insert(name, change);
            }
            (None, _) => {
                let wrong = format!("there is no setting '{path}{name}'");
                return Err(Error::Settings(
                    match closest(&name, settings.keys().map(String::as_str)) {
                        Some(close) => format!("{wrong}; did you mean '{path}{close}'?"),
                        None => {
                            let known: Vec<&str> = settings.keys().map(String::as_str).collect();
                            format!("{wrong}; there are {}", known.join(", "))
                        }
                    },
                ));
            }
        }
    }
    Ok(())
}

/// Every setting by its whole name.
fn flatten(table: &Table, path: &str, flat: &mut Vec<(String, String)>) {
    for (name, value) in table {
        match value {
            Value::Table(inner) if !inner.is_empty() => flatten(inner, &format!("{path}{name}."), flat),
            Value::String(word) => flat.push((format!("{path}{name}"), word.clone())),
            // Settings are 32-bit numbers here and there, whose 64-bit form has a tail of digits that nobody wrote.
            Value::Float(number) => {
                let short = *number as f32;
                let is_short = f64::from(short) == *number;
                let text = if is_short {
                    short.to_string()
                } else {
                    number.to_string()
                };
                flat.push((format!("{path}{name}"), text));
            }
            value => flat.push((format!("{path}{name}"), value.to_string())),
        }
    }
}

/// A whole number where a number is wanted.
fn as_kind_of(known: &Value, change: Value) -> Value {
    match (known, change) {
        (Value::Float(_), Value::Integer(number)) => Value::Float(number as f64),
        (_, change) => change,
    }
}

/// The known name that a mistyped one is most like.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use mapo_core::Mapo;

    #[test]
    fn presets_make_sense_and_survive_a_file() {
        for settings in Preset::ALL.map(Preset::settings) {
            settings.check().unwrap();
            let text = settings.to_toml().unwrap();
            assert_eq!(Settings::toy().changed_by(&text).unwrap(), settings);
        }
    }

    #[test]
    fn what_the_paper_does_not_have_is_switched_on() {
        let paper = Settings::wtq_paper();
        assert_eq!(
            paper.config(100, 27),
            Config {
                vector: 100,
                ..Config::paper(27)
            }
        );
        let all = paper
            .changed_by("[network]\npairs = true\ncells = true\nconstant_kinds = true\ntoken_features = 7")
            .unwrap();
        all.check().unwrap();
        let config = all.config(100, 27);
        assert_eq!(
            (config.pair_features, config.cells, config.constant_kinds),
            (PAIR_FEATURES, true, CONSTANT_KINDS)
        );
        // Files from before these settings are those of the paper's network.
        let text = paper.to_toml().unwrap();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| {
                let new = ["token_features", "pairs", "cells", "constant_kinds"];
                !new.iter().any(|name| line.starts_with(name))
            })
            .collect();
        assert!(lines.len() + 4 == text.lines().count());
        let old: Settings = toml::from_str(&lines.join("\n")).unwrap();
        assert_eq!(old, paper);
        let wrong = |change: &str| paper.with(change).unwrap().check().unwrap_err().to_string();
        assert_eq!(
            wrong("network.token_features=0"),
            format!("the setting network.token_features must be between 1 and {TOKEN_FEATURES}")
        );
        assert_eq!(
            wrong("network.column_features=0"),
            format!("the setting network.column_features must be between 1 and {COLUMN_FEATURES}")
        );
    }

    #[test]
    fn one_setting_changes_alone() {
        let toy = Settings::toy();
        let changed = toy.with("learning.rate=0.5").unwrap();
        assert_eq!(changed.learning.rate, 0.5);
        assert_eq!(
            changed
                .with(&format!("learning.rate={}", toy.learning.rate))
                .unwrap(),
            toy
        );
        assert_eq!(
            toy.with("explore_first.pruning=none")
                .unwrap()
                .explore_first
                .pruning,
            "none"
        );
        assert_eq!(toy.with("samples=3").unwrap().samples, 3.0);
        let hard_em = toy.changed_by("[objective]\nname = \"hard_em\"").unwrap();
        assert_eq!(hard_em.objective.name(), "hard_em");
        let decay = toy
            .changed_by("objective.alpha_decay = { to = 0.0, steps = 10 }")
            .unwrap();
        assert!(matches!(
            decay.objective,
            Objective::Mapo(Mapo {
                alpha_decay: Some(_),
                ..
            })
        ));
    }

    #[test]
    fn another_objective_may_come_first() {
        let toy = Settings::toy();
        assert!(!toy.course(1).is_warm_up(0));
        let warm = toy
            .with("warm_up={ steps = 30, objective = { name = \"iml\" } }")
            .unwrap();
        warm.check().unwrap();
        let course = warm.course(1);
        let names = [0, 29, 30].map(|step| course.objective_of(course.is_warm_up(step)).name());
        assert_eq!(names, ["iml", "iml", "mapo"]);
        assert_eq!(
            Settings::toy().changed_by(&warm.to_toml().unwrap()).unwrap(),
            warm
        );
        let longer = warm.with("warm_up.steps=50").unwrap();
        assert!(longer.course(1).is_warm_up(40));
        let drawn = warm.with("warm_up.objective.draws=0").unwrap();
        assert_eq!(
            drawn.check().unwrap_err().to_string(),
            "in warm_up.objective, `draws` must be at least 1"
        );
        let wrong = toy.with("warm_up={ step = 30 }").unwrap_err().to_string();
        assert!(wrong.contains("step"), "{wrong}");
    }

    #[test]
    fn settings_are_known_by_their_former_names_too() {
        let toy = Settings::toy();
        let before = toy
            .with("exploration.programs=7")
            .unwrap()
            .with("exploring.when_empty=3")
            .unwrap();
        let now = toy
            .with("explore_first.programs=7")
            .unwrap()
            .with("new_programs.when_empty=3")
            .unwrap();
        assert_eq!(before, now);
        let text = now.to_toml().unwrap();
        let former = text
            .replace("new_programs", "exploring")
            .replace("explore_first", "exploration");
        assert_ne!(former, text);
        assert_eq!(toml::from_str::<Settings>(&former).unwrap(), now);
    }

    #[test]
    fn the_rate_stays_and_then_falls() {
        let learning = Learning {
            rate: 2.0,
            final_rate: 0.5,
            decay_from: 0.75,
            ..Settings::toy().learning
        };
        let rates = [0, 50, 75, 100].map(|step| learning.rate_at(step, 100));
        assert_eq!(rates, [2.0, 2.0, 2.0, 1.0]);
        assert!((learning.rate_at(90, 100) - 1.4).abs() < 1e-6);
        let wrong = Settings::toy().with("learning.decay_from=1").unwrap().check();
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "the setting learning.decay_from must be at least 0 and below 1"
        );
        let wrong = Settings::toy().with("memory.sample=0").unwrap().check();
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "in memory, `sample` must be at least 1"
        );
    }

    #[test]
    fn a_typo_is_told() {
        let message = |change: &str| Settings::toy().with(change).unwrap_err().to_string();
        assert_eq!(
            message("learning.rtae=1"),
            "there is no setting 'learning.rtae'; did you mean 'learning.rate'?"
        );
        assert_eq!(
            message("bacth=1"),
            "there is no setting 'bacth'; did you mean 'batch'?"
        );
        assert!(
            message("objective.alhpa=1").contains("alhpa"),
            "{}",
            message("objective.alhpa=1")
        );
        assert!(message("batch").contains("NAME=VALUE"));
        assert!(
            message("batch=many").contains("invalid type"),
            "{}",
            message("batch=many")
        );
        let wrong = Settings::toy()
            .with("learning.dropout=1")
            .unwrap()
            .check()
            .unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "the setting learning.dropout must be at least 0 and below 1"
        );
    }
}
