//! Asks for a cell of a row that is named, or for a row by its place.

use super::{Draft, conditions, fill, kept, rows_of, say, say_within, text};
use crate::choices::Choices;
use crate::conditions::{in_case, noun_of};
use crate::phrase;
use crate::profile::{Facet, Profile, Role};
use crate::sketch::{From, Step, Test};

/// The name of a row as people type it, and the test that finds it.
pub(super) fn named_row(profile: &Profile<'_>, choices: &mut Choices) -> Option<(String, Test, usize)> {
    let name = profile.name()?;
    let (value, rows) = choices.pick(&name.groups)?;
    let row = *rows.first()?;
    let cell = profile.table.cell(row, name.source).trim();
    // Titles that stand in quotes are mostly said without them.
    let shown = match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) if !inner.contains('"') && !choices.one_in(3) => inner,
        _ => cell,
    };
    let fits =
        rows.len() == 1 && value.len() <= 60 && value.contains(char::is_alphabetic) && !shown.contains('\n');
    fits.then(|| {
        (
            in_case(shown, choices),
            Test::Is {
                source: name.source,
                rows: rows.clone(),
            },
            row,
        )
    })
}

/// "how many pages does Quiet Harbour have?"
pub(super) fn look_up(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let (x, test, row) = named_row(profile, choices)?;
    let asked = *choices.pick(&profile.askable(&[]))?;
    if profile.table.cell(row, asked.source).trim().is_empty() {
        return None;
    }
    let question = ask_for(asked, &x, choices)?;
    let hop = format!("(hop $0 {})", text(profile, asked));
    Some(Draft {
        question,
        steps: vec![Step::Keep(From::All, test), Step::Call(hop)],
    })
}

/// Asks for the value of a column for `x`.
pub(super) fn ask_for(asked: &Facet, x: &str, choices: &mut Choices) -> Option<String> {
    let own = match (asked.measure, asked.topic) {
        (Some(measure), _) => measure.asks,
        (_, Some(topic)) => topic.asks,
        _ => &[],
    };
    if asked.alone && !own.is_empty() && !choices.one_in(3) {
        let own = choices.pick(own)?;
        let slots = [("x", x), ("noun", asked.nouns[0].as_str())];
        return Some(format!("{}?", fill(own, &slots)));
    }
    let noun = noun_of(asked, choices);
    let slots = [("x", x), ("noun", noun.as_str())];
    match asked.role {
        Role::Count => say(
            choices,
            &[
                "how many {noun} does {x} have?",
                "how many {noun} did {x} have?",
                "how many {noun} for {x}",
                "number of {noun} of {x}",
                "{noun} of {x}",
                "what is the number of {noun} of {x}?",
                "{x} {noun}",
                "{x} has how many {noun}?",
            ],
            &slots,
        ),
        Role::Time => say(
            choices,
            &[
                "what is the {noun} of {x}?",
                "{noun} of {x}",
                "what's the {noun} of {x}?",
                "what is {x}'s {noun}?",
                "{x} {noun}",
                "what {noun} does {x} have?",
            ],
            &slots,
        ),
        _ => say(
            choices,
            &[
                "what is the {noun} of {x}?",
                "what {noun} does {x} have?",
                "{noun} of {x}",
                "{noun} for {x}",
                "what's the {noun} for {x}?",
                "what is {x}'s {noun}?",
                "tell me the {noun} of {x}",
                "which {noun} does {x} have?",
                "{x} {noun}",
                "what was the {noun} of {x}?",
                "show me {x}'s {noun}",
                "give me the {noun} of {x}",
            ],
            &slots,
        ),
    }
}

