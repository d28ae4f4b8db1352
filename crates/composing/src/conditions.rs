//! Conditions on rows, with the words that say them.

use crate::choices::Choices;
use crate::headers::{singular, with_article};
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Test;
use mapo_tables::{ColumnKind, Value};

/// A condition and how it is said.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub test: Test,
    pub said: Said,
    /// Which column it is about.
    pub source: usize,
    /// The rows that meet it.
    pub rows: Vec<usize>,
}

/// Where the words of a condition stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Before the noun: "red" cars.
    Before(String),
    /// After it: cars "from Italy".
    With(String),
    /// After it and "that": cars that "cost more than 300".
    That(String),
}

/// No group value that is longer is named in a question.
const LONGEST: usize = 40;

impl Condition {
    /// A condition of any kind, on a column other than those.
    pub fn draw(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        match choices.below(10) {
            0..=5 => Condition::group(profile, without, choices),
            6..=8 => Condition::compared(profile, without, choices),
            _ => Condition::equal_number(profile, without, choices)
                .or_else(|| Condition::group(profile, without, choices)),
        }
    }

    /// A row is in a group.
    pub fn group(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        let facets = profile.of_roles(&[Role::Group]);
        let facets: Vec<&&Facet> = facets
            .iter()
            .filter(|facet| !without.contains(&facet.source))
            .collect();
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
        let topic = facet.topic.filter(|_| !elsewhere);
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
        let said = match topic {
            Some(topic) if topic.before && choices.one_in(3) => Said::Before(shown.clone()),
            Some(topic) if !topic.with.is_empty() && !choices.one_in(4) => {
                let with = fill(choices.pick(topic.with)?);
                match with
                    .strip_prefix("that ")
                    .or_else(|| with.strip_prefix("who "))
                    .or_else(|| with.strip_prefix("which "))
                {
                    Some(that) => Said::That(that.to_owned()),
                    None => Said::With(with),
                }
            }
            None if !elsewhere && choices.one_in(4) => Said::With(fill(choices.pick(bare)?)),
            _ => Said::With(fill(choices.pick(generic)?)),
        };
        Some(Condition {
            test: Test::Is {
                source: facet.source,
                rows: rows.clone(),
            },
            said,
            source: facet.source,
            rows,
        })
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
        let said = match form.strip_prefix("that ") {
            Some(that) => Said::That(that.to_owned()),
            None => Said::With(form),
        };
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
        let facets = profile.of_roles(&[Role::Count, Role::Time, Role::Amount]);
        let few = |facet: &&&Facet| {
            facet.groups.len() * 2 <= profile.table.rows()
                && !without.contains(&facet.source)
                && facet.number.is_some()
        };
        let facets: Vec<&&Facet> = facets.iter().filter(few).collect();
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
        Some(Condition {
            test: Test::Is {
                source: facet.source,
                rows: rows.clone(),
            },
            said,
            source: facet.source,
            rows: rows.clone(),
        })
    }

