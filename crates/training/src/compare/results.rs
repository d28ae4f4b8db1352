//! What came of a comparison, read from the directories of its runs.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

use super::plan::Plan;
use super::runs::{DEV_PREDICTIONS, TEST_PREDICTIONS, read_time};
use super::statistics::{Difference, Summary, Verdicts, difference};
use super::variant::Variant;
use crate::{Error, Result, Settings};

/// Draws of the bootstrap.
pub const DRAWS: usize = 10_000;

/// What came of a comparison. Accuracies and differences are shares, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The dataset.
    pub data: String,
    /// The split that was trained on.
    pub split: String,
    /// The split that models were chosen and are compared by.
    pub dev_split: String,
    /// Its questions.
    pub dev_questions: usize,
    /// The split that was measured at the end.
    pub test_split: Option<String>,
    /// Its questions.
    pub test_questions: Option<usize>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The variant that the others are compared with.
    pub reference: String,
    /// Draws of the bootstrap.
    pub bootstrap_draws: usize,
    /// The variants, in the order in which they were named.
    pub variants: Vec<VariantResult>,
}

/// What came of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantResult {
    /// Its name.
    pub name: String,
    /// In what its settings differ from the common ones.
    pub settings: Vec<String>,
    /// Accuracy on dev of each run's best model.
    pub dev_best: Summary,
    /// Accuracy on dev of each run's last model.
    pub dev_last: Summary,
    /// Accuracy on test of each run's best model.
    pub test: Option<Summary>,
    /// Seconds of training, evaluation on dev included.
    pub seconds: Summary,
    /// How much better than the reference on dev; none for the reference itself.
    pub difference: Option<Difference>,
    /// Its runs.
    pub runs: Vec<RunResult>,
    /// Accuracy on dev against steps.
    pub dev_curve: Vec<Point>,
    /// What the policy is expected to earn on the training questions against steps.
    pub training_curve: Vec<Point>,
    /// The share of training questions whose memory weighs too little and is clipped, against steps.
    pub clip_curve: Vec<Point>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Its seed.
    pub seed: u64,
    /// Its directory, inside that of the comparison.
    pub directory: String,
    /// The step of its best model.
    pub best_step: u64,
    /// That model's accuracy on dev.
    pub dev_best: f64,
    /// The last model's accuracy on dev.
    pub dev_last: f64,
    /// The best model's accuracy on test.
    pub test: Option<f64>,
    /// Seconds of training.
    pub seconds: f64,
}

/// A point of a learning curve: the mean over seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The step.
    pub step: u64,
    /// The mean over seeds.
    pub mean: f64,
    /// The standard deviation over seeds.
    pub std: Option<f64>,
}

/// What is needed of a line of `metrics.jsonl`.
#[derive(Deserialize)]
struct Line {
    step: u64,
    dev_accuracy: Option<f64>,
    training_return: Option<f64>,
    clip_fraction: Option<f64>,
}

/// What is needed of a line of predictions.
#[derive(Deserialize)]
struct Answered {
    id: String,
    right: bool,
}

/// A run as its directory has it.
struct ReadRun {
    result: RunResult,
    lines: Vec<Line>,
    dev: Vec<Answered>,
    test: Option<Vec<Answered>>,
}

impl Results {
    /// Reads the runs of a plan, all of which are finished. `common` are the settings that variants are told
    /// by.
    ///
    /// # Errors
    /// If a file of a run is missing or does not hold what it should.
    pub fn collect(directory: &Path, plan: &Plan, common: &Settings) -> Result<Self> {
        let mut variants: Vec<VariantResult> = Vec::new();
        let mut reference: Option<Verdicts> = None;
        let mut questions: Option<Vec<String>> = None;
        let (mut dev_questions, mut test_questions) = (0, None);
        for variant in &plan.variants {
            let runs = plan.seeds.iter().map(|&seed| {
                let run = ReadRun::read(directory, &variant.name, seed, plan.test_split.is_some())?;
                let ids = run.dev.iter().map(|answered| answered.id.clone()).collect();
                if *questions.get_or_insert(ids) != run.ids() {
                    let file = directory.join(&run.result.directory).join(DEV_PREDICTIONS);
                    return Err(wrong(
                        &file,
                        "answers other questions than the other runs; remove it to answer again",
                    ));
                }
                Ok(run)
            });
            let runs = runs.collect::<Result<Vec<ReadRun>>>()?;
            dev_questions = runs.first().map_or(0, |run| run.dev.len());
            test_questions = runs.first().and_then(|run| Some(run.test.as_ref()?.len()));
            let verdicts: Verdicts = runs
                .iter()
                .map(|run| run.dev.iter().map(|answered| answered.right).collect())
                .collect();
            let mut result = VariantResult::new(variant, common, &runs)?;
            match &reference {
                Some(reference) => {
                    result.difference = Some(difference(&verdicts, reference, DRAWS, 1));
                }
                None => reference = Some(verdicts),
            }
            variants.push(result);
        }
        Ok(Self {
            data: plan.data.clone(),
            split: plan.split.clone(),
            dev_split: plan.dev_split.clone(),
            dev_questions,
            test_split: plan.test_split.clone(),
            test_questions,
            seeds: plan.seeds.clone(),
            reference: variants
                .first()
                .map(|variant| variant.name.clone())
                .unwrap_or_default(),
            bootstrap_draws: DRAWS,
            variants,
        })
    }
}

