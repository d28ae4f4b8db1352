//! What the cells of a text column are like: categories, numbers, prose, codes, yes and no.

use crate::header_words::{spelt_out_word, words_of_header};
use crate::words::words;
use mapo_tables::{Column, ColumnKind, Dictionary, Held, Table, Value};
use mapo_text::fold;
use mapo_text::word_forms::stem;
use std::collections::{HashMap, HashSet};

/// Columns with more different texts are searched, never listed.
const FEW: usize = 1000;
/// Texts of a column that are looked at to see what they are like.
const LOOKED_AT: usize = 300;
/// Words of a text from which on it is prose, on the average.
const PROSE: usize = 8;

/// A text column.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Its number among all columns.
    pub column: usize,
    /// Its different texts, if they are few.
    pub few: Vec<String>,
    /// Whether its texts are repeated, as those of a category are.
    pub is_category: bool,
    /// Whether its texts are plain numbers, dates or times, which are no strings to look for.
    pub is_numeric: bool,
    /// Whether its texts are sentences, in which any word may stand.
    pub is_prose: bool,
    /// The length of its texts, if they are codes of letters, all of one length.
    pub code_length: Option<usize>,
    /// Its text for yes and its text for no, if it says no more than that.
    pub truth: Option<(Option<String>, Option<String>)>,
}

/// All text columns of a table, and the words of its categories.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    pub columns: Vec<Shape>,
    /// The words of categories by their first letters; see [`beginning`].
    words: HashMap<String, Vec<String>>,
    /// The stems of the words of headers, with how many headers have each, and of the table's own name.
    named: HashMap<String, usize>,
    /// The columns of numbers that have both 0 and 1 and nothing else, by their numbers among all.
    pub flags: Vec<usize>,
}

const YES: [&str; 4] = ["yes", "true", "y", "t"];
const NO: [&str; 4] = ["no", "false", "n", "f"];

impl Shape {
    fn new(number: usize, column: &Column) -> Self {
        mapo_stopping::check();
        let distinct = column.values_len();
        let texts = || {
            let texts = column.values().filter_map(|value| match value {
                Value::Text(text) if !text.is_empty() => Some(text),
                _ => None,
            });
            texts.take(if distinct <= FEW { FEW } else { LOOKED_AT })
        };
        let seen = texts().count().max(1);
        let share = |is: &dyn Fn(&str) -> bool| texts().filter(|text| is(text)).count() as f64 / seen as f64;
        let lengths: usize = texts().map(|text| words(text).count()).sum();
        let length = texts().next().map_or(0, str::len);
        let is_code = |text: &str| text.len() == length && text.bytes().all(|byte| byte.is_ascii_lowercase());
        // A stray longer text, `n/a` say, leaves the rest codes.
        let coded = (1..=3).contains(&length) && distinct > 1 && share(&is_code) > 0.9;
        let is_prose = lengths > PROSE * seen;
        let repeats = distinct <= FEW && 2 * distinct <= filled(column);
        Shape {
            column: number,
            few: if distinct <= FEW {
                texts().map(str::to_owned).collect()
            } else {
                Vec::new()
            },
            is_category: !is_prose && (distinct <= 12 || repeats),
            is_numeric: share(&is_numeric) > 0.95,
            is_prose,
            code_length: coded.then_some(length),
            truth: (distinct <= 3).then(|| truth(texts())).flatten(),
        }
    }
}

/// How many rows of a text column are not empty, as far as the first say it.
fn filled(column: &Column) -> usize {
    const ROWS: usize = 5000;
    let rows = column.rows().min(ROWS);
    let is_empty = |row: &usize| matches!(column.value(*row), None | Some(Value::Text("")));
    let empty = (0..rows).filter(is_empty).count();
    (rows - empty) * column.rows() / rows.max(1)
}

/// The texts for yes and for no among texts that say nothing else.
fn truth<'t>(texts: impl Iterator<Item = &'t str>) -> Option<(Option<String>, Option<String>)> {
    let mut found = (None, None);
    for text in texts {
        if YES.contains(&text) {
            found.0 = Some(text.to_owned());
        } else if NO.contains(&text) {
            found.1 = Some(text.to_owned());
        } else {
            return None;
        }
    }
    // `f` alone may be female, `t` and `n` anything.
    let letters = |text: &Option<String>| text.as_ref().is_none_or(|text| text.len() == 1);
    let is_both = found.0.is_some() && found.1.is_some();
    (is_both || !(letters(&found.0) && letters(&found.1))).then_some(found)
}

