//! Asks about groups of rows: the most common, the best, each of them.

use super::superlatives::implied;
use super::{Draft, NUMBERS, conditions, facet, kept, ordered, rows_of, say, say_within, text};
use crate::choices::Choices;
use crate::conditions::noun_of;
use crate::headers::{plural, singular};
use crate::phrase;
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Step;

/// What a group is called: one, and several.
fn group_noun(group: &Facet, choices: &mut Choices) -> (String, String) {
    if let Some(topic) = group.topic.filter(|_| group.alone && choices.one_in(3))
        && let Some((one, many)) = choices.pick(topic.nouns)
    {
        return ((*one).to_owned(), (*many).to_owned());
    }
    let noun = group.noun(choices);
    let one = singular(&noun);
    (one.clone(), plural(&one))
}

/// Columns by which rows can be put into groups: texts, and numbers of which there are few.
fn group<'a>(profile: &'a Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<&'a Facet> {
    let few = |facet: &&Facet| match facet.role {
        Role::Group => !facet.is_mark(),
        Role::Time => {
            facet.groups.len() * 3 <= profile.table.rows()
                && facet.groups.len() <= 15
                && facet.number.is_some()
        }
        _ => false,
    };
    let groups: Vec<&Facet> = profile
        .facets
        .iter()
        .filter(|facet| !without.contains(&facet.source))
        .filter(few)
        .collect();
    choices
        .pick(&groups)
        .copied()
        .filter(|group| group.groups.len() >= 2)
}

/// "which country has the most cars?"
pub(super) fn most_common(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let group = group(profile, &[], choices)?;
    let (one, _) = group_noun(group, choices);
    let conditions = if choices.one_in(4) {
        conditions(profile, 1, &[group.source], choices)?
    } else {
        Vec::new()
    };
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let slots = [("one", one.as_str()), ("rows", &rows)];
    let least = conditions.is_empty() && choices.one_in(5);
    let plain: &[&str] = match least {
        false => &[
            "which {one} has the most {rows}?",
            "most common {one}",
            "what is the most common {one}?",
            "which {one} appears most often?",
            "which {one} is the most frequent?",
            "what {one} do most {rows} have?",
            "{one} with the most {rows}",
            "which {one} shows up the most?",
            "what {one} occurs most often?",
            "which {one} is listed the most?",
        ],
        true => &[
            "which {one} has the fewest {rows}?",
            "least common {one}",
            "rarest {one}",
            "which {one} appears least often?",
            "{one} with the fewest {rows}",
        ],
    };
    let within: &[&str] = &[
        "which {one} has the most {rows}?",
        "what is the most common {one} of the {rows}?",
        "{one} with the most {rows}",
        "which {one} is most frequent among {rows}?",
    ];
    let question = say_within(choices, &conditions, plain, within, &slots)?;
    let (mut steps, from) = kept(&conditions, 0);
    match least {
        false => steps.push(Step::Call(format!(
            "(mode {} {})",
            rows_of(from),
            text(profile, group)
        ))),
        true => {
            steps.push(Step::Call(format!(
                "(count_per {} {})",
                rows_of(from),
                text(profile, group)
            )));
            steps.push(Step::Call("(lowest $0)".to_owned()));
        }
    }
    Some(Draft { question, steps })
}

/// "which country has the most expensive cars on average?"
pub(super) fn best_group(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let group = group(profile, &[], choices)?;
    let measured = facet(profile, NUMBERS, &[group.source], choices)?;
    let (one, _) = group_noun(group, choices);
    let noun = noun_of(measured, choices);
    let largest = !choices.one_in(3);
    let sums = measured.adds_up && choices.one_in(2);
    if !sums && measured.nouns[0].starts_with("average") {
        return None;
    }
    let implied = implied(profile, measured, largest, choices).filter(|_| !sums);
    let adjective = if largest { "highest" } else { "lowest" };
    // Things are more or fewer, amounts higher or lower.
    let amount = match (largest, measured.role) {
        (true, Role::Count) => "most",
        (false, Role::Count) => "fewest",
        _ => adjective,
    };
    let slots = [
        ("one", one.as_str()),
        ("noun", &noun),
        ("rows", &profile.noun.many),
        ("adj", adjective),
        ("most", amount),
        ("implied", implied.unwrap_or_default()),
    ];
    let forms: &[&str] = match (sums, implied) {
        (true, _) if measured.role == Role::Count => &[
            "which {one} has the {most} {noun} in total?",
            "which {one} has the {adj} total {noun}?",
            "{one} with the {most} {noun} overall",
            "which {one} has the {most} {noun} altogether?",
            "{one} with the {adj} total {noun}",
            "which {one}'s {rows} have the {most} {noun} combined?",
        ],
        (true, _) => &[
            "which {one} has the {adj} total {noun}?",
            "{one} with the {adj} total {noun}",
            "which {one} has the {adj} {noun} in total?",
            "{one} with the {adj} {noun} overall",
            "which {one} has the {adj} {noun} altogether?",
        ],
        (false, Some(_)) if choices.one_in(2) => &[
            "which {one} has the {implied} {rows} on average?",
            "which {one} is the {implied} on average?",
            "on average, which {one} has the {implied} {rows}?",
            "{one} with the {implied} {rows} on average",
        ],
        (false, _) => &[
            "which {one} has the {adj} average {noun}?",
            "{one} with the {adj} average {noun}",
            "which {one} has the {adj} mean {noun}?",
            "which {one} has the {adj} {noun} on average?",
            "what {one} has the {adj} average {noun}?",
            "on average, which {one} has the {most} {noun}?",
        ],
    };
    let question = say(choices, forms, &slots)?;
    let function = if sums { "sum_per" } else { "average_per" };
    let per = format!(
        "({function} all_rows {} {})",
        text(profile, group),
        ordered(profile, measured)?
    );
    let best = if largest { "(highest $0)" } else { "(lowest $0)" };
    Some(Draft {
        question,
        steps: vec![Step::Call(per), Step::Call(best.to_owned())],
    })
}

