//! Kinds of questions, told by their words.

use mapo_questions::Question;
use mapo_text::read::Tag;
use serde::Serialize;
use std::fmt;

/// What a question asks for, by simple rules on its words. The first kind whose rule fits is the question's;
/// the rules look at words and not at what the answer is, so that "how many points did Anne get" counts as a
/// *how many* although its answer stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// Begins with a form of be, do or have, or with can, could, will, would, and has no "or".
    YesNo,
    /// Has "or", and a comparative, a superlative or such a beginning: which of two.
    Choice,
    /// Has "difference" or "apart", or a comparative within two words after "how many" or "how much".
    Difference,
    /// Has "average" or "mean".
    Average,
    /// Has "total", "combined", "altogether", "sum" or "in all", but not "total number of".
    Total,
    /// Has "how many" or "how often", begins with "count", or has "number of" without a superlative.
    HowMany,
    /// Has next, previous, following, preceding, prior, or after, before, above, below without a number or
    /// date within the next three words.
    Neighbour,
    /// Has first, last, top, bottom, earliest, latest, final.
    FirstLast,
    /// Has a superlative, most or least.
    Superlative,
    /// Has a comparative, "at least", "at most", over, under, above, below, after, before, since or between.
    Comparison,
    /// Has same, other, besides, except, else, also or not.
    OtherOrSame,
    /// Has when, or what or which with year, date, month or day after it.
    When,
    /// Has who, which, what, where, whose or name: a value is looked up.
    Lookup,
    /// Anything else.
    Rest,
}

const ASKING: &[&str] = &[
    "is", "are", "was", "were", "did", "does", "do", "has", "have", "had", "can", "could", "will", "would",
];

impl QuestionKind {
    /// All kinds, in the order in which their rules are tried.
    pub const ALL: [QuestionKind; 14] = [
        QuestionKind::YesNo,
        QuestionKind::Choice,
        QuestionKind::Difference,
        QuestionKind::Average,
        QuestionKind::Total,
        QuestionKind::HowMany,
        QuestionKind::Neighbour,
        QuestionKind::FirstLast,
        QuestionKind::Superlative,
        QuestionKind::Comparison,
        QuestionKind::OtherOrSame,
        QuestionKind::When,
        QuestionKind::Lookup,
        QuestionKind::Rest,
    ];

    /// The kind of a question.
    pub fn of(question: &Question) -> QuestionKind {
        let words = Words(question);
        let fits = |kind: &QuestionKind| kind.fits(&words);
        QuestionKind::ALL
            .into_iter()
            .find(fits)
            .unwrap_or(QuestionKind::Rest)
    }

    fn fits(self, words: &Words<'_>) -> bool {
        let asks = words.begins(ASKING);
        match self {
            QuestionKind::YesNo => asks && !words.have(&["or"]),
            QuestionKind::Choice => {
                words.have(&["or"]) && (asks || words.compare(0..words.len()) || words.superlative())
            }
            QuestionKind::Difference => {
                let mut amounts = words.all("how").filter(|at| {
                    let next = words.word(at + 1);
                    next == Some("many") || next == Some("much")
                });
                words.have(&["difference", "apart"]) || amounts.any(|at| words.compare(at + 2..at + 4))
            }
            QuestionKind::Average => words.have(&["average", "mean"]),
            QuestionKind::Total => {
                !words.phrase(&["total", "number", "of"])
                    && (words.have(&["total", "combined", "altogether", "sum"])
                        || words.phrase(&["in", "all"]))
            }
            QuestionKind::HowMany => {
                words.phrase(&["how", "many"])
                    || words.phrase(&["how", "often"])
                    || words.begins(&["count"])
                    || (words.phrase(&["number", "of"]) && !words.superlative())
            }
            QuestionKind::Neighbour => {
                let beside = ["after", "before", "above", "below"];
                let mut places = beside.iter().flat_map(|word| words.all(word));
                words.have(&["next", "previous", "following", "preceding", "prior"])
                    || places.any(|at| !words.quantity(at + 1..at + 4))
            }
            QuestionKind::FirstLast => {
                words.have(&["first", "last", "top", "bottom", "earliest", "latest", "final"])
            }
            QuestionKind::Superlative => words.superlative(),
            QuestionKind::Comparison => {
                words.compare(0..words.len())
                    || words.phrase(&["at", "least"])
                    || words.phrase(&["at", "most"])
                    || words.have(&[
                        "over", "under", "above", "below", "after", "before", "since", "between",
                    ])
            }
            QuestionKind::OtherOrSame => {
                words.have(&["same", "other", "besides", "except", "else", "also", "not", "n't"])
            }
            QuestionKind::When => {
                let times = ["year", "years", "date", "month", "day"];
                let mut asked = ["what", "which"].iter().flat_map(|word| words.all(word));
                words.have(&["when"])
                    || asked.any(|at| words.word(at + 1).is_some_and(|word| times.contains(&word)))
            }
            QuestionKind::Lookup => {
                words.have(&["who", "which", "what", "where", "whose", "whom", "name", "what's"])
            }
            QuestionKind::Rest => true,
        }
    }

