//! What came of a reproduction so far.

use serde::{Deserialize, Serialize};
use std::path::Path;

use super::Experiment;
use super::ensembles::{self, EnsembleResult};
use super::gradients::{self, GradientResult};
use crate::Result;
use crate::compare::statistics::{Difference, Summary};
use crate::compare::{DEV_PREDICTIONS, Plan, Results, VariantResult};

/// What came of a reproduction so far. Accuracies are shares, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// What it is called.
    pub title: String,
    /// The budget.
    pub budget: String,
    /// The command that makes all of it.
    pub command: String,
    /// Its experiments, in their order.
    pub experiments: Vec<ExperimentResult>,
}

/// What came of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentResult {
    /// Its name.
    pub name: String,
    /// The name by which it is asked for.
    pub chapter: String,
    /// Where its runs are, inside the reproduction's directory.
    pub directory: String,
    /// What it shows.
    pub title: String,
    /// The same in a sentence.
    pub about: String,
    /// The command for it alone.
    pub command: String,
    /// Steps of each run.
    pub steps: u64,
    /// Threads of each run, if it is about them.
    pub threads: Option<usize>,
    /// A cell for each variant.
    pub cells: Vec<CellResult>,
    /// The ensembles.
    pub ensembles: Vec<EnsembleResult>,
    /// How far estimates of the gradient lie apart, if that is asked and the first run is finished.
    pub gradients: Option<Vec<GradientResult>>,
    /// All variants of which a seed is finished, each with those that are, for curves; none if nothing is finished.
    pub results: Option<Results>,
}

/// A cell: the paper's figure beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The variant.
    pub variant: String,
    /// The command for it alone.
    pub command: String,
    /// The paper's figure on dev.
    pub paper_dev: Option<String>,
    /// The paper's figure on test.
    pub paper_test: Option<String>,
    /// How many seeds it is to have.
    pub wanted: usize,
    /// The seeds that are finished.
    pub seeds: Vec<u64>,
    /// Those that have begun and are not finished.
    pub under_way: Vec<UnderWay>,
    /// Ours on dev, if a seed is finished.
    pub dev: Option<Summary>,
    /// Questions of dev.
    pub dev_questions: usize,
    /// Ours on test, if it was measured.
    pub test: Option<Summary>,
    /// The difference to the first variant on dev, over the seeds that both have.
    pub difference: Option<Difference>,
    /// Seconds of training, evaluation included.
    pub seconds: Option<Summary>,
}

/// A run that has begun and is not finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnderWay {
    /// Its seed.
    pub seed: u64,
    /// The step at which it was last measured.
    pub step: u64,
    /// Its accuracy on dev then.
    pub dev: Option<f64>,
}

/// What is needed of a line of `metrics.jsonl`.
#[derive(Deserialize)]
struct Line {
    step: u64,
    dev_accuracy: Option<f64>,
}

impl ExperimentResult {
    /// Reads what is finished of an experiment. Ensembles and gradients are measured if their models are there, on the
    /// current rayon pool, and kept. `command` is that for the experiment alone; with `/VARIANT` behind it, that for one
    /// variant.
    ///
    /// # Errors
    /// If a file of a run does not hold what it should.
    pub fn collect(experiment: &Experiment, out: &Path, command: &str) -> Result<Self> {
        let directory = experiment.directory(out);
        let (plan, common) = (&experiment.plan, &experiment.common);
        let run = |variant: &str, seed: u64| directory.join(Plan::run_directory(variant, seed));
        let is_finished = |variant: &str, seed: u64| run(variant, seed).join(DEV_PREDICTIONS).exists();
        let finished = |variant: &str| -> Vec<u64> {
            let seeds = plan.seeds.iter().copied();
            seeds.filter(|&seed| is_finished(variant, seed)).collect()
        };
        let collect = |names: &[&str], seeds: Vec<u64>| -> Result<Option<Results>> {
            if seeds.is_empty() {
                return Ok(None);
            }
            let known = plan.variants.iter();
            let known = known.filter(|variant| names.contains(&variant.name.as_str()));
            let part = Plan {
                variants: known.cloned().collect(),
                seeds,
                ..plan.clone()
            };
            Results::collect(&directory, &part, common).map(Some)
        };
        let reference = plan.variants.first().map_or("", |variant| variant.name.as_str());
        let of_reference = finished(reference);
        let (mut cells, mut all) = (Vec::new(), None::<Results>);
        for variant in &plan.variants {
            let name = variant.name.as_str();
            let seeds = finished(name);
            let alone = collect(&[name], seeds.clone())?;
            let mut cell = CellResult {
                variant: name.to_owned(),
                command: format!("{command}/{name}"),
                paper_dev: None,
                paper_test: None,
                wanted: plan.seeds.len(),
                under_way: Vec::new(),
                dev: None,
                dev_questions: alone.as_ref().map_or(0, |alone| alone.dev_questions),
                test: None,
                difference: None,
                seconds: None,
                seeds,
            };
            (cell.paper_dev, cell.paper_test) = experiment.paper.get(name).cloned().unwrap_or_default();
            let open = plan.seeds.iter().filter(|seed| !cell.seeds.contains(seed));
            cell.under_way = open
                .filter_map(|&seed| under_way(&run(name, seed), seed))
                .collect();
            if name != reference {
                let both = cell.seeds.iter().copied();
                let both = both.filter(|seed| of_reference.contains(seed)).collect();
                let beside = collect(&[reference, name], both)?;
                let beside = beside.and_then(|both| both.variants.into_iter().nth(1));
                cell.difference = beside.and_then(|beside| beside.difference);
            }
            if let Some(mut alone) = alone {
                for result in &mut alone.variants {
                    cell.dev = Some(result.dev_best.clone());
                    cell.test = result.test.clone();
                    cell.seconds = Some(result.seconds.clone());
                    result.difference = cell.difference;
                }
                match &mut all {
                    Some(all) => all.variants.append(&mut alone.variants),
                    None => all = Some(alone),
                }
            }
            cells.push(cell);
        }
        let alone = |name: &str| -> Option<&VariantResult> {
            let mut variants = all.iter().flat_map(|all| &all.variants);
            variants.find(|variant| variant.name == name)
        };
        let ensembles = experiment.ensembles.iter();
        let ensembles =
            ensembles.map(|row| ensembles::measure(experiment, &directory, row, alone(&row.variant)));
        let ensembles = ensembles.collect::<Result<_>>()?;
        let gradients = match (&experiment.gradients, of_reference.first()) {
            (Some(_), Some(&seed)) => Some(gradients::measure(experiment, &directory, seed)?),
            (Some(_), None) => Some(Vec::new()),
            (None, _) => None,
        };
        Ok(Self {
            name: experiment.name.clone(),
            chapter: experiment.chapter.clone(),
            directory: experiment.directory.clone(),
            title: experiment.title.clone(),
            about: experiment.about.clone(),
            command: command.to_owned(),
            steps: common.steps,
            threads: experiment.threads,
            cells,
            ensembles,
            gradients,
            results: all,
        })
    }
}

/// How far a run has come that is not finished; nothing if it has not begun.
fn under_way(run: &Path, seed: u64) -> Option<UnderWay> {
    if !run.join("config.toml").exists() {
        return None;
    }
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default();
    // The last line may be on its way to the disk.
    let last = text
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str::<Line>(line).ok());
    Some(UnderWay {
        seed,
        step: last.as_ref().map_or(0, |line| line.step),
        dev: last.and_then(|line| line.dev_accuracy),
    })
}
