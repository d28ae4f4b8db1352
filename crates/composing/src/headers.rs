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
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
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
        .filter(|_| !words.iter().any(|word| AVERAGED.contains(&word.as_str())))
}

/// Words of headers whose numbers are no counts, and of which a sum means nothing.
const AVERAGED: &[&str] = &[
    "average",
    "avg",
    "change",
    "density",
    "growth",
    "highest",
    "index",
    "lowest",
    "max",
    "maximum",
    "mean",
    "median",
    "min",
    "minimum",
    "pct",
    "peak",
    "per",
    "percent",
    "percentage",
    "rate",
    "rating",
    "ratio",
    "record",
    "share",
];

/// Whether the numbers under a header can be added up.
pub(crate) fn adds_up(header: &str, words: &[String]) -> bool {
    !header.contains('%') && !words.iter().any(|word| AVERAGED.contains(&word.as_str()))
}

/// What happens in a game: headers name one, people speak of several.
const COUNTED_BY_ONE: &[&str] = &[
    "appearance",
    "assist",
    "award",
    "cap",
    "championship",
    "defeat",
    "draw",
    "game",
    "goal",
    "lap",
    "loss",
    "match",
    "medal",
    "nomination",
    "point",
    "run",
    "seat",
    "start",
    "tie",
    "title",
    "touchdown",
    "victory",
    "vote",
    "wicket",
    "win",
];

/// The things that a header counts by naming one: "wins" of `Win`, "gold medals" of `Gold`.
pub(crate) fn counted_by_one(words: &[String]) -> Option<String> {
    let [word] = words else { return None };
    match word.as_str() {
        "gold" | "silver" | "bronze" => Some(format!("{word} medals")),
        _ => COUNTED_BY_ONE.contains(&word.as_str()).then(|| plural(word)),
    }
}

/// Units at the end of a header, with the words that people say for them after a number.
const UNITS: &[(&str, &[&str])] = &[
    ("acres", &["acres"]),
    ("c", &["degrees"]),
    ("cm", &["cm"]),
    ("f", &["degrees"]),
    ("feet", &["feet"]),
    ("ft", &["feet", "ft"]),
    ("g", &["grams", "g"]),
    ("hp", &["hp"]),
    ("kg", &["kg", "kilos"]),
    ("km", &["km", "kilometers"]),
    ("km2", &["km2", "square kilometers"]),
    ("km²", &["km2", "square kilometers"]),
    ("kmh", &["km/h"]),
    ("kw", &["kw"]),
    ("lb", &["pounds", "lbs"]),
    ("lbs", &["pounds", "lbs"]),
    ("m", &["m", "meters"]),
    ("metres", &["metres"]),
    ("mg", &["mg"]),
    ("mi", &["miles"]),
    ("miles", &["miles"]),
    ("min", &["minutes", "min"]),
    ("mm", &["mm"]),
    ("mph", &["mph"]),
    ("s", &["seconds"]),
    ("sqft", &["square feet"]),
    ("usd", &["dollars", "usd"]),
];

/// What the numbers under a header are measured in, as people say it; nothing if the header does not tell.
pub(crate) fn units(header: &str) -> &'static [&'static str] {
    let words = cut(header);
    let unit = words.last().filter(|_| words.len() > 1).map(String::as_str);
    let known = unit.and_then(|unit| UNITS.iter().find(|(short, _)| *short == unit));
    known.map(|(_, said)| *said).unwrap_or_default()
}

/// The words of a header without the unit behind them: nobody asks for the "height m".
pub(crate) fn without_unit(words: &[String]) -> &[String] {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() && UNITS.iter().any(|(unit, _)| unit == last) => rest,
        _ => words,
    }
}

/// Words at the end of a header that is no noun.
const PREPOSITIONS: &[&str] = &[
    "against", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "per", "since", "than", "the",
    "till", "to", "until", "versus", "vs", "with",
];

/// A header that is longer is not said.
const LONGEST: usize = 5;

/// Whether people can say a header: it ends in a noun, is not only letters, and is no name for want of one.
pub(crate) fn is_said(words: &[String]) -> bool {
    let ends = words
        .last()
        .is_some_and(|word| PREPOSITIONS.contains(&word.as_str()));
    let letters = words
        .iter()
        .any(|word| word.chars().count() == 1 && word != "a" && word.chars().all(char::is_alphabetic));
    let has_word = words
        .iter()
        .any(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2);
    !ends
        && !letters
        && has_word
        && words.len() <= LONGEST
        && words.first().is_none_or(|word| word != "column")
}

