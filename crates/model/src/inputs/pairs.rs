//! What speaks for a link between a word of the question and a column of the table: the pair features.
//!
//! Their weights in the network start at 1, so each is scaled to what it should count at first, and each is
//! the larger the more it speaks for a link.

use mapo_programmer::Words;
use mapo_questions::{Linking, Mention, Question, column_words, is_stop_word, spelt_out_word};
use mapo_tables::{Column, ColumnKind, Constant, Held, Table};
use mapo_text::read::Tag;

/// Features of a pair of a token and a column.
pub const PAIR_FEATURES: usize = 16;

/// The token is a word of the column's name,
const EQUAL: usize = 0;
/// or has the same stem or most of its letters.
const ALIKE: usize = 1;
/// It is part of a stretch of the question that is the whole name.
const WHOLE_NAME: usize = 2;
/// Which part of the name it is.
const SHARE: usize = 3;
/// It is a word of no other column's name.
const ONLY: usize = 4;
/// How near its vector comes to that of a word of the name.
const NEAR: usize = 5;
/// It is in a string that some cell of this column has,
const STRING: usize = 6;
/// that is a whole cell of this column,
const WHOLE_CELL: usize = 7;
/// or that some cell has of the column that this is another reading of.
const OTHER_READING: usize = 8;
/// It is in a number that this column has,
const NUMBER: usize = 9;
/// in a date that it has,
const DATE: usize = 10;
/// in a number, while it is a column of numbers,
const NUMBER_KIND: usize = 11;
/// in a date, while it is a column of dates.
const DATE_KIND: usize = 12;
/// It compares, and the column has an order.
const COMPARES: usize = 13;
/// It asks for a time, and the column is one of dates.
const TIME: usize = 14;
/// It asks how many, and the column is one of numbers.
const AMOUNT: usize = 15;

const TIME_WORDS: [&str; 6] = ["date", "day", "month", "when", "year", "years"];
const AMOUNT_WORDS: [&str; 6] = ["amount", "many", "much", "number", "sum", "total"];

/// A word with what is needed to compare it with others.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    stem: String,
    /// Whether it says something about which column is meant.
    tells: bool,
    /// Its fixed vector, of length 1.
    vector: Option<Vec<f32>>,
    /// The long words of an abbreviation in a question, where headers are spelt out.
    long: &'static [&'static str],
}

impl Word {
    fn new(words: &Words, text: &str) -> Self {
        let fixed = |id: &u32| *id as usize >= words.trained();
        let vector = words.id(text).filter(fixed).and_then(|id| {
            let mut vector = vec![0.0; words.dimensions()];
            words.add_vector(id, &[], 1.0, &mut vector);
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            (length > 0.0).then(|| vector.into_iter().map(|x| x / length).collect())
        });
        Self {
            text: text.to_owned(),
            stem: stem(text).to_owned(),
            tells: !is_stop_word(text),
            vector,
            long: &[],
        }
    }

    /// A word of a question.
    fn asked(words: &Words, text: &str, linking: Linking) -> Self {
        let long = match linking {
            Linking::Everyday => spelt_out_word(text),
            Linking::Paper | Linking::Wide => &[],
        };
        Self {
            long,
            ..Self::new(words, text)
        }
    }

    /// Whether a word of a question is a word of a name.
    fn is_same(&self, name: &Word) -> bool {
        self.text == name.text || self.long.contains(&name.text.as_str())
    }

    fn is_alike(&self, other: &Word) -> bool {
        self.stem == other.stem || share_most_letters(&self.text, &other.text)
    }

    /// How near two words are: 0 for words that have no more in common than most, 1 for the same.
    fn nearness(&self, other: &Word) -> f32 {
        // The cosine of unrelated words is seldom above this.
        const UNRELATED: f32 = 0.25;
        let (Some(one), Some(two)) = (&self.vector, &other.vector) else {
            return 0.0;
        };
        let cosine: f32 = one.iter().zip(two).map(|(x, y)| x * y).sum();
        ((cosine - UNRELATED) / (1.0 - UNRELATED)).clamp(0.0, 1.0)
    }
}

