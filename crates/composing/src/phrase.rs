//! Noun phrases: the rows' noun with its conditions around it.

use crate::choices::Choices;
use crate::conditions::{Condition, Said};
use crate::profile::RowNoun;

/// "red cars from Italy that cost more than 300".
pub(crate) fn rows(noun: &RowNoun, conditions: &[Condition], many: bool, choices: &mut Choices) -> String {
    let head = if many { noun.many.clone() } else { noun.one.clone() };
    around(&head, noun, conditions, many, choices)
}

/// The conditions around any head.
pub(crate) fn around(
    head: &str,
    noun: &RowNoun,
    conditions: &[Condition],
    many: bool,
    choices: &mut Choices,
) -> String {
    let mut words: Vec<String> = Vec::new();
    for condition in conditions {
        if let Said::Before(before) = &condition.said {
            words.push(before.clone());
        }
    }
    // What stands for the rows' noun does so once.
    let as_noun = conditions
        .iter()
        .position(|condition| matches!(condition.said, Said::As { .. }));
    let own = as_noun.map(|place| match &conditions[place].said {
        Said::As { one, .. } if !many => one.clone(),
        Said::As { many, .. } => many.clone(),
        _ => String::new(),
    });
    match (own, head.is_empty()) {
        (Some(own), true) => words.insert(
            0,
            format!("{} {own}", if choices.one_in(2) { "of" } else { "for" }),
        ),
        (Some(own), false) => words.push(own),
        (None, true) => {}
        (None, false) => words.push(head.to_owned()),
    }
    let mut after = 0;
    let mut last_was_that = false;
    for (place, condition) in conditions.iter().enumerate() {
        let (said, is_that) = match &condition.said {
            Said::Before(_) => continue,
            Said::As { .. } if as_noun == Some(place) => continue,
            Said::As { many, .. } => (format!("are {many}"), true),
            Said::With(with) => (with.clone(), false),
            Said::That(that) => (if many { that.clone() } else { of_one(that) }, true),
        };
        let joined = match (after, is_that, last_was_that) {
            (0, false, _) => said,
            (0, true, _) | (_, true, false) => {
                let pronoun = match (noun.who, choices.below(3)) {
                    (true, 0 | 1) => "who",
                    (_, 2) => "which",
                    _ => "that",
                };
                match after {
                    0 => format!("{pronoun} {said}"),
                    _ => format!("{}{pronoun} {said}", if choices.one_in(2) { "and " } else { "" }),
                }
            }
            (_, true, true) => format!("and {said}"),
            (_, false, true) => format!("and are {said}"),
            (_, false, false) => match choices.below(3) {
                0 => said,
                _ => format!("and {said}"),
            },
        };
        words.push(joined);
        after += 1;
        last_was_that = is_that;
    }
    words.join(" ")
}

/// What several do, said of one: "cost more" becomes "costs more".
pub(crate) fn of_one(verb: &str) -> String {
    let (first, rest) = verb.split_once(' ').unwrap_or((verb, ""));
    let first = match first {
        "are" => "is".to_owned(),
        "were" => "was".to_owned(),
        "have" => "has".to_owned(),
        "do" => "does".to_owned(),
        "cost" | "sell" | "earn" | "make" | "weigh" | "take" | "run" | "go" | "lie" | "cover" | "hold"
        | "seat" | "serve" | "employ" | "last" | "come" | "work" | "live" | "play" => {
            format!("{first}s")
        }
        _ => first.to_owned(),
    };
    format!("{first} {rest}").trim_end().to_owned()
}

/// Conditions as what rows do: "cost more than 300", "are from Italy".
pub(crate) fn predicate(condition: &Condition) -> Option<String> {
    match &condition.said {
        Said::That(that) => Some(that.clone()),
        Said::With(with) if with.starts_with("from ") => Some(format!("come {with}")),
        Said::With(with) if with.starts_with("with ") => Some(format!("have {}", &with["with ".len()..])),
        Said::With(with)
            if ["whose", "where", "of ", "for "]
                .iter()
                .any(|word| with.starts_with(word)) =>
        {
            None
        }
        Said::With(with) => Some(format!("are {with}")),
        Said::Before(before) => Some(format!("are {before}")),
        Said::As { many, .. } => Some(format!("are {many}")),
    }
}
