//! A question beside its table, as the network sees it.

use mapo_datasets::Example;
use mapo_programmer::{Columns, Config, Example as Encoded, Reading, Span, Words};
use mapo_questions::{Linking, Question, column_words, is_stop_word};
use mapo_tables::{Constant, Held, Table};
use mapo_text::read::Tag;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

pub use crate::inputs::pairs::PAIR_FEATURES;
use crate::inputs::pairs::{Names, pair_features};
use crate::inputs::reading::{ColumnPieces, reading};
use crate::inputs::vocabulary::{DATE, NUMBER, UNKNOWN};

/// Token features that there can be: the paper's; then whether the token is in a string, a number, a date of
/// the question; whether it is in the name of a column; whether it is a comparative, a superlative.
pub const TOKEN_FEATURES: usize = 7;

/// Column features that there can be: how many words of its name the question has; which part of its name
/// they are; whether it has a constant of the question.
pub const COLUMN_FEATURES: usize = 3;

/// Kinds of constants: strings, numbers, dates.
pub const CONSTANT_KINDS: usize = 3;

pub use mapo_neural::Input;

/// The examples as the network sees them.
pub fn encode_all(config: &Config, words: &Words, examples: &[Example]) -> Vec<Input> {
    // Many questions are about the same table.
    let mut tables: HashMap<*const Table, TableView> = HashMap::new();
    let encoded = examples.iter().map(|example| {
        let table = tables
            .entry(Arc::as_ptr(&example.table))
            .or_insert_with(|| TableView::new(config, words, &example.table, example.question.linking));
        Arc::new(encode_beside(
            config,
            words,
            &example.question,
            &example.table,
            table,
        ))
    });
    encoded.collect()
}

/// A question and its table as the network sees them. The slots that follow, built-ins, columns, constants
/// and variables, have the numbers that the tokens of programs have.
pub fn encode(config: &Config, words: &Words, question: &Question, table: &Table) -> Encoded {
    let view = TableView::new(config, words, table, question.linking);
    encode_beside(config, words, question, table, &view)
}

/// The id of a word, or of the unknown word.
fn known(words: &Words, word: &str) -> u32 {
    words.id(word).or_else(|| words.id(UNKNOWN)).unwrap_or(0)
}

/// What is the same for all questions about a table: made once, it serves them all.
#[derive(Clone, Debug)]
pub struct TableView {
    /// For each typed column the words of its name, of its type and of some of its cells.
    columns: Vec<(Vec<u32>, u32, Vec<u32>)>,
    names: Names,
    /// The same for a published encoder, where the network has one.
    pieces: Option<ColumnPieces>,
}

/// Cells of a column that are looked at, and words of them that are kept.
const CELLS: usize = 20;
const CELL_WORDS: usize = 16;

impl TableView {
    /// Looks at a table with the words of a network, for questions that are linked with it in one way.
    pub fn new(config: &Config, words: &Words, table: &Table, linking: Linking) -> Self {
        let columns = table.columns().iter().map(|column| {
            let name = column_words(table, column, linking);
            let name = name.map(|word| known(words, word)).collect();
            let cells = if config.cells {
                cell_words(words, table, column.source())
            } else {
                Vec::new()
            };
            (name, known(words, column.kind().suffix()), cells)
        });
        Self {
            columns: columns.collect(),
            names: Names::new(words, table, linking),
            pieces: (config.encoder.and(words.published()))
                .map(|published| ColumnPieces::new(&published.pieces, table, linking)),
        }
    }
}

impl TableView {
    /// How near a word comes to a word of the columns' names, by their vectors: 0 for no nearer than most, 1
    /// for the same.
    pub fn nearness(&self, words: &Words, word: &str) -> f32 {
        self.names.nearness(words, word)
    }
}

