//! Draws questions about a table and keeps those that are worth asking.

use crate::choices::Choices;
use crate::intents::{Draft, KINDS, Kind};
use crate::profile::{Profile, RowNoun};
use crate::sketch::{From, Reader, Step};
use crate::slips::{neat, typed};
use mapo_language::{Denotation, Language, Program};
use mapo_questions::Linking;
use mapo_tables::Table;
use std::collections::HashSet;
use std::sync::Arc;

/// A question that was made, with its program and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// The question.
    pub question: String,
    /// The program that is meant.
    pub program: String,
    /// What the program gives.
    pub answer: Vec<String>,
    /// What kind of question it is.
    pub kind: &'static str,
}

/// How questions are read, and what programs may say.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// How the words of a question are found in cells, by whoever will answer it.
    pub linking: Linking,
    /// The language of the programs.
    pub language: Language,
}

/// No answer has more items.
const LONGEST_ANSWER: usize = 30;
/// How many kinds are tried for each question that is wanted, and how often each.
const KINDS_TRIED: usize = 4;
const TRIES: usize = 15;

/// Makes up to `count` questions about a table, as many as it is good for; each program once.
///
/// ```
/// use mapo_composing::{Choices, Wishes, compose};
/// use mapo_language::Language;
/// use mapo_questions::Linking;
/// use mapo_tables::TableBuilder;
/// use std::sync::Arc;
/// let mut builder = TableBuilder::new("cars.csv", ["model", "country", "price"]);
/// for (model, country, price) in [("Corvo", "Italy", "300"), ("Lumen", "Spain", "250"), ("Tundra", "Italy", "410"), ("Delph", "Spain", "90")] {
///     builder.push_row([model, country, price]);
/// }
/// let wishes = Wishes { linking: Linking::Wide, language: Language::PEOPLE };
/// let made = compose(&Arc::new(builder.finish()), None, 10, wishes, &mut Choices::new(1, 0));
/// assert!(!made.is_empty());
/// assert!(made.iter().all(|made| !made.answer.is_empty()));
/// ```
pub fn compose(
    table: &Arc<Table>,
    rows: Option<(&str, &str)>,
    count: usize,
    wishes: Wishes,
    choices: &mut Choices,
) -> Vec<Composed> {
    compose_as(table, rows, count, wishes, choices, typed)
}

/// The same without what people do when they type: for questions that are shown to be asked.
pub fn compose_neatly(
    table: &Arc<Table>,
    count: usize,
    wishes: Wishes,
    choices: &mut Choices,
) -> Vec<Composed> {
    compose_as(table, None, count, wishes, choices, |question, _| neat(question))
}

fn compose_as(
    table: &Arc<Table>,
    rows: Option<(&str, &str)>,
    count: usize,
    wishes: Wishes,
    choices: &mut Choices,
    typing: fn(&str, &mut Choices) -> String,
) -> Vec<Composed> {
    let noun = rows.map(|(many, one)| RowNoun::called(many, one));
    let Some(profile) = Profile::of(table, noun) else {
        return Vec::new();
    };
    let mut made = Vec::new();
    let mut programs = HashSet::new();
    for _ in 0..count * KINDS_TRIED {
        if made.len() == count {
            break;
        }
        // What is hard to draw is tried again, so that it is asked about as often as it should be.
        let kind = draw_kind(choices);
        let composed = (0..TRIES).find_map(|_| {
            let draft = (kind.draw)(&profile, choices)?;
            finish(&profile, kind, draft, wishes, choices, typing)
        });
        made.extend(composed.filter(|composed| programs.insert(composed.program.clone())));
    }
    made
}

fn draw_kind(choices: &mut Choices) -> &'static Kind {
    let all: usize = KINDS.iter().map(|kind| kind.weight).sum();
    let mut place = choices.below(all);
    for kind in KINDS {
        if place < kind.weight {
            return kind;
        }
        place -= kind.weight;
    }
    &KINDS[0]
}

/// Reads the question as whoever will answer it does, and keeps it if its program can be written from it and
/// nothing of it could be left out.
fn finish(
    profile: &Profile<'_>,
    kind: &Kind,
    draft: Draft,
    wishes: Wishes,
    choices: &mut Choices,
    typing: fn(&str, &mut Choices) -> String,
) -> Option<Composed> {
    let question = typing(&draft.question, choices);
    let mut reader = Reader::new(&question, profile.table, wishes.linking, wishes.language);
    let program = reader.program(&draft.steps)?;
    let answer = reader.answer(&program)?;
    if !says_something(&answer) {
        return None;
    }
    for left_out in 0..draft.steps.len() {
        if let Some(shorter) = without(&draft.steps, left_out)
            && let Some(shorter) = reader.program(&shorter)
            && reader.answer(&shorter).as_ref() == Some(&answer)
        {
            return None;
        }
    }
    Some(Composed {
        question,
        program: Program::to_string(&program),
        answer: answer.to_strings(),
        kind: kind.name,
    })
}

fn says_something(answer: &Denotation) -> bool {
    let items = answer.to_strings();
    (1..=LONGEST_ANSWER).contains(&items.len())
        && items.iter().all(|item| item.contains(char::is_alphanumeric))
}

/// The steps without a condition: what took its rows takes those before it.
fn without(steps: &[Step], left_out: usize) -> Option<Vec<Step>> {
    let Step::Keep(before, _) = steps.get(left_out)? else {
        return None;
    };
    let moved = |step: usize| match step.cmp(&left_out) {
        std::cmp::Ordering::Less => From::Step(step),
        std::cmp::Ordering::Equal => *before,
        std::cmp::Ordering::Greater => From::Step(step - 1),
    };
    let rest = steps
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != left_out)
        .map(|(_, step)| match step {
            Step::Keep(From::Step(step), test) => Step::Keep(moved(*step), test.clone()),
            Step::Keep(From::All, test) => Step::Keep(From::All, test.clone()),
            Step::Call(call) => {
                let mut call = call.clone();
                for step in 0..steps.len() {
                    // Names with two dollars are not touched again by a later number.
                    let to = match moved(step) {
                        From::All => "all_rows".to_owned(),
                        From::Step(step) => format!("$${step}"),
                    };
                    call = call.replace(&format!("${step}"), &to).replace("$$$", "$$");
                }
                Step::Call(call.replace("$$", "$"))
            }
        });
    Some(rest.collect())
}
