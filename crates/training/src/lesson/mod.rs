//! Learning from what people said about answers: a model goes on with a few corrections, with their
//! [siblings](siblings()) and with questions that are made from the same tables, and is kept only if it is better.
//!
//! The memory of a correction is what the model itself thinks of: the programs of a wide beam with the right answer, the
//! most probable of each kind. Only where it thinks of none are programs tried at random. The model's second look and its
//! calibration are taken over, since little changes; whether it is better is measured with them.
//!
//! Every fourth of the corrections is kept apart at first: a *trial* learns from the others and is asked those. The model
//! that is kept then learns from all.

mod siblings;

pub use siblings::siblings;

use mapo_composing::Choices;
use mapo_datasets::{Dataset, Example, Fingerprint, Known, Reading, Selection, jsonl, tables};
use mapo_model::file::{Card, TrainedOn, load};
use mapo_model::search::Breadth;
use mapo_model::second_look::SecondLook;
use mapo_programmer::{Checkpoint, Network};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::eval::{self, Prediction};
use crate::run::Event;
use crate::run::beginning::Watch;
use crate::run::config::{Origin, RunConfig};
use crate::run::folder::Folder;
use crate::run::parts::{Part, Portion, Questions};
use crate::run::session::Session;
use crate::settings::Settings;
use crate::{Error, Result};
use mapo_neural::Learning;

/// Steps of the learner, if nothing else is said.
pub const STEPS: u64 = 150;
/// Siblings of each correction.
const SIBLINGS: usize = 4;
/// Partial programs that are kept while programs for a correction are looked for.
const WIDE: usize = 50;
/// Questions that are made from all tables together to learn from, and to measure by.
const MADE: usize = 800;
const MADE_APART: usize = 200;
/// Of so many corrections the last is kept apart, if there are twice as many.
const EVERY: usize = 4;
/// Of the made questions that were right before, one in so many may be wrong afterwards.
const FORGIVEN: usize = 50;

/// What is to be learnt from, and by whom.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The corrections, a `jsonl` file.
    pub corrections: PathBuf,
    /// The model that goes on.
    pub model: PathBuf,
    /// The model that learnt from corrections before and is in use, if there is one; the new one must not know less.
    pub used: Option<PathBuf>,
    /// Questions to measure by instead of some of the corrections, a `jsonl` file.
    pub test: Option<PathBuf>,
    /// A folder for what is needed to go on; it can be removed afterwards.
    pub work: PathBuf,
    /// Steps of the learner.
    pub steps: u64,
    /// The seed.
    pub seed: u64,
    /// How many threads.
    pub threads: usize,
}

/// How many of the same questions are right before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Questions.
    pub questions: usize,
    /// Right before.
    pub before: usize,
    /// Right afterwards.
    pub after: usize,
}

/// What came of a lesson.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The corrections, by the model that learnt from all of them.
    pub corrections: Score,
    /// Questions that it did not learn from: `--test`, or the corrections kept apart, by a model that learnt from the others.
    pub apart: Option<Score>,
    /// Made questions that it did not learn from: whether anything is forgotten.
    pub made: Score,
    /// Siblings of the corrections.
    pub siblings: usize,
    /// Corrections for which no program was found: their answer may be mistyped, or cannot be computed from the table.
    pub unsolved: Vec<String>,
    /// Whether the new model is better than the old one.
    pub better: bool,
    /// Why, in a few words.
    pub why: String,
}

/// A model that has learnt, with what came of it.
#[derive(Debug)]
pub struct Learnt {
    /// What came of it.
    pub report: Report,
    network: Arc<Network>,
    card: Card,
}

impl Learnt {
    /// Writes the model.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, file: &Path) -> Result<()> {
        let checkpoint = Checkpoint::model(Network::clone(&self.network), self.card.write()?);
        Ok(checkpoint.save(file)?)
    }
}

/// How far a lesson is: steps done, and all.
pub type Tell<'a> = dyn FnMut(u64, u64) + 'a;

