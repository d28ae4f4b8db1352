//! The paper's tables and figures from one command.
//!
//! A [`Book`] is data: a TOML file with every run of the paper's tables and figures, and the paper's own figures. At a
//! [budget](Book::at) it becomes [`Experiment`]s, each a comparison ([`compare`](crate::compare)) in a directory of its
//! own, so that it goes on where it was and a fleet may do it. [`Reproduction`] is what came of them so far, and the
//! [report](Reproduction::document) has the paper's figure beside ours in every cell.

mod cells;
mod ensembles;
mod gradients;
mod report;

pub use cells::{CellResult, ExperimentResult, Reproduction, UnderWay};
pub use ensembles::EnsembleResult;
pub use gradients::{GradientResult, Gradients};

use mapo_datasets::{Dataset, ReadingChoice, Selection};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compare::{FileMark, Plan, Variant};
use crate::settings::Settings;
use crate::settings::changes::closest;
use crate::settings::presets::Preset;
use crate::{Error, Result};

/// The books by name.
const BOOKS: [(&str, &str); 3] = [
    ("wtq", include_str!("plans/wtq.toml")),
    ("wikisql", include_str!("plans/wikisql.toml")),
    ("toy", include_str!("plans/toy.toml")),
];

/// Every run of the paper's tables and figures on one dataset.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// What the report is called.
    pub title: String,
    /// The settings of all runs, by their preset's name.
    preset: String,
    /// The dataset; one with a place to be named is only an example.
    data: String,
    split: String,
    dev_split: String,
    /// Measured only where that is asked for.
    test_split: String,
    limit: Option<usize>,
    /// How questions and tables are read, where it is not the dataset's way.
    #[serde(default)]
    reading: ReadingChoice,
    /// The budget where none is named.
    pub usual_budget: String,
    budgets: BTreeMap<String, Budget>,
    experiment: Vec<Chapter>,
}

/// How much is done.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    /// The part of the steps.
    steps: f64,
    /// The number of seeds.
    seeds: u64,
}

/// An experiment of a book.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chapter {
    name: String,
    title: String,
    about: String,
    preset: Option<String>,
    #[serde(default)]
    reading: ReadingChoice,
    /// The experiment whose runs these are too, with more variants or more seeds.
    runs_of: Option<String>,
    /// At most so many seeds.
    seeds: Option<u64>,
    /// So many times the budget's seeds.
    times_seeds: Option<u64>,
    /// A part of the budget's steps.
    steps: Option<f64>,
    /// The same with several numbers of threads.
    #[serde(default)]
    threads: Vec<usize>,
    variants: Vec<Row>,
    #[serde(default)]
    ensembles: Vec<EnsembleRow>,
    gradients: Option<GradientRows>,
}

/// A variant, with the paper's figures for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// Settings in TOML, over the common ones; without any it is an objective's name.
    settings: Option<String>,
    dev: Option<String>,
    test: Option<String>,
}

/// An ensemble of the runs of a variant, with the paper's figures for it; of one, it is the best run by dev.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnsembleRow {
    variant: String,
    size: usize,
    dev: Option<String>,
    test: Option<String>,
}

/// Estimators of the gradient whose spread is measured, on the first variant's first run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GradientRows {
    questions: usize,
    draws: u64,
    estimators: Vec<Row>,
}

/// What a reproduction is done with.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// The dataset, where the book's has no place.
    pub data: Option<Dataset>,
    /// The store of programs with which memories begin, where an experiment explores as the common settings do.
    pub memory: Option<PathBuf>,
    /// Word vectors.
    pub vectors: Option<PathBuf>,
    /// Whether the test split is measured at the end.
    pub test: bool,
}

/// A part of a reproduction: a comparison, and what the paper has for it.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name; of several numbers of threads each has one.
    pub name: String,
    /// The name of its directory; experiments that share runs share it.
    directory: String,
    /// The name by which it is asked for.
    pub chapter: String,
    /// What it shows.
    pub title: String,
    /// The same in a sentence.
    pub about: String,
    /// What is compared.
    pub plan: Plan,
    /// The settings that variants are told by.
    pub common: Settings,
    /// Threads that it must have, if it is about them.
    pub threads: Option<usize>,
    /// The paper's figures on dev and on test, by variant.
    pub paper: BTreeMap<String, (Option<String>, Option<String>)>,
    /// Ensembles of its runs.
    ensembles: Vec<EnsembleRow>,
    /// Estimators of the gradient whose spread is measured.
    gradients: Option<Gradients>,
}

