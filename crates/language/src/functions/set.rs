//! Sets of functions.

use super::{ALL, Definition, Function};

/// A set of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionSet(u64);

impl FunctionSet {
    /// How many functions there are.
    pub const COUNT: usize = ALL.len();

    /// All functions.
    pub const ALL: FunctionSet = FunctionSet((1 << FunctionSet::COUNT) - 1);

    /// Whether the function is in the set.
    pub fn contains(self, function: Function) -> bool {
        self.0 >> function as u64 & 1 == 1
    }

    /// The functions, in order.
    pub fn iter(self) -> impl Iterator<Item = Function> {
        Function::all().filter(move |function| self.contains(*function))
    }

    /// The functions that are in both sets.
    pub fn and(self, other: FunctionSet) -> FunctionSet {
        FunctionSet(self.0 & other.0)
    }

    pub(super) const fn with(self, function: Function) -> FunctionSet {
        FunctionSet(self.0 | 1 << function as u64)
    }

    pub(super) const NONE: FunctionSet = FunctionSet(0);

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
        functions.into_iter().fold(FunctionSet::NONE, FunctionSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lexicon;
    use super::*;

    #[test]
    fn triggers_keep_what_needs_none() {
        let words = ["how", "many", "JJR"];
        let functions = Lexicon::PAPER.set().suggested_by(words.into_iter(), false);
        let names: Vec<_> = functions.iter().map(Function::name).collect();
        let expected =
            "hop argmax argmin filter> filter>= filter< filter<= filter= filter!= filter_in count max min";
        assert_eq!(names.join(" "), expected);
    }
}
