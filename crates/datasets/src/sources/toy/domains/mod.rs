//! What the tables are about. A domain is data: what its rows are, which columns it may have and how people
//! speak of them. To add one, add a [`Domain`] to one of the files beside this one.

mod culture;
mod nature;
mod places;
mod sport;
mod travel;

use mapo_composing::Names;

/// Everything that tables can be about.
pub(super) fn all() -> impl Iterator<Item = &'static Domain> {
    [
        sport::DOMAINS,
        culture::DOMAINS,
        nature::DOMAINS,
        places::DOMAINS,
        travel::DOMAINS,
    ]
    .into_iter()
    .flatten()
}

/// A kind of table.
pub(super) struct Domain {
    /// What it is called in the names of tables.
    pub name: &'static str,
    /// Ways to call what the rows are about, of which a table uses one.
    pub keys: &'static [Key],
    /// What the rows' names are made of.
    pub names: Names,
    /// Whether its questions speak of the present or the past.
    pub tense: Tense,
    /// The other columns that it may have.
    pub columns: &'static [Feature],
}

/// The column that names the rows.
pub(super) struct Key {
    pub header: &'static str,
    /// In a question, one of them.
    pub one: &'static str,
    /// In a question, several of them.
    pub many: &'static str,
}

/// Shorthand for a [`Key`].
const fn key(header: &'static str, one: &'static str, many: &'static str) -> Key {
    Key { header, one, many }
}

/// How questions speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    Present,
    Past,
}

/// A column that a table of a domain may have.
pub(super) struct Feature {
    /// Headers of which a table uses one. Without what is in brackets they are also nouns for a question.
    pub headers: &'static [&'static str],
    pub kind: Kind,
}

/// Shorthand for a [`Feature`].
const fn column(headers: &'static [&'static str], kind: Kind) -> Feature {
    Feature { headers, kind }
}

/// What the cells of a column are and how questions speak of them.
pub(super) enum Kind {
    /// Text that several rows share.
    Group {
        values: Values,
        /// Says that a row is in the group `{}`: `from {}`.
        phrase: &'static str,
    },
    /// Text of the row's own.
    Detail(Names),
    /// The number of the row.
    Rank,
    /// A size: `a budget of $4.2 million`.
    Amount(Amount),
    /// Things that are counted: `12 gold medals`. Two of them share a cell: `41–23`.
    Counts {
        range: Range,
        formats: &'static [Format],
        counted: &'static [Counted],
    },
    /// When something was `done`.
    Time {
        done: &'static str,
        years: (i64, i64),
        form: TimeForm,
    },
}

/// Where the values of a group come from.
pub(super) enum Values {
    /// A fixed list, the same in all splits.
    Words(&'static [&'static str]),
    /// Invented names.
    Names(Names),
}

/// A size and its adjectives.
pub(super) struct Amount {
    pub range: Range,
    pub formats: &'static [Format],
    /// The unit after the number in a question, such as ` minutes`.
    pub unit: &'static str,
    /// Of the noun: `the largest budget`.
    pub most: &'static str,
    pub least: &'static str,
    /// Of the noun, compared: `larger`.
    pub more: &'static str,
    /// Of the row itself, where English has words for it: `the longest`, `the shortest`.
    pub rows: Option<(&'static str, &'static str)>,
    /// Whether the sum of several means something.
    pub adds_up: bool,
}

/// The numbers of a column, as whole numbers of the format's smallest unit.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub low: i64,
    pub high: i64,
    pub step: i64,
    /// Whether small numbers are more common than large ones.
    pub skewed: bool,
}

/// Shorthand for an even [`Range`].
const fn even(low: i64, high: i64, step: i64) -> Range {
    Range {
        low,
        high,
        step,
        skewed: false,
    }
}

/// Shorthand for a skewed [`Range`].
const fn skewed(low: i64, high: i64, step: i64) -> Range {
    Range {
        low,
        high,
        step,
        skewed: true,
    }
}

/// How numbers are written in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `1234`
    Plain,
    /// `1,234`
    Commas,
    /// `12.5`
    Tenths,
    /// `12.34`
    Hundredths,
    /// `12.5%`
    Percent,
    /// `$4.2 million`
    Millions,
    /// `1:52.31`
    Clock,
    /// `112 min`
    With(&'static str),
}

/// Something that is counted, and what the row does with it.
pub(super) struct Counted {
    pub noun: &'static str,
    pub verb: Verb,
}

/// Shorthand for a [`Counted`].
const fn counted(noun: &'static str, verb: Verb) -> Counted {
    Counted { noun, verb }
}

/// The forms of a verb.
#[derive(Clone, Copy)]
pub(super) struct Verb {
    /// One nation `won`, one bridge `has`.
    pub one: &'static str,
    /// Several nations `won`, several bridges `have`.
    pub many: &'static str,
    /// How many did it `win`, how many does it `have`.
    pub base: &'static str,
    pub tense: Tense,
}

const HAS: Verb = Verb {
    one: "has",
    many: "have",
    base: "have",
    tense: Tense::Present,
};
const HAD: Verb = Verb {
    one: "had",
    many: "had",
    base: "have",
    tense: Tense::Past,
};

const fn past(past: &'static str, base: &'static str) -> Verb {
    Verb {
        one: past,
        many: past,
        base,
        tense: Tense::Past,
    }
}

/// How a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeForm {
    /// `1994`
    Year,
    /// `October 4, 2016` or in another common way, over many years.
    Date,
    /// The same, all within one season of nine months.
    Season,
}
