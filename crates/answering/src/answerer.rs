//! A model that answers.

use mapo_datasets::{Dataset, Reading};
use mapo_language::explain::{MOST_VALUES, english, explain, sql};
use mapo_language::{Assistance, Context, Interpreter, Language, Lexicon, Token};
use mapo_model::choice::{Choice, choices};
use mapo_model::confidence::{Calibration, Signs};
use mapo_model::inputs::encode::{Input, TableView, encode_beside};
use mapo_model::search::{Candidate, beam_search, visit};
use mapo_model::{Card, NeuralPolicy, file};
use mapo_programmer::Network;
use mapo_questions::{Linking, Question};
use mapo_tables::{LeftOut, Table};
use mapo_text::plainly;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use crate::reply::{Alternative, Reply};
use crate::suggestions::suggestions;
use crate::understanding::{compares, understand};
use crate::{Error, Result};

/// The most words of a question. The longest of WikiTableQuestions has 66.
pub const LONGEST_QUESTION: usize = 300;

/// Bytes of a word that there may be on the average.
const LONGEST_WORD: usize = 40;

/// Said of a question that has nothing to do with the table.
const NO_HOLD: &str =
    "the question shares no word with the table and asks for nothing that can be computed from it";
/// Said of a question about something that the table lacks.
const NOT_THERE: &str = "what the question is about is not in the table";
/// Where a model without a calibration begins to be sure.
const EVEN: f64 = 0.5;

/// A model ready to answer. To share it between threads is cheap: put it into an [`Arc`].
#[derive(Debug)]
pub struct Answerer {
    network: Arc<Network>,
    card: Card,
    /// The functions that the model knows.
    functions: Lexicon,
    /// What the network sees of tables that were asked about, as long as they live.
    views: Mutex<Vec<(Weak<Table>, Arc<TableView>)>>,
}

impl Answerer {
    /// The model in the box.
    ///
    /// # Errors
    /// None, unless the box was built with a broken model.
    pub fn boxed() -> Result<Self> {
        Self::open(Path::new(file::BOX))
    }

    /// A model from a file, as `mapo train` or `mapo pack` wrote it.
    ///
    /// # Errors
    /// If the file cannot be read or is no model.
    pub fn open(path: &Path) -> Result<Self> {
        let (network, card) = file::load(path, false)?;
        Self::new(network, card)
    }

    /// A model with its card.
    ///
    /// # Errors
    /// If it knows a function that there is none of.
    pub fn new(network: Network, card: Card) -> Result<Self> {
        Ok(Self {
            network: Arc::new(network),
            functions: file::same_functions([&card])?,
            card,
            views: Mutex::default(),
        })
    }

    /// What the model's file says about it.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// How a question about any table is read: by our own reader, and else as people's tables in training.
    pub(crate) fn reading(&self) -> Reading {
        let free = Reading {
            linking: Linking::Wide,
            ..Reading::PLAIN
        };
        self.card.reading_of_own_tables().over(free)
    }

    /// The language that the model was trained to write.
    pub(crate) fn language(&self, reading: &Reading) -> Language {
        let papers = Dataset::language_of(self.card.data.as_deref().unwrap_or_default());
        reading.language(papers).known_as(self.functions)
    }

    /// Answers a question about a table. That no program is found is no error: the reply says so.
    ///
    /// # Errors
    /// If the question is empty or too long, the table has nothing to ask about, or the network fails.
    pub fn ask(&self, table: &Arc<Table>, question: &str) -> Result<Reply> {
        let mut answers = self.ask_all(&[(table, question)]).into_iter();
        answers.next().unwrap_or(Err(Error::NoQuestion))
    }

