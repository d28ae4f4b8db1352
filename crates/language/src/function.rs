//! The functions of the language. Everything about a function is said here, once: its name, its arguments, when
//! it is offered, what it does, the words that suggest it and its documentation. To add one, add it to the
//! [`Function`] list and to [`DEFINITIONS`], in the same place of both.

use super::machine::{Arg, Extreme, Machine};
use super::relation::Relation;
use std::fmt;

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // each is documented by its definition
pub enum Function {
    Hop,
    ArgMax,
    ArgMin,
    FilterGreater,
    FilterAtLeast,
    FilterLess,
    FilterAtMost,
    FilterEqual,
    FilterNotEqual,
    FilterIn,
    FilterNotIn,
    First,
    Last,
    Previous,
    Next,
    Count,
    Max,
    Min,
    Average,
    Sum,
    Mode,
    SameAs,
    Diff,
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

/// Everything about one function.
pub struct Definition {
    /// Which function this defines.
    pub function: Function,
    /// Its name in programs.
    pub name: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// When it is offered, for people.
    pub offered: &'static str,
    /// What it does, for people.
    pub summary: &'static str,
    /// Words and part-of-speech tags of a question of which one must be there for random exploration to try the
    /// function, as in the paper; with none it is always tried.
    pub triggers: &'static [&'static str],
    /// Further words that say the same, which the paper's rules leave out.
    pub synonyms: &'static [&'static str],
    /// What its result is good for.
    pub gives: Gives,
    /// Whether its first two arguments can be swapped without changing the result.
    pub symmetric: bool,
    /// Whether it is about the very rows that it is given, so that [elsewhere](super::Fit::Table) does not count.
    pub about_these_rows: bool,
    /// Whether the arguments given so far are good; called after each argument of the right type.
    pub(super) admits: fn(&Machine, &[Arg]) -> bool,
    /// Computes the result from arguments of the right types and holds it as the machine's newest variable.
    pub(super) run: fn(&mut Machine, &[Arg]),
}

const COMPARATIVE: &[&str] = &["JJR", "JJS", "RBR", "RBS"];
const EXTREMES: &[&str] = &["JJR", "JJS", "RBR", "RBS", "top", "first", "bottom", "last"];
const ABOVE: &[&str] = &["RBR", "JJR", "more", "than", "least", "above", "after"];
const BELOW: &[&str] = &["RBR", "JJR", "less", "than", "most", "below", "before", "under"];
const NEIGHBOURS: &[&str] = &["next", "previous", "after", "before", "above", "below"];

const EXTREMES_TOO: &[&str] = &[
    "final", "maximum", "minimum", "record", "peak", "leading", "winning",
];
const ABOVE_TOO: &[&str] = &[
    "over", "exceed", "exceeds", "exceeded", "since", "between", "beyond", "past", "minimum",
];
const BELOW_TOO: &[&str] = &["between", "until", "prior", "within", "maximum"];
const NEIGHBOURS_TOO: &[&str] = &[
    "following",
    "followed",
    "follows",
    "preceding",
    "preceded",
    "precedes",
    "prior",
    "succeeded",
    "succeeding",
    "beside",
    "second",
];

const ANY: &str = "the types fit";
const PRESENT: &str = "some of the rows have a value in the column";
const SEVERAL: &str = "there is more than one row";
const SEVERAL_PRESENT: &str = "there is more than one row; some have a value in the column";
const SEVERAL_EQUAL: &str = "there is more than one row; some have that value in the column";
const SEVERAL_CONTAIN: &str = "there is more than one row; the column contains one of the strings in some";
const HAS_NEIGHBOUR: &str = "the rows are not `all_rows` and some have such a neighbour";