/// Known words of some cells, spread over the column, each once.
fn cell_words(words: &Words, table: &Table, source: usize) -> Vec<u32> {
    let mut ids: Vec<u32> = Vec::new();
    let looked_at = table.rows().min(CELLS);
    for place in 0..looked_at {
        let cell = table
            .cell(place * table.rows() / looked_at, source)
            .to_lowercase();
        let parts = cell.split(|c: char| !c.is_alphanumeric());
        for id in parts
            .filter(|word| !is_stop_word(word))
            .filter_map(|word| words.id(word))
        {
            if ids.len() == CELL_WORDS {
                return ids;
            }
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    ids
}

/// How much one word counts where columns have two features or more. The features' weights start at nothing
/// and Adam moves them by about the learning rate a step, whatever the gradient: a larger unit makes them
/// useful sooner.
const UNIT: f32 = 4.0;

/// The features of a column of whose name this many words are in the question. With one feature, that number,
/// as in the paper; with two, also which part of the name they are: a question about silver medals has one
/// word of `gold_medals` and one of `silver`; with three, also whether the column has a constant of the
/// question.
fn column_features(features: usize, mentioned: u32, words: usize, holds: impl Fn() -> bool) -> Vec<f32> {
    let mentioned = mentioned as f32;
    let mut all = match features {
        0 | 1 => vec![mentioned],
        _ => vec![UNIT * mentioned, UNIT * mentioned / words.max(1) as f32],
    };
    if features > 2 {
        all.push(if holds() { UNIT } else { 0.0 });
    }
    all.resize(features, 0.0);
    all
}

/// The features of all tokens, `count` of each; see [`TOKEN_FEATURES`].
fn token_features(count: usize, question: &Question, names: &Names) -> Vec<f32> {
    let paper = question.features.iter().map(|&feature| f32::from(feature));
    if count <= 1 {
        return paper.collect();
    }
    let mut all: Vec<[f32; TOKEN_FEATURES]> = paper
        .map(|feature| {
            let mut features = [0.0; TOKEN_FEATURES];
            features[0] = feature;
            features
        })
        .collect();
    for mention in &question.mentions {
        let kind = 1 + kind_of(&mention.constant) as usize;
        if let Some(tokens) = all.get_mut(mention.span.clone()) {
            tokens.iter_mut().for_each(|features| features[kind] = 1.0);
        }
    }
    let mentioned = names.mentioned(&question.tokens, question.linking);
    for ((features, mentioned), tag) in all.iter_mut().zip(mentioned).zip(&question.tags) {
        features[4] = f32::from(u8::from(mentioned));
        match tag {
            Tag::ComparativeAdjective | Tag::ComparativeAdverb => features[5] = 1.0,
            Tag::SuperlativeAdjective | Tag::SuperlativeAdverb => features[6] = 1.0,
            Tag::Other => {}
        }
    }
    all.iter()
        .flat_map(|features| features.iter().copied().chain(std::iter::repeat(0.0)).take(count))
        .collect()
}

/// The kind of a constant, below [`CONSTANT_KINDS`].
fn kind_of(constant: &Constant) -> u32 {
    match constant {
        Constant::Strings(_) => 0,
        Constant::Numbers(_) => 1,
        Constant::Dates(_) => 2,
    }
}

/// [`encode`] beside a table that has been looked at before.
pub fn encode_beside(
    config: &Config,
    words: &Words,
    question: &Question,
    table: &Table,
    view: &TableView,
) -> Encoded {
    let id = |word: &str| known(words, word);
    let mut stand_ins = vec![UNKNOWN; question.tokens.len()];
    for mention in &question.mentions {
        let stand_in = match mention.constant {
            Constant::Strings(_) => continue,
            Constant::Numbers(_) => NUMBER,
            Constant::Dates(_) => DATE,
        };
        if let Some(tokens) = stand_ins.get_mut(mention.span.clone()) {
            tokens.fill(stand_in);
        }
    }
    let tokens = question.tokens.iter().zip(&stand_ins);
    let mut tokens: Vec<u32> = tokens
        .map(|(token, stand_in)| match words.id(token) {
            Some(known) if *stand_in == UNKNOWN || !config.kinds_for_values => known,
            _ => id(stand_in),
        })
        .collect();
    let mut token_features = token_features(config.token_features, question, &view.names);
    if tokens.is_empty() {
        // A network reads at least one word.
        tokens.push(id(UNKNOWN));
        token_features.resize(config.token_features, 0.0);
    }
    let mut columns = Columns::default();
    let typed = table.columns().iter().zip(&view.columns);
    for ((column, (name, kind, cells)), &feature) in typed.zip(&question.column_features) {
        let holds = || {
            let mut constants = question.mentions.iter().map(|mention| &mention.constant);
            constants.any(|constant| column.holds(constant) != Held::No)
        };
        let features = column_features(config.column_features, feature, name.len(), holds);
        columns.push(name, *kind, &features, cells);
    }
    let last = tokens.len() as u32 - 1;
    let span = |span: &Range<usize>| {
        let first = (span.start as u32).min(last);
        Span {
            first,
            last: (span.end.saturating_sub(1) as u32).clamp(first, last),
        }
    };
    let mentions = || question.mentions.iter();
    let reading = match (&view.pieces, words.published()) {
        (Some(columns), Some(published)) => {
            reading(&published.pieces, question, tokens.len(), table, columns)
        }
        _ => Reading::default(),
    };
    Encoded {
        reading,
        constants: mentions().map(|mention| span(&mention.span)).collect(),
        constant_kinds: if config.constant_kinds > 0 {
            mentions().map(|mention| kind_of(&mention.constant)).collect()
        } else {
            Vec::new()
        },
        pair_features: if config.pair_features > 0 {
            pair_features(words, question, table, &view.names)
        } else {
            Vec::new()
        },
        tokens,
        token_features,
        columns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::vocabulary;
    use mapo_datasets::toy::{SEED, Split, generate};
    use mapo_language::{Lexicon, Symbol, Token};

    #[test]
    fn slots_are_the_tokens_of_programs() {
        let examples: Vec<Example> = generate(Split::Train, SEED, 60)
            .into_iter()
            .map(Example::from)
            .collect();
        let words = vocabulary::trained(&examples, 2, 8).unwrap();
        let paper = mapo_programmer::Config {
            vector: 8,
            ..mapo_programmer::Config::paper(Lexicon::PAPER.builtins())
        };
        check_slots(&paper, &words, &examples);
        check_slots(&everything(), &words, &examples);
    }

    #[test]
    fn numbers_and_dates_are_read_as_their_kind_where_that_is_asked() {
        let examples: Vec<Example> = generate(Split::Train, SEED, 200)
            .into_iter()
            .map(Example::from)
            .collect();
        // Every word is known, numbers too.
        let words = vocabulary::trained(&examples, 1, 8).unwrap();
        let as_they_stand = everything();
        let by_kind = Config {
            kinds_for_values: true,
            ..everything()
        };
        let read = |config: &Config, example: &Example| -> Vec<String> {
            let encoded = encode(config, &words, &example.question, &example.table);
            let names = encoded.tokens.iter();
            names.map(|&word| words.names()[word as usize].clone()).collect()
        };
        let mut kinds = std::collections::BTreeMap::new();
        for example in &examples {
            let question = &example.question;
            assert_eq!(read(&as_they_stand, example), question.tokens);
            let mut expected = question.tokens.clone();
            for mention in &question.mentions {
                let kind = match mention.constant {
                    Constant::Strings(_) => continue,
                    Constant::Numbers(_) => NUMBER,
                    Constant::Dates(_) => DATE,
                };
                *kinds.entry(kind).or_insert(0) += 1;
                expected[mention.span.clone()].fill(kind.to_owned());
            }
            assert_eq!(read(&by_kind, example), expected);
        }
        // Both kinds were there to be seen.
        assert!(
            kinds.len() == 2 && kinds.values().all(|&count| count > 5),
            "{kinds:?}"
        );
    }

    /// A network with all that can be switched on.
    fn everything() -> Config {
        Config {
            vector: 8,
            token_features: TOKEN_FEATURES,
            column_features: COLUMN_FEATURES,
            pair_features: PAIR_FEATURES,
            cells: true,
            constant_kinds: CONSTANT_KINDS,
            ..Config::paper(Lexicon::PAPER.builtins())
        }
    }

    fn check_slots(config: &Config, words: &Words, examples: &[Example]) {
        let inputs = encode_all(config, words, examples);
        for (example, input) in examples.iter().zip(&inputs) {
            input.check(config, words.len(), 0).unwrap();
            assert_eq!(**input, encode(config, words, &example.question, &example.table));
            let context = example.context();
            assert_eq!(context.token(Symbol::AllRows), Token(config.builtins as u16 - 1));
            assert_eq!(
                context.token(Symbol::Variable(0)),
                Token(input.fixed_slots(config) as u16)
            );
            assert_eq!(context.constants().len(), input.constants.len());
            for (column, typed) in example.table.columns().iter().enumerate() {
                let named = column_words(&example.table, typed, example.question.linking);
                assert_eq!(input.columns.words(column).len(), named.count());
                assert_eq!(
                    words.names()[input.columns.kind(column) as usize],
                    typed.kind().suffix()
                );
            }
            for (token, &word) in example.question.tokens.iter().zip(&input.tokens) {
                let name = &words.names()[word as usize];
                assert!(
                    name == token || [UNKNOWN, NUMBER, DATE].contains(&name.as_str()),
                    "{token} {name}"
                );
            }
        }
        let known = inputs
            .iter()
            .flat_map(|input| &input.tokens)
            .filter(|&&word| word > 2)
            .count();
        assert!(known > 60, "{known}");
    }

    #[test]
    fn features_say_what_is_known_of_tokens_columns_and_constants() {
        let mut builder = mapo_tables::TableBuilder::new("t", ["Year", "City"]);
        builder.push_row(["1984", "Los Angeles"]);
        builder.push_row(["1988", "Seoul"]);
        let table = builder.finish();
        let names = ["<unknown>", "seoul", "los", "1984"].map(str::to_owned);
        let none = mapo_programmer::Vectors {
            dimensions: 8,
            ..Default::default()
        };
        let words = Words::new(&names, &none, mapo_programmer::Precision::Half).unwrap();
        let question = Question::read(
            "which larger cities beat seoul in 1988?",
            &table,
            mapo_questions::Linking::Paper,
        );
        let input = encode(&everything(), &words, &question, &table);
        let of = |token: &str| {
            let at = question.tokens.iter().position(|other| other == token).unwrap();
            &input.token_features[at * TOKEN_FEATURES..][..TOKEN_FEATURES]
        };
        assert_eq!(of("larger"), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of("cities"), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(of("seoul"), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(of("1988"), [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        // Fewer features are the first of them.
        let fewer = Config {
            token_features: 2,
            ..everything()
        };
        let fewer = encode(&fewer, &words, &question, &table).token_features;
        let first: Vec<f32> = input
            .token_features
            .chunks(TOKEN_FEATURES)
            .flat_map(|all| all[..2].to_vec())
            .collect();
        assert_eq!(fewer, first);
        let kinds: Vec<u32> = question
            .mentions
            .iter()
            .map(|mention| kind_of(&mention.constant))
            .collect();
        assert_eq!(input.constant_kinds, kinds);
        assert!((0..3).all(|kind| kinds.contains(&kind)), "{kinds:?}");
        let city = table
            .columns()
            .iter()
            .position(|column| column.name() == "r.city-str")
            .unwrap();
        assert_eq!(
            input.columns.cells(city),
            [2, 1],
            "known words, in the order of the cells"
        );
        assert_eq!(input.columns.features()[city * COLUMN_FEATURES + 2], UNIT);
    }

    #[test]
    fn a_question_of_no_words_is_one_unknown_word() {
        let mut builder = mapo_tables::TableBuilder::new("t", ["City"]);
        builder.push_row(["Seoul"]);
        let table = builder.finish();
        let none = mapo_programmer::Vectors {
            dimensions: 8,
            ..Default::default()
        };
        let words = Words::new(&[UNKNOWN.to_owned()], &none, mapo_programmer::Precision::Half).unwrap();
        let question = Question::read("", &table, mapo_questions::Linking::Paper);
        let input = encode(&everything(), &words, &question, &table);
        assert_eq!(input.tokens, [0]);
        input.check(&everything(), 1, 0).unwrap();
    }
}
