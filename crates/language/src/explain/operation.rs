//! A program with its names resolved and its types checked: what English, SQL and the cells of a step are made from.

use crate::{Atom, Expression, Function, Program, ProgramError};
use mapo_tables::Constant;
use mapo_tables::{ColumnId, ColumnKind, Table};

/// Rows as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// All rows of the table.
    All,
    /// The rows that an earlier step gives.
    Step(usize),
}

/// Values as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Values<'a> {
    /// Those of a constant.
    Constant(&'a Constant),
    /// Those that an earlier step gives.
    Step(usize),
}

/// Which end of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    Largest,
    Smallest,
}

/// How a row's value is to stand to the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Greater,
    AtLeast,
    Less,
    AtMost,
    Equal,
    NotEqual,
}

/// An expression of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation<'a> {
    Hop(Rows, ColumnId),
    ArgMost(Rows, ColumnId, Extreme),
    Compare(Rows, Comparison, Values<'a>, ColumnId),
    /// Rows whose text contains one of the strings, or, where that is false, none.
    Contains(Rows, bool, Values<'a>, ColumnId),
    First(Rows),
    Last(Rows),
    Previous(Rows),
    Next(Rows),
    Count(Rows),
    Most(Rows, ColumnId, Extreme),
    Average(Rows, ColumnId),
    Sum(Rows, ColumnId),
    Mode(Rows, ColumnId),
    SameAs(Rows, ColumnId),
    Diff(Rows, Rows, ColumnId),
}

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Rows,
    Values(ColumnId),
    Number,
}

impl<'a> Operation<'a> {
    /// The operations of a program.
    pub fn all(program: &'a Program, table: &Table) -> Result<Vec<Operation<'a>>, ProgramError> {
        let (mut operations, mut place) = (Vec::new(), 0);
        for expression in &program.expressions {
            let resolver = Resolver {
                expression,
                table,
                before: &operations,
            };
            let operation = resolver
                .operation()
                .map_err(|(argument, problem)| program.error_at(place + 2 + argument, problem))?;
            operations.push(operation);
            place += expression.arguments.len() + 3;
        }
        Ok(operations)
    }

    /// What it gives.
    pub fn gives(&self) -> Gives {
        match *self {
            Operation::ArgMost(..)
            | Operation::Compare(..)
            | Operation::Contains(..)
            | Operation::First(_)
            | Operation::Last(_)
            | Operation::Previous(_)
            | Operation::Next(_)
            | Operation::SameAs(..) => Gives::Rows,
            Operation::Hop(_, column) | Operation::Most(_, column, _) | Operation::Mode(_, column) => {
                Gives::Values(column)
            }
            Operation::Count(_) | Operation::Average(..) | Operation::Sum(..) | Operation::Diff(..) => {
                Gives::Number
            }
        }
    }

    /// The rows that it works on; of a difference the first.
    pub fn rows(&self) -> Rows {
        match *self {
            Operation::Hop(rows, _)
            | Operation::ArgMost(rows, ..)
            | Operation::Compare(rows, ..)
            | Operation::Contains(rows, ..)
            | Operation::First(rows)
            | Operation::Last(rows)
            | Operation::Previous(rows)
            | Operation::Next(rows)
            | Operation::Count(rows)
            | Operation::Most(rows, ..)
            | Operation::Average(rows, _)
            | Operation::Sum(rows, _)
            | Operation::Mode(rows, _)
            | Operation::SameAs(rows, _)
            | Operation::Diff(rows, ..) => rows,
        }
    }

    /// The earlier steps that it uses.
    pub fn uses(&self) -> impl Iterator<Item = usize> + use<> {
        let step = |rows: Rows| match rows {
            Rows::All => None,
            Rows::Step(step) => Some(step),
        };
        let other = match *self {
            Operation::Diff(_, other, _) => step(other),
            Operation::Compare(_, _, Values::Step(values), _)
            | Operation::Contains(_, _, Values::Step(values), _) => Some(values),
            _ => None,
        };
        step(self.rows()).into_iter().chain(other)
    }
}

/// Resolves one expression. A problem comes with the argument that it is about.
struct Resolver<'a, 'b> {
    expression: &'a Expression,
    table: &'b Table,
    before: &'b [Operation<'a>],
}

type Resolved<T> = Result<T, (usize, String)>;