    /// What the kind is called.
    pub fn name(self) -> &'static str {
        match self {
            QuestionKind::YesNo => "yes or no",
            QuestionKind::Choice => "one or the other",
            QuestionKind::Difference => "difference",
            QuestionKind::Average => "average",
            QuestionKind::Total => "total",
            QuestionKind::HowMany => "how many",
            QuestionKind::Neighbour => "next or previous",
            QuestionKind::FirstLast => "first or last",
            QuestionKind::Superlative => "superlative",
            QuestionKind::Comparison => "comparison",
            QuestionKind::OtherOrSame => "other or same",
            QuestionKind::When => "when",
            QuestionKind::Lookup => "look up",
            QuestionKind::Rest => "the rest",
        }
    }
}

impl fmt::Display for QuestionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

struct Words<'a>(&'a Question);

impl Words<'_> {
    fn len(&self) -> usize {
        self.0.tokens.len()
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.0.tokens.get(at).map(String::as_str)
    }

    fn have(&self, words: &[&str]) -> bool {
        self.0.tokens.iter().any(|token| words.contains(&token.as_str()))
    }

    fn begins(&self, words: &[&str]) -> bool {
        self.word(0).is_some_and(|word| words.contains(&word))
    }

    fn all(&self, word: &str) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |at| self.word(*at) == Some(word))
    }

    fn phrase(&self, words: &[&str]) -> bool {
        self.0.tokens.windows(words.len()).any(|window| window == words)
    }

    /// Whether a comparative is among these words.
    fn compare(&self, mut places: std::ops::Range<usize>) -> bool {
        places.any(|at| {
            let tag = self.0.tags.get(at);
            let listed = ["more", "less", "fewer"];
            matches!(tag, Some(Tag::ComparativeAdjective | Tag::ComparativeAdverb))
                || self.word(at).is_some_and(|word| listed.contains(&word))
        })
    }

    fn superlative(&self) -> bool {
        let tagged = self
            .0
            .tags
            .iter()
            .any(|tag| matches!(tag, Tag::SuperlativeAdjective | Tag::SuperlativeAdverb));
        // "At least" and "at most" are bounds.
        let bound = self.phrase(&["at", "least"]) || self.phrase(&["at", "most"]);
        !bound && (tagged || self.have(&["most", "least"]))
    }

    /// Whether one of these words is part of a number or a date.
    fn quantity(&self, places: std::ops::Range<usize>) -> bool {
        let mentions = self.0.mentions.iter();
        let numeric =
            mentions.filter(|mention| !matches!(mention.constant, mapo_tables::Constant::Strings(_)));
        let mut spans = numeric.map(|mention| &mention.span);
        spans.any(|span| span.start < places.end && places.start < span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_questions::Linking;
    use mapo_tables::TableBuilder;

    #[test]
    fn kinds_follow_from_words() {
        let cases = [
            (
                "is the area of one more than that of another?",
                QuestionKind::YesNo,
            ),
            ("does theodis or david play center?", QuestionKind::Choice),
            (
                "which is deeper, lake tuz or lake palas tuzla?",
                QuestionKind::Choice,
            ),
            (
                "how many more passengers flew to a than to b?",
                QuestionKind::Difference,
            ),
            ("what is the difference in points?", QuestionKind::Difference),
            ("what was the average number of years?", QuestionKind::Average),
            ("what are the total points of both?", QuestionKind::Total),
            (
                "what is the total number of pylons listed?",
                QuestionKind::HowMany,
            ),
            (
                "how many towns have more than 1000 people?",
                QuestionKind::HowMany,
            ),
            ("who ranked right after turkey?", QuestionKind::Neighbour),
            (
                "which composer produced a title after 2001?",
                QuestionKind::Comparison,
            ),
            ("who is the first away team on the chart", QuestionKind::FirstLast),
            ("which club had the most losses?", QuestionKind::Superlative),
            ("who had the highest number of wins?", QuestionKind::Superlative),
            ("which teams have at least 3 wins?", QuestionKind::Comparison),
            ("which players had the same position?", QuestionKind::OtherOrSame),
            ("in what year did keene win?", QuestionKind::When),
            ("who directed the film rajanna?", QuestionKind::Lookup),
            ("tell me about it", QuestionKind::Rest),
            ("", QuestionKind::Rest),
        ];
        let mut builder = TableBuilder::new("t", ["A"]);
        builder.push_row(["x"]);
        let table = builder.finish();
        for (text, kind) in cases {
            assert_eq!(
                QuestionKind::of(&Question::read(text, &table, Linking::Paper)),
                kind,
                "{text}"
            );
        }
    }
}
