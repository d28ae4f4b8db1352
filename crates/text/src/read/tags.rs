//! Comparatives and superlatives: the little part-of-speech knowledge that reading a question needs.
//!
//! English forms them by `-er` and `-est` on short adjectives, and by a handful of irregular words. Many more
//! nouns end the same way (`number`, `winner`, `november`, `forest`), so a form counts only if what is left
//! without the ending is an adjective or adverb that can be compared.

use serde::{Deserialize, Serialize};

use super::tokens::Token;

/// The part of speech of a token, as far as comparison goes, by the names of the Penn Treebank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tag {
    /// A comparative adjective: `larger`, `more`.
    #[serde(rename = "JJR")]
    ComparativeAdjective,
    /// A superlative adjective: `largest`, `least`.
    #[serde(rename = "JJS")]
    SuperlativeAdjective,
    /// A comparative adverb: `earlier`, `more` before an adjective.
    #[serde(rename = "RBR")]
    ComparativeAdverb,
    /// A superlative adverb: `most`.
    #[serde(rename = "RBS")]
    SuperlativeAdverb,
    /// Anything else.
    #[default]
    #[serde(rename = "other")]
    Other,
}

impl Tag {
    /// The name in the Penn Treebank, or `other`.
    pub fn name(self) -> &'static str {
        match self {
            Tag::ComparativeAdjective => "JJR",
            Tag::SuperlativeAdjective => "JJS",
            Tag::ComparativeAdverb => "RBR",
            Tag::SuperlativeAdverb => "RBS",
            Tag::Other => "other",
        }
    }

    /// The tag of a Penn Treebank name; every name that is not about comparison is [`Tag::Other`].
    pub fn from_name(name: &str) -> Tag {
        match name {
            "JJR" => Tag::ComparativeAdjective,
            "JJS" => Tag::SuperlativeAdjective,
            "RBR" => Tag::ComparativeAdverb,
            "RBS" => Tag::SuperlativeAdverb,
            _ => Tag::Other,
        }
    }
}

