//! Asks for sums and averages.

use super::{Draft, NUMBERS, conditions, facet, kept, ordered, rows_of, say};
use crate::choices::Choices;
use crate::conditions::noun_of;
use crate::phrase;
use crate::profile::{Profile, Role};
use crate::sketch::Step;

/// "average price of the cars from Italy"
pub(super) fn average(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    total(
        profile,
        "average",
        &[
            "average {noun} {of}",
            "what is the average {noun} {of}?",
            "avg {noun} {of}",
            "mean {noun} {of}",
            "what's the mean {noun} {of}?",
            "{noun} {of} on average",
            "average {noun} {bare}",
            "on average, what is the {noun} {of}?",
            "what is the {noun} {of} on average?",
            "how high is the average {noun} {of}?",
            "avg. {noun} {bare}",
            "typical {noun} {of}",
            "the mean of {noun} {bare}",
        ],
        &[
            "how many {noun} do {rows} have on average?",
            "on average, how many {noun} do {rows} have?",
            "average number of {noun} {of}",
            "what is the average number of {noun} {of}?",
            "mean number of {noun} {bare}",
            "average {noun} per {row}",
        ],
        choices,
    )
}

/// "total price of the cars from Italy"
pub(super) fn sum(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    total(
        profile,
        "sum",
        &[
            "total {noun} {of}",
            "what is the total {noun} {of}?",
            "sum of {noun} {bare}",
            "what is the sum of the {noun} {of}?",
            "combined {noun} {of}",
            "{noun} {of} altogether",
            "{noun} {of} in total",
            "overall {noun} {bare}",
            "add up the {noun} {of}",
            "what does the {noun} {of} add up to?",
            "total of {noun} {bare}",
        ],
        &[
            "how many {noun} do {rows} have in total?",
            "how many {noun} altogether {bare}?",
            "total number of {noun} {of}",
            "how many {noun} are there {bare} in all?",
            "what is the total number of {noun} {of}?",
            "how many {noun} do all {rows} have together?",
            "how many {noun} in total {bare}",
            "how many {noun} do the {rows} have combined?",
        ],
        choices,
    )
}

fn total(
    profile: &Profile<'_>,
    function: &str,
    amounts: &[&str],
    counts: &[&str],
    choices: &mut Choices,
) -> Option<Draft> {
    let measured = facet(profile, NUMBERS, &[], choices)?;
    if function == "sum" && !measured.adds_up {
        return None;
    }
    // No average of averages.
    if function == "average" && measured.nouns[0].starts_with("average") {
        return None;
    }
    let count = [0, 0, 1, 1, 1, 1, 2][choices.below(7)];
    let conditions = conditions(profile, count, &[measured.source], choices)?;
    let noun = noun_of(measured, choices);
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let row = phrase::rows(&profile.noun, &conditions, false, choices);
    let bare = phrase::around("", &profile.noun, &conditions, true, choices);
    let of = match (conditions.is_empty(), choices.below(4)) {
        (true, 0) => format!("of all {}", profile.noun.many),
        (true, 1) => format!("of the {}", profile.noun.many),
        (true, _) => String::new(),
        (false, 0) => format!("for {rows}"),
        (false, 1) => format!("of {rows}"),
        (false, 2) => bare.clone(),
        (false, _) => format!("of the {rows}"),
    };
    let forms = if measured.role == Role::Count && !choices.one_in(4) {
        counts
    } else {
        amounts
    };
    let slots = [
        ("noun", noun.as_str()),
        ("rows", &rows),
        ("bare", &bare),
        ("of", &of),
        ("row", &row),
    ];
    let question = say(choices, forms, &slots)?;
    let (mut steps, from) = kept(&conditions, 0);
    steps.push(Step::Call(format!(
        "({function} {} {})",
        rows_of(from),
        ordered(profile, measured)?
    )));
    Some(Draft { question, steps })
}