impl Lesson {
    /// Learns; nothing comes of it if it was stopped, and the same lesson goes on from there.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged, there is no correction, or training fails.
    pub fn learn(
        &self,
        watch: &mut dyn Watch,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<Option<Learnt>> {
        let pupil = Pupil::read(self)?;
        let mut corrections = pupil.questions(&self.corrections)?;
        if corrections.is_empty() {
            return Err(Error::NoCorrections(self.corrections.clone()));
        }
        let before = pupil.asked(&pupil.network, &corrections)?;
        pupil.remember(&mut corrections)?;
        let taught = Taught::new(corrections, &pupil, self.seed);
        let test = self
            .test
            .as_deref()
            .map(|file| pupil.questions(file))
            .transpose()?;
        let is_tried = test.is_none() && taught.corrections.len() >= 2 * EVERY;
        let runs = 1 + u64::from(is_tried);
        let mut done = 0;
        let mut run = |name: &str, is_learnt: &dyn Fn(usize) -> bool| {
            let trained = self.train(name, &pupil, &taught, is_learnt, watch, stop, &mut |step| {
                tell(done + step, runs * self.steps);
            });
            done += self.steps;
            trained
        };
        let is_apart = |place: usize| place % EVERY == EVERY - 1;
        let mut tried = None;
        if is_tried {
            let Some(trial) = run("trial", &|place| !is_apart(place))? else {
                return Ok(None);
            };
            let kept: Vec<Example> = every(&taught.corrections, is_apart);
            let old = every(&before, is_apart);
            tried = Some(score(&old, &pupil.asked(&trial.network, &kept)?));
        }
        let Some(Trained { network, unsolved }) = run("all", &|_| true)? else {
            return Ok(None);
        };
        let apart = match &test {
            Some(test) => Some(score(
                &pupil.asked(&pupil.network, test)?,
                &pupil.asked(&network, test)?,
            )),
            None => tried,
        };
        let made = &taught.made_apart;
        let made = score(&pupil.asked(&pupil.network, made)?, &pupil.asked(&network, made)?);
        let corrections = score(&before, &pupil.asked(&network, &taught.corrections)?);
        let known = match &self.used {
            Some(used) => pupil.right(used, &taught.corrections)?,
            None => 0,
        };
        let (better, why) = verdict(corrections, apart, made, known);
        let card = pupil.card(self, &taught);
        Ok(Some(Learnt {
            report: Report {
                corrections,
                apart,
                made,
                siblings: taught.siblings.iter().map(Vec::len).sum(),
                unsolved,
                better,
                why,
            },
            network,
            card,
        }))
    }

    /// Trains on those of the corrections that are to be learnt; nothing if it was stopped.
    #[allow(clippy::too_many_arguments)] // it is called from one place, and each is another thing
    fn train(
        &self,
        name: &str,
        pupil: &Pupil,
        taught: &Taught,
        is_learnt: &dyn Fn(usize) -> bool,
        watch: &mut dyn Watch,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(u64),
    ) -> Result<Option<Trained>> {
        let questions = taught.questions(is_learnt);
        let config = self.config(pupil, &questions)?;
        let sum = serde_json::to_string(&Fingerprint::of_all(&questions.train)).unwrap_or_default();
        let path = self.work.join(format!("{name}-{sum}"));
        let opened = Folder::open(&path).ok().filter(|(_, known)| *known == config);
        let begun = match opened {
            Some((folder, _)) => Session::resume(folder, &config, &questions, watch),
            None => {
                let io = |source| Error::File {
                    file: path.clone(),
                    source,
                };
                // What another lesson left, or one of other corrections.
                if path.exists() {
                    std::fs::remove_dir_all(&path).map_err(io)?;
                }
                std::fs::create_dir_all(&self.work).map_err(io)?;
                Session::begin(&path, &config, &questions, watch)
            }
        };
        let mut session = match begun {
            Err(Error::StoppedExploring { .. }) => return Ok(None),
            begun => begun?,
        };
        let open = questions.train.iter().zip(session.trainer.tasks());
        let unsolved = open.filter(|(example, task)| example.known.is_none() && task.memory.is_empty());
        let unsolved = unsolved
            .map(|(example, _)| example.question.text.clone())
            .collect();
        session.train(stop, &mut |event| {
            if let Event::Step { step } = event {
                tell(*step);
            }
            Ok(())
        })?;
        if session.trainer.step() < self.steps && stop.load(Relaxed) {
            return Ok(None);
        }
        let best = session.trainer.best().ok_or(Error::NoExamples)?;
        Ok(Some(Trained {
            network: Arc::clone(&best.network),
            unsolved,
        }))
    }

    fn config(&self, pupil: &Pupil, questions: &Questions) -> Result<RunConfig> {
        let tune = Settings::tune();
        let settings = Settings {
            steps: self.steps,
            evaluate: self.steps,
            learning: Learning {
                rate: 0.0005,
                ..tune.learning
            },
            ..tune
        };
        let data = corrections_data(&self.corrections);
        let part = |name: &str| Part {
            name: Some(name.to_owned()),
            ..Part::new(&data, &pupil.selection)
        };
        let names = questions.portions.iter().map(|portion| portion.name.as_str());
        let mut parts: Vec<Part> = names.map(part).collect();
        if parts.is_empty() {
            parts.push(part(CORRECTIONS));
        }
        let run = Origin {
            parts,
            choose_by: None,
            functions: data.functions(&pupil.selection),
            seed: self.seed,
            threads: self.threads,
            vectors: None,
            encoder: None,
            init: None,
        };
        RunConfig { run, settings }.beginning_with(&self.model)
    }
}

/// What the questions are called where figures are told.
const CORRECTIONS: &str = "corrections";
const MADE_NAME: &str = "made";

fn corrections_data(file: &Path) -> Dataset {
    Dataset::of(&jsonl::JsonLines, file)
}

/// A model that was trained, and what it found no program for.
struct Trained {
    network: Arc<Network>,
    unsolved: Vec<String>,
}

/// The model that learns, and how it reads.
struct Pupil {
    network: Arc<Network>,
    card: Card,
    selection: Selection,
    reading: Reading,
    pool: rayon::ThreadPool,
}

impl Pupil {
    fn read(lesson: &Lesson) -> Result<Self> {
        let (network, card) = load(&lesson.model, false)?;
        let data = corrections_data(&lesson.corrections);
        let selection = Selection {
            functions: Some(card.functions().map_err(mapo_model::Error::from)?),
            ..data.selection_for(Selection::default(), card.reading_of_own_tables())
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(lesson.threads);
        Ok(Self {
            network: Arc::new(network),
            card,
            reading: data.reading(&selection),
            selection,
            pool: pool.build().map_err(Error::Pool)?,
        })
    }

    /// The questions of a file.
    fn questions(&self, file: &Path) -> Result<Vec<Example>> {
        let examples = corrections_data(file).examples(&self.selection)?;
        Ok(examples.collect::<Result<_, _>>()?)
    }

    /// Which answers of a network are right, as whoever asks it gets them.
    fn asked(&self, network: &Arc<Network>, questions: &[Example]) -> Result<Vec<bool>> {
        let look = self.card.second_look.as_ref();
        self.answers(network, look, questions, self.card.breadth())
            .map(|answers| answers.iter().map(|answer| answer.right).collect())
    }

    /// How many answers of another model are right.
    fn right(&self, model: &Path, questions: &[Example]) -> Result<usize> {
        let (network, card) = load(model, false)?;
        let look = card.second_look.as_ref();
        let answers = self.answers(&Arc::new(network), look, questions, card.breadth())?;
        Ok(answers.iter().filter(|answer| answer.right).count())
    }

    fn answers(
        &self,
        network: &Arc<Network>,
        look: Option<&SecondLook>,
        questions: &[Example],
        breadth: Breadth,
    ) -> Result<Vec<Prediction>> {
        self.pool
            .install(|| eval::answer(&[Arc::clone(network)], look, questions, breadth))
    }

    /// Gives questions the programs with the right answer that the model thinks of. Programs that somebody named stay.
    fn remember(&self, questions: &mut [Example]) -> Result<()> {
        let answers = self.answers(&self.network, None, questions, WIDE.into())?;
        for (line, (question, answer)) in questions.iter_mut().zip(answers).enumerate() {
            if question.known.is_some() {
                question.known_programs()?;
                continue;
            }
            let right = answer.beam.iter().filter(|rival| rival.right);
            for program in right.filter_map(|rival| rival.program.parse().ok()) {
                let file: Arc<Path> = Path::new(CORRECTIONS).into();
                let alone = Known {
                    programs: vec![program],
                    file,
                    line: line + 1,
                };
                // A program may be right and have a step too many.
                let mut tried = question.clone();
                tried.known = Some(alone.clone());
                if tried.known_programs().is_err() {
                    continue;
                }
                match &mut question.known {
                    Some(known) => known.programs.extend(alone.programs),
                    none => *none = Some(alone),
                }
            }
        }
        Ok(())
    }

    /// The card of the model that has learnt: that of the model before, with what it learnt from.
    fn card(&self, lesson: &Lesson, taught: &Taught) -> Card {
        let trained = |name: &str, examples: usize| TrainedOn {
            name: name.to_owned(),
            data: corrections_data(&lesson.corrections).name(),
            split: "all".to_owned(),
            limit: Some(examples),
            weight: 1.0,
            reading: self.reading.into(),
            ..TrainedOn::default()
        };
        let mut datasets = self.card.datasets.clone();
        if datasets.is_empty() {
            datasets.extend(self.card.data.as_ref().map(|data| TrainedOn {
                name: data.clone(),
                data: data.clone(),
                split: self.card.split.clone().unwrap_or_default(),
                limit: self.card.limit,
                weight: 1.0,
                reading: self.card.reading,
                dev_split: self.card.dev_split.clone(),
                dev_limit: None,
                dev_accuracy: self.card.dev_accuracy,
            }));
        }
        datasets.push(trained(CORRECTIONS, taught.corrections.len()));
        let mut card = self.card.clone().trained_on(datasets);
        // What was measured was measured before.
        card.dev_accuracy = None;
        card.notes
            .insert(LEARNT_FROM.to_owned(), taught.corrections.len().into());
        card
    }
}

/// What a card says of how many corrections its model learnt from.
pub const LEARNT_FROM: &str = "corrections";

/// What is taught.
struct Taught {
    corrections: Vec<Example>,
    /// The siblings of each.
    siblings: Vec<Vec<Example>>,
    made: Vec<Example>,
    made_apart: Vec<Example>,
}

impl Taught {
    fn new(corrections: Vec<Example>, pupil: &Pupil, seed: u64) -> Self {
        let mut choices = Choices::new(seed, 0);
        let siblings = corrections.iter().map(|example| {
            let program = example.known.as_ref().and_then(|known| known.programs.first());
            program.map_or_else(Vec::new, |program| {
                siblings(example, program, pupil.reading, SIBLINGS, &mut choices)
            })
        });
        let siblings = siblings.collect();
        let (made, made_apart) = made(&corrections, pupil, seed);
        Self {
            corrections,
            siblings,
            made,
            made_apart,
        }
    }

