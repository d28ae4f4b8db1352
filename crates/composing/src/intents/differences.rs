//! Asks how two results stand to each other.

use super::look_ups::named_row;
use super::{Draft, NUMBERS, conditions, facet, ordered, say};
use crate::choices::Choices;
use crate::conditions::{Condition, noun_of, numbers_of};
use crate::headers::plural;
use crate::phrase;
use crate::profile::{Facet, Profile, Role};
use crate::sketch::{From, Step, Test};

/// Two rows by name, the first with more of a measure.
pub(super) struct Pair<'a> {
    pub names: [String; 2],
    pub tests: [Test; 2],
    pub measured: &'a Facet,
}

/// Draws a pair of rows that differ in a measure.
pub(super) fn pair<'a>(profile: &'a Profile<'_>, choices: &mut Choices) -> Option<Pair<'a>> {
    let measured = facet(profile, NUMBERS, &[], choices)?;
    let (x, x_test, x_row) = named_row(profile, choices)?;
    let (y, y_test, y_row) = named_row(profile, choices)?;
    let numbers = numbers_of(profile, measured);
    let number = |row: usize| {
        numbers
            .iter()
            .find(|(other, _)| *other == row)
            .map(|(_, number)| *number)
    };
    let (first, second) = (number(x_row)?, number(y_row)?);
    if x_row == y_row || first == second {
        return None;
    }
    Some(match first > second {
        true => Pair {
            names: [x, y],
            tests: [x_test, y_test],
            measured,
        },
        false => Pair {
            names: [y, x],
            tests: [y_test, x_test],
            measured,
        },
    })
}

/// "how much more expensive is the Swift Eagle than the Polar Star?"
pub(super) fn of_two_rows(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let Pair {
        names: [x, y],
        tests: [first, second],
        measured,
    } = pair(profile, choices)?;
    let noun = noun_of(measured, choices);
    let more = measured
        .measure
        .filter(|_| measured.alone)
        .and_then(|measure| choices.pick(measure.more));
    let slots = [
        ("x", x.as_str()),
        ("y", &y),
        ("noun", &noun),
        ("more", more.copied().unwrap_or_default()),
    ];
    let forms: &[&str] = match (more, measured.role) {
        (Some(_), _) if choices.one_in(2) => &[
            "how much {more} is {x} than {y}?",
            "by how much is {x} {more} than {y}?",
            "how much {more} than {y} is {x}?",
        ],
        (_, Role::Count) => &[
            "how many more {noun} does {x} have than {y}?",
            "how many more {noun} did {x} have than {y}?",
            "difference in {noun} between {x} and {y}",
            "how many {noun} more does {x} have compared to {y}?",
            "what is the difference in {noun} between {x} and {y}?",
        ],
        _ => &[
            "what is the difference in {noun} between {x} and {y}?",
            "how much higher is the {noun} of {x} than that of {y}?",
            "{noun} difference between {x} and {y}",
            "difference between the {noun} of {x} and {y}",
            "by how much does {x} exceed {y} in {noun}?",
        ],
    };
    let question = say(choices, forms, &slots)?;
    let diff = format!("(diff $0 $1 {})", ordered(profile, measured)?);
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, first),
            Step::Keep(From::All, second),
            Step::Call(diff),
        ],
    })
}

/// Things that are counted beside each other.
const KINDRED: &[&[&str]] = &[
    &["wins", "losses", "draws", "ties", "victories", "defeats"],
    &["goals", "assists"],
    &["bedrooms", "bathrooms"],
    &["students", "teachers", "pupils"],
    &["children", "adults", "siblings"],
    &["men", "women", "males", "females", "boys", "girls"],
];

/// Whether one column can have more than another: both count things, or measure the same.
fn comparable(one: &Facet, other: &Facet) -> bool {
    let same = match (one.measure, other.measure) {
        (Some(one), Some(other)) => std::ptr::eq(one, other),
        _ => false,
    };
    let words = |facet: &Facet| -> Vec<String> { facet.nouns[0].split(' ').map(str::to_owned).collect() };
    let (first, second) = (words(one), words(other));
    let share = first.iter().any(|word| word.len() > 3 && second.contains(word));
    match one.role {
        Role::Count => {
            same || share
                || KINDRED.iter().any(|kin| {
                    kin.iter().any(|word| first.iter().any(|own| own == word))
                        && kin.iter().any(|word| second.iter().any(|own| own == word))
                })
        }
        _ => same || share,
    }
}

