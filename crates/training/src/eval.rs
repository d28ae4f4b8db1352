//! Evaluation: the answers of a model, or of several together, to the questions of a split.

use mapo_programmer::Network;
use mapo_tables::scoring::wtq::Scratch;
use mapo_tables::{Assistance, Denotation, Example, Interpreter, Purpose, Token};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

use crate::Result;
use crate::encode::{Input, encode};
use crate::policy::NeuralPolicy;
use crate::search::{Candidate, beam_search, visit};

/// Questions that are decoded together by one thread.
const TOGETHER: usize = 16;

/// The answer to one question.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// The example.
    pub id: String,
    /// The question.
    pub question: String,
    /// The program, or nothing if none was found.
    pub program: Option<String>,
    /// The items of its answer as text.
    pub answer: Vec<String>,
    /// What was to be answered.
    pub expected: Vec<String>,
    /// The program's probability; with several models, the mean over them of what all programs with this answer have.
    pub probability: f64,
    /// Whether the answer is right.
    pub right: bool,
    /// The program's tokens, for whoever wants to run it again.
    #[serde(skip)]
    pub tokens: Vec<Token>,
}

/// The share of right answers.
pub fn accuracy(predictions: &[Prediction]) -> f64 {
    let right = predictions.iter().filter(|prediction| prediction.right).count();
    right as f64 / predictions.len().max(1) as f64
}

/// Answers questions on the current rayon pool. With one model the most probable program answers; with several, the
/// answer whose programs have the largest summed probability over all their beams.
///
/// # Errors
/// Those of the networks.
pub fn answer(models: &[Arc<Network>], examples: &[Example], width: usize) -> Result<Vec<Prediction>> {
    let answered = examples
        .par_chunks(TOGETHER)
        .map_init(
            || {
                models
                    .iter()
                    .map(|model| NeuralPolicy::new(Arc::clone(model)))
                    .collect::<Vec<_>>()
            },
            |policies, examples| answer_some(models, policies, examples, width),
        )
        .collect::<Result<Vec<_>>>()?;
    Ok(answered.into_iter().flatten().collect())
}

fn answer_some(
    models: &[Arc<Network>],
    policies: &mut [NeuralPolicy],
    examples: &[Example],
    width: usize,
) -> Result<Vec<Prediction>> {
    let mut interpreters: Vec<Interpreter> = examples
        .iter()
        .map(|example| example.interpreter(Assistance::All))
        .collect();
    let mut beams: Vec<Vec<Vec<Candidate>>> = vec![Vec::new(); examples.len()];
    for (model, policy) in models.iter().zip(policies) {
        let inputs: Vec<Input> = examples
            .iter()
            .map(|example| {
                Arc::new(encode(
                    model.config(),
                    model.words(),
                    &example.question,
                    &example.table,
                ))
            })
            .collect();
        let inputs: Vec<&Input> = inputs.iter().collect();
        let found = beam_search(policy, &inputs, &mut interpreters, width)?;
        beams
            .iter_mut()
            .zip(found)
            .for_each(|(beams, found)| beams.push(found));
    }
    let mut scratch = Scratch::default();
    let answered = examples.iter().zip(&mut interpreters).zip(beams);
    answered
        .map(|((example, interpreter), beams)| predict(example, interpreter, &beams, &mut scratch))
        .collect()
}

fn predict(
    example: &Example,
    interpreter: &mut Interpreter,
    beams: &[Vec<Candidate>],
    scratch: &mut Scratch,
) -> Result<Prediction> {
    let chosen = match beams {
        [beam] => beam
            .first()
            .map(|best| (best.tokens.clone(), best.log_probability.exp())),
        _ => vote(interpreter, beams)?,
    };
    let mut prediction = Prediction {
        id: example.id.clone(),
        question: example.question.text.clone(),
        program: None,
        answer: Vec::new(),
        expected: example.answer.texts().to_vec(),
        probability: 0.0,
        right: false,
        tokens: Vec::new(),
    };
    if let Some((tokens, probability)) = chosen {
        visit(interpreter, &tokens)?;
        let program = interpreter.context().decode(&tokens);
        prediction.program = program.map(|program| program.to_string());
        prediction.answer = interpreter
            .answer()
            .map(|answer| answer.to_strings())
            .unwrap_or_default();
        prediction.probability = probability;
        prediction.right = example.answer.is_right(interpreter, Purpose::Evaluation, scratch);
        prediction.tokens = tokens;
    }
    Ok(prediction)
}

/// The answer with the largest summed probability: its most probable program and its mean probability.
fn vote(interpreter: &mut Interpreter, beams: &[Vec<Candidate>]) -> Result<Option<(Vec<Token>, f64)>> {
    struct Answer<'a> {
        value: Option<Denotation>,
        sum: f64,
        best: &'a Candidate,
    }
    let mut answers: Vec<Answer<'_>> = Vec::new();
    for candidate in beams.iter().flatten() {
        visit(interpreter, &candidate.tokens)?;
        // In normal form: answers that differ only in how a cell is written are one.
        let value = interpreter
            .variables()
            .checked_sub(1)
            .and_then(|last| interpreter.value(last));
        let probability = candidate.log_probability.exp();
        match answers.iter_mut().find(|known| known.value == value) {
            Some(known) => {
                known.sum += probability;
                if candidate.log_probability > known.best.log_probability {
                    known.best = candidate;
                }
            }
            None => answers.push(Answer {
                value,
                sum: probability,
                best: candidate,
            }),
        }
    }
    // Of equal sums the first stays.
    let first = answers
        .into_iter()
        .reduce(|best, next| if next.sum > best.sum { next } else { best });
    Ok(first.map(|answer| (answer.best.tokens.clone(), answer.sum / beams.len() as f64)))
}