/// A word without the commonest endings of English; what is left has at least three letters.
fn stem(word: &str) -> &str {
    for ending in ["'s", "ings", "ing", "ies", "ied", "es", "ed", "s", "y", "e"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= 3
        {
            return stem;
        }
    }
    word
}

/// Whether two words begin with the same four letters or more, and these are two thirds of the longer.
fn share_most_letters(one: &str, two: &str) -> bool {
    let same = one.chars().zip(two.chars()).take_while(|(x, y)| x == y).count();
    same >= 4 && 3 * same >= 2 * one.chars().count().max(two.chars().count())
}

/// The names of a table's columns, made once for all its questions.
#[derive(Clone, Debug)]
pub struct Names {
    /// The words of each column of the file that has a typed column.
    names: Vec<Vec<Word>>,
    /// Which name each typed column has.
    of_column: Vec<usize>,
}

impl Names {
    /// The names of a table, for questions that are linked with it in one way.
    pub fn new(words: &Words, table: &Table, linking: Linking) -> Self {
        let mut names: Vec<Vec<Word>> = Vec::new();
        let mut of_column = Vec::new();
        let mut last = None;
        for column in table.columns() {
            if last != Some(column.source()) {
                let name = column_words(table, column, linking);
                names.push(name.map(|word| Word::new(words, word)).collect());
                last = Some(column.source());
            }
            of_column.push(names.len() - 1);
        }
        Self { names, of_column }
    }

    /// How near a word comes to one of a name.
    pub fn nearness(&self, words: &Words, word: &str) -> f32 {
        let word = Word::new(words, word);
        let names = self.names.iter().flatten().filter(|name| name.tells);
        names.map(|name| name.nearness(&word)).fold(0.0, f32::max)
    }

    /// For each token whether it is in the name of some column.
    pub fn mentioned(&self, tokens: &[String], linking: Linking) -> Vec<bool> {
        let words = || self.names.iter().flatten().filter(|word| word.tells);
        let known = |token: &String| {
            let long = match linking {
                Linking::Everyday => spelt_out_word(token),
                Linking::Paper | Linking::Wide => &[],
            };
            words().any(|word| {
                word.text == *token || word.stem == stem(token) || long.contains(&word.text.as_str())
            })
        };
        tokens
            .iter()
            .map(|token| !is_stop_word(token) && known(token))
            .collect()
    }
}

/// The features of all pairs: token after token, and for each the typed columns in their order.
pub fn pair_features(words: &Words, question: &Question, table: &Table, names: &Names) -> Vec<f32> {
    let columns = table.columns();
    let count = question.tokens.len();
    // A question without a token is shown as one unknown word.
    let mut all = vec![0.0; count.max(1) * columns.len() * PAIR_FEATURES];
    let tokens: Vec<Word> = question
        .tokens
        .iter()
        .map(|token| Word::asked(words, token, question.linking))
        .collect();
    let by_name: Vec<Vec<NameMatch>> = names.names.iter().map(|name| match_name(&tokens, name)).collect();
    let matched: Vec<usize> = (0..count)
        .map(|t| by_name.iter().filter(|name| name[t].share > 0.0).count())
        .collect();
    let mut pairs = all.chunks_exact_mut(PAIR_FEATURES);
    for (t, token) in question.tokens.iter().enumerate() {
        let compares = question.tags.get(t).is_some_and(|tag| *tag != Tag::Other);
        let time = TIME_WORDS.contains(&token.as_str());
        let amount = AMOUNT_WORDS.contains(&token.as_str());
        for (column, (&name, features)) in columns.iter().zip(names.of_column.iter().zip(&mut pairs)) {
            let found = &by_name[name][t];
            features[EQUAL] = found.equal;
            features[ALIKE] = found.alike;
            features[WHOLE_NAME] = found.whole;
            features[SHARE] = found.share;
            features[ONLY] = if found.share > 0.0 && matched[t] == 1 {
                1.0
            } else {
                0.0
            };
            features[NEAR] = found.near;
            let kind = column.kind();
            let flag = |is: bool, size: f32| if is { size } else { 0.0 };
            features[COMPARES] = flag(compares && kind.is_ordered(), 0.5);
            features[TIME] = flag(time && kind == ColumnKind::Date, 1.0);
            features[AMOUNT] = flag(amount && kind.is_number(), 0.5);
        }
    }
    for mention in &question.mentions {
        add_mention(mention, columns, count, &mut all);
    }
    all
}

