//! The built-in dataset: small invented tables and questions about them that need every function of the
//! language.
//!
//! Tables of some fifteen kinds (medals, films, mountains, ships, elections…) are filled with invented names
//! and with numbers and dates as people write them. Each question is made from one of several phrasings
//! together with a program, and answered by running it. Nothing is downloaded, and a seed always gives the
//! same bytes.
//!
//! The stages, each in a file of its own: word lists make `names`; `domains` say what tables are about;
//! `tables` fills one; `questions` writes a program, with `conditions` on rows and `measures` to compare, and
//! picks one of the `phrases` for it; `worth` keeps what is worth asking: the reader finds all that the
//! program needs in the question, the program runs only on offered tokens and does no extra work, and no
//! similar or shorter program gives the same answer. To train on is the answer alone; the program is for
//! tests and for looking at.
//!
//! The splits share kinds of tables, headers and phrasings, but neither tables nor invented names.

mod conditions;
mod domains;
mod measures;
mod names;
mod phrases;
mod plans;
mod questions;
mod tables;
mod worth;

use crate::example::{Answer, Example};
use crate::reading::Reading;
use crate::selection::{DatasetError, Examples, Selection};
use crate::sources::Source;
use domains::Domain;
use mapo_composing::Choices;
use mapo_language::{Function, Language};
use mapo_tables::Table;
use questions::{DECK, Intent};
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use tables::Sheet;

/// A part of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Split {
    /// To learn from.
    Train,
    /// To choose by: tables and names that training has not seen.
    Dev,
    /// To measure once, at the end: again other tables and names.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Split; 3] = [Split::Train, Split::Dev, Split::Test];

    /// Its name: `train`, `dev` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Dev => "dev",
            Split::Test => "test",
        }
    }

    /// How many questions it has unless another number is asked for.
    pub fn questions(self) -> usize {
        match self {
            Split::Train => 1200,
            Split::Dev | Split::Test => 400,
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Split {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let split = Split::ALL.into_iter().find(|split| split.name() == name);
        split.ok_or_else(|| format!("unknown split '{name}'; it is train, dev or test"))
    }
}

/// A question about a table.
#[derive(Clone, Debug)]
pub struct ToyExample {
    /// `toy-dev-17`
    pub id: String,
    /// The question, in English.
    pub question: String,
    /// The table; questions about the same one share it.
    pub table: Arc<Table>,
    /// The answer: cells as they stand in the table, or a number.
    pub answer: Vec<String>,
    /// The program that gave the answer. It is never trained on.
    pub program: String,
}

/// The seed of the dataset called `toy`, for all that do not ask for another.
pub const SEED: u64 = 1;

/// The language of the questions: the functions whose definitions do not say why none is asked about them.
pub fn language() -> Language {
    let is_asked = |function: &Function| function.definition().not_in_toy.is_none();
    Language::before_people().known_as(Function::all().filter(is_asked).collect())
}

/// How many questions are asked about each table.
const QUESTIONS_PER_TABLE: usize = 10;
/// How often a question of an intent is tried on a table before it waits for another table.
const TRIES: usize = 12;
/// How many intents a table may leave to later ones.
const MOST_WAITING: usize = 200;

/// Makes the questions of a split. The first questions are the same however many are asked for.
///
/// ```
/// use mapo_datasets::toy::{SEED, Split, generate};
/// let examples = generate(Split::Dev, SEED, 20);
/// assert_eq!(examples.len(), 20);
/// assert_eq!(examples[3].id, "toy-dev-3");
/// assert!(examples.iter().all(|example| !example.answer.is_empty()));
/// ```
pub fn generate(split: Split, seed: u64, questions: usize) -> Vec<ToyExample> {
    let mut maker = Maker::new(split, seed);
    while maker.examples.len() < questions {
        maker.add_table();
    }
    maker.examples.truncate(questions);
    maker.examples
}

impl ToyExample {
    /// The question, linked with its table, and its answer.
    pub fn read(self, reading: Reading) -> Example {
        Example {
            question: reading.question(&self.question, &self.table),
            id: self.id,
            table: self.table,
            answer: Answer::own(self.answer),
            language: reading.language(Toy.language()),
            known: None,
        }
    }
}

impl From<ToyExample> for Example {
    /// The questions name cells as they stand, so plain linking finds all that they mention.
    fn from(example: ToyExample) -> Example {
        example.read(Toy.reading())
    }
}

/// The dataset called `toy`.
#[derive(Debug)]
pub struct Toy;

impl Source for Toy {
    fn kind(&self) -> &'static str {
        "toy"
    }

    fn place(&self) -> Option<&'static str> {
        None
    }

    fn first_split(&self) -> &'static str {
        "train"
    }

    fn whole(&self, _place: &Path) -> Vec<&'static str> {
        Split::ALL.map(Split::name).to_vec()
    }

    fn training_splits(&self, _place: &Path) -> Result<(&'static str, Option<&'static str>), DatasetError> {
        Ok(("train", Some("dev")))
    }

    fn reading(&self) -> Reading {
        Reading::PLAIN
    }

    fn language(&self) -> Language {
        language()
    }

    fn preset(&self, _from_model: bool) -> &'static str {
        "toy"
    }

    fn examples(
        &self,
        _place: &Path,
        split: &str,
        reading: Reading,
        wanted: Selection,
    ) -> Result<Examples, DatasetError> {
        let split: Split = split.parse().map_err(|_| DatasetError::Split {
            dataset: self.kind().to_owned(),
            split: split.to_owned(),
            known: Split::ALL.map(Split::name).join(", "),
        })?;
        let examples = generate(split, SEED, split.questions()).into_iter();
        let examples = examples.filter(move |example| wanted.wants(&example.id));
        Ok(Box::new(examples.map(move |example| Ok(example.read(reading)))))
    }
}

