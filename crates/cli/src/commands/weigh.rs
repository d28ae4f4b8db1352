//! `mapo weigh`: how far the programs of a store can be believed.

use crate::data_args::which_dataset;
use crate::models::Models;
use crate::stored_questions::StoredQuestions;
use crate::threads::pool;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::{Dataset, Example};
use mapo_training::store::{Entry, StoreWriter};
use mapo_training::study::annotated::{Annotated, read_annotated};
use mapo_training::study::meaning::Likeness;
use mapo_training::study::spurious;
use mapo_training::weighing::{Belief, VARIATIONS, teachers};
use rayon::prelude::*;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// Questions that are weighed between two writes.
const TOGETHER: usize = 256;

/// Say of each program of a store how far it can be believed to mean what its question means.
///
/// Example:
///   mapo weigh --data wtq:WikiTableQuestions --memory wtq.jsonl --out weighed.jsonl
///   mapo train --data wtq:WikiTableQuestions --memory weighed.jsonl --set belief=1 --run runs/weighed
///
/// Most programs that give the right answer give it by chance. A program is believed the more, the more short programs
/// mean the same (they agree when rows are left out, drawn anew and shuffled), and the more it uses of what the question
/// names. With --model it is believed as much as trained models believe in all programs that mean the same, so that one
/// model can learn what several agree on. Ctrl-C stops it, and the same command goes on.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Weigh {
    #[arg(long, value_name = "DATASET", help = which_dataset())]
    data: Dataset,
    /// The programs that `mapo explore --out` found.
    #[arg(long, value_name = "STORE")]
    memory: PathBuf,
    /// Where the store with weights goes.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Weigh by what this trained model makes of the programs, or several together.
    #[arg(long, value_name = "MODEL", num_args = 1..)]
    model: Vec<PathBuf>,
    /// Questions with hand-written forms (WikiTableQuestions' annotated-all.examples): say how much of the weight is on
    /// programs that mean the right thing.
    #[arg(long, value_name = "FILE")]
    annotated: Option<PathBuf>,
    /// How many variations of its table a program is run on.
    #[arg(long, value_name = "N", default_value_t = VARIATIONS)]
    variations: usize,
    /// The seed of the variations of tables.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Weigh {
    pub fn execute(self) -> Outcome {
        let began = Instant::now();
        let StoredQuestions {
            header,
            entries,
            examples,
        } = StoredQuestions::open(&self.data, &self.memory)?;
        let belief = Belief {
            variations: self.variations,
            ..Belief::default()
        };
        let models = Models::load(&self.model)?.networks;
        let (mut writer, mut weighed) = StoreWriter::open(&self.out, &header)?;
        let pool = pool(self.threads)?;
        for some in entries[weighed.len().min(entries.len())..].chunks(TOGETHER) {
            let asked: Vec<Example> = some.iter().map(|entry| examples[&entry.id].clone()).collect();
            let programs: Vec<&[String]> = some.iter().map(|entry| &entry.programs[..]).collect();
            let shares = match &models[..] {
                [] => None,
                models => Some(pool.install(|| teachers::shares(models, &asked, &programs))?),
            };
            let weigh = |(place, entry): (usize, &Entry)| {
                let signs = belief.signs(&asked[place], &entry.programs, self.seed);
                Entry {
                    weights: match &shares {
                        Some(shares) => belief.taught(&signs, &shares[place]),
                        None => belief.weights(&signs),
                    },
                    ..entry.clone()
                }
            };
            let new: Vec<Entry> = pool.install(|| some.par_iter().enumerate().map(weigh).collect());
            for entry in &new {
                writer.push(entry)?;
            }
            weighed.extend(new);
        }
        writer.finish()?;
        let shares = match &self.annotated {
            Some(file) => Some(self.shares(&read_annotated(file)?, &examples, &weighed, &pool)?),
            None => None,
        };
        let programs: usize = weighed.iter().map(|entry| entry.programs.len()).sum();
        let solved = weighed.iter().filter(|entry| !entry.programs.is_empty()).count();
        let like = weighed.iter().map(|entry| alike(&entry.weights)).sum::<f64>() / solved.max(1) as f64;
        let seconds = began.elapsed().as_secs_f64();
        if self.json {
            let mut summary = json!({
                "questions": weighed.len(), "solved": solved, "programs": programs, "count_like": like,
                "seconds": seconds,
            });
            if let Some(shares) = &shares {
                summary["annotated"] = json!({
                    "questions": shares.questions, "programs": shares.programs,
                    "right_by_count": shares.by_count, "right_by_weight": shares.by_weight,
                    "right_of_all_programs": shares.of_all, "right_of_all_weight": shares.of_all_weight,
                });
            }
            return print_json(summary);
        }
        print(format_args!(
            "questions  {}, {solved} of them with a program",
            weighed.len()
        ))?;
        print(format_args!(
            "programs   {programs}, {:.1} each; their weights count like {like:.1} alike",
            programs as f64 / solved.max(1) as f64
        ))?;
        if let Some(shares) = &shares {
            print(format_args!(
                "annotated  {} questions with {} programs, of which {:.1} % mean the right thing, and {:.1} % of their weight",
                shares.questions,
                shares.programs,
                100.0 * shares.of_all,
                100.0 * shares.of_all_weight
            ))?;
            print(format_args!(
                "           on average of a question: {:.1} % of its programs, {:.1} % of their weight",
                100.0 * shares.by_count,
                100.0 * shares.by_weight
            ))?;
        }
        print(format_args!("time       {seconds:.1} s"))
    }

    /// How much of the programs and of their weight is on those that mean what somebody wrote down.
    fn shares(
        &self,
        annotated: &[Annotated],
        examples: &HashMap<String, Example>,
        weighed: &[Entry],
        pool: &rayon::ThreadPool,
    ) -> Result<Shares, Box<dyn Error>> {
        let ids: HashSet<&str> = annotated.iter().map(|question| question.id.as_str()).collect();
        let entries: HashMap<&str, &Entry> = weighed
            .iter()
            .filter(|entry| ids.contains(entry.id.as_str()) && !entry.programs.is_empty())
            .map(|entry| (entry.id.as_str(), entry))
            .collect();
        let share = |question: &Annotated| {
            let (example, entry) = (examples.get(&question.id)?, *entries.get(question.id.as_str())?);
            // Judged on other variations than those by which it was weighed.
            let seed = self.seed.wrapping_add(1);
            let likeness = spurious::judge(question, example, &entry.programs, seed)?;
            let mut share = Right::default();
            for (likeness, weight) in likeness.iter().zip(&entry.weights) {
                share.add(*likeness == Likeness::Same, f64::from(*weight));
            }
            Some(share)
        };
        let each: Vec<Right> = pool.install(|| annotated.par_iter().filter_map(share).collect());
        if each.is_empty() {
            return Err("none of the annotated questions is in the store with a program".into());
        }
        let mean = |of: fn(&Right) -> f64| each.iter().map(of).sum::<f64>() / each.len() as f64;
        let mut all = Right::default();
        for share in &each {
            all.programs += share.programs;
            all.right += share.right;
            all.weight += share.weight;
            all.right_weight += share.right_weight;
        }
        Ok(Shares {
            questions: each.len(),
            programs: all.programs,
            of_all: all.by_count(),
            of_all_weight: all.by_weight(),
            by_count: mean(Right::by_count),
            by_weight: mean(Right::by_weight),
        })
    }
}

