//! Conditions on what a cell is.

use super::{Condition, LONGEST, Said, in_case, noun_of};
use crate::choices::Choices;
use crate::headers::{capitalised, plural, singular, with_article};
use crate::meanings::{NamedBy, Topic};
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Test;

/// A value that names what has it: "sedans" of body style `sedan`, "women" of gender `F`, "German" cars of
/// country `Germany`.
fn noun_for(topic: &Topic, value: &str, choices: &mut Choices) -> Option<Said> {
    const FEMALE: &[(&str, &str)] = &[("women", "woman"), ("girls", "girl"), ("females", "female")];
    const MALE: &[(&str, &str)] = &[("men", "man"), ("boys", "boy"), ("males", "male")];
    let said = value.to_lowercase();
    match topic.named_by {
        NamedBy::Nothing => None,
        NamedBy::People => {
            mapo_questions::of_country(&said).map(|adjective| Said::Before(capitalised(adjective)))
        }
        NamedBy::Gender => {
            let nouns = match said.as_str() {
                "f" | "female" | "w" | "woman" | "women" | "girl" | "girls" => FEMALE,
                "m" | "male" | "man" | "men" | "boy" | "boys" => MALE,
                _ => return None,
            };
            let (many, one) = choices.pick(nouns)?;
            Some(Said::As {
                many: (*many).to_owned(),
                one: (*one).to_owned(),
            })
        }
        NamedBy::Value => {
            let is_noun = value.len() > 2
                && value.split(' ').count() <= 2
                && value.chars().all(|c| c.is_alphabetic() || c == ' ')
                && !value.chars().all(char::is_uppercase);
            is_noun.then(|| Said::As {
                many: plural(value),
                one: singular(value),
            })
        }
    }
}

/// What a column that says yes or no makes of a row: "that are active", "that are not active".
fn marked(value: &str, header: &str, choices: &mut Choices) -> Option<Said> {
    let is_yes = match value.to_lowercase().as_str() {
        "yes" | "y" | "true" => true,
        "no" | "n" | "false" => false,
        _ => return None,
    };
    let forms: &[&str] = match is_yes {
        true => &["are {h}", "are {h}", "have {h} {v}", "are marked as {h}"],
        false => &[
            "are not {h}",
            "are not {h}",
            "have {h} {v}",
            "are not marked as {h}",
        ],
    };
    let form = choices.pick(forms)?;
    Some(Said::That(form.replace("{h}", header).replace("{v}", value)))
}

impl Condition {
    /// A row is in a group.
    pub fn group(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        let facets = profile.others_of_roles(&[Role::Group], without);
        let facet = choices.pick(&facets)?;
        let (value, rows) = choices.pick(&facet.groups)?;
        Condition::of_value(profile, facet, value, rows, choices)
    }

    /// A cell of a column is a value.
    pub fn of_value(
        profile: &Profile<'_>,
        facet: &Facet,
        value: &str,
        rows: &[usize],
        choices: &mut Choices,
    ) -> Option<Condition> {
        if value.is_empty() || value.len() > LONGEST || !value.contains(char::is_alphanumeric) {
            return None;
        }
        // A cell that lists things is asked about by one of them.
        let (shown, rows) = match facet.groups.iter().any(|(text, _)| text.contains(", "))
            && value.split(", ").all(|item| item.len() <= 20)
        {
            true => {
                let items: Vec<&str> = value.split(", ").collect();
                let item = choices.pick(&items)?;
                let has = |text: &str| text.split(", ").any(|other| other == *item);
                let rows = facet
                    .groups
                    .iter()
                    .filter(|(text, _)| has(text))
                    .flat_map(|(_, rows)| rows.iter().copied());
                let mut rows: Vec<usize> = rows.collect();
                rows.sort_unstable();
                ((*item).to_owned(), rows)
            }
            false => (
                profile.table.cell(*rows.first()?, facet.source).trim().to_owned(),
                rows.to_vec(),
            ),
        };
        let noun = facet.nouns[choices.below(facet.nouns.len())].clone();
        let shown = in_case(&shown, choices);
        let elsewhere = profile.stands_elsewhere(value, facet.source);
        if let Some(said) = marked(&shown, &noun, choices) {
            return Some(Condition::of_rows(facet.source, rows, said));
        }
        // A letter says nothing without its column, but for a gender.
        let is_letter = value.chars().count() == 1;
        let topic = facet
            .topic
            .filter(|topic| !elsewhere && (!is_letter || topic.named_by == NamedBy::Gender));
        let generic: &[&str] = &[
            "with {noun} {v}",
            "whose {noun} is {v}",
            "where the {noun} is {v}",
            "with {v} as {noun}",
            "with the {noun} {v}",
            "that have {v} as {noun}",
            "with {noun} = {v}",
            "of {noun} {v}",
        ];
        let bare: &[&str] = &["for {v}", "in {v}", "of {v}", "with {v}", "at {v}", "from {v}"];
        let fill = |template: &str| template.replace("{noun}", &noun).replace("{v}", &shown);
        let as_noun = topic.and_then(|topic| noun_for(topic, &shown, choices));
        let said = match topic {
            Some(_) if as_noun.is_some() && choices.one_in(2) => as_noun?,
            Some(topic) if topic.before && choices.one_in(3) => Said::Before(shown.clone()),
            Some(topic) if !topic.with.is_empty() && !choices.one_in(4) => {
                Said::after(fill(choices.pick(topic.with)?))
            }
            None if !elsewhere && !is_letter && choices.one_in(4) => Said::With(fill(choices.pick(bare)?)),
            _ => Said::after(fill(choices.pick(generic)?)),
        };
        Some(Condition::of_rows(facet.source, rows, said))
    }

