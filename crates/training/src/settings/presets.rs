//! Settings that go together, by name.

use mapo_core::{Inside, Mapo, MemoryScoring, NewPrograms, Objective, Outside, WeightsFrom};
use mapo_datasets::{Dataset, Pruning};
use std::fmt;
use std::str::FromStr;

use crate::settings::changes::closest;
use crate::settings::network::NetworkSettings;
use crate::settings::{ExploreFirst, Settings};
use mapo_neural::Learning;

/// Settings that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// For the built-in dataset, and for questions of one's own.
    Toy,
    /// For some dozens of questions of one's own that a trained model goes on with.
    Tune,
    /// What we found best for WikiTableQuestions.
    Wtq,
    /// The paper's for WikiTableQuestions.
    WtqPaper,
    /// What we found best for WikiSQL.
    WikiSql,
    /// The paper's for WikiSQL.
    WikiSqlPaper,
    /// For several datasets together, so that people can ask about their own tables.
    People,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Toy,
        Self::Tune,
        Self::Wtq,
        Self::WtqPaper,
        Self::WikiSql,
        Self::WikiSqlPaper,
        Self::People,
    ];

    /// The preset for a kind of dataset, where training begins with a model or with nothing.
    pub fn for_data(data: &Dataset, from_model: bool) -> Self {
        let name = data.preset(from_model);
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .unwrap_or(Self::Toy)
    }

    /// How many programs the paper's baselines draw for an example of this kind of data.
    pub fn baseline_draws(self) -> usize {
        match self {
            Self::WikiSql | Self::WikiSqlPaper => 5,
            Self::Toy | Self::Tune | Self::Wtq | Self::WtqPaper | Self::People => 2,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Tune => "tune",
            Self::Wtq => "wtq",
            Self::WtqPaper => "wtq-paper",
            Self::WikiSql => "wikisql",
            Self::WikiSqlPaper => "wikisql-paper",
            Self::People => "people",
        }
    }

    /// Its settings.
    pub fn settings(self) -> Settings {
        match self {
            Self::Toy => Settings::toy(),
            Self::Tune => Settings::tune(),
            Self::Wtq => Settings::wtq(),
            Self::WtqPaper => Settings::wtq_paper(),
            Self::WikiSql => Settings::wikisql(),
            Self::WikiSqlPaper => Settings::wikisql_paper(),
            Self::People => Settings::people(),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|preset| preset.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(|preset| preset.name());
            let meant = closest(name, names.iter().copied());
            let meant = meant
                .map(|meant| format!("did you mean '{meant}'? "))
                .unwrap_or_default();
            format!(
                "there is no preset '{name}'; {meant}choose one of {}",
                names.join(", ")
            )
        })
    }
}

impl Settings {
    /// For going on with a trained model on some dozens of questions.
    pub fn tune() -> Self {
        Self {
            steps: 200,
            batch: 16,
            evaluate: 20,
            learning: Learning {
                rate: 0.0005,
                final_rate: 0.1,
                decay_from: 0.0,
                clip_norm: 5.0,
                dropout: 0.3,
                entropy: 0.0,
                average: 0.95,
            },
            explore_first: ExploreFirst {
                programs: 10_000,
                pruning: Pruning::Wide.to_string(),
            },
            ..Self::wtq()
        }
    }

    /// The paper's settings for WikiTableQuestions.
    pub fn wtq_paper() -> Self {
        Self {
            steps: 25_000,
            batch: 25,
            samples: 50.0,
            refresh: 10,
            evaluate: 500,
            beam: 5,
            network: NetworkSettings {
                hidden: 200,
                attention: 200,
                layers: 2,
                vector: 100,
                often: 5,
                column_features: 1,
                token_features: 1,
                pairs: false,
                cells: false,
                constant_kinds: false,
            },
            learning: Learning {
                rate: 0.001,
                final_rate: 1.0,
                decay_from: 0.0,
                clip_norm: 5.0,
                dropout: 0.2,
                entropy: 0.01,
                average: 0.0,
            },
            objective: Objective::Mapo(Mapo::default()),
            new_programs: NewPrograms::default(),
            explore_first: ExploreFirst {
                programs: 50_000,
                pruning: Pruning::Wide.to_string(),
            },
            memory: MemoryScoring {
                whole: 256,
                best: 128,
                sample: 64,
            },
            unexplained: 1.0,
            belief: 0.0,
            warm_up: None,
            encoder: None,
        }
    }

    /// What we found best for WikiTableQuestions; see `docs/results.md`.
    pub fn wtq() -> Self {
        Self {
            steps: 8_000,
            ..Self::wtq_paper()
        }
        .improved()
    }

