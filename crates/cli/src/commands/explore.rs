//! `mapo explore`: systematic exploration of a dataset.

use crate::commands::fleet::FleetArgs;
use crate::data_args::DataArgs;
use crate::threads::pool;
use crate::watching::{Display, SharedWork, Stopper};
use crate::{Outcome, chart, terminal};
use clap::Args;
use mapo_core::Ending;
use mapo_datasets::scoring::wtq::Scratch;
use mapo_datasets::{Example, Pruning, Selection};
use mapo_language::{Assistance, Interpreter, Program};
use mapo_training::store::{Entry, Header, StoreReader, StoreWriter};
use mapo_training::{Part, filling};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Try programs at random for every question of a dataset and keep those that give the right answer.
///
/// No program is tried twice. What is found goes to --out, the memory with which training begins. Ctrl-C stops it at
/// any time, and the same command goes on where it was. The programs of an example depend on --seed and on nothing
/// else, the number of threads least of all; nor on which machine found them: with --fleet, workers elsewhere
/// (`mapo fleet work`) explore, and the store is the same.
#[derive(Args)]
pub struct Explore {
    #[command(flatten)]
    data: DataArgs,
    /// How many programs to try for each question.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    programs: u64,
    /// Where the programs found are kept.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show the programs that --out holds for one example, with their answers, instead of exploring.
    #[arg(long, value_name = "ID", requires = "out")]
    show: Option<String>,
    /// Write a chart of the share solved against programs per example as SVG.
    #[arg(long, value_name = "SVG")]
    report: Option<PathBuf>,
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    #[command(flatten)]
    fleet: FleetArgs,
    /// Which functions to try: `wide`, those that a word of the question suggests, and the default but on WikiSQL;
    /// `paper`, by the paper's trigger words only; `none`, all.
    #[arg(long, value_name = "P")]
    pruning: Option<Pruning>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Explore {
    pub fn execute(self) -> Outcome {
        if let (Some(id), Some(store)) = (&self.show, &self.out) {
            return self.show(id, store);
        }
        let selection = self.data.selection.selection();
        let mut examples: Vec<Example> = self.data.data.examples(&selection)?.collect::<Result<_, _>>()?;
        let all = examples.len();
        for example in &examples {
            example.known_programs()?;
        }
        examples.retain(|example| example.known.is_none());
        if examples.len() < all {
            eprintln!(
                "mapo: {} of {all} questions have their program already",
                all - examples.len()
            );
        }
        let header = self.header(&selection, &examples);
        let (mut writer, mut entries) = match &self.out {
            Some(file) => {
                let (writer, entries) = StoreWriter::open(file, &header)?;
                (Some(writer), entries)
            }
            None => (None, Vec::new()),
        };
        if !entries.is_empty() {
            eprintln!(
                "mapo: going on: {} of {} examples are there already",
                entries.len(),
                examples.len()
            );
        }
        let done = entries.len();
        let stopper = Stopper::listen()?;
        let progress = Arc::clone(&stopper.progress);
        let server = self
            .fleet
            .connect(self.out.as_deref(), Arc::clone(&stopper.stop))?;
        let pruning = self.pruning();
        let pool = pool(self.threads)?;
        let began = Instant::now();
        let ending: Result<Ending, Box<dyn Error>> = match &server {
            Some((server, posting)) => {
                let data = &self.data.data;
                let what = (Part::new(data, &selection), data.functions(&selection), &header);
                let shared = SharedWork::start("tasks", "questions");
                let store = writer.as_mut();
                let ending = mapo_fleet::explore(
                    server,
                    posting,
                    what,
                    &examples,
                    store,
                    &mut entries,
                    &mut |job| {
                        shared.show(job);
                    },
                );
                shared.finish();
                ending.map_err(Into::into)
            }
            None => {
                let display = Display::start(Arc::clone(&progress), examples.len(), done, self.programs);
                let ending = pool.install(|| {
                    let how = (self.programs, pruning, self.seed);
                    filling::fill(&examples, how, writer.as_mut(), &mut entries, &progress)
                });
                display.finish();
                ending.map_err(Into::into)
            }
        };
        let seconds = began.elapsed().as_secs_f64();
        if ending? == Ending::Stopped {
            let left = examples.len() - entries.len();
            let advice = match &self.out {
                Some(_) => "the same command goes on from here",
                None => "nothing is kept without --out",
            };
            return Err(format!(
                "stopped with {left} of {} examples left; {advice}",
                examples.len()
            )
            .into());
        }
        if let Some(writer) = writer {
            writer.finish()?;
        }
        if let Some(file) = &self.report {
            mapo_files::write(file, share_chart(&entries, self.programs, &header)?.as_bytes())?;
        }
        let summary = Summary::new(&entries, done, seconds, pool.current_num_threads());
        match self.json {
            true => crate::print_json(summary.to_json(&header)),
            false => crate::print(summary),
        }
    }

    fn pruning(&self) -> Pruning {
        self.pruning
            .unwrap_or_else(|| self.data.data.pruning(&self.data.selection.selection()))
    }

    fn header(&self, selection: &Selection, examples: &[Example]) -> Header {
        filling::header(
            &self.data.data,
            selection,
            examples,
            self.programs,
            self.pruning(),
            self.seed,
        )
    }

    fn show(&self, id: &str, store: &Path) -> Outcome {
        let reader = StoreReader::open(store)?;
        let mut selection = self.data.selection.selection();
        let found = (reader.header().dataset.as_str(), reader.header().split.as_str());
        let wanted = (
            self.data.data.kind(),
            selection.split.as_deref().unwrap_or(found.1),
        );
        if found != wanted {
            let store = store.display();
            return Err(format!(
                "{store}: made for {} {}, not for {} {}",
                found.0, found.1, wanted.0, wanted.1
            )
            .into());
        }
        selection.split = Some(found.1.to_owned());
        selection.reading = reader.header().reading.into();
        selection.ids = Some(Arc::new(HashSet::from([id.to_owned()])));
        let entry = reader
            .into_iter()
            .find(|entry| entry.as_ref().map_or(true, |entry| entry.id == id))
            .transpose()?;
        let entry = entry.ok_or_else(|| format!("{}: there is no example '{id}'", store.display()))?;
        let example = self.data.data.examples(&selection)?.next().transpose()?;
        let example = example.ok_or_else(|| format!("{} has no example '{id}'", self.data.data))?;
        if self.json {
            let programs: Vec<Value> = entry
                .programs
                .iter()
                .map(|text| program_json(&example, text))
                .collect();
            let object = json!({
                "id": id, "question": example.question.text, "answer": example.answer.texts(), "tried": entry.tried,
                "complete": entry.complete, "programs": programs,
            });
            return crate::print_json(object);
        }
        let mut out = terminal::text();
        writeln!(out, "{id}  {}", example.question.text)?;
        writeln!(out, "answer: {}", example.answer.texts().join(" | "))?;
        let all = if entry.complete {
            ", which is all there are"
        } else {
            ""
        };
        writeln!(
            out,
            "{} programs found in {} tried{all}",
            entry.programs.len(),
            entry.tried
        )?;
        for text in &entry.programs {
            let answer = run(&example, text).map(|program| program.answer().map(|a| a.shown().join(" | ")));
            writeln!(out, "  {text}  →  {}", answer.ok().flatten().unwrap_or_default())?;
        }
        Ok(out.flush()?)
    }
}

fn program_json(example: &Example, text: &str) -> Value {
    let ran = run(example, text);
    let answer = ran
        .as_ref()
        .ok()
        .and_then(Interpreter::answer)
        .map(|answer| crate::json::denotation(&answer));
    let reward = ran
        .ok()
        .map(|program| example.answer.reward(&program, &mut Scratch::default()));
    json!({ "program": text, "answer": answer, "reward": reward })
}

fn run(example: &Example, text: &str) -> Result<Interpreter, Box<dyn Error>> {
    let program: Program = text.parse()?;
    let mut interpreter = example.interpreter(Assistance::All);
    for token in interpreter.context().encode(&program)? {
        interpreter.step(token)?;
    }
    Ok(interpreter)
}

struct Summary {
    examples: usize,
    programs: u64,
    /// Those of this run, without what an earlier run had done.
    programs_per_second: f64,
    seconds: f64,
    threads: usize,
    solved: usize,
    exhausted: usize,
    dead_ends: u64,
    found: Vec<usize>,
    mean_bytes: f64,
    most_bytes: usize,
}

impl Summary {
    fn new(entries: &[Entry], done: usize, seconds: f64, threads: usize) -> Self {
        let mut found: Vec<usize> = entries.iter().map(|entry| entry.programs.len()).collect();
        found.sort_unstable();
        let tried = |entries: &[Entry]| entries.iter().map(|entry| entry.tried).sum::<u64>();
        let bytes = || entries.iter().map(|entry| entry.explored_bytes);
        Summary {
            examples: entries.len(),
            programs: tried(entries),
            programs_per_second: tried(&entries[done..]) as f64 / seconds.max(1e-9),
            seconds,
            threads,
            solved: found.iter().filter(|found| **found > 0).count(),
            exhausted: entries.iter().filter(|entry| entry.complete).count(),
            dead_ends: entries.iter().map(|entry| entry.dead_ends).sum(),
            mean_bytes: bytes().sum::<usize>() as f64 / entries.len().max(1) as f64,
            most_bytes: bytes().max().unwrap_or_default(),
            found,
        }
    }

