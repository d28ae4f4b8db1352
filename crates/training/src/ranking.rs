//! Learning a [second look](mapo_model::second_look) from beams, and what it is worth.

use mapo_datasets::Example;
use mapo_model::second_look::{LookedAt, SecondLook, Seen};
use std::collections::HashMap;

use crate::Result;

/// How many parts the tables are divided into: each is measured with what was learnt from the others.
pub const FOLDS: usize = 5;

/// The beams of a dataset's questions.
#[derive(Debug)]
pub struct Beams {
    /// The answers to each question.
    pub questions: Vec<LookedAt>,
    /// For each question the part that its table is in.
    folds: Vec<usize>,
}

impl Beams {
    /// Beams of examples in their order. The first table is in the first part, the next in the second, and so on.
    pub fn new(examples: &[Example], questions: Vec<LookedAt>) -> Self {
        let mut tables: HashMap<&str, usize> = HashMap::new();
        let folds = examples.iter().map(|example| {
            let next = tables.len();
            *tables.entry(example.table.name()).or_insert(next) % FOLDS
        });
        Self {
            folds: folds.collect(),
            questions,
        }
    }

    /// Those about the tables of one part, or of all others.
    fn part(&self, fold: usize, within: bool) -> impl Iterator<Item = &LookedAt> {
        let beams = self.questions.iter().zip(&self.folds);
        beams
            .filter(move |(_, at)| (**at == fold) == within)
            .map(|(beam, _)| beam)
    }
}

/// How many answers are right without and with a second look, of the same questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gain {
    /// Questions.
    pub questions: usize,
    /// With a right answer in the beam.
    pub in_beam: usize,
    /// Right without it.
    pub before: usize,
    /// Right with it.
    pub after: usize,
    /// Right only with it.
    pub won: usize,
    /// Right only without it.
    pub lost: usize,
}

impl Gain {
    /// The same with another question.
    pub fn and(self, in_beam: bool, before: bool, after: bool) -> Self {
        let one = usize::from;
        Self {
            questions: self.questions + 1,
            in_beam: self.in_beam + one(in_beam),
            before: self.before + one(before),
            after: self.after + one(after),
            won: self.won + one(after && !before),
            lost: self.lost + one(before && !after),
        }
    }

    /// By how many points the share of right answers rises, and how far the 95 % interval of that reaches to both
    /// sides: what is the same for both has no part in it.
    pub fn points(&self) -> (f64, f64) {
        let all = self.questions.max(1) as f64;
        let (won, lost) = (self.won as f64, self.lost as f64);
        let variance = (won + lost - (won - lost).powi(2) / all).max(0.0);
        (100.0 * (won - lost) / all, 100.0 * 1.96 * variance.sqrt() / all)
    }

    fn of(beams: impl IntoIterator<Item = impl AsRef<[Seen]>>, look: &SecondLook) -> Self {
        beams.into_iter().fold(Self::default(), |gain, beam| {
            let beam = beam.as_ref();
            let in_beam = beam.iter().any(|answer| answer.right);
            let before = beam.first().is_some_and(|answer| answer.right);
            gain.and(
                in_beam,
                before,
                best(beam, look).is_some_and(|answer| answer.right),
            )
        })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            questions: self.questions + other.questions,
            in_beam: self.in_beam + other.in_beam,
            before: self.before + other.before,
            after: self.after + other.after,
            won: self.won + other.won,
            lost: self.lost + other.lost,
        }
    }
}

/// The answer that a second look puts first; of equal ones the first.
fn best<'a>(beam: &'a [Seen], look: &SecondLook) -> Option<&'a Seen> {
    let key = |answer: &Seen| (answer.is_rows, look.score(&answer.signs));
    beam.iter().reduce(|best, answer| {
        let ((best_rows, best_score), (rows, score)) = (key(best), key(answer));
        let is_better = match best_rows == rows {
            true => score > best_score,
            false => best_rows,
        };
        if is_better { answer } else { best }
    })
}

/// A second look learnt from all datasets, and what it is worth on each: for the questions about each part of the tables
/// by weights that were learnt from the other parts of all of them.
///
/// # Errors
/// If there are too few questions to learn from.
pub fn learn(datasets: &[Beams], fitted_to: String) -> Result<(SecondLook, Vec<Gain>)> {
    let whole = SecondLook::fit(datasets.iter().map(|beams| &beams.questions), fitted_to)?;
    let mut gains = vec![Gain::default(); datasets.len()];
    for fold in 0..FOLDS {
        let others = datasets.iter().map(|beams| beams.part(fold, false));
        let look = SecondLook::fit(others, String::new())?;
        for (gain, beams) in gains.iter_mut().zip(datasets) {
            *gain = gain.plus(Gain::of(beams.part(fold, true), &look));
        }
    }
    Ok((whole, gains))
}