impl VariantResult {
    fn new(variant: &Variant, common: &Settings, runs: &[ReadRun]) -> Result<Self> {
        let summary = |number: &dyn Fn(&RunResult) -> f64| {
            Summary::of(runs.iter().map(|run| number(&run.result)).collect()).ok_or(Error::NoSeeds)
        };
        let tests: Option<Vec<f64>> = runs.iter().map(|run| run.result.test).collect();
        Ok(Self {
            name: variant.name.clone(),
            settings: variant.settings.differences(common),
            dev_best: summary(&|run| run.dev_best)?,
            dev_last: summary(&|run| run.dev_last)?,
            test: tests.and_then(Summary::of),
            seconds: summary(&|run| run.seconds)?,
            difference: None,
            dev_curve: curve(runs, |line| line.dev_accuracy),
            training_curve: curve(runs, |line| line.training_return),
            clip_curve: curve(runs, |line| line.clip_fraction),
            runs: runs.iter().map(|run| run.result.clone()).collect(),
        })
    }
}

/// The mean over runs at each step that all of them measured.
fn curve(runs: &[ReadRun], number: impl Fn(&Line) -> Option<f64>) -> Vec<Point> {
    let mut steps: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for line in runs.iter().flat_map(|run| &run.lines) {
        steps.entry(line.step).or_default().extend(number(line));
    }
    let whole = steps
        .into_iter()
        .filter(|(_, numbers)| numbers.len() == runs.len());
    whole
        .filter_map(|(step, numbers)| {
            let Summary { mean, std, .. } = Summary::of(numbers)?;
            Some(Point { step, mean, std })
        })
        .collect()
}

impl ReadRun {
    fn read(directory: &Path, variant: &str, seed: u64, with_test: bool) -> Result<Self> {
        let inside = Plan::run_directory(variant, seed);
        let path = directory.join(&inside);
        let lines: Vec<Line> = read_lines(&path.join("metrics.jsonl"))?;
        let dev: Vec<Answered> = read_lines(&path.join(DEV_PREDICTIONS))?;
        let test: Option<Vec<Answered>> = with_test
            .then(|| read_lines(&path.join(TEST_PREDICTIONS)))
            .transpose()?;
        let measured = || {
            lines
                .iter()
                .filter_map(|line| Some((line.step, line.dev_accuracy?)))
        };
        // The first of equals is the one that was kept.
        let best = measured().reduce(|best, next| if next.1 > best.1 { next } else { best });
        let (Some((best_step, _)), Some((_, dev_last))) = (best, measured().next_back()) else {
            return Err(wrong(&path.join("metrics.jsonl"), "holds no accuracy on dev"));
        };
        let result = RunResult {
            seed,
            directory: inside.display().to_string(),
            best_step,
            dev_best: accuracy(&dev),
            dev_last,
            test: test.as_deref().map(accuracy),
            seconds: read_time(&path).unwrap_or(0.0),
        };
        Ok(Self {
            result,
            lines,
            dev,
            test,
        })
    }

    fn ids(&self) -> Vec<&str> {
        self.dev.iter().map(|answered| answered.id.as_str()).collect()
    }
}

fn accuracy(answered: &[Answered]) -> f64 {
    let right = answered.iter().filter(|answered| answered.right).count();
    right as f64 / answered.len().max(1) as f64
}

fn read_lines<T: serde::de::DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(file).map_err(|source| Error::File {
        file: file.to_owned(),
        source,
    })?;
    let lines = text.lines().enumerate();
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| wrong(file, &format!("line {}: {error}", number + 1)))
        })
        .collect()
}

fn wrong(file: &Path, problem: &str) -> Error {
    Error::Run {
        file: file.to_owned(),
        problem: problem.to_owned(),
    }
}
