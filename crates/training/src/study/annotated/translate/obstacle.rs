//! Why some forms have no program.

use super::super::form::Form;
use std::fmt;

/// Why a form has no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Obstacle {
    /// Sums and differences of other things than one column in two rows.
    Arithmetic,
    /// One set or another.
    Union,
    /// What is in two sets, neither of which is a plain condition.
    Intersection,
    /// Places in the table compared.
    Position,
    /// Items of a list within a cell.
    Parts,
    /// Cells with nothing in them.
    EmptyCells,
    /// A measure of each group of rows, other than the most common value.
    Groups,
    /// Two cells of one row compared.
    RowComparison,
    /// Runs of rows.
    Consecutive,
    /// A column that the table lacks, or a reading that too few of its cells have.
    NoColumn,
    /// A cell that the table lacks.
    NoCell,
    /// More expressions than a program may have.
    TooLong,
    /// Anything else.
    Other,
}

impl Obstacle {
    /// What stands in the way, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Obstacle::Arithmetic => "arithmetic on counts, sums or constants",
            Obstacle::Union => "union of two sets",
            Obstacle::Intersection => "intersection of two sets of values",
            Obstacle::Position => "places in the table compared",
            Obstacle::Parts => "items of a list within a cell",
            Obstacle::EmptyCells => "empty cells asked for",
            Obstacle::Groups => "a measure of each group of rows",
            Obstacle::RowComparison => "two cells of one row compared",
            Obstacle::Consecutive => "runs of consecutive rows",
            Obstacle::NoColumn => "a column or reading that the table lacks",
            Obstacle::NoCell => "a cell that the table lacks",
            Obstacle::TooLong => "more expressions than a program may have",
            Obstacle::Other => "another form",
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// What in a form that could not be translated has no equivalent.
pub(super) fn obstacle(form: &Form) -> Obstacle {
    let words = words(form);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let has_prefix = |prefix: &str| words.iter().any(|word| word.starts_with(prefix));
    if has_prefix("fb:row.consecutive") || has_prefix("!fb:row.consecutive") {
        Obstacle::Consecutive
    } else if has(&["mark"]) {
        Obstacle::RowComparison
    } else if has(&["@index", "@!index"]) {
        Obstacle::Position
    } else if has(&["+", "-"]) {
        Obstacle::Arithmetic
    } else if has(&["@!p.part", "@p.part"]) {
        Obstacle::Parts
    } else if has(&["or"]) {
        Obstacle::Union
    } else {
        Obstacle::Other
    }
}

fn words(form: &Form) -> Vec<&str> {
    match form {
        Form::Word(word) => vec![word],
        Form::List(items) => items.iter().flat_map(words).collect(),
    }
}
