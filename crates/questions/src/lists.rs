//! Strings of a question that belong together: around an "or", in an enumeration.

use crate::mention::Mention;
use mapo_tables::Constant;

/// How many tokens may lie between an "or" and a string that it joins.
const REACH: usize = 2;

/// "Tulsa, Waco and Omaha" may ask for rows with any of them, or for one and then another: the list comes
/// beside its parts. "Between Tulsa and Omaha" asks for no list.
pub(crate) fn lists(tokens: &[String], mentions: &[Mention]) -> Vec<Mention> {
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
pub(crate) fn join_alternatives(tokens: &[String], mentions: &mut Vec<Mention>) {
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
