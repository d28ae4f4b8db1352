//! Conditions that compare with a number or a year.

use super::numbers::{numbers_of, round, written};
use super::{Condition, Said, noun_of};
use crate::choices::Choices;
use crate::headers::{singular, with_article};
use crate::profile::{Facet, Profile, Role};
use crate::sketch::Test;

impl Condition {
    /// A number is more or less than a round one.
    pub fn compared(profile: &Profile<'_>, without: &[usize], choices: &mut Choices) -> Option<Condition> {
        let facets = profile.others_of_roles(&[Role::Count, Role::Time, Role::Amount], without);
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
        // Nobody asks for fewer than none of something.
        if facet.role == Role::Count && number < 1.0 {
            return None;
        }
        let noun = match noun_of(facet, choices) {
            noun if facet.role == Role::Count && number == 1.0 => singular(&noun),
            noun => noun,
        };
        // The unit that the header has, or one that any header would mean.
        let units = match (facet.units.is_empty(), facet.measure) {
            (true, Some(measure)) if facet.role == Role::Amount => measure.units,
            _ => facet.units,
        };
        let unit = match choices.pick(units).filter(|_| choices.one_in(2)) {
            Some(unit) => format!(" {unit}"),
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
                        "whose {noun} is after {n}",
                    ],
                ),
                (true, true) => (
                    "filter>=",
                    &[
                        "since {n}",
                        "from {n} on",
                        "in {n} or later",
                        "with {a noun} of {n} or later",
                    ],
                ),
                (false, false) => (
                    "filter<",
                    &[
                        "before {n}",
                        "with {a noun} before {n}",
                        "whose {noun} is before {n}",
                    ],
                ),
                (false, true) => (
                    "filter<=",
                    &[
                        "up to {n}",
                        "until {n}",
                        "in {n} or earlier",
                        "with {a noun} of {n} or earlier",
                    ],
                ),
            };
            // Rows that are not of a time themselves need the column's name.
            let named: Vec<&str> = forms
                .iter()
                .copied()
                .filter(|form| form.contains("noun}"))
                .collect();
            let forms = if facet.is_when() { forms } else { &named[..] };
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
            (filter, Said::after(fill(choices.pick(forms)?)))
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
            value: None,
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
            Role::Time if facet.is_when() => &["between {a} and {b}", "from {a} to {b}"],
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
            value: None,
            rows: rows.collect(),
        })
    }
}
