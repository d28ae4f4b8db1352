//! What a program and its answer are.

use mapo_language::{Function, Gives, Interpreter, Symbol};
use mapo_tables::{ColumnId, Held, Value};
use mapo_text::has_bounded;

use super::asked::Asked;
use crate::choice::Choice;

/// Items of an answer that are looked at one by one.
const LOOKED_AT: usize = 3;

/// The kind of an answer's first item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Nothing,
    Text,
    Number,
    Date,
    Truth,
}

/// A condition of a program.
pub struct Condition {
    /// The column that it is put on.
    pub column: ColumnId,
    /// The values of the question that it names, by the places of their mentions.
    pub mentions: Vec<usize>,
    /// Whether cells of the column have the value only as a part.
    pub is_part: bool,
}

/// What an answer is, and the most probable program that gives it.
pub struct Told {
    /// What the programs with this answer have together.
    pub probability: f64,
    /// How many programs these are.
    pub programs: usize,
    /// The functions of the program, in their order.
    pub functions: Vec<Function>,
    /// The columns that it uses, each once.
    pub columns: Vec<ColumnId>,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The column that the answer is read from; none if it is calculated.
    pub read_from: Option<ColumnId>,
    /// The spans of the question's values that it uses, by the place of their mention.
    pub mentions: Vec<usize>,
    /// Whether some result is used by nothing.
    pub idle: bool,
    /// The share of what the question names that it uses.
    pub relevance: f64,
    /// What the answer's first item is.
    pub kind: Kind,
    /// Its number, if it is one.
    pub number: Option<f64>,
    /// How many items there are.
    pub items: usize,
    /// Whether it is rows, which answer nothing.
    pub is_rows: bool,
    /// The first items as text, for comparing.
    pub text: String,
    /// Whether the question says every item itself.
    pub said: bool,
    /// Whether a time could be written so: a date, a year.
    pub is_time: bool,
    /// Whether its first item is a figure: a number, also as text.
    pub is_figure: bool,
}

impl Told {
    /// Of a choice, with the interpreter at the end of its best program.
    pub fn new(choice: &Choice<'_>, interpreter: &Interpreter, asked: &Asked<'_>) -> Self {
        let context = interpreter.context();
        let (mut functions, mut columns): (Vec<Function>, Vec<ColumnId>) = (Vec::new(), Vec::new());
        let mut conditions = Vec::new();
        let (mut mentions, mut last_column, mut value) = (Vec::new(), None, None);
        for token in &choice.best.tokens {
            match context.symbol(*token) {
                Some(Symbol::Function(function)) => {
                    functions.push(function);
                    (last_column, value) = (None, None);
                }
                Some(Symbol::Column(column)) => {
                    last_column = Some(column);
                    if !columns.contains(&column) {
                        columns.push(column);
                    }
                    let is_condition = |function: &Function| function.definition().condition;
                    if functions.last().is_some_and(is_condition) {
                        let holds = |value| context.table().column(column).holds(value);
                        conditions.push(Condition {
                            column,
                            mentions: value.map_or_else(Vec::new, |value| asked.places_of(value)),
                            is_part: value.is_some_and(|value| holds(value) == Held::Part),
                        });
                    }
                }
                Some(Symbol::Constant(constant)) => {
                    let constant = &context.constants()[constant.0 as usize];
                    mentions.extend(asked.places_of(constant));
                    value = Some(constant);
                }
                _ => {}
            }
        }
        let gives = functions.last().map(|function| function.definition().gives);
        let is_rows = choice.is_rows;
        let items = interpreter.answer_values();
        let items = items.filter(|item| !is_rows && !item.is_blank());
        let first = items.clone().next();
        let number = match &first {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        let texts: Vec<String> = items
            .clone()
            .take(LOOKED_AT)
            .map(|item| item.to_string().to_lowercase())
            .collect();
        Told {
            probability: choice.probability,
            programs: choice.programs,
            read_from: last_column.filter(|_| gives == Some(Gives::Values)),
            functions,
            columns,
            conditions,
            mentions,
            idle: interpreter.extra_work(),
            relevance: asked.relevance.of(context, &choice.best.tokens),
            kind: match &first {
                None => Kind::Nothing,
                Some(_) if gives == Some(Gives::Truth) => Kind::Truth,
                Some(Value::Text(_)) => Kind::Text,
                Some(Value::Number(_)) => Kind::Number,
                Some(Value::Date(_)) => Kind::Date,
            },
            number,
            items: items.count(),
            is_rows,
            said: !texts.is_empty() && texts.iter().all(|text| has_bounded(&asked.text, text)),
            is_time: texts.first().is_some_and(|text| has_a_year(text)),
            is_figure: texts.first().is_some_and(|text| is_figure(text)),
            text: texts.join("\n"),
        }
    }
}

/// Whether four digits stand together, as in most dates.
fn has_a_year(text: &str) -> bool {
    let mut runs = text.split(|c: char| !c.is_ascii_digit());
    runs.any(|run| run.len() == 4)
}

/// Whether a text has digits and no letters.
fn is_figure(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic)
}
