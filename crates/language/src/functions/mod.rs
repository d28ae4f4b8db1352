//! The functions of the language: a file says all about one, or about a few that are one idea with a
//! parameter.
//!
//! A file holds a [`Definition`]: the function's name, what it takes and gives, when it is offered, what it
//! does, the words that suggest it, its English, its SQL, the cells it rests on, its documentation and its
//! cases. The type checker, the table in `docs/language.md` and `mapo language` follow from it. To add a
//! function, write its file and add a line to the list below.

mod any;
mod argmost;
mod arithmetic;
mod average;
mod best_group;
mod compare;
mod contain;
mod count;
mod count_distinct;
mod definition;
mod diff;
mod edge;
mod groups;
mod hop;
mod lexicon;
mod missing;
mod mode;
mod most;
mod neighbour;
mod offering;
mod order_of_two;
mod ranked;
mod same_as;
mod set;
mod sum;
mod whole;

pub use definition::{Argument, Definition, Gives};
pub use lexicon::{Lexicon, UnknownFunction};
pub use set::FunctionSet;

use std::fmt;

/// Makes [`Function`] and the table of its definitions from one list.
macro_rules! functions {
    ($($function:ident = $definition:path,)*) => {
        /// A function of the language. There will be more.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // each is documented by its definition
        pub enum Function {
            $($function,)*
        }

        /// All functions, in the order of [`Function`].
        const ALL: &[Function] = &[$(Function::$function,)*];

        /// Their definitions, in the same order.
        static DEFINITIONS: &[Definition] = &[$($definition,)*];
    };
}

functions! {
    Hop = hop::HOP,
    ArgMax = argmost::ARGMAX,
    ArgMin = argmost::ARGMIN,
    FilterGreater = compare::GREATER,
    FilterAtLeast = compare::AT_LEAST,
    FilterLess = compare::LESS,
    FilterAtMost = compare::AT_MOST,
    FilterEqual = compare::EQUAL,
    FilterNotEqual = compare::NOT_EQUAL,
    FilterIn = contain::FILTER_IN,
    FilterNotIn = contain::FILTER_NOT_IN,
    First = edge::FIRST,
    Last = edge::LAST,
    Previous = neighbour::PREVIOUS,
    Next = neighbour::NEXT,
    Count = count::COUNT,
    Max = most::MAX,
    Min = most::MIN,
    Average = average::AVERAGE,
    Sum = sum::SUM,
    Mode = mode::MODE,
    SameAs = same_as::SAME_AS,
    Diff = diff::DIFF,
    CountDistinct = count_distinct::COUNT_DISTINCT,
    FilterIs = whole::FILTER_IS,
    FilterNotIs = whole::FILTER_NOT_IS,
    FilterMissing = missing::FILTER_MISSING,
    FilterGiven = missing::FILTER_GIVEN,
    Largest = ranked::LARGEST,
    Smallest = ranked::SMALLEST,
    NthLargest = ranked::NTH_LARGEST,
    NthSmallest = ranked::NTH_SMALLEST,
    CountPer = groups::COUNT_PER,
    SumPer = groups::SUM_PER,
    AveragePer = groups::AVERAGE_PER,
    MaxPer = groups::MAX_PER,
    MinPer = groups::MIN_PER,
    Highest = best_group::HIGHEST,
    Lowest = best_group::LOWEST,
    Any = any::ANY,
    Greater = order_of_two::GREATER,
    Less = order_of_two::LESS,
    Difference = arithmetic::DIFFERENCE,
    Plus = arithmetic::PLUS,
    Ratio = arithmetic::RATIO,
    Share = arithmetic::SHARE,
}

/// The table on which the [cases](Definition::cases) of functions run, with ties, missing numbers and empty
/// cells.
pub const SAMPLE: &str = "\
```
Player,Team,Points,Score,Note
Anne,Reds,12,3-4,captain
Bob,Blues,15,4-4,
Cleo,Reds,12,0-1,new
Dan,Greens,,2-2,
Eve,Blues,15,5-1,captain
Anne,Reds,-7.5,1-1,injured
```
constants: ['reds'] | [12] | [15] | ['nobody'] | [99]
";

impl Function {
    /// All functions.
    pub fn all() -> impl ExactSizeIterator<Item = Function> {
        ALL.iter().copied()
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

/// The table of all functions in Markdown: how each is called, when it is offered and what it gives.
pub fn reference() -> String {
    let mut table = "| function | offered only when | result |\n|---|---|---|\n".to_owned();
    for definition in Function::all().map(Function::definition) {
        let (usage, offered, summary) = (definition.usage(), definition.offered, definition.summary);
        table += &format!("| `{usage}` | {offered} | {summary} |\n");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telling::MOST_ARGUMENTS;
    use std::collections::HashSet;

    #[test]
    fn every_function_says_all_about_itself() {
        let names: HashSet<&str> = Function::all().map(Function::name).collect();
        assert_eq!(names.len(), Function::all().len(), "each has its own name");
        let cases: String = Function::all()
            .map(|function| function.definition().cases)
            .collect();
        for function in Function::all() {
            let definition = function.definition();
            assert_eq!(Function::named(function.name()), Some(function));
            assert!(!definition.summary.is_empty(), "{function} has no documentation");
            assert!(
                (1..=MOST_ARGUMENTS).contains(&definition.arguments.len()),
                "{function}"
            );
            let first = definition.arguments[0];
            assert!(!first.is_column() && first != Argument::Quantity, "{function}");
            let call = format!("({function} ");
            let mut calls = cases.lines().filter(|line| !line.starts_with(' '));
            assert!(calls.any(|line| line.contains(&call)), "{function} has no case");
        }
    }
}
