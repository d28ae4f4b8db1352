//! The settings of a run: what there is to set and what makes sense here, the network's in `network`, how
//! files and flags change them in `changes`, and what goes together in `presets`.

pub mod changes;
pub mod network;
pub mod presets;

use mapo_core::{Course, Estimator, MemoryScoring, NewPrograms, Objective, WarmUp};
use mapo_datasets::Pruning;
use serde::{Deserialize, Serialize};

use crate::settings::network::NetworkSettings;
use crate::{Error, Result};
use mapo_neural::{EncoderLearning, Learning};

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
    /// What a right program earns that uses none of the values and columns which the question names; one
    /// that uses all of them earns 1. 1 is as in the paper; less discounts programs that are right by
    /// accident.
    #[serde(default = "whole")]
    pub unexplained: f64,
    /// How much it counts how far the programs of a store are [believed](crate::weighing): the exponent of
    /// their weights, by which they share what a memory has. 0 is as in the paper, all alike.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub belief: f64,
    /// Another objective for the first steps; none as a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// A published encoder beneath the network; none as a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EncoderLearning>,
}

// Where it is not used, files are as they were before there was such a setting.
fn is_nothing(belief: &f64) -> bool {
    *belief == 0.0
}

// Runs from before this setting have none.
fn whole() -> f64 {
    1.0
}

/// Random exploration before training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExploreFirst {
    /// Programs to try for each question.
    pub programs: u64,
    /// Which functions to try: `none` for all, `paper` or `wide` for those that a word of the question
    /// suggests.
    pub pruning: String,
}

impl Settings {
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
            groups: Vec::new(),
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
        for (name, number) in [
            ("batch", self.batch as u64),
            ("refresh", self.refresh),
            ("evaluate", self.evaluate),
            ("beam", self.beam as u64),
        ] {
            if number == 0 {
                return must_be(name, "at least 1");
            }
        }
        self.network.check()?;
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
                return must_be(name, "at least 0 and below 1");
            }
        }
        for (name, number) in [("learning.rate", rate), ("samples", self.samples as f32)] {
            if !(number > 0.0 && number.is_finite()) {
                return must_be(name, "above 0");
            }
        }
        if let Some(encoder) = &self.encoder
            && !(encoder.rate > 0.0 && encoder.rate.is_finite())
        {
            return must_be("encoder.rate", "above 0");
        }
        if !(self.unexplained > 0.0 && self.unexplained <= 1.0) {
            return must_be("unexplained", "above 0 and at most 1");
        }
        if !(self.belief >= 0.0 && self.belief.is_finite()) {
            return must_be("belief", "0 or more");
        }
        if !(0.0..=1.0).contains(&final_rate) {
            return must_be("learning.final_rate", "between 0 and 1");
        }
        if !(clip_norm.is_finite() && entropy.is_finite()) {
            return must_be("learning.clip_norm and learning.entropy", "finite");
        }
        Ok(())
    }
}

/// That a setting is not what it must be.
fn must_be(what: &str, must: &str) -> Result<()> {
    Err(Error::Settings(format!("the setting {what} must be {must}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoder_is_a_setting_where_there_is_one() {
        let toy = Settings::toy();
        assert!(!toml::to_string_pretty(&toy).unwrap().contains("encoder"));
        let with = toy.with("encoder.trained=2").unwrap();
        let expected = EncoderLearning {
            trained: 2,
            ..EncoderLearning::default()
        };
        assert_eq!(with.encoder, Some(expected));
        let slower = with.with("encoder.rate=1e-5").unwrap();
        assert_eq!(
            slower.encoder,
            Some(EncoderLearning {
                rate: 1e-5,
                ..expected
            })
        );
        let text = toml::to_string_pretty(&slower).unwrap();
        assert_eq!(toy.changed_by(&text).unwrap(), slower);
        assert!(
            toy.with("encoder.layers=2")
                .unwrap_err()
                .to_string()
                .contains("layers")
        );
        let wrong = with.with("encoder.rate=0").unwrap().check().unwrap_err();
        assert_eq!(wrong.to_string(), "the setting encoder.rate must be above 0");
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
            Settings::toy()
                .changed_by(&toml::to_string_pretty(&warm).unwrap())
                .unwrap(),
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
}