    /// A number is more or less than a round one.
    pub fn compared(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        let facets = profile.of_roles(&[Role::Count, Role::Time, Role::Amount]);
        let facets: Vec<&&Facet> = facets
            .iter()
            .filter(|facet| !without.contains(&facet.source))
            .collect();
        let facet = choices.pick(&facets)?;
        let column = facet.ordered?;
        let numbers = numbers_of(profile, facet);
        let mut sorted: Vec<f64> = numbers.iter().map(|(_, number)| *number).collect();
        sorted.sort_by(f64::total_cmp);
        let low = sorted.len() / 8;
        let number = round(
            *sorted.get(low + choices.below(sorted.len() - 2 * low))?,
            choices,
            facet.role == Role::Time,
        );
        let is_time = facet.role == Role::Time;
        let noun = noun_of(facet, choices);
        let unit = match facet
            .measure
            .filter(|measure| !measure.units.is_empty() && choices.one_in(3))
        {
            Some(measure) => format!(" {}", choices.pick(measure.units)?),
            None => String::new(),
        };
        if choices.one_in(7) {
            return Condition::between(profile, facet, &sorted, number, &noun, choices);
        }
        let above = choices.one_in(2);
        let measure = facet.measure.filter(|_| facet.alone);
        let own: &[&str] = match (measure, above) {
            (Some(measure), true) => measure.over,
            (Some(measure), false) => measure.under,
            _ => &[],
        };
        let inclusive = !is_time && choices.one_in(4);
        let n = written(number, is_time, choices);
        let fill = |template: &str| {
            template
                .replace("{noun}", &noun)
                .replace("{a noun}", &with_article(&noun))
                .replace("{n}", &n)
                .replace("{u}", &unit)
        };
        let (filter, said) = if !own.is_empty() && !inclusive && !choices.one_in(3) {
            (
                if above { "filter>" } else { "filter<" },
                Said::That(fill(choices.pick(own)?)),
            )
        } else if is_time {
            let (filter, forms): (_, &[&str]) = match (above, choices.one_in(4)) {
                (true, false) => (
                    "filter>",
                    &[
                        "after {n}",
                        "with {a noun} after {n}",
                        "later than {n}",
                        "whose {noun} is after {n}",
                    ],
                ),
                (true, true) => ("filter>=", &["since {n}", "from {n} on", "in {n} or later"]),
                (false, false) => (
                    "filter<",
                    &[
                        "before {n}",
                        "with {a noun} before {n}",
                        "earlier than {n}",
                        "whose {noun} is before {n}",
                    ],
                ),
                (false, true) => ("filter<=", &["up to {n}", "until {n}", "in {n} or earlier"]),
            };
            let forms = if facet.alone { forms } else { &forms[1..2] };
            (filter, Said::With(fill(choices.pick(forms)?)))
        } else {
            let (filter, forms): (_, &[&str]) = match (facet.role, above, inclusive) {
                (Role::Count, true, false) => (
                    "filter>",
                    &[
                        "with more than {n} {noun}",
                        "with over {n} {noun}",
                        "that have more than {n} {noun}",
                        "that have over {n} {noun}",
                        "above {n} {noun}",
                        "with {noun} > {n}",
                    ],
                ),
                (Role::Count, true, true) => (
                    "filter>=",
                    &[
                        "with at least {n} {noun}",
                        "with {n} or more {noun}",
                        "that have {n} or more {noun}",
                        "that have at least {n} {noun}",
                        "with no less than {n} {noun}",
                    ],
                ),
                (Role::Count, false, false) => (
                    "filter<",
                    &[
                        "with fewer than {n} {noun}",
                        "with less than {n} {noun}",
                        "with under {n} {noun}",
                        "that have fewer than {n} {noun}",
                        "below {n} {noun}",
                    ],
                ),
                (Role::Count, false, true) => (
                    "filter<=",
                    &[
                        "with at most {n} {noun}",
                        "with {n} or fewer {noun}",
                        "with no more than {n} {noun}",
                        "that have {n} or less {noun}",
                    ],
                ),
                (_, true, false) => (
                    "filter>",
                    &[
                        "with {a noun} above {n}{u}",
                        "with {a noun} over {n}{u}",
                        "with {a noun} of more than {n}{u}",
                        "whose {noun} is more than {n}{u}",
                        "whose {noun} is above {n}{u}",
                        "that have {a noun} over {n}{u}",
                        "with {noun} > {n}",
                        "with {noun} higher than {n}{u}",
                        "over {n}{u} in {noun}",
                    ],
                ),
                (_, true, true) => (
                    "filter>=",
                    &[
                        "with {a noun} of at least {n}{u}",
                        "with {a noun} of {n}{u} or more",
                        "whose {noun} is at least {n}{u}",
                        "with {noun} >= {n}",
                    ],
                ),
                (_, false, false) => (
                    "filter<",
                    &[
                        "with {a noun} below {n}{u}",
                        "with {a noun} under {n}{u}",
                        "with {a noun} of less than {n}{u}",
                        "whose {noun} is less than {n}{u}",
                        "whose {noun} is below {n}{u}",
                        "that have {a noun} under {n}{u}",
                        "with {noun} < {n}",
                        "with {noun} lower than {n}{u}",
                    ],
                ),
                (_, false, true) => (
                    "filter<=",
                    &[
                        "with {a noun} of at most {n}{u}",
                        "with {a noun} of {n}{u} or less",
                        "whose {noun} is at most {n}{u}",
                        "with {noun} <= {n}",
                    ],
                ),
            };
            let form = choices.pick(forms)?;
            match form.strip_prefix("that ") {
                Some(that) => (filter, Said::That(fill(that))),
                None => (filter, Said::With(fill(form))),
            }
        };
        let holds = |value: f64| match filter {
            "filter>" => value > number,
            "filter>=" => value >= number,
            "filter<" => value < number,
            _ => value <= number,
        };
        let rows = numbers
            .iter()
            .filter(|(_, value)| holds(*value))
            .map(|(row, _)| *row);
        Some(Condition {
            test: Test::Compare {
                filter,
                column,
                number,
            },
            said,
            source: facet.source,
            rows: rows.collect(),
        })
    }

