//! Finding the strings of a question that occur in cells.

use crate::haystack::Haystack;
use crate::mention::Mention;
use crate::stop_words::is_stop_word;
use crate::wide::Wide;
use crate::words::Words;
use mapo_tables::Constant;
use mapo_tables::Table;
use mapo_text::normalize;
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
}

impl FromStr for Linking {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "paper" => Ok(Linking::Paper),
            "wide" => Ok(Linking::Wide),
            _ => Err(format!("there is no linking '{name}'; it is paper or wide")),
        }
    }
}

impl fmt::Display for Linking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linking::Paper => "paper",
            Linking::Wide => "wide",
        })
    }
}

/// The strings of the question that occur in the table, from left to right, with those around an "or" joined.
/// None overlap but, in wide linking, a list of two around an "and" with its parts.
pub(crate) fn link(tokens: &[String], table: &Table, linking: Linking) -> Vec<Mention> {
    let haystack = Haystack::new(table);
    let wide = (linking == Linking::Wide).then(|| Wide::new(tokens, Words::of(table), haystack));
    link_in(tokens, haystack, wide)
}

fn link_in(tokens: &[String], haystack: Haystack<'_>, wide: Option<Wide<'_>>) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let exact = grow(tokens, at, haystack);
        let found = match &wide {
            None => exact,
            Some(wide) => {
                let exact = exact.filter(|mention| !is_punctuation(&mention.constant));
                let length = exact.as_ref().map_or(0, |mention| mention.span.len());
                wide.near(at, length).or(exact)
            }
        };
        match found {
            Some(mention) => {
                at = mention.span.end;
                mentions.push(mention);
            }
            None => at += 1,
        }
    }
    let lists = match wide {
        None => Vec::new(),
        Some(_) => lists(tokens, &mentions),
    };
    join_alternatives(tokens, &mut mentions);
    mentions.extend(lists);
    mentions
}

/// Whether nothing in a constant is a letter or a digit.
fn is_punctuation(constant: &Constant) -> bool {
    match constant {
        Constant::Strings(strings) => !strings.iter().any(|text| text.contains(char::is_alphanumeric)),
        Constant::Numbers(_) | Constant::Dates(_) => false,
    }
}

/// The longest string that starts at a token and occurs in a cell at every length on the way.
fn grow(tokens: &[String], start: usize, haystack: Haystack<'_>) -> Option<Mention> {
    let token = &tokens[start];
    if is_stop_word(token) || found_form(token, haystack).is_none() {
        return None;
    }
    let mut text = token.clone();
    let mut end = start + 1;
    while let Some(longer) = tokens.get(end).and_then(|next| extend(&text, next, haystack)) {
        text = longer;
        end += 1;
    }
    let text = found_form(&text, haystack)?;
    Some(Mention {
        constant: Constant::string(text),
        span: start..end,
    })
}

/// The string in normal form, or as it is where cells are not in normal form, whichever occurs.
fn found_form(text: &str, haystack: Haystack<'_>) -> Option<String> {
    [normalize(text), text.to_owned()]
        .into_iter()
        .find(|form| haystack.has(form))
}

/// The string with the next token, in the first way of joining them that occurs in a cell: as they are or in
/// normal form, with a blank, a hyphen or nothing between. A full stop, whose normal form is nothing, joins
/// nothing.
fn extend(text: &str, next: &str, haystack: Haystack<'_>) -> Option<String> {
    let (normal_text, normal_next) = (normalize(text), normalize(next));
    for text in [text, &normal_text] {
        for next in [next, &normal_next] {
            if text.is_empty() || next.is_empty() {
                continue;
            }
            for between in [" ", "-", ""] {
                let joined = format!("{text}{between}{next}");
                if haystack.has(&joined) {
                    return Some(joined);
                }
            }
        }
    }
    None
}

/// How many tokens may lie between an "or" and a string that it joins.
const REACH: usize = 2;

/// "Tulsa, Waco and Omaha" may ask for rows with any of them, or for one and then another: the list comes
/// beside its parts. "Between Tulsa and Omaha" asks for no list.
fn lists(tokens: &[String], mentions: &[Mention]) -> Vec<Mention> {
    let mut lists: Vec<Mention> = Vec::new();
    let between = |pair: &[Mention]| tokens.get(pair[0].span.end..pair[1].span.start);
    let is_comma = |pair: &&[Mention]| matches!(between(pair), Some([comma]) if comma == ",");
    for (last, pair) in (1..).zip(mentions.windows(2)) {
        let (comma_and, and_the) = match between(pair) {
            Some([and]) => (and == "and", false),
            Some([first, second]) => (first == "," && second == "and", first == "and"),
            _ => continue,
        };
        if !comma_and && !and_the {
            continue;
        }
        let commas = mentions[..last].windows(2).rev().take_while(is_comma).count();
        let listed = &mentions[last - 1 - commas..=last];
        let span = listed[0].span.start..listed[listed.len() - 1].span.end;
        let is_range = tokens[..span.start]
            .iter()
            .rev()
            .take(2)
            .any(|token| token == "between");
        let strings = listed.iter().flat_map(|mention| match &mention.constant {
            Constant::Strings(strings) => strings.as_slice(),
            _ => &[],
        });
        if !is_range {
            lists.push(Mention {
                constant: Constant::Strings(strings.cloned().collect()),
                span,
            });
        }
    }
    lists
}

