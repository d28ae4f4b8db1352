//! A model that answers.

use mapo_programmer::Network;
use mapo_tables::{Assistance, Context, Interpreter, Language, Linking, Question, Table};
use mapo_training::choice::{Choice, choices};
use mapo_training::encode::{Input, TableView, encode_beside};
use mapo_training::search::{beam_search, visit};
use mapo_training::{Card, NeuralPolicy, model};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use crate::reply::{Alternative, Reply, Step};
use crate::{Error, Result};

/// The model in the box.
const BOXED: &[u8] = include_bytes!("../../../models/wtq.safetensors");

/// The most words of a question. The longest of WikiTableQuestions has 66.
pub const LONGEST_QUESTION: usize = 300;

/// Partial programs that beam search keeps: as in training and evaluation.
const BEAM: usize = 5;
/// Items of an answer that a reply lists.
const MOST_ITEMS: usize = 1000;
/// Rows of a step that a reply lists.
const MOST_ROWS: usize = 1000;

/// A model ready to answer. To share it between threads is cheap: put it into an [`Arc`].
#[derive(Debug)]
pub struct Answerer {
    network: Arc<Network>,
    card: Card,
    /// What the network sees of tables that were asked about, as long as they live.
    views: Mutex<Vec<(Weak<Table>, Arc<TableView>)>>,
}

impl Answerer {
    /// The model in the box.
    ///
    /// # Errors
    /// None, unless the box was built with a broken model.
    pub fn boxed() -> Result<Self> {
        let (network, card) = model::from_bytes(BOXED, Path::new("the model in the box"), false)?;
        Ok(Self::new(network, card))
    }

    /// A model from a file, as `mapo train` or `mapo pack` wrote it.
    ///
    /// # Errors
    /// If the file cannot be read or is no model.
    pub fn open(path: &Path) -> Result<Self> {
        let (network, card) = model::load(path, false)?;
        Ok(Self::new(network, card))
    }

    /// A model with its card.
    pub fn new(network: Network, card: Card) -> Self {
        Self {
            network: Arc::new(network),
            card,
            views: Mutex::default(),
        }
    }

    /// What the model's file says about it.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// How words of questions are found in cells: as in training.
    fn linking(&self) -> Linking {
        let said = self.card.linking.as_deref();
        said.and_then(|name| name.parse().ok()).unwrap_or(Linking::Wide)
    }

    /// The language that the model was trained to write.
    fn language(&self) -> Language {
        match self.card.data.as_deref() {
            Some("wikisql") => Language::wikisql(),
            _ => Language::WIKITABLEQUESTIONS,
        }
    }

    /// Answers a question about a table. That no program is found is no error: the reply says so.
    ///
    /// # Errors
    /// If the question is empty or too long, the table has nothing to ask about, or the network fails.
    pub fn ask(&self, table: &Arc<Table>, question: &str) -> Result<Reply> {
        let began = Instant::now();
        check(table, question)?;
        let read = Question::read(question, table, self.linking());
        let view = self.view(table);
        let network = &self.network;
        let input: Input = Arc::new(encode_beside(
            network.config(),
            network.words(),
            &read,
            table,
            &view,
        ));
        let constants = read.mentions.iter().map(|mention| mention.constant.clone());
        let context = Arc::new(Context::new(Arc::clone(table), constants, self.language()));
        let mut interpreter = Interpreter::with_assistance(context, Assistance::All);
        let mut policy = NeuralPolicy::new(Arc::clone(network));
        let beams = beam_search(
            &mut policy,
            &[&input],
            std::slice::from_mut(&mut interpreter),
            BEAM,
        )?;
        let choices = choices(&mut interpreter, &beams)?;
        let mut reply = reply(&mut interpreter, &choices)?;
        reply.question = question.to_owned();
        reply.table = table.name().to_owned();
        reply.milliseconds = began.elapsed().as_secs_f64() * 1000.0;
        Ok(reply)
    }

    /// What the network sees of a table, made once.
    fn view(&self, table: &Arc<Table>) -> Arc<TableView> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        views.retain(|(table, _)| table.strong_count() > 0);
        let known = views
            .iter()
            .find(|(known, _)| known.as_ptr() == Arc::as_ptr(table));
        if let Some((_, view)) = known {
            return Arc::clone(view);
        }
        let view = Arc::new(TableView::new(self.network.config(), self.network.words(), table));
        views.push((Arc::downgrade(table), Arc::clone(&view)));
        view
    }
}

fn check(table: &Table, question: &str) -> Result<()> {
    let empty = |what| Error::EmptyTable {
        table: table.name().to_owned(),
        what,
    };
    match (table.headers().len(), table.rows()) {
        (0, _) => return Err(empty("columns")),
        (_, 0) => return Err(empty("rows")),
        _ => {}
    }
    match question.split_whitespace().count() {
        0 => Err(Error::NoQuestion),
        words if words > LONGEST_QUESTION => Err(Error::LongQuestion {
            words,
            most: LONGEST_QUESTION,
        }),
        _ => Ok(()),
    }
}

fn reply(interpreter: &mut Interpreter, choices: &[Choice<'_>]) -> Result<Reply> {
    let mut reply = Reply {
        question: String::new(),
        answer: Vec::new(),
        answer_total: 0,
        probability: 0.0,
        raw_probability: 0.0,
        sure: false,
        note: None,
        program: String::new(),
        english: String::new(),
        sql: String::new(),
        steps: Vec::new(),
        table: String::new(),
        cells: Vec::new(),
        alternatives: Vec::new(),
        milliseconds: 0.0,
    };
    // Rows answer nothing.
    let mut answers = choices.iter().filter(|choice| !choice.is_rows);
    let Some(best) = answers.next() else {
        reply.note = Some("no program found: nothing in the table fits the question".to_owned());
        return Ok(reply);
    };
    visit(interpreter, &best.best.tokens)?;
    (reply.answer, reply.answer_total) = answer(interpreter);
    reply.raw_probability = best.probability;
    reply.probability = best.probability.min(1.0);
    reply.sure = reply.probability >= 0.5;
    if let Some(program) = interpreter.context().decode(&best.best.tokens) {
        reply.program = program.to_string();
        reply.steps = program
            .expressions
            .iter()
            .enumerate()
            .map(|(place, expression)| Step {
                program: expression.to_string(),
                english: String::new(),
                rows: match interpreter.value(place) {
                    Some(mapo_tables::Denotation::Rows(rows)) => Some(rows.iter().take(MOST_ROWS).collect()),
                    _ => None,
                },
                rows_total: 0,
                values: Vec::new(),
                values_total: 0,
                cells: Vec::new(),
                cells_total: 0,
            })
            .collect();
    }
    for choice in answers {
        visit(interpreter, &choice.best.tokens)?;
        let (answer, answer_total) = answer(interpreter);
        let program = interpreter.context().decode(&choice.best.tokens);
        reply.alternatives.push(Alternative {
            answer,
            answer_total,
            probability: choice.probability.min(1.0),
            program: program.map(|program| program.to_string()).unwrap_or_default(),
            english: String::new(),
            sql: String::new(),
        });
    }
    Ok(reply)
}

/// The first items of the answer, and how many there are.
fn answer(interpreter: &Interpreter) -> (Vec<String>, usize) {
    let items = interpreter.answer_values();
    let listed = items.clone().take(MOST_ITEMS).map(|item| item.to_string());
    (listed.collect(), items.count())
}
