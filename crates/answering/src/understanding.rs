//! Whether a question can be about a table at all, and what it names that the table lacks.

use mapo_questions::{Linking, Mention, Question, column_words, is_stop_word, spelt_out_word};
use mapo_tables::{Constant, Table};
use mapo_text::read::{Tag, Token, tokenize};
use mapo_text::word_forms::{are_related, stem};

/// Words that ask for an order, or to compute with values.
const COMPARING: [&str; 22] = [
    "above",
    "after",
    "altogether",
    "average",
    "before",
    "below",
    "between",
    "bottom",
    "combined",
    "difference",
    "first",
    "last",
    "maximum",
    "mean",
    "median",
    "minimum",
    "next",
    "over",
    "previous",
    "sum",
    "top",
    "total",
];

/// The others that ask for something that programs do, whatever the table is about.
const ASKING: [&str; 22] = [
    "common",
    "compare",
    "count",
    "different",
    "each",
    "every",
    "frequent",
    "least",
    "less",
    "many",
    "more",
    "most",
    "much",
    "number",
    "often",
    "per",
    "percentage",
    "ratio",
    "row",
    "rows",
    "same",
    "share",
];

/// Whether a question compares values, or computes with them.
pub(crate) fn compares(question: &Question) -> bool {
    let is_one = |token: &String| COMPARING.contains(&token.as_str());
    question.tags.iter().any(|tag| *tag != Tag::Other) || question.tokens.iter().any(is_one)
}

/// How near the vectors of a word of the question and a word of a header must come for the two to have
/// something in common.
const NEAR: f32 = 0.65;

/// What is understood of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Understanding {
    /// Whether it shares anything with the table, or asks for something that programs do.
    pub has_a_hold: bool,
    /// Whether it names something that stands in a cell.
    pub names_a_value: bool,
    /// Names in it that the table lacks, as they are written.
    pub unknown: Vec<String>,
}

/// Says what is understood of a question that was read with everyday linking. `near` says how near a word comes to the
/// words of the headers.
pub(crate) fn understand(
    text: &str,
    question: &Question,
    table: &Table,
    near: impl Fn(&str) -> f32,
) -> Understanding {
    let names: &Names = table.derived(Names::of);
    let tokens = &question.tokens;
    let asks = |token: &String| COMPARING.iter().chain(&ASKING).any(|word| token == word);
    let tells = |token: &String| !is_stop_word(token) && token.contains(char::is_alphabetic);
    let is_string = |mention: &Mention| matches!(mention.constant, Constant::Strings(_));
    let names_a_value = question.mentions.iter().any(is_string);
    let has_a_hold = names_a_value
        || question.tags.iter().any(|tag| *tag != Tag::Other)
        || question.features.contains(&1)
        || tokens.iter().any(asks)
        || tokens
            .iter()
            .any(|token| tells(token) && (names.have(token) || near(token) >= NEAR));
    Understanding {
        has_a_hold,
        names_a_value,
        unknown: unknown(text, question, names, near),
    }
}

/// The words by which a table's columns and its rows are called.
pub(crate) struct Names(Vec<String>);

impl Names {
    pub(crate) fn of(table: &Table) -> Self {
        let columns = table.columns().iter();
        let words = columns.flat_map(|column| {
            let spelt = column_words(table, column, Linking::Everyday);
            spelt.chain(column.words()).filter(|word| !is_stop_word(word))
        });
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        let file = table.name().rsplit(['/', '\\']).next().unwrap_or_default();
        let file = file.split('.').next().unwrap_or_default();
        let part = table.decisions().part.as_deref().unwrap_or_default();
        let name = format!("{file} {part}").to_lowercase();
        words.extend(name.split(|c: char| !c.is_alphanumeric()).map(str::to_owned));
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        words.dedup();
        Names(words)
    }

    pub(crate) fn have(&self, token: &str) -> bool {
        self.0.iter().any(|word| {
            stem(word) == stem(token)
                || are_related(word, token)
                || spelt_out_word(token).contains(&word.as_str())
        })
    }
}

