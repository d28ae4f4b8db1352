//! The functions that have tokens, by name.

use super::{Function, FunctionSet};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The functions that have tokens, in the order of their tokens.
///
/// Programs are numbers to a network and to a run's memory. What those numbers mean must not change when a
/// function is added, so models and run folders write down the names of their functions, and a
/// [context](crate::Context) numbers its tokens by them.
///
/// ```
/// use mapo_language::Lexicon;
/// let known = Lexicon::named(&["hop", "count"])?;
/// assert_eq!(known.names(), ["hop", "count"]);
/// let error = Lexicon::named(&["hop", "juggle"]).unwrap_err();
/// assert_eq!(error.to_string(), "there is no function 'juggle' in this version of mapo");
/// # Ok::<(), mapo_language::UnknownFunction>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Lexicon {
    /// The first `count` of these; the rest is the same in all.
    functions: [Function; Lexicon::MOST],
    count: u8,
}

/// A file names a function that there is none of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no function '{0}' in this version of mapo")]
pub struct UnknownFunction(pub String);

impl Lexicon {
    const MOST: usize = 64;

    /// The paper's functions, in the order that they had in all files that name none.
    pub const PAPER: Lexicon = {
        use Function::*;
        Lexicon::of(&[
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
        ])
    };

    /// All functions of this version.
    pub const ALL: Lexicon = Lexicon::of(super::ALL);

    const fn of(functions: &[Function]) -> Self {
        let mut lexicon = Lexicon {
            functions: [Function::Hop; Lexicon::MOST],
            count: functions.len() as u8,
        };
        let mut place = 0;
        while place < functions.len() {
            lexicon.functions[place] = functions[place];
            place += 1;
        }
        lexicon
    }

    /// The functions of these names, in this order; each once.
    ///
    /// # Errors
    /// If there is no function of a name.
    pub fn named<S: AsRef<str>>(names: &[S]) -> Result<Lexicon, UnknownFunction> {
        let mut functions = Vec::new();
        for name in names.iter().map(AsRef::as_ref) {
            let function = Function::named(name).ok_or_else(|| UnknownFunction(name.to_owned()))?;
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        Ok(functions.into_iter().collect())
    }

    /// The functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions[..self.count as usize]
    }

    /// Their names.
    pub fn names(&self) -> Vec<&'static str> {
        self.functions().iter().map(|function| function.name()).collect()
    }

    /// The functions as a set.
    pub const fn set(&self) -> FunctionSet {
        let (mut set, mut place) = (FunctionSet::NONE, 0);
        while place < self.count as usize {
            set = set.with(self.functions[place]);
            place += 1;
        }
        set
    }

    /// These functions, and after them those of another that are not among them.
    pub fn and(&self, other: &Lexicon) -> Lexicon {
        let own = self.set();
        let further = other
            .functions()
            .iter()
            .filter(|further| !own.contains(**further));
        self.functions().iter().chain(further).copied().collect()
    }

    /// How many tokens are the same in every context: `<END>`, `(`, `)`, the functions and `all_rows`.
    pub fn builtins(&self) -> usize {
        3 + self.count as usize + 1
    }
}

impl FromIterator<Function> for Lexicon {
    fn from_iter<I: IntoIterator<Item = Function>>(functions: I) -> Self {
        let functions: Vec<Function> = functions.into_iter().collect();
        Lexicon::of(&functions)
    }
}

/// The functions of files that name none.
impl Default for Lexicon {
    fn default() -> Self {
        Lexicon::PAPER
    }
}

/// Files have the names.
impl Serialize for Lexicon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

impl<'de> Deserialize<'de> for Lexicon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        Lexicon::named(&names).map_err(serde::de::Error::custom)
    }
}

impl std::fmt::Display for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.names().join(", "))
    }
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_functions_keep_their_places() {
        let names = Lexicon::PAPER.names().join(" ");
        assert_eq!(
            names,
            "hop argmax argmin filter> filter>= filter< filter<= filter= filter!= filter_in filter_!in first last \
             previous next count max min average sum mode same_as diff"
        );
        assert_eq!(Lexicon::PAPER.builtins(), 27);
    }

    #[test]
    fn further_functions_come_after_those_that_are_known() {
        let known = Lexicon::named(&["diff", "hop"]).unwrap();
        let more = known.and(&Lexicon::PAPER);
        assert_eq!(more.names()[..4], ["diff", "hop", "argmax", "argmin"]);
        assert_eq!(more.set(), Lexicon::PAPER.set());
        assert_eq!(Lexicon::named(&Lexicon::ALL.names()), Ok(Lexicon::ALL));
    }
}
