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

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Given<'a> {
    Rows(Rows),
    Values(Values<'a>),
    Column(ColumnId),
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

    /// The column that it reads.
    pub fn read(&self) -> Option<ColumnId> {
        self.arguments.iter().find_map(|argument| match argument {
            Given::Column(column) => Some(*column),
            _ => None,
        })
    }

    /// The earlier steps that it uses.
    pub fn uses(&self) -> impl Iterator<Item = usize> {
        self.arguments.iter().filter_map(|argument| match argument {
            Given::Rows(Rows::Step { step, .. }) | Given::Values(Values::Step { step, .. }) => Some(*step),
            _ => None,
        })
    }

    /// Whether it takes rows twice, and so speaks of each by the number of its step.
    pub fn joins_rows(&self) -> bool {
        let rows = |argument: &&Given<'_>| matches!(argument, Given::Rows(_));
        self.arguments.iter().filter(rows).count() > 1
    }
}

static NOTHING: Constant = Constant::Strings(Vec::new());
