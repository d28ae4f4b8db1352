//! Programs as they are meant, before the question is read: which words of the question stand for a value is
//! only known once it has been linked with the table.

use mapo_language::{Context, Denotation, Interpreter, Language, Program, Symbol};
use mapo_questions::{Linking, Question};
use mapo_tables::{ColumnId, ColumnKind, Constant, RowSet, Table};
use std::sync::Arc;

/// A condition on rows, as it is meant.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// The cell in a column of the file is this value: exactly these rows.
    Is { source: usize, rows: Vec<usize> },
    /// It is not.
    IsNot { source: usize, rows: Vec<usize> },
    /// A comparison, written with the number or the year.
    Compare {
        filter: &'static str,
        column: ColumnId,
        number: f64,
    },
    /// Two of them.
    Between { column: ColumnId, from: f64, to: f64 },
    /// There is something in the column, or nothing.
    Given { column: ColumnId, given: bool },
}

/// What a step takes its rows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    All,
    Step(usize),
}

/// A step of a program.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Rows that meet a condition.
    Keep(From, Test),
    /// A call: `$0`, `$1` stand for the values of steps, `all_rows` for itself.
    Call(String),
}

/// A question that has been read, and an interpreter for programs about it.
pub(crate) struct Reader {
    table: Arc<Table>,
    constants: Vec<Constant>,
    interpreter: Interpreter,
}

impl Reader {
    pub fn new(question: &str, table: &Arc<Table>, linking: Linking, language: Language) -> Self {
        let question = Question::read(question, table, linking);
        let constants: Vec<Constant> = question
            .mentions
            .into_iter()
            .map(|mention| mention.constant)
            .collect();
        let context = Context::new(Arc::clone(table), constants.iter().cloned(), language);
        Reader {
            table: Arc::clone(table),
            constants,
            interpreter: Interpreter::new(Arc::new(context)),
        }
    }

    /// The program of the steps in the words that the question offers; none if it does not offer them.
    pub fn program(&mut self, steps: &[Step]) -> Option<Program> {
        let mut text = String::new();
        let mut expressions = 0usize;
        // The variable that holds the value of each step.
        let mut variables: Vec<usize> = Vec::new();
        for step in steps {
            let calls = match step {
                Step::Keep(from, test) => {
                    let from = match from {
                        From::All => "all_rows".to_owned(),
                        From::Step(step) => format!("v{}", variables.get(*step)?),
                    };
                    self.keep(&from, test, expressions)?
                }
                Step::Call(call) => {
                    let mut call = call.clone();
                    for (step, variable) in variables.iter().enumerate().rev() {
                        call = call.replace(&format!("${step}"), &format!("v{variable}"));
                    }
                    vec![call]
                }
            };
            for call in calls {
                text += &call;
                text.push(' ');
                expressions += 1;
            }
            variables.push(expressions - 1);
        }
        text.trim_end().parse().ok()
    }

    fn keep(&mut self, from: &str, test: &Test, expressions: usize) -> Option<Vec<String>> {
        let name = |column: ColumnId, table: &Table| table.column(column).name().to_owned();
        match test {
            Test::Is { source, rows } => Some(vec![self.finding(from, *source, rows, false)?]),
            Test::IsNot { source, rows } => Some(vec![self.finding(from, *source, rows, true)?]),
            Test::Compare {
                filter,
                column,
                number,
            } => {
                let constant = self.quantity(*number, *column)?;
                let column = name(*column, &self.table);
                Some(vec![format!("({filter} {from} {constant} {column})")])
            }
            Test::Between {
                column,
                from: low,
                to: high,
            } => {
                let (low, high) = (self.quantity(*low, *column)?, self.quantity(*high, *column)?);
                let column = name(*column, &self.table);
                Some(vec![
                    format!("(filter>= {from} {low} {column})"),
                    format!("(filter<= v{expressions} {high} {column})"),
                ])
            }
            Test::Given { column, given } => {
                let filter = if *given { "filter_given" } else { "filter_missing" };
                Some(vec![format!("({filter} {from} {})", name(*column, &self.table))])
            }
        }
    }

    /// The constant that says a number, or its year in a column of dates.
    fn quantity(&self, number: f64, column: ColumnId) -> Option<String> {
        let is_date = self.table.column(column).kind() == ColumnKind::Date;
        let said = self.constants.iter().find(|constant| match constant {
            Constant::Numbers(numbers) => !is_date && numbers[..] == [number],
            Constant::Dates(dates) => {
                is_date && dates.len() == 1 && dates[0].to_string() == format!("{number:04}-xx-xx")
            }
            Constant::Strings(_) => false,
        });
        // A year that was read as a number only.
        said.map(Constant::to_string)
    }

    /// The call that keeps exactly the rows, or exactly the others, by a value that the question offers.
    fn finding(&mut self, from: &str, source: usize, rows: &[usize], others: bool) -> Option<String> {
        let table = Arc::clone(&self.table);
        let wanted = RowSet::from_rows(table.rows(), rows.iter().copied());
        let mut columns: Vec<ColumnId> = table
            .column_ids()
            .filter(|id| table.column(*id).source() == source)
            .collect();
        columns.sort_by_key(|id| table.column(*id).kind() == ColumnKind::Text);
        for (plain, negated) in [
            ("filter=", "filter!="),
            ("filter_is", "filter_!is"),
            ("filter_in", "filter_!in"),
        ] {
            for column in &columns {
                let column = table.column(*column).name();
                for place in 0..self.constants.len() {
                    let constant = &self.constants[place];
                    let fits = match constant {
                        Constant::Strings(_) => plain != "filter=",
                        Constant::Numbers(_) | Constant::Dates(_) => plain == "filter=",
                    };
                    if !fits {
                        continue;
                    }
                    let constant = constant.to_string();
                    let call = format!("({plain} all_rows {constant} {column})");
                    if self.rows(&call).as_ref() == Some(&wanted) {
                        let filter = if others { negated } else { plain };
                        return Some(format!("({filter} {from} {constant} {column})"));
                    }
                }
            }
        }
        None
    }

    /// The rows that a single expression gives.
    fn rows(&mut self, call: &str) -> Option<RowSet> {
        let program: Program = call.parse().ok()?;
        let tokens = self.interpreter.context().encode(&program).ok()?;
        self.interpreter.rewind(0);
        for token in tokens {
            self.interpreter.step(token).ok()?;
        }
        let rows = match self.interpreter.value(0)? {
            Denotation::Rows(rows) => Some(rows),
            _ => None,
        };
        self.interpreter.rewind(0);
        rows
    }

    /// What a program answers, if a policy could write it: it runs on offered tokens only and does no extra
    /// work.
    pub fn answer(&mut self, program: &Program) -> Option<Denotation> {
        let context = Arc::clone(self.interpreter.context());
        let tokens = context.encode(program).ok()?;
        let end = context.token(Symbol::End);
        self.interpreter.rewind(0);
        for token in tokens.into_iter().chain([end]) {
            if self.interpreter.is_done() {
                break;
            }
            if !self.interpreter.offers(token) {
                return None;
            }
            self.interpreter.step(token).ok()?;
        }
        let answer = self.interpreter.answer()?;
        let fits =
            self.interpreter.is_done() && !self.interpreter.extra_work() && !self.interpreter.is_empty();
        (fits && !matches!(answer, Denotation::Rows(_))).then_some(answer)
    }
}