/// What a token has in common with a name.
#[derive(Clone, Copy, Debug, Default)]
struct NameMatch {
    equal: f32,
    alike: f32,
    whole: f32,
    share: f32,
    near: f32,
}

fn match_name(tokens: &[Word], name: &[Word]) -> Vec<NameMatch> {
    let mut found: Vec<NameMatch> = tokens
        .iter()
        .map(|token| {
            let mut found = NameMatch::default();
            if !token.tells {
                return found;
            }
            for word in name.iter().filter(|word| word.tells) {
                if token.is_same(word) {
                    found.equal = 1.0;
                } else if word.is_alike(token) {
                    found.alike = 1.0;
                }
                found.near = found.near.max(word.nearness(token));
            }
            if found.equal + found.alike > 0.0 {
                found.share = 1.0 / name.len() as f32;
            }
            found
        })
        .collect();
    let tells = name.iter().any(|word| word.tells);
    if tells && name.len() <= tokens.len() {
        for start in 0..=tokens.len() - name.len() {
            let here = &tokens[start..start + name.len()];
            let same = |(token, word): (&Word, &Word)| {
                token.is_same(word) || token.tells && word.tells && token.is_alike(word)
            };
            if here.iter().zip(name).all(same) {
                for (found, token) in found[start..].iter_mut().zip(here) {
                    found.whole = if token.tells { 1.0 } else { 0.0 };
                }
            }
        }
    }
    found
}

