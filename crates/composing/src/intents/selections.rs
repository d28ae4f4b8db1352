//! Asks which or how many rows meet conditions.

use super::{Draft, conditions, kept, rows_of, say, text};
use crate::choices::Choices;
use crate::conditions::Condition;
use crate::phrase;
use crate::profile::Profile;
use crate::sketch::{From, Step};

/// No list of more is asked for.
const LONGEST_LIST: usize = 12;

/// "which cars cost more than 300?"
pub(super) fn list(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let name = profile.name()?;
    let count = [1, 1, 1, 2, 2, 3][choices.below(6)];
    let conditions = conditions(profile, count, &[name.source], choices)?;
    let met = (0..profile.table.rows())
        .filter(|row| conditions.iter().all(|condition| condition.rows.contains(row)))
        .count();
    if met > LONGEST_LIST {
        return None;
    }
    let rows = phrase::rows(&profile.noun, &conditions, met > 1 || choices.one_in(2), choices);
    let many = &profile.noun.many;
    let predicate = match &conditions[..] {
        [condition] => phrase::predicate(condition),
        _ => None,
    };
    let name_noun = &name.nouns[0];
    let question = match predicate {
        Some(predicate) if choices.one_in(2) => say(
            choices,
            &[
                "which {many} {predicate}?",
                "what {many} {predicate}?",
                "which of the {many} {predicate}?",
                "list the {many} that {predicate}",
                "which ones {predicate}?",
            ],
            &[("many", many), ("predicate", &predicate)],
        )?,
        _ => say(
            choices,
            &[
                "{rows}",
                "list the {rows}",
                "show me the {rows}",
                "what are the {rows}?",
                "name all {rows}",
                "give me the {rows}",
                "{noun} of the {rows}",
                "names of the {rows}",
                // Nothing should follow what is long.
                "which {rows} are there?",
            ][..if phrase::is_long(&conditions) { 8 } else { 9 }],
            &[("rows", &rows), ("noun", name_noun)],
        )?,
    };
    let (mut steps, from) = kept(&conditions, 0);
    steps.push(Step::Call(format!(
        "(hop {} {})",
        rows_of(from),
        text(profile, name)
    )));
    Some(Draft { question, steps })
}

/// "how many cars are from Italy?"
pub(super) fn count(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let conditions = match choices.below(12) {
        0 => vec![Condition::not_in_group(profile, choices)?],
        1 => vec![Condition::missing(profile, choices)?],
        _ => conditions(profile, 1, &[], choices)?,
    };
    count_of(profile, &conditions, choices)
}

/// "how many red cars cost less than 300?"
pub(super) fn count_by_two(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    count_of(profile, &conditions(profile, 2, &[], choices)?, choices)
}

/// The same with three conditions.
pub(super) fn count_by_three(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    count_of(profile, &conditions(profile, 3, &[], choices)?, choices)
}

fn count_of(profile: &Profile<'_>, conditions: &[Condition], choices: &mut Choices) -> Option<Draft> {
    let rows = phrase::rows(&profile.noun, conditions, true, choices);
    let (last, others) = conditions.split_last()?;
    let subject = phrase::rows(&profile.noun, others, true, choices);
    let question = match phrase::predicate(last) {
        Some(predicate) if choices.one_in(2) && !others.iter().any(|other| other.said.is_clause()) => say(
            choices,
            &[
                "how many {subject} {predicate}?",
                "how many of the {subject} {predicate}?",
                "how many {subject} are there that {predicate}",
                "count the {subject} that {predicate}",
                "how many {subject} {predicate}",
                "number of {subject} that {predicate}",
                // Only one condition can do without a subject.
                "how many {predicate}?",
            ][..if others.is_empty() { 7 } else { 6 }],
            &[("subject", &subject), ("predicate", &predicate)],
        )?,
        _ => {
            let bare = phrase::around("", &profile.noun, conditions, true, choices);
            let forms = [
                "how many {rows}?",
                "number of {rows}",
                "count of {rows}",
                "what is the number of {rows}?",
                "total number of {rows}",
                "# of {rows}",
                "count {rows}",
                // Nothing should follow what is long.
                "how many {rows} are there?",
                "how many are there {bare}?",
                "how many {rows} do we have?",
            ];
            let short = if phrase::is_long(conditions) {
                7
            } else {
                forms.len()
            };
            say(choices, &forms[..short], &[("rows", &rows), ("bare", &bare)])?
        }
    };
    let (mut steps, from) = kept(conditions, 0);
    steps.push(Step::Call(format!("(count {})", rows_of(from))));
    Some(Draft { question, steps })
}

/// "how many cars are there?"
pub(super) fn count_all(profile: &Profile<'_>, choices: &mut Choices) -> Option<Draft> {
    let question = say(
        choices,
        &[
            "how many {many} are there?",
            "how many {many} are listed?",
            "number of {many}",
            "how many {many} in total?",
            "how many {many} does the table have?",
            "how many rows are there?",
            "total number of {many}",
            "count of all {many}",
        ],
        &[("many", &profile.noun.many)],
    )?;
    Some(Draft {
        question,
        steps: vec![Step::Call(format!("(count {})", rows_of(From::All)))],
    })
}
