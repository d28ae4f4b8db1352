//! The network's settings.

use mapo_datasets::Example;
use mapo_model::inputs::encode::{COLUMN_FEATURES, CONSTANT_KINDS, PAIR_FEATURES, TOKEN_FEATURES};
use mapo_model::inputs::vocabulary;
use mapo_programmer::{Config, Vectors, Words};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::{Settings, must_be};
use crate::Result;

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
    /// Whether the words of numbers and dates are read as their kind alone, `<number>` or `<date>`; so in the paper's
    /// runs on WikiTableQuestions.
    #[serde(default)]
    pub kinds_for_values: bool,
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

    /// Whether the sizes make sense.
    ///
    /// # Errors
    /// Names the one that does not.
    pub(super) fn check(&self) -> Result<()> {
        for (name, number) in [
            ("network.hidden", self.hidden),
            ("network.attention", self.attention),
            ("network.layers", self.layers),
            ("network.vector", self.vector),
        ] {
            if number == 0 {
                return must_be(name, "at least 1");
            }
        }
        for (name, number, most) in [
            ("token", self.token_features, TOKEN_FEATURES),
            ("column", self.column_features, COLUMN_FEATURES),
        ] {
            if !(1..=most).contains(&number) {
                let name = format!("network.{name}_features");
                return must_be(&name, &format!("between 1 and {most}"));
            }
        }
        Ok(())
    }
}

// Runs from before there were more have no such setting.
fn one() -> usize {
    1
}

impl Settings {
    /// The network's configuration; `vector` is the size of the words' vectors, `builtins` the number of the
    /// language's [built-in tokens](mapo_language::Lexicon::builtins).
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
            kinds_for_values: self.network.kinds_for_values,
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
        // What is trained of an encoder stays trained; more of it can be.
        if let Some(encoder) = config.encoder {
            let own = self.encoder.get_or_insert_default();
            own.trained = own.trained.max(encoder.trained);
        }
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
            kinds_for_values: config.kinds_for_values,
            constant_kinds: config.constant_kinds > 0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_paper_does_not_have_is_switched_on() {
        let paper = Settings::wtq_paper();
        assert_eq!(
            paper.config(100, 27),
            Config {
                vector: 100,
                kinds_for_values: true,
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
        let text = toml::to_string_pretty(&paper).unwrap();
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
}
