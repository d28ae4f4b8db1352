//! What a person may say about a file, over what would be decided: each has the same words in every command.

use super::LoadOptions;
use crate::Table;
use encoding_rs::Encoding;
use mapo_text::read::columns::Mark;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What can be said, by the names of the command's options.
pub const SAYINGS: [&str; 6] = ["format", "sheet", "header", "encoding", "separator", "decimal"];

impl LoadOptions {
    /// Says one thing about a file, by the name of the command's option; `totals` says whether a row that adds up the
    /// others is `kept` or `left-out`.
    ///
    /// # Errors
    /// If it cannot be said so.
    pub fn tell(&mut self, what: &str, value: &str) -> Result<(), String> {
        match what {
            "format" => self.format = Some(value.parse()?),
            "sheet" | "table" => self.part = Some(value.to_owned()),
            "header" => self.header = Some(value.parse()?),
            "encoding" => self.encoding = Some(value.parse()?),
            "separator" => self.separator = Some(value.parse()?),
            "decimal" => self.decimal = Some(value.parse()?),
            "totals" => {
                self.drop_totals = match value {
                    "kept" => false,
                    "left-out" => true,
                    _ => return Err(format!("a row of totals is kept or left-out, not '{value}'")),
                }
            }
            _ => {
                return Err(format!(
                    "nothing is called '{what}'; there is {}",
                    SAYINGS.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// What is said, as [`tell`](Self::tell) takes it.
    pub fn said(&self) -> Vec<(&'static str, String)> {
        let said = [
            self.format.map(|format| format.to_string()),
            self.part.clone(),
            self.header.map(|header| header.to_string()),
            self.encoding.map(|encoding| encoding.to_string()),
            self.separator.map(|separator| separator.to_string()),
            self.decimal.map(|decimal| decimal.to_string()),
        ];
        let named = SAYINGS.into_iter().zip(said);
        named.filter_map(|(what, said)| Some((what, said?))).collect()
    }

    /// All that must be said, as [`tell`](Self::tell) takes it, for a file to be read again as it was with these options
    /// by whoever keeps rows of totals unless told otherwise.
    pub fn said_of(&self, table: &Table) -> BTreeMap<String, String> {
        let said = self.said().into_iter();
        let totals = table.left_out().map(|_| ("totals", "left-out".to_owned()));
        said.chain(totals)
            .map(|(what, said)| (what.to_owned(), said))
            .collect()
    }
}

/// Where the names of the columns stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// In this line of the file, or row of the sheet, from 1.
    Line(u64),
    /// Nowhere: the columns are numbered.
    Nowhere,
}

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("none", _) => Ok(Header::Nowhere),
            (_, Ok(line)) if line > 0 => Ok(Header::Line(line)),
            _ => Err(format!("'{text}' is no line; give its number, from 1, or none")),
        }
    }
}

/// In what encoding a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(pub(super) &'static Encoding);

impl TextEncoding {
    pub(super) const WINDOWS: TextEncoding = TextEncoding(encoding_rs::WINDOWS_1252);

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

impl FromStr for TextEncoding {
    type Err = String;

    fn from_str(label: &str) -> Result<Self, String> {
        let known = Encoding::for_label_no_replacement(label.as_bytes());
        known.map(TextEncoding).ok_or_else(|| {
            format!(
                "'{label}' is no known encoding; try utf-8, windows-1252, windows-1251, utf-16le or shift_jis"
            )
        })
    }
}

/// The character between two cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separator(pub(super) u8);

impl Separator {
    /// The character itself.
    pub fn char(self) -> char {
        char::from(self.0)
    }
}

impl FromStr for Separator {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.as_bytes()) {
            ("tab" | "\\t", _) => Ok(Separator(b'\t')),
            ("comma", _) => Ok(Separator(b',')),
            ("semicolon", _) => Ok(Separator(b';')),
            ("bar", _) => Ok(Separator(b'|')),
            (_, [byte]) if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\r\n".contains(byte) => {
                Ok(Separator(*byte))
            }
            _ => Err(format!(
                "'{text}' cannot separate cells; give one character, such as ',' or ';', or tab"
            )),
        }
    }
}

/// The sign before the fraction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal(pub(crate) Mark);

impl FromStr for Decimal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "," | "comma" => Ok(Decimal(Mark::Comma)),
            "." | "point" => Ok(Decimal(Mark::Point)),
            _ => Err(format!("'{text}' stands before no fraction; it is ',' or '.'")),
        }
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Header::Line(line) => write!(f, "{line}"),
            Header::Nowhere => f.write_str("none"),
        }
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\t' => f.write_str("tab"),
            _ => write!(f, "{}", self.char()),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.char())
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_can_be_said_again() {
        let mut options = LoadOptions::default();
        let said = ["csv", "May", "3", "windows-1252", "tab", ","];
        for (what, value) in SAYINGS.into_iter().zip(said) {
            options.tell(what, value).unwrap();
        }
        let again: Vec<(&str, String)> = options.said();
        assert!(
            again
                .iter()
                .zip(SAYINGS.iter().zip(said))
                .all(|((a, b), (c, d))| a == c && b == d)
        );
        assert_eq!(again.len(), SAYINGS.len());
        assert!(options.tell("colour", "red").unwrap_err().contains("encoding"));
        options.tell("totals", "left-out").unwrap();
        assert!(options.drop_totals);
        options.tell("totals", "kept").unwrap();
        assert!(!options.drop_totals);
        assert!(options.tell("totals", "no").unwrap_err().contains("left-out"));
    }

    #[test]
    fn what_is_said_is_understood_or_refused_with_what_there_is() {
        assert_eq!("3".parse(), Ok(Header::Line(3)));
        assert_eq!("none".parse(), Ok(Header::Nowhere));
        assert!("0".parse::<Header>().is_err());
        assert_eq!("tab".parse(), Ok(Separator(b'\t')));
        assert_eq!(";".parse(), Ok(Separator(b';')));
        assert!("ab".parse::<Separator>().is_err() && "a".parse::<Separator>().is_err());
        assert_eq!("latin1".parse(), Ok(TextEncoding::WINDOWS));
        assert!(
            "klingon"
                .parse::<TextEncoding>()
                .unwrap_err()
                .contains("windows-1252")
        );
        assert_eq!(",".parse(), Ok(Decimal(Mark::Comma)));
        assert!(";".parse::<Decimal>().is_err());
    }
}
