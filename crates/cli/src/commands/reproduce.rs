//! `mapo reproduce`: the paper's tables and figures from one command.

use crate::commands::compare::{let_train, train};
use crate::commands::fleet::FleetArgs;
use crate::quoting::quoted;
use crate::threads::threads;
use crate::watching::Stopper;
use crate::{Outcome, print, print_json, table_view};
use clap::Args;
use clap::builder::PossibleValuesParser;
use mapo_datasets::Dataset;
use mapo_fleet::{Posting, Server};
use mapo_training::compare::{Here, Runs};
use mapo_training::reproduce::{Book, Experiment, ExperimentResult, Means, Reproduction};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Repeat the paper's tables and figures, and show its figures beside ours.
///
/// Examples:
///   mapo reproduce toy                                         # the built-in questions, in minutes
///   mapo reproduce wtq --data wtq:DIR --vectors V --budget full
///   mapo reproduce wtq --data wtq:DIR --vectors V --only objectives/mml
///
/// What is run is data: every run of the paper's objectives, ablations, ensembles, curves and clip fraction, and what it
/// says without a figure: accuracy by exploration budget, variance with a baseline, speed by number of threads. Each
/// experiment is a comparison as `mapo compare` makes it, in OUT/BUDGET/EXPERIMENT. Ctrl-C saves and stops, and the same
/// command goes on. In OUT/BUDGET come report.html, report.md and results.json; --report writes them at any time, also
/// while another process trains: cells that are not finished say so.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Reproduce {
    /// What to repeat.
    #[arg(value_name = "WHAT", value_parser = PossibleValuesParser::new(Book::names()))]
    what: String,
    /// How much of it: full (as published), half or tenth of the steps, with fewer seeds; toy also has minutes, its usual
    /// one, and seconds.
    #[arg(long, value_name = "BUDGET")]
    budget: Option<String>,
    /// Where the benchmark is: wtq:DIR or wikisql:DIR.
    #[arg(long, value_name = "DATASET")]
    data: Option<Dataset>,
    /// The programs that `mapo explore --out` found with the paper's settings. Without it, explores first.
    #[arg(long, value_name = "STORE")]
    memory: Option<PathBuf>,
    /// Word vectors: GloVe's text or wink's JSON. Without it, all vectors are trained.
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// Measure the test split too, at the end of each run.
    #[arg(long)]
    test: bool,
    /// Train only this experiment, or one row of it; may be given many times. The report has all.
    #[arg(long, value_name = "EXPERIMENT[/ROW]")]
    only: Vec<String>,
    /// Train nothing: report what is there.
    #[arg(long, conflicts_with = "fleet")]
    report: bool,
    /// How many threads; all cores when not given. With one, a run depends on its seed and its data alone.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    #[command(flatten)]
    fleet: FleetArgs,
    /// Where everything is kept; reproduced-WHAT when not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print what results.json holds.
    #[arg(long)]
    json: bool,
}

impl Reproduce {
    pub fn execute(self) -> Outcome {
        let book = Book::named(&self.what)?;
        let budget = self.budget.clone().unwrap_or_else(|| book.usual_budget.clone());
        let means = Means {
            data: self.data.clone(),
            memory: self.memory.clone(),
            vectors: self.vectors.clone(),
            test: self.test,
        };
        let experiments = book.at(&budget, &means)?;
        let asked = self.asked(&experiments)?;
        let out = self.out.clone();
        let out = out
            .unwrap_or_else(|| PathBuf::from(format!("reproduced-{}", self.what)))
            .join(&budget);
        let trained = match self.report {
            true => Ok(()),
            false => self.train(&asked, &out, &budget),
        };
        if trained.is_err() && !out.exists() {
            return trained;
        }
        // What was stopped is said at the end, but what is there is reported.
        let reported = self.report(&book, &budget, &experiments, &out);
        trained?;
        let reproduction = reported?;
        if self.json {
            return print_json(serde_json::to_string(&reproduction)?);
        }
        let mut last = "";
        for (title, table) in reproduction.tables() {
            if title != last {
                print(title)?;
                last = title;
            }
            print(table_view::block(&table))?;
        }
        print(format_args!("report    {}", out.join("report.html").display()))
    }

