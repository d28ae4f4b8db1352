//! What a trained model knows and where it is wrong: by kind of question, by kind of error, how far its
//! probabilities can be trusted, and how often it is right by chance.
//!
//! Everything here is counting over [`Prediction`]s; [`spurious`] also runs programs.

pub mod annotated;
mod errors;
mod kinds;
pub mod meaning;
mod question_kind;
mod reliability;
mod report;
pub mod spurious;

pub use errors::{Cause, Difference, ErrorCounts};
pub use kinds::KindRow;
pub use question_kind::QuestionKind;
pub use reliability::{Bin, Reliability};
pub use spurious::{AnnotatedQuestion, Spurious};

use crate::eval::Prediction;
use crate::store::StoreReader;
use crate::{Error, Result};
use mapo_datasets::{Example, Reading};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The programs that exploration found, by question.
pub type Found = HashMap<String, Vec<String>>;

/// Reads from a store what was found for the wanted questions. It must be made from the same kind of
/// dataset, read in the same way, for the programs are written with the constants that were found then.
///
/// # Errors
/// If the store cannot be read or was made otherwise.
pub fn found(store: &Path, dataset: &str, reading: &Reading, wanted: &HashSet<&str>) -> Result<Found> {
    let entries = StoreReader::open(store)?;
    let header = entries.header();
    let reading = header.reading.difference(reading);
    let reading = reading.map(|difference| (difference.switch, difference.found, difference.wanted));
    let kind = ("dataset", header.dataset.clone(), dataset.to_owned());
    let kind = Some(kind).filter(|(_, made, asked)| made != asked);
    if let Some((what, made, asked)) = kind.or(reading) {
        return Err(Error::Memory {
            file: store.to_owned(),
            problem: format!("made with {what} {made}, but the questions to study have {what} {asked}"),
        });
    }
    let mut found = Found::new();
    for entry in entries {
        let entry = entry?;
        if wanted.contains(entry.id.as_str()) {
            found.insert(entry.id, entry.programs);
        }
    }
    Ok(found)
}

/// One question of the split.
#[derive(Clone, Debug, Serialize)]
pub struct StudiedQuestion {
    /// The answer to it.
    #[serde(flatten)]
    pub prediction: Prediction,
    /// Its kind.
    pub kind: QuestionKind,
    /// How many programs the memory has for it; nothing if the memory does not know the question.
    pub in_memory: Option<usize>,
    /// Why the answer is wrong, if it is.
    pub cause: Option<Cause>,
    /// In what the wrong answer differs from the right one.
    pub difference: Option<Difference>,
    /// What the hand-written form of the question says, if it has one.
    pub annotated: Option<AnnotatedQuestion>,
}

/// What a study says.
#[derive(Clone, Debug, Serialize)]
pub struct Study {
    /// How many questions there are.
    pub questions: usize,
    /// The share that is answered right.
    pub accuracy: f64,
    /// The share with a right answer anywhere in the beams.
    pub right_in_beam: f64,
    /// By kind of question.
    pub kinds: Vec<KindRow>,
    /// The wrong answers.
    pub errors: ErrorCounts,
    /// How far the probabilities can be trusted, as the beams have them.
    pub calibration: Reliability,
    /// The same with the model's calibration, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<Reliability>,
    /// The questions with hand-written forms.
    pub spurious: Option<Spurious>,
    /// Question by question.
    #[serde(skip)]
    pub each: Vec<StudiedQuestion>,
}

/// Which questions are wrong without a right program in the beams: those for which it is worth while to ask
/// exploration whether there is one at all.
pub fn unsolved(predictions: &[Prediction]) -> Vec<usize> {
    let unsolved = predictions.iter().enumerate();
    unsolved
        .filter(|(_, prediction)| !prediction.right && !prediction.right_in_beam)
        .map(|(place, _)| place)
        .collect()
}

impl Study {
    /// Counts. `memory` is what exploration found before training. `explored` says for the places of
    /// [`unsolved`] questions whether exploring them found a right program; nothing if none was explored.
    /// `annotated` are the questions with hand-written forms, of this split or not.
    pub fn new(
        examples: &[Example],
        predictions: Vec<Prediction>,
        memory: Option<&Found>,
        explored: Option<&HashMap<usize, bool>>,
        annotated: Option<Vec<AnnotatedQuestion>>,
    ) -> Study {
        let forms: HashMap<&str, &AnnotatedQuestion> = annotated
            .iter()
            .flatten()
            .map(|question| (question.id.as_str(), question))
            .collect();
        let studied = examples.iter().zip(predictions).enumerate();
        let each: Vec<StudiedQuestion> = studied
            .map(|(place, (example, prediction))| {
                let in_memory = memory.and_then(|memory| memory.get(&example.id)).map(Vec::len);
                let solvable = match (in_memory, explored.and_then(|explored| explored.get(&place))) {
                    (Some(1..), _) => Some(true),
                    (_, explored) => explored.copied(),
                };
                StudiedQuestion {
                    kind: QuestionKind::of(&example.question),
                    in_memory,
                    cause: Cause::of(&prediction, example, solvable),
                    difference: (!prediction.right).then(|| {
                        Difference::of(
                            &prediction.answer,
                            &prediction.expected,
                            &errors::right_values(example),
                        )
                    }),
                    annotated: forms.get(example.id.as_str()).map(|form| (*form).clone()),
                    prediction,
                }
            })
            .collect();
        let share = |test: &dyn Fn(&Prediction) -> bool| {
            let passing = each.iter().filter(|question| test(&question.prediction));
            passing.count() as f64 / each.len().max(1) as f64
        };
        Study {
            questions: each.len(),
            accuracy: share(&|prediction| prediction.right),
            right_in_beam: share(&|prediction| prediction.right_in_beam),
            kinds: kinds::rows(&each),
            errors: ErrorCounts::new(&each),
            calibration: Reliability::new(
                each.iter()
                    .map(|question| (question.prediction.probability, question.prediction.right)),
            ),
            calibrated: each
                .iter()
                .map(|question| Some((question.prediction.calibrated?, question.prediction.right)))
                .collect::<Option<Vec<_>>>()
                .filter(|answers| !answers.is_empty())
                .map(Reliability::new),
            spurious: annotated.map(Spurious::new),
            each,
        }
    }
}