impl<'a> Resolver<'a, '_> {
    fn operation(&self) -> Resolved<Operation<'a>> {
        use Function::*;
        let any: &dyn Fn(ColumnKind) -> bool = &|_| true;
        let ordered: &dyn Fn(ColumnKind) -> bool = &ColumnKind::is_ordered;
        let number: &dyn Fn(ColumnKind) -> bool = &ColumnKind::is_number;
        let compare = |comparison| {
            Ok(Operation::Compare(
                self.rows(0)?,
                comparison,
                self.values(1, false)?,
                self.column(2, ordered, "a number or date column")?,
            ))
        };
        let contains = |wanted| {
            let text: &dyn Fn(ColumnKind) -> bool = &|kind| kind == ColumnKind::Text;
            Ok(Operation::Contains(
                self.rows(0)?,
                wanted,
                self.values(1, true)?,
                self.column(2, text, "a text column")?,
            ))
        };
        let ordered_column = |at| self.column(at, ordered, "a number or date column");
        let number_column = |at| self.column(at, number, "a number column");
        let any_column = |at| self.column(at, any, "a column");
        Ok(match self.expression.function {
            Hop => Operation::Hop(self.rows(0)?, any_column(1)?),
            ArgMax => Operation::ArgMost(self.rows(0)?, ordered_column(1)?, Extreme::Largest),
            ArgMin => Operation::ArgMost(self.rows(0)?, ordered_column(1)?, Extreme::Smallest),
            FilterGreater => compare(Comparison::Greater)?,
            FilterAtLeast => compare(Comparison::AtLeast)?,
            FilterLess => compare(Comparison::Less)?,
            FilterAtMost => compare(Comparison::AtMost)?,
            FilterEqual => compare(Comparison::Equal)?,
            FilterNotEqual => compare(Comparison::NotEqual)?,
            FilterIn => contains(true)?,
            FilterNotIn => contains(false)?,
            First => Operation::First(self.rows(0)?),
            Last => Operation::Last(self.rows(0)?),
            Previous => Operation::Previous(self.rows(0)?),
            Next => Operation::Next(self.rows(0)?),
            Count => Operation::Count(self.rows(0)?),
            Max => Operation::Most(self.rows(0)?, ordered_column(1)?, Extreme::Largest),
            Min => Operation::Most(self.rows(0)?, ordered_column(1)?, Extreme::Smallest),
            Average => Operation::Average(self.rows(0)?, number_column(1)?),
            Sum => Operation::Sum(self.rows(0)?, number_column(1)?),
            Mode => Operation::Mode(self.rows(0)?, any_column(1)?),
            SameAs => Operation::SameAs(self.rows(0)?, any_column(1)?),
            Diff => Operation::Diff(self.rows(0)?, self.rows(1)?, number_column(2)?),
        })
    }

    fn atom(&self, at: usize) -> Resolved<&'a Atom> {
        let missing = || (at, format!("{} has too few arguments", self.expression.function));
        self.expression.arguments.get(at).ok_or_else(missing)
    }

    fn wrong(&self, at: usize, wanted: &str) -> (usize, String) {
        (at, format!("{} takes {wanted} here", self.expression.function))
    }

    fn rows(&self, at: usize) -> Resolved<Rows> {
        match self.atom(at)? {
            Atom::AllRows => Ok(Rows::All),
            Atom::Variable(step) if self.gives(*step) == Some(Gives::Rows) => Ok(Rows::Step(*step)),
            _ => Err(self.wrong(at, "rows (all_rows or a variable that holds rows)")),
        }
    }

    fn values(&self, at: usize, strings: bool) -> Resolved<Values<'a>> {
        let values = match self.atom(at)? {
            Atom::Constant(constant) => {
                let fits = matches!(constant, Constant::Strings(_)) == strings;
                fits.then_some(Values::Constant(constant))
            }
            Atom::Variable(step) => match self.gives(*step) {
                Some(Gives::Values(column)) => {
                    let fits = (self.table.column(column).kind() == ColumnKind::Text) == strings;
                    fits.then_some(Values::Step(*step))
                }
                _ => None,
            },
            _ => None,
        };
        let wanted = if strings { "strings" } else { "numbers or dates" };
        values.ok_or_else(|| self.wrong(at, wanted))
    }

    fn column(&self, at: usize, fits: &dyn Fn(ColumnKind) -> bool, wanted: &str) -> Resolved<ColumnId> {
        let Atom::Column(name) = self.atom(at)? else {
            return Err(self.wrong(at, wanted));
        };
        let column = self.table.find(name);
        let column = column.ok_or_else(|| (at, format!("there is no column '{name}'")))?;
        match fits(self.table.column(column).kind()) {
            true => Ok(column),
            false => Err(self.wrong(at, wanted)),
        }
    }

    fn gives(&self, step: usize) -> Option<Gives> {
        self.before.get(step).map(Operation::gives)
    }
}