/// The tags of the tokens of a sentence.
///
/// ```
/// use mapo_text::read::{Tag, tag, tokenize};
/// let tags = tag(&tokenize("which player has the longest name?"));
/// assert_eq!(tags[4], Tag::SuperlativeAdjective);
/// assert!(tags.iter().filter(|t| **t != Tag::Other).count() == 1);
/// ```
pub fn tag(tokens: &[Token]) -> Vec<Tag> {
    (0..tokens.len())
        .map(|at| {
            let word = tokens[at].text.as_str();
            let before = at.checked_sub(1).map_or("", |i| tokens[i].text.as_str());
            let after = tokens.get(at + 1).map_or("", |t| t.text.as_str());
            match degree(word) {
                Some(Degree::Comparative) if is_adverbial(word, after) => Tag::ComparativeAdverb,
                Some(Degree::Comparative) => Tag::ComparativeAdjective,
                Some(Degree::Superlative) if word == "most" && !is_noun_phrase(before, after) => {
                    Tag::SuperlativeAdverb
                }
                Some(Degree::Superlative) => Tag::SuperlativeAdjective,
                None => Tag::Other,
            }
        })
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Degree {
    Comparative,
    Superlative,
}

fn degree(word: &str) -> Option<Degree> {
    match word {
        "more" | "less" | "fewer" | "better" | "worse" | "further" | "farther" | "lesser" | "elder" => {
            return Some(Degree::Comparative);
        }
        "most" | "least" | "best" | "worst" | "furthest" | "farthest" | "eldest" | "winningest" => {
            return Some(Degree::Superlative);
        }
        _ => {}
    }
    let (stem, degree) = match word.strip_suffix("est") {
        Some(stem) => (stem, Degree::Superlative),
        None => (word.strip_suffix("er")?, Degree::Comparative),
    };
    is_form_of_adjective(stem).then_some(degree)
}

/// Whether the stem of a form is that of an adjective: `tall`, `larg(e)`, `big(g)`, `bus(i → y)`.
fn is_form_of_adjective(stem: &str) -> bool {
    let mut letters = stem.chars().rev();
    let (Some(last), Some(last_but_one)) = (letters.next(), letters.next()) else {
        return false;
    };
    let shorter = &stem[..stem.len() - last.len_utf8()];
    ADJECTIVES.iter().any(|adjective| {
        *adjective == stem
            || adjective.strip_suffix('e') == Some(stem)
            || (last == last_but_one && *adjective == shorter)
            || (last == 'i' && adjective.strip_suffix('y') == Some(shorter))
    })
}

/// Whether a comparative stands as an adverb: `more` before an adjective, others at the end of their clause.
fn is_adverbial(word: &str, after: &str) -> bool {
    match word {
        "more" => looks_like_modifier(after) || matches!(after, "or" | ","),
        "less" => looks_like_modifier(after),
        "longer" | "faster" | "earlier" | "later" | "sooner" | "further" | "farther" => {
            matches!(after, "," | ":" | "?" | "." | "")
        }
        _ => false,
    }
}

/// Whether `most` stands for an amount: `at most 5`, `most of`.
fn is_noun_phrase(before: &str, after: &str) -> bool {
    before == "at" || matches!(after, "," | "of") || after.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word has the ending of an adjective that forms its comparative with `more`.
fn looks_like_modifier(word: &str) -> bool {
    const ENDINGS: [&str; 9] = ["ly", "ive", "ous", "ful", "ent", "ant", "ular", "able", "ible"];
    word.len() > 4 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Short adjectives and adverbs that are compared by an ending, in order of the alphabet. Not here: words
/// whose form is far more often something else (`numb`, `form`, `strange`).
const ADJECTIVES: [&str; 225] = [
    "able", "angry", "bald", "bare", "big", "bitter", "black", "bland", "bleak", "blue", "blunt", "bold",
    "brave", "brief", "bright", "broad", "brown", "bulky", "busy", "calm", "cheap", "cheeky", "chilly",
    "classy", "clean", "clear", "clever", "close", "cloudy", "coarse", "cold", "cool", "costly", "cozy",
    "crazy", "crisp", "cruel", "curly", "cute", "damp", "dark", "deadly", "dear", "deep", "dense", "dim",
    "dirty", "dry", "dull", "dusty", "early", "easy", "faint", "fair", "fancy", "far", "fast", "fat", "few",
    "fierce", "fine", "firm", "fit", "flat", "fluffy", "foggy", "fond", "fresh", "friendly", "full", "funny",
    "gentle", "grand", "grave", "gray", "greasy", "great", "green", "grey", "handsome", "handy", "happy",
    "hard", "hardy", "harsh", "healthy", "heavy", "high", "hilly", "holy", "hot", "huge", "humble", "hungry",
    "icy", "keen", "kind", "large", "late", "lazy", "lengthy", "light", "likely", "little", "lively",
    "lonely", "long", "loose", "loud", "lovely", "low", "lucky", "mad", "mean", "mighty", "mild", "moist",
    "muddy", "narrow", "nasty", "near", "neat", "new", "nice", "noble", "noisy", "odd", "old", "pale",
    "plain", "polite", "poor", "pretty", "proud", "pure", "quick", "quiet", "rainy", "rapid", "rare", "raw",
    "red", "remote", "rich", "ripe", "risky", "rocky", "rough", "round", "rude", "rural", "sad", "safe",
    "salty", "sandy", "scarce", "scary", "severe", "shallow", "sharp", "shiny", "short", "shy", "sick",
    "silly", "simple", "skinny", "slight", "slim", "slow", "small", "smart", "smelly", "smooth", "snowy",
    "soft", "solid", "soon", "sore", "speedy", "spicy", "steady", "steep", "stiff", "stormy", "straight",
    "strict", "strong", "stupid", "sturdy", "subtle", "sunny", "sure", "sweet", "swift", "tall", "tame",
    "tasty", "thick", "thin", "thirsty", "tidy", "tight", "tiny", "tough", "trendy", "true", "ugly",
    "unhappy", "vague", "vast", "warm", "wary", "wavy", "weak", "wealthy", "weird", "wet", "white", "wide",
    "wild", "windy", "wise", "worthy", "young",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tokenize;

    #[test]
    fn the_adjectives_are_sorted() {
        assert!(ADJECTIVES.is_sorted());
    }

    #[test]
    fn comparatives_and_superlatives() {
        for word in [
            "higher", "larger", "bigger", "busier", "better", "fewer", "later", "earlier", "wider", "hotter",
            "Younger",
        ] {
            let tags = tag(&tokenize(&format!("is it {word} than that")));
            assert_eq!(tags[2], Tag::ComparativeAdjective, "{word}");
        }
        for word in [
            "highest", "largest", "biggest", "busiest", "best", "fewest", "latest", "least", "driest",
            "Worst",
        ] {
            let tags = tag(&tokenize(&format!("the {word} one")));
            assert_eq!(tags[1], Tag::SuperlativeAdjective, "{word}");
        }
    }

    #[test]
    fn words_that_only_look_so() {
        for word in [
            "number", "player", "winner", "november", "west", "forest", "after", "other", "silver", "under",
            "center", "power", "contest", "guest", "interest", "tier", "summer", "order", "test", "her",
            "est", "er", "river", "quarter", "upper", "former", "together", "never", "priest", "modest",
            "ernest",
        ] {
            assert_eq!(tag(&tokenize(word)), [Tag::Other], "{word}");
        }
    }

    #[test]
    fn adverbs() {
        let tags = |text: &str| tag(&tokenize(text));
        assert_eq!(tags("the most popular")[1], Tag::SuperlativeAdverb);
        assert_eq!(tags("at most 5")[1], Tag::SuperlativeAdjective);
        assert_eq!(tags("more expensive")[0], Tag::ComparativeAdverb);
        assert_eq!(tags("more than")[0], Tag::ComparativeAdjective);
        assert_eq!(tags("which came earlier, a or b")[2], Tag::ComparativeAdverb);
    }
}
