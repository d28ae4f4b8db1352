//! `mapo demo`: the whole of it on built-in data.

use crate::threads::{pool, threads};
use crate::watching::{Live, Stopper};
use crate::{Outcome, print, print_json, table_view};
use clap::Args;
use mapo_core::Memory;
use mapo_datasets::{Dataset, Example, Selection};
use mapo_language::Atom;
use mapo_language::{Assistance, Denotation, Interpreter};
use mapo_model::search;
use mapo_tables::Table;
use mapo_training::{Beginning, Origin, RunConfig, Settings, Trainer, eval};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// See it learn: explore, train and evaluate the built-in dataset, then ask about a table never seen.
///
/// It takes about a minute and needs no download. The model is given questions about small invented tables with their
/// answers, never a program, and is measured on questions about other tables.
#[derive(Args)]
pub struct Demo {
    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many threads; all cores when not given. With one, the same seed gives the same model.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// How many steps of learning.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Change a setting, as in learning.rate=0.002; may be given many times.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many questions to ask about the new table.
    #[arg(long, value_name = "N", default_value_t = 5)]
    questions: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Demo {
    pub fn execute(self) -> Outcome {
        let mut settings = Settings::toy();
        for change in &self.set {
            settings = settings.with(change)?;
        }
        settings.steps = self.steps.unwrap_or(settings.steps);
        settings.check()?;
        let mut stopper = Stopper::listen()?;
        let (threads, pool) = (threads(self.threads), pool(self.threads)?);
        let began = Instant::now();
        let mut run = Origin::new(&Dataset::toy(), &Selection::default(), self.seed, threads);
        run.parts[0].dev_split = Some("dev".to_owned());
        let config = RunConfig { run, settings };
        let (settings, questions) = (&config.settings, config.run.questions()?);
        let (train, dev) = (&questions.train, &questions.dev);
        let test = config.run.first()?.examples("test", None, config.run.functions)?;

        self.say(format_args!(
            "mapo learns to answer questions about tables by writing small programs.\n\
             It is given {} questions with their answers, never a program, and is then asked\n\
             {} questions about other tables.\n\n\
             1. Explore: try {} programs at random for each question and keep those that\n   \
             give the right answer.",
            train.len(),
            dev.len(),
            settings.explore_first.programs,
        ))?;
        let beginning = Beginning::explored(&config, train, &mut stopper).map_err(|error| match error {
            mapo_training::Error::StoppedExploring { .. } => {
                "stopped while exploring; nothing was kept".into()
            }
            error => Box::<dyn Error>::from(error),
        })?;
        let memories = &beginning.memories;
        let explored = began.elapsed().as_secs_f64();
        let solved = memories.iter().filter(|memory| !memory.is_empty()).count();
        let found = memories.iter().map(Memory::len).sum::<usize>() as f64 / train.len().max(1) as f64;
        self.say(format_args!(
            "   {solved} of {} questions have such a program, {found:.1} on average; some are right\n   \
             only by accident. ({explored:.1} s)\n\n\
             2. Learn: raise the expected reward of a neural network that writes programs,\n   \
             with those found so far as its memory (MAPO), for {} steps.",
            train.len(),
            settings.steps,
        ))?;

        let mut trainer = Trainer::begin(&config, &questions, beginning)?;
        let mut live = Live::start(settings.steps, 0);
        let trained = trainer.run(&stopper.stop, &mut |event| {
            live.show(event);
            Ok(())
        });
        live.finish();
        trained?;
        if stopper.is_stopped() {
            return Err("stopped; the demo keeps nothing".into());
        }
        let best = trainer.best().ok_or("--steps must be at least 1")?;
        let seconds = began.elapsed().as_secs_f64();
        let models = [Arc::clone(&best.network)];
        self.say(format_args!(
            "   Trained. Now it answers {} questions of a third set of tables.",
            test.len()
        ))?;
        let tested = pool.install(|| eval::answer(&models, None, &test, settings.beam))?;
        let test_accuracy = eval::accuracy(&tested);
        self.say(format_args!(
            "   {:.1} % of the dev questions are answered right by the best model, that of step {}.\n   \
             On the third set, used for nothing else, it is {:.1} %. ({seconds:.1} s in all)\n\n\
             3. Ask about a table that it has never seen, the first on which it does as well as on all of them.\n",
            100.0 * best.accuracy.unwrap_or_default(),
            best.step,
            100.0 * test_accuracy,
        ))?;

        let table =
            shown_table(&test, &tested, test_accuracy).ok_or("the built-in dataset has no test questions")?;
        let asked = test
            .iter()
            .zip(&tested)
            .filter(|(example, _)| Arc::ptr_eq(&example.table, table));
        let asked: Vec<_> = asked.take(self.questions).collect();
        let (right, all) = (asked.iter().filter(|(_, told)| told.right).count(), asked.len());
        self.say(table_view::show(table, 20))?;
        let mut shown = Vec::new();
        for (example, prediction) in asked {
            let rows = rows_used(example, prediction)?;
            self.say(Asked {
                prediction,
                rows: &rows,
            })?;
            let mut object = serde_json::to_value(prediction)?;
            object["rows"] = json!(rows);
            shown.push(object);
        }
        self.say(match all - right {
            0 => format!("\nAll {all} of these are right. It was never shown a program."),
            wrong => format!("\n{right} of these {all} are right; {wrong} marked wrong above. It was never shown a program."),
        })?;
        if self.json {
            let summary: Value = json!({
                "dev_accuracy": best.accuracy, "test_accuracy": test_accuracy, "seconds": seconds,
                "explore_seconds": explored, "best_step": best.step, "steps": settings.steps, "seed": self.seed,
                "threads": threads, "train_questions": train.len(), "dev_questions": dev.len(),
                "share_solved": solved as f64 / train.len().max(1) as f64, "mean_found": found,
                "table": table.name(), "asked": shown,
            });
            return print_json(summary);
        }
        Ok(())
    }

    fn say(&self, text: impl std::fmt::Display) -> Outcome {
        if self.json { Ok(()) } else { print(text) }
    }
}

/// The first table whose questions are answered as well as those of all tables, or better: one that shows what the figure
/// means, neither its best nor its worst.
fn shown_table<'a>(
    examples: &'a [Example],
    predictions: &[eval::Prediction],
    accuracy: f64,
) -> Option<&'a Arc<Table>> {
    let does_well = |table: &Arc<Table>| {
        let told = examples.iter().zip(predictions);
        let told = told.filter(|(example, _)| Arc::ptr_eq(&example.table, table));
        let told: Vec<bool> = told.map(|(_, prediction)| prediction.right).collect();
        let right = told.iter().filter(|right| **right).count();
        right as f64 >= accuracy * told.len() as f64
    };
    let tables = || examples.iter().map(|example| &example.table);
    tables()
        .find(|table| does_well(table))
        .or_else(|| tables().next())
}