/// "temperature in Oslo on 4 May": a row that two conditions single out.
pub(super) fn look_up_by_two(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let conditions = conditions(profile, 2, &[], choices)?;
    let [first, second] = &conditions[..] else {
        return None;
    };
    let rows: Vec<usize> = first
        .rows
        .iter()
        .copied()
        .filter(|row| second.rows.contains(row))
        .collect();
    let mut askable = profile.askable(&[first.source, second.source]);
    askable.extend(profile.name());
    let asked = *choices.pick(&askable)?;
    if rows.len() != 1 || first.rows.len() < 2 || second.rows.len() < 2 {
        return None;
    }
    // Not "the town of the town".
    let noun = match asked.role {
        Role::Name => "name".to_owned(),
        _ => noun_of(asked, choices),
    };
    let row = phrase::rows(&profile.noun, &conditions, false, choices);
    let bare = phrase::around("", &profile.noun, &conditions, false, choices);
    let slots = [
        ("noun", noun.as_str()),
        ("row", row.as_str()),
        ("bare", bare.as_str()),
    ];
    let counted: &[&str] = &[
        "how many {noun} does the {row} have?",
        "number of {noun} of the {row}",
        "what is the number of {noun} of the {row}?",
    ];
    let question = say(
        choices,
        if asked.role == Role::Count {
            counted
        } else {
            &[
                "what is the {noun} of the {row}?",
                "{noun} of the {row}",
                "what was the {noun} of the {row}?",
                // What is short can do without the rows: "temperature in Oslo on 4 May".
                "{noun} {bare}",
                "what was the {noun} {bare}?",
            ][..if phrase::is_placed(&conditions) { 5 } else { 3 }]
        },
        &slots,
    )?;
    let (mut steps, from) = kept(&conditions, 0);
    steps.push(Step::Call(format!(
        "(hop {} {})",
        rows_of(from),
        text(profile, asked)
    )));
    Some(Draft { question, steps })
}

/// "which station comes right after Oak Road?", "who is the last player on the list?"
pub(super) fn place_in_table(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let name = profile.name()?;
    let hop = |from: &str| format!("(hop {from} {})", text(profile, name));
    let one = &profile.noun.one;
    let who = if profile.noun.who && choices.one_in(2) {
        "who".to_owned()
    } else {
        format!("which {one}")
    };
    if choices.one_in(2) {
        let (x, test, row) = named_row(profile, choices)?;
        let after = choices.one_in(2);
        if (after && row + 1 == profile.table.rows()) || (!after && row == 0) {
            return None;
        }
        let forms: &[&str] = match after {
            true => &[
                "{who} comes after {x}?",
                "{who} comes right after {x} in the table?",
                "{who} is listed below {x}?",
                "what is the next {one} after {x}?",
                "{who} follows {x}?",
                "the {one} just after {x}",
            ],
            false => &[
                "{who} comes before {x}?",
                "{who} comes right before {x} in the table?",
                "{who} is listed above {x}?",
                "what is the previous {one} before {x}?",
                "{who} is just above {x}?",
                "the {one} right before {x}",
            ],
        };
        let question = say(choices, forms, &[("who", &who), ("x", &x), ("one", one)])?;
        let step = if after { "(next $0)" } else { "(previous $0)" };
        return Some(Draft {
            question,
            steps: vec![
                Step::Keep(From::All, test),
                Step::Call(step.to_owned()),
                Step::Call(hop("$1")),
            ],
        });
    }
    let first = choices.one_in(2);
    let conditions = if choices.one_in(3) {
        Vec::new()
    } else {
        conditions(profile, 1, &[name.source], choices)?
    };
    let row = phrase::rows(&profile.noun, &conditions, false, choices);
    let plain: &[&str] = match first {
        true => &[
            "what is the first {row} in the table?",
            "first {row} listed",
            "which {row} is listed first?",
            "the first {row} on the list",
            "which {row} is at the top of the list?",
        ],
        false => &[
            "what is the last {row} in the table?",
            "last {row} listed",
            "which {row} is listed last?",
            "the last {row} on the list",
            "which {row} is at the bottom of the list?",
        ],
    };
    let within: &[&str] = match first {
        true => &[
            "which {row} is listed first?",
            "which of the {rows} is listed first?",
            "of the {rows}, which comes first in the list?",
            "in the list, what is the first {row}?",
        ],
        false => &[
            "which {row} is listed last?",
            "which of the {rows} is listed last?",
            "of the {rows}, which comes last in the list?",
            "in the list, what is the last {row}?",
        ],
    };
    let rows = phrase::rows(&profile.noun, &conditions, true, choices);
    let question = say_within(
        choices,
        &conditions,
        plain,
        within,
        &[("row", &row), ("rows", &rows)],
    )?;
    let (mut steps, from) = kept(&conditions, 0);
    steps.push(Step::Call(format!(
        "({} {})",
        if first { "first" } else { "last" },
        rows_of(from)
    )));
    steps.push(Step::Call(hop(&format!("${}", steps.len() - 1))));
    Some(Draft { question, steps })
}
