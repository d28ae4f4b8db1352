//! The values of expressions.

use super::Interpreter;
use crate::machine::{Held, RowsRef, Values, ValuesKind, ValuesRef};
use mapo_tables::{RowSet, Value};
use mapo_text::Date;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Denotation {
    /// Rows of the table.
    Rows(RowSet),
    /// Text.
    Strings(Vec<String>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Dates.
    Dates(Vec<Date>),
    /// Groups: labels, each with its number.
    Groups(Vec<(String, f64)>),
}

impl Denotation {
    /// What the items are: `rows`, `strings`, `numbers`, `dates` or `groups`. Yes and no are strings.
    pub fn kind(&self) -> &'static str {
        match self {
            Denotation::Rows(_) => "rows",
            Denotation::Strings(_) => "strings",
            Denotation::Numbers(_) => "numbers",
            Denotation::Dates(_) => "dates",
            Denotation::Groups(_) => "groups",
        }
    }

    /// The items as people read them: rows are counted from 1.
    pub fn shown(&self) -> Vec<String> {
        match self {
            Denotation::Rows(rows) => rows.iter().map(|row| (row + 1).to_string()).collect(),
            values => values.to_strings(),
        }
    }

    /// The items as text; rows by their number from 0, as all files have them; of groups each label and
    /// after it its number.
    pub fn to_strings(&self) -> Vec<String> {
        match self {
            Denotation::Rows(rows) => rows.iter().map(|row| row.to_string()).collect(),
            Denotation::Strings(strings) => strings.clone(),
            Denotation::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
            Denotation::Dates(dates) => dates.iter().map(Date::to_string).collect(),
            Denotation::Groups(groups) => groups
                .iter()
                .flat_map(|(label, number)| [label.clone(), number.to_string()])
                .collect(),
        }
    }
}

impl Interpreter {
    /// The value of a variable, as later expressions see it: texts in their normal form.
    pub fn value(&self, variable: usize) -> Option<Denotation> {
        let values = match self.machine.held().get(variable) {
            Some(Held::Groups { .. }) => self.machine.labels(variable),
            _ => self.machine.values(ValuesRef::Variable(variable as u8)),
        };
        self.denotation(variable, values)
    }

    /// The value of the last expression, which is the program's answer once it has ended: texts as they stand
    /// in the cells (those of several lines in one, but on WikiSQL). Texts with one normal form are one
    /// item, written as in the first of their rows.
    pub fn answer(&self) -> Option<Denotation> {
        let last = self.finished.len().checked_sub(1)?;
        self.denotation(last, self.machine.answers(last))
    }

    fn denotation(&self, variable: usize, values: Values<'_>) -> Option<Denotation> {
        Some(match self.machine.held().get(variable)? {
            Held::Rows { .. } => Denotation::Rows(RowSet::from_words(
                self.machine.words(RowsRef::variable(variable as u8)),
            )),
            Held::Number(number) => Denotation::Numbers(number.iter().copied().collect()),
            Held::Truth(truth) => {
                Denotation::Strings(truth.iter().map(|truth| word(*truth).into()).collect())
            }
            Held::Groups { .. } => {
                let numbers = self.machine.group_numbers(variable).iter().copied();
                Denotation::Groups(values.map(|label| label.to_string()).zip(numbers).collect())
            }
            Held::Values { column, .. } => match ValuesKind::of(self.machine.column(*column).kind()) {
                ValuesKind::Strings => Denotation::Strings(values.map(|value| value.to_string()).collect()),
                ValuesKind::Numbers => {
                    let number = |value| {
                        if let Value::Number(number) = value {
                            Some(number)
                        } else {
                            None
                        }
                    };
                    Denotation::Numbers(values.filter_map(number).collect())
                }
                _ => {
                    let date = |value| {
                        if let Value::Date(date) = value {
                            Some(date)
                        } else {
                            None
                        }
                    };
                    Denotation::Dates(values.filter_map(date).collect())
                }
            },
        })
    }

