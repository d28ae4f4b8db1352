//! Values to look for in cells.

use mapo_text::Date;
use std::fmt;

/// A value that a question mentions: one or more strings, numbers or dates.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Strings, in normal form; rows that contain any of them match.
    Strings(Vec<String>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Dates.
    Dates(Vec<Date>),
}

impl Constant {
    /// A constant of one string.
    pub fn string(text: impl Into<String>) -> Self {
        Constant::Strings(vec![text.into()])
    }

    /// A constant of one number.
    pub fn number(number: f64) -> Self {
        Constant::Numbers(vec![number])
    }

    /// A constant of one date.
    pub fn date(date: Date) -> Self {
        Constant::Dates(vec![date])
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(
            f: &mut fmt::Formatter<'_>,
            items: &[T],
            show: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
        ) -> fmt::Result {
            f.write_str("[")?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    f.write_str(", ")?;
                }
                show(f, item)?;
            }
            f.write_str("]")
        }
        match self {
            Constant::Strings(strings) => list(f, strings, |f, text| quote(f, text)),
            Constant::Numbers(numbers) => list(f, numbers, |f, number| write!(f, "{number}")),
            Constant::Dates(dates) => list(f, dates, |f, date| write!(f, "{date}")),
        }
    }
}

/// Single quotes, with what would end or garble the string escaped.
fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    use fmt::Write;
    f.write_char('\'')?;
    for c in text.chars() {
        match c {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('\'')
}