/// All functions, in the order of [`Function`].
pub static DEFINITIONS: [Definition; 23] = {
    use Argument::*;
    use Function::*;
    const BASE: Definition = Definition {
        function: Hop,
        name: "",
        arguments: &[],
        offered: ANY,
        summary: "",
        triggers: &[],
        synonyms: &[],
        gives: Gives::Rows,
        symmetric: false,
        about_these_rows: false,
        admits: |_, _| true,
        run: |_, _| {},
    };
    [
        Definition {
            function: Hop,
            name: "hop",
            arguments: &[Rows, AnyColumn],
            gives: Gives::Values,
            offered: PRESENT,
            summary: "the values of the column in the rows, each once (on WikiSQL one for each row)",
            admits: present,
            run: |m, args| m.hop(args[0].rows(), args[1].column()),
            ..BASE
        },
        Definition {
            function: ArgMax,
            name: "argmax",
            arguments: &[Rows, OrderedColumn],
            offered: SEVERAL_PRESENT,
            summary: "the rows with the largest value in the column, all that tie",
            triggers: EXTREMES,
            synonyms: EXTREMES_TOO,
            admits: several_present,
            run: |m, args| m.argmost(args[0].rows(), args[1].column(), Extreme::Largest),
            ..BASE
        },
        Definition {
            function: ArgMin,
            name: "argmin",
            arguments: &[Rows, OrderedColumn],
            offered: SEVERAL_PRESENT,
            summary: "the rows with the smallest value in the column, all that tie",
            triggers: EXTREMES,
            synonyms: EXTREMES_TOO,
            admits: several_present,
            run: |m, args| m.argmost(args[0].rows(), args[1].column(), Extreme::Smallest),
            ..BASE
        },
        Definition {
            function: FilterGreater,
            name: "filter>",
            arguments: &[Rows, Quantity, OrderedColumn],
            summary: "the rows whose value in the column is above the given one",
            triggers: ABOVE,
            synonyms: ABOVE_TOO,
            admits: types_fit,
            run: |m, args| m.filter(args, Relation::Greater, true),
            ..BASE
        },
        Definition {
            function: FilterAtLeast,
            name: "filter>=",
            arguments: &[Rows, Quantity, OrderedColumn],
            summary: "the rows whose value in the column is the given one or above",
            triggers: ABOVE,
            synonyms: ABOVE_TOO,
            admits: types_fit,
            run: |m, args| m.filter(args, Relation::AtLeast, true),
            ..BASE
        },
        Definition {
            function: FilterLess,
            name: "filter<",
            arguments: &[Rows, Quantity, OrderedColumn],
            summary: "the rows whose value in the column is below the given one",
            triggers: BELOW,
            synonyms: BELOW_TOO,
            admits: types_fit,
            run: |m, args| m.filter(args, Relation::Less, true),
            ..BASE
        },
        Definition {
            function: FilterAtMost,
            name: "filter<=",
            arguments: &[Rows, Quantity, OrderedColumn],
            summary: "the rows whose value in the column is the given one or below",
            triggers: BELOW,
            synonyms: BELOW_TOO,
            admits: types_fit,
            run: |m, args| m.filter(args, Relation::AtMost, true),
            ..BASE
        },
        Definition {
            function: FilterEqual,
            name: "filter=",
            arguments: &[Rows, Quantity, OrderedColumn],
            offered: SEVERAL_EQUAL,
            summary: "the rows whose value in the column is the given one",
            admits: several_equal,
            run: |m, args| m.filter(args, Relation::Equal, true),
            ..BASE
        },
        Definition {
            function: FilterNotEqual,
            name: "filter!=",
            arguments: &[Rows, Quantity, OrderedColumn],
            offered: SEVERAL_EQUAL,
            summary: "the rows whose value in the column is another than the given one, or missing",
            admits: several_equal,
            run: |m, args| m.filter(args, Relation::NotDifferent, false),
            ..BASE
        },
        Definition {
            function: FilterIn,
            name: "filter_in",
            arguments: &[Rows, Strings, TextColumn],
            offered: SEVERAL_CONTAIN,
            summary: "the rows whose text in the column contains the string, or any of several",
            admits: several_contain,
            run: |m, args| m.filter(args, Relation::Contains, true),
            ..BASE
        },
        Definition {
            function: FilterNotIn,
            name: "filter_!in",
            arguments: &[Rows, Strings, TextColumn],
            offered: SEVERAL_CONTAIN,
            summary: "the rows whose text in the column contains none of the strings",
            triggers: &["not", "other", "besides"],
            synonyms: &[
                "except",
                "excluding",
                "else",
                "without",
                "never",
                "n't",
                "apart",
                "aside",
            ],
            admits: several_contain,
            run: |m, args| m.filter(args, Relation::Contains, false),
            ..BASE
        },
        Definition {
            function: First,
            name: "first",
            arguments: &[Rows],
            offered: SEVERAL,
            summary: "the first of the rows, in table order",
            triggers: &["first", "top"],
            synonyms: &[
                "earliest",
                "initial",
                "initially",
                "start",
                "started",
                "begin",
                "began",
                "beginning",
                "opening",
            ],
            admits: several,
            run: |m, args| m.first(args[0].rows()),
            ..BASE
        },
        Definition {
            function: Last,
            name: "last",
            arguments: &[Rows],
            offered: SEVERAL,
            summary: "the last of the rows, in table order",
            triggers: &["last", "bottom"],
            synonyms: &[
                "latest",
                "final",
                "finally",
                "recent",
                "recently",
                "end",
                "ended",
                "ending",
                "current",
                "currently",
            ],
            admits: several,
            run: |m, args| m.last(args[0].rows()),
            ..BASE
        },
        Definition {
            function: Previous,
            name: "previous",
            arguments: &[Rows],
            offered: HAS_NEIGHBOUR,
            summary: "the rows just above the given ones",
            triggers: NEIGHBOURS,
            synonyms: NEIGHBOURS_TOO,
            about_these_rows: true,
            admits: |m, args| !args[0].is_all_rows() && m.has_previous(args[0].rows()),
            run: |m, args| m.previous(args[0].rows()),
            ..BASE
        },
        Definition {
            function: Next,
            name: "next",
            arguments: &[Rows],
            offered: HAS_NEIGHBOUR,
            summary: "the rows just below the given ones",
            triggers: NEIGHBOURS,
            synonyms: NEIGHBOURS_TOO,
            about_these_rows: true,
            admits: |m, args| !args[0].is_all_rows() && m.has_next(args[0].rows()),
            run: |m, args| m.next(args[0].rows()),
            ..BASE
        },
        Definition {
            function: Count,
            name: "count",
            arguments: &[Rows],
            summary: "how many rows there are",
            triggers: &["how", "many", "total", "number"],
            synonyms: &["times", "amount"],
            gives: Gives::Scalar,
            run: |m, args| m.hold_number(Some(m.count(args[0].rows()) as f64)),
            ..BASE
        },
        Definition {
            function: Max,
            name: "max",
            arguments: &[Rows, OrderedColumn],
            gives: Gives::Values,
            offered: SEVERAL_PRESENT,
            summary: "the largest value of the column in the rows",
            triggers: COMPARATIVE,
            synonyms: &["most", "maximum", "minimum"],
            admits: several_present,
            run: |m, args| m.most(args[0].rows(), args[1].column(), Extreme::Largest),
            ..BASE
        },
        Definition {
            function: Min,
            name: "min",
            arguments: &[Rows, OrderedColumn],
            gives: Gives::Values,
            offered: SEVERAL_PRESENT,
            summary: "the smallest value of the column in the rows",
            triggers: COMPARATIVE,
            synonyms: &["most", "maximum", "minimum"],
            admits: several_present,
            run: |m, args| m.most(args[0].rows(), args[1].column(), Extreme::Smallest),
            ..BASE
        },
        Definition {
            function: Average,
            name: "average",
            arguments: &[Rows, NumberColumn],
            offered: SEVERAL_PRESENT,
            summary: "the mean of the column over the rows that have a value",
            triggers: &["average"],
            synonyms: &["mean", "averaged"],
            gives: Gives::Scalar,
            admits: several_present,
            run: |m, args| {
                let (sum, count) = m.sum(args[0].rows(), args[1].column());
                m.hold_number((count > 0).then(|| sum / count as f64));
            },
            ..BASE
        },
        Definition {
            function: Sum,
            name: "sum",
            arguments: &[Rows, NumberColumn],
            offered: SEVERAL_PRESENT,
            summary: "the sum of the column over the rows; of nothing 0 (on WikiSQL nothing)",
            triggers: &["all", "combine", "total"],
            synonyms: &[
                "combined",
                "together",
                "altogether",
                "overall",
                "sum",
                "totaled",
                "totalled",
                "totals",
            ],
            gives: Gives::Scalar,
            admits: several_present,
            run: |m, args| {
                let (sum, count) = m.sum(args[0].rows(), args[1].column());
                let is_something = count > 0 || !m.context().language().like_sql;
                m.hold_number(is_something.then_some(sum));
            },
            ..BASE
        },
        Definition {
            function: Mode,
            name: "mode",
            arguments: &[Rows, AnyColumn],
            gives: Gives::Values,
            offered: SEVERAL_PRESENT,
            summary: "the value that most of the rows have in the column, all that tie",
            triggers: &["most"],
            synonyms: &["common", "commonly", "often", "frequent", "frequently"],
            admits: several_present,
            run: |m, args| m.mode(args[0].rows(), args[1].column()),
            ..BASE
        },
        Definition {
            function: SameAs,
            name: "same_as",
            arguments: &[Rows, AnyColumn],
            offered: "there is exactly one row; it has a value in the column",
            summary: "the other rows with the same value in the column as the given row",
            triggers: &["same"],
            synonyms: &["share", "shared", "shares", "another", "tied", "tie", "equal"],
            about_these_rows: true,
            admits: |m, args| m.count(args[0].rows()) == 1 && present(m, args),
            run: |m, args| m.same_as(args[0].rows(), args[1].column()),
            ..BASE
        },
        Definition {
            function: Diff,
            name: "diff",
            arguments: &[Rows, Rows, NumberColumn],
            offered: "there are two different single rows; both have a value in the column",
            summary: "how far apart the values of the column in the two rows are",
            triggers: &["difference", "more", "than"],
            synonyms: &[
                "less", "fewer", "between", "after", "before", "apart", "margin", "gap",
            ],
            gives: Gives::Scalar,
            symmetric: true,
            about_these_rows: true,
            admits: |m, args| match args {
                [a] => m.count(a.rows()) == 1,
                [a, b] => m.count(b.rows()) == 1 && m.first_row(a.rows()) != m.first_row(b.rows()),
                [a, b, column] => {
                    m.present(a.rows(), column.column()) && m.present(b.rows(), column.column())
                }
                _ => false,
            },
            run: |m, args| m.diff(args[0].rows(), args[1].rows(), args[2].column()),
        },
    ]
};