    /// The items of the [answer](Self::answer) without copying them; none when it is rows.
    pub fn answer_values(&self) -> impl Iterator<Item = Value<'_>> + Clone {
        let last = self.finished.len().wrapping_sub(1);
        let one = match self.machine.held().get(last) {
            Some(Held::Number(number)) => number.map(Value::Number),
            Some(Held::Truth(truth)) => truth.map(|truth| Value::Text(word(truth))),
            _ => None,
        };
        let answers = Answers {
            values: self.machine.answers(last),
            numbers: self.machine.group_numbers(last).iter(),
            number: None,
        };
        answers.chain(one)
    }

    /// The same as people are told it: empty cells are left out wherever there is anything else.
    pub fn answer_items(&self) -> impl Iterator<Item = Value<'_>> + Clone {
        let items = self.answer_values();
        // The label of a group belongs to the number behind it.
        let are_values = matches!(self.machine.held().last(), Some(Held::Values { .. }));
        let all = !are_values || items.clone().all(|item| item.is_blank());
        items.filter(move |item| all || !item.is_blank())
    }

    /// Whether the last expression's value is rows, which answer nothing.
    pub fn answers_rows(&self) -> bool {
        matches!(self.machine.held().last(), Some(Held::Rows { .. }))
    }

    /// Whether the last expression's value has no item, or there is none yet.
    pub fn is_empty(&self) -> bool {
        match self.machine.held().last() {
            Some(Held::Rows { count, .. }) => *count == 0,
            Some(Held::Values { start, end, .. } | Held::Groups { start, end, .. }) => start == end,
            Some(Held::Number(number)) => number.is_none(),
            Some(Held::Truth(truth)) => truth.is_none(),
            None => true,
        }
    }

    /// A number that is the same for equal [values](Self::value) of the last expression, and another for
    /// others but in one of very many cases. It takes no memory, however many items there are.
    pub fn value_key(&self) -> Option<u64> {
        let last = self.finished.len().checked_sub(1)?;
        let mut key = DefaultHasher::new();
        let number = |number: f64, key: &mut DefaultHasher| (number + 0.0).to_bits().hash(key);
        let item = |value: Value<'_>, key: &mut DefaultHasher| match value {
            Value::Text(text) => text.hash(key),
            Value::Number(value) => number(value, key),
            Value::Date(date) => date.hash(key),
        };
        match self.machine.held().get(last)? {
            Held::Rows { .. } => {
                0u8.hash(&mut key);
                self.machine.words(RowsRef::variable(last as u8)).hash(&mut key);
            }
            // One number is the value of `count` and can be that of `hop`.
            Held::Number(value) => {
                1u8.hash(&mut key);
                value.iter().for_each(|value| number(*value, &mut key));
            }
            Held::Truth(truth) => {
                2u8.hash(&mut key);
                truth.iter().for_each(|truth| word(*truth).hash(&mut key));
            }
            Held::Groups { .. } => {
                4u8.hash(&mut key);
                let numbers = self.machine.group_numbers(last);
                for (label, value) in self.machine.labels(last).zip(numbers) {
                    item(label, &mut key);
                    number(*value, &mut key);
                }
            }
            Held::Values { column, .. } => {
                match ValuesKind::of(self.machine.column(*column).kind()) {
                    ValuesKind::Numbers => 1u8.hash(&mut key),
                    ValuesKind::Strings => 2u8.hash(&mut key),
                    _ => 3u8.hash(&mut key),
                }
                for value in self.machine.values(ValuesRef::Variable(last as u8)) {
                    item(value, &mut key);
                }
            }
        }
        Some(key.finish())
    }
}

/// Yes or no, as they answer a question.
fn word(truth: bool) -> &'static str {
    match truth {
        true => "yes",
        false => "no",
    }
}

/// Goes through the items of an answer: values, or the labels of groups, each followed by its number.
#[derive(Clone)]
struct Answers<'a> {
    values: Values<'a>,
    numbers: std::slice::Iter<'a, f64>,
    /// That of the label before.
    number: Option<f64>,
}

impl<'a> Iterator for Answers<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        if let Some(number) = self.number.take() {
            return Some(Value::Number(number));
        }
        let value = self.values.next()?;
        self.number = self.numbers.next().copied();
        Some(value)
    }
}
