//! A question with its table and its answer.

use super::wikisql::engine;
use crate::scoring::{wikisql, wtq};
use mapo_language::{Assistance, Context, Interpreter, Language, Lexicon, Program};
use mapo_questions::Question;
use mapo_tables::{Table, Value};
use mapo_text::read;
use mapo_text::read::Value as Quantity;
use std::path::Path;
use std::sync::Arc;

pub use crate::scoring::wikisql::Purpose;

/// One example of a dataset.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its name in the dataset.
    pub id: String,
    /// The question, read beside its table.
    pub question: Question,
    /// The table.
    pub table: Arc<Table>,
    /// The right answer.
    pub answer: Answer,
    /// Which programs may answer it.
    pub language: Language,
    /// The programs that are meant, where the dataset says so.
    pub known: Option<Known>,
}

impl Example {
    /// What programs for this example can talk about.
    pub fn context(&self) -> Context {
        self.context_in(self.language)
    }

    /// The same with fewer functions or longer programs.
    pub fn context_in(&self, language: Language) -> Context {
        let constants = self
            .question
            .mentions
            .iter()
            .map(|mention| mention.constant.clone());
        Context::new(Arc::clone(&self.table), constants, language)
    }

    /// The language with only the functions that a word of the question suggests; `wide` adds words that say
    /// the same as the paper's trigger words.
    pub fn suggested(&self, wide: bool) -> Language {
        let functions = self
            .language
            .functions
            .suggested_by(self.question.trigger_words(), wide);
        Language {
            functions,
            ..self.language
        }
    }

    /// The same, for someone who knows these functions only: a model, a run.
    pub fn known_as(mut self, lexicon: Lexicon) -> Self {
        self.language = self.language.known_as(lexicon);
        self
    }

    /// What a program that someone wrote can talk about: what the question mentions and, never offered,
    /// whatever else the program names.
    pub fn context_of(&self, program: &Program) -> Context {
        let mentions = self.question.mentions.iter();
        let known = mentions.map(|mention| mention.constant.clone());
        let foreign = program.constants().cloned();
        Context::with_foreign(Arc::clone(&self.table), known, foreign, self.language)
    }

    /// An interpreter at the beginning of a program for this example.
    pub fn interpreter(&self, assistance: Assistance) -> Interpreter {
        Interpreter::with_assistance(Arc::new(self.context()), assistance)
    }
}

/// The programs that are meant by a question, as its dataset names them.
#[derive(Clone, Debug)]
pub struct Known {
    /// The programs; at least one.
    pub programs: Vec<Program>,
    /// The file that names them.
    pub file: Arc<Path>,
    /// The line there, from 1.
    pub line: usize,
}

/// The right answer to a question, with the rules by which its dataset judges.
#[derive(Clone, Debug)]
pub struct Answer {
    texts: Vec<String>,
    rules: Rules,
}

/// What an answer's item is, if not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A number.
    Number,
    /// A date.
    Date,
}

#[derive(Clone, Debug)]
enum Rules {
    Wtq(wtq::Target),
    WikiSql(wikisql::Target),
}

impl Answer {
    /// An answer judged as WikiTableQuestions does: texts, and for each its canonical form (a number or a
    /// date) where there is one.
    pub fn wtq(texts: Vec<String>, canon: &[String]) -> Self {
        Answer {
            rules: Rules::Wtq(wtq::Target::new(&texts, canon)),
            texts,
        }
    }

    /// An answer of one's own, judged as WikiTableQuestions does: what reads as a number or a date as a
    /// whole is one.
    pub fn own(texts: Vec<String>) -> Self {
        let canon: Vec<String> = texts.iter().map(|text| canonical(text)).collect();
        Answer::wtq(texts, &canon)
    }