fn present(machine: &Machine, args: &[Arg]) -> bool {
    match args {
        [rows, column] => machine.present(rows.rows(), column.column()),
        _ => true,
    }
}

fn several(machine: &Machine, args: &[Arg]) -> bool {
    machine.count(args[0].rows()) > 1
}

fn several_present(machine: &Machine, args: &[Arg]) -> bool {
    match args {
        [_] => several(machine, args),
        _ => present(machine, args),
    }
}

fn types_fit(machine: &Machine, args: &[Arg]) -> bool {
    match args {
        [_, quantity, column] => machine.fits(quantity.values(), column.column()),
        _ => true,
    }
}

fn several_related(machine: &Machine, args: &[Arg], relation: Relation) -> bool {
    match args {
        [_] => several(machine, args),
        [rows, values, column] => machine.related(rows.rows(), values.values(), column.column(), relation),
        _ => true,
    }
}

fn several_equal(machine: &Machine, args: &[Arg]) -> bool {
    several_related(machine, args, Relation::Equal)
}

fn several_contain(machine: &Machine, args: &[Arg]) -> bool {
    several_related(machine, args, Relation::Contains)
}

impl Function {
    /// All functions.
    pub fn all() -> impl ExactSizeIterator<Item = Function> {
        DEFINITIONS.iter().map(|definition| definition.function)
    }

