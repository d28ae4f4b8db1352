//! Evaluation: the answers of a model, or of several together, to the questions of a split.

use mapo_datasets::scoring::wtq::Scratch;
use mapo_datasets::{Example, Purpose};
use mapo_language::{Assistance, Interpreter, Token};
use mapo_programmer::Network;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

use crate::Result;
use mapo_model::NeuralPolicy;
use mapo_model::choice::choices;
use mapo_model::confidence::{Calibration, Judged};
use mapo_model::file::check_functions;
use mapo_model::inputs::encode::{Input, encode_all};
use mapo_model::search::{Breadth, Candidate, beam_search, visit};
use mapo_model::second_look::{self, LookedAt, SecondLook, Seen};

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
    /// What all programs of the beam with this answer have together; with several models, the mean over
    /// them. With a second look, as that shares it.
    pub probability: f64,
    /// How probable the model's calibration says it is that the answer is right, where there is one; see
    /// [`calibrate`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<f64>,
    /// Whether the answer is right.
    pub right: bool,
    /// Whether some program of the beams has a right answer.
    pub right_in_beam: bool,
    /// The answers of the beams, the most probable first.
    pub beam: Vec<Rival>,
    /// The program's tokens, for whoever wants to run it again.
    #[serde(skip)]
    pub tokens: Vec<Token>,
    /// The answers of the beams, judged: this one first, then the runners-up.
    #[serde(skip)]
    pub judged: Vec<Judged>,
}

/// An answer of the beams.
#[derive(Clone, Debug, Serialize)]
pub struct Rival {
    /// Its most probable program.
    pub program: String,
    /// Its items as text.
    pub answer: Vec<String>,
    /// What all programs with this answer have together, or what a second look gives it of that.
    pub probability: f64,
    /// Whether it is right.
    pub right: bool,
}

/// Adds to predictions what the calibration of their model says.
pub fn calibrate(predictions: &mut [Prediction], calibration: &Calibration) {
    for prediction in predictions {
        // Where no program was found nothing can be right.
        let first = prediction.judged.first();
        let calibrated = first.map_or(0.0, |answer| calibration.probability(&answer.signs));
        prediction.calibrated = Some(calibrated);
    }
}

/// The share of right answers.
pub fn accuracy(predictions: &[Prediction]) -> f64 {
    let right = predictions.iter().filter(|prediction| prediction.right).count();
    right as f64 / predictions.len().max(1) as f64
}

/// The share of questions with a right answer anywhere in the beams.
pub fn beam_accuracy(predictions: &[Prediction]) -> f64 {
    let right = predictions.iter().filter(|prediction| prediction.right_in_beam);
    right.count() as f64 / predictions.len().max(1) as f64
}

/// Answers questions on the current rayon pool, with the answer whose programs have the largest summed
/// probability over the beams of all models; where there is a second look, with the one that it finds most probable.
///
/// # Errors
/// Those of the networks; if a model does not know the functions of the examples' programs.
pub fn answer(
    models: &[Arc<Network>],
    look: Option<&SecondLook>,
    examples: &[Example],
    breadth: impl Into<Breadth>,
) -> Result<Vec<Prediction>> {
    of_beams(models, examples, breadth.into(), |found| predict(found, look))
}

/// What a second look sees of the answers to questions, judged, on the current rayon pool.
///
/// # Errors
/// Those of [`answer`].
pub fn looked_at(
    models: &[Arc<Network>],
    examples: &[Example],
    breadth: impl Into<Breadth>,
) -> Result<Vec<LookedAt>> {
    of_beams(models, examples, breadth.into(), look_at)
}

/// The programs of the beams that earn a reward in training, the most probable of each model first, on the current
/// rayon pool. Nothing but the models decides what is tried, so these may be programs that random exploration, which
/// goes by the words of the question, never meets.
///
/// # Errors
/// Those of [`answer`].
pub fn rewarded(
    models: &[Arc<Network>],
    examples: &[Example],
    breadth: impl Into<Breadth>,
) -> Result<Vec<Vec<String>>> {
    of_beams(models, examples, breadth.into(), |found| {
        let mut programs = Vec::new();
        for candidate in found.beams.iter().flatten() {
            visit(found.interpreter, &candidate.tokens)?;
            let is_right = found
                .example
                .answer
                .is_right(found.interpreter, Purpose::Training, found.scratch);
            let program = found.interpreter.context().decode(&candidate.tokens);
            let text = program.map(|program| program.to_string());
            programs.extend(text.filter(|text| is_right && !programs.contains(text)));
        }
        Ok(programs)
    })
}