    /// An answer judged as WikiSQL does.
    pub fn wikisql(answer: &[engine::Answer]) -> Self {
        let text = |item: &engine::Answer| match item {
            engine::Answer::Null => "NULL".to_owned(),
            engine::Answer::Number(number) => Value::Number(*number).to_string(),
            engine::Answer::Text(text) => text.clone(),
        };
        Answer {
            texts: answer.iter().map(text).collect(),
            rules: Rules::WikiSql(wikisql::Target::new(answer)),
        }
    }

    /// The items as text.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// What WikiTableQuestions' evaluator compares with; `None` for WikiSQL's answers.
    pub fn wtq_values(&self) -> Option<&[wtq::Value]> {
        match &self.rules {
            Rules::Wtq(target) => Some(target.values()),
            Rules::WikiSql(_) => None,
        }
    }

    /// Whether its first item is a number or a date; `None` for text.
    pub fn canonical_kind(&self) -> Option<AnswerKind> {
        let reading = match self.wtq_values() {
            Some(values) => values.first()?.reading().clone(),
            None => wtq::Value::of(self.texts.first()?).reading().clone(),
        };
        match reading {
            wtq::Reading::Number(_) => Some(AnswerKind::Number),
            wtq::Reading::Date(_) => Some(AnswerKind::Date),
            wtq::Reading::String => None,
        }
    }

    /// Whether no program can be rewarded for it in training: WikiSQL's NULL.
    pub fn is_null(&self) -> bool {
        matches!(&self.rules, Rules::WikiSql(target) if target.is_empty())
    }

    /// Whether a program's answer is right. Rows answer nothing.
    pub fn is_right(&self, program: &Interpreter, purpose: Purpose, scratch: &mut wtq::Scratch) -> bool {
        if program.answers_rows() && !program.is_empty() {
            return false;
        }
        let items = program.answer_values();
        match &self.rules {
            Rules::Wtq(target) => target.matches(items, scratch),
            Rules::WikiSql(target) => target.matches(items, purpose),
        }
    }

    /// The reward of a finished program in training: 1 if its answer is right and it did no extra work, else
    /// 0.
    pub fn reward(&self, program: &Interpreter, scratch: &mut wtq::Scratch) -> f64 {
        let rewarded = !program.extra_work() && self.is_right(program, Purpose::Training, scratch);
        f64::from(u8::from(rewarded))
    }
}

/// The number or date that a whole text is, as the evaluator writes it; nothing for other texts.
fn canonical(text: &str) -> String {
    let reading = read::read_question(text);
    let whole = |quantity: &&read::Quantity| quantity.span == (0..reading.tokens.len());
    match reading
        .quantities
        .iter()
        .find(whole)
        .map(|quantity| &quantity.value)
    {
        Some(Quantity::Number(number)) => Value::Number(*number).to_string(),
        Some(Quantity::Date(date)) => date.to_string(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_questions::Linking;
    use mapo_tables::TableBuilder;

    #[test]
    fn a_right_cell_is_right_where_its_normal_form_has_another() {
        // The evaluator takes one full stop off; off the normal form it would take a second.
        for (cell, right) in [("Etc..", "etc.."), ("Cosimo\n(the Elder)", "Cosimo")] {
            let mut builder = TableBuilder::new("t", ["Name"]);
            builder.push_row([cell]);
            let table = Arc::new(builder.finish());
            let example = Example {
                id: "t".to_owned(),
                question: Question::read("who?", &table, Linking::Paper),
                table,
                answer: Answer::own(vec![right.to_owned()]),
                language: Language::WIKITABLEQUESTIONS,
                known: None,
            };
            let mut interpreter = example.interpreter(Assistance::All);
            let program = "(hop all_rows r.name-str)".parse().unwrap();
            for token in interpreter.context().encode(&program).unwrap() {
                interpreter.step(token).unwrap();
            }
            let scratch = &mut wtq::Scratch::default();
            let verdict = example
                .answer
                .is_right(&interpreter, Purpose::Evaluation, scratch);
            assert!(verdict, "{cell:?}");
        }
    }
}