/// What is right of some programs.
#[derive(Default)]
struct Right {
    programs: usize,
    right: usize,
    weight: f64,
    right_weight: f64,
}

impl Right {
    fn add(&mut self, is_right: bool, weight: f64) {
        self.programs += 1;
        self.weight += weight;
        if is_right {
            self.right += 1;
            self.right_weight += weight;
        }
    }

    fn by_count(&self) -> f64 {
        self.right as f64 / self.programs.max(1) as f64
    }

    fn by_weight(&self) -> f64 {
        self.right_weight / self.weight.max(f64::MIN_POSITIVE)
    }
}

/// What is right of the programs of annotated questions.
struct Shares {
    questions: usize,
    programs: usize,
    /// Of all programs together.
    of_all: f64,
    /// Of all their weight together.
    of_all_weight: f64,
    /// Of those of a question, on average.
    by_count: f64,
    /// Of their weight, on average.
    by_weight: f64,
}

/// How many programs with equal weights would be as spread out: the exponential of their entropy.
fn alike(weights: &[f32]) -> f64 {
    let all: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    if all == 0.0 {
        return 0.0;
    }
    let shares = weights.iter().map(|weight| f64::from(*weight) / all);
    shares
        .map(|share| -share * share.max(f64::MIN_POSITIVE).ln())
        .sum::<f64>()
        .exp()
}