    fn between(
        profile: &Profile<'_>,
        facet: &Facet,
        sorted: &[f64],
        number: f64,
        noun: &str,
        choices: &mut Choices,
    ) -> Option<Condition> {
        let column = facet.ordered?;
        let is_time = facet.role == Role::Time;
        let other = round(*choices.pick(sorted)?, choices, is_time);
        let (from, to) = (number.min(other), number.max(other));
        if from >= to {
            return None;
        }
        let forms: &[&str] = match facet.role {
            Role::Time if facet.alone => &["between {a} and {b}", "from {a} to {b}"],
            Role::Count => &["with between {a} and {b} {noun}", "with {a} to {b} {noun}"],
            _ => &[
                "with {noun} between {a} and {b}",
                "with {a noun} between {a} and {b}",
                "whose {noun} is between {a} and {b}",
                "with {noun} from {a} to {b}",
            ],
        };
        let said = choices
            .pick(forms)?
            .replace("{a noun}", &with_article(noun))
            .replace("{noun}", noun);
        let said = said
            .replace("{a}", &written(from, is_time, choices))
            .replace("{b}", &written(to, is_time, choices));
        let rows = numbers_of(profile, facet)
            .into_iter()
            .filter(|(_, value)| (from..=to).contains(value))
            .map(|(row, _)| row);
        Some(Condition {
            test: Test::Between { column, from, to },
            said: Said::With(said),
            source: facet.source,
            rows: rows.collect(),
        })
    }
}

/// What a column is called: by its header, or by what it measures where no other column does.
pub(crate) fn noun_of(facet: &Facet, choices: &mut Choices) -> String {
    let own = || facet.nouns.last().cloned().unwrap_or_default();
    let other = match (facet.measure, facet.topic) {
        (Some(measure), _) if facet.alone && choices.one_in(4) => {
            choices.pick(measure.nouns).map(|noun| (*noun).to_owned())
        }
        (_, Some(topic)) if facet.alone && choices.one_in(4) => {
            choices.pick(topic.nouns).map(|(noun, _)| (*noun).to_owned())
        }
        _ => None,
    };
    match other {
        // Things counted stay counted, amounts amounts.
        Some(other) if facet.role != Role::Count || crate::headers::is_plural(&other) => other,
        _ if choices.one_in(2) => own(),
        _ => facet.nouns[choices.below(facet.nouns.len())].clone(),
    }
}

/// The number or year of each row that has one.
pub(crate) fn numbers_of(profile: &Profile<'_>, facet: &Facet) -> Vec<(usize, f64)> {
    let Some(column) = facet.ordered.map(|id| profile.table.column(id)) else {
        return Vec::new();
    };
    let number = |row: usize| match column.value(row)? {
        Value::Number(number) => Some((row, number)),
        Value::Date(date) if column.kind() == ColumnKind::Date => Some((row, f64::from(date.year?))),
        _ => None,
    };
    (0..profile.table.rows()).filter_map(number).collect()
}

/// A number near this one with few digits.
fn round(number: f64, choices: &mut Choices, is_time: bool) -> f64 {
    if is_time || number.abs() < 10.0 && number.fract() == 0.0 {
        return number;
    }
    let digits = 1 + choices.below(2) as i32;
    let scale = 10f64.powi(digits - 1 - number.abs().max(1e-9).log10().floor() as i32);
    let rounded = (number * scale).round() / scale;
    // What was 0.3 stays 0.3.
    (rounded * 1e6).round() / 1e6
}

/// A number as people write it.
pub(crate) fn written(number: f64, is_time: bool, choices: &mut Choices) -> String {
    let plain = number.to_string();
    if is_time || number.abs() < 1000.0 || number.fract() != 0.0 {
        return plain;
    }
    let (millions, thousands) = (number / 1e6, number / 1e3);
    match choices.below(4) {
        0 if millions >= 1.0 && (millions * 10.0).fract() == 0.0 => format!("{millions} million"),
        1 if number.abs() < 1e6 && thousands.fract() == 0.0 && choices.one_in(4) => format!("{thousands}k"),
        1 | 2 => with_commas(&plain),
        _ => plain,
    }
}

/// Digits in groups of three.
pub(crate) fn with_commas(plain: &str) -> String {
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain),
    };
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{sign}{text}")
}

/// A value as people type it: often in small letters.
pub(crate) fn in_case(value: &str, choices: &mut Choices) -> String {
    match choices.below(5) {
        0 | 1 => value.to_lowercase(),
        _ => value.to_owned(),
    }
}