    /// Answers several questions together, each as [`ask`](Self::ask) does: the network reads its weights once for
    /// all of them, which is most of the work of a question. The replies are the same, to the last bit, in less time.
    pub fn ask_all(&self, asked: &[(&Arc<Table>, &str)]) -> Vec<Result<Reply>> {
        let began = Instant::now();
        let mut read: Vec<Result<Asked>> = asked
            .iter()
            .map(|(table, question)| self.read(table, question))
            .collect();
        // Those that need the network, the longest way for most.
        let mut searches: Vec<&mut Search> = read
            .iter_mut()
            .filter_map(|asked| match asked {
                Ok(Asked::Searched(search)) => Some(&mut **search),
                _ => None,
            })
            .collect();
        let mut beams = self.search_all(&mut searches).into_iter();
        let answer = |asked: Result<Asked>| -> Result<Reply> {
            let mut reply = match asked? {
                Asked::Hindered(reply) => *reply,
                Asked::Searched(mut search) => {
                    let found = beams.next().unwrap_or_else(|| Ok(Vec::new()))?;
                    self.reply(&mut search, found)?
                }
            };
            reply.milliseconds = began.elapsed().as_secs_f64() * 1000.0;
            Ok(reply)
        };
        read.into_iter().map(answer).collect()
    }

    /// Reads a question up to where the network is needed.
    fn read(&self, table: &Arc<Table>, question: &str) -> Result<Asked> {
        check_question(question)?;
        check_table(table)?;
        let reading = self.reading();
        let view = self.view(table);
        let network = &self.network;
        let near = |word: &str| view.nearness(network.words(), word);
        let everyday = Question::read(question, table, Linking::Everyday);
        let understood = understand(question, &everyday, table, near);
        let about = Reply {
            question: question.to_owned(),
            table: table.name().to_owned(),
            left_out: table.left_out().map(LeftOut::note),
            calibrated: self.card.calibration.is_some(),
            unknown: understood.unknown,
            ..Reply::default()
        };
        let hindrance = match (understood.has_a_hold, about.unknown.is_empty()) {
            (false, _) => Some(NO_HOLD),
            // With something else to go by there may be an answer all the same.
            (true, false) if !understood.names_a_value => Some(NOT_THERE),
            _ => None,
        };
        if let Some(hindrance) = hindrance {
            return Ok(Asked::Hindered(Box::new(Reply {
                note: Some(hindrance.to_owned()),
                suggestions: suggestions(table),
                ..about
            })));
        }
        let read = match reading.linking {
            Linking::Everyday => everyday,
            _ => reading.question(question, table),
        };
        let input: Input = Arc::new(encode_beside(
            network.config(),
            network.words(),
            &read,
            table,
            &view,
        ));
        let constants = read.mentions.iter().map(|mention| mention.constant.clone());
        let language = self.language(&reading);
        let context = Arc::new(Context::new(Arc::clone(table), constants, language));
        Ok(Asked::Searched(Box::new(Search {
            about,
            question: read,
            input,
            interpreter: Interpreter::with_assistance(context, Assistance::All),
        })))
    }

    /// The most probable programs of each question.
    fn search_all(&self, searches: &mut [&mut Search]) -> Vec<Result<Vec<Candidate>>> {
        if let Ok(found) = self.search(searches) {
            return found.into_iter().map(Ok).collect();
        }
        // What one question does to the network is not the others' fault.
        let alone = |search: &mut &mut Search| -> Result<Vec<Candidate>> {
            let found = self.search(&mut [&mut **search])?;
            Ok(found.into_iter().next().unwrap_or_default())
        };
        searches.iter_mut().map(alone).collect()
    }

    fn search(&self, searches: &mut [&mut Search]) -> Result<Vec<Vec<Candidate>>> {
        if searches.is_empty() {
            return Ok(Vec::new());
        }
        let mut policy = NeuralPolicy::new(Arc::clone(&self.network));
        let inputs: Vec<Input> = searches.iter().map(|search| Arc::clone(&search.input)).collect();
        let inputs: Vec<&Input> = inputs.iter().collect();
        let mut interpreters: Vec<&mut Interpreter> = searches
            .iter_mut()
            .map(|search| &mut search.interpreter)
            .collect();
        Ok(beam_search(
            &mut policy,
            &inputs,
            &mut interpreters,
            self.card.breadth(),
        )?)
    }