    /// What a run learns from.
    fn questions(&self, is_learnt: &dyn Fn(usize) -> bool) -> Questions {
        let learnt = self.corrections.iter().zip(&self.siblings).enumerate();
        let learnt = learnt.filter(|(place, _)| is_learnt(*place));
        let mut train: Vec<Example> = learnt
            .flat_map(|(_, (correction, siblings))| std::iter::once(correction).chain(siblings))
            .cloned()
            .collect();
        let portion = |name: &str, train: usize| Portion {
            name: name.to_owned(),
            weight: 1.0,
            train,
            dev: 0,
            chooses: true,
        };
        let portions = match self.made.is_empty() {
            true => Vec::new(),
            false => vec![
                portion(CORRECTIONS, train.len()),
                portion(MADE_NAME, self.made.len()),
            ],
        };
        train.extend(self.made.iter().cloned());
        Questions {
            train,
            dev: Vec::new(),
            portions,
        }
    }
}

/// Questions that are made from the tables of corrections: to learn from, and others to measure by.
fn made(corrections: &[Example], pupil: &Pupil, seed: u64) -> (Vec<Example>, Vec<Example>) {
    let mut subjects: Vec<&Example> = Vec::new();
    for example in corrections {
        if !subjects
            .iter()
            .any(|known| Arc::ptr_eq(&known.table, &example.table))
        {
            subjects.push(example);
        }
    }
    let (mut learnt, mut apart) = (Vec::new(), Vec::new());
    let each = |all: usize| all.div_ceil(subjects.len().max(1));
    for (number, subject) in subjects.iter().enumerate() {
        let name = Path::new(subject.table.name());
        let make = |count: usize, stream: u64| {
            let mut choices = Choices::new(seed ^ (number as u64) << 20, stream);
            let made = tables::make(&subject.table, name, None, count, pupil.reading, &mut choices);
            // As the pupil knows the functions.
            let known = made.into_iter().map(|made| Example {
                language: subject.language,
                ..made.example
            });
            known.collect::<Vec<Example>>()
        };
        let ours = make(each(MADE), 1);
        let others = make(each(MADE_APART), 2);
        apart.extend(others.into_iter().filter(|other| {
            let same = |one: &Example| one.question.text == other.question.text;
            !ours.iter().any(same)
        }));
        learnt.extend(ours);
    }
    (learnt, apart)
}

/// Those of a list at the places that are wanted.
fn every<T: Clone>(all: &[T], is_wanted: impl Fn(usize) -> bool) -> Vec<T> {
    let wanted = all.iter().enumerate().filter(|(place, _)| is_wanted(*place));
    wanted.map(|(_, one)| one.clone()).collect()
}

fn score(before: &[bool], after: &[bool]) -> Score {
    let right = |answers: &[bool]| answers.iter().filter(|right| **right).count();
    Score {
        questions: after.len(),
        before: right(before),
        after: right(after),
    }
}

/// Whether the new model is better, and why. `known` is how many of the corrections the model in use has right.
fn verdict(corrections: Score, apart: Option<Score>, made: Score, known: usize) -> (bool, String) {
    let no = |why: &str| (false, why.to_owned());
    if apart.is_some_and(|apart| apart.after < apart.before) {
        return no("fewer of the questions kept apart are right");
    }
    if made.after + made.before / FORGIVEN < made.before {
        return no("it forgets: fewer of the made questions are right");
    }
    let known = known.max(corrections.before);
    match apart {
        _ if corrections.after > known => (true, "more of the corrections are right".to_owned()),
        Some(apart) if apart.after > apart.before && corrections.after >= known => {
            (true, "more of the questions kept apart are right".to_owned())
        }
        _ => no("no more of the corrections are right than before"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(questions: usize, before: usize, after: usize) -> Score {
        Score {
            questions,
            before,
            after,
        }
    }

    #[test]
    fn only_a_better_model_is_kept() {
        let made = of(200, 190, 190);
        let better = |corrections, apart, made, known| verdict(corrections, apart, made, known).0;
        assert!(better(of(20, 15, 20), Some(of(5, 4, 4)), made, 0));
        assert!(better(of(1, 0, 1), None, made, 0), "one correction is enough");
        assert!(better(of(20, 20, 20), Some(of(5, 3, 4)), made, 0));
        assert!(
            !better(of(20, 15, 20), Some(of(5, 4, 3)), made, 0),
            "worse on those kept apart"
        );
        assert!(!better(of(20, 15, 20), None, of(200, 190, 180), 0), "forgets");
        assert!(
            better(of(20, 15, 20), None, of(200, 190, 187), 0),
            "next to nothing"
        );
        assert!(
            !better(of(20, 20, 20), Some(of(5, 5, 5)), made, 0),
            "nothing to learn"
        );
        assert!(
            !better(of(20, 15, 18), None, made, 18),
            "the model in use knows as much"
        );
    }
}
