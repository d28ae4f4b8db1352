//! Finding the strings of a question that occur in cells.

use super::Mention;
use super::stop_words::is_stop_word;
use crate::language::Constant;
use crate::table::{Table, Value};
use crate::text::normalize;
use memchr::memmem::Finder;

/// All distinct texts of a table, to look for strings in.
#[derive(Clone, Debug)]
pub(crate) struct Haystack(String);

/// Stands between texts; no text in normal form has it, so nothing is found across two.
const BETWEEN: char = '\n';

impl Haystack {
    pub fn new(table: &Table) -> Self {
        let mut haystack = String::from(BETWEEN);
        let texts = table.columns().iter().flat_map(|column| column.values());
        for value in texts {
            if let Value::Text(text) = value {
                haystack.push_str(text);
                haystack.push(BETWEEN);
            }
        }
        Haystack(haystack)
    }

    /// Whether some cell has the string, bounded by words: `1` is not in `21`.
    pub fn has(&self, needle: &str) -> bool {
        let (Some(first), Some(last)) = (needle.chars().next(), needle.chars().next_back()) else {
            return false;
        };
        Finder::new(needle).find_iter(self.0.as_bytes()).any(|start| {
            let before = self.0[..start].chars().next_back();
            let after = self.0[start + needle.len()..].chars().next();
            !joins(before, Some(first)) && !joins(Some(last), after)
        })
    }
}

/// Whether two neighbouring characters belong to one word.
fn joins(left: Option<char>, right: Option<char>) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    in_word(left) && in_word(right)
}

/// The strings of the question that occur in the table, from left to right, none overlapping, with those around
/// an "or" joined.
pub(super) fn link(tokens: &[String], table: &Table) -> Vec<Mention> {
    let haystack = table.haystack();
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match grow(tokens, at, haystack) {
            Some(mention) => {
                at = mention.span.end;
                mentions.push(mention);
            }
            None => at += 1,
        }
    }
    join_alternatives(tokens, &mut mentions);
    mentions
}

/// The longest string that starts at a token and occurs in a cell at every length on the way.
fn grow(tokens: &[String], start: usize, haystack: &Haystack) -> Option<Mention> {
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
fn found_form(text: &str, haystack: &Haystack) -> Option<String> {
    [normalize(text), text.to_owned()]
        .into_iter()
        .find(|form| haystack.has(form))
}

/// The string with the next token, in the first way of joining them that occurs in a cell: as they are or in
/// normal form, with a blank, a hyphen or nothing between. A full stop, whose normal form is nothing, joins nothing.
fn extend(text: &str, next: &str, haystack: &Haystack) -> Option<String> {
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
    use crate::table::TableBuilder;

    fn table() -> Table {
        let mut builder = TableBuilder::new("t", ["Team", "League"]);
        builder.push_row(["Los Angeles", "USL A-League"]);
        builder.push_row(["Newark 21", "2012-present"]);
        builder.push_row(["São Paulo (Brazil)", "or"]);
        builder.finish()
    }

    fn linked(question: &str) -> Vec<String> {
        let tokens: Vec<String> = question.split(' ').map(str::to_owned).collect();
        link(&tokens, &table())
            .iter()
            .map(|mention| mention.constant.to_string())
            .collect()
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
        let mentions = link(&tokens, &table());
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
