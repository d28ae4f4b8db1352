//! The ways in which questions are joined with their tables.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the strings of a question are found in the cells of its table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Linking {
    /// As in the paper: only strings that stand in a cell as they are.
    Paper,
    /// Other forms of a word too.
    #[default]
    Wide,
    /// As people ask about tables of their own: whole cells first, codes and synonyms, words of one root, names
    /// in another order; headers with abbreviations spelt out; fewer words that stand in cells by chance.
    Everyday,
}

impl FromStr for Linking {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "paper" => Ok(Linking::Paper),
            "wide" => Ok(Linking::Wide),
            "everyday" => Ok(Linking::Everyday),
            _ => Err(format!(
                "there is no linking '{name}'; it is paper, wide or everyday"
            )),
        }
    }
}

impl fmt::Display for Linking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linking::Paper => "paper",
            Linking::Wide => "wide",
            Linking::Everyday => "everyday",
        })
    }
}
