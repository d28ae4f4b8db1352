//! Which programs are programs.

use crate::functions::{Function, FunctionSet, Lexicon};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where a value must stand in a column, or a column have a value, for a function to be offered with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// In the rows that the function is given, as in the paper: no program finds nothing where that can be
    /// foreseen.
    #[default]
    Rows,
    /// Anywhere in the table. Conditions that no row meets together can be written, and so can one that
    /// leaves a single row as it was; the answer may be nothing.
    Table,
}

impl FromStr for Fit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rows" => Ok(Fit::Rows),
            "table" => Ok(Fit::Table),
            _ => Err(format!("there is no fit '{name}'; it is rows or table")),
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fit::Rows => "rows",
            Fit::Table => "table",
        })
    }
}

/// Whose language it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The paper's, for its figures to be met again.
    #[default]
    Paper,
    /// That for people: with all functions, longer programs, and without offers that change nothing.
    People,
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "paper" => Ok(Dialect::Paper),
            "people" => Ok(Dialect::People),
            _ => Err(format!("there is no language '{name}'; it is paper or people")),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Paper => "paper",
            Dialect::People => "people",
        })
    }
}

/// Which programs are programs: the functions, the length, what is offered and what the results are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// The functions that have tokens, and so can be used.
    pub lexicon: Lexicon,
    /// Those of them that are offered.
    pub functions: FunctionSet,
    /// How many expressions a program may have.
    pub expressions: usize,
    /// How many one may have that random exploration writes: longer ones cannot be found by chance.
    pub explored: usize,
    /// Whose language it is: in that for people, what changes nothing is not offered.
    pub dialect: Dialect,
    /// Where values must stand to be offered.
    pub fit: Fit,
    /// Whether results are those of SQL: `hop` gives one value for each row instead of each value once, and
    /// the sum of nothing is nothing instead of 0.
    pub like_sql: bool,
}

impl Language {
    /// Changes whenever a program could mean something else than before, so that stored programs are not read
    /// with another meaning. A further function changes nothing.
    pub const VERSION: u32 = 2;

    /// The longest programs that an interpreter holds, in expressions.
    pub const MOST_EXPRESSIONS: usize = 16;

    /// The paper's functions, three expressions: the setting of WikiTableQuestions.
    pub const WIKITABLEQUESTIONS: Language = Language {
        lexicon: Lexicon::PAPER,
        functions: Lexicon::PAPER.set(),
        expressions: 3,
        explored: 3,
        dialect: Dialect::Paper,
        fit: Fit::Rows,
        like_sql: false,
    };

    /// The same with what questions of one's own had before there was a language for people.
    pub fn before_people() -> Language {
        let functions = Lexicon::PAPER.and(&[Function::CountDistinct].into_iter().collect());
        Language {
            lexicon: functions,
            functions: functions.set(),
            ..Language::WIKITABLEQUESTIONS
        }
    }

    /// The language for people: all functions that there are, six expressions.
    pub const PEOPLE: Language = Language::WIKITABLEQUESTIONS.for_people();

    /// What the language for people makes of this one: all functions, six expressions, and no offers that change
    /// nothing. What is explored at random stays as long as it was, and so does what the results are like.
    pub const fn for_people(self) -> Language {
        Language {
            lexicon: Lexicon::ALL,
            functions: FunctionSet::ALL,
            expressions: 6,
            dialect: Dialect::People,
            ..self
        }
    }

    /// The same for random exploration, whose programs are shorter.
    pub fn explored(self) -> Language {
        Language {
            expressions: self.explored,
            ..self
        }
    }

    /// The ten functions and four expressions that WikiSQL needs.
    pub fn wikisql() -> Language {
        use Function::*;
        let functions = [
            Hop,
            FilterEqual,
            FilterIn,
            FilterGreater,
            FilterLess,
            Count,
            Max,
            Min,
            Average,
            Sum,
        ];
        Language {
            lexicon: Lexicon::PAPER,
            functions: functions.into_iter().collect(),
            expressions: 4,
            explored: 4,
            dialect: Dialect::Paper,
            fit: Fit::Rows,
            like_sql: true,
        }
    }

    /// The same language for someone who knows these functions only, by their numbers: a model, a run.
    pub fn known_as(self, lexicon: Lexicon) -> Language {
        Language {
            functions: self.functions.and(lexicon.set()),
            lexicon,
            ..self
        }
    }
}