    /// The cell of a column is that of exactly these rows.
    pub(super) fn of_rows(source: usize, rows: Vec<usize>, said: Said) -> Condition {
        Condition {
            test: Test::Is {
                source,
                rows: rows.clone(),
            },
            said,
            source,
            rows,
        }
    }

    /// A row is in another group than this.
    pub fn not_in_group(profile: &Profile<'_>, choices: &mut Choices) -> Option<Condition> {
        let facets = profile.of_roles(&[Role::Group]);
        let facet = choices.pick(&facets)?;
        let (value, rows) = choices.pick(&facet.groups)?;
        if value.len() > LONGEST {
            return None;
        }
        let shown = in_case(profile.table.cell(*rows.first()?, facet.source).trim(), choices);
        let noun = &facet.nouns[0];
        let that = choices.pick(&[
            "are not {v}",
            "are not from {v}",
            "do not have {v} as {noun}",
            "have a {noun} other than {v}",
            "are not in {v}",
        ])?;
        let that = match facet.topic {
            Some(topic) => match choices.pick(topic.with) {
                Some(with) if !with.starts_with("that") => format!("are not {with}"),
                _ => (*that).to_owned(),
            },
            None => "have a {noun} other than {v}".to_owned(),
        };
        let others = (0..profile.table.rows()).filter(|row| !rows.contains(row));
        Some(Condition {
            test: Test::IsNot {
                source: facet.source,
                rows: rows.clone(),
            },
            said: Said::That(that.replace("{v}", &shown).replace("{noun}", noun)),
            source: facet.source,
            rows: others.collect(),
        })
    }

    /// A cell is empty, or is not, in a column with empty cells.
    pub fn missing(profile: &Profile<'_>, choices: &mut Choices) -> Option<Condition> {
        let empty = |facet: &Facet, row: usize| profile.table.cell(row, facet.source).trim().is_empty();
        let rows = profile.table.rows();
        let facets: Vec<&Facet> = profile
            .facets
            .iter()
            .filter(|facet| (0..rows).any(|row| empty(facet, row)))
            .collect();
        let facet = choices.pick(&facets)?;
        let given = choices.one_in(3);
        let noun = noun_of(facet, choices);
        let forms: &[&str] = match given {
            true => &[
                "with {a noun}",
                "that have {a noun}",
                "where the {noun} is known",
                "with a known {noun}",
            ],
            false => &[
                "without {a noun}",
                "that have no {noun}",
                "with no {noun}",
                "where the {noun} is missing",
                "with missing {noun}",
                "with an unknown {noun}",
            ],
        };
        let form = choices
            .pick(forms)?
            .replace("{a noun}", &with_article(&noun))
            .replace("{noun}", &noun);
        let said = Said::after(form);
        Some(Condition {
            test: Test::Given {
                column: facet.text,
                given,
            },
            said,
            source: facet.source,
            rows: (0..rows).filter(|row| empty(facet, *row) != given).collect(),
        })
    }

    /// A number is exactly this, as in "houses with 3 bedrooms".
    pub fn equal_number(
        profile: &Profile<'_>,
        without: &[usize],
        choices: &mut Choices,
    ) -> Option<Condition> {
        let mut facets = profile.others_of_roles(&[Role::Count, Role::Time, Role::Amount], without);
        facets.retain(|facet| facet.groups.len() * 2 <= profile.table.rows() && facet.number.is_some());
        let facet = choices.pick(&facets)?;
        let (_, rows) = choices.pick(&facet.groups)?;
        let shown = profile.table.cell(*rows.first()?, facet.source).trim();
        let noun = noun_of(facet, choices);
        let fill = |template: &str| {
            template
                .replace("{noun}", &noun)
                .replace("{v}", shown)
                .replace("{one}", &singular(&noun))
        };
        let said = match facet.role {
            Role::Time if facet.alone => Said::With(fill(choices.pick(&[
                "in {v}",
                "from {v}",
                "in the {noun} {v}",
                "of {v}",
            ])?)),
            Role::Count => match choices.below(4) {
                0 => Said::Before(fill("{v} {one}")),
                1 => Said::That(fill("have {v} {noun}")),
                2 => Said::That(fill("have exactly {v} {noun}")),
                _ => Said::With(fill("with {v} {noun}")),
            },
            _ => Said::With(fill(choices.pick(&[
                "with {noun} {v}",
                "whose {noun} is {v}",
                "with a {noun} of {v}",
                "in {noun} {v}",
                "in the {v} {noun}",
                "with {v} {noun}",
            ])?)),
        };
        Some(Condition::of_rows(facet.source, rows.clone(), said))
    }
}