    /// Everything about the function.
    pub fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    /// The function called `name` in programs.
    pub fn named(name: &str) -> Option<Function> {
        Function::all().find(|function| function.name() == name)
    }

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        self.definition().name
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionSet(u32);

impl FunctionSet {
    /// How many functions there are.
    pub const COUNT: usize = DEFINITIONS.len();

    /// All functions.
    pub const ALL: FunctionSet = FunctionSet((1 << FunctionSet::COUNT) - 1);

    /// Whether the function is in the set.
    pub fn contains(self, function: Function) -> bool {
        self.0 >> function as u32 & 1 == 1
    }

    /// The functions, in order.
    pub fn iter(self) -> impl Iterator<Item = Function> {
        Function::all().filter(move |function| self.contains(*function))
    }

    /// The functions that some word or part-of-speech tag of a question suggests, and those that need none.
    pub fn suggested_by<'a>(self, words: impl Iterator<Item = &'a str> + Clone, wide: bool) -> FunctionSet {
        let suggested = |function: &Function| {
            let Definition {
                triggers, synonyms, ..
            } = function.definition();
            let suggests = |word: &str| triggers.contains(&word) || (wide && synonyms.contains(&word));
            triggers.is_empty() || words.clone().any(suggests)
        };
        self.iter().filter(suggested).collect()
    }
}

impl FromIterator<Function> for FunctionSet {
    fn from_iter<I: IntoIterator<Item = Function>>(functions: I) -> Self {
        FunctionSet(
            functions
                .into_iter()
                .fold(0, |set, function| set | 1 << function as u32),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_stand_in_the_order_of_the_list() {
        for (index, definition) in DEFINITIONS.iter().enumerate() {
            assert_eq!(definition.function as usize, index, "{}", definition.name);
            assert_eq!(Function::named(definition.name), Some(definition.function));
        }
    }

    #[test]
    fn triggers_keep_what_needs_none() {
        let words = ["how", "many", "JJR"];
        let functions = FunctionSet::ALL.suggested_by(words.into_iter(), false);
        let names: Vec<_> = functions.iter().map(Function::name).collect();
        assert_eq!(
            names,
            [
                "hop",
                "argmax",
                "argmin",
                "filter>",
                "filter>=",
                "filter<",
                "filter<=",
                "filter=",
                "filter!=",
                "filter_in",
                "count",
                "max",
                "min"
            ]
        );
    }
}
