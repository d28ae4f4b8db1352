//! Other forms of a word: what is left of a plural, and how far apart two spellings are.

/// What the forms of a word have in common: `goalie` and `goalies`, `country` and `countries` have the same
/// stem. Words that are not plain letters are their own stems.
///
/// Only plurals come off. The endings of verbs would make one word of `races` and `racing`, `ranked` and
/// `ranking`: what a question does and what a cell is about.
pub fn stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    singular(word)
}

/// All words that have the [`stem`] of a word, itself included.
pub fn plurals_and_singular(word: &str) -> Vec<String> {
    let stem_of_word = stem(word);
    let mut forms = vec![
        word.to_owned(),
        stem_of_word.clone(),
        format!("{stem_of_word}s"),
        format!("{stem_of_word}es"),
    ];
    if let Some(root) = stem_of_word.strip_suffix('y') {
        forms.extend([format!("{root}ies"), format!("{root}ie")]);
    }
    forms.retain(|form| stem(form) == stem_of_word);
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// The word without the ending of a plural.
fn singular(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies")
        && root.len() >= 3
    {
        // The singular of `movies` ends in `-ie`, that of `countries` in `-y`: both become `-y`.
        return format!("{root}y");
    }
    if let Some(root) = word.strip_suffix("ie")
        && root.len() >= 3
    {
        return format!("{root}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zzes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let is_plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    match is_plural {
        true => word[..word.len() - 1].to_owned(),
        false => word.to_owned(),
    }
}

/// Whether a long word is another with one or two letters mistaken: one for words of at least six letters,
/// two for those of at least nine. The first letter is never mistaken, and the last neither: `office` and
/// `officer`, `weighs` and `weight` are two words.
pub fn is_misspelt(word: &str, meant: &str) -> bool {
    let allowed = match word.len().min(meant.len()) {
        0..6 => return false,
        6..9 => 1,
        _ => 2,
    };
    word.as_bytes().first() == meant.as_bytes().first()
        && word.as_bytes().last() == meant.as_bytes().last()
        && word.len().abs_diff(meant.len()) <= allowed
        && distance(word.as_bytes(), meant.as_bytes(), allowed) <= allowed
}

/// Whether a word of five letters or more is another with one letter left out, doubled or swapped with its
/// neighbour. Unlike in [`is_misspelt`] no letter is changed, which makes another word of most short ones.
pub fn is_slip(word: &str, meant: &str) -> bool {
    let (a, b) = (word.as_bytes(), meant.as_bytes());
    let is_plain = |word: &[u8]| word.len() >= 5 && word.iter().all(u8::is_ascii_lowercase);
    if !is_plain(a) || !is_plain(b) || a == b || a[0] != b[0] {
        return false;
    }
    let is_end_right = a[a.len() - 1] == b[b.len() - 1];
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    match a.len() as isize - b.len() as isize {
        0 => {
            same + 1 < a.len()
                && a[same] == b[same + 1]
                && a[same + 1] == b[same]
                && a[same + 2..] == b[same + 2..]
        }
        1 => is_end_right && a[same + 1..] == b[same..],
        -1 => is_end_right && a[same..] == b[same + 1..],
        _ => false,
    }
}

/// Whether two words are made of one root: `retired` and `retirement`, `cancelled` and `cancellation`. Both
/// are the same letters, five at least, with an ending that makes nouns, adjectives or forms of verbs; of four
/// letters only the commonest endings make another word.
pub fn are_related(one: &str, other: &str) -> bool {
    if !(one.is_ascii() && other.is_ascii()) {
        return false;
    }
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let are_endings =
        |at: usize, endings: &[&str]| [one, other].iter().all(|word| endings.contains(&&word[at..]));
    let is_short = same == 4 && one.len().min(other.len()) == 4;
    (5..=same).any(|at| are_endings(at, &ENDINGS)) || is_short && are_endings(4, &COMMONEST_ENDINGS)
}

const COMMONEST_ENDINGS: [&str; 8] = ["", "ed", "er", "ers", "es", "ing", "s", "y"];

/// What is put behind a root.
const ENDINGS: [&str; 42] = [
    "", "able", "al", "ally", "ance", "ant", "ants", "ate", "ated", "ation", "ations", "d", "e", "ed",
    "ence", "ent", "er", "ers", "es", "ful", "ic", "ical", "ied", "ies", "ing", "ings", "ion", "ions", "ist",
    "ists", "ity", "ive", "less", "ly", "ment", "ments", "ness", "or", "ors", "r", "s", "y",
];

/// How many letters must be added, left out, changed or swapped with their neighbour to get from one word to
/// the other; anything above `most` may be too small.
fn distance(a: &[u8], b: &[u8], most: usize) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        if row.iter().all(|cost| *cost > most) {
            return most + 1;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["goalie", "goalies"][..],
            &["draw", "draws"],
            &["country", "countries"],
            &["church", "churches"],
            &["house", "houses"],
            &["movie", "movies"],
            &["loss", "losses"],
            &["time", "times"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms:?}: {stems:?}");
        }
    }

    #[test]
    fn other_words_have_other_stems() {
        for (a, b) in [
            ("bus", "bu"),
            ("times", "tim"),
            ("tennis", "tenni"),
            ("1990s", "1990"),
            ("races", "racing"),
        ] {
            assert!(stem(a) != stem(b), "{a} and {b}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_word_of_a_stem_is_among_its_forms(root in "[a-z]{0,5}", ending in "(s|es|ies|ie|y|ss|us|is|sses|xes|ches|shes|zzes|)") {
            let word = format!("{root}{ending}");
            let forms = plurals_and_singular(&stem(&word));
            proptest::prop_assert!(forms.contains(&word) || stem(&stem(&word)) != stem(&word), "{word} {forms:?}");
            let forms = plurals_and_singular(&word);
            proptest::prop_assert!(forms.contains(&word));
            // Whatever ends otherwise and has the same stem is found from here too.
            for other in ["", "s", "es", "ies", "ie", "y"].map(|ending| format!("{root}{ending}")) {
                proptest::prop_assert!(stem(&other) != stem(&word) || forms.contains(&other), "{word} {other} {forms:?}");
            }
        }
    }

    #[test]
    fn words_of_one_root_are_related() {
        for (one, other) in [
            ("retired", "retirement"),
            ("cancelled", "cancellation"),
            ("resigned", "resignation"),
            ("delivered", "delivery"),
            ("contractors", "contract"),
            ("rainy", "rain"),
            ("employed", "employee"),
        ] {
            assert!(
                are_related(one, other) && are_related(other, one),
                "{one} {other}"
            );
        }
        for (one, other) in [
            ("man", "many"),
            ("race", "rank"),
            ("adult", "adultery"),
            ("horse", "house"),
            ("star", "start"),
            ("mill", "million"),
            ("café", "cafés"),
        ] {
            assert!(!are_related(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_slip_changes_no_letter() {
        for (slip, meant) in [
            ("ferari", "ferrari"),
            ("flroida", "florida"),
            ("tokkyo", "tokyo"),
            ("lodon", "london"),
            ("salme", "salem"),
        ] {
            assert!(is_slip(slip, meant), "{slip} {meant}");
        }
        for (word, other) in [
            ("horse", "house"),
            ("tokyo", "tokyo"),
            ("start", "smart"),
            ("game", "gme"),
            ("plane", "planes"),
        ] {
            assert!(!is_slip(word, other), "{word} {other}");
        }
    }

    #[test]
    fn only_long_words_are_misspelt() {
        assert!(is_misspelt("schwarzeneger", "schwarzenegger"));
        assert!(is_misspelt("liverpol", "liverpool"));
        assert!(is_misspelt("recieve", "receive"));
        assert!(is_misspelt("philadephlia", "philadelphia"));
        assert!(!is_misspelt("horse", "house"));
        assert!(!is_misspelt("winner", "dinner"));
        assert!(!is_misspelt("marathon", "maraton1x"));
        assert!(!is_misspelt("player", "prayers"));
        assert!(!is_misspelt("office", "officer"));
    }
}