impl Book {
    /// The names of all books.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BOOKS.into_iter().map(|(name, _)| name)
    }

    /// A book by its name.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn named(name: &str) -> Result<Self> {
        let Some((_, text)) = BOOKS.into_iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = Self::names().collect();
            return Err(Error::Settings(format!(
                "there is no plan '{name}'; choose one of {}",
                names.join(", ")
            )));
        };
        toml::from_str(text).map_err(|error| Error::Settings(format!("the plan {name}: {error}")))
    }

    /// The names of the budgets.
    pub fn budgets(&self) -> Vec<&str> {
        self.budgets.keys().map(String::as_str).collect()
    }

    /// The dataset that is meant, as it is named on the command line.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The experiments at a budget, in their order.
    ///
    /// # Errors
    /// If there is no such budget, the dataset must be named, or a file cannot be read.
    pub fn at(&self, budget: &str, means: &Means) -> Result<Vec<Experiment>> {
        let Some(budget) = self.budgets.get(budget) else {
            let meant = closest(budget, self.budgets.keys().map(String::as_str));
            let meant = meant
                .map(|meant| format!("did you mean '{meant}'? "))
                .unwrap_or_default();
            return Err(Error::Settings(format!(
                "there is no budget '{budget}'; {meant}choose one of {}",
                self.budgets().join(", ")
            )));
        };
        let data: Dataset = match &means.data {
            Some(data) => data.clone(),
            None if self.data.ends_with(":DIR") => {
                return Err(Error::Settings(format!(
                    "the benchmark is no part of this program; say where it is with --data {}",
                    self.data
                )));
            }
            None => self.data.parse().map_err(Error::Dataset)?,
        };
        let memory = means.memory.as_deref().map(FileMark::of).transpose()?;
        let vectors = means.vectors.as_deref().map(FileMark::of).transpose()?;
        let mut experiments = Vec::new();
        for chapter in &self.experiment {
            let experiment = self.experiment(chapter, *budget, &data, means.test)?;
            let plan = Plan {
                // What was explored as the book's settings say does for experiments that explore so.
                memory: memory.clone().filter(|_| chapter.explores_as_usual()),
                vectors: vectors.clone(),
                ..experiment.plan.clone()
            };
            let experiment = Experiment { plan, ..experiment };
            match chapter.threads.as_slice() {
                [] => experiments.push(experiment),
                several => experiments.extend(several.iter().map(|&threads| Experiment {
                    name: format!("{}-{threads}", chapter.name),
                    directory: format!("{}-{threads}", chapter.name),
                    threads: Some(threads),
                    ..experiment.clone()
                })),
            }
        }
        Ok(experiments)
    }

    fn experiment(
        &self,
        chapter: &Chapter,
        budget: Budget,
        data: &Dataset,
        test: bool,
    ) -> Result<Experiment> {
        let preset = chapter.preset.as_deref().unwrap_or(&self.preset);
        let mut common = preset.parse::<Preset>().map_err(Error::Settings)?.settings();
        let share = budget.steps * chapter.steps.unwrap_or(1.0);
        common.steps = ((common.steps as f64 * share).round() as u64).max(common.refresh);
        // A curve has ten points at least, and no more than at full length: looking takes time too.
        common.evaluate = common.evaluate.min((common.steps / 10).max(10)).min(common.steps);
        let variants = |rows: &[Row]| -> Result<Vec<Variant>> {
            let variants = rows.iter().map(|row| row.variant(&common, data));
            variants.collect()
        };
        let gradients = chapter.gradients.as_ref();
        let gradients = gradients.map(|rows| {
            Ok::<_, Error>(Gradients {
                questions: rows.questions,
                draws: rows.draws,
                estimators: variants(&rows.estimators)?,
            })
        });
        let gradients = gradients.transpose()?;
        let variants = variants(&chapter.variants)?;
        let selection = Selection {
            reading: chapter.reading.or(self.reading),
            ..Selection::default()
        };
        let seeds = budget.seeds * chapter.times_seeds.unwrap_or(1);
        let seeds = chapter.seeds.map_or(seeds, |most| most.min(seeds));
        let paper = chapter.variants.iter();
        let paper = paper.map(|row| (row.name.clone(), (row.dev.clone(), row.test.clone())));
        Ok(Experiment {
            name: chapter.name.clone(),
            directory: chapter.runs_of.clone().unwrap_or_else(|| chapter.name.clone()),
            chapter: chapter.name.clone(),
            title: chapter.title.clone(),
            about: chapter.about.clone(),
            plan: Plan {
                data: data.to_string(),
                split: self.split.clone(),
                dev_split: self.dev_split.clone(),
                test_split: test.then(|| self.test_split.clone()),
                reading: data.reading(&selection),
                functions: data.functions(&selection),
                limit: self.limit,
                memory: None,
                vectors: None,
                variants,
                seeds: (1..=seeds).collect(),
            },
            common,
            threads: None,
            paper: paper.collect(),
            ensembles: chapter.ensembles.clone(),
            gradients,
        })
    }
}

