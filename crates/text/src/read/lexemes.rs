//! Text as numerals, words and marks: what the grammars of numbers and dates look at.
//!
//! This cut is finer than the tokens (`2004-05` is a numeral, a mark and a numeral) and keeps pointing into
//! the text, so that it costs nothing to make for the millions of cells of a large table.

use super::numerals::{Allowed, Form, Numeral, numeral};

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    /// A number in digits.
    Number(Numeral),
    /// A run of letters.
    Word(&'a str),
    /// Any other character.
    Mark(char),
}

/// A lexeme and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lexeme<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether a blank, or the start of the text, comes before it.
    pub(crate) spaced: bool,
}

impl<'a> Lexeme<'a> {
    /// A stand-in for slots not yet filled.
    pub(crate) const NONE: Lexeme<'static> = Lexeme {
        kind: Kind::Mark(' '),
        start: 0,
        end: 0,
        spaced: true,
    };

    pub(crate) fn number(&self) -> Option<Numeral> {
        match self.kind {
            Kind::Number(numeral) => Some(numeral),
            _ => None,
        }
    }

    pub(crate) fn word(&self) -> Option<&'a str> {
        match self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn mark(&self) -> Option<char> {
        match self.kind {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }
}

/// The lexemes of a text, left to right.
pub(crate) struct Lexemes<'a> {
    text: &'a str,
    at: usize,
    spaced: bool,
    /// Whether the last lexeme was a word or a numeral.
    after_word: bool,
    /// The mark that was the last lexeme, if it stands right after a numeral.
    after_mark: Option<char>,
    /// Whether the last lexeme was a numeral.
    after_number: bool,
    /// Whether the last lexeme was a word with a capital letter.
    after_name: bool,
    /// Whether the last lexeme was an opening bracket.
    after_bracket: bool,
    /// Whether digits in groups of three with blanks between are one number.
    spaces: bool,
}

impl<'a> Lexemes<'a> {
    pub(crate) fn new(text: &'a str, spaces: bool) -> Self {
        Lexemes {
            text,
            at: 0,
            spaced: true,
            after_word: false,
            after_mark: None,
            after_number: false,
            after_name: false,
            after_bracket: false,
            spaces,
        }
    }
}

impl<'a> Iterator for Lexemes<'a> {
    type Item = Lexeme<'a>;

    fn next(&mut self) -> Option<Lexeme<'a>> {
        let mut rest = self.text.get(self.at..)?;
        let c = loop {
            let c = rest.chars().next()?;
            // Zero-width characters separate nothing that a reader would see, yet stand between numbers in
            // coordinates.
            if !(c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}')) {
                break c;
            }
            self.at += c.len_utf8();
            self.spaced = true;
            rest = &self.text[self.at..];
        };
        let fresh = self.spaced || !self.after_word;
        let starts_number = match c {
            '0'..='9' | '¼' | '½' | '¾' | '⅐'..='⅞' => true,
            // `.5` is a number, the point of `no.5` is not part of one.
            '.' => fresh && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit),
            _ => false,
        };
        let allowed = Allowed {
            spaces: self.spaces && fresh,
            comma: self.spaced || self.after_mark != Some(','),
            joins: self.spaced || self.after_mark != Some('.'),
        };
        let numeral = if starts_number {
            numeral(rest, allowed).and_then(|found| self.in_place(rest, found, allowed))
        } else {
            None
        };
        let (kind, len) = match numeral {
            Some(numeral) => (Kind::Number(numeral), numeral.len),
            None if c.is_alphabetic() => {
                let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
                (Kind::Word(&rest[..len]), len)
            }
            // Digits that are no number (too many of them) are passed over as a whole.
            None if c.is_ascii_digit() => {
                let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                (Kind::Word(&rest[..len]), len)
            }
            None => (Kind::Mark(c), c.len_utf8()),
        };
        let lexeme = Lexeme {
            kind,
            start: self.at,
            end: self.at + len,
            spaced: self.spaced,
        };
        self.at += len;
        self.after_mark = match kind {
            Kind::Mark(mark) if self.after_number && !self.spaced => Some(mark),
            _ => None,
        };
        self.after_number = matches!(kind, Kind::Number(_));
        self.spaced = false;
        self.after_word = !matches!(kind, Kind::Mark(_));
        self.after_name = matches!(kind, Kind::Word(word) if word.starts_with(char::is_uppercase));
        self.after_bracket = matches!(kind, Kind::Mark('(' | '['));
        Some(lexeme)
    }
}

impl Lexemes<'_> {
    /// The numeral as it must be read after what came before it.
    fn in_place(&self, rest: &str, found: Numeral, allowed: Allowed) -> Option<Numeral> {
        let parts = match found.form {
            // `Luke 14:16` is a verse; after `ABC 2:00 pm` comes what makes it a time.
            Form::Clock { two_parts: true } => {
                let after = rest[found.len..].trim_start();
                self.after_name && !after.starts_with(['a', 'p', 'A', 'P'])
            }
            // `Smith (1/2)` is a score.
            Form::Fraction => self.after_bracket && rest[..found.len].contains('/'),
            _ => false,
        };
        if !parts {
            return Some(found);
        }
        numeral(
            rest,
            Allowed {
                joins: false,
                ..allowed
            },
        )
    }
}
