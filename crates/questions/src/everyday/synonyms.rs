//! Words that mean the same and that no spelling leads from one to the other.
//!
//! The list is short on purpose. It has what people and tables of many kinds say differently: what a person
//! is, yes and no, the names of months and days, and words whose forms are irregular. What only some trade says
//! differently is for the network's word vectors and for the user's own training.

/// Words of one meaning, and the codes that a column of codes has for it.
pub(super) struct Meaning {
    /// Any of them may stand in the question, and any other in the cells.
    pub words: &'static [&'static str],
    /// Whole cells only, of a column whose cells are all as short.
    pub codes: &'static [&'static str],
}

const fn words(words: &'static [&'static str]) -> Meaning {
    Meaning { words, codes: &[] }
}

const fn coded(words: &'static [&'static str], codes: &'static [&'static str]) -> Meaning {
    Meaning { words, codes }
}

#[rustfmt::skip]
pub(super) const MEANINGS: &[Meaning] = &[
    // Forms ask for women or girls, tables say `female` or `F`.
    coded(&["female", "females", "woman", "women", "girl", "girls", "lady", "ladies", "feminine"], &["f", "w"]),
    coded(&["male", "males", "man", "men", "boy", "boys", "gentleman", "gentlemen", "masculine"], &["m"]),
    coded(&["yes", "true"], &["y", "t"]),
    coded(&["no", "false"], &["n", "f"]),
    // Irregular forms.
    words(&["child", "children", "kid", "kids"]),
    words(&["person", "persons", "people"]),
    words(&["wife", "wives"]), words(&["life", "lives"]), words(&["wolf", "wolves"]), words(&["knife", "knives"]),
    words(&["leaf", "leaves"]), words(&["half", "halves"]), words(&["foot", "feet"]), words(&["tooth", "teeth"]),
    words(&["goose", "geese"]), words(&["mouse", "mice"]),
    words(&["die", "dies", "died", "dying", "dead", "death", "deaths", "deceased"]),
    words(&["sell", "sells", "sold", "selling", "sale", "sales"]),
    words(&["buy", "buys", "bought", "buying", "purchase", "purchases", "purchased"]),
    words(&["pay", "pays", "paid", "paying", "payment", "payments"]),
    words(&["lose", "loses", "lost", "losing", "loss", "losses", "defeat", "defeats", "defeated"]),
    words(&["win", "wins", "won", "winning", "victory", "victories"]),
    words(&["draw", "draws", "drew", "drawn", "tie", "ties", "tied"]),
    words(&["send", "sends", "sent", "sending", "shipped", "shipment"]),
    words(&["fly", "flies", "flew", "flown", "flying", "flight"]),
    words(&["grow", "grows", "grew", "grown", "growing", "growth"]),
    words(&["choose", "chooses", "chose", "chosen", "choice"]),
    words(&["cancel", "cancels", "canceled", "cancelled", "canceling", "cancelling", "cancellation", "cancelation"]),
    // Spelt differently on two sides of the ocean.
    words(&["gray", "grey"]), words(&["theater", "theatre"]), words(&["center", "centre"]),
    words(&["organization", "organisation"]), words(&["color", "colour"]), words(&["tire", "tyre"]),
    // Short for long.
    words(&["january", "jan"]), words(&["february", "feb"]), words(&["march", "mar"]), words(&["april", "apr"]),
    words(&["june", "jun"]), words(&["july", "jul"]), words(&["august", "aug"]),
    words(&["september", "sep", "sept"]), words(&["october", "oct"]), words(&["november", "nov"]),
    words(&["december", "dec"]),
    words(&["monday", "mondays", "mon"]), words(&["tuesday", "tuesdays", "tue", "tues"]),
    words(&["wednesday", "wednesdays", "wed"]), words(&["thursday", "thursdays", "thu", "thur", "thurs"]),
    words(&["friday", "fridays", "fri"]), words(&["saturday", "saturdays", "sat"]),
    words(&["sunday", "sundays", "sun"]),
    words(&["automatic", "auto"]), words(&["doctor", "dr"]), words(&["saint", "st"]), words(&["street", "st"]),
    words(&["avenue", "ave"]), words(&["road", "rd"]), words(&["mount", "mt"]), words(&["company", "co"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_text::normalize;

    #[test]
    fn every_word_is_in_normal_form_and_no_meaning_has_one_twice() {
        for meaning in MEANINGS {
            let all: Vec<&str> = meaning.words.iter().chain(meaning.codes).copied().collect();
            for (place, word) in all.iter().enumerate() {
                assert_eq!(normalize(word), *word);
                assert!(!all[..place].contains(word), "{word} twice");
            }
            assert!(all.len() > 1);
        }
    }
}