    /// What the programs that were found say.
    fn reply(&self, search: &mut Search, beam: Vec<Candidate>) -> Result<Reply> {
        let about = std::mem::take(&mut search.about);
        let interpreter = &mut search.interpreter;
        let beams = [beam];
        let mut choices = choices(interpreter, &beams)?;
        if let Some(look) = &self.card.second_look {
            look.share(interpreter, &search.question, &mut choices)?;
        }
        let calibration = self.card.calibration.as_ref();
        let mut reply = reply(about, interpreter, &search.question, &choices, calibration)?;
        if reply.program.is_empty() {
            reply.suggestions = suggestions(interpreter.context().table());
        }
        Ok(reply)
    }

    /// What the network sees of a table, made once.
    fn view(&self, table: &Arc<Table>) -> Arc<TableView> {
        let known = |views: &[(Weak<Table>, Arc<TableView>)]| {
            let same = views
                .iter()
                .find(|(known, _)| known.as_ptr() == Arc::as_ptr(table));
            same.map(|(_, view)| Arc::clone(view))
        };
        let views = || self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = known(&views()) {
            return view;
        }
        // Made while nobody else waits: other tables are asked meanwhile.
        let network = &self.network;
        let linking = self.reading().linking;
        let view = Arc::new(TableView::new(network.config(), network.words(), table, linking));
        let mut views = views();
        views.retain(|(table, _)| table.strong_count() > 0);
        if let Some(view) = known(&views) {
            return view;
        }
        views.push((Arc::downgrade(table), Arc::clone(&view)));
        view
    }
}

/// A question that was read.
enum Asked {
    /// It cannot be answered, as this says.
    Hindered(Box<Reply>),
    /// It is for the network.
    Searched(Box<Search>),
}

/// A question on its way through the network.
struct Search {
    about: Reply,
    question: Question,
    input: Input,
    interpreter: Interpreter,
}

/// Whether anything can be asked about a table.
///
/// # Errors
/// If it has no columns or no rows.
pub fn check_table(table: &Table) -> Result<()> {
    let empty = |what| {
        Err(Error::EmptyTable {
            table: table.name().to_owned(),
            what,
        })
    };
    match (table.headers().len(), table.rows()) {
        (0, _) => empty("columns"),
        (_, 0) => empty("rows"),
        _ => Ok(()),
    }
}

/// Whether a question can be asked about any table.
///
/// # Errors
/// If it has no word, or more than [`LONGEST_QUESTION`].
pub fn check_question(question: &str) -> Result<()> {
    let words = question.split_whitespace().count();
    let letters = question.len();
    match words {
        0 => Err(Error::NoQuestion),
        words if words > LONGEST_QUESTION => Err(Error::LongQuestion {
            words,
            most: LONGEST_QUESTION,
        }),
        _ if letters > LONGEST_QUESTION * LONGEST_WORD => Err(Error::LongWords {
            bytes: letters,
            most: LONGEST_QUESTION * LONGEST_WORD,
        }),
        _ => Ok(()),
    }
}

/// What is said where a question compares the values of a column whose cells nobody could read.
fn unread(question: &Question, table: &Table) -> Option<String> {
    if !compares(question) {
        return None;
    }
    let named = table.columns().iter().zip(&question.column_features);
    let mut named = named
        .filter(|(_, words)| **words > 0)
        .map(|(column, _)| column.source());
    let source = named.find(|source| table.is_unread(*source))?;
    Some(format!(
        "{}: its cells hold digits in a form that is not known, so that they cannot be compared",
        table.headers()[source]
    ))
}

