//! What values there are: their kinds, and one of them.

use mapo_text::Date;
use std::fmt;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColumnKind {
    /// The text of the cells (`-str`).
    Text,
    /// The first number in each cell (`-num`).
    Number,
    /// The second number in each cell, the 4 of `3-4` (`-num2`).
    SecondNumber,
    /// The date in each cell (`-date`).
    Date,
}

impl ColumnKind {
    /// All kinds, in the order in which a table lists its columns.
    pub const ALL: [ColumnKind; 4] = [
        ColumnKind::Text,
        ColumnKind::Number,
        ColumnKind::SecondNumber,
        ColumnKind::Date,
    ];

    /// How the names of such columns end.
    pub fn suffix(self) -> &'static str {
        match self {
            ColumnKind::Text => "-str",
            ColumnKind::Number => "-num",
            ColumnKind::SecondNumber => "-num2",
            ColumnKind::Date => "-date",
        }
    }

    /// What the values are called in a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            ColumnKind::Text => "text",
            ColumnKind::Number => "numbers",
            ColumnKind::SecondNumber => "second numbers",
            ColumnKind::Date => "dates",
        }
    }

    /// Whether the values are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, ColumnKind::Number | ColumnKind::SecondNumber)
    }

    /// Whether the values have an order that programs may use: numbers and dates.
    pub fn is_ordered(self) -> bool {
        self != ColumnKind::Text
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

/// One value of a table or a program, borrowed from where it is kept.
///
/// ```
/// use mapo_tables::Value;
/// assert_eq!(Value::Number(3.0).to_string(), "3");
/// assert_eq!(Value::Number(2346079.588235294).to_string(), "2346079.588235294");
/// assert_eq!(Value::Text("tulsa").to_string(), "tulsa");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text: in its normal form as a value of a column, as it stands in the cell where it answers a question.
    Text(&'a str),
    /// A number.
    Number(f64),
    /// A date.
    Date(Date),
}

impl Value<'_> {
    /// Whether it is the text of an empty cell.
    pub fn is_blank(&self) -> bool {
        matches!(self, Value::Text(text) if text.trim().is_empty())
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(0.0) => f.write_str("0"), // never "-0"
            Value::Number(number) => number.fmt(f),
            Value::Date(date) => date.fmt(f),
        }
    }
}
