//! The English of the questions, as templates. Words in braces are filled in: those in capitals agree with
//! the number of things asked for, the others are always the same.
//!
//! | slot | example |
//! |---|---|
//! | `{key}`, `{keys}`, `{a key}` | nation, nations, a nation |
//! | `{is}`, `{are}`, `{has}`, `{have}`, `{does}`, `{do}` | in the domain's tense |
//! | `{ARE}`, `{HAVE}`, `{DO}`, `{WERE}` | the same, in the number asked for |
//! | `{x}`, `{y}` | names of rows |
//! | `{noun}`, `{a noun}` | what a column is about: budget, a budget |
//! | `{most}`, `{least}`, `{more}`, `{rowmost}`, `{rowleast}` | adjectives of an amount |
//! | `{n}` | a number or a time |
//! | `{won}`, `{win}`, `{did}`, `{WON}`, `{DID}` | what the rows do with what is counted |
//! | `{done}`, `{on}`, `{when}` | what was done at a time, the word before the time and the words that ask for it |
//! | `{verb}`, `{with}` | a condition, after "nations that" or after "nations" |
//! | `{of}` | a condition that narrows the rows, or nothing |

use mapo_language::{Comparison, Function};

/// The three ways to speak of an ordered column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Amount,
    Counts,
    Time,
}

/// The function of a comparison in programs.
pub(super) fn filter_of(comparison: Comparison) -> Function {
    match comparison {
        Comparison::Greater => Function::FilterGreater,
        Comparison::AtLeast => Function::FilterAtLeast,
        Comparison::Less => Function::FilterLess,
        Comparison::AtMost => Function::FilterAtMost,
        Comparison::Equal => Function::FilterEqual,
        Comparison::NotEqual => Function::FilterNotEqual,
    }
}

/// Ways to say a comparison: as `{verb}` and as `{with}`.
pub(super) fn compared(comparison: Comparison, shape: Shape) -> &'static [(&'static str, &'static str)] {
    use Comparison::*;
    match (shape, comparison) {
        (Shape::Counts, Greater) => &[("{WON} more than {n} {noun}", "that {WON} more than {n} {noun}")],
        (Shape::Counts, AtLeast) => &[
            ("{WON} at least {n} {noun}", "that {WON} at least {n} {noun}"),
            ("{WON} {n} or more {noun}", "that {WON} {n} or more {noun}"),
        ],
        (Shape::Counts, Less) => &[
            ("{WON} fewer than {n} {noun}", "that {WON} fewer than {n} {noun}"),
            ("{WON} less than {n} {noun}", "that {WON} less than {n} {noun}"),
        ],
        (Shape::Counts, AtMost) => &[
            ("{WON} at most {n} {noun}", "that {WON} at most {n} {noun}"),
            ("{WON} {n} or fewer {noun}", "that {WON} {n} or fewer {noun}"),
        ],
        (Shape::Counts, Equal) => &[("{WON} exactly {n} {noun}", "that {WON} exactly {n} {noun}")],
        (Shape::Counts, NotEqual) => &[
            (
                "{DID} not {win} exactly {n} {noun}",
                "that {DID} not {win} exactly {n} {noun}",
            ),
            (
                "{WON} a number of {noun} other than {n}",
                "that {WON} a number of {noun} other than {n}",
            ),
        ],
        (Shape::Amount, Greater) => &[
            (
                "{HAVE} {a noun} of more than {n}",
                "with {a noun} of more than {n}",
            ),
            ("{HAVE} {a noun} above {n}", "with {a noun} above {n}"),
        ],
        (Shape::Amount, AtLeast) => &[
            ("{HAVE} {a noun} of at least {n}", "with {a noun} of at least {n}"),
            ("{HAVE} {a noun} of {n} or more", "with {a noun} of {n} or more"),
        ],
        (Shape::Amount, Less) => &[
            (
                "{HAVE} {a noun} of less than {n}",
                "with {a noun} of less than {n}",
            ),
            ("{HAVE} {a noun} below {n}", "with {a noun} below {n}"),
        ],
        (Shape::Amount, AtMost) => &[
            ("{HAVE} {a noun} of at most {n}", "with {a noun} of at most {n}"),
            ("{HAVE} {a noun} of {n} or less", "with {a noun} of {n} or less"),
        ],
        (Shape::Amount, Equal) => &[("{HAVE} {a noun} of exactly {n}", "with {a noun} of exactly {n}")],
        (Shape::Amount, NotEqual) => &[(
            "{DO} not have {a noun} of exactly {n}",
            "with {a noun} other than {n}",
        )],
        (Shape::Time, Greater) => &[("{WERE} {done} after {n}", "{done} after {n}")],
        (Shape::Time, AtLeast) => &[("{WERE} {done} in {n} or later", "{done} in {n} or later")],
        (Shape::Time, Less) => &[("{WERE} {done} before {n}", "{done} before {n}")],
        (Shape::Time, AtMost) => &[("{WERE} {done} in {n} or earlier", "{done} in {n} or earlier")],
        (Shape::Time, Equal) => &[("{WERE} {done} {on} {n}", "{done} {on} {n}")],
        (Shape::Time, NotEqual) => &[("{WERE} not {done} in {n}", "not {done} in {n}")],
    }
}

