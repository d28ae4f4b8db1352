//! Words too common to say which cell or column is meant.

/// Whether a word says nothing about which cell or column is meant.
pub fn is_stop_word(word: &str) -> bool {
    word.is_empty() || STOP_WORDS.binary_search(&word).is_ok()
}

/// In byte order, to be searched.
#[rustfmt::skip]
const STOP_WORDS: [&str; 156] = [
    "!", "'d", "'ll", "'m", "'re", "'s", "'t", "'ve", ",", "-", ".", ":", ";", "?", "a", "about", "above",
    "after", "again", "against", "all", "am", "an", "and", "any", "are", "aren", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "cannot", "could",
    "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for",
    "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself",
    "let", "many", "me", "more", "most", "mustn", "my", "myself", "no", "nor", "not", "of", "off", "on",
    "once", "only", "or", "other", "ought", "our", "ours", "ourselves", "out", "over", "own", "same",
    "shan", "she", "should", "shouldn", "so", "some", "such", "than", "that", "the", "their", "theirs",
    "them", "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "under", "until", "up", "very", "was", "wasn", "we", "were", "weren", "what", "when", "where", "which",
    "while", "who", "whom", "why", "with", "would", "wouldn", "you", "your", "yours", "yourself",
    "yourselves",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("'s") && is_stop_word("") && !is_stop_word("tulsa"));
    }
}
