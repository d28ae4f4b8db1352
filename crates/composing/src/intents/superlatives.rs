//! Asks for the most and the least.

use super::{Draft, ORDERED, conditions, facet, kept, ordered, ranked, rows_of, say, say_within, text};
use crate::choices::Choices;
use crate::conditions::{Condition, noun_of, numbers_of};
use crate::phrase;
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Step;

/// "which car is the cheapest?"
pub(super) fn superlative(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    most(profile, &[], choices)
}

/// "cheapest car from Italy"
pub(super) fn superlative_within(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let count = 1 + usize::from(choices.one_in(2));
    let conditions = match choices.one_in(3) {
        true => conditions(profile, count, &[], choices)?,
        false => vec![
            Condition::group(profile, &[], choices)
                .or_else(|| Condition::equal_number(profile, &[], choices))?,
        ],
    };
    let met = (0..profile.table.rows())
        .filter(|row| conditions.iter().all(|condition| condition.rows.contains(row)))
        .count();
    (met > 1).then_some(())?;
    most(profile, &conditions, choices)
}

/// What the row with the most is called without the column's name, where that can mean no other column: of
/// the highest, the lowest and the average temperature "hottest" means the highest.
pub(super) fn implied(
    profile: &Profile<'_>,
    measured: &Facet,
    largest: bool,
    choices: &mut Choices,
) -> Option<&'static str> {
    // What things are, but people are not.
    const OF_THINGS: &[&str] = &["best selling", "biggest", "busiest", "largest", "smallest"];
    const HIGH: &[&str] = &["high", "highest", "max", "maximum", "peak", "top"];
    const LOW: &[&str] = &["low", "lowest", "min", "minimum"];
    let ends = if largest { HIGH } else { LOW };
    let is_end = || measured.nouns[0].split(' ').any(|word| ends.contains(&word));
    let measure = measured.measure.filter(|_| measured.alone || is_end())?;
    choices
        .pick(if largest { measure.most } else { measure.least })
        .copied()
        .filter(|word| !profile.noun.who || !OF_THINGS.contains(word))
}

/// The adjective before the column's name.
fn adjective(measured: &Facet, largest: bool, choices: &mut Choices) -> &'static str {
    let words: &[&str] = match (measured.role, largest) {
        (Role::Count, true) => &[
            "most",
            "most",
            "highest number of",
            "largest number of",
            "greatest number of",
        ],
        (Role::Count, false) => &[
            "fewest",
            "fewest",
            "least",
            "lowest number of",
            "smallest number of",
        ],
        (Role::Time, true) => &["latest", "latest", "most recent"],
        (Role::Time, false) => &["earliest"],
        (_, true) => &[
            "highest", "highest", "highest", "highest", "largest", "greatest", "maximum",
        ],
        (_, false) => &["lowest", "lowest", "lowest", "lowest", "smallest", "minimum"],
    };
    choices.pick(words).copied().unwrap_or("most")
}

