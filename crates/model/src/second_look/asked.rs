//! What the words of a question ask for.

use mapo_datasets::Relevance;
use mapo_language::{Context, Function};
use mapo_questions::{Mention, Question, column_words, is_stop_word};
use mapo_tables::{Column, ColumnId, ColumnKind, Constant, Held, Table};
use mapo_text::normalize;
use mapo_text::word_forms::stem;

/// Words that begin a question whose answer is yes or no.
const ASKING: &[&str] = &[
    "is", "are", "was", "were", "did", "does", "do", "has", "have", "had", "can", "could", "will", "would",
];
/// Words after "what" or "which" that ask for a time.
const TIMES: &[&str] = &[
    "year", "years", "date", "dates", "month", "day", "decade", "season", "time",
];
/// Words that ask for something that is calculated.
const AMOUNTS: &[&str] = &[
    "total",
    "sum",
    "average",
    "mean",
    "difference",
    "amount",
    "percentage",
    "percent",
    "combined",
];
/// How many words after "what" or "which" may name what is asked for: "which professional soccer *team*".
const NAMING: usize = 4;
/// What share of the cells of a column that names rows are different.
const DIFFERENT: f64 = 0.9;

/// What a question asks for.
pub struct Asked<'q> {
    /// The question.
    pub question: &'q Question,
    /// In its normal form.
    pub text: String,
    /// For how many or how much.
    pub amount: bool,
    /// For a time.
    pub time: bool,
    /// For yes or no.
    pub yes_no: bool,
    /// For one of those that it names: "taller, the Eddystone or the Fastnet?"
    pub one_of: bool,
    /// For several things: "which teams", "who were".
    pub several: bool,
    /// For one thing: "which team", "who was".
    pub one: bool,
    /// The columns whose names come after "what" or "which".
    pub columns: Vec<ColumnId>,
    /// For each word that suggests functions: which.
    pub suggestions: Vec<Vec<Function>>,
    /// How much of what is named a program uses.
    pub relevance: Relevance,
    /// For a person or a place.
    pub who_or_where: bool,
    /// For each typed column the column of the file.
    sources: Vec<usize>,
    /// The column of the file that names the rows.
    pub names: Option<usize>,
    /// For each value whether it is a whole cell somewhere.
    pub is_whole: Vec<bool>,
    /// For each token the columns of the file whose headers have the word.
    pub headers: Vec<Vec<usize>>,
}

impl<'q> Asked<'q> {
    pub fn new(question: &'q Question, context: &Context) -> Self {
        let words: Vec<&str> = question.tokens.iter().map(String::as_str).collect();
        let at = |place: usize| words.get(place).copied().unwrap_or("");
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        let pair = |one: &str, other: &[&str]| {
            words
                .windows(2)
                .any(|pair| pair[0] == one && other.contains(&pair[1]))
        };
        let first = at(0);
        let one_of = has(&["or"]);
        let asking = words
            .iter()
            .position(|word| matches!(*word, "what" | "which" | "whose"));
        let named = asking.map_or(&[][..], |place| &words[place + 1..]);
        let named = &named[..named.len().min(NAMING)];
        let head = named.first().copied().unwrap_or("");
        let is = |word: &str| matches!(word, "is" | "was" | "'s");
        let are = |word: &str| matches!(word, "are" | "were");
        let who = words
            .iter()
            .position(|word| *word == "who")
            .map(|place| at(place + 1));
        let is_plural = |word: &str| !is_stop_word(word) && stem(word) != word;
        let several = has(&["list", "names", "all"]) || are(head) || is_plural(head) || who.is_some_and(are);
        let amount =
            pair("how", &["many", "much"]) || pair("number", &["of"]) || first == "count" || has(AMOUNTS);
        let time = has(&["when"]) || named.iter().take(2).any(|word| TIMES.contains(word));
        let table = context.table();
        let columns = table.column_ids().filter(|column| {
            let mut names = column_words(table, table.column(*column), question.linking);
            names.any(|name| {
                let is_name = |word: &&str| *word == name || stem(word) == stem(name);
                !is_stop_word(name) && named.iter().any(is_name)
            })
        });
        let triggers: Vec<&str> = question.trigger_words().collect();
        let functions = &context.language().lexicon;
        let suggested = triggers.iter().map(|word| {
            let suggests = |function: &Function| {
                let definition = function.definition();
                definition.triggers.contains(word) || definition.synonyms.contains(word)
            };
            let functions = functions.functions().iter().copied();
            functions.filter(suggests).collect::<Vec<Function>>()
        });
        Self {
            question,
            text: normalize(&question.text),
            amount,
            time,
            yes_no: ASKING.contains(&first) && !one_of,
            one_of,
            several,
            one: !several && (!head.is_empty() || who.is_some_and(is)),
            columns: columns.collect(),
            suggestions: suggested.filter(|functions| !functions.is_empty()).collect(),
            relevance: Relevance::new(question, context),
            who_or_where: has(&["who", "whom", "where"]),
            sources: table.columns().iter().map(Column::source).collect(),
            names: naming_column(table),
            is_whole: question
                .mentions
                .iter()
                .map(|mention| is_whole(table, mention))
                .collect(),
            headers: words
                .iter()
                .map(|word| headers_with(word, question, table))
                .collect(),
        }
    }

    /// The column of the file that a typed column is a reading of.
    pub fn source(&self, column: ColumnId) -> usize {
        self.sources[column.0 as usize]
    }

    /// The places of the mentions of a value.
    pub fn places_of(&self, value: &Constant) -> Vec<usize> {
        let mentions = self.question.mentions.iter().enumerate();
        mentions
            .filter_map(|(place, mention)| (mention.constant == *value).then_some(place))
            .collect()
    }

    /// The columns of the file whose headers have a word that stands at most `reach` tokens from a value.
    pub fn headers_beside(&self, place: usize, reach: usize) -> impl Iterator<Item = usize> {
        let span = &self.question.mentions[place].span;
        let before = span.start.saturating_sub(reach)..span.start;
        let after = span.end..(span.end + reach).min(self.headers.len());
        before
            .chain(after)
            .flat_map(|token| self.headers[token].iter().copied())
    }
}

/// The column whose cells name the rows: the first of texts that hardly repeat and are no numbers or dates.
fn naming_column(table: &Table) -> Option<usize> {
    struct Naming(Option<usize>);
    let found = table.derived(|table| {
        let is_ordered = |source: usize| {
            let mut others = table.columns().iter().filter(|column| column.source() == source);
            others
                .any(|column| column.kind() != ColumnKind::Text && 2 * column.present().len() > column.rows())
        };
        let names = |column: &&Column| {
            let present = column.present().len();
            column.kind() == ColumnKind::Text
                && present > 1
                && column.values_len() as f64 >= DIFFERENT * present as f64
                && !is_ordered(column.source())
        };
        Naming(table.columns().iter().find(names).map(Column::source))
    });
    found.0
}

/// Whether a value is a whole cell somewhere.
fn is_whole(table: &Table, mention: &Mention) -> bool {
    table
        .columns()
        .iter()
        .any(|column| column.holds(&mention.constant) == Held::Whole)
}

/// The columns of the file whose headers have a word.
fn headers_with(word: &str, question: &Question, table: &Table) -> Vec<usize> {
    if is_stop_word(word) {
        return Vec::new();
    }
    let has_it = |column: &&Column| {
        let mut names = column_words(table, column, question.linking);
        column.kind() == ColumnKind::Text && names.any(|name| name == word || stem(name) == stem(word))
    };
    table
        .columns()
        .iter()
        .filter(has_it)
        .map(Column::source)
        .collect()
}
