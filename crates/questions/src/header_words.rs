//! The words of a header, as a question might say them.

use crate::abbreviations::{long_words, long_words_in_question};
use crate::linking::Linking;
use mapo_tables::{Column, Table};
use mapo_text::fold;

/// The words of a column's name. In everyday linking they are cut and spelt out as people would say them:
/// `avgTemp`, `avg_temp` and `Avg. temp` are all `average`, `temperature`.
///
/// ```
/// use mapo_questions::{Linking, column_words};
/// use mapo_tables::TableBuilder;
/// let table = TableBuilder::new("weather", ["avg_temp"]).finish();
/// let words = |linking| column_words(&table, &table.columns()[0], linking).collect::<Vec<_>>();
/// assert_eq!(words(Linking::Wide), ["avg", "temp"]);
/// assert_eq!(words(Linking::Everyday), ["average", "temperature"]);
/// ```
pub fn column_words<'t>(
    table: &'t Table,
    column: &'t Column,
    linking: Linking,
) -> Box<dyn Iterator<Item = &'t str> + 't> {
    if linking != Linking::Everyday {
        return Box::new(column.words());
    }
    match words_of_header(table, column.source()) {
        [] => Box::new(column.words()),
        words => Box::new(words.iter().map(String::as_str)),
    }
}

/// The words of a header as people would say them.
pub(crate) fn words_of_header(table: &Table, source: usize) -> &[String] {
    struct Spelt(Vec<Vec<String>>);
    let spelt =
        table.derived(|table| Spelt(table.headers().iter().map(|header| spelt_out(header)).collect()));
    spelt.0.get(source).map_or(&[], Vec::as_slice)
}

/// The long words of an abbreviation in a question: `avg` is `average`.
pub fn spelt_out_word(word: &str) -> &'static [&'static str] {
    long_words_in_question(word).unwrap_or_default()
}

/// The words of a header with abbreviations spelt out, each once.
fn spelt_out(header: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    };
    for word in cut(header) {
        match (long_words(&word), word.as_str()) {
            (Some(long), _) => long.iter().for_each(|word| add(word)),
            (None, "%") => add("percent"),
            (None, "#") => add("number"),
            (None, word) => add(word),
        }
    }
    words
}

/// The words of a header, in small letters: cut at whatever is no letter or digit, where a capital begins a word (`HomeTeam`, `GDPGrowth`)
/// and between a word and a number (`series8`). `%` and `#` alone say something too.
///
/// ```
/// assert_eq!(mapo_questions::cut("numPages"), ["num", "pages"]);
/// ```
pub fn cut(header: &str) -> Vec<String> {
    let letters: Vec<char> = header.chars().collect();
    let mut parted = String::new();
    for (at, &c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let begins = before.is_some_and(|before| {
            // The plural `IDs` is one word.
            let rest = &letters[at + 1..];
            let next_is_small = rest.len() > 1 && rest[..2].iter().all(|next| next.is_lowercase());
            let camel = c.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && next_is_small);
            let run = |from: &mut dyn Iterator<Item = &char>| from.take_while(|c| c.is_alphabetic()).count();
            let number = c.is_ascii_digit() && run(&mut letters[..at].iter().rev()) >= 3;
            let word = before.is_ascii_digit() && c.is_alphabetic() && run(&mut letters[at..].iter()) >= 3;
            camel || number || word
        });
        match c {
            _ if c.is_alphanumeric() => {
                if begins {
                    parted.push(' ');
                }
                parted.push(c);
            }
            // An apostrophe parts no word: `veteran's` is `veteran`, `s`, and the `s` says nothing.
            '\'' | '\u{2019}' => parted.push('\''),
            '%' | '#' => parted.extend([' ', c, ' ']),
            _ => parted.push(' '),
        }
    }
    let folded = fold(&parted);
    let words = folded.split(' ').map(|word| {
        let word = word.strip_suffix("'s").unwrap_or(word);
        word.trim_matches('\'').replace('\'', "")
    });
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_cut_and_spelt_out() {
        for (header, expected) in [
            ("Home city", "home city"),
            ("HomeTeam", "home team"),
            ("GDPGrowth", "gross domestic product growth"),
            ("avg_temp", "average temperature"),
            ("Area (sq. mi.)", "area square miles"),
            ("Literacy (%)", "literacy percent"),
            ("# of pages", "number of pages"),
            ("oscar_no", "oscar number"),
            ("Owner's age", "owner age"),
            ("series8", "series 8"),
            ("helmet_12m", "helmet 12m"),
            ("Größe", "große"),
            ("DOB", "date birth"),
            ("IDs", "ids"),
            ("num_num", "number"),
            ("...", ""),
        ] {
            assert_eq!(spelt_out(header).join(" "), expected, "{header}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_letter_of_a_header_without_abbreviations_is_in_its_words(header in "([A-Z]?[e-h]{6,9}[ _-]?){1,4}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            proptest::prop_assert_eq!(letters(&cut(&header).concat()), letters(&header));
        }
    }
}