fn most(profile: &Profile<'_>, conditions: &[Condition], choices: &mut Choices) -> Option<Draft> {
    let used: Vec<usize> = conditions.iter().map(|condition| condition.source).collect();
    let measured = ranked(profile, &used, choices)?;
    let largest = choices.one_in(2) || choices.one_in(4);
    let name = profile.name();
    // Mostly the row is asked for by its name; where it has none, or now and then, another cell.
    let asked = match name {
        Some(name) if !choices.one_in(4) => name,
        _ => choices
            .pick(&profile.askable(&[measured.source]))
            .copied()
            .filter(|asked| !used.contains(&asked.source))?,
    };
    let adjective = adjective(measured, largest, choices);
    let noun = noun_of(measured, choices);
    let implied = implied(profile, measured, largest, choices);
    let row = phrase::rows(&profile.noun, conditions, false, choices);
    let rows = phrase::rows(&profile.noun, conditions, true, choices);
    let bare = phrase::around("", &profile.noun, conditions, false, choices);
    let asked_noun = noun_of(asked, choices);
    let which = match profile.noun.who {
        true if conditions.is_empty() && choices.one_in(2) => "who".to_owned(),
        _ => format!("which {row}"),
    };
    let superlative = implied.unwrap_or_default();
    let slots = [
        ("which", which.as_str()),
        ("row", &row),
        ("rows", &rows),
        ("bare", &bare),
        ("one", &profile.noun.one),
        ("adj", adjective),
        ("noun", &noun),
        ("asked", &asked_noun),
        ("implied", superlative),
    ];
    let by_name = asked.role == Role::Name;
    // The "highest rank" may be either end.
    let is_rank = measured.role == Role::Rank;
    if is_rank && implied.is_none() {
        return None;
    }
    let question = match (implied.is_some() && (is_rank || !choices.one_in(3)), by_name) {
        (true, true) => {
            let plain: &[&str] = &[
                "{implied} {row}",
                "which {row} is the {implied}?",
                "what is the {implied} {row}?",
                "{which} is the {implied}?",
                "the {implied} {row}",
                "what's the {implied} {row} in the list?",
                "find the {implied} {row}",
                "name of the {implied} {row}",
            ];
            let within: &[&str] = &[
                "of the {rows}, which is the {implied}?",
                "among the {rows}, which one is the {implied}?",
                "which of the {rows} is the {implied}?",
                "{implied} of the {rows}",
            ];
            let is_plain = conditions.is_empty() || choices.one_in(2);
            say(choices, if is_plain { plain } else { within }, &slots)?
        }
        (true, false) if asked.role == Role::Count => say(
            choices,
            &[
                "how many {asked} does the {implied} {row} have?",
                "number of {asked} of the {implied} {row}",
                "{asked} of the {implied} {row}",
            ],
            &slots,
        )?,
        (true, false) => say(
            choices,
            &[
                "what is the {asked} of the {implied} {row}?",
                "{asked} of the {implied} {row}",
                "what was the {asked} of the {implied} {row}?",
                "what {asked} does the {implied} {row} have?",
            ][..if phrase::is_long(conditions) { 3 } else { 4 }],
            &slots,
        )?,
        (false, true) if phrase::ends_in_with(conditions) => say(
            choices,
            &[
                "of the {rows}, which has the {adj} {noun}?",
                "among {rows}, which one has the {adj} {noun}?",
                "which of the {rows} has the {adj} {noun}?",
                "which {row} has the {adj} {noun}?",
                "out of the {rows}, which one has the {adj} {noun}?",
            ],
            &slots,
        )?,
        (false, true) => {
            let plain: &[&str] = &[
                "which {row} has the {adj} {noun}?",
                "{row} with the {adj} {noun}",
                "what {row} has the {adj} {noun}?",
                "{which} has the {adj} {noun}?",
                "{which} had the {adj} {noun}?",
                "the {row} with the {adj} {noun}",
                "name the {row} with the {adj} {noun}",
            ];
            let within: &[&str] = &[
                "of the {rows}, which has the {adj} {noun}?",
                "among {rows}, which one has the {adj} {noun}?",
                "which of the {rows} has the {adj} {noun}?",
                "of the {rows}, which one has the {adj} {noun}?",
                "out of the {rows}, which has the {adj} {noun}?",
            ];
            // "Fewest goals in 1994" asks who, while "lowest price in 1994" asks how much.
            let terse: &[&str] = &[
                "{adj} {noun} {bare}",
                "{adj} {noun} {bare}?",
                "who has the {adj} {noun} {bare}?",
            ];
            let is_counted = matches!(adjective, "most" | "fewest" | "least") && measured.role == Role::Count;
            if is_counted && choices.one_in(4) {
                let terse = if profile.noun.who { terse } else { &terse[..2] };
                return finish_most(
                    profile,
                    conditions,
                    measured,
                    asked,
                    largest,
                    say(choices, terse, &slots)?,
                );
            }
            let is_plain = conditions.is_empty() || choices.one_in(2);
            say(choices, if is_plain { plain } else { within }, &slots)?
        }
        (false, false) if asked.is_when() && choices.one_in(2) => say(
            choices,
            &[
                "in which {asked} was the {adj} {noun} {bare}?",
                "when was the {adj} {noun} {bare}?",
                "which {asked} had the {adj} {noun} {bare}?",
            ],
            &slots,
        )?,
        (false, false) if phrase::ends_in_with(conditions) => say(
            choices,
            &[
                "of the {rows}, what is the {asked} of the one with the {adj} {noun}?",
                "among {rows}, what {asked} does the one with the {adj} {noun} have?",
            ],
            &slots,
        )?,
        (false, false) => say(
            choices,
            &[
                "what is the {asked} of the {row} with the {adj} {noun}?",
                "{asked} of the {row} with the {adj} {noun}",
                "what {asked} does the {row} with the {adj} {noun} have?",
            ],
            &slots,
        )?,
    };
    finish_most(profile, conditions, measured, asked, largest, question)
}