/// The table as comma-separated text, headers first.
pub fn to_csv(table: &Table) -> String {
    let mut text = String::new();
    let columns = table.headers().len();
    let rows = (0..table.rows()).map(|row| (0..columns).map(|column| table.cell(row, column)).collect());
    let headers: Vec<&str> = table.headers().iter().map(String::as_str).collect();
    for cells in std::iter::once(headers).chain(rows) {
        let cells: Vec<String> = cells.into_iter().map(quoted).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// A cell in quotes if it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

struct Maker {
    split: Split,
    choices: Choices,
    /// What is to be asked next. Intents that did not suit one table wait at the front for the next one, so
    /// that each is asked as often as the deck says.
    intents: VecDeque<Intent>,
    domains: Vec<&'static Domain>,
    tables: usize,
    examples: Vec<ToyExample>,
}

impl Maker {
    fn new(split: Split, seed: u64) -> Self {
        let choices = Choices::new(seed, split as u64);
        Maker {
            split,
            choices,
            intents: VecDeque::new(),
            domains: Vec::new(),
            tables: 0,
            examples: Vec::new(),
        }
    }

    /// Draws a table and asks about it.
    fn add_table(&mut self) {
        let Some(domain) = self.next_domain() else { return };
        let name = format!("toy/{}/{}-{}", self.split, domain.name, self.tables);
        self.tables += 1;
        let Some(sheet) = Sheet::draw(name, domain, self.split, &mut self.choices) else {
            return;
        };
        let (mut asked, mut waiting) = (HashSet::new(), Vec::new());
        // Few tables suit all intents; one that suits almost none is given up.
        while asked.len() < QUESTIONS_PER_TABLE && waiting.len() < MOST_WAITING {
            let intent = self.next_intent();
            match self.ask(intent, &sheet, &mut asked) {
                Some(example) => self.examples.push(example),
                None => waiting.push(intent),
            }
        }
        waiting
            .into_iter()
            .rev()
            .for_each(|intent| self.intents.push_front(intent));
    }

    /// The kinds of tables in turn, each round in a new order.
    fn next_domain(&mut self) -> Option<&'static Domain> {
        if self.domains.is_empty() {
            self.domains = domains::all().collect();
            self.choices.shuffle(&mut self.domains);
        }
        self.domains.pop()
    }

    fn next_intent(&mut self) -> Intent {
        if self.intents.is_empty() {
            let deck = DECK
                .iter()
                .flat_map(|(intent, times)| std::iter::repeat_n(*intent, *times));
            let mut deck: Vec<Intent> = deck.collect();
            self.choices.shuffle(&mut deck);
            self.intents = deck.into();
        }
        self.intents.pop_front().unwrap_or(Intent::LookUp)
    }

    /// A question of the intent that is worth asking and has not been asked of this table.
    fn ask(&mut self, intent: Intent, sheet: &Sheet, asked: &mut HashSet<String>) -> Option<ToyExample> {
        (0..TRIES).find_map(|_| {
            let plan = intent.plan(sheet, &mut self.choices)?;
            let program = plan.program.clone();
            let solved = worth::solve(&sheet.table, &program, &mut self.choices)?;
            let question = plan.question(solved.answer.len(), sheet, &mut self.choices)?;
            let read = Toy.reading().question(&question, &sheet.table);
            if !worth::is_suggested(&solved, &read) || !asked.insert(program.clone()) {
                return None;
            }
            Some(ToyExample {
                id: format!("toy-{}-{}", self.split, self.examples.len()),
                question,
                table: sheet.table.clone(),
                answer: solved.answer,
                program,
            })
        })
    }
}