    fn share_solved(&self) -> f64 {
        self.solved as f64 / self.examples.max(1) as f64
    }

    fn mean_found(&self) -> f64 {
        self.found.iter().sum::<usize>() as f64 / self.examples.max(1) as f64
    }

    fn percentile(&self, percent: usize) -> usize {
        let place = self.found.len().saturating_sub(1) * percent / 100;
        self.found.get(place).copied().unwrap_or_default()
    }

    fn to_json(&self, header: &Header) -> Value {
        let mut summary = json!({
            "data": header.dataset, "split": header.split, "seed": header.seed,
            "pruning": header.pruning, "programs_each": header.programs,
            "examples": self.examples, "programs": self.programs, "programs_per_second": self.programs_per_second,
            "seconds": self.seconds, "threads": self.threads, "solved": self.solved,
            "share_solved": self.share_solved(), "exhausted": self.exhausted, "dead_ends": self.dead_ends,
            "mean_found": self.mean_found(),
            "found_percentiles": {
                "p10": self.percentile(10), "p25": self.percentile(25), "p50": self.percentile(50),
                "p75": self.percentile(75), "p90": self.percentile(90), "p99": self.percentile(99),
                "max": self.percentile(100),
            },
            "explored_bytes_mean": self.mean_bytes, "explored_bytes_max": self.most_bytes,
        });
        for (switch, value) in header.reading.named() {
            summary[switch] = json!(value);
        }
        summary
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = format!(
            "{:.0} a second on {} threads",
            self.programs_per_second, self.threads
        );
        let percentiles = [10, 50, 90, 99, 100]
            .map(|percent| self.percentile(percent).to_string())
            .join(", ");
        writeln!(f, "examples       {}", self.examples)?;
        writeln!(f, "programs       {}, {rate}", self.programs)?;
        writeln!(
            f,
            "solved         {} ({:.1} %)",
            self.solved,
            100.0 * self.share_solved()
        )?;
        writeln!(
            f,
            "found          {:.1} programs each; of 10, 50, 90, 99, 100 %: {percentiles}",
            self.mean_found()
        )?;
        writeln!(
            f,
            "exhausted      {} examples have no further program",
            self.exhausted
        )?;
        writeln!(f, "dead ends      {}", self.dead_ends)?;
        let (mean, most) = (self.mean_bytes / 1e3, self.most_bytes as f64 / 1e3);
        writeln!(f, "explored sets  {mean:.0} kB each, {most:.0} kB the largest")?;
        write!(f, "time           {:.1} s", self.seconds)
    }
}

/// The share of examples solved after this many programs each.
fn share_chart(entries: &[Entry], programs: u64, header: &Header) -> Result<String, Box<dyn Error>> {
    let first_found = |entry: &Entry| {
        let mut batches = entry.batches.iter();
        let (tried, _) = batches.find(|(_, found)| *found > 0)?;
        Some(*tried)
    };
    let mut solved: Vec<u64> = entries.iter().filter_map(first_found).collect();
    solved.sort_unstable();
    let mut budgets: Vec<u64> = entries
        .iter()
        .flat_map(|entry| entry.batches.iter().map(|(tried, _)| *tried))
        .collect();
    budgets.push(programs);
    budgets.sort_unstable();
    budgets.dedup();
    let share =
        |budget: u64| solved.partition_point(|after| *after <= budget) as f64 / entries.len().max(1) as f64;
    let points: Vec<(f64, f64)> = budgets
        .iter()
        .map(|budget| (*budget as f64, 100.0 * share(*budget)))
        .collect();
    chart::line(
        &format!(
            "Questions solved by random exploration: {} {}",
            header.dataset, header.split
        ),
        "programs tried per question",
        "questions solved (%)",
        &points,
    )
}