/// Asks for the one row that satisfies a condition.
pub(super) const LIST_ONE: &[&str] = &[
    "which {key} {verb}?",
    "name the {key} {with}.",
    "what is the {key} {with}?",
    "which is the only {key} {with}?",
];
/// Asks for all rows that satisfy a condition.
pub(super) const LIST_MANY: &[&str] = &[
    "which {keys} {verb}?",
    "name the {keys} {with}.",
    "list all {keys} {with}.",
    "what are the {keys} {with}?",
];
/// Asks how many rows satisfy a condition.
pub(super) const COUNT: &[&str] = &[
    "how many {keys} {verb}?",
    "what is the number of {keys} {with}?",
    "how many {keys} {with} are there?",
    "what is the total number of {keys} {with}?",
];
/// Asks how many rows there are.
pub(super) const COUNT_ALL: &[&str] = &[
    "how many {keys} are listed?",
    "how many {keys} are there in total?",
    "what is the total number of {keys} in the table?",
    "what is the number of {keys} listed?",
];

/// Asks for a cell of a row.
pub(super) const LOOK_UP: &[&str] = &[
    "what {is} the {noun} of {x}?",
    "what {noun} {does} {x} have?",
    "{x} {has} what {noun}?",
    "tell me the {noun} of {x}.",
];
/// The same of things counted.
pub(super) const LOOK_UP_COUNT: &[&str] = &[
    "how many {noun} {did} {x} {win}?",
    "what {is} the number of {noun} that {x} {won}?",
    "{x} {won} how many {noun}?",
    "tell me how many {noun} {x} {won}.",
];
/// The same of a time.
pub(super) const LOOK_UP_TIME: &[&str] = &[
    "when was {x} {done}?",
    "{x} was {done} when?",
    "{when} was {x} {done}?",
    "tell me when {x} was {done}.",
];
/// Asks for the row that has a cell.
pub(super) const LOOK_BACK: &[&str] = &[
    "which {key} {has} {x} as the {noun}?",
    "{x} {is} the {noun} of which {key}?",
    "name the {key} with the {noun} {x}.",
    "what is the {key} whose {noun} {is} {x}?",
];

/// Asks for a row by its place.
pub(super) const FIRST: &[&str] = &[
    "which {key} {of} is listed first?",
    "what is the first {key} {of} in the table?",
    "name the first {key} {of} on the list.",
    "which {key} {of} comes first in the table?",
];
pub(super) const TOP: &[&str] = &["which {key} is at the top of the table?"];
pub(super) const LAST: &[&str] = &[
    "which {key} {of} is listed last?",
    "what is the last {key} {of} in the table?",
    "name the last {key} {of} on the list.",
    "which {key} {of} comes last in the table?",
];
pub(super) const BOTTOM: &[&str] = &["which {key} is at the bottom of the table?"];
pub(super) const PREVIOUS: &[&str] = &[
    "which {key} is listed just before {x}?",
    "what is the {key} listed above {x}?",
    "name the {key} right above {x} in the table.",
    "which {key} comes before {x} in the table?",
    "what is the previous {key} listed before {x}?",
];
pub(super) const NEXT: &[&str] = &[
    "which {key} is listed just after {x}?",
    "what is the {key} listed below {x}?",
    "name the {key} right below {x} in the table.",
    "which {key} comes after {x} in the table?",
    "what is the next {key} listed after {x}?",
];

