//! Conditions on rows, with the words that say them.

mod compared;
mod dates;
mod numbers;
mod values;

use crate::choices::Choices;
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Test;

pub(crate) use numbers::{numbers_of, with_commas};

/// A condition and how it is said.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub test: Test,
    pub said: Said,
    /// Which column it is about.
    pub source: usize,
    /// The value of a cell that it names, as it is typed.
    pub value: Option<String>,
    /// The rows that meet it.
    pub rows: Vec<usize>,
}

/// Where the words of a condition stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Before the noun: "red" cars.
    Before(String),
    /// After it: cars "from Italy".
    With(String),
    /// After it and "that": cars that "cost more than 300".
    That(String),
    /// In its place: "sedans", and one of them.
    As { many: String, one: String },
}

impl Said {
    /// Whether it begins with what was done to rows, or what they do: "made by Corvo", "playing for Reds".
    pub fn tells(&self) -> bool {
        let Said::With(with) = self else { return false };
        let first = with.split(' ').next().unwrap_or_default();
        first.ends_with("ing") || crate::headers::is_participle(first)
    }

    /// Whether it has a verb of its own: "that cost 300", "whose price is 300".
    pub fn is_clause(&self) -> bool {
        match self {
            Said::That(_) => true,
            Said::With(with) => ["whose ", "where ", "when "]
                .iter()
                .any(|word| with.starts_with(word)),
            _ => false,
        }
    }

    /// Words that stand after the noun, with "that" or without.
    fn after(words: String) -> Said {
        let that = ["that ", "who ", "which "]
            .iter()
            .find_map(|pronoun| words.strip_prefix(pronoun));
        match that {
            Some(that) => Said::That(that.to_owned()),
            None => Said::With(words),
        }
    }
}

/// No group value that is longer is named in a question.
const LONGEST: usize = 40;

impl Condition {
    /// A condition of any kind, on a column other than those.
    pub fn draw(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        let drawn = match choices.below(11) {
            0..=5 => Condition::group(profile, without, choices),
            6..=8 => Condition::compared(profile, without, choices),
            9 => Condition::equal_number(profile, without, choices),
            _ => Condition::dated(profile, without, choices),
        };
        drawn.or_else(|| Condition::group(profile, without, choices))
    }
}

/// What a column is called: by its header, or by what it measures where no other column does.
pub(crate) fn noun_of(facet: &Facet, choices: &mut Choices) -> String {
    let other = match (facet.measure, facet.topic) {
        (Some(measure), _) if facet.alone && choices.one_in(4) => {
            choices.pick(measure.nouns).map(|noun| (*noun).to_owned())
        }
        (_, Some(topic)) if facet.alone && choices.one_in(4) => {
            choices.pick(topic.nouns).map(|(noun, _)| (*noun).to_owned())
        }
        _ => None,
    };
    match other {
        // Things counted stay counted, amounts amounts.
        Some(other) if facet.role != Role::Count || crate::headers::is_plural(&other) => other,
        _ => facet.noun(choices),
    }
}

/// A value as people type it: often in small letters.
pub(crate) fn in_case(value: &str, choices: &mut Choices) -> String {
    match choices.below(5) {
        0 | 1 => value.to_lowercase(),
        _ => value.to_owned(),
    }
}
