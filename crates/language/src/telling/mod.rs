//! What can be told of an expression: a [`Call`] with its arguments resolved, and the pieces from which a
//! function's file puts together its [English](english::Phrase), its [SQL](sql::Select) and the
//! [cells](cells::Seen) it rests on.

pub(crate) mod cells;
pub(crate) mod english;
pub(crate) mod sql;

use arrayvec::ArrayVec;
use mapo_tables::ColumnId;
use mapo_tables::Constant;

/// The most arguments that a function has.
pub(crate) const MOST_ARGUMENTS: usize = 3;

/// Rows as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// All rows of the table.
    All,
    /// The rows that an earlier step gives; whether that is one row at the most.
    Step { step: usize, one: bool },
}

/// Values as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Values<'a> {
    /// Those of a constant.
    Constant(&'a Constant),
    /// Those that an earlier step reads off a column; whether that is one value at the most.
    Step {
        step: usize,
        column: ColumnId,
        one: bool,
    },
}

/// A number as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// That of a constant.
    Constant(f64),
    /// The number that an earlier step gives: whether it is one of the values that it gives, and whether it
    /// was added up or divided, so that its last digits depend on who did it.
    Step { step: usize, values: bool, added: bool },
}

/// Groups as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Groups {
    /// The step that gives them.
    pub step: usize,
    /// The column of their labels.
    pub column: ColumnId,
    /// The column whose numbers they add up, if they do.
    pub added: Option<ColumnId>,
}

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Given<'a> {
    Rows(Rows),
    Values(Values<'a>),
    Column(ColumnId),
    Number(Number),
    Groups(Groups),
}

/// An expression with its arguments resolved and their types checked.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    /// Which expression of the program it is, from 0.
    pub step: usize,
    pub arguments: ArrayVec<Given<'a>, MOST_ARGUMENTS>,
}

/// The accessors are called by functions on arguments of the types that they take; another argument stands
/// for nothing.
impl Call<'_> {
    pub fn rows(&self, at: usize) -> Rows {
        match self.arguments.get(at) {
            Some(Given::Rows(rows)) => *rows,
            _ => Rows::All,
        }
    }

    pub fn values(&self, at: usize) -> Values<'_> {
        match self.arguments.get(at) {
            Some(Given::Values(values)) => *values,
            _ => Values::Constant(&NOTHING),
        }
    }

    pub fn column(&self, at: usize) -> ColumnId {
        match self.arguments.get(at) {
            Some(Given::Column(column)) => *column,
            _ => ColumnId(u16::MAX),
        }
    }

    pub fn number(&self, at: usize) -> Number {
        match self.arguments.get(at) {
            Some(Given::Number(number)) => *number,
            _ => Number::Constant(f64::NAN),
        }
    }

    pub fn groups(&self, at: usize) -> Groups {
        match self.arguments.get(at) {
            Some(Given::Groups(groups)) => *groups,
            _ => Groups {
                step: 0,
                column: ColumnId(u16::MAX),
                added: None,
            },
        }
    }

    /// The column that its values or the labels of its groups come from.
    pub fn read(&self) -> Option<ColumnId> {
        self.arguments.iter().find_map(|argument| match argument {
            Given::Column(column) | Given::Groups(Groups { column, .. }) => Some(*column),
            _ => None,
        })
    }

    /// The earlier steps that it uses.
    pub fn uses(&self) -> impl Iterator<Item = usize> {
        self.arguments.iter().filter_map(|argument| match argument {
            Given::Rows(Rows::Step { step, .. })
            | Given::Values(Values::Step { step, .. })
            | Given::Number(Number::Step { step, .. })
            | Given::Groups(Groups { step, .. }) => Some(*step),
            _ => None,
        })
    }

    /// Whether it takes rows or results twice, and so speaks of each by the number of its step.
    pub fn joins(&self) -> bool {
        let counts =
            |argument: &&Given<'_>| matches!(argument, Given::Rows(_) | Given::Number(Number::Step { .. }));
        self.arguments.iter().filter(counts).count() > 1
    }
}

static NOTHING: Constant = Constant::Strings(Vec::new());