/// Whether a text is one number, date or time. Several numbers in a cell are a list of texts.
fn is_numeric(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        && !text.contains(char::is_alphabetic)
        && ![", ", "; ", " / ", "|"].iter().any(|mark| text.contains(mark))
        && !text.ends_with('+')
        && !text.starts_with(['<', '>'])
}

/// The letters by which related words are found.
pub(super) fn beginning(word: &str) -> Option<&str> {
    word.get(..4)
}

impl Shapes {
    /// Those of a table, kept beside it.
    pub fn of(table: &Table) -> &Shapes {
        table.derived(Shapes::new)
    }

    fn new(table: &Table) -> Self {
        let numbered = || table.columns().iter().enumerate();
        let texts = numbered().filter(|(_, column)| column.kind() == ColumnKind::Text);
        let columns: Vec<Shape> = texts.map(|(number, column)| Shape::new(number, column)).collect();
        let mut by_beginning: HashMap<String, Vec<String>> = HashMap::new();
        let mut known: HashSet<&str> = HashSet::new();
        let categories = columns
            .iter()
            .filter(|shape| shape.is_category && !shape.is_prose);
        for word in categories.flat_map(|shape| shape.few.iter().flat_map(|text| words(text))) {
            let word = word.1;
            if let Some(beginning) = beginning(word)
                && known.insert(word)
            {
                by_beginning
                    .entry(beginning.to_owned())
                    .or_default()
                    .push(word.to_owned());
            }
        }
        let is_flag = |column: &Column| match column.dictionary() {
            Dictionary::Numbers(numbers) => column.kind() == ColumnKind::Number && **numbers == [0.0, 1.0],
            _ => false,
        };
        let flags = numbered().filter(|(_, column)| is_flag(column));
        let mut named: HashMap<String, usize> = HashMap::new();
        for source in 0..table.headers().len() {
            let spelt = words_of_header(table, source).iter().cloned();
            let header = fold(&table.headers()[source]);
            let written = words(&header).map(|(_, word)| word.to_owned());
            let stems: HashSet<String> = spelt.chain(written).map(|word| stem(&word)).collect();
            for stem in stems {
                *named.entry(stem).or_default() += 1;
            }
        }
        // "How many books" of a file `books.csv` asks for rows.
        let name = fold(table.name());
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        for (_, word) in words(name.split('.').next().unwrap_or_default()) {
            named.entry(stem(word)).or_default();
        }
        Shapes {
            named,
            flags: flags.map(|(number, _)| number).collect(),
            words: by_beginning,
            columns,
        }
    }

    /// Whether a word, in some form, is part of a header or of the table's name: it then says which column is
    /// meant rather than which cell.
    pub fn is_named(&self, word: &str) -> bool {
        let spelt = spelt_out_word(word);
        self.named.contains_key(&stem(word)) || spelt.iter().any(|word| self.named.contains_key(*word))
    }

    /// How many headers have a word.
    pub fn headers_with(&self, word: &str) -> usize {
        self.named.get(&stem(word)).copied().unwrap_or_default()
    }

    /// The words of categories that begin as a word does.
    pub fn beginning_like(&self, word: &str) -> &[String] {
        let alike = beginning(word).and_then(|beginning| self.words.get(beginning));
        alike.map_or(&[], Vec::as_slice)
    }
}

/// How well a text is found in the cells, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// In no cell that counts.
    None,
    /// A part of prose.
    Prose,
    /// A part of some cell.
    Part,
    /// A whole cell.
    Whole,
    /// A whole cell of a category.
    Category,
}

impl Quality {
    /// How well a column has a text.
    pub fn of(shape: &Shape, held: Held) -> Quality {
        match held {
            Held::No => Quality::None,
            Held::Part if shape.is_prose => Quality::Prose,
            Held::Part => Quality::Part,
            Held::Whole if shape.is_category => Quality::Category,
            Held::Whole => Quality::Whole,
        }
    }
}