impl Row {
    fn variant(&self, common: &Settings, data: &Dataset) -> Result<Variant> {
        match &self.settings {
            None => Variant::named(&self.name, common, data),
            Some(settings) => {
                let wrong = |error| Error::Settings(format!("variant {}: {error}", self.name));
                let settings = common.changed_by(settings).map_err(wrong)?;
                settings.check().map_err(wrong)?;
                Ok(Variant {
                    name: self.name.clone(),
                    settings,
                })
            }
        }
    }
}

impl Chapter {
    /// Whether what was explored by the book's settings is what its runs begin with.
    fn explores_as_usual(&self) -> bool {
        let own = self.preset.is_some() || self.reading != ReadingChoice::default();
        let explores = |row: &Row| {
            row.settings
                .as_ref()
                .is_some_and(|text| text.contains("explore_first"))
        };
        !own && !self.variants.iter().any(explores)
    }
}

impl Experiment {
    /// Its directory, inside that of the reproduction.
    pub fn directory(&self, out: &Path) -> PathBuf {
        out.join(&self.directory)
    }

    /// The same with one of its variants only.
    ///
    /// # Errors
    /// If it has none of that name.
    pub fn only(mut self, variant: &str) -> Result<Self> {
        let known: Vec<&str> = self.plan.variants.iter().map(|one| one.name.as_str()).collect();
        if !known.contains(&variant) {
            return Err(Error::Settings(format!(
                "the experiment '{}' has no row '{variant}'; choose from {}",
                self.chapter,
                known.join(", ")
            )));
        }
        self.plan.variants.retain(|one| one.name == variant);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_questions::Linking;

    fn means(data: &str) -> Means {
        Means {
            data: Some(data.parse().unwrap()),
            test: true,
            ..Means::default()
        }
    }

    #[test]
    fn every_book_is_read_at_every_budget() {
        for (name, data) in [("wtq", "wtq:x"), ("wikisql", "wikisql:x"), ("toy", "toy")] {
            let book = Book::named(name).unwrap();
            assert!(book.budgets().contains(&book.usual_budget.as_str()));
            for budget in book.budgets() {
                let experiments = book.at(budget, &means(data)).unwrap();
                let names: std::collections::BTreeSet<_> = experiments.iter().map(|one| &one.name).collect();
                assert_eq!(names.len(), experiments.len(), "each has a name of its own");
                let out = tempfile::tempdir().unwrap();
                for experiment in &experiments {
                    experiment.common.check().unwrap();
                    crate::compare::check_distinct(&experiment.plan.variants).unwrap();
                    // Those that share runs mean the same by them.
                    experiment.plan.begin(&experiment.directory(out.path())).unwrap();
                    for row in &experiment.ensembles {
                        assert!(experiment.paper.contains_key(&row.variant));
                    }
                    for estimator in experiment.gradients.iter().flat_map(|all| &all.estimators) {
                        estimator.settings.check().unwrap();
                    }
                }
            }
        }
        assert!(
            Book::named("imagenet")
                .unwrap_err()
                .to_string()
                .contains("wtq, wikisql, toy")
        );
    }

    #[test]
    fn at_the_full_budget_runs_are_the_papers() {
        let experiments = Book::named("wtq").unwrap().at("full", &means("wtq:x")).unwrap();
        let objectives = &experiments[0];
        let names: Vec<&str> = objectives
            .plan
            .variants
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["mapo", "mml", "hard_em", "iml"]);
        let named = |name: &str| experiments.iter().find(|one| one.name == name).unwrap();
        let in_all = names.iter().copied().chain(
            named("ablations")
                .plan
                .variants
                .iter()
                .map(|one| one.name.as_str()),
        );
        assert!(
            crate::compare::PAPER
                .iter()
                .all(|name| in_all.clone().any(|known| known == *name))
        );
        assert_eq!(named("ensembles").plan.seeds.len(), 10);
        assert_eq!(named("ensembles").directory, "objectives");
        assert_eq!(objectives.plan.variants[0].settings, Settings::wtq_paper());
        assert_eq!(objectives.plan.seeds, [1, 2, 3, 4, 5]);
        assert_eq!(objectives.plan.reading.linking, Linking::Paper);
        assert_eq!(objectives.paper["mapo"].0.as_deref(), Some("42.3 ± 0.3"));
        let ours = named("ours");
        assert_eq!(ours.plan.variants[0].settings, Settings::wtq());
        let tenth = Book::named("wtq").unwrap().at("tenth", &means("wtq:x")).unwrap();
        assert_eq!(tenth[0].common.steps, 2_500);
    }

    #[test]
    fn what_is_missing_is_named() {
        let book = Book::named("wtq").unwrap();
        let said = book.at("full", &Means::default()).unwrap_err().to_string();
        assert!(said.ends_with("say where it is with --data wtq:DIR"), "{said}");
        let said = book.at("ful", &means("wtq:x")).unwrap_err().to_string();
        assert!(said.contains("did you mean 'full'?"), "{said}");
    }
}