/// "for Oakham, how much higher is the rent than the deposit?"
pub(super) fn of_two_columns(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let one = facet(profile, NUMBERS, &[], choices)?;
    let mut others = profile.others_of_roles(&[one.role], &[one.source]);
    others.retain(|other| comparable(one, other));
    let other = *choices.pick(&others)?;
    let (x, test, row) = named_row(profile, choices)?;
    let number = |facet: &Facet| {
        numbers_of(profile, facet)
            .into_iter()
            .find(|(other, _)| *other == row)
            .map(|(_, number)| number)
    };
    let (first, second) = (number(one)?, number(other)?);
    if first == second {
        return None;
    }
    let (larger, smaller) = if first > second {
        (one, other)
    } else {
        (other, one)
    };
    let (a, b) = (noun_of(larger, choices), noun_of(smaller, choices));
    let slots = [("x", x.as_str()), ("a", &a), ("b", &b)];
    let forms: &[&str] = match larger.role {
        Role::Count => &[
            "how many more {a} than {b} does {x} have?",
            "for {x}, how many more {a} are there than {b}?",
            "difference between {a} and {b} of {x}",
            "how many {a} more than {b} did {x} have?",
        ],
        _ => &[
            "what is the difference between {a} and {b} of {x}?",
            "for {x}, how much higher is the {a} than the {b}?",
            "difference between {a} and {b} for {x}",
            "how much more is the {a} than the {b} of {x}?",
        ],
    };
    let question = say(choices, forms, &slots)?;
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, test),
            Step::Call(format!("(hop $0 {})", ordered(profile, larger)?)),
            Step::Call(format!("(hop $0 {})", ordered(profile, smaller)?)),
            Step::Call("(difference $1 $2)".to_owned()),
        ],
    })
}

/// Two groups of one column.
fn two_groups(profile: &Profile<'_>, choices: &mut Choices) -> Option<[Condition; 2]> {
    let group = facet(profile, &[Role::Group], &[], choices)?;
    let place = choices.below(group.groups.len());
    let other = (place + 1 + choices.below(group.groups.len() - 1)) % group.groups.len();
    let condition = |place: usize, choices: &mut Choices| {
        let (value, rows) = &group.groups[place];
        Condition::of_value(profile, group, value, rows, choices)
    };
    let first = condition(place, choices)?;
    let second = condition(other, choices)?;
    // Two groups are spoken of in one way.
    Some([first.clone(), second.said_like(&first)?])
}

/// "how many more cars are from Italy than from Spain?"
pub(super) fn of_two_groups(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let [mut first, mut second] = two_groups(profile, choices)?;
    let measured = facet(profile, NUMBERS, &[first.source], choices).filter(|_| choices.one_in(2));
    let (call, forms): (_, &[&str]) = match measured {
        Some(_) => (
            "average",
            &[
                "what is the difference between the average {noun} of {a} and of {b}?",
                "difference in average {noun} between {a} and {b}",
                "how much do {a} and {b} differ in average {noun}?",
            ],
        ),
        None => {
            if first.rows.len() < second.rows.len() {
                std::mem::swap(&mut first, &mut second);
            }
            (
                "count",
                &[
                    "how many more {a} are there than {b}?",
                    "difference between the number of {a} and {b}",
                    "how many more {a} than {b}?",
                ],
            )
        }
    };
    let a = phrase::rows(&profile.noun, std::slice::from_ref(&first), true, choices);
    let b = phrase::rows(&profile.noun, std::slice::from_ref(&second), true, choices);
    let noun = measured
        .map(|measured| noun_of(measured, choices))
        .unwrap_or_default();
    let question = say(choices, forms, &[("a", &a), ("b", &b), ("noun", &noun)])?;
    let column = match measured {
        Some(measured) => format!(" {}", ordered(profile, measured)?),
        None => String::new(),
    };
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, first.test),
            Step::Call(format!("({call} $0{column})")),
            Step::Keep(From::All, second.test),
            Step::Call(format!("({call} $2{column})")),
            Step::Call("(difference $1 $3)".to_owned()),
        ],
    })
}

/// "how many goals do Ada Lomax and Nils Varga have together?"
pub(super) fn together(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let Pair {
        names: [x, y],
        tests: [first, second],
        measured,
    } = pair(profile, choices)?;
    if !measured.adds_up {
        return None;
    }
    let noun = noun_of(measured, choices);
    let slots = [("x", x.as_str()), ("y", &y), ("noun", &noun)];
    let forms: &[&str] = match measured.role {
        Role::Count => &[
            "how many {noun} do {x} and {y} have together?",
            "total {noun} of {x} and {y}",
            "how many {noun} do {x} and {y} have combined?",
        ],
        _ => &[
            "what is the {noun} of {x} and {y} together?",
            "combined {noun} of {x} and {y}",
            "total {noun} of {x} and {y}",
            "sum of the {noun} of {x} and {y}",
        ],
    };
    let question = say(choices, forms, &slots)?;
    let column = ordered(profile, measured)?;
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, first),
            Step::Call(format!("(hop $0 {column})")),
            Step::Keep(From::All, second),
            Step::Call(format!("(hop $2 {column})")),
            Step::Call("(plus $1 $3)".to_owned()),
        ],
    })
}

/// "what percentage of the cars are from Italy?"
pub(super) fn share(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let conditions = conditions(profile, 1, &[], choices)?;
    let condition = conditions.first()?;
    let many = plural(&profile.noun.one);
    let predicate = phrase::predicate(condition)?;
    let question = say(
        choices,
        &[
            "what percentage of the {many} {predicate}?",
            "what percent of {many} {predicate}?",
            "what share of the {many} {predicate}?",
            "percentage of {many} that {predicate}",
            "how many percent of the {many} {predicate}?",
            "what proportion of {many} {predicate}?",
        ],
        &[("many", &many), ("predicate", &predicate)],
    )?;
    Some(Draft {
        question,
        steps: vec![
            Step::Keep(From::All, condition.test.clone()),
            Step::Call("(count $0)".to_owned()),
            Step::Call("(count all_rows)".to_owned()),
            Step::Call("(share $1 $2)".to_owned()),
        ],
    })
}
