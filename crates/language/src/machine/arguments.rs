//! The arguments of functions, as the machine takes them.

use super::{ConstantId, Subject};
use mapo_tables::Constant;
use mapo_tables::{Column, ColumnId, ColumnKind, Texts, Value};

/// Rows as an argument: `all_rows`, or a variable that holds rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowsRef(pub(super) u8);

impl RowsRef {
    pub const ALL: RowsRef = RowsRef(0);

    pub fn variable(variable: u8) -> Self {
        RowsRef(variable + 1)
    }

    /// The variable, if it is one.
    pub fn as_variable(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// Values as an argument: a constant, or a variable that holds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValuesRef {
    Constant(ConstantId),
    Variable(u8),
}

impl ValuesRef {
    /// The variable, if it is one.
    pub fn as_variable(self) -> Option<u8> {
        match self {
            ValuesRef::Constant(_) => None,
            ValuesRef::Variable(variable) => Some(variable),
        }
    }
}

/// An argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    Rows(RowsRef),
    Values(ValuesRef),
    Column(ColumnId),
}

/// The accessors are called by functions on arguments that the interpreter has checked against their types;
/// an argument of another type stands for nothing.
impl Arg {
    pub const ALL_ROWS: Arg = Arg::Rows(RowsRef::ALL);

    pub fn rows(self) -> RowsRef {
        if let Arg::Rows(rows) = self {
            rows
        } else {
            RowsRef::ALL
        }
    }

    pub fn values(self) -> ValuesRef {
        if let Arg::Values(values) = self {
            values
        } else {
            ValuesRef::Variable(u8::MAX)
        }
    }

    pub fn column(self) -> ColumnId {
        if let Arg::Column(column) = self {
            column
        } else {
            ColumnId(u16::MAX)
        }
    }

    pub fn is_all_rows(self) -> bool {
        self == Arg::ALL_ROWS
    }

    /// The variables it uses, as bits.
    pub fn variables(self) -> u32 {
        match self {
            Arg::Rows(RowsRef(slot @ 1..)) => 1 << (slot - 1),
            Arg::Values(ValuesRef::Variable(variable)) => 1 << variable,
            _ => 0,
        }
    }
}

/// The kinds of values that an argument's place may want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValuesKind {
    Strings,
    Numbers,
    Dates,
    /// One number that was computed.
    Number,
    /// Groups with their numbers.
    Groups,
}

impl ValuesKind {
    /// That of the values of a column.
    pub fn of(column: ColumnKind) -> Self {
        match column {
            ColumnKind::Text => ValuesKind::Strings,
            ColumnKind::Number | ColumnKind::SecondNumber => ValuesKind::Numbers,
            ColumnKind::Date => ValuesKind::Dates,
        }
    }
}

/// Goes through the values of an argument.
#[derive(Clone)]
pub(crate) enum Values<'a> {
    Constant(&'a Constant, usize),
    Codes(&'a Column, std::slice::Iter<'a, u32>),
    Cells(&'a Texts, std::slice::Iter<'a, u32>),
}

static NOTHING: Constant = Constant::Strings(Vec::new());

impl<'a> Values<'a> {
    /// No values.
    pub fn none() -> Self {
        Values::Constant(&NOTHING, 0)
    }

    /// Values of a column, by their codes.
    pub fn of(subject: &'a Subject, column: ColumnId, codes: &'a [u32]) -> Self {
        Values::Codes(subject.column(column), codes.iter())
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        match self {
            Values::Constant(constant, index) => {
                let value = match constant {
                    Constant::Strings(strings) => Value::Text(strings.get(*index)?),
                    Constant::Numbers(numbers) => Value::Number(*numbers.get(*index)?),
                    Constant::Dates(dates) => Value::Date(*dates.get(*index)?),
                };
                *index += 1;
                Some(value)
            }
            Values::Codes(column, codes) => codes.next().map(|code| column.decode(*code)),
            Values::Cells(texts, cells) => cells.next().map(|cell| Value::Text(texts.get(*cell))),
        }
    }
}