/// The question with the program that finds the row and asks for its cell.
fn finish_most(
    profile: &Profile<'_>,
    conditions: &[Condition],
    measured: &Facet,
    asked: &Facet,
    largest: bool,
    question: String,
) -> Option<Draft> {
    let (mut steps, from) = kept(conditions, 0);
    let function = if largest { "argmax" } else { "argmin" };
    steps.push(Step::Call(format!(
        "({function} {} {})",
        rows_of(from),
        ordered(profile, measured)?
    )));
    steps.push(Step::Call(format!(
        "(hop ${} {})",
        steps.len() - 1,
        text(profile, asked)
    )));
    Some(Draft { question, steps })
}

/// "what is the highest price of the cars from Italy?"
pub(super) fn extreme_value(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let measured = facet(profile, ORDERED, &[], choices)?;
    let count = usize::from(!choices.one_in(3));
    let conditions = conditions(profile, count, &[measured.source], choices)?;
    let largest = choices.one_in(2);
    let adjective = match adjective(measured, largest, choices) {
        "most" if measured.role == Role::Count => "largest number of",
        "fewest" | "least" if measured.role == Role::Count => "smallest number of",
        adjective => adjective,
    };
    let noun = noun_of(measured, choices);
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let row = phrase::rows(&profile.noun, &conditions, false, choices);
    let bare = phrase::around("", &profile.noun, &conditions, true, choices);
    let slots = [
        ("adj", adjective),
        ("noun", noun.as_str()),
        ("rows", &rows),
        ("row", &row),
        ("bare", &bare),
    ];
    let plain: &[&str] = &[
        "what is the {adj} {noun}?",
        "{adj} {noun}",
        "what's the {adj} {noun} of any {row}?",
        "the {adj} {noun} of all {rows}",
        "what's the {adj} {noun}?",
    ];
    let within: &[&str] = &[
        "what is the {adj} {noun} of the {rows}?",
        "{adj} {noun} of the {rows}",
        "what is the {adj} {noun} {bare}?",
        "{adj} {noun} of any {row}",
        "{adj} {noun} {bare}",
        "what is the {adj} {noun} among {rows}?",
    ];
    let question = say_within(choices, &conditions, plain, within, &slots)?;
    let (mut steps, from) = kept(&conditions, 0);
    let function = if largest { "max" } else { "min" };
    steps.push(Step::Call(format!(
        "({function} {} {})",
        rows_of(from),
        ordered(profile, measured)?
    )));
    Some(Draft { question, steps })
}

/// Whether the row in a place by a measure has another value than the next.
fn stands_apart(
    profile: &Profile<'_>,
    measured: &Facet,
    largest: bool,
    place: usize,
    meets: impl Fn(usize) -> bool,
) -> bool {
    let numbers = numbers_of(profile, measured);
    let mut sorted: Vec<f64> = numbers
        .into_iter()
        .filter(|(row, _)| meets(*row))
        .map(|(_, number)| number)
        .collect();
    sorted.sort_by(f64::total_cmp);
    if largest {
        sorted.reverse();
    }
    match sorted.get(place.saturating_sub(1)..=place) {
        Some([here, next]) => here != next,
        _ => false,
    }
}

const NUMBER_WORDS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];
const ORDINALS: &[(&str, &str)] = &[
    ("second", "2nd"),
    ("third", "3rd"),
    ("fourth", "4th"),
    ("fifth", "5th"),
];

