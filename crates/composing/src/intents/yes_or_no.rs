//! Asks what is answered by yes or no.

use super::differences::{Pair, pair};
use super::look_ups::named_row;
use super::{Draft, facet, kept, ordered, rows_of, say};
use crate::choices::Choices;
use crate::conditions::{Condition, noun_of};
use crate::headers::one_of;
use crate::phrase;
use crate::profile::{Profile, Role};
use crate::sketch::{From, Step};

/// "is there a red car from Italy?"
pub(super) fn is_there(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let mut drawn = Vec::new();
    let count = 1 + choices.below(2);
    for _ in 0..count {
        // No row need meet both: then the answer is no.
        let without: Vec<usize> = drawn
            .iter()
            .map(|condition: &Condition| condition.source)
            .collect();
        drawn.push(Condition::draw(profile, &without, choices)?);
    }
    let one = phrase::rows(&profile.noun, &drawn, false, choices);
    let many = phrase::rows(&profile.noun, &drawn, true, choices);
    let a_row = one_of(&one);
    let question = say(
        choices,
        &[
            "is there {a row}?",
            "are there any {rows}?",
            "are there {rows}?",
            "does the table have any {rows}?",
            "is there any {row}?",
            "do we have {rows}?",
        ],
        &[("a row", &a_row), ("rows", &many), ("row", &one)],
    )?;
    let (mut steps, from) = kept(&drawn, 0);
    steps.push(Step::Call(format!("(any {})", rows_of(from))));
    Some(Draft { question, steps })
}

/// "is the Swift Eagle more expensive than the Polar Star?"
pub(super) fn is_more(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let Pair {
        mut names,
        mut tests,
        measured,
    } = pair(profile, choices)?;
    if choices.one_in(2) {
        names.swap(0, 1);
        tests.swap(0, 1);
    }
    let noun = noun_of(measured, choices);
    let [x, y] = names;
    let more = choices.one_in(2) || choices.one_in(2);
    let comparatives = measured
        .measure
        .filter(|_| measured.alone)
        .map(|measure| if more { measure.more } else { measure.fewer });
    let comparative = comparatives.and_then(|words| choices.pick(words)).copied();
    let slots = [
        ("x", x.as_str()),
        ("y", &y),
        ("noun", &noun),
        ("more", comparative.unwrap_or_default()),
    ];
    let forms: &[&str] = match (comparative, measured.role, more) {
        (Some(_), _, _) if !choices.one_in(3) => &["is {x} {more} than {y}?", "was {x} {more} than {y}?"],
        (_, Role::Count, true) => &[
            "does {x} have more {noun} than {y}?",
            "did {x} have more {noun} than {y}?",
            "are there more {noun} in {x} than in {y}?",
        ],
        (_, Role::Count, false) => &[
            "does {x} have fewer {noun} than {y}?",
            "did {x} have fewer {noun} than {y}?",
        ],
        (_, _, true) => &[
            "is the {noun} of {x} higher than that of {y}?",
            "does {x} have a higher {noun} than {y}?",
            "is the {noun} of {x} above the {noun} of {y}?",
        ],
        (_, _, false) => &[
            "is the {noun} of {x} lower than that of {y}?",
            "does {x} have a lower {noun} than {y}?",
            "is the {noun} of {x} below the {noun} of {y}?",
        ],
    };
    let question = say(choices, forms, &slots)?;
    let column = ordered(profile, measured)?;
    let [first, second] = tests;
    let function = if more { "greater" } else { "less" };
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, first),
            Step::Call(format!("(hop $0 {column})")),
            Step::Keep(From::All, second),
            Step::Call(format!("(hop $2 {column})")),
            Step::Call(format!("({function} $1 $3)")),
        ],
    })
}

/// "is Ada Lomax from Italy?", "does Oakham have more than 500 people?"
pub(super) fn is_so(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let (x, test, row) = named_row(profile, choices)?;
    let name = profile.name()?;
    if choices.one_in(2) {
        let measured = facet(profile, &[Role::Amount, Role::Count], &[], choices)?;
        let others: Vec<usize> = profile.facets.iter().map(|facet| facet.source).collect();
        let others: Vec<usize> = others
            .into_iter()
            .filter(|source| *source != measured.source)
            .collect();
        let condition = Condition::compared(profile, &others, choices)?;
        let crate::sketch::Test::Compare { filter, number, .. } = condition.test else {
            return None;
        };
        if condition.source != measured.source || profile.table.cell(row, measured.source).trim().is_empty() {
            return None;
        }
        let function = match filter {
            "filter>" => "greater",
            "filter<" => "less",
            _ => return None,
        };
        let predicate = phrase::of_one(&phrase::predicate(&condition)?);
        let question = match predicate.strip_prefix("is ") {
            Some(rest) => format!("is {x} {rest}?"),
            None => match predicate.strip_prefix("has ") {
                Some(rest) => format!("does {x} have {rest}?"),
                None => return None,
            },
        };
        let column = ordered(profile, measured)?;
        return Some(Draft {
            question,
            steps: vec![
                Step::Keep(From::All, test),
                Step::Call(format!("(hop $0 {column})")),
                Step::Call(format!("({function} $1 [{number}])")),
            ],
        });
    }
    let condition = Condition::group(profile, &[name.source], choices)?;
    let predicate = phrase::of_one(&phrase::predicate(&condition)?);
    let question = match (predicate.strip_prefix("is "), predicate.strip_prefix("has ")) {
        (Some(rest), _) => say(
            choices,
            &["is {x} {rest}?", "was {x} {rest}?"],
            &[("x", &x), ("rest", rest)],
        )?,
        (_, Some(rest)) => format!("does {x} have {rest}?"),
        _ => return None,
    };
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, test),
            Step::Keep(From::Step(0), condition.test),
            Step::Call("(any $1)".to_owned()),
        ],
    })
}