/// What is made of the beams of each question.
fn of_beams<T: Send>(
    models: &[Arc<Network>],
    examples: &[Example],
    breadth: Breadth,
    make: impl Fn(Found<'_>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    for model in models {
        check_functions(model, examples)?;
    }
    let answered = examples
        .par_chunks(TOGETHER)
        .map_init(
            || {
                models
                    .iter()
                    .map(|model| NeuralPolicy::new(Arc::clone(model)))
                    .collect::<Vec<_>>()
            },
            |policies, examples| {
                let encode = |model: &Arc<Network>| encode_all(model.config(), model.words(), examples);
                let inputs: Vec<Vec<Input>> = models.iter().map(encode).collect();
                search_some(policies, examples, &inputs, breadth, &make)
            },
        )
        .collect::<Result<Vec<_>>>()?;
    Ok(answered.into_iter().flatten().collect())
}

/// The same for one model and examples that were encoded for it before, which keeps what its encoder read of them.
pub(crate) fn answer_encoded(
    model: &Arc<Network>,
    examples: &[Example],
    inputs: &[Input],
    breadth: Breadth,
) -> Result<Vec<Prediction>> {
    check_functions(model, examples)?;
    let answered = examples
        .par_chunks(TOGETHER)
        .zip(inputs.par_chunks(TOGETHER))
        .map_init(
            || [NeuralPolicy::new(Arc::clone(model))],
            |policies, (examples, inputs)| {
                search_some(policies, examples, &[inputs.to_vec()], breadth, &|found| {
                    predict(found, None)
                })
            },
        )
        .collect::<Result<Vec<_>>>()?;
    Ok(answered.into_iter().flatten().collect())
}

/// A question with the beams that were found for it.
struct Found<'a> {
    example: &'a Example,
    interpreter: &'a mut Interpreter,
    beams: &'a [Vec<Candidate>],
    scratch: &'a mut Scratch,
}

/// Searches for programs for some examples with each policy, which reads them by inputs of its own.
fn search_some<T>(
    policies: &mut [NeuralPolicy],
    examples: &[Example],
    inputs: &[Vec<Input>],
    breadth: Breadth,
    make: &impl Fn(Found<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut interpreters: Vec<Interpreter> = examples
        .iter()
        .map(|example| example.interpreter(Assistance::All))
        .collect();
    let mut beams: Vec<Vec<Vec<Candidate>>> = vec![Vec::new(); examples.len()];
    for (inputs, policy) in inputs.iter().zip(policies) {
        let inputs: Vec<&Input> = inputs.iter().collect();
        let found = beam_search(policy, &inputs, &mut interpreters, breadth)?;
        beams
            .iter_mut()
            .zip(found)
            .for_each(|(beams, found)| beams.push(found));
    }
    let mut scratch = Scratch::default();
    let answered = examples.iter().zip(&mut interpreters).zip(beams);
    answered
        .map(|((example, interpreter), beams)| {
            make(Found {
                example,
                interpreter,
                beams: &beams,
                scratch: &mut scratch,
            })
        })
        .collect()
}

fn look_at(found: Found<'_>) -> Result<LookedAt> {
    let Found {
        example,
        interpreter,
        beams,
        scratch,
    } = found;
    let choices = choices(interpreter, beams)?;
    let signs = second_look::signs(interpreter, &example.question, &choices)?;
    let mut seen = Vec::with_capacity(choices.len());
    for (choice, signs) in choices.iter().zip(signs) {
        visit(interpreter, &choice.best.tokens)?;
        seen.push(Seen {
            signs,
            is_rows: choice.is_rows,
            right: example.answer.is_right(interpreter, Purpose::Evaluation, scratch),
        });
    }
    Ok(seen)
}

fn predict(found: Found<'_>, look: Option<&SecondLook>) -> Result<Prediction> {
    let Found {
        example,
        interpreter,
        beams,
        scratch,
    } = found;
    let mut choices = choices(interpreter, beams)?;
    if let Some(look) = look {
        look.share(interpreter, &example.question, &mut choices)?;
    }
    let mut prediction = Prediction {
        id: example.id.clone(),
        question: example.question.text.clone(),
        program: None,
        answer: Vec::new(),
        expected: example.answer.texts().to_vec(),
        probability: 0.0,
        calibrated: None,
        right: false,
        right_in_beam: false,
        beam: Vec::new(),
        tokens: Vec::new(),
        judged: Vec::new(),
    };
    for (place, choice) in choices.iter().enumerate() {
        visit(interpreter, &choice.best.tokens)?;
        let right = example.answer.is_right(interpreter, Purpose::Evaluation, scratch);
        prediction.right_in_beam |= right;
        prediction.judged.push(Judged {
            signs: choice.signs(place, &example.question),
            right,
        });
        let program = interpreter.context().decode(&choice.best.tokens);
        let answer = interpreter.answer().map(|answer| answer.to_strings());
        prediction.beam.push(Rival {
            program: program.map(|program| program.to_string()).unwrap_or_default(),
            answer: answer.unwrap_or_default(),
            probability: choice.probability,
            right,
        });
    }
    if let (Some(choice), Some(first)) = (choices.first(), prediction.beam.first()) {
        prediction.program = Some(first.program.clone());
        prediction.answer = first.answer.clone();
        prediction.probability = first.probability;
        prediction.right = first.right;
        prediction.tokens = choice.best.tokens.clone();
    }
    Ok(prediction)
}