/// "the three cheapest cars"
pub(super) fn top_k(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let name = profile.name()?;
    let measured = facet(profile, ORDERED, &[name.source], choices)?;
    let conditions = if choices.one_in(3) {
        conditions(profile, 1, &[measured.source, name.source], choices)?
    } else {
        Vec::new()
    };
    let k = 2 + choices.below(9);
    let largest = !choices.one_in(3);
    // With a tie at the end of the list there is no saying which are meant.
    let meets = |row: usize| conditions.iter().all(|condition| condition.rows.contains(&row));
    if !stands_apart(profile, measured, largest, k, meets) {
        return None;
    }
    let shown = if choices.one_in(2) {
        NUMBER_WORDS[k - 2].to_owned()
    } else {
        k.to_string()
    };
    let noun = noun_of(measured, choices);
    let adjective = adjective(measured, largest, choices);
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let implied = implied(profile, measured, largest, choices);
    let slots = [
        ("k", shown.as_str()),
        ("rows", &rows),
        ("noun", &noun),
        ("adj", adjective),
        ("implied", implied.unwrap_or_default()),
    ];
    let forms: &[&str] = match (implied, largest, choices.one_in(2)) {
        (Some(_), _, true) => &[
            "the {k} {implied} {rows}",
            "{k} {implied} {rows}",
            "what are the {k} {implied} {rows}?",
            "which {k} {rows} are the {implied}?",
        ],
        (_, _, _) if measured.role == Role::Time => &[
            "the {k} {rows} with the {adj} {noun}",
            "which {k} {rows} have the {adj} {noun}?",
            "{k} {rows} with the {adj} {noun}",
        ],
        (_, true, _) => &[
            "top {k} {rows} by {noun}",
            "the {k} {rows} with the {adj} {noun}",
            "which {k} {rows} have the {adj} {noun}?",
            "list the top {k} {rows} by {noun}",
            "top {k} {rows} in {noun}",
            "{k} {rows} with the {adj} {noun}",
        ],
        (_, false, _) => &[
            "bottom {k} {rows} by {noun}",
            "the {k} {rows} with the {adj} {noun}",
            "which {k} {rows} have the {adj} {noun}?",
            "{k} {rows} with the {adj} {noun}",
        ],
    };
    let question = say(choices, forms, &slots)?;
    let (mut steps, from) = kept(&conditions, 0);
    let function = if largest { "largest" } else { "smallest" };
    steps.push(Step::Call(format!(
        "({function} {} [{k}] {})",
        rows_of(from),
        ordered(profile, measured)?
    )));
    steps.push(Step::Call(format!(
        "(hop ${} {})",
        steps.len() - 1,
        text(profile, name)
    )));
    Some(Draft { question, steps })
}

/// "which car is the second cheapest?"
pub(super) fn kth(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let name = profile.name()?;
    let measured = facet(profile, ORDERED, &[name.source], choices)?;
    let k = 2 + choices.below(ORDINALS.len());
    let (word, digits) = ORDINALS[k - 2];
    let shown = if choices.one_in(3) { digits } else { word };
    let largest = !choices.one_in(3);
    if !(1..=k).all(|place| stands_apart(profile, measured, largest, place, |_| true)) {
        return None;
    }
    let noun = noun_of(measured, choices);
    let adjective = adjective(measured, largest, choices);
    let implied = implied(profile, measured, largest, choices);
    let slots = [
        ("k", shown),
        ("one", profile.noun.one.as_str()),
        ("noun", &noun),
        ("adj", adjective),
        ("implied", implied.unwrap_or_default()),
    ];
    let forms: &[&str] = match (implied, largest) {
        (Some(_), _) if choices.one_in(2) => &[
            "{k} {implied} {one}",
            "which {one} is the {k} {implied}?",
            "what is the {k} {implied} {one}?",
        ],
        _ if measured.role == Role::Time => &[
            "which {one} has the {k} {adj} {noun}?",
            "{one} with the {k} {adj} {noun}",
        ],
        (_, true) => &[
            "which {one} has the {k} {adj} {noun}?",
            "{one} with the {k} {adj} {noun}",
            "which {one} comes {k} in {noun}?",
            "which {one} is {k} by {noun}?",
            "{k} {one} by {noun}",
        ],
        (_, false) => &[
            "which {one} has the {k} {adj} {noun}?",
            "{one} with the {k} {adj} {noun}",
        ],
    };
    let question = say(choices, forms, &slots)?;
    let function = if largest { "nth_largest" } else { "nth_smallest" };
    let call = format!("({function} all_rows [{k}] {})", ordered(profile, measured)?);
    Some(Draft {
        question,
        steps: vec![
            Step::Call(call),
            Step::Call(format!("(hop $0 {})", text(profile, name))),
        ],
    })
}
