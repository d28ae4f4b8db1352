//! Finding the strings of a question that stand in cells as they are.

use crate::haystack::Haystack;
use crate::mention::Mention;
use crate::stop_words::is_stop_word;
use mapo_tables::Constant;
use mapo_text::normalize;

/// The longest string that starts at a token and occurs in a cell at every length on the way.
pub(crate) fn grow(tokens: &[String], start: usize, haystack: Haystack<'_>) -> Option<Mention> {
    let token = &tokens[start];
    if is_stop_word(token) || found_form(token, haystack).is_none() {
        return None;
    }
    let mut text = token.clone();
    let mut end = start + 1;
    while let Some(longer) = tokens.get(end).and_then(|next| extend(&text, next, haystack)) {
        text = longer;
        end += 1;
    }
    let text = found_form(&text, haystack)?;
    Some(Mention {
        constant: Constant::string(text),
        span: start..end,
    })
}

/// The string in normal form, or as it is where cells are not in normal form, whichever occurs.
pub(crate) fn found_form(text: &str, haystack: Haystack<'_>) -> Option<String> {
    [normalize(text), text.to_owned()]
        .into_iter()
        .find(|form| haystack.has(form))
}

/// The string with the next token, in the first way of joining them that occurs in a cell: as they are or in
/// normal form, with a blank, a hyphen or nothing between. A full stop, whose normal form is nothing, joins
/// nothing.
pub(crate) fn extend(text: &str, next: &str, haystack: Haystack<'_>) -> Option<String> {
    let (normal_text, normal_next) = (normalize(text), normalize(next));
    for text in [text, &normal_text] {
        for next in [next, &normal_next] {
            if text.is_empty() || next.is_empty() {
                continue;
            }
            for between in [" ", "-", ""] {
                let joined = format!("{text}{between}{next}");
                if haystack.has(&joined) {
                    return Some(joined);
                }
            }
        }
    }
    None
}