/// "how many cars are there per country?"
pub(super) fn per_group(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let group = group(profile, &[], choices)?;
    if group.groups.len() > 12 {
        return None;
    }
    let (one, _) = group_noun(group, choices);
    let conditions = if choices.one_in(4) {
        conditions(profile, 1, &[group.source], choices)?
    } else {
        Vec::new()
    };
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let (mut steps, from) = kept(&conditions, 0);
    let (group_column, from) = (text(profile, group), rows_of(from));
    if choices.one_in(2) {
        let question = say(
            choices,
            &[
                "how many {rows} per {one}?",
                "number of {rows} per {one}",
                "how many {rows} are there for each {one}?",
                "how many {rows} does each {one} have?",
                "count of {rows} by {one}",
                "number of {rows} for every {one}",
                "how many {rows} are there in each {one}?",
            ],
            &[("rows", &rows), ("one", &one)],
        )?;
        steps.push(Step::Call(format!("(count_per {from} {group_column})")));
        return Some(Draft { question, steps });
    }
    let measured = facet(profile, NUMBERS, &[group.source], choices)?;
    let noun = noun_of(measured, choices);
    let adds_up = measured.adds_up;
    let (function, forms): (_, &[&str]) = match choices.below(4) {
        0 if adds_up => (
            "sum_per",
            &[
                "total {noun} per {one}",
                "total {noun} by {one}",
                "sum of {noun} for each {one}",
            ],
        ),
        1 => (
            "max_per",
            &[
                "highest {noun} per {one}",
                "what is the highest {noun} for each {one}?",
                "maximum {noun} by {one}",
            ],
        ),
        2 => (
            "min_per",
            &[
                "lowest {noun} per {one}",
                "what is the lowest {noun} for each {one}?",
                "minimum {noun} by {one}",
            ],
        ),
        _ if measured.nouns[0].starts_with("average") => return None,
        _ => (
            "average_per",
            &[
                "average {noun} per {one}",
                "average {noun} by {one}",
                "mean {noun} for each {one}",
                "what is the average {noun} of each {one}?",
                "avg {noun} by {one}",
            ],
        ),
    };
    let question = say(choices, forms, &[("noun", &noun), ("one", &one)])?;
    let question = match conditions.is_empty() {
        true => question,
        false => format!("{} of {rows}", question.trim_end_matches('?')),
    };
    steps.push(Step::Call(format!(
        "({function} {from} {group_column} {})",
        ordered(profile, measured)?
    )));
    Some(Draft { question, steps })
}

/// "how many different countries are there?"
pub(super) fn different_values(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let group = group(profile, &[], choices)?;
    let (_, many) = group_noun(group, choices);
    let conditions = if choices.one_in(4) {
        conditions(profile, 1, &[group.source], choices)?
    } else {
        Vec::new()
    };
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let (mut steps, from) = kept(&conditions, 0);
    let column = text(profile, group);
    let slots = [("many", many.as_str()), ("rows", &rows)];
    if choices.one_in(3) && group.groups.len() <= 15 {
        let plain: &[&str] = &[
            "what are the different {many}?",
            "which {many} are there?",
            "list all {many}",
            "what {many} are there?",
            "all different {many}",
            "list the {many}",
            "show the distinct {many}",
            "what are all the {many}?",
        ];
        let within: &[&str] = &[
            "which {many} do the {rows} have?",
            "list the {many} of the {rows}",
            "different {many} of the {rows}",
        ];
        let question = say_within(choices, &conditions, plain, within, &slots)?;
        steps.push(Step::Call(format!("(hop {} {column})", rows_of(from))));
        return Some(Draft { question, steps });
    }
    let plain: &[&str] = &[
        "how many different {many} are there?",
        "how many {many} are there?",
        "number of different {many}",
        "how many distinct {many}?",
        "how many unique {many} are there?",
        "how many different {many} occur in the table?",
        "count of distinct {many}",
    ];
    let within: &[&str] = &[
        "how many different {many} are there among the {rows}?",
        "number of different {many} of the {rows}",
        "how many distinct {many} are there for {rows}?",
    ];
    let question = say_within(choices, &conditions, plain, within, &slots)?;
    steps.push(Step::Call(format!("(count_distinct {} {column})", rows_of(from))));
    Some(Draft { question, steps })
}