/// Whether a word says what was done: "founded", "built".
pub(crate) fn is_participle(word: &str) -> bool {
    const NOT: &[&str] = &["speed", "seed", "breed", "feed", "need", "medium", "shed", "weed"];
    const OTHERS: &[&str] = &[
        "born", "bought", "broken", "built", "drawn", "due", "expires", "given", "held", "hired", "known",
        "left", "lost", "made", "paid", "sold", "sung", "taken", "won", "written",
    ];
    (word.len() > 4 && word.ends_with("ed") && !NOT.contains(&word)) || OTHERS.contains(&word)
}

/// Whether a word ends as words do that say what something is like, so that it is not said of several:
/// "original", "classic".
pub(crate) fn is_adjective(word: &str) -> bool {
    const ENDS: &[&str] = &[
        "able", "al", "ary", "ed", "ese", "ful", "ial", "ian", "ible", "ic", "ical", "ing", "ior", "ish",
        "ive", "less", "ous",
    ];
    const OTHERS: &[&str] = &[
        "arch",
        "bus",
        "charter",
        "metro",
        "tram",
        "automatic",
        "basic",
        "boutique",
        "budget",
        "business",
        "closed",
        "corporate",
        "electric",
        "hybrid",
        "indoor",
        "luxury",
        "manual",
        "military",
        "mixed",
        "new",
        "office",
        "old",
        "online",
        "open",
        "outdoor",
        "premium",
        "private",
        "public",
        "rail",
        "retail",
        "software",
        "standard",
        "suspension",
        "urban",
    ];
    let ends = |end: &&str| word.len() > end.len() + 2 && word.ends_with(end);
    ENDS.iter().any(ends) || OTHERS.contains(&word)
}

/// The word of a noun phrase that is one or several: "members" of "members of the board".
pub(crate) fn head(noun: &str) -> &str {
    let phrase = [" of ", " in ", " per ", " at ", " for "]
        .iter()
        .filter_map(|between| noun.split_once(between))
        .map(|(before, _)| before)
        .min_by_key(|before| before.len())
        .unwrap_or(noun);
    // Of "passes defended" the passes.
    let mut words = phrase.rsplit(' ');
    words.find(|word| !is_participle(word)).unwrap_or(phrase)
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

/// A noun phrase with its article; several have none.
pub(crate) fn with_article(noun: &str) -> String {
    let head = head(noun);
    if is_plural(head) || MASS.contains(&head) {
        noun.to_owned()
    } else {
        one_of(noun)
    }
}

/// What there is more or less of, but never one.
const MASS: &[&str] = &[
    "attendance",
    "capital",
    "debt",
    "energy",
    "experience",
    "fat",
    "footfall",
    "funding",
    "gold",
    "horsepower",
    "humidity",
    "income",
    "literacy",
    "mileage",
    "money",
    "power",
    "precipitation",
    "profit",
    "protein",
    "rain",
    "rainfall",
    "revenue",
    "ridership",
    "salt",
    "sodium",
    "spending",
    "stock",
    "sugar",
    "tax",
    "traffic",
    "turnout",
    "turnover",
    "unemployment",
    "wealth",
    "wind",
];

/// One of what a noun phrase says.
pub(crate) fn one_of(noun: &str) -> String {
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
    fn a_header_that_nobody_says_is_known() {
        for header in [
            "column",
            "column 2",
            "W",
            "F/Laps",
            "Directed by",
            "until",
            "Moving from",
        ] {
            assert!(!is_said(&words(header)), "{header}");
        }
        for header in ["Price", "Home team", "GDP", "Members of the board"] {
            assert!(is_said(&words(header)), "{header}");
        }
    }

    #[test]
    fn units_are_said_after_numbers_and_not_in_the_noun() {
        assert_eq!(units("Height (cm)"), ["cm"]);
        assert_eq!(units("length_km"), ["km", "kilometers"]);
        assert!(units("Height").is_empty() && units("m").is_empty());
        assert_eq!(without_unit(&words("height_m")).join(" "), "height");
        assert_eq!(without_unit(&words("m")).join(" "), "m");
    }

    #[test]
    fn several_are_known_by_their_head() {
        for (noun, said) in [
            ("members of the board", "members"),
            ("passes defended", "passes"),
            ("hours per week", "hours"),
            ("home team", "team"),
        ] {
            assert_eq!(head(noun), said);
        }
        assert_eq!(with_article("passes defended"), "passes defended");
        assert_eq!(with_article("rainfall"), "rainfall");
        assert_eq!(one_of("car with 3 doors"), "a car with 3 doors");
    }

    #[test]
    fn games_are_counted_by_one_and_said_of_several() {
        assert_eq!(counted_by_one(&words("Win")).as_deref(), Some("wins"));
        assert_eq!(counted_by_one(&words("Gold")).as_deref(), Some("gold medals"));
        assert_eq!(counted_by_one(&words("Price")), None);
        assert_eq!(counted(&words("average goals")), None);
        assert!(!adds_up("Share (%)", &words("Share (%)")) && adds_up("Goals", &words("Goals")));
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