/// Names that are written with capitals or in quotes and that nothing in the table is called.
fn unknown(text: &str, question: &Question, names: &Names, near: impl Fn(&str) -> f32) -> Vec<String> {
    let tokens = tokenize(text);
    // Another reader's tokens would stand elsewhere.
    if tokens.len() != question.tokens.len() {
        return Vec::new();
    }
    let is_found = |at: usize| question.mentions.iter().any(|mention| mention.span.contains(&at));
    let mut unknown = in_quotes(text, &tokens, is_found);
    let is_capital = |token: &Token| text[token.start..].starts_with(char::is_uppercase);
    let words = || {
        tokens
            .iter()
            .filter(|token| token.text.contains(char::is_alphabetic))
    };
    // Where everything is written so, capitals say nothing.
    if words().filter(|token| is_capital(token)).count() * 2 > words().count() {
        return unknown;
    }
    let begins = |at: usize| at == 0 || matches!(tokens[at - 1].text.as_str(), "." | "?" | "!" | ":");
    let is_unknown = |at: usize| {
        let token = &tokens[at];
        let word = token.text.as_str();
        is_capital(token)
            && !begins(at)
            && word.chars().count() > 2
            && word.chars().all(char::is_alphabetic)
            && !is_stop_word(word)
            && !is_found(at)
            && !names.have(word)
            && near(word) < NEAR
    };
    let mut at = 0;
    while at < tokens.len() {
        let end = (at..tokens.len()).take_while(|at| is_unknown(*at)).count() + at;
        // Beside a name that was found it is more of the same name.
        let beside = [at.checked_sub(1), Some(end).filter(|end| *end < tokens.len())];
        let is_part = beside
            .into_iter()
            .flatten()
            .any(|at| is_found(at) && is_capital(&tokens[at]));
        if end > at && !is_part {
            unknown.push(text[tokens[at].start..tokens[end - 1].end].to_owned());
        }
        at = end.max(at + 1);
    }
    unknown
}

/// What stands in double quotes and has no word that is found.
fn in_quotes(text: &str, tokens: &[Token], is_found: impl Fn(usize) -> bool) -> Vec<String> {
    let marks: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| ['"', '\u{201c}', '\u{201d}'].contains(c))
        .collect();
    let pairs = marks.chunks_exact(2).map(|pair| {
        let ((open, mark), (close, _)) = (pair[0], pair[1]);
        (open + mark.len_utf8(), close)
    });
    let unknown = pairs.filter(|(start, end)| {
        let within = |token: &Token| *start <= token.start && token.end <= *end;
        let mut inside = (0..).zip(tokens).filter(|(_, token)| within(token)).peekable();
        inside.peek().is_some() && inside.all(|(at, _)| !is_found(at))
    });
    unknown
        .map(|(start, end)| text[start..end].trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_tables::TableBuilder;

    fn table() -> Table {
        let mut builder = TableBuilder::new("orders.csv", ["customer", "city", "avg_price"]);
        builder.push_row(["Greta Holm", "Oslo", "12.5"]);
        builder.push_row(["Tomas Berg", "Bergen", "8"]);
        builder.finish()
    }

    fn understood(question: &str) -> Understanding {
        understood_near(question, |_| 0.0)
    }

    fn understood_near(question: &str, near: impl Fn(&str) -> f32) -> Understanding {
        let table = table();
        let read = Question::read(question, &table, Linking::Everyday);
        understand(question, &read, &table, near)
    }

    #[test]
    fn nonsense_has_no_hold() {
        for question in [
            "asdf qwer",
            "what is the meaning of life?",
            "hello",
            "who are you",
        ] {
            assert!(!understood(question).has_a_hold, "{question}");
        }
        for question in [
            "what did Greta Holm pay",
            "which cities are there?",
            "how many are there?",
            "the oldest one",
            "average price",
            "list the orders",
            "what is 12.5",
        ] {
            assert!(understood(question).has_a_hold, "{question}");
        }
        let near = |word: &str| if word == "town" { 0.7 } else { 0.0 };
        assert!(understood_near("name a town", near).has_a_hold);
    }

    #[test]
    fn names_that_are_missing_are_named() {
        for (question, expected) in [
            ("how many orders came from Atlantis?", &["Atlantis"][..]),
            ("what did Maria Lopez pay?", &["Maria Lopez"]),
            ("did \"the big one\" pay?", &["the big one"]),
            ("what did Greta Holm pay in Oslo?", &[]),
            ("Which Customer paid in Bergen?", &[]),
            ("what did Greta Maria Holm pay", &[]),
            ("How Many Orders Came From Atlantis", &[]),
            ("how many in \"Oslo\"", &[]),
            ("who pays? Please say", &[]),
        ] {
            assert_eq!(understood(question).unknown, expected, "{question}");
        }
    }
}
