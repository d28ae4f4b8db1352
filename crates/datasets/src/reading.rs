//! How data is read: the switches that a store, a run, a comparison and a model must agree in.

use mapo_language::{Dialect, Fit, Language};
use mapo_questions::{Linking, Question};
use mapo_tables::Table;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Whose annotation of questions and cells is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// CoreNLP's tags, which WikiTableQuestions comes with.
    CoreNlp,
    /// Our own reader, for any text.
    Mapo,
}

impl FromStr for Reader {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "corenlp" => Ok(Reader::CoreNlp),
            "mapo" => Ok(Reader::Mapo),
            _ => Err(format!("there is no reader '{name}'; it is corenlp or mapo")),
        }
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reader::CoreNlp => "corenlp",
            Reader::Mapo => "mapo",
        })
    }
}

/// How questions and tables are read. It is written flat into whatever was made of data that was read so:
/// the header of a store, the configuration of a run, the plan of a comparison.
///
/// To add a switch, give it a field here and in [`ReadingChoice`], and a line in the functions below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Whose annotation.
    pub reader: Reader,
    /// How words of questions are found in cells. Files that do not say were made when there was only the
    /// paper's way.
    #[serde(default = "papers_linking")]
    pub linking: Linking,
    /// Where values must stand to be offered. Files that do not say were made when there was only the
    /// paper's way.
    #[serde(default)]
    pub fit: Fit,
    /// Whose language programs are written in. Files that do not say were made when there was only the
    /// paper's.
    #[serde(default)]
    pub language: Dialect,
}

fn papers_linking() -> Linking {
    Linking::Paper
}

/// A difference between two ways of reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingDifference {
    /// The switch: `reader`, `linking`, `fit`, `language`. Its flag on the command line has the same name.
    pub switch: &'static str,
    /// What it is in the one.
    pub found: String,
    /// What it is in the other.
    pub wanted: String,
}

impl Reading {
    /// Any text, read by our own reader as the paper would.
    pub const PLAIN: Self = Self {
        reader: Reader::Mapo,
        linking: Linking::Paper,
        fit: Fit::Rows,
        language: Dialect::Paper,
    };

    /// The switches by name.
    pub fn named(&self) -> [(&'static str, String); 4] {
        [
            ("reader", self.reader.to_string()),
            ("linking", self.linking.to_string()),
            ("fit", self.fit.to_string()),
            ("language", self.language.to_string()),
        ]
    }

    /// The first switch in which another reading is wanted.
    pub fn difference(&self, wanted: &Self) -> Option<ReadingDifference> {
        let pairs = self.named().into_iter().zip(wanted.named());
        let mut differences = pairs.filter(|((_, found), (_, wanted))| found != wanted);
        let ((switch, found), (_, wanted)) = differences.next()?;
        Some(ReadingDifference {
            switch,
            found,
            wanted,
        })
    }

    /// A question about a table in our own reader's annotation, linked with the table.
    pub fn question(&self, text: &str, table: &Table) -> Question {
        Question::read(text, table, self.linking)
    }

    /// The language of programs for data that is read so, where a dataset has this one as the paper's.
    pub fn language(&self, papers: Language) -> Language {
        let language = match self.language {
            Dialect::Paper => papers,
            Dialect::People => papers.for_people(),
        };
        Language {
            fit: self.fit,
            ..language
        }
    }
}

/// What is said of a [`Reading`]: all of it, some of it or nothing. A user says what is wished, a model's
/// card how the model was trained; a dataset decides the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadingChoice {
    /// Whose annotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
    /// How words of questions are found in cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linking: Option<Linking>,
    /// Where values must stand to be offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// Whose language programs are written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Dialect>,
}

impl ReadingChoice {
    /// The names of the switches, in files and as flags.
    pub const NAMES: [&str; 4] = ["reader", "linking", "fit", "language"];

