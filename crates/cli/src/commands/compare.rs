//! `mapo compare`: objectives, or any settings, side by side.

use crate::commands::fleet::FleetArgs;
use crate::data_args::DataArgs;
use crate::quoting::quoted;
use crate::settings_args::SettingsArgs;
use crate::threads::threads;
use crate::watching::{Live, SharedWork, Stopper};
use crate::{Outcome, print, print_json, table_view};
use clap::Args;
use mapo_fleet::{Posting, Server};
use mapo_training::Settings;
use mapo_training::compare::{
    FileMark, Here, PAPER, Plan, Ran, Results, Runs, Variant, check_distinct, names, report,
};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Train several objectives or settings with several seeds and tell how they differ.
///
/// Examples:
///   mapo compare --data toy --out toy-compared
///   mapo compare --data toy --objectives mapo,mml --seeds 3 --steps 300 --out quick
///   mapo compare --data toy --variant fast:learning.rate=0.01 --variant all:mml,objective.draws=20 --out rates
///
/// It explores once, then trains each variant with each seed, one run after the other, each in its own directory,
/// OUT/VARIANT/seed-N, as `mapo train` would. Ctrl-C saves and stops, and the same command goes on; more variants
/// and more seeds may join later. In OUT come report.html, report.md, curves.svg, clip_fraction.svg and results.json.
/// The first variant is the one that the others are compared with.
///
/// With --fleet, workers on other machines (`mapo fleet work`) train the runs, several at a time, and what they did is
/// brought to OUT; the report is the same. --threads says then how many threads each run has.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Compare {
    #[command(flatten)]
    data: DataArgs,
    /// The split by which models are chosen and compared; dev, where the dataset has one.
    #[arg(long, value_name = "S")]
    dev_split: Option<String>,
    /// A split on which the best model of each run is measured at the end.
    #[arg(long, value_name = "S")]
    test_split: Option<String>,
    /// The programs that `mapo explore --out` found. Without it, explores first.
    #[arg(long, value_name = "STORE")]
    memory: Option<PathBuf>,
    /// Word vectors: GloVe's text or wink's JSON. Without it, all vectors are trained.
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help = objectives())]
    objectives: Vec<String>,
    /// A variant: settings over the common ones, as in fast:learning.rate=0.01,batch=64. The first may be an objective's
    /// name, as in more:mml,objective.draws=5. May be given many times.
    #[arg(long, value_name = "NAME:SETTING,…")]
    variant: Vec<String>,
    /// A TOML file of variants: a list `variant`, each with name, settings and, if it begins with an objective, from.
    #[arg(long, value_name = "FILE")]
    variants: Option<PathBuf>,
    /// How many seeds, from 1.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// These seeds instead.
    #[arg(long, value_name = "S,…", value_delimiter = ',', conflicts_with = "seeds")]
    seed_list: Vec<u64>,
    #[command(flatten)]
    settings: SettingsArgs,
    /// How many threads; all cores when not given. With one, a run depends on its seed and its data alone.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    #[command(flatten)]
    fleet: FleetArgs,
    /// The comparison's directory.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print what results.json holds.
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub fn execute(self) -> Outcome {
        let common = self.settings.settings(&self.data.data, false)?;
        let plan = self.plan(&common)?;
        plan.check_exploration(&common)?;
        let mut stopper = Stopper::listen()?;
        let server = self.fleet.connect(Some(&self.out), Arc::clone(&stopper.stop))?;
        let mut runs = Runs::open(&self.out, &plan, &Here::default(), threads(self.threads))?;
        match &server {
            Some((server, posting)) => {
                let place = (self.out.as_path(), &plan, &runs);
                let_train(server, posting, place, self.threads, &mut stopper)?;
            }
            None => train(&plan, &mut runs, &mut stopper)?,
        }
        let results = Results::collect(&self.out, &plan, &common)?;
        report::write(&self.out, &results, &command())?;
        if self.json {
            return print_json(serde_json::to_string(&results)?);
        }
        print(table_view::block(&report::table(&results)))?;
        print(format_args!(
            "report    {}",
            self.out.join("report.html").display()
        ))
    }

    /// What the arguments ask for.
    fn plan(&self, common: &Settings) -> Result<Plan, Box<dyn Error>> {
        let data = &self.data.data;
        let own_variants = !self.variant.is_empty() || self.variants.is_some();
        let names: Vec<&str> = match self.objectives.as_slice() {
            [] if own_variants => vec![PAPER[0]],
            [] => PAPER.to_vec(),
            given => given.iter().map(|name| name.trim()).collect(),
        };
        let mut variants = names
            .into_iter()
            .map(|name| Variant::named(name, common, data))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(file) = &self.variants {
            let file_error = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
            let text = std::fs::read_to_string(file).map_err(|error| file_error(&error))?;
            let read = Variant::read_all(&text, common, data).map_err(|error| file_error(&error))?;
            variants.extend(read);
        }
        for text in &self.variant {
            variants.push(Variant::parse(text, common, data)?);
        }
        check_distinct(&variants)?;
        let mut seeds: Vec<u64> = match self.seed_list.as_slice() {
            [] => (1..=self.seeds).collect(),
            given => given.to_vec(),
        };
        let given = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        if seeds.len() < given {
            return Err("--seed-list has a seed twice; give each once".into());
        }
        let selection = self.data.selection.selection();
        let (split, dev_split) =
            data.training_splits(selection.split.as_deref(), self.dev_split.as_deref())?;
        Ok(Plan {
            data: data.to_string(),
            split,
            dev_split: dev_split.ok_or("models must be compared by something; give --dev-split")?,
            test_split: self.test_split.clone(),
            reading: data.reading(&selection),
            functions: data.functions(&selection),
            limit: selection.limit,
            memory: self.memory.as_deref().map(FileMark::of).transpose()?,
            vectors: self.vectors.as_deref().map(FileMark::of).transpose()?,
            variants,
            seeds,
        })
    }
}

