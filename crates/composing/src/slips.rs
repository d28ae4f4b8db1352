//! How people type: without capitals, without question marks, with politeness or a slip.

use crate::choices::Choices;

const BEGINNINGS: &[&str] = &[
    "please tell me ",
    "can you tell me ",
    "i want to know ",
    "tell me, ",
    "hi, ",
    "so ",
    "could you say ",
];

/// Words with one blank between them, and none before a mark.
fn spaced(question: &str) -> String {
    let text = question.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace(" ?", "?").replace(" ,", ",")
}

/// A question as it is printed: with its mark, where it is one.
pub(crate) fn neat(question: &str) -> String {
    let text = spaced(question);
    let asks = [
        "what", "which", "who", "whose", "how", "when", "where", "is", "are", "was", "were", "do", "does",
        "did", "has", "have", "in which", "on which", "at which",
    ];
    let is_question = asks.iter().any(|word| {
        let rest = text.to_lowercase();
        rest.strip_prefix(word)
            .is_some_and(|rest| rest.starts_with([' ', '\'']))
    });
    match text.ends_with(['?', '.', '!']) || !is_question {
        true => text,
        false => format!("{text}?"),
    }
}

/// A question as someone typed it.
pub(crate) fn typed(question: &str, choices: &mut Choices) -> String {
    let mut text = spaced(question);
    if choices.one_in(40)
        && let Some(beginning) = choices.pick(BEGINNINGS)
        && ["what", "which", "who", "how", "when", "where"]
            .iter()
            .any(|word| text.starts_with(word))
    {
        text = format!("{beginning}{text}");
    }
    if choices.one_in(3) {
        text = text.trim_end_matches('?').to_owned();
    } else if choices.one_in(6) && !text.ends_with('?') {
        text.push('?');
    }
    if choices.one_in(3) {
        let mut letters = text.chars();
        let first: String = letters
            .next()
            .map(|first| first.to_uppercase().collect())
            .unwrap_or_default();
        text = first + letters.as_str();
    }
    if choices.one_in(25) {
        text = with_a_slip(&text, choices);
    }
    text
}

/// Two neighbouring letters of a longer word in the wrong order, or one of them left out.
fn with_a_slip(text: &str, choices: &mut Choices) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let long: Vec<usize> = (0..words.len())
        .filter(|word| words[*word].len() >= 6 && words[*word].chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    if let Some(word) = choices.pick(&long) {
        let mut letters: Vec<char> = words[*word].chars().collect();
        let place = 1 + choices.below(letters.len() - 3);
        match choices.one_in(2) {
            true => letters.swap(place, place + 1),
            false => {
                letters.remove(place);
            }
        }
        words[*word] = letters.into_iter().collect();
    }
    words.join(" ")
}