/// "Tulsa or Omaha" asks for rows with either: the two strings become one constant.
fn join_alternatives(tokens: &[String], mentions: &mut Vec<Mention>) {
    for or in (0..tokens.len()).filter(|&index| tokens[index] == "or") {
        let before = mentions
            .iter()
            .rposition(|m| m.span.end <= or && or - m.span.end <= REACH);
        let after = mentions
            .iter()
            .position(|m| m.span.start > or && m.span.start - or <= REACH);
        if let (Some(before), Some(after)) = (before, after) {
            let second = mentions.remove(after);
            let first = &mut mentions[before];
            first.span.end = second.span.end;
            if let (Constant::Strings(all), Constant::Strings(more)) = (&mut first.constant, second.constant)
            {
                all.extend(more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_datasets::toy::{SEED, Split, generate};
    use mapo_datasets::{Dataset, Example, Selection};
    use mapo_tables::TableBuilder;

    fn table() -> Table {
        let mut builder = TableBuilder::new("t", ["Team", "League"]);
        builder.push_row(["Los Angeles", "USL A-League"]);
        builder.push_row(["Newark 21", "2012-present"]);
        builder.push_row(["São Paulo (Brazil)", "or"]);
        builder.finish()
    }

    fn linked(question: &str) -> Vec<String> {
        let tokens: Vec<String> = question.split(' ').map(str::to_owned).collect();
        link(&tokens, &table(), Linking::Paper)
            .iter()
            .map(|mention| mention.constant.to_string())
            .collect()
    }

    /// What a question links to as in a small table, and as in a large one.
    fn both_ways(tokens: &[String], table: &Table) -> [Vec<Mention>; 2] {
        [Words::new(table, false), Words::new(table, true)].map(|words| {
            let joined = match words.is_searched() {
                true => None,
                false => crate::haystack::joined_texts(table),
            };
            let haystack = Haystack { table, joined };
            link_in(tokens, haystack, Some(Wide::new(tokens, &words, haystack)))
        })
    }

    /// Questions about invented and, where they are found, real tables.
    fn questions(invented: usize, real: usize) -> Vec<Example> {
        let invented = generate(Split::Train, SEED, invented)
            .into_iter()
            .map(Example::from);
        let mut examples: Vec<Example> = invented.collect();
        let data = std::env::var("MAPO_DATA").unwrap_or_else(|_| "../../../shared/data".to_owned());
        let dataset: Dataset = format!("wtq:{data}/WikiTableQuestions").parse().unwrap();
        let selection = Selection {
            split: Some("random-split-1-dev".to_owned()),
            limit: Some(real),
            ..Selection::default()
        };
        match dataset.examples(&selection) {
            Ok(found) => examples.extend(found.map(|example| example.unwrap())),
            Err(error) => eprintln!("SKIPPED on WikiTableQuestions: {error}"),
        }
        examples
    }

    #[test]
    fn an_index_finds_what_searching_all_texts_does() {
        let examples = questions(300, 700);
        let mut found = 0;
        for example in &examples {
            let mut tokens = example.question.tokens.clone();
            // Slips of the pen too.
            if let Some(long) = tokens
                .iter_mut()
                .find(|token| token.len() > 7 && token.is_ascii())
            {
                long.remove(4);
            }
            for tokens in [&example.question.tokens, &tokens] {
                let [small, large] = both_ways(tokens, &example.table);
                assert_eq!(small, large, "{} {tokens:?}", example.id);
                found += small.len();
            }
        }
        assert!(found > examples.len(), "{found}");
    }

    #[test]
    fn strings_grow_and_are_bounded_by_words() {
        assert_eq!(
            linked("did los angeles play in the usl a league"),
            ["['los angeles']", "['usl a-league']"]
        );
        assert!(linked("did the new team score 1 goal in are").is_empty());
        assert_eq!(
            linked("from são paulo in 2012-present"),
            ["['sao paulo']", "['2012-present']"]
        );
    }

    #[test]
    fn strings_do_not_swallow_what_has_no_normal_form() {
        let tokens = ["los", "angeles", "."].map(str::to_owned);
        let mentions = link(&tokens, &table(), Linking::Paper);
        assert_eq!(mentions.len(), 1);
        assert_eq!(mentions[0].span, 0..2);
    }

    #[test]
    fn or_joins_strings() {
        assert_eq!(
            linked("is it los angeles or newark 21 ?"),
            ["['los angeles', 'newark 21']"]
        );
        assert_eq!(
            linked("los angeles a b c or newark"),
            ["['los angeles']", "['newark']"]
        );
    }
}