/// Asks for the row with the largest value.
pub(super) fn argmax(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "which {key} {of} {has} the {most} {noun}?",
            "what is the {key} {of} with the {most} {noun}?",
            "name the {key} {of} with the {most} {noun}.",
            "of all {keys} {of}, which {has} the {most} {noun}?",
        ],
        Shape::Counts => &[
            "which {key} {of} {won} the most {noun}?",
            "what is the {key} {of} that {won} the most {noun}?",
            "name the {key} {of} that {won} the highest number of {noun}.",
            "of all {keys} {of}, which {won} the most {noun}?",
        ],
        Shape::Time => &[
            "which {key} {of} was {done} most recently?",
            "what is the most recently {done} {key} {of}?",
            "name the {key} {of} that was {done} the latest.",
            "of all {keys} {of}, which was {done} the latest?",
        ],
    }
}
/// Asks for the row with the smallest value.
pub(super) fn argmin(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "which {key} {of} {has} the {least} {noun}?",
            "what is the {key} {of} with the {least} {noun}?",
            "name the {key} {of} with the {least} {noun}.",
            "of all {keys} {of}, which {has} the {least} {noun}?",
        ],
        Shape::Counts => &[
            "which {key} {of} {won} the fewest {noun}?",
            "what is the {key} {of} that {won} the fewest {noun}?",
            "name the {key} {of} that {won} the lowest number of {noun}.",
            "of all {keys} {of}, which {won} the fewest {noun}?",
        ],
        Shape::Time => &[
            "which {key} {of} was {done} the earliest?",
            "what is the earliest {key} {of} to be {done}?",
            "name the {key} {of} that was {done} the earliest.",
            "of all {keys} {of}, which was {done} the earliest?",
        ],
    }
}
/// The same where English has adjectives for the row itself.
pub(super) const ROW_MOST: &[&str] = &[
    "which {key} {of} {is} the {rowmost}?",
    "what {is} the {rowmost} {key} {of}?",
];
pub(super) const ROW_LEAST: &[&str] = &[
    "which {key} {of} {is} the {rowleast}?",
    "what {is} the {rowleast} {key} {of}?",
];

