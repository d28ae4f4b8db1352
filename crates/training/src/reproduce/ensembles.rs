//! Several runs that answer together, and the best of them alone.

use mapo_model::file::load;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

use super::{EnsembleRow, Experiment};
use crate::compare::{Plan, VariantResult};
use crate::{Error, Result, eval};

/// An ensemble: the paper's figures beside ours. One of a single model is the best run by dev.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnsembleResult {
    /// The variant whose runs it is made of.
    pub variant: String,
    /// How many models it is to have.
    pub size: usize,
    /// Whether the budget makes as many.
    pub is_planned: bool,
    /// The paper's figure on dev.
    pub paper_dev: Option<String>,
    /// The paper's figure on test.
    pub paper_test: Option<String>,
    /// Ours on dev, if there are as many models.
    pub dev: Option<f64>,
    /// Ours on test, if there are as many models and it was asked for.
    pub test: Option<f64>,
}

/// What was measured, kept beside the runs.
#[derive(Serialize, Deserialize)]
struct Measured {
    /// The seeds of the models.
    seeds: Vec<u64>,
    dev: f64,
    test: Option<f64>,
}

/// An ensemble of the first finished seeds of a variant, if there are enough: `alone` is what they came to one by one.
pub(super) fn measure(
    experiment: &Experiment,
    directory: &Path,
    row: &EnsembleRow,
    alone: Option<&VariantResult>,
) -> Result<EnsembleResult> {
    let EnsembleRow {
        variant,
        size,
        dev,
        test,
    } = row;
    let plan = &experiment.plan;
    let mut result = EnsembleResult {
        variant: variant.clone(),
        size: *size,
        is_planned: *size <= plan.seeds.len(),
        paper_dev: dev.clone(),
        paper_test: test.clone(),
        dev: None,
        test: None,
    };
    let runs = alone.map_or(&[][..], |alone| &alone.runs);
    let Some(runs) = runs.get(..*size) else {
        return Ok(result);
    };
    if *size == 1 {
        let all = alone.into_iter().flat_map(|alone| &alone.runs);
        // The first of equals.
        let best = all.reduce(|best, next| if next.dev_best > best.dev_best { next } else { best });
        result.dev = best.map(|best| best.dev_best);
        result.test = best.and_then(|best| best.test);
        return Ok(result);
    }
    let seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect();
    let file = directory.join(format!("ensemble-{variant}-{size}.json"));
    let kept = std::fs::read(&file)
        .ok()
        .and_then(|kept| serde_json::from_slice::<Measured>(&kept).ok());
    let is_whole =
        |kept: &Measured| kept.seeds == seeds && (kept.test.is_some() || plan.test_split.is_none());
    let measured = match kept.filter(is_whole) {
        Some(kept) => kept,
        None => {
            let measured = answer(experiment, directory, variant, seeds)?;
            let text = serde_json::to_vec(&measured).map_err(|error| Error::Settings(error.to_string()))?;
            mapo_files::write(&file, &text)?;
            measured
        }
    };
    (result.dev, result.test) = (Some(measured.dev), measured.test);
    Ok(result)
}

fn answer(experiment: &Experiment, directory: &Path, variant: &str, seeds: Vec<u64>) -> Result<Measured> {
    let plan = &experiment.plan;
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
    Ok(Measured {
        dev: accuracy(&plan.dev_split)?,
        test: plan.test_split.as_deref().map(accuracy).transpose()?,
        seeds,
    })
}