    /// What is said here, and for the rest what is said there.
    pub fn or(self, other: Self) -> Self {
        Self {
            reader: self.reader.or(other.reader),
            linking: self.linking.or(other.linking),
            fit: self.fit.or(other.fit),
            language: self.language.or(other.language),
        }
    }

    /// What is said here and there alike.
    pub fn common(self, other: Self) -> Self {
        Self {
            reader: self.reader.filter(|_| self.reader == other.reader),
            linking: self.linking.filter(|_| self.linking == other.linking),
            fit: self.fit.filter(|_| self.fit == other.fit),
            language: self.language.filter(|_| self.language == other.language),
        }
    }

    /// What is said here, and for the rest another reading.
    pub fn over(self, rest: Reading) -> Reading {
        Reading {
            reader: self.reader.unwrap_or(rest.reader),
            linking: self.linking.unwrap_or(rest.linking),
            fit: self.fit.unwrap_or(rest.fit),
            language: self.language.unwrap_or(rest.language),
        }
    }

    /// Says something that was left open, by its name; false if it has been said.
    ///
    /// # Errors
    /// If there is no such switch, or it has no such value.
    pub fn say(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let mut said = Self::default();
        let is_open = match name {
            "reader" => {
                said.reader = Some(value.parse()?);
                self.reader.is_none()
            }
            "linking" => {
                said.linking = Some(value.parse()?);
                self.linking.is_none()
            }
            "fit" => {
                said.fit = Some(value.parse()?);
                self.fit.is_none()
            }
            "language" => {
                said.language = Some(value.parse()?);
                self.language.is_none()
            }
            _ => return Err(format!("there is no switch of reading '{name}'")),
        };
        *self = self.or(said);
        Ok(is_open)
    }
}

impl From<Reading> for ReadingChoice {
    fn from(reading: Reading) -> Self {
        Self {
            reader: Some(reading.reader),
            linking: Some(reading.linking),
            fit: Some(reading.fit),
            language: Some(reading.language),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const OTHER: Reading = Reading {
        reader: Reader::CoreNlp,
        linking: Linking::Wide,
        fit: Fit::Table,
        language: Dialect::People,
    };

    #[test]
    fn files_hold_every_switch_by_its_name() {
        let written = json!({ "reader": "corenlp", "linking": "wide", "fit": "table", "language": "people" });
        assert_eq!(serde_json::to_value(OTHER).unwrap(), written);
        assert_eq!(serde_json::to_value(ReadingChoice::from(OTHER)).unwrap(), written);
        assert_eq!(serde_json::from_value::<Reading>(written).unwrap(), OTHER);
        for (name, (switch, value)) in ReadingChoice::NAMES.into_iter().zip(OTHER.named()) {
            assert_eq!(name, switch);
            let mut choice = ReadingChoice::default();
            assert_eq!(choice.say(name, &value), Ok(true));
            assert_eq!(choice.say(name, &value), Ok(false));
            let read: ReadingChoice = serde_json::from_value(json!({ name: value })).unwrap();
            assert_eq!(choice, read);
        }
    }

    #[test]
    fn files_from_before_a_switch_are_the_papers() {
        let old: Reading = serde_json::from_value(json!({ "reader": "mapo" })).unwrap();
        assert_eq!(old, Reading::PLAIN);
        let nothing: ReadingChoice = serde_json::from_value(json!({})).unwrap();
        assert_eq!(nothing.over(OTHER), OTHER);
        assert_eq!(serde_json::to_value(nothing).unwrap(), json!({}));
    }

    #[test]
    fn what_differs_is_named() {
        assert_eq!(OTHER.difference(&OTHER), None);
        let rows = Reading {
            fit: Fit::Rows,
            ..OTHER
        };
        let difference = OTHER.difference(&rows).unwrap();
        assert_eq!(
            (difference.switch, &*difference.found, &*difference.wanted),
            ("fit", "table", "rows")
        );
    }
}
