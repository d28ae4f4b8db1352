//! `mapo study`: what a trained model knows, and where it is wrong.

use crate::data_args::{DataArgs, examples};
use crate::models::Models;
use crate::threads::pool;
use crate::watching::{Display, Stopper};
use crate::{Outcome, print, print_json, table_view};
use clap::Args;
use mapo_datasets::{Example, Pruning, Selection};
use mapo_training::eval::{self, Prediction};
use mapo_training::memories;
use mapo_training::study::annotated::{Annotated, read_annotated};
use mapo_training::study::{self, AnnotatedQuestion, Found, Study as Findings, spurious};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Say what a model knows and where it is wrong, by kind of question and kind of error.
///
/// Example:
///   mapo study --model runs/wtq/best.safetensors --data wtq:WikiTableQuestions --split random-split-1-dev \
///     --memory wtq.jsonl --annotated WikiTableQuestions/data/annotated-all.examples --out study
///
/// docs/study.md says what each figure means.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Study {
    /// Models, as training wrote them; several answer together.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    model: Vec<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
    /// What exploration found before training.
    #[arg(long, value_name = "STORE")]
    memory: Option<PathBuf>,
    /// Questions of the dataset, of any split, with hand-written forms (WikiTableQuestions' annotated-all.examples).
    #[arg(long, value_name = "FILE")]
    annotated: Option<PathBuf>,
    /// Where study.md and questions.jsonl go, and annotated.jsonl with --annotated.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Programs to try, with all functions, for each question without a right program in the beam; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    explore: u64,
    /// Print N wrong answers with their tables, spread over the split, to read by hand.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "json")]
    sample: usize,
    /// Partial programs that beam search keeps; when not given, as the model's second look wants it, else 5.
    #[arg(long, value_name = "N")]
    beam: Option<usize>,
    /// The seed of the exploration and of the variations of tables.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads; all cores when not given.
    #[arg(long, value_name = "T", value_parser = crate::threads::count)]
    threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Annotated questions and, place by place, their examples.
type Forms = (Vec<Annotated>, Vec<Example>);

impl Study {
    pub fn execute(self) -> Outcome {
        let models = Models::load(&self.model)?;
        let selection = models.selection(&self.data)?;
        let examples = examples(&self.data.data, &selection)?;
        if examples.is_empty() {
            return Err(format!(
                "{} has no questions to study here; choose another --split",
                self.data.data
            )
            .into());
        }
        let annotated = self.annotated_examples(&selection)?;
        let memory = self.found(&selection, &examples, &annotated)?;
        let pool = pool(self.threads)?;
        let breadth = models.breadth(self.beam);
        let mut predictions =
            pool.install(|| eval::answer(&models.networks, models.second_look(), &examples, breadth))?;
        if let Some(calibration) = models.calibration() {
            eval::calibrate(&mut predictions, calibration);
        }
        let compared = match &annotated {
            Some((forms, asked)) => {
                let answered =
                    pool.install(|| eval::answer(&models.networks, models.second_look(), asked, breadth))?;
                let memory = memory.as_ref();
                Some(pool.install(|| spurious::study(forms, asked, &answered, memory, self.seed)))
            }
            None => None,
        };
        let explored = self.explored(&examples, &predictions, memory.as_ref(), &pool)?;
        let findings = Findings::new(
            &examples,
            predictions,
            memory.as_ref(),
            explored.as_ref(),
            compared,
        );
        if let Some(folder) = &self.out {
            self.write(folder, &findings)?;
        }
        if self.json {
            let mut object = serde_json::to_value(&findings)?;
            object["data"] = json!(self.data.data.to_string());
            object["split"] = json!(self.data.data.split(&selection));
            object["models"] = json!(models.cards.len());
            object["beam"] = json!(breadth.width);
            return print_json(object);
        }
        print(findings.to_string().trim_end())?;
        self.show_sample(&examples, &findings)
    }

    /// The annotated questions that the dataset has, with their examples.
    fn annotated_examples(&self, selection: &Selection) -> Result<Option<Forms>, Box<dyn Error>> {
        let Some(file) = &self.annotated else {
            return Ok(None);
        };
        let annotated = read_annotated(file)?;
        let ids: HashSet<String> = annotated.iter().map(|question| question.id.clone()).collect();
        let wanted = Selection {
            split: None,
            limit: None,
            ids: Some(Arc::new(ids)),
            ..selection.clone()
        };
        let mut asked: HashMap<String, Example> = HashMap::new();
        for example in self.data.data.examples(&wanted)? {
            let example = example?;
            asked.insert(example.id.clone(), example);
        }
        let known = annotated.into_iter().filter_map(|question| {
            let example = asked.remove(&question.id)?;
            Some((question, example))
        });
        let known: Forms = known.unzip();
        match known.0.is_empty() {
            true => {
                let file = file.display();
                Err(format!(
                    "{file}: {} has none of these questions; give the file of this dataset",
                    self.data.data
                )
                .into())
            }
            false => Ok(Some(known)),
        }
    }

