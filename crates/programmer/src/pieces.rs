//! Word pieces: text cut into the vocabulary of a published encoder, as its own tokenizer does.
//!
//! Text is cleaned of control characters, lower-cased and freed of accents; words are what white space,
//! punctuation and ideographs leave between them; a word is cut from the left into the longest pieces that the
//! vocabulary has. Names of special pieces that stand in a text are text like any other.

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words of more characters are unknown as a whole.
const LONGEST_WORD: usize = 100;

/// A vocabulary of word pieces.
///
/// ```
/// use mapo_programmer::Pieces;
///
/// let names = ["[UNK]", "[CLS]", "[SEP]", "repair", "##ed", "cafe", "?"].map(String::from);
/// let pieces = Pieces::new(names.to_vec())?;
/// assert_eq!(pieces.sequence("Repaired café?"), [1, 3, 4, 5, 6, 2]);
/// # Ok::<(), mapo_programmer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pieces {
    names: Vec<String>,
    ids: HashMap<String, u32>,
    unknown: u32,
    start: u32,
    separator: u32,
}

impl Pieces {
    /// A vocabulary of these pieces; those that go on with a word begin with `##`.
    ///
    /// # Errors
    /// [`Error::Config`] if a special piece is missing.
    pub fn new(names: Vec<String>) -> Result<Self> {
        let ids: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
        let special = |name: &str| {
            ids.get(name)
                .copied()
                .ok_or_else(|| Error::Config(format!("the vocabulary of word pieces has no {name}")))
        };
        Ok(Self {
            unknown: special("[UNK]")?,
            start: special("[CLS]")?,
            separator: special("[SEP]")?,
            names,
            ids,
        })
    }

    /// Reads a published `vocab.txt`: a piece a line.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Format`] if it is no vocabulary.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })?;
        Self::new(text.lines().map(str::to_owned).collect()).map_err(|error| Error::Format {
            path: path.to_owned(),
            reason: error.to_string(),
        })
    }

    /// The pieces, by id.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The piece that begins a sequence.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The piece that ends a text within a sequence.
    pub fn separator(&self) -> u32 {
        self.separator
    }

    /// The pieces of a text between those that begin and end a sequence.
    pub fn sequence(&self, text: &str) -> Vec<u32> {
        let mut sequence = vec![self.start];
        self.cut(text, &mut sequence);
        sequence.push(self.separator);
        sequence
    }

    /// Adds the pieces of a text.
    pub fn cut(&self, text: &str, out: &mut Vec<u32>) {
        let mut word = String::new();
        for c in text
            .chars()
            .filter(|&c| !is_dropped(c))
            .nfd()
            .filter(|&c| !is_mark(c))
        {
            if is_ideograph(c) || is_punctuation(c) {
                self.cut_word(&mut word, out);
                word.push(c);
                self.cut_word(&mut word, out);
            } else if c.is_whitespace() {
                self.cut_word(&mut word, out);
            } else {
                word.extend(c.to_lowercase());
            }
        }
        self.cut_word(&mut word, out);
    }

    /// Adds the pieces of a word, which is then empty.
    fn cut_word(&self, word: &mut String, out: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = out.len();
        let mut candidate = String::new();
        let mut rest = word.as_str();
        if rest.chars().count() > LONGEST_WORD {
            rest = "";
            out.push(self.unknown);
        }
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let mut ends: Vec<usize> = ends.collect();
            let found = loop {
                let Some(end) = ends.pop() else { break None };
                candidate.clear();
                if out.len() > before {
                    candidate.push_str("##");
                }
                candidate.push_str(&rest[..end]);
                if let Some(&id) = self.ids.get(&candidate) {
                    break Some((id, end));
                }
            };
            match found {
                Some((id, end)) => {
                    out.push(id);
                    rest = &rest[end..];
                }
                None => {
                    out.truncate(before);
                    out.push(self.unknown);
                    break;
                }
            }
        }
        word.clear();
    }
}

/// Control characters and the like; tabs and ends of lines are white space.
fn is_dropped(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    !matches!(c, '\t' | '\n' | '\r')
        && (c == '\u{fffd}' || matches!(c.general_category(), Control | Format | PrivateUse))
}

fn is_mark(c: char) -> bool {
    c.general_category() == GeneralCategory::NonspacingMark
}

/// ASCII's symbols count as punctuation too.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// Chinese characters, each of which is a word.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f | 0x2b740..=0x2b81f
        | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> String {
        let names = [
            "[UNK]", "[CLS]", "[SEP]", "un", "##afford", "##able", "cafe", "naive", "1", "##99", "$", ".",
            "[", "]", "cl", "##s", "日", "本", "ss", "i",
        ];
        let pieces = Pieces::new(names.map(String::from).to_vec()).unwrap();
        let mut ids = Vec::new();
        pieces.cut(text, &mut ids);
        let names = ids.iter().map(|&id| pieces.names()[id as usize].as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        assert_eq!(cut("unaffordable"), "un ##afford ##able");
        assert_eq!(cut("unaffordables"), "un ##afford ##able ##s");
        assert_eq!(cut("unaffordablex un"), "[UNK] un");
        assert_eq!(cut(&"un".repeat(51)), "[UNK]");
        assert_eq!(cut(" \t\n "), "");
    }

    #[test]
    fn case_accents_punctuation_and_ideographs_are_as_published() {
        assert_eq!(cut("CAFÉ Naïve"), "cafe naive");
        assert_eq!(cut("$1.199"), "$ 1 . 1 ##99");
        assert_eq!(cut("日本un日"), "日 本 un 日");
        assert_eq!(cut("ca\u{0}f\u{200b}e\u{301}"), "cafe");
        assert_eq!(cut("\u{130}"), "i");
    }

    #[test]
    fn names_of_special_pieces_in_a_text_are_text() {
        assert_eq!(cut("[CLS]"), "[ cl ##s ]");
    }

    #[test]
    fn a_vocabulary_without_special_pieces_is_refused() {
        let said = Pieces::new(vec!["[UNK]".into(), "[CLS]".into()])
            .unwrap_err()
            .to_string();
        assert!(said.contains("has no [SEP]"), "{said}");
    }
}
