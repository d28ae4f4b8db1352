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
    /// Whether it keeps those of its rows that meet a condition, which would be idle to put twice.
    pub condition: bool,
    /// Whether it is offered only on rows that a condition chose.
    pub of_chosen_rows: bool,
    /// Why the built-in dataset asks no question that needs it; none if it does.
    pub not_in_toy: Option<&'static str>,
    /// Programs on [`SAMPLE`](super::SAMPLE) and what they must give, as `tests/cases/README.md` describes
    /// them.
    pub cases: &'static str,
    /// Whether the arguments given so far are good; called after each argument of the right type.
    pub(crate) admits: fn(&Machine, &[Arg]) -> bool,
    /// Whether with these arguments it would keep all of its rows. The language for people does not offer that
    /// where values must [fit](crate::Fit::Rows) in the rows.
    pub(crate) is_idle: fn(&Machine, &[Arg]) -> bool,
    /// Whether another function says the same in plainer words. The language for people does not offer that.
    pub(crate) is_double: fn(&Machine, &[Arg]) -> bool,
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
        condition: false,
        of_chosen_rows: false,
        not_in_toy: None,
        cases: "",
        admits: |_, _| true,
        is_idle: |_, _| false,
        is_double: |_, _| false,
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
    /// One number: a variable from `count`, `sum` and the like, or from `hop`, `max` or `min` if it is one.
    Number,
    /// One number: such a variable, or a constant.
    NumberOrConstant,
    /// A constant of one number.
    NumberConstant,
    /// Groups: a variable from `count_per` and its like.
    Groups,
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
            Argument::Number | Argument::NumberOrConstant => "number",
            Argument::NumberConstant => "number-constant",
            Argument::Groups => "groups",
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
            Argument::Number => "a number (a variable that holds one)",
            Argument::NumberOrConstant => "a number (a variable that holds one or a constant such as [2.5])",
            Argument::NumberConstant => "a constant of one number, such as [3]",
            Argument::Groups => "groups (a variable from count_per, sum_per and the like)",
        }
    }

    pub(crate) fn is_column(self) -> bool {
        matches!(
            self,
            Argument::AnyColumn | Argument::OrderedColumn | Argument::NumberColumn | Argument::TextColumn
        )
    }

    pub(crate) fn takes_column(self, kind: ColumnKind) -> bool {
        match self {
            Argument::AnyColumn => true,
            Argument::OrderedColumn => kind.is_ordered(),
            Argument::NumberColumn => kind.is_number(),
            Argument::TextColumn => kind == ColumnKind::Text,
            _ => false,
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
    /// A number: an answer, and an argument of functions that take numbers. Counts, sums, averages,
    /// differences.
    Scalar,
    /// Groups with their numbers: an argument and an answer.
    Groups,
    /// Yes or no: an answer, but no argument.
    Truth,
}
