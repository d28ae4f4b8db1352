//! `mapo compare`: objectives, or any settings, side by side.

use crate::commands::explore::Display;
use crate::data_args::DataArgs;
use crate::run_setup::{SettingsArgs, load, load_split};
use crate::training::{Live, Stopper, threads};
use crate::{Outcome, print, table_view};
use clap::Args;
use mapo_core::{Ending, Memory};
use mapo_datasets::{Example, Pruning};
use mapo_model::inputs::vocabulary;
use mapo_training::compare::{
    FileMark, NAMES, PAPER, Plan, Ran, Results, Runs, Variant, check_distinct, report,
};
use mapo_training::store::StoreWriter;
use mapo_training::{Settings, filling, memories};
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The seed of the exploration, as in `mapo explore`: all runs begin with the same memories.
const EXPLORATION_SEED: u64 = 0;

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
    /// What to compare: mapo, mml, hard_em, iml, reinforce, augmented, mapo-without-exploration (memories begin empty,
    /// and only programs drawn from the policy join them), mapo-without-clipping. All but augmented when not given, and
    /// only mapo if there are variants.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
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
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
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
        self.check_exploration(&plan, &common)?;
        let origin = plan.config(&plan.variants[0], 0, 1).run;
        let (train, dev) = load(&origin)?;
        if train.is_empty() || dev.is_empty() {
            let split = if train.is_empty() {
                &plan.split
            } else {
                &plan.dev_split
            };
            return Err(format!(
                "{}: the split '{split}' has no question; choose another",
                plan.data
            )
            .into());
        }
        let test = plan.test_split.as_deref();
        let test = test.map(|split| load_split(&origin, split, None)).transpose()?;
        let vectors = self
            .vectors
            .as_deref()
            .map(vocabulary::read_vectors)
            .transpose()?;
        let stopper = Stopper::listen()?;
        let _lock = plan.begin(&self.out)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads(self.threads))
            .build()?;
        let runs = Runs {
            directory: &self.out,
            plan: &plan,
            train: &train,
            dev: &dev,
            test: test.as_deref(),
            vectors: vectors.as_ref(),
            pool: &pool,
        };
        self.train(&runs, &stopper)?;
        let results = Results::collect(&self.out, &plan, &common)?;
        report::write(&self.out, &results, &command())?;
        if self.json {
            return print(serde_json::to_string(&results)?);
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
            [] if own_variants => vec![NAMES[0]],
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

    /// A variant cannot explore otherwise if all is explored already.
    fn check_exploration(&self, plan: &Plan, common: &Settings) -> Outcome {
        let explores_otherwise = |variant: &&Variant| {
            variant.explores_first() && variant.settings.explore_first != common.explore_first
        };
        match plan
            .variants
            .iter()
            .find(explores_otherwise)
            .filter(|_| self.memory.is_some())
        {
            Some(variant) => Err(format!(
                "variant {} explores in its own way, but --memory gives what was explored; leave one of them out",
                variant.name
            )
            .into()),
            None => Ok(()),
        }
    }

    /// Makes all runs that are not finished.
    fn train(&self, runs: &Runs<'_>, stopper: &Stopper) -> Outcome {
        let mut explored: HashMap<PathBuf, Vec<Memory>> = HashMap::new();
        let plan = runs.plan;
        let all = plan.runs().count();
        for (place, (variant, seed)) in plan.runs().enumerate() {
            if runs.is_finished(variant, seed) {
                continue;
            }
            let store = self.store(variant);
            if variant.explores_first() && !explored.contains_key(&store) {
                if self.memory.is_none() && !store.exists() {
                    self.explore(&store, &variant.settings, runs, stopper)?;
                }
                let found = memories::load(&store, runs.train, &plan.reading)?;
                explored.insert(store.clone(), found);
            }
            let mut begin_with = || {
                let nothing = || vec![Memory::default(); runs.train.len()];
                Ok(explored
                    .get(&store)
                    .filter(|_| variant.explores_first())
                    .cloned()
                    .unwrap_or_else(nothing))
            };
            let name = &variant.name;
            let title = format!("run {} of {all}: {name}, seed {seed}", place + 1);
            let mut live = Live::start(variant.settings.steps, 0).named(title);
            let ran = runs.run(variant, seed, &mut begin_with, &stopper.stop, &mut |event| {
                live.show(event);
            });
            live.finish();
            if let Ran::Stopped { step } = ran.map_err(|error| format!("{name}, seed {seed}: {error}"))? {
                return Err(format!(
                    "stopped after step {step} of run {} of {all} ({name}, seed {seed}); the same command goes on",
                    place + 1
                )
                .into());
            }
        }
        Ok(())
    }

    /// Where the programs are with which a variant's memories begin.
    fn store(&self, variant: &Variant) -> PathBuf {
        let first = &variant.settings.explore_first;
        let name = format!("explored-{}-{}.jsonl", first.programs, first.pruning);
        self.memory.clone().unwrap_or_else(|| self.out.join(name))
    }

    /// Explores into the comparison's directory, or goes on with it.
    fn explore(&self, store: &Path, settings: &Settings, runs: &Runs<'_>, stopper: &Stopper) -> Outcome {
        let examples: &[Example] = runs.train;
        let pruning: Pruning = settings.pruning()?;
        let programs = settings.explore_first.programs;
        let selection = self.data.selection.selection();
        let header = filling::header(
            &self.data.data,
            &selection,
            examples,
            programs,
            pruning,
            EXPLORATION_SEED,
        );
        let (mut writer, mut entries) = StoreWriter::open(store, &header)?;
        let progress = &stopper.progress;
        let display = Display::start(Arc::clone(progress), examples.len(), entries.len(), programs);
        let how = (programs, pruning, EXPLORATION_SEED);
        let ending = runs
            .pool
            .install(|| filling::fill(examples, how, Some(&mut writer), &mut entries, progress));
        display.finish();
        if ending? == Ending::Stopped {
            let left = examples.len() - entries.len();
            return Err(format!(
                "stopped while exploring, with {left} questions left; the same command goes on"
            )
            .into());
        }
        Ok(writer.finish()?)
    }
}

/// The command as it was typed, for the report.
fn command() -> String {
    let quoted = |argument: String| {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=.,:/+@%".contains(letter);
        match !argument.is_empty() && argument.chars().all(is_plain) {
            true => argument,
            false => format!("'{}'", argument.replace('\'', r"'\''")),
        }
    };
    let arguments = std::env::args_os()
        .skip(1)
        .map(|argument| quoted(argument.to_string_lossy().into_owned()));
    let mut words = vec!["mapo".to_owned()];
    words.extend(arguments.filter(|argument| argument != "--json"));
    words.join(" ")
}
