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
    // What stands before a noun needs one: "of the red cars", not "red"; and so does "that": "of the cars that".
    let borrowed = head.is_empty()
        && (!words.is_empty()
            || in_order(conditions)
                .first()
                .is_some_and(|first| first.said.is_clause() || first.said.tells()));
    let (head, many) = match borrowed {
        true => (noun.many.as_str(), true),
        false => (head, many || head.is_empty()),
    };
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
    if borrowed {
        words.insert(0, if choices.one_in(2) { "of the" } else { "for" }.to_owned());
    }
    let mut after = 0;
    let (mut last_was_that, mut last_was_clause) = (false, false);
    let own = as_noun.map(|place| &conditions[place]);
    for condition in in_order(conditions) {
        let (said, is_that) = match &condition.said {
            Said::Before(_) => continue,
            Said::As { .. } if own.is_some_and(|own| std::ptr::eq(own, condition)) => continue,
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
                format!("{pronoun} {said}")
            }
            (_, true, true) => format!("and {said}"),
            // "where the level is low and the teacher is Ada"
            (_, false, _) if last_was_clause && condition.said.is_clause() => {
                let rest = said.split_once(' ').map_or(said.as_str(), |(_, rest)| rest);
                format!("and {rest}")
            }
            (_, false, true) => match predicate(condition) {
                Some(predicate) if many => format!("and {predicate}"),
                Some(predicate) => format!("and {}", of_one(&predicate)),
                None => format!("and {said}"),
            },
            (_, false, false) => match choices.below(3) {
                0 => said,
                _ => format!("and {said}"),
            },
        };
        words.push(joined);
        after += 1;
        last_was_that = is_that;
        last_was_clause = !is_that && condition.said.is_clause();
    }
    words.join(" ")
}

/// Conditions in the order in which they are easily said: short ones first, those with a verb of their own last.
fn in_order(conditions: &[Condition]) -> Vec<&Condition> {
    let mut order: Vec<&Condition> = conditions.iter().collect();
    order.sort_by_key(|condition| match &condition.said {
        Said::Before(_) | Said::As { .. } => 0,
        said if said.is_clause() && !matches!(said, Said::That(_)) => 4,
        Said::With(with) if with.starts_with("with") => 2,
        Said::With(_) => 1,
        Said::That(_) => 3,
    });
    order
}

/// Whether all conditions say where or when: "in Oslo", "on 4 May".
pub(crate) fn is_placed(conditions: &[Condition]) -> bool {
    let placed = |with: &str| {
        ["at ", "for ", "from ", "in ", "on "]
            .iter()
            .any(|word| with.starts_with(word))
    };
    conditions
        .iter()
        .all(|condition| matches!(&condition.said, Said::With(with) if placed(with)))
}

/// Whether "with" cannot follow the rows with these conditions.
pub(crate) fn ends_in_with(conditions: &[Condition]) -> bool {
    let is_with =
        |condition: &Condition| matches!(&condition.said, Said::With(with) if with.starts_with("with"));
    is_long(conditions) || conditions.iter().any(is_with)
}

/// Whether nothing can follow the rows with these conditions as if it were about the rows.
pub(crate) fn is_long(conditions: &[Condition]) -> bool {
    conditions.len() > 1 || conditions.iter().any(|condition| condition.said.is_clause())
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
        // Nobody says "have price > 300".
        Said::With(with) if with.contains(['=', '<', '>']) => None,
        Said::With(with)
            if ["whose", "where", "of ", "for ", "when "]
                .iter()
                .any(|word| with.starts_with(word)) =>
        {
            None
        }
        Said::With(with) if is_when(with) => ["after ", "before ", "in ", "on "]
            .iter()
            .any(|word| with.starts_with(word))
            .then(
                || match with.strip_prefix("in ").or_else(|| with.strip_prefix("on ")) {
                    Some(time) => format!("are from {time}"),
                    None => format!("are from {with}"),
                },
            ),
        Said::With(with) if with.starts_with("with ") => Some(format!("have {}", &with["with ".len()..])),
        Said::With(with) if with.starts_with("without ") => None,
        Said::With(with) if doing(with).is_some() => doing(with),
        Said::With(with) => Some(format!("are {with}")),
        // "3 bedroom" houses have something; they are not so.
        Said::Before(before) if before.starts_with(|c: char| c.is_ascii_digit()) => None,
        Said::Before(before) => Some(format!("are {before}")),
        Said::As { many, .. } => Some(format!("are {many}")),
    }
}

/// What "playing for Reds" is as a verb: "play for Reds".
fn doing(with: &str) -> Option<String> {
    let (first, rest) = with.split_once(' ')?;
    let stem = first.strip_suffix("ing")?;
    let end = if stem.ends_with('v') { "e" } else { "" };
    Some(format!("{stem}{end} {rest}"))
}

/// Whether words say a time: "after 1999", "in May 2017".
fn is_when(words: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "after ", "before ", "between ", "earlier ", "from ", "in ", "later ", "on ", "since ", "until ",
        "up to ",
    ];
    let begins = BEGINNINGS.iter().any(|beginning| words.starts_with(beginning));
    begins
        && words
            .split(' ')
            .any(|word| word.len() >= 4 && word.chars().all(|c| c.is_ascii_digit() || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Test;

    fn said(said: Said) -> Condition {
        let rows = Vec::new();
        Condition {
            test: Test::Is {
                source: 0,
                rows: rows.clone(),
            },
            said,
            source: 0,
            value: None,
            rows,
        }
    }

    fn with(words: &str) -> Condition {
        said(Said::With(words.to_owned()))
    }

    #[test]
    fn what_needs_a_noun_gets_one() {
        let noun = RowNoun::called("cars", "car");
        let mut choices = Choices::new(1, 0);
        for condition in [
            said(Said::Before("red".to_owned())),
            said(Said::That("cost more than 300".to_owned())),
            with("whose price is 300"),
            with("made by Corvo"),
        ] {
            let bare = around("", &noun, &[condition], false, &mut choices);
            assert!(bare.contains("cars"), "{bare}");
        }
        assert_eq!(
            around("", &noun, &[with("in 1999")], false, &mut choices),
            "in 1999"
        );
    }

    #[test]
    fn what_is_short_is_said_first() {
        let noun = RowNoun::called("cars", "car");
        let conditions = [
            with("whose price is 300"),
            said(Said::That("are new".to_owned())),
            with("from Italy"),
            said(Said::Before("red".to_owned())),
        ];
        for seed in 0..20 {
            let said = rows(&noun, &conditions, true, &mut Choices::new(seed, 0));
            let places: Vec<_> = ["red", "cars", "from Italy", "are new", "whose"]
                .iter()
                .map(|words| said.find(words))
                .collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{said}");
        }
    }

    #[test]
    fn what_rows_do_is_said_with_a_verb() {
        let predicate = |condition: &Condition| predicate(condition);
        assert_eq!(predicate(&with("with price > 300")), None);
        assert_eq!(predicate(&with("with 3 doors")).as_deref(), Some("have 3 doors"));
        assert_eq!(
            predicate(&with("playing for Reds")).as_deref(),
            Some("play for Reds")
        );
        assert_eq!(predicate(&with("in 1999")).as_deref(), Some("are from 1999"));
        assert_eq!(predicate(&with("in Oslo")).as_deref(), Some("are in Oslo"));
        assert_eq!(predicate(&with("since 1999")), None);
    }
}
