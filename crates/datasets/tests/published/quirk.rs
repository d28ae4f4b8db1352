//! What the published code does otherwise than we do.

use std::fmt;
use std::ops::BitOr;

/// One thing that the published code does otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quirk {
    // Tables.
    EmptyColumns,
    EscapedCells,
    // Questions.
    PublishedTokens,
    InsideWords,
    DatesAreText,
    NothingIsEverywhere,
    NormalFormOnly,
    OneOr,
    Duplicates,
    YearsAreNoValues,
    YearRangesAreNoValues,
    OnlyPlainNumbers,
    FirstDigits,
    NumbersByToken,
    FeaturesBeforeGrowth,
    FeaturesOfStringsOnly,
    CaseOfQuestion,
    // The language.
    NumbersMeetDates,
    DatesOrderAsText,
    DatesEqualAsText,
    DatesAsDays,
    ArgumentsUnchecked,
    FunctionsUnchecked,
    // Rewards.
    NullIsRewarded,
}

impl Quirk {
    /// All of them, in the order in which an explanation tries to do without them: where two explain the
    /// same, the later one is named.
    pub const ALL: [Quirk; 24] = [
        Quirk::EmptyColumns,
        Quirk::EscapedCells,
        Quirk::PublishedTokens,
        Quirk::InsideWords,
        Quirk::DatesAreText,
        Quirk::NothingIsEverywhere,
        Quirk::NormalFormOnly,
        Quirk::OneOr,
        Quirk::Duplicates,
        Quirk::YearsAreNoValues,
        Quirk::YearRangesAreNoValues,
        Quirk::OnlyPlainNumbers,
        Quirk::FirstDigits,
        Quirk::NumbersByToken,
        Quirk::FeaturesBeforeGrowth,
        Quirk::FeaturesOfStringsOnly,
        Quirk::CaseOfQuestion,
        Quirk::NumbersMeetDates,
        Quirk::DatesOrderAsText,
        Quirk::DatesEqualAsText,
        Quirk::DatesAsDays,
        Quirk::ArgumentsUnchecked,
        Quirk::FunctionsUnchecked,
        Quirk::NullIsRewarded,
    ];

    /// What the published code does, in a few words.
    pub fn says(self) -> &'static str {
        match self {
            Quirk::EmptyColumns => "columns without values stay",
            Quirk::EscapedCells => "cells keep `\\n`, `\\p` and `\\\\`",
            Quirk::PublishedTokens => {
                "tokens are written otherwise (`-lrb-`, `\\/`), on WikiSQL cut otherwise too"
            }
            Quirk::InsideWords => "strings are found inside words",
            Quirk::DatesAreText => "strings are found in dates",
            Quirk::NothingIsEverywhere => "a token without a normal form is found everywhere, and swallowed",
            Quirk::NormalFormOnly => "strings are looked for and kept in normal form only",
            Quirk::OneOr => "only the first \"or\" joins strings (WikiSQL: none does)",
            Quirk::Duplicates => "equal constants are several: one a token, one a mention",
            Quirk::YearsAreNoValues => "a year is neither number nor date",
            Quirk::YearRangesAreNoValues => "a range of years is nothing",
            Quirk::OnlyPlainNumbers => "ordinals, money, percentages and durations are no numbers",
            Quirk::FirstDigits => "a number is its first digits: no sign, exponent, range or fraction",
            Quirk::NumbersByToken => "numbers are the tokens that parse as one (WikiSQL)",
            Quirk::FeaturesBeforeGrowth => "features are set before a string grows",
            Quirk::FeaturesOfStringsOnly => "numbers and dates in the table set no feature",
            Quirk::CaseOfQuestion => "capitals hide a column's words in the question",
            Quirk::FunctionsUnchecked => "functions are offered whether or not they have arguments",
            Quirk::ArgumentsUnchecked => "arguments are offered that no further argument fits",
            Quirk::NumbersMeetDates => "numbers are compared with dates",
            Quirk::DatesOrderAsText => "max, min and inequalities order dates as text",
            Quirk::DatesEqualAsText => "filter= and filter!= compare dates as text",
            Quirk::DatesAsDays => "argmax and argmin order dates as 365y + 30m + d",
            Quirk::NullIsRewarded => "any empty result is rewarded where the answer is NULL",
        }
    }
}

/// A set of quirks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quirks(u32);

impl fmt::Debug for Quirks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Quirks {
    /// Ours.
    pub const NONE: Quirks = Quirks(0);

    /// The published code.
    pub const ALL: Quirks = Quirks((1 << Quirk::ALL.len()) - 1);

    pub const fn of(quirks: &[Quirk]) -> Quirks {
        let (mut set, mut index) = (0, 0);
        while index < quirks.len() {
            set |= 1 << quirks[index] as u32;
            index += 1;
        }
        Quirks(set)
    }

    pub fn has(self, quirk: Quirk) -> bool {
        self.0 >> quirk as u32 & 1 == 1
    }

    pub fn without(self, quirk: Quirk) -> Quirks {
        Quirks(self.0 & !(1 << quirk as u32))
    }

    /// Those that are also in `mask`.
    pub fn within(self, mask: Quirks) -> Quirks {
        Quirks(self.0 & mask.0)
    }

    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub fn iter(self) -> impl Iterator<Item = Quirk> {
        Quirk::ALL.into_iter().filter(move |quirk| self.has(*quirk))
    }

    /// The quirks that are left when each that can be left out is, in their order, with `published` still
    /// holding. None of what is left can be left out, so it is an explanation.
    pub fn needed_for(mut published: impl FnMut(Quirks) -> bool) -> Quirks {
        assert!(
            published(Quirks::ALL),
            "the quirks together do not give the published answer"
        );
        let mut needed = Quirks::ALL;
        // Most can go, this many are tried at once.
        let mut groups = vec![Quirk::ALL.to_vec()];
        while let Some(mut group) = groups.pop() {
            let fewer = group.iter().fold(needed, |quirks, quirk| quirks.without(*quirk));
            if published(fewer) {
                needed = fewer;
            } else if group.len() > 1 {
                let second = group.split_off(group.len() / 2);
                groups.extend([second, group]);
            }
        }
        // A quirk may be needed only for another that went after it.
        while let Some(quirk) = needed.iter().find(|quirk| published(needed.without(*quirk))) {
            needed = needed.without(quirk);
        }
        needed
    }
}

impl BitOr for Quirks {
    type Output = Quirks;

    fn bitor(self, other: Quirks) -> Quirks {
        Quirks(self.0 | other.0)
    }
}

#[test]
fn quirks_are_listed_in_the_order_of_their_bits() {
    for (index, quirk) in Quirk::ALL.into_iter().enumerate() {
        assert_eq!(quirk as usize, index);
    }
}

#[test]
fn only_needed_quirks_are_named() {
    let (a, b) = (Quirk::EscapedCells, Quirk::InsideWords);
    let needed = Quirks::needed_for(|quirks| quirks.has(a) && quirks.has(b));
    assert_eq!(needed, Quirks::of(&[a, b]));
    let either = Quirks::needed_for(|quirks| quirks.has(a) || quirks.has(b));
    assert_eq!(either, Quirks::of(&[b]));
}
