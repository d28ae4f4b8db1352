//! What a function is.

use crate::machine::{Arg, Machine};
use crate::telling::cells::{Cells, Seen};
use crate::telling::english::Phrase;
use crate::telling::sql::Select;
use mapo_tables::ColumnKind;

/// Everything about one function.
pub struct Definition {
    /// Its name in programs.
    pub name: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// What its result is good for.
    pub gives: Gives,
    /// Whether it gives one row or one value at the most.
    pub gives_one: bool,
    /// When it is offered, for people.
    pub offered: &'static str,
    /// What it does, for people.
    pub summary: &'static str,
    /// Words and part-of-speech tags of a question of which one must be there for random exploration to try
    /// the function, as in the paper; with none it is always tried.
    pub triggers: &'static [&'static str],
    /// Further words that say the same, which the paper's rules leave out.
    pub synonyms: &'static [&'static str],
    /// Whether its first two arguments can be swapped without changing the result.
    pub symmetric: bool,
    /// Whether it is about the very rows that it is given, so that [elsewhere](crate::Fit::Table) does not
    /// count.
    pub about_these_rows: bool,
    /// Why the built-in dataset asks no question that needs it; none if it does.
    pub not_in_toy: Option<&'static str>,
    /// Programs on [`SAMPLE`](super::SAMPLE) and what they must give, as `tests/cases/README.md` describes
    /// them.
    pub cases: &'static str,
    /// Whether the arguments given so far are good; called after each argument of the right type.
    pub(crate) admits: fn(&Machine, &[Arg]) -> bool,
    /// Computes the result from arguments of the right types and holds it as the machine's newest variable.
    pub(crate) run: fn(&mut Machine, &[Arg]),
    /// What it says in English.
    pub(crate) english: fn(&Phrase<'_>) -> String,
    /// Its `SELECT`.
    pub(crate) sql: fn(&mut Select<'_>) -> String,
    /// The cells that it rests on; none where it looks at none.
    pub(crate) cells: fn(&Seen<'_>) -> Cells,
}

impl Definition {
    /// What functions have in common; each says the rest.
    pub(super) const BASE: Definition = Definition {
        name: "",
        arguments: &[],
        gives: Gives::Rows,
        gives_one: false,
        offered: "the types fit",
        summary: "",
        triggers: &[],
        synonyms: &[],
        symmetric: false,
        about_these_rows: false,
        not_in_toy: None,
        cases: "",
        admits: |_, _| true,
        run: |_, _| {},
        english: |_| String::new(),
        sql: |_| String::new(),
        cells: |_| Cells::default(),
    };

    /// How it is called: `(hop rows column)`.
    pub fn usage(&self) -> String {
        let arguments = self
            .arguments
            .iter()
            .map(|argument| format!(" {}", argument.name()));
        format!("({}{})", self.name, arguments.collect::<String>())
    }
}

/// What may stand in an argument's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// `all_rows` or a variable that holds rows.
    Rows,
    /// Numbers or dates: a constant, or a variable from `hop`, `mode`, `max` or `min`.
    Quantity,
    /// Strings: a constant, or a variable from `hop` or `mode`.
    Strings,
    /// Any column.
    AnyColumn,
    /// A number or date column.
    OrderedColumn,
    /// A number column.
    NumberColumn,
    /// A text column.
    TextColumn,
}

impl Argument {
    /// One word for it: `number-column`.
    pub fn name(self) -> &'static str {
        match self {
            Argument::Rows => "rows",
            Argument::Quantity => "number-or-date",
            Argument::Strings => "strings",
            Argument::AnyColumn => "column",
            Argument::OrderedColumn => "number-or-date-column",
            Argument::NumberColumn => "number-column",
            Argument::TextColumn => "text-column",
        }
    }

    /// What it is, for people who gave something else.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Argument::Rows => "rows (all_rows or a variable that holds rows)",
            Argument::Quantity => "a number or date (a constant such as [2.5] or a variable that holds one)",
            Argument::Strings => "a string (a constant such as ['tulsa'] or a variable that holds strings)",
            Argument::AnyColumn => "a column",
            Argument::OrderedColumn => "a number or date column",
            Argument::NumberColumn => "a number column",
            Argument::TextColumn => "a text column",
        }
    }

    pub(crate) fn is_column(self) -> bool {
        !matches!(self, Argument::Rows | Argument::Quantity | Argument::Strings)
    }

    pub(crate) fn takes_column(self, kind: ColumnKind) -> bool {
        match self {
            Argument::AnyColumn => true,
            Argument::OrderedColumn => kind.is_ordered(),
            Argument::NumberColumn => kind.is_number(),
            Argument::TextColumn => kind == ColumnKind::Text,
            Argument::Rows | Argument::Quantity | Argument::Strings => false,
        }
    }
}

/// What the result of a function is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gives {
    /// Rows: an argument, but no answer.
    Rows,
    /// Values of a column: an argument and an answer.
    Values,
    /// A number that is an answer, but no argument: counts, sums, averages, differences.
    Scalar,
}
