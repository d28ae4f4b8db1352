//! How far estimates of the gradient lie apart that are made from the same questions.
//!
//! A network and its memories stay as they are; each estimator acts on the same questions many times, with other draws
//! each time, and what the learner would go along is compared: Σ over parameters of the variance over draws. Dropout
//! and the entropy term are off, so that only draws of programs differ.

use mapo_core::{Actor, ActorError, LastScores, Memory, NewPrograms, settle};
use mapo_model::Input;
use mapo_model::inputs::encode::encode_all;
use mapo_programmer::Network;
use serde::{Deserialize, Serialize};
use std::path::Path;

use super::Experiment;
use crate::compare::{Plan, Variant};
use crate::run::folder::{Folder, Saved};
use crate::run::{TableTask, task};
use crate::settings::Settings;
use crate::{Error, NeuralLearner, Result};
use mapo_neural::Learning;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// How many questions.
    pub questions: usize,
    /// How many estimates of each estimator.
    pub draws: u64,
    /// The estimators: the objectives of these settings.
    pub estimators: Vec<Variant>,
}

/// What came of an estimator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientResult {
    /// Its name.
    pub estimator: String,
    /// Whether the network was trained; else it was new.
    pub is_trained: bool,
    /// How many questions.
    pub questions: usize,
    /// How many estimates.
    pub draws: u64,
    /// The variance of the estimate for one question, all parameters together, on average over questions.
    pub variance: f64,
    /// The length of the expected gradient, as far as so many estimates tell it; the mean over questions.
    pub length: f64,
}

/// The seed of the draws.
const SEED: u64 = 1;

/// Measures on the run of a seed of the experiment's first variant, on the current rayon pool's number of threads, or
/// reads what was measured before.
pub(super) fn measure(experiment: &Experiment, directory: &Path, seed: u64) -> Result<Vec<GradientResult>> {
    let (Some(gradients), Some(first)) = (&experiment.gradients, experiment.plan.variants.first()) else {
        return Ok(Vec::new());
    };
    let file = directory.join("gradients.json");
    let kept = std::fs::read(&file)
        .ok()
        .and_then(|kept| serde_json::from_slice::<Vec<GradientResult>>(&kept).ok());
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let run = directory.join(Plan::run_directory(&first.name, seed));
    let (mut folder, config) = Folder::open(&run)?;
    let questions = config.run.questions()?;
    let saved = folder.load(&questions.train)?;
    let Saved {
        checkpoint, memories, ..
    } = saved.ok_or(Error::NoOptimiser)?;
    let trained = checkpoint.network;
    // Questions with something in memory, from all of the split.
    let solved: Vec<usize> = (0..memories.len())
        .filter(|&place| !memories[place].is_empty())
        .collect();
    let count = gradients.questions.min(solved.len());
    let chosen = (0..count).map(|number| solved[number * solved.len() / count]);
    let chosen: Vec<usize> = chosen.collect();
    let examples: Vec<_> = chosen
        .iter()
        .map(|&place| questions.train[place].clone())
        .collect();
    let inputs = encode_all(trained.config(), trained.words(), &examples);
    let tasks = examples.iter().zip(inputs).zip(&chosen).enumerate();
    let tasks = tasks.map(|(number, ((example, input), &place))| {
        let unexplained = config.settings.unexplained;
        task(number, example, input, memories[place].clone(), unexplained)
    });
    let mut tasks = tasks.collect::<Result<Vec<TableTask>>>()?;
    let new = Network::new(trained.config().clone(), trained.shared_words(), seed)?;
    let mut results = Vec::new();
    for (network, is_trained) in [(new, false), (trained, true)] {
        let learning = Learning {
            dropout: 0.0,
            entropy: 0.0,
            ..config.settings.learning
        };
        let threads = rayon::current_num_threads();
        let mut learner = NeuralLearner::new(network, learning, 1, SEED, threads)?;
        for Variant { name, settings } in &gradients.estimators {
            let (variance, length) = spread(settings, &mut tasks, gradients.draws, &mut learner)?;
            results.push(GradientResult {
                estimator: name.clone(),
                is_trained,
                questions: tasks.len(),
                draws: gradients.draws,
                variance,
                length,
            });
        }
    }
    let text = serde_json::to_vec_pretty(&results).map_err(|error| Error::Settings(error.to_string()))?;
    mapo_files::write(&file, &text)?;
    Ok(results)
}

/// The variance of an estimate for one question, and the length of the mean gradient.
fn spread(
    settings: &Settings,
    tasks: &mut [TableTask],
    draws: u64,
    learner: &mut NeuralLearner,
) -> Result<(f64, f64)> {
    let mut actor =
        Actor::new(settings.objective.clone(), NewPrograms::OFF, SEED)?.with_scoring(settings.memory)?;
    let parameters = learner.network().values().len();
    let (mut sum, mut squares) = (vec![0.0_f64; parameters], 0.0);
    let mut estimate = vec![0.0_f64; parameters];
    for draw in 0..draws {
        estimate.fill(0.0);
        for part in tasks.chunks_mut(settings.batch) {
            let before: Vec<Memory> = part.iter().map(|task| task.memory.clone()).collect();
            let mut acting: Vec<&mut TableTask> = part.iter_mut().collect();
            let mut batch = actor
                .act(draw, 0, &mut acting, learner)
                .map_err(|error| match error {
                    ActorError::Policy(error) => error.into(),
                    ActorError::Memory(error) => Error::NotAProgram(error),
                })?;
            // What is drawn and right joins a memory; the next draws begin with the same memories again.
            for (task, before) in part.iter_mut().zip(before) {
                task.memory = before;
                task.last_scores = LastScores::default();
            }
            let contexts: Vec<&Input> = part.iter().map(|task| &task.context).collect();
            settle(&mut batch, &settings.objective, 0, &contexts, learner)?;
            if let Some(gradient) = learner.gradient(&contexts, &batch.trajectories, 1.0)? {
                let both = estimate.iter_mut().zip(gradient);
                both.for_each(|(sum, &part)| *sum += f64::from(part));
            }
        }
        squares += estimate.iter().map(|number| number * number).sum::<f64>();
        sum.iter_mut().zip(&estimate).for_each(|(sum, one)| *sum += one);
    }
    let (draws, questions) = (draws as f64, tasks.len().max(1) as f64);
    let of_mean = sum.iter().map(|number| number * number).sum::<f64>() / (draws * draws);
    let variance = ((squares - draws * of_mean) / (draws - 1.0).max(1.0)).max(0.0);
    // The mean of few estimates is too long by what they lie apart.
    let length = (of_mean - variance / draws).max(0.0).sqrt();
    Ok((variance / questions, length / questions))
}
