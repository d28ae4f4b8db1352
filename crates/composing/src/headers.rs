//! Headers as files write them and as people say them.

use crate::choices::Choices;
use mapo_questions::abbreviations::{long_words, short_forms};
use mapo_questions::cut;
use mapo_tables::column_name;

/// Words that make a number of things of the words behind them.
const COUNTING: &[&[&str]] = &[
    &["number", "of"],
    &["num"],
    &["no", "of"],
    &["count", "of"],
    &["total", "number", "of"],
    &["n"],
    &["nr"],
    &["number"],
];

/// The words of a header, lower-cased: `numPages` and `Num_pages` are "num pages". What is in brackets is a
/// unit or a remark and is left out.
pub(crate) fn words(header: &str) -> Vec<String> {
    let mut open = 0usize;
    let outside = header.chars().filter(|c| {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open = open.saturating_sub(1),
            _ => return open == 0,
        }
        false
    });
    let mut words = cut(&outside.collect::<String>());
    words.retain(|word| word != "%" && word != "#");
    words
}

/// The words with their short forms written out, but for those that stand for several words: people say "bmi".
pub(crate) fn written_out(words: &[String]) -> Vec<String> {
    let long = words.iter().map(|word| match long_words(word) {
        Some([long]) => (*long).to_owned(),
        _ => word.clone(),
    });
    long.collect()
}

/// The things that a header counts: "pages" of `num_pages`.
pub(crate) fn counted(words: &[String]) -> Option<&[String]> {
    let rest = COUNTING.iter().find_map(|counting| {
        let rest = words.get(counting.len()..)?;
        let begins = words
            .iter()
            .zip(*counting)
            .all(|(word, counting)| word == counting);
        (begins && !rest.is_empty()).then_some(rest)
    });
    rest.or_else(|| words.last().is_some_and(|last| is_plural(last)).then_some(words))
}

/// Whether a word speaks of several things.
pub(crate) fn is_plural(word: &str) -> bool {
    const NOT: &[&str] = &[
        "series", "status", "address", "class", "gross", "species", "process", "news", "basis", "plus",
        "less", "loss", "bus", "gas", "gps", "is", "has", "was", "his", "its", "us", "this", "sales", "wins",
    ];
    let ends = word.ends_with('s') && !["ss", "us", "is", "os"].iter().any(|end| word.ends_with(end));
    (ends && word.len() > 3 && !NOT.contains(&word))
        || ["people", "children", "staff", "sales", "wins"].contains(&word)
}

/// Several of what a noun phrase says one of.
pub(crate) fn plural(noun: &str) -> String {
    let last = noun.rsplit(' ').next().unwrap_or(noun);
    if is_plural(last) || ["series", "species", "staff"].contains(&last) {
        return noun.to_owned();
    }
    let ending = |end: &str| noun.ends_with(end);
    match last {
        "person" => format!("{}people", &noun[..noun.len() - last.len()]),
        "child" => format!("{noun}ren"),
        "man" | "woman" => format!("{}en", &noun[..noun.len() - 2]),
        _ if ending("y") && !["ay", "ey", "oy", "uy"].iter().any(|end| ending(end)) => {
            format!("{}ies", &noun[..noun.len() - 1])
        }
        _ if ["s", "x", "ch", "sh", "z"].iter().any(|end| ending(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// One of what a noun phrase says several of.
pub(crate) fn singular(noun: &str) -> String {
    let (before, last) = match noun.rsplit_once(' ') {
        Some((before, last)) => (format!("{before} "), last),
        None => (String::new(), noun),
    };
    match last {
        "people" => format!("{before}person"),
        "children" => format!("{before}child"),
        _ if is_plural(last) => format!("{before}{}", mapo_text::word_forms::stem(last)),
        _ => noun.to_owned(),
    }
}

/// A noun phrase with its article.
pub(crate) fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u'])
        && !["uni", "use", "one", "eu"]
            .iter()
            .any(|begin| noun.starts_with(begin));
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// A word with a capital.
pub(crate) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// How the headers of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Title,
    Sentence,
    Lower,
    Snake,
    Camel,
    Upper,
}

impl Style {
    pub fn pick(choices: &mut Choices) -> Style {
        const STYLES: &[Style] = &[
            Style::Snake,
            Style::Snake,
            Style::Snake,
            Style::Title,
            Style::Title,
            Style::Sentence,
            Style::Lower,
            Style::Camel,
            Style::Upper,
        ];
        choices.pick(STYLES).copied().unwrap_or(Style::Title)
    }

    pub fn write(self, words: &[String]) -> String {
        match self {
            Style::Lower => words.join(" "),
            Style::Snake => words.join("_"),
            Style::Upper => words.join(" ").to_uppercase(),
            Style::Camel => words.iter().map(|word| capitalised(word)).collect(),
            Style::Title => words
                .iter()
                .map(|word| capitalised(word))
                .collect::<Vec<_>>()
                .join(" "),
            Style::Sentence => capitalised(&words.join(" ")),
        }
    }
}

/// Headers of which no two are the same and none is empty, as files must have them.
pub(crate) fn told_apart(headers: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for header in headers {
        let header = match header.trim() {
            "" => "column",
            header => header,
        };
        let numbered = (2..).map(|number| format!("{header} {number}"));
        let is_free = |header: &String| {
            known
                .iter()
                .all(|known| column_name(known) != column_name(header))
        };
        let free = std::iter::once(header.to_owned()).chain(numbered).find(is_free);
        known.extend(free);
    }
    known
}

/// The words with some of them cut short, as files have them.
pub(crate) fn shortened(words: &[String], choices: &mut Choices) -> Vec<String> {
    let short = words.iter().map(|word| {
        let forms: Vec<&str> = short_forms(word).collect();
        match choices.pick(&forms) {
            Some(short) if choices.one_in(2) => (*short).to_owned(),
            _ => word.clone(),
        }
    });
    short.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(header: &str) -> String {
        words(header).join(" ")
    }

    #[test]
    fn headers_are_said_as_words() {
        assert_eq!(said("num_pages"), "num pages");
        assert_eq!(said("HomeTeam"), "home team");
        assert_eq!(said("Area (sq. mi.)"), "area");
        assert_eq!(said("GDP"), "gdp");
        assert_eq!(written_out(&words("avg_temp")).join(" "), "average temperature");
        assert_eq!(
            counted(&words("No. of seats"))
                .map(|words| words.join(" "))
                .as_deref(),
            Some("seats")
        );
        assert_eq!(counted(&words("price")), None);
    }

    #[test]
    fn nouns_have_a_plural_and_a_singular() {
        for (one, many) in [
            ("city", "cities"),
            ("car", "cars"),
            ("box", "boxes"),
            ("home team", "home teams"),
            ("day", "days"),
        ] {
            assert_eq!(plural(one), many);
            assert_eq!(plural(many), many);
            assert_eq!(singular(many), one);
        }
        assert_eq!(with_article("area"), "an area");
        assert_eq!(with_article("price"), "a price");
    }

    #[test]
    fn headers_are_written_in_a_style() {
        let header = words("Home team");
        assert_eq!(Style::Snake.write(&header), "home_team");
        assert_eq!(Style::Camel.write(&header), "HomeTeam");
        assert_eq!(Style::Title.write(&header), "Home Team");
        assert_eq!(Style::Upper.write(&header), "HOME TEAM");
    }
}
