//! Conditions on what a cell is.

use super::{Condition, LONGEST, Said, in_case, noun_of};
use crate::choices::Choices;
use crate::headers::{capitalised, is_adjective, is_participle, plural, singular, with_article};
use crate::meanings::{NamedBy, Topic};
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Test;

/// A value that names what has it: "sedans" of body style `sedan`, "women" of gender `F`, "German" cars of
/// country `Germany`.
fn noun_for(topic: &Topic, value: &str, rows: &str, choices: &mut Choices) -> Option<Said> {
    const FEMALE: &[(&str, &str)] = &[("women", "woman"), ("females", "female"), ("girls", "girl")];
    const MALE: &[(&str, &str)] = &[("men", "man"), ("males", "male"), ("boys", "boy")];
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
            // Only the young are girls and boys.
            let of_age = !["child", "kid", "pupil", "student"].contains(&rows);
            let (many, one) = choices.pick(&nouns[..if of_age { 2 } else { 3 }])?;
            Some(Said::As {
                many: (*many).to_owned(),
                one: (*one).to_owned(),
            })
        }
        NamedBy::Value => {
            let is_noun = value.len() > 2
                && value.split(' ').count() <= 2
                && value.chars().all(|c| c.is_alphabetic() || c == ' ')
                && !value.split(' ').any(|word| is_adjective(&word.to_lowercase()))
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
    let (first, rest) = header.split_once(' ').unwrap_or((header, ""));
    let is_like = |words: &str| {
        let last = words.rsplit(' ').next().unwrap_or(words);
        is_adjective(last) || is_participle(last) || LIKE.contains(&words)
    };
    let (header, forms): (&str, &[&str]) = match (first, is_yes) {
        ("has" | "have", true) if !rest.is_empty() => (rest, &["have {a h}", "come with {a h}"]),
        ("has" | "have", false) if !rest.is_empty() => (rest, &["have no {h}", "do not have {a h}"]),
        ("is" | "are", true) if !rest.is_empty() => (rest, &["are {h}"]),
        ("is" | "are", false) if !rest.is_empty() => (rest, &["are not {h}"]),
        (_, true) if is_like(header) => (header, &["are {h}", "are {h}", "are marked as {h}"]),
        (_, false) if is_like(header) => (header, &["are not {h}", "are not {h}", "are not marked as {h}"]),
        ("member", true) => ("members", &["are {h}"]),
        ("member", false) => ("members", &["are not {h}"]),
        _ => return None,
    };
    let form = choices.pick(forms)?;
    Some(Said::That(
        form.replace("{h}", header)
            .replace("{a h}", &with_article(header)),
    ))
}

/// Things by the number of which others are called: "3 bedroom houses".
const HAD: &[&str] = &["bathroom", "bedroom", "cylinder", "door", "lane", "room", "seat"];

/// What a row can be like beside what ends as such words do.
const LIKE: &[&str] = &["friendly", "in print", "on sale", "vegetarian friendly"];

/// What stands in cells for want of a value.
const NOTHING: &[&str] = &["n/a", "na", "nil", "none", "null", "tba", "tbd", "unknown"];

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
        // A number says nothing among texts.
        if value.len() > LONGEST || !value.contains(char::is_alphabetic) || NOTHING.contains(&value) {
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
        let noun = facet.noun(choices);
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
            "where {noun} is {v}",
        ];
        let fill = |template: &str| template.replace("{noun}", &noun).replace("{v}", &shown);
        let as_noun = topic.and_then(|topic| noun_for(topic, &shown, &profile.noun.one, choices));
        let said = match topic {
            Some(_) if as_noun.is_some() && choices.one_in(2) => as_noun?,
            Some(topic) if topic.before && choices.one_in(3) => Said::Before(shown.clone()),
            Some(topic) if !topic.with.is_empty() && !choices.one_in(4) => {
                Said::after(fill(choices.pick(topic.with)?))
            }
            _ => Said::after(fill(choices.pick(generic)?)),
        };
        let mut condition = Condition::of_rows(facet.source, rows, said);
        condition.value = Some(shown);
        Some(condition)
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
            value: None,
        }
    }

    /// The same condition in the words of another on the same column; none if its words do not show its value.
    pub fn said_like(mut self, other: &Condition) -> Option<Condition> {
        let put = |words: &str| -> Option<String> {
            let (own, others) = (self.value.as_deref()?, other.value.as_deref()?);
            words.contains(others).then(|| words.replacen(others, own, 1))
        };
        self.said = match (&self.said, &other.said) {
            (Said::As { .. }, Said::As { .. }) => self.said.clone(),
            (_, Said::As { .. }) => return None,
            // "Italian", "Spanish".
            (Said::Before(own), Said::Before(before)) => {
                Said::Before(put(before).unwrap_or_else(|| own.clone()))
            }
            (_, Said::Before(before)) => Said::Before(put(before)?),
            (_, Said::With(with)) => Said::With(put(with)?),
            (_, Said::That(that)) => Said::That(put(that)?),
        };
        Some(self)
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
        let that = choices.pick(&["do not have {v} as {noun}", "have {a noun} other than {v}"])?;
        // "that are from Italy" has its own no, and so has "from Italy".
        let own = facet.topic.and_then(|topic| choices.pick(topic.with));
        let that = match own.map(|with| with.trim_start_matches("that ").trim_start_matches("which ")) {
            Some(with) if with.starts_with("are ") => with.replacen("are ", "are not ", 1),
            Some(with)
                if [
                    "about ", "against ", "at ", "by ", "from ", "in ", "made by ", "on ", "paid ",
                ]
                .iter()
                .any(|beginning| with.starts_with(beginning)) =>
            {
                format!("are not {with}")
            }
            _ => (*that).to_owned(),
        };
        let that = that.replace("{a noun}", &with_article(noun));
        let others = (0..profile.table.rows()).filter(|row| !rows.contains(row));
        Some(Condition {
            test: Test::IsNot {
                source: facet.source,
                rows: rows.clone(),
            },
            said: Said::That(that.replace("{v}", &shown).replace("{noun}", noun)),
            source: facet.source,
            value: None,
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
            .filter(|facet| facet.role != Role::Other && (0..rows).any(|row| empty(facet, row)))
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
            value: None,
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
                .replace("{a noun}", &with_article(&noun))
                .replace("{one}", &singular(&noun))
        };
        if facet.role == Role::Count && ["0", "1"].contains(&shown) {
            return None;
        }
        let said = match facet.role {
            Role::Time => Condition::at(facet, &format!("in {shown}"), choices)?,
            Role::Count => match choices.below(4) {
                0 if HAD.contains(&singular(&noun).as_str()) => Said::Before(fill("{v} {one}")),
                1 => Said::That(fill("have {v} {noun}")),
                2 => Said::That(fill("have exactly {v} {noun}")),
                _ => Said::With(fill("with {v} {noun}")),
            },
            _ => Said::With(fill(choices.pick(&[
                "with {noun} {v}",
                "whose {noun} is {v}",
                "with {a noun} of {v}",
            ])?)),
        };
        Some(Condition::of_rows(facet.source, rows.clone(), said))
    }
}