/// What is said of `--objectives`.
fn objectives() -> String {
    format!(
        "What to compare: {}. In mapo-without-exploration memories begin empty, and only programs drawn from the \
         policy join them. When not given, those that the paper compares, and only {} if there are variants",
        names().join(", "),
        PAPER[0]
    )
}

/// Lets workers of a fleet make all runs that are not finished.
pub fn let_train(
    server: &Server,
    posting: &Posting,
    place: (&Path, &Plan, &Runs<'_>),
    threads: Option<usize>,
    stopper: &mut Stopper,
) -> Outcome {
    let shared = SharedWork::start("runs", "steps");
    let compared = mapo_fleet::compare(server, posting, place, threads, stopper, &mut |job| {
        shared.show(job);
    });
    shared.finish();
    compared.map_err(|error| match error {
        mapo_fleet::Error::Stopped => {
            "stopped; workers go on, and the same command collects what they do".into()
        }
        error => error.into(),
    })
}

/// Makes all runs that are not finished.
pub fn train(plan: &Plan, runs: &mut Runs<'_>, stopper: &mut Stopper) -> Outcome {
    let stop = Arc::clone(&stopper.stop);
    let all = plan.runs().count();
    for (place, (variant, seed)) in plan.runs().enumerate() {
        if runs.is_finished(variant, seed) {
            continue;
        }
        let (name, place) = (&variant.name, place + 1);
        let title = format!("run {place} of {all}: {name}, seed {seed}");
        let mut live = None;
        let ran = runs.run(variant, seed, stopper, &stop, &mut |event| {
            let start = || Live::start(variant.settings.steps, 0).named(title.clone());
            live.get_or_insert_with(start).show(event);
        });
        if let Some(live) = live {
            live.finish();
        }
        let ran = ran.map_err(|error| match error {
            mapo_training::Error::StoppedExploring { .. } => format!("{error}; the same command goes on"),
            error => format!("{name}, seed {seed}: {error}"),
        })?;
        if let Ran::Stopped { step } = ran {
            return Err(format!(
                "stopped after step {step} of run {place} of {all} ({name}, seed {seed}); the same command goes on"
            )
            .into());
        }
    }
    Ok(())
}

/// The command as it was typed, for the report.
fn command() -> String {
    let arguments = std::env::args_os()
        .skip(1)
        .map(|argument| quoted(&argument.to_string_lossy()));
    let mut words = vec!["mapo".to_owned()];
    words.extend(arguments.filter(|argument| argument != "--json"));
    words.join(" ")
}