/// A question with what came of it.
struct Asked<'a> {
    prediction: &'a eval::Prediction,
    rows: &'a [usize],
}

impl std::fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let prediction = self.prediction;
        writeln!(f, "\n{}", prediction.question)?;
        let verdict = if prediction.right {
            "right".to_owned()
        } else {
            format!("wrong: it is {}", prediction.expected.join(" | "))
        };
        writeln!(f, "  answer   {}  ({verdict})", prediction.answer.join(" | "))?;
        writeln!(
            f,
            "  program  {}",
            prediction.program.as_deref().unwrap_or("none was found")
        )?;
        let rows: Vec<String> = self.rows.iter().map(|row| (row + 1).to_string()).collect();
        write!(f, "  rows     {}", rows.join(", "))
    }
}

/// The rows from which a program's last expression took its answer.
fn rows_used(example: &Example, prediction: &eval::Prediction) -> Result<Vec<usize>, Box<dyn Error>> {
    let mut interpreter: Interpreter = example.interpreter(Assistance::All);
    search::visit(&mut interpreter, &prediction.tokens)?;
    let program = interpreter
        .context()
        .decode(&prediction.tokens)
        .unwrap_or_default();
    let mut rows = BTreeSet::new();
    for argument in program.expressions.last().map_or(&[][..], |last| &last.arguments) {
        match argument {
            Atom::AllRows => rows.extend(0..example.table.rows()),
            Atom::Variable(variable) => {
                if let Some(Denotation::Rows(used)) = interpreter.value(*variable) {
                    rows.extend(used.iter());
                }
            }
            Atom::Column(_) | Atom::Constant(_) => {}
        }
    }
    Ok(rows.into_iter().collect())
}