/// What there is to say of the answers of a beam.
fn reply(
    mut reply: Reply,
    interpreter: &mut Interpreter,
    question: &Question,
    choices: &[Choice<'_>],
    calibration: Option<&Calibration>,
) -> Result<Reply> {
    // Neither rows nor an answer without items, or of empty cells only, answer anything.
    let mut answers = Vec::new();
    for choice in choices.iter().filter(|choice| !choice.is_rows) {
        visit(interpreter, &choice.best.tokens)?;
        if interpreter.answer_values().any(|item| !item.is_blank()) {
            answers.push(choice);
        }
    }
    let signs: Vec<Signs> = answers
        .iter()
        .enumerate()
        .map(|(place, choice)| choice.signs(place, question))
        .collect();
    let probabilities = match calibration {
        Some(calibration) => calibration.probabilities(&signs),
        // Sums of rounded numbers may be a little above 1.
        None => signs.iter().map(|signs| signs.probability.min(1.0)).collect(),
    };
    let unread = unread(question, interpreter.context().table());
    for (choice, probability) in answers.iter().zip(probabilities) {
        if reply.program.is_empty() {
            let explained =
                explain(interpreter.context(), &choice.best.tokens).map_err(mapo_model::Error::from)?;
            reply.raw_probability = choice.probability.min(1.0);
            reply.probability = probability;
            // Without something that was asked for it is a guess, and so it is on a column that may be misread.
            reply.sure = probability >= calibration.map_or(EVEN, |calibration| calibration.threshold)
                && reply.unknown.is_empty()
                && !explained.is_doubtful
                && unread.is_none();
            visit(interpreter, &choice.best.tokens)?;
            let items = Items::of(interpreter);
            (reply.answer, reply.shown, reply.answer_total) = (items.answer, items.shown, items.total);
            reply.program = explained.program;
            reply.english = explained.english;
            reply.sql = explained.sql;
            reply.steps = explained.steps;
            reply.column_notes = explained.notes;
            reply.column_notes.extend(unread.clone());
            reply.cells = explained.cells;
            reply.cells_total = explained.cells_total;
        } else {
            let other = alternative(interpreter, &choice.best.tokens, probability)?;
            // What is one answer for people can be two for a program: the number 7 and the text of a cell.
            let known = reply
                .alternatives
                .iter_mut()
                .find(|known| known.answer == other.answer);
            match known {
                _ if reply.answer == other.answer => {}
                Some(known) => known.probability += other.probability,
                None => reply.alternatives.push(other),
            }
        }
    }
    reply
        .alternatives
        .sort_by(|one, other| other.probability.total_cmp(&one.probability));
    if reply.program.is_empty() {
        let note = "no program found: the model sees nothing in this table that answers the question";
        reply.note = Some(note.to_owned());
    }
    Ok(reply)
}

/// The items of an answer as people are told them.
struct Items {
    /// The first as text.
    answer: Vec<String>,
    /// The same as people write them.
    shown: Vec<String>,
    /// How many there are.
    total: usize,
}

impl Items {
    /// Of the program that the interpreter stands at the end of.
    fn of(interpreter: &Interpreter) -> Self {
        let items = interpreter.answer_items();
        let first = items.clone().take(MOST_VALUES).map(|item| item.to_string());
        let answer: Vec<String> = first.collect();
        Self {
            shown: answer.iter().map(|item| plainly(item).into_owned()).collect(),
            answer,
            total: items.count(),
        }
    }
}

/// A runner-up: without the steps, which nobody has asked for yet.
fn alternative(interpreter: &mut Interpreter, tokens: &[Token], probability: f64) -> Result<Alternative> {
    visit(interpreter, tokens)?;
    let items = Items::of(interpreter);
    let mut alternative = Alternative {
        answer: items.answer,
        shown: items.shown,
        answer_total: items.total,
        probability,
        ..Alternative::default()
    };
    let context = interpreter.context();
    if let Some(program) = context.decode(tokens) {
        let table = context.table();
        alternative.english = english(&program, table);
        let like_sql = context.language().like_sql;
        alternative.sql = sql(&program, table, like_sql).unwrap_or_default();
        alternative.program = program.to_string();
    }
    Ok(alternative)
}