/// Adds what a constant says about the pairs of its tokens.
fn add_mention(mention: &Mention, columns: &[Column], tokens: usize, all: &mut [f32]) {
    let mut text_held = (usize::MAX, false);
    for (c, column) in columns.iter().enumerate() {
        let held = column.holds(&mention.constant);
        if column.kind() == ColumnKind::Text {
            text_held = (column.source(), held != Held::No);
        }
        let kind = column.kind();
        let mut said = [0.0f32; PAIR_FEATURES];
        match mention.constant {
            Constant::Strings(_) if kind == ColumnKind::Text => {
                said[STRING] = if held == Held::No { 0.0 } else { 2.0 };
                said[WHOLE_CELL] = if held == Held::Whole { 1.0 } else { 0.0 };
            }
            Constant::Strings(_) => {
                said[OTHER_READING] = if text_held == (column.source(), true) {
                    1.0
                } else {
                    0.0
                };
            }
            Constant::Numbers(_) if kind.is_number() => {
                said[NUMBER_KIND] = 0.5;
                said[NUMBER] = if held == Held::No { 0.0 } else { 1.5 };
            }
            Constant::Dates(_) if kind == ColumnKind::Date => {
                said[DATE_KIND] = 0.5;
                said[DATE] = if held == Held::No { 0.0 } else { 1.5 };
            }
            Constant::Numbers(_) | Constant::Dates(_) => {}
        }
        if said.iter().all(|said| *said == 0.0) {
            continue;
        }
        for t in mention.span.clone().filter(|t| *t < tokens) {
            let pair = &mut all[(t * columns.len() + c) * PAIR_FEATURES..][..PAIR_FEATURES];
            pair.iter_mut()
                .zip(said)
                .for_each(|(feature, said)| *feature = feature.max(said));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_programmer::{Precision, Vectors};
    use mapo_tables::TableBuilder;

    fn table() -> Table {
        let mut builder = TableBuilder::new("t", ["Year", "Home city", "Gold medals", "Silver medals"]);
        builder.push_row(["1984", "Los Angeles", "3", "1"]);
        builder.push_row(["1988", "Seoul", "12", "7"]);
        builder.push_row(["1992", "Greater Seoul area", "5", "7"]);
        builder.finish()
    }

    fn words() -> Words {
        let vectors = Vectors {
            dimensions: 2,
            words: ["city", "town", "medal"].map(str::to_owned).into(),
            numbers: vec![1.0, 0.0, 0.9, 0.1, 0.0, 1.0],
            source: None,
        };
        Words::new(&["<unknown>".to_owned()], &vectors, Precision::Half).unwrap()
    }

    /// What is said about a token and a column.
    fn said(question: &str, token: &str, column: &str) -> [f32; PAIR_FEATURES] {
        let (table, words) = (table(), words());
        let question = Question::read(question, &table, mapo_questions::Linking::Paper);
        let all = pair_features(
            &words,
            &question,
            &table,
            &Names::new(&words, &table, question.linking),
        );
        let t = question.tokens.iter().position(|other| other == token).unwrap();
        let c = table
            .columns()
            .iter()
            .position(|other| other.name() == column)
            .unwrap();
        let at = (t * table.columns().len() + c) * PAIR_FEATURES;
        all[at..at + PAIR_FEATURES].try_into().unwrap()
    }

    #[test]
    fn words_of_names_are_found() {
        let question = "how many silver medals did the towns of seoul win after 1988?";
        let silver = said(question, "silver", "r.silver_medals-num");
        assert_eq!(
            [EQUAL, ALIKE, WHOLE_NAME, SHARE, ONLY].map(|f| silver[f]),
            [1.0, 0.0, 1.0, 0.5, 1.0]
        );
        let medals = said(question, "medals", "r.gold_medals-str");
        assert_eq!(
            [EQUAL, WHOLE_NAME, SHARE, ONLY].map(|f| medals[f]),
            [1.0, 0.0, 0.5, 0.0]
        );
        assert_eq!(said(question, "how", "r.silver_medals-num"), [0.0; PAIR_FEATURES]);
        assert_eq!(said(question, "many", "r.silver_medals-num")[AMOUNT], 0.5);
        assert_eq!(said(question, "many", "r.silver_medals-str")[AMOUNT], 0.0);
        let alike = said("which cities hosted?", "cities", "r.home_city-str");
        assert_eq!([EQUAL, ALIKE, WHOLE_NAME].map(|f| alike[f]), [0.0, 1.0, 0.0]);
        assert!(said("which town?", "town", "r.home_city-str")[NEAR] > 0.9);
        assert_eq!(said("which town?", "town", "r.gold_medals-str")[NEAR], 0.0);
    }

    #[test]
    fn constants_are_found_in_their_columns() {
        let question = "who won more than 7 in seoul after 1988?";
        let seoul = said(question, "seoul", "r.home_city-str");
        assert_eq!([STRING, WHOLE_CELL].map(|f| seoul[f]), [2.0, 1.0]);
        let part = said("was it in greater seoul?", "greater", "r.home_city-str");
        assert_eq!([STRING, WHOLE_CELL].map(|f| part[f]), [2.0, 0.0]);
        assert_eq!(said(question, "seoul", "r.year-str")[STRING], 0.0);
        let (seven, gold) = (
            said(question, "7", "r.silver_medals-num"),
            said(question, "7", "r.gold_medals-num"),
        );
        assert_eq!([NUMBER, NUMBER_KIND].map(|f| seven[f]), [1.5, 0.5]);
        assert_eq!([NUMBER, NUMBER_KIND].map(|f| gold[f]), [0.0, 0.5]);
        let year = said(question, "1988", "r.year-date");
        assert_eq!([DATE, DATE_KIND].map(|f| year[f]), [1.5, 0.5]);
        assert_eq!(said(question, "1988", "r.year-num")[OTHER_READING], 1.0);
        assert_eq!(said(question, "more", "r.year-num")[COMPARES], 0.5);
        assert_eq!(said(question, "more", "r.year-str")[COMPARES], 0.0);
        assert_eq!(said("when was it?", "when", "r.year-date")[TIME], 1.0);
    }

    #[test]
    fn stems_and_beginnings() {
        for (one, two, alike) in [
            ("city", "cities", true),
            ("game", "games", true),
            ("played", "playing", true),
            ("nation", "nationality", false),
            ("attend", "attendance", false),
            ("competitor", "competition", true),
            ("car", "cat", false),
            ("us", "use", false),
            ("a", "as", false),
        ] {
            let same = stem(one) == stem(two) || share_most_letters(one, two);
            assert_eq!(same, alike, "{one} {two}");
        }
    }
}
