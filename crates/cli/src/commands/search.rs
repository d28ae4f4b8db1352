//! `mapo search`: more programs for a store, found by a trained model.

use crate::data_args::which_dataset;
use crate::models::Models;
use crate::stored_questions::StoredQuestions;
use crate::threads::pool;
use crate::{Outcome, print, print_json};
use clap::Args;
use mapo_datasets::{Dataset, Example};
use mapo_training::eval::rewarded;
use mapo_training::store::{Entry, StoreWriter};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Questions that are searched between two writes.
const TOGETHER: usize = 256;

/// Search with a trained model for programs where a store has none, or few.
///
/// Example:
///   mapo search --model runs/wtq/best.safetensors --data wtq:WikiTableQuestions --memory wtq.jsonl --out more.jsonl
///   mapo train --data wtq:WikiTableQuestions --memory more.jsonl --run runs/again
///
/// `mapo explore` tries programs at random, only such as the words of the question suggest. A model has learnt what else
/// is worth a try: its beam, with everything offered, is looked through for programs that give the right answer. All that
/// the store had stays; weigh it afterwards, not before (`mapo weigh`). Ctrl-C stops it, and the same command goes on.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Search {
    /// The model, or several that search one after the other.
    #[arg(long, value_name = "MODEL", num_args = 1.., required = true)]
    model: Vec<PathBuf>,
    #[arg(long, value_name = "DATASET", help = which_dataset())]
    data: Dataset,
    /// The programs that `mapo explore --out` found.
    #[arg(long, value_name = "STORE")]
    memory: PathBuf,
    /// Where the store with what it had and what was found goes.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Search for questions with at most this many programs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    poor: usize,
    /// How many programs the beam holds.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1000))]
    beam: u64,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Search {
    pub fn execute(self) -> Outcome {
        let began = Instant::now();
        let models = Models::load(&self.model)?;
        let stored = StoredQuestions::open(&self.data, &self.memory)?;
        let entries = &stored.entries;
        if entries.iter().any(|entry| !entry.weights.is_empty()) {
            let store = self.memory.display();
            return Err(format!("{store}: its programs are weighed already, and new ones would have no weight; search in the store from before, then weigh").into());
        }
        let is_poor = |entry: &Entry| entry.programs.len() <= self.poor;
        let (mut writer, mut searched) = StoreWriter::open(&self.out, &stored.header)?;
        let pool = pool(self.threads)?;
        for some in entries[searched.len().min(entries.len())..].chunks(TOGETHER) {
            let poor = some.iter().filter(|entry| is_poor(entry));
            let examples: Vec<Example> = poor.map(|entry| stored.examples[&entry.id].clone()).collect();
            let mut found = pool
                .install(|| rewarded(&models.networks, &examples, self.beam as usize))?
                .into_iter();
            for entry in some {
                let mut entry = entry.clone();
                if is_poor(&entry) {
                    let known = &mut entry.programs;
                    let new = found.next().unwrap_or_default();
                    new.into_iter().for_each(|program| {
                        if !known.contains(&program) {
                            known.push(program);
                        }
                    });
                }
                writer.push(&entry)?;
                searched.push(entry);
            }
        }
        writer.finish()?;
        let solved = |entries: &[Entry]| entries.iter().filter(|entry| !entry.programs.is_empty()).count();
        let programs = |entries: &[Entry]| entries.iter().map(|entry| entry.programs.len()).sum::<usize>();
        let poor = entries.iter().filter(|entry| is_poor(entry)).count();
        let (solved_before, solved) = (solved(entries), solved(&searched));
        let new = programs(&searched) - programs(entries);
        let seconds = began.elapsed().as_secs_f64();
        if self.json {
            return print_json(json!({
                "questions": searched.len(), "searched": poor, "solved_before": solved_before, "solved": solved,
                "new_programs": new, "seconds": seconds,
            }));
        }
        print(format_args!(
            "questions  {}, {poor} of them searched",
            searched.len()
        ))?;
        print(format_args!(
            "solved     {solved_before} before, {solved} now ({:.1} %)",
            100.0 * solved as f64 / searched.len().max(1) as f64
        ))?;
        print(format_args!("programs   {new} new"))?;
        print(format_args!("time       {seconds:.1} s"))
    }
}