    /// Settings for several datasets together. With half of the visits, WikiTableQuestions is visited as often
    /// as by [`wtq`](Self::wtq) alone.
    pub fn people() -> Self {
        let wtq = Self::wtq();
        Self {
            batch: 2 * wtq.batch,
            samples: 2.0 * wtq.samples,
            ..wtq
        }
    }

    /// What we found best, over the paper's settings: a network in which question and columns see each
    /// other, more dropout, no term of entropy, and a learning rate that falls while the parameters are
    /// averaged.
    fn improved(self) -> Self {
        Self {
            network: NetworkSettings {
                column_features: 3,
                token_features: 7,
                pairs: true,
                cells: true,
                constant_kinds: true,
                ..self.network
            },
            learning: Learning {
                final_rate: 0.05,
                dropout: 0.3,
                entropy: 0.0,
                average: 0.999,
                ..self.learning
            },
            ..self
        }
    }

    /// The paper's settings for WikiSQL.
    pub fn wikisql_paper() -> Self {
        let wtq = Self::wtq_paper();
        Self {
            steps: 15_000,
            batch: 125,
            samples: 750.0,
            learning: Learning {
                dropout: 0.0,
                entropy: 0.0,
                ..wtq.learning
            },
            objective: Objective::Mapo(Mapo {
                inside: Inside::Top(5),
                weights_from: WeightsFrom::Learner,
                ..Mapo::default()
            }),
            new_programs: NewPrograms {
                per_visit: 1,
                when_empty: 9,
            },
            explore_first: ExploreFirst {
                programs: 1_000,
                pruning: Pruning::None.to_string(),
            },
            ..wtq
        }
    }

    /// What we found best for WikiSQL; see `docs/results.md`.
    pub fn wikisql() -> Self {
        let improved = Self::wikisql_paper().improved();
        Self {
            // Half the paper's batch learns as much from half the visits.
            steps: 6_000,
            batch: 64,
            samples: 384.0,
            learning: Learning {
                dropout: 0.2,
                ..improved.learning
            },
            // Conditions that change nothing can be written, so there is more to find.
            explore_first: ExploreFirst {
                programs: 3_000,
                ..improved.explore_first
            },
            memory: MemoryScoring {
                whole: 64,
                best: 24,
                sample: 16,
            },
            // On its training tables the answer is often the same without a condition that the question
            // names.
            unexplained: 0.1,
            ..improved
        }
    }

    /// Settings for the built-in dataset, chosen so that it is learnt in a minute or two.
    pub fn toy() -> Self {
        Self {
            steps: 1_000,
            batch: 32,
            samples: 32.0,
            refresh: 10,
            evaluate: 100,
            beam: 5,
            network: NetworkSettings {
                hidden: 128,
                attention: 128,
                layers: 2,
                vector: 64,
                often: 3,
                column_features: 2,
                ..Self::wtq_paper().network
            },
            learning: Learning {
                rate: 0.005,
                final_rate: 0.1,
                decay_from: 0.0,
                clip_norm: 5.0,
                dropout: 0.4,
                entropy: 0.0,
                average: 0.98,
            },
            objective: Objective::Mapo(Mapo {
                inside: Inside::Sampled(1),
                outside: Outside::Rejection,
                ..Mapo::default()
            }),
            new_programs: NewPrograms::default(),
            explore_first: ExploreFirst {
                programs: 4_000,
                pruning: Pruning::Wide.to_string(),
            },
            memory: MemoryScoring::WHOLE,
            unexplained: 1.0,
            belief: 0.0,
            warm_up: None,
            encoder: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_names_and_make_sense() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
            preset.settings().check().unwrap();
        }
        let said = "wtq-papers".parse::<Preset>().unwrap_err();
        assert!(said.contains("did you mean 'wtq-paper'?"), "{said}");
    }

    #[test]
    fn every_kind_of_data_names_a_preset() {
        for (data, from_nothing, from_model) in [
            ("toy", Preset::Toy, Preset::Toy),
            ("wtq:x", Preset::Wtq, Preset::Wtq),
            ("wikisql:x", Preset::WikiSql, Preset::WikiSql),
            ("jsonl:x", Preset::Toy, Preset::Tune),
        ] {
            let data: Dataset = data.parse().unwrap();
            assert_eq!(Preset::for_data(&data, false), from_nothing);
            assert_eq!(Preset::for_data(&data, true), from_model);
        }
    }

    #[test]
    fn the_papers_network_is_the_papers() {
        for preset in [Preset::WtqPaper, Preset::WikiSqlPaper] {
            let network = preset.settings().network;
            assert!(!network.pairs && !network.cells && !network.constant_kinds);
            assert_eq!((network.token_features, network.column_features), (1, 1));
        }
    }
}