    fn found(
        &self,
        selection: &Selection,
        examples: &[Example],
        annotated: &Option<Forms>,
    ) -> Result<Option<Found>, Box<dyn Error>> {
        let Some(store) = &self.memory else {
            return Ok(None);
        };
        let annotated = annotated.iter().flat_map(|(_, examples)| examples);
        let wanted: HashSet<&str> = examples
            .iter()
            .chain(annotated)
            .map(|example| example.id.as_str())
            .collect();
        let reading = self.data.data.reading(selection);
        Ok(Some(study::found(
            store,
            self.data.data.kind(),
            &reading,
            &wanted,
        )?))
    }

    /// Whether exploration finds a right program for the questions that the model has none for.
    fn explored(
        &self,
        examples: &[Example],
        predictions: &[Prediction],
        memory: Option<&Found>,
        pool: &rayon::ThreadPool,
    ) -> Result<Option<HashMap<usize, bool>>, Box<dyn Error>> {
        if self.explore == 0 {
            return Ok(None);
        }
        let mut places = study::unsolved(predictions);
        // What is in memory has been found already.
        let found = |place: &usize| memory.and_then(|memory| memory.get(&examples[*place].id));
        places.retain(|place| found(place).is_none_or(Vec::is_empty));
        let asked: Vec<Example> = places.iter().map(|place| examples[*place].clone()).collect();
        let stopper = Stopper::listen()?;
        let display = Display::start(Arc::clone(&stopper.progress), asked.len(), 0, self.explore);
        let memories = pool
            .install(|| memories::explore(&asked, self.explore, Pruning::None, self.seed, &stopper.progress));
        display.finish();
        let memories = memories.ok_or("stopped while exploring; nothing was written")?;
        let solved = memories.iter().map(|memory| !memory.is_empty());
        Ok(Some(places.into_iter().zip(solved).collect()))
    }

    fn write(&self, folder: &std::path::Path, findings: &Findings) -> Outcome {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: cannot be made: {error}", folder.display()))?;
        let selection = self.data.selection.selection();
        let split = self.data.data.split(&selection);
        let page = format!("# Study of {} {split}\n\n{findings}", self.data.data.kind());
        mapo_files::write(&folder.join("study.md"), page.as_bytes())?;
        let mut lines = String::new();
        for question in &findings.each {
            writeln!(lines, "{}", serde_json::to_string(question)?)?;
        }
        mapo_files::write(&folder.join("questions.jsonl"), lines.as_bytes())?;
        if let Some(spurious) = &findings.spurious {
            let mut lines = String::new();
            for question in &spurious.each {
                let question: &AnnotatedQuestion = question;
                writeln!(lines, "{}", serde_json::to_string(question)?)?;
            }
            mapo_files::write(&folder.join("annotated.jsonl"), lines.as_bytes())?;
        }
        Ok(())
    }

    /// Wrong answers to read by hand, at equal distances over the split.
    fn show_sample(&self, examples: &[Example], findings: &Findings) -> Outcome {
        let questions = examples.iter().zip(&findings.each);
        let wrong: Vec<_> = questions
            .filter(|(_, question)| !question.prediction.right)
            .collect();
        let shown = self.sample.min(wrong.len());
        for number in 0..shown {
            let (example, question) = wrong[number * wrong.len() / shown];
            let prediction = &question.prediction;
            let (cause, difference) = (question.cause, question.difference);
            print(format_args!("\n{}  {}", example.id, example.question.text))?;
            print(table_view::show(&example.table, 12))?;
            print(format_args!("  kind       {}", question.kind))?;
            print(format_args!(
                "  program    {}",
                prediction.program.as_deref().unwrap_or("none")
            ))?;
            print(format_args!("  answer     {}", prediction.answer.join(" | ")))?;
            print(format_args!("  expected   {}", prediction.expected.join(" | ")))?;
            print(format_args!(
                "  why        {}",
                cause.map_or("", |cause| cause.name())
            ))?;
            print(format_args!(
                "  differs    {}",
                difference.map_or("", |difference| difference.name())
            ))?;
        }
        Ok(())
    }
}
