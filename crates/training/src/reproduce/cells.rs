//! What came of a reproduction so far.

use mapo_model::file::load;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

use super::Experiment;
use crate::compare::statistics::{Difference, Summary};
use crate::compare::{DEV_PREDICTIONS, Plan, Results, VariantResult};
use crate::{Error, Result, eval};

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
    /// All variants that have as many finished seeds as the first, for curves; none if nothing is finished.
    pub results: Option<Results>,
}

/// A cell: the paper's figure beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The variant.
    pub variant: String,
    /// The paper's figure on dev.
    pub paper_dev: Option<String>,
    /// The paper's figure on test.
    pub paper_test: Option<String>,
    /// How many seeds it is to have.
    pub wanted: usize,
    /// The seeds that are finished.
    pub seeds: Vec<u64>,
    /// Ours on dev, if a seed is finished.
    pub dev: Option<Summary>,
    /// Ours on test, if it was measured.
    pub test: Option<Summary>,
    /// The difference to the first variant on dev, over the seeds that both have.
    pub difference: Option<Difference>,
    /// Seconds of training, evaluation included.
    pub seconds: Option<Summary>,
}

/// An ensemble: the paper's figure beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnsembleResult {
    /// The variant whose runs it is made of.
    pub variant: String,
    /// How many models it is to have.
    pub size: usize,
    /// The paper's figure on test.
    pub paper_test: Option<String>,
    /// Ours on dev, if there are as many models.
    pub dev: Option<f64>,
    /// Ours on test, if there are as many models and it was asked for.
    pub test: Option<f64>,
}

/// Ensembles that were measured, kept beside the runs.
#[derive(Serialize, Deserialize)]
struct Measured {
    dev: f64,
    test: Option<f64>,
}

impl ExperimentResult {
    /// Reads what is finished of an experiment. Ensembles are measured if their models are there, on the current rayon
    /// pool, and kept.
    ///
    /// # Errors
    /// If a file of a run does not hold what it should.
    pub fn collect(experiment: &Experiment, out: &Path, command: &str) -> Result<Self> {
        let directory = experiment.directory(out);
        let (plan, common) = (&experiment.plan, &experiment.common);
        let finished = |variant: &str| -> Vec<u64> {
            let is_there = |seed: &&u64| {
                let run = directory.join(Plan::run_directory(variant, **seed));
                run.join(DEV_PREDICTIONS).exists()
            };
            plan.seeds.iter().filter(is_there).copied().collect()
        };
        let collect = |names: &[&str], seeds: Vec<u64>| -> Result<Option<Results>> {
            if seeds.is_empty() || names.is_empty() {
                return Ok(None);
            }
            let known = plan.variants.iter();
            let part = Plan {
                variants: known
                    .filter(|variant| names.contains(&variant.name.as_str()))
                    .cloned()
                    .collect(),
                seeds,
                ..plan.clone()
            };
            Results::collect(&directory, &part, common).map(Some)
        };
        let reference = plan.variants.first().map_or("", |variant| variant.name.as_str());
        let of_reference = finished(reference);
        let mut cells = Vec::new();
        for variant in &plan.variants {
            let name = variant.name.as_str();
            let seeds = finished(name);
            let alone = collect(&[name], seeds.clone())?.and_then(first);
            let both: Vec<u64> = seeds
                .iter()
                .filter(|seed| of_reference.contains(seed))
                .copied()
                .collect();
            let beside = match name == reference {
                true => None,
                false => collect(&[reference, name], both)?,
            };
            let beside = beside.and_then(|results| results.variants.into_iter().nth(1));
            let (paper_dev, paper_test) = experiment.paper.get(name).cloned().unwrap_or_default();
            cells.push(CellResult {
                variant: name.to_owned(),
                paper_dev,
                paper_test,
                wanted: plan.seeds.len(),
                seeds,
                dev: alone.as_ref().map(|alone| alone.dev_best.clone()),
                test: alone.as_ref().and_then(|alone| alone.test.clone()),
                difference: beside.and_then(|beside| beside.difference),
                seconds: alone.map(|alone| alone.seconds),
            });
        }
        let level: Vec<&str> = cells
            .iter()
            .filter(|cell| cell.seeds == of_reference)
            .map(|cell| cell.variant.as_str())
            .collect();
        let results = collect(&level, of_reference.clone())?;
        let ensembles = experiment.ensembles.iter();
        let ensembles =
            ensembles.map(|ensemble| measure(experiment, &directory, ensemble, &finished(&ensemble.0)));
        Ok(Self {
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            about: experiment.about.clone(),
            command: command.to_owned(),
            steps: common.steps,
            threads: experiment.threads,
            ensembles: ensembles.collect::<Result<_>>()?,
            cells,
            results,
        })
    }
}

fn first(results: Results) -> Option<VariantResult> {
    results.variants.into_iter().next()
}

/// An ensemble of the first finished seeds, if there are enough.
fn measure(
    experiment: &Experiment,
    directory: &Path,
    (variant, size, paper_test): &(String, usize, Option<String>),
    seeds: &[u64],
) -> Result<EnsembleResult> {
    let mut result = EnsembleResult {
        variant: variant.clone(),
        size: *size,
        paper_test: paper_test.clone(),
        dev: None,
        test: None,
    };
    let Some(seeds) = seeds.get(..*size) else {
        return Ok(result);
    };
    let plan = &experiment.plan;
    let file = directory.join(format!("ensemble-{variant}-{size}.json"));
    let kept = std::fs::read(&file)
        .ok()
        .and_then(|kept| serde_json::from_slice::<Measured>(&kept).ok());
    let measured = match kept.filter(|kept| kept.test.is_some() || plan.test_split.is_none()) {
        Some(kept) => kept,
        None => {
            let model = |&seed: &u64| {
                let run = directory.join(Plan::run_directory(variant, seed));
                Ok(Arc::new(load(&run.join("best.safetensors"), false)?.0))
            };
            let models = seeds.iter().map(model).collect::<Result<Vec<_>>>()?;
            let origin = plan.origin(0, 1);
            let beam = experiment.common.beam;
            let accuracy = |split: &str| -> Result<f64> {
                let examples = origin.first()?.examples(split, None, origin.functions)?;
                Ok(eval::accuracy(&eval::answer(&models, None, &examples, beam)?))
            };
            let measured = Measured {
                dev: accuracy(&plan.dev_split)?,
                test: plan.test_split.as_deref().map(accuracy).transpose()?,
            };
            let text = serde_json::to_vec(&measured).map_err(|error| Error::Settings(error.to_string()))?;
            mapo_files::write(&file, &text)?;
            measured
        }
    };
    (result.dev, result.test) = (Some(measured.dev), measured.test);
    Ok(result)
}