    /// The experiments to be made: those that `--only` names, or all.
    fn asked(&self, experiments: &[Experiment]) -> Result<Vec<Experiment>, Box<dyn Error>> {
        if self.only.is_empty() {
            return Ok(experiments.to_vec());
        }
        let mut asked = Vec::new();
        for name in &self.only {
            let (name, row) = match name.split_once('/') {
                Some((name, row)) => (name, Some(row)),
                None => (name.as_str(), None),
            };
            let known = asked.len();
            for experiment in experiments.iter().filter(|one| one.chapter == name).cloned() {
                asked.push(match row {
                    Some(row) => experiment.only(row)?,
                    None => experiment,
                });
            }
            if asked.len() == known {
                let mut names: Vec<&str> = experiments.iter().map(|one| one.chapter.as_str()).collect();
                names.dedup();
                let names = names.join(", ");
                return Err(format!("there is no experiment '{name}'; choose from {names}").into());
            }
        }
        Ok(asked)
    }

    /// Makes all runs that are asked for and not finished.
    fn train(&self, asked: &[Experiment], out: &Path, budget: &str) -> Outcome {
        let mut stopper = Stopper::listen()?;
        let job = PathBuf::from(format!("reproduce-{}-{budget}", self.what));
        let server = self.fleet.connect(Some(&job), Arc::clone(&stopper.stop))?;
        let cores = threads(None);
        for experiment in asked {
            // More threads than cores would say nothing.
            if experiment.threads.is_some_and(|threads| threads > cores) {
                continue;
            }
            self.run(experiment, out, server.as_ref(), &mut stopper)
                .map_err(|error| format!("{}: {error}", experiment.name))?;
        }
        Ok(())
    }

    fn run(
        &self,
        experiment: &Experiment,
        out: &Path,
        server: Option<&(Server, Posting)>,
        stopper: &mut Stopper,
    ) -> Result<(), Box<dyn Error>> {
        let (plan, directory) = (&experiment.plan, experiment.directory(out));
        plan.check_exploration(&experiment.common)?;
        let wanted = experiment.threads.unwrap_or_else(|| threads(self.threads));
        let mut runs = Runs::open(&directory, plan, &Here::default(), wanted)?;
        match server {
            // How fast this machine is, is not asked of others.
            Some((server, posting)) if experiment.threads.is_none() => {
                let posting = Posting {
                    name: format!("{}-{}", posting.name, experiment.name),
                    lease: posting.lease,
                };
                let place = (directory.as_path(), plan, &runs);
                let_train(server, &posting, place, self.threads, stopper)
            }
            _ => train(plan, &mut runs, stopper),
        }
    }

    /// Writes what is there so far.
    fn report(
        &self,
        book: &Book,
        budget: &str,
        experiments: &[Experiment],
        out: &Path,
    ) -> Result<Reproduction, Box<dyn Error>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(self.threads));
        let collect = |experiment: &Experiment| {
            let command = format!("{} --only {}", self.command(budget), experiment.chapter);
            ExperimentResult::collect(experiment, out, &command)
        };
        let collected: Result<Vec<ExperimentResult>, _> = pool
            .build()?
            .install(|| experiments.iter().map(collect).collect());
        let reproduction = Reproduction {
            title: book.title.clone(),
            command: self.command(budget),
            experiments: collected?,
            budget: budget.to_owned(),
        };
        std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
        reproduction.write(out)?;
        Ok(reproduction)
    }

    /// The command that makes all of it, however much of it this one makes.
    fn command(&self, budget: &str) -> String {
        let mut words = vec!["mapo".to_owned(), "reproduce".to_owned(), self.what.clone()];
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(
                value
                    .into_iter()
                    .flat_map(|value| [name.to_owned(), quoted(&value)]),
            );
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        flag("--data", self.data.as_ref().map(ToString::to_string));
        flag("--memory", path(&self.memory));
        flag("--vectors", path(&self.vectors));
        flag("--out", path(&self.out));
        flag("--threads", self.threads.map(|threads| threads.to_string()));
        flag("--budget", Some(budget.to_owned()));
        if self.test {
            words.push("--test".to_owned());
        }
        words.join(" ")
    }
}