/// Asks for the largest value.
pub(super) fn max(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "what {is} the {most} {noun} of any {key} {of}?",
            "what {is} the {most} {noun} of all {keys} {of}?",
            "what {is} the {most} {noun} among the {keys} {of}?",
            "tell me the {most} {noun} of any {key} {of}.",
        ],
        Shape::Counts => &[
            "what {is} the most {noun} that any {key} {of} {won}?",
            "what {is} the highest number of {noun} that any {key} {of} {won}?",
            "what {is} the most {noun} that {a key} {of} {won}?",
            "tell me the highest number of {noun} that {a key} {of} {won}.",
        ],
        Shape::Time => &[
            "what is the most recent year in which {a key} {of} was {done}?",
            "what is the latest year in which any {key} {of} was {done}?",
            "what is the latest year that {a key} {of} was {done}?",
            "tell me the most recent year in which any {key} {of} was {done}.",
        ],
    }
}
/// Asks for the smallest value.
pub(super) fn min(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "what {is} the {least} {noun} of any {key} {of}?",
            "what {is} the {least} {noun} of all {keys} {of}?",
            "what {is} the {least} {noun} among the {keys} {of}?",
            "tell me the {least} {noun} of any {key} {of}.",
        ],
        Shape::Counts => &[
            "what {is} the fewest {noun} that any {key} {of} {won}?",
            "what {is} the lowest number of {noun} that any {key} {of} {won}?",
            "what {is} the fewest {noun} that {a key} {of} {won}?",
            "tell me the lowest number of {noun} that {a key} {of} {won}.",
        ],
        Shape::Time => &[
            "what is the earliest year in which {a key} {of} was {done}?",
            "what is the earliest year in which any {key} {of} was {done}?",
            "what is the earliest year that {a key} {of} was {done}?",
            "tell me the earliest year in which any {key} {of} was {done}.",
        ],
    }
}
/// Asks for the mean; times have none that people ask for.
pub(super) fn average(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "what {is} the average {noun} of the {keys} {of}?",
            "what {is} the average {noun} of all {keys} {of}?",
            "on average, what {is} the {noun} of {a key} {of}?",
            "tell me the average {noun} of the {keys} {of}.",
        ],
        Shape::Counts => &[
            "what {is} the average number of {noun} that the {keys} {of} {WON}?",
            "how many {noun} {DID} the {keys} {of} {win} on average?",
            "on average, how many {noun} {DID} the {keys} {of} {win}?",
            "tell me the average number of {noun} that {a key} {of} {won}.",
        ],
        Shape::Time => &[],
    }
}
/// Asks for the sum.
pub(super) fn sum(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "what {is} the total {noun} of all {keys} {of}?",
            "what {is} the combined {noun} of all {keys} {of}?",
            "what {is} the {noun} of all {keys} {of} in total?",
            "tell me the total {noun} of all {keys} {of}.",
        ],
        Shape::Counts => &[
            "how many {noun} {DID} all {keys} {of} {win} in total?",
            "what {is} the total number of {noun} that all {keys} {of} {WON}?",
            "in total, how many {noun} {DID} all {keys} {of} {win}?",
            "tell me how many {noun} all {keys} {of} {WON} combined.",
        ],
        Shape::Time => &[],
    }
}

/// Asks for the most common value.
pub(super) const MODE: &[&str] = &[
    "which {noun} {has} the most {keys}?",
    "what {is} the most common {noun}?",
    "which {noun} is listed the most?",
    "what {noun} do most of the {keys} have?",
    "which {noun} appears most often?",
];

/// Asks for the other rows with the value of one.
pub(super) const SAME_ONE: &[&str] = &[
    "which other {key} {has} the same {noun} as {x}?",
    "name the other {key} with the same {noun} as {x}.",
    "what other {key} {has} the same {noun} as {x}?",
    "besides {x}, which {key} {has} the same {noun}?",
];
pub(super) const SAME_MANY: &[&str] = &[
    "which other {keys} {have} the same {noun} as {x}?",
    "name the other {keys} with the same {noun} as {x}.",
    "list all other {keys} that {have} the same {noun} as {x}.",
    "besides {x}, which {keys} {have} the same {noun}?",
];
pub(super) const SAME_ONE_COUNT: &[&str] = &[
    "which other {key} {won} the same number of {noun} as {x}?",
    "name the other {key} that {won} the same number of {noun} as {x}.",
    "what other {key} {won} the same number of {noun} as {x}?",
    "besides {x}, which {key} {won} the same number of {noun}?",
];
pub(super) const SAME_MANY_COUNT: &[&str] = &[
    "which other {keys} {WON} the same number of {noun} as {x}?",
    "name the other {keys} that {WON} the same number of {noun} as {x}.",
    "list all other {keys} that {WON} the same number of {noun} as {x}.",
    "besides {x}, which {keys} {WON} the same number of {noun}?",
];

/// Asks how far apart two rows are; `{x}` is the one with more.
pub(super) fn diff(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Amount => &[
            "what {is} the difference in {noun} between {x} and {y}?",
            "what {is} the difference between the {noun} of {x} and the {noun} of {y}?",
            "how much {more} {is} the {noun} of {x} than that of {y}?",
            "tell me the difference in {noun} between {y} and {x}.",
        ],
        Shape::Counts => &[
            "how many more {noun} {did} {x} {win} than {y}?",
            "what {is} the difference between the number of {noun} that {x} and {y} {won_many}?",
            "{x} {won} how many more {noun} than {y}?",
            "tell me how many more {noun} {x} {won} than {y}.",
        ],
        Shape::Time => &[],
    }
}
